//! Verdicts on item metrics, from records with known answers.

use crate::support::plan::{planned, records};
use crate::support::record::measured;
use planrun::compare::{Analysis, MetricAnalysis, Reason, Verdict, analyse};
use planrun::condition::Field;
use planrun::generation::StopReason;
use planrun::plan::{ArmKind, Planned};
use planrun::record::RunRecord;

const GRID: &str = "[grid]\nquantization = [\"f32\", \"q4_0\"]\nmax_tokens = [16, 64]\n\n\
                    [[workload]]\nname = \"quality\"\ntasks = \"tasks.jsonl\"\nquality = true\ntiming = false\n";

fn plan(tasks: usize, compare: &str) -> Planned {
    planned(&format!("{GRID}\n[compare]\n{compare}"), tasks)
}

fn is_small(record: &RunRecord) -> bool {
    record.condition.asked.quantization.get().is_some_and(|scheme| scheme == "q4_0")
}

/// The first `wrong` items of a record are answered wrongly.
fn answer(record: &mut RunRecord, wrong: usize) {
    for (n, item) in record.items.iter_mut().enumerate() {
        item.score = Some(f64::from(u8::from(n >= wrong)));
        if n < wrong {
            item.ids = Some(vec![99, 1]);
        }
    }
    measured(record, "quality", 1.0);
    measured(record, "reply_tokens", 2.0);
}

fn metric<'a>(analysis: &'a Analysis, name: &str) -> &'a MetricAnalysis {
    analysis.workloads[0].metrics.iter().find(|metric| metric.metric == name).expect("judged")
}

fn drop_of(tasks: usize, wrong: usize, compare: &str) -> Analysis {
    let planned = plan(tasks, compare);
    let records = records(&planned, |_, record| {
        let lost = if is_small(record) { wrong } else { 0 };
        answer(record, lost);
    });
    analyse(&planned, &records)
}

#[test]
fn a_drop_on_many_items_is_established_in_points() {
    let analysis = drop_of(200, 40, "");
    let quality = metric(&analysis, "quality");
    for edge in quality.edges.iter().filter(|edge| edge.field == Field::Quantization) {
        assert_eq!(edge.verdict.as_ref().map(Verdict::word), Some("established"), "{}", edge.sentence);
        assert_eq!((edge.delta, edge.changed, edge.n), (Some(-20.0), Some([0, 40]), 200));
        assert!(edge.interval.is_some_and(|it| it.low < -20.0 && it.high > -20.0 && it.high < 0.0));
    }
    let effect = quality.factors.iter().find(|effect| effect.factor == "quantization").expect("a step");
    assert_eq!((effect.delta, effect.edges, effect.withheld), (Some(-20.0), 2, false));
    assert_eq!(effect.verdict.as_ref().map(Verdict::word), Some("established"), "{}", effect.sentence);
}

#[test]
fn too_few_changed_items_cannot_be_decided() {
    let analysis = drop_of(200, 3, "");
    for edge in metric(&analysis, "quality").edges.iter().filter(|edge| edge.field == Field::Quantization) {
        let reason = Reason::TooFewChanged { changed: 3 };
        assert_eq!(edge.verdict, Some(Verdict::Unresolved { reason }));
        assert!(edge.sentence.contains("cannot be decided: 3 items changed"), "{}", edge.sentence);
    }
}

#[test]
fn a_pooled_effect_of_too_few_changed_items_has_the_edges_own_intervals() {
    let analysis = drop_of(200, 3, "");
    let quality = metric(&analysis, "quality");
    let effect = quality.factors.iter().find(|effect| effect.factor == "quantization").expect("a step");
    assert_eq!(effect.verdict, Some(Verdict::Unresolved { reason: Reason::TooFewChanged { changed: 3 } }));
    let edge = quality.edges.iter().find(|edge| edge.field == Field::Quantization).and_then(|it| it.interval);
    let (own, edge) = (effect.interval.expect("an interval"), edge.expect("an interval"));
    assert!((own.low - edge.low).abs() < 1e-9 && (own.high - edge.high).abs() < 1e-9, "both edges are alike");
    assert!(own.low < -3.0 && own.high > 0.0);
}

#[test]
fn unchanged_answers_are_equivalent_where_the_margin_has_room_for_the_interval() {
    let analysis = drop_of(200, 0, "margins = { quality = 0.1 }\n");
    let quality = metric(&analysis, "quality");
    assert!(quality.did_not_vary);
    for edge in &quality.edges {
        assert_eq!(edge.verdict, Some(Verdict::Equivalent { margin: 10.0 }), "{}", edge.sentence);
    }
}

#[test]
fn a_verdict_below_the_unpaired_resolution_carries_that_remark() {
    let planned = plan(100, "");
    let records = records(&planned, |_, record| {
        // Thirty wrong on both sides, twelve more after: 12 points against an unpaired resolution of about 18.
        let lost = if is_small(record) { 42 } else { 30 };
        answer(record, lost);
    });
    let analysis = analyse(&planned, &records);
    let quality = metric(&analysis, "quality");
    let resolution = quality.resolution.as_ref().expect("quality has a resolution");
    let unpaired = resolution.unpaired.expect("a hundred items resolve something");
    assert!((unpaired - 18.1).abs() < 0.1, "{unpaired}");
    for edge in quality.edges.iter().filter(|edge| edge.field == Field::Quantization) {
        assert_eq!(edge.verdict.as_ref().map(Verdict::word), Some("established"), "{}", edge.sentence);
        assert!(edge.sentence.contains("below the unpaired resolution of 18.1 points"), "{}", edge.sentence);
    }
}

#[test]
fn a_small_set_says_that_the_formula_does_not_hold() {
    let analysis = drop_of(8, 1, "");
    let resolution = metric(&analysis, "quality").resolution.clone().expect("quality has a resolution");
    assert!(resolution.below_formula_size);
    assert!(
        resolution.sentence.contains("below the size where the formula holds"),
        "{}",
        resolution.sentence
    );
    assert!(resolution.unpaired.is_some_and(|points| points > 0.0), "a share of 1 does not give 0");
}

#[test]
fn a_single_item_resolves_nothing_and_no_line_claims_more_than_100_points() {
    let analysis = drop_of(1, 1, "");
    let quality = metric(&analysis, "quality");
    let resolution = quality.resolution.as_ref().expect("quality has a resolution");
    assert_eq!((resolution.unpaired, resolution.paired), (None, None));
    assert!(
        resolution.sentence.starts_with("1 item at 100 % right resolves nothing between two separate runs"),
        "{}",
        resolution.sentence
    );
    for edge in &quality.edges {
        assert_eq!(edge.floor, None);
        assert!(edge.sentence.contains("the resolution is more than 100 points"), "{}", edge.sentence);
    }
}

#[test]
fn effects_of_opposite_sign_are_withheld() {
    let planned = plan(200, "");
    let records = records(&planned, |_, record| {
        let many = record.condition.asked.max_tokens.or(0) == 64;
        let wrong = if is_small(record) == many { 20 } else { 80 };
        answer(record, wrong);
    });
    let analysis = analyse(&planned, &records);
    let quality = metric(&analysis, "quality");
    for effect in &quality.factors {
        assert!(effect.withheld && effect.delta.is_none(), "{}", effect.sentence);
    }
    let interaction = &quality.interactions[0];
    assert_eq!(
        interaction.verdict.as_ref().map(Verdict::word),
        Some("established"),
        "{}",
        interaction.sentence
    );
    assert!(interaction.delta.is_some_and(|delta| (delta - 60.0).abs() < 1e-9));
}

#[test]
fn effects_that_depend_on_another_factor_are_split_by_it() {
    let planned = plan(200, "");
    let records = records(&planned, |_, record| {
        let many = record.condition.asked.max_tokens.or(0) == 64;
        answer(record, if is_small(record) == many { 20 } else { 80 });
    });
    let analysis = analyse(&planned, &records);
    for effect in &metric(&analysis, "quality").factors {
        let split = effect.split.as_ref().expect("an established interaction");
        assert_ne!(split.by, effect.factor);
        let groups: Vec<(usize, &[u32])> =
            split.groups.iter().map(|group| (group.levels.len(), group.edges.as_slice())).collect();
        let [one, other] = effect.parallel[..] else { panic!("{:?}", effect.parallel) };
        assert_eq!(groups, [(1, &[one][..]), (1, &[other][..])]);
    }
}

#[test]
fn pairs_that_repeat_the_replies_of_others_are_counted_once() {
    let analysis = drop_of(200, 3, "");
    let quality = metric(&analysis, "quality");
    let effect = quality.factors.iter().find(|effect| effect.factor == "quantization").expect("a step");
    assert_eq!((effect.edges, effect.distinct), (2, Some(1)), "both limits give the same replies");
}

#[test]
fn reply_tokens_are_judged_item_by_item() {
    let planned = plan(60, "metrics = { quality = [\"quality\", \"reply_tokens\"] }\n");
    let records = records(&planned, |_, record| {
        answer(record, 0);
        let small = is_small(record);
        for (n, item) in record.items.iter_mut().enumerate() {
            item.reply_tokens = Some(10 + n as u32 % 3 + if small { 5 + n as u32 % 2 } else { 0 });
            item.stop = Some(StopReason::Eos);
        }
    });
    let analysis = analyse(&planned, &records);
    for edge in
        metric(&analysis, "reply_tokens").edges.iter().filter(|edge| edge.field == Field::Quantization)
    {
        assert_eq!(edge.verdict.as_ref().map(Verdict::word), Some("established"), "{}", edge.sentence);
        assert!(edge.delta.is_some_and(|delta| (delta - 5.5).abs() < 1e-9));
    }
}

#[test]
fn a_repeat_that_differs_is_reported_and_adds_no_item() {
    let planned = plan(50, "");
    let records = records(&planned, |run, record| {
        answer(record, 0);
        if run.kind == ArmKind::Control {
            record.items[7].ids = Some(vec![12, 13]);
        }
    });
    let analysis = analyse(&planned, &records);
    let workload = &analysis.workloads[0];
    let baseline = workload.determinism.iter().find(|it| it.cell == planned.baseline).expect("repeated");
    assert_eq!((baseline.runs, baseline.items, baseline.differing), (2, 50, 1));
    assert_eq!(metric(&analysis, "quality").n, 50);
}

#[test]
fn reply_agreement_is_the_share_of_identical_ids() {
    let analysis = drop_of(50, 10, "");
    let of = |field: Field| {
        let edges = &analysis.workloads[0].agreement;
        edges.iter().filter(|edge| edge.field == field).map(|edge| edge.identical).collect::<Vec<_>>()
    };
    assert_eq!(of(Field::Quantization), [Some(40), Some(40)]);
    assert_eq!(of(Field::MaxTokens), [Some(50), Some(50)]);
}

#[test]
fn grouped_items_are_flipped_by_the_group() {
    let planned = plan(60, "");
    let records = records(&planned, |_, record| {
        let wrong = if is_small(record) { 30 } else { 0 };
        answer(record, wrong);
        for (n, item) in record.items.iter_mut().enumerate() {
            item.group = Some(format!("g{}", n % 4));
        }
    });
    let analysis = analyse(&planned, &records);
    for edge in metric(&analysis, "quality").edges.iter().filter(|edge| edge.field == Field::Quantization) {
        let reason = Reason::TooFewClusters { clusters: 4 };
        assert_eq!(edge.verdict, Some(Verdict::Unresolved { reason }));
    }
}
