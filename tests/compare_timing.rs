//! Verdicts on timing metrics, from records with known effects.

use crate::support::plan::{fail, noise, planned, records};
use crate::support::record::measured;
use planrun::compare::{Analysis, EdgeFinding, MetricAnalysis, Reason, Verdict, analyse};
use planrun::condition::{Field, Stated};
use planrun::plan::{ArmKind, Planned, PlannedRun};
use planrun::record::RunRecord;

const GRID: &str = "[grid]\nquantization = [\"f32\", \"q8_0\", \"q4_0\"]\nthreads = [1, 2]\n\n\
                    [[workload]]\nname = \"timing\"\nprompt_tokens = 32\ngen_tokens = 32\n\n[schedule]\nblocks = ";

fn plan(blocks: u32, compare: &str) -> Planned {
    planned(
        &format!("{GRID}{blocks}\n\n[compare]\nmetrics = {{ timing = [\"decode_tok_s\"] }}\n{compare}"),
        0,
    )
}

/// A value around 100 with 1 % noise, times `factor`.
fn decode(run: &PlannedRun, record: &mut RunRecord, factor: f64) {
    let seed = u64::from(run.slot.block) * 1000 + u64::from(run.slot.position);
    measured(record, "decode_tok_s", 100.0 * factor * (0.01 * noise(seed)).exp());
}

fn quantization(record: &RunRecord) -> &str {
    record.condition.asked.quantization.get().map_or("", String::as_str)
}

fn metric<'a>(analysis: &'a Analysis, name: &str) -> &'a MetricAnalysis {
    analysis.workloads[0].metrics.iter().find(|metric| metric.metric == name).expect("judged")
}

fn edges_to<'a>(metric: &'a MetricAnalysis, level: &str) -> Vec<&'a EdgeFinding> {
    let edges: Vec<_> =
        metric.edges.iter().filter(|edge| edge.field == Field::Quantization && edge.to == level).collect();
    assert!(!edges.is_empty(), "the plan has edges to {level}");
    edges
}

/// `q8_0` is 10 % faster than `f32`, `q4_0` is the same.
fn ten_per_cent(planned: &Planned) -> Vec<RunRecord> {
    records(planned, |run, record| {
        let factor = if quantization(record) == "q8_0" { 1.1 } else { 1.0 };
        decode(run, record, factor);
    })
}

#[test]
fn a_large_difference_is_established_and_its_size_is_right() {
    let planned = plan(6, "");
    let analysis = analyse(&planned, &ten_per_cent(&planned));
    let decode = metric(&analysis, "decode_tok_s");
    assert!(decode.primary && decode.placebo.as_ref().is_some_and(|placebo| !placebo.failed));
    for edge in edges_to(decode, "q8_0") {
        assert_eq!(
            edge.verdict,
            Some(Verdict::Established { smaller_than_margin: None }),
            "{}",
            edge.sentence
        );
        let interval = edge.interval.expect("an interval");
        assert!(interval.low > 5.0 && interval.high < 15.0 && interval.simultaneous, "{}", edge.sentence);
        assert!(
            edge.sentence.starts_with("f32 \u{2192} q8_0 (quantization) at threads="),
            "{}",
            edge.sentence
        );
        assert!(edge.sentence.ends_with(": established"), "{}", edge.sentence);
    }
}

#[test]
fn no_difference_is_within_noise_and_says_what_is_not_ruled_out() {
    let planned = plan(6, "");
    let analysis = analyse(&planned, &ten_per_cent(&planned));
    for edge in edges_to(metric(&analysis, "decode_tok_s"), "q4_0") {
        let Some(Verdict::WithinNoise { up_to, .. }) = &edge.verdict else { panic!("{}", edge.sentence) };
        assert!(up_to.abs() > 0.1 && up_to.abs() < 5.0, "{}", edge.sentence);
        assert!(edge.sentence.contains("not ruled out"), "{}", edge.sentence);
    }
}

#[test]
fn a_small_difference_tells_how_many_more_blocks_would_resolve_it() {
    let planned = plan(6, "");
    let records = records(&planned, |run, record| {
        decode(run, record, if quantization(record) == "q8_0" { 1.005 } else { 1.0 });
    });
    let analysis = analyse(&planned, &records);
    let edges = edges_to(metric(&analysis, "decode_tok_s"), "q8_0");
    let priced: Vec<(u32, f64)> = edges
        .iter()
        .filter_map(|edge| match &edge.verdict {
            Some(Verdict::WithinNoise { more_blocks: Some(blocks), more_minutes: Some(minutes), .. }) => {
                Some((*blocks, *minutes))
            }
            _ => None,
        })
        .collect();
    assert!(!priced.is_empty(), "{:?}", edges.iter().map(|edge| &edge.sentence).collect::<Vec<_>>());
    for (blocks, minutes) in priced {
        // Seven arms, twice a block, two seconds a run.
        assert!((minutes - f64::from(blocks) * 28.0 / 60.0).abs() < 1e-9);
    }
}

#[test]
fn an_interval_inside_the_declared_margin_is_equivalent() {
    let planned = plan(8, "margins = { decode_tok_s = 0.05 }\n");
    let analysis = analyse(&planned, &ten_per_cent(&planned));
    for edge in edges_to(metric(&analysis, "decode_tok_s"), "q4_0") {
        assert_eq!(edge.verdict, Some(Verdict::Equivalent { margin: 5.0 }), "{}", edge.sentence);
    }
}

#[test]
fn an_established_difference_inside_the_margin_is_both() {
    let planned = plan(8, "margins = { decode_tok_s = 0.2 }\n");
    let analysis = analyse(&planned, &ten_per_cent(&planned));
    for edge in edges_to(metric(&analysis, "decode_tok_s"), "q8_0") {
        assert_eq!(edge.verdict, Some(Verdict::Established { smaller_than_margin: Some(20.0) }));
        assert!(edge.sentence.ends_with("established, smaller than your margin"), "{}", edge.sentence);
    }
}

#[test]
fn fewer_than_six_blocks_give_intervals_and_no_verdict() {
    let planned = plan(3, "");
    let analysis = analyse(&planned, &ten_per_cent(&planned));
    for edge in &metric(&analysis, "decode_tok_s").edges {
        let reason = Reason::TooFewBlocks { blocks: 3 };
        assert_eq!(edge.verdict, Some(Verdict::Unresolved { reason }));
        assert!(edge.interval.is_some());
    }
}

#[test]
fn a_control_that_differs_from_its_baseline_voids_every_verdict() {
    let planned = plan(6, "");
    let records = records(&planned, |run, record| {
        let slow = if run.kind == ArmKind::Control { 0.9 } else { 1.0 };
        decode(run, record, if quantization(record) == "q8_0" { 1.1 } else { slow });
    });
    let analysis = analyse(&planned, &records);
    let decode = metric(&analysis, "decode_tok_s");
    assert!(decode.placebo.as_ref().is_some_and(|placebo| placebo.failed && placebo.delta < -5.0));
    for edge in &decode.edges {
        assert_eq!(edge.verdict, Some(Verdict::Unresolved { reason: Reason::PlaceboFailed }));
    }
}

#[test]
fn the_factor_effect_pools_its_parallel_edges() {
    let planned = plan(6, "");
    let analysis = analyse(&planned, &ten_per_cent(&planned));
    let decode = metric(&analysis, "decode_tok_s");
    let effect = decode.factors.iter().find(|effect| effect.to == "q8_0").expect("a step");
    assert_eq!((effect.factor.as_str(), effect.edges, effect.withheld), ("quantization", 2, false));
    assert!(effect.delta.is_some_and(|delta| (delta - 10.0).abs() < 2.0), "{}", effect.sentence);
    assert_eq!(effect.verdict.as_ref().map(Verdict::word), Some("established"));
}

#[test]
fn an_effect_whose_edges_disagree_is_withheld_and_the_interaction_is_established() {
    let planned = plan(6, "");
    let records = records(&planned, |run, record| {
        let many = record.condition.asked.threads == Stated::Set(2);
        let factor = match (quantization(record), many) {
            ("q8_0", true) => 1.1,
            ("q8_0", false) => 0.9,
            _ => 1.0,
        };
        decode(run, record, factor);
    });
    let analysis = analyse(&planned, &records);
    let decode = metric(&analysis, "decode_tok_s");
    let effect = decode.factors.iter().find(|effect| effect.to == "q8_0").expect("a step");
    assert!(effect.withheld && effect.delta.is_none(), "{}", effect.sentence);
    assert_eq!(effect.verdict, Some(Verdict::Unresolved { reason: Reason::EdgesDisagree }));
    let strongest =
        decode.interactions.iter().filter_map(|it| it.delta).fold(0.0, |a: f64, b| a.max(b.abs()));
    assert!(strongest > 15.0, "{strongest}");
    assert!(
        decode.interactions.iter().any(|it| it.verdict.as_ref().map(Verdict::word) == Some("established"))
    );
    assert_eq!(decode.faces.total as usize, decode.faces.listed.len());
}

#[test]
fn a_failed_run_is_left_out_and_told_while_its_edges_are_judged() {
    let planned = plan(6, "");
    let mut records = ten_per_cent(&planned);
    let victim = records.iter().position(|record| quantization(record) == "q8_0").expect("there is one");
    fail(&mut records[victim]);
    let analysis = analyse(&planned, &records);
    assert_eq!((analysis.coverage.failed, analysis.coverage.absent), (1, 0));
    assert_eq!(analysis.missing[0].name, records[victim].id);
    let edges = edges_to(metric(&analysis, "decode_tok_s"), "q8_0");
    let touched: Vec<_> = edges.iter().filter(|edge| !edge.remarks.is_empty()).collect();
    assert_eq!(touched.len(), 1);
    assert_eq!(touched[0].remarks, ["1 of 24 runs missing"]);
    assert!(edges.iter().all(|edge| edge.verdict.as_ref().map(Verdict::word) == Some("established")));
}

#[test]
fn an_arm_without_any_run_makes_only_its_own_edges_incomplete_by_name() {
    let planned = plan(6, "");
    let mut records = ten_per_cent(&planned);
    let lost = planned.cells.iter().position(|cell| cell.label.contains("q4_0")).expect("a cell") as u32;
    records.retain(|record| record.cell != lost);
    let analysis = analyse(&planned, &records);
    for edge in &metric(&analysis, "decode_tok_s").edges {
        match &edge.verdict {
            Some(Verdict::Incomplete { missing }) => {
                assert!(edge.before == lost || edge.after == lost);
                assert_eq!(missing.len(), 12);
            }
            _ => assert!(edge.before != lost && edge.after != lost),
        }
    }
    assert_eq!(analysis.coverage.absent, 12);
}

#[test]
fn an_arm_that_lost_a_third_of_its_runs_is_not_judged() {
    let planned = plan(6, "");
    let mut records = ten_per_cent(&planned);
    let lost = planned.cells.iter().position(|cell| cell.label.contains("q4_0")).expect("a cell") as u32;
    records.retain(|record| record.cell != lost || record.slot.block >= 2);
    let analysis = analyse(&planned, &records);
    let touched = |edge: &&EdgeFinding| edge.before == lost || edge.after == lost;
    let decode = metric(&analysis, "decode_tok_s");
    assert!(decode.edges.iter().any(|edge| touched(&edge)));
    for edge in decode.edges.iter().filter(touched) {
        let Some(Verdict::Unresolved { reason: Reason::ArmMissing { cell } }) = &edge.verdict else {
            panic!("{}", edge.sentence)
        };
        assert_eq!(cell, &planned.cells[lost as usize].label);
    }
}

#[test]
fn a_planned_edge_that_varies_in_more_is_refused_and_the_others_are_judged() {
    let planned = plan(6, "");
    let records = records(&planned, |run, record| {
        decode(run, record, 1.0);
        if quantization(record) == "q4_0" {
            record.condition.found.chat_template = Stated::Set("another".into());
        }
    });
    let analysis = analyse(&planned, &records);
    let decode = metric(&analysis, "decode_tok_s");
    for edge in edges_to(decode, "q4_0") {
        let fields = vec![Field::Quantization, Field::ChatTemplate];
        assert_eq!(edge.verdict, Some(Verdict::Refused { fields }));
        assert_eq!(edge.delta, None);
    }
    assert_eq!(analysis.refused.len(), 2);
    assert!(analysis.refused.iter().all(|refused| refused.planned == Field::Quantization));
    assert!(edges_to(decode, "q8_0").iter().all(|edge| edge.delta.is_some()));
}

#[test]
fn a_condition_that_changes_within_a_cell_refuses_its_edges() {
    let planned = plan(6, "");
    let records = records(&planned, |run, record| {
        decode(run, record, 1.0);
        if quantization(record) == "q4_0" && run.slot.block > 2 {
            record.condition.found.harness = Stated::Set(99);
        }
    });
    let analysis = analyse(&planned, &records);
    for edge in edges_to(metric(&analysis, "decode_tok_s"), "q4_0") {
        assert_eq!(edge.verdict, Some(Verdict::Refused { fields: vec![Field::Harness] }));
    }
}

#[test]
fn identical_values_have_a_difference_and_neither_p_nor_verdict() {
    let planned = plan(6, "");
    let records = records(&planned, |run, record| {
        decode(run, record, 1.0);
        measured(record, "peak_rss", if quantization(record) == "q8_0" { 50.0 } else { 100.0 });
    });
    let analysis = analyse(&planned, &records);
    let memory = metric(&analysis, "peak_rss");
    assert!(memory.did_not_vary && !memory.primary);
    for edge in edges_to(memory, "q8_0") {
        assert!(edge.delta.is_some_and(|delta| (delta + 50.0).abs() < 1e-9));
        assert_eq!((edge.p, edge.interval, &edge.verdict), (None, None, &None));
    }
}

#[test]
fn metrics_that_were_not_declared_primary_have_intervals_only() {
    let planned = plan(6, "");
    let records = records(&planned, |run, record| {
        decode(run, record, 1.0);
        measured(record, "ttft", 0.1 * (0.01 * noise(u64::from(run.slot.position) + 77)).exp());
    });
    let analysis = analyse(&planned, &records);
    for edge in &metric(&analysis, "ttft").edges {
        assert_eq!((&edge.verdict, edge.adjusted_p), (&None, None));
        assert!(edge.interval.is_some_and(|interval| !interval.simultaneous));
        assert!(edge.sentence.ends_with("exploratory, no verdict"), "{}", edge.sentence);
    }
}

#[test]
fn tokens_per_second_of_two_tokenizers_are_a_changed_unit_and_reply_times_are_judged() {
    let sections = "[grid]\nmodel = [\"pico\", \"hf:someone/else@0123456789abcdef0123456789abcdef01234567\"]\n\n\
                    [[workload]]\nname = \"timing\"\nprompt_tokens = 32\ngen_tokens = 32\n\n[compare]\n\
                    metrics = { timing = [\"decode_tok_s\", \"full_reply_s\"] }\n";
    let planned = planned(sections, 0);
    let records = records(&planned, |run, record| {
        decode(run, record, 1.0);
        let seconds = if record.cell == 0 { 1.0 } else { 1.5 };
        measured(record, "full_reply_s", seconds * (0.01 * noise(u64::from(run.slot.position) + 9)).exp());
    });
    let analysis = analyse(&planned, &records);
    let edge = &metric(&analysis, "decode_tok_s").edges[0];
    let instead = vec!["chars_per_s".into(), "full_reply_s".into()];
    assert_eq!(edge.verdict, Some(Verdict::UnitChanged { field: Field::Model, instead }));
    assert_eq!(edge.delta, None);
    let effect = &metric(&analysis, "decode_tok_s").factors[0];
    assert_eq!(effect.verdict.as_ref().map(Verdict::word), Some("unit changed"));
    let reply = &metric(&analysis, "full_reply_s").edges[0];
    assert_eq!(reply.verdict.as_ref().map(Verdict::word), Some("established"), "{}", reply.sentence);
    assert!(reply.implied.contains(&Field::Tokenizer));
}

#[test]
fn pairs_that_were_never_planned_are_listed_with_their_fields() {
    let planned = plan(6, "");
    let analysis = analyse(&planned, &ten_per_cent(&planned));
    // Six cells have 15 pairs; star edges: 2 steps x 2 lines + 1 step x 3 lines = 7.
    assert_eq!(analysis.not_compared.total, 8);
    assert_eq!(analysis.not_compared.listed.len(), 8);
    let diagonal = |pair: &planrun::compare::Unplanned| pair.fields == [Field::Quantization, Field::Threads];
    assert!(analysis.not_compared.listed.iter().any(diagonal));
}

#[test]
fn records_of_another_plan_are_left_out_and_told() {
    let planned = plan(6, "");
    let mut records = ten_per_cent(&planned);
    records[0].plan.hash = "f".repeat(64);
    let analysis = analyse(&planned, &records);
    assert_eq!(analysis.coverage.absent, 1);
    assert!(analysis.warnings.iter().any(|warning| warning.contains("1 records belong to another plan")));
}
