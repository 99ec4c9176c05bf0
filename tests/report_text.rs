//! The report as text: the same bytes every time, nothing missing, and no sentence that can be misquoted.

use crate::report_case::{analysis, bounds};
use crate::report_frame::frame;
use planrun::compare::{Agreement, Analysis, Determinism, Placebo, Reason, Split, SplitGroup, Verdict};
use planrun::condition::Field;
use planrun::report::{Frame, Rendered, render};
use serde_json::Value;
use std::path::Path;

fn rendered(analysis: &Analysis) -> Rendered {
    render(&frame(), analysis).unwrap()
}

/// The summary of `report.json`: what stands above the fold.
fn first_screen(analysis: &Analysis) -> String {
    let json: Value = serde_json::from_str(&rendered(analysis).json).unwrap();
    json["summary"].to_string()
}

#[test]
fn rendering_twice_gives_the_same_bytes() {
    let once = rendered(&analysis());
    assert_eq!(once, rendered(&analysis()));
    // Kept for a look at it.
    once.write_to(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("report")).unwrap();
}

#[test]
fn a_report_that_was_written_is_what_its_analysis_gives() {
    let folder = tempfile::tempdir().unwrap();
    let report = rendered(&analysis());
    report.write_to(folder.path()).unwrap();
    assert!(report.differing(folder.path()).is_empty());
    std::fs::write(folder.path().join("report.md"), "changed").unwrap();
    assert_eq!(report.differing(folder.path()), ["report.md"]);
}

#[test]
fn every_answer_names_metric_direction_interval_and_pairs() {
    let screen = first_screen(&analysis());
    let sentence = "Decoding speed is 35.1\u{a0}% higher (better) with quantization=q8_0 than with f32; \
                    95\u{a0}% simultaneous interval +34.4\u{a0}to\u{a0}+35.8\u{a0}%, mean over 4 pairs of cells";
    assert!(screen.contains(sentence), "{screen}");
}

#[test]
fn edges_that_disagree_give_no_number_to_quote_but_their_cases() {
    let screen = first_screen(&analysis());
    assert!(screen.contains(
        "The 6 pairs of cells of thinking false \u{2192} true disagree on the share of correct answers, so no single \
         number holds, and no single other factor explains it:"
    ));
    assert!(screen.contains("3 of 6 pairs: \u{2212}28.0\u{a0}points (all 3 established)"), "{screen}");
}

#[test]
fn whether_guessing_ahead_left_replies_as_they_were_is_told_where_only_times_are_judged() {
    let mut analysis = analysis();
    let pair =
        Agreement { before: 0, after: 1, field: Field::Engine, identical: Some(3), items: 4, reason: None };
    for workload in &mut analysis.workloads {
        workload.quality = false;
        workload.agreement = vec![pair.clone()];
    }
    assert!(!rendered(&analysis).markdown.contains("## Reply agreement"));
    analysis.workloads[0].agreement[0].field = Field::Speculation;
    let text = rendered(&analysis).markdown;
    assert!(text.contains("## Reply agreement") && text.contains("| 3/4 (75"), "{text}");
}

#[test]
fn a_factor_that_the_disagreement_hangs_on_gives_the_cases() {
    let mut analysis = analysis();
    let quality = &mut analysis.workloads[0].metrics[1];
    let thinking = quality.factors.iter_mut().find(|finding| finding.withheld).unwrap();
    let (short, long) = thinking
        .parallel
        .iter()
        .partition(|&&place| quality.edges[place as usize].at.ends_with("max_tokens=16"));
    let group = |level: &str, edges| SplitGroup { levels: vec![level.into()], edges };
    let groups = vec![group("16", short), group("64", long)];
    thinking.split = Some(Split { by: "max_tokens".into(), groups });
    let screen = first_screen(&analysis);
    assert!(screen.contains("depends on max_tokens, so no single number holds:"), "{screen}");
    assert!(screen.contains("with max_tokens 64: +35.5\u{a0}points (all 3 established)"), "{screen}");
}

#[test]
fn what_is_not_established_is_told_with_estimate_direction_and_interval() {
    let screen = first_screen(&analysis());
    assert!(screen.contains(
        "Decoding speed is estimated 0.1\u{a0}% higher (better) with max_tokens=64 than with 16, but this is not \
         established: the 95\u{a0}% simultaneous interval runs from 0.4\u{a0}% lower to 0.6\u{a0}% higher, so up to \
         0.6\u{a0}% is not ruled out"
    ));
}

#[test]
fn an_estimate_beyond_its_floor_is_undecided_and_not_within_noise() {
    let mut analysis = analysis();
    let step = analysis.workloads[0].metrics[0].factors.last_mut().unwrap();
    let Some(Verdict::WithinNoise { beyond_floor, .. }) = &mut step.verdict else { panic!("{step:?}") };
    *beyond_floor = true;
    let markdown = rendered(&analysis).markdown;
    assert!(markdown.contains("- **undecided**: Decoding speed is estimated"), "{markdown}");
}

#[test]
fn a_change_beyond_the_double_is_a_multiple() {
    let mut analysis = analysis();
    let step = &mut analysis.workloads[0].metrics[0].factors[0];
    (step.delta, step.interval, step.edges) = (Some(254.0), Some(bounds(167.0, 371.0)), 1);
    let screen = first_screen(&analysis);
    let sentence = "Decoding speed with quantization=q8_0 is 3.5\u{a0}times that with f32 (better; 212.0 \u{2192} 286.4\u{a0}tokens/s); \
                    95\u{a0}% simultaneous interval 2.7\u{a0}to\u{a0}4.7\u{a0}times";
    assert!(screen.contains(sentence), "{screen}");
}

#[test]
fn a_reply_repeated_by_greedy_decoding_is_a_check_of_determinism() {
    let mut analysis = analysis();
    let workload = &mut analysis.workloads[0];
    workload.once = true;
    workload.determinism =
        vec![Determinism { cell: 0, runs: 2, items: 200, differing: 0, by_likelihood: false }];
    let interval = bounds(-2.5, 2.5);
    workload.metrics[1].placebo = Some(Placebo { cell: 0, delta: 0.0, interval, p: 1.0, failed: false });
    let screen = first_screen(&analysis);
    assert!(screen.contains("200 replies were the same tokens twice"), "{screen}");
    assert!(screen.contains("checks determinism, not noise"));
}

#[test]
fn a_failed_placebo_stands_on_the_first_screen() {
    let mut analysis = analysis();
    let metric = &mut analysis.workloads[0].metrics[0];
    metric.placebo.as_mut().unwrap().failed = true;
    for factor in &mut metric.factors {
        factor.verdict = Some(Verdict::Unresolved { reason: Reason::PlaceboFailed });
    }
    let screen = first_screen(&analysis);
    assert!(screen.contains("PLACEBO FAILED"));
    assert!(screen.contains("no verdict, placebo failed"));
}

#[test]
fn weights_that_were_rounded_twice_are_told_on_the_first_screen() {
    let mut analysis = analysis();
    assert!(!first_screen(&analysis).contains("Requantized"));
    for cell in &mut analysis.cells {
        for shown in cell.condition.iter_mut().filter(|shown| shown.field == Field::Quantization) {
            shown.value = match shown.value.as_str() {
                "f32" => "q4_1".to_owned(),
                coarser => format!("{coarser} requantized from q4_1"),
            };
        }
    }
    let told = "Made here of weights that stood in q4_1 already: q4_0 and q8_0";
    assert!(first_screen(&analysis).contains(told), "{}", first_screen(&analysis));
}

#[test]
fn what_was_not_measured_says_so_and_why() {
    let report = rendered(&analysis());
    assert!(
        report.markdown.contains("| energy per token (energy_per_token) | not measured: no power meter |")
    );
    assert!(report.html.contains("not measured: no power meter"));
}

#[test]
fn json_has_null_and_never_nan() {
    let mut analysis = analysis();
    analysis.workloads[0].metrics[0].edges[0].delta = Some(f64::NAN);
    let json = rendered(&analysis).json;
    assert!(!json.contains("NaN"));
    let parsed: Value = serde_json::from_str(&json).unwrap();
    assert!(parsed["analysis"]["workloads"][0]["metrics"][0]["edges"][0]["delta"].is_null());
}

#[test]
fn a_long_table_is_cut_and_says_how_much_is_left_out() {
    let mut analysis = analysis();
    let edges = &mut analysis.workloads[0].metrics[0].edges;
    *edges = edges.iter().cycle().take(140).cloned().collect();
    let report = rendered(&analysis);
    assert!(report.markdown.contains("and 40 more, in `report.json`"));
    assert!(report.html.contains("and 40 more, in report.json"));
}

#[test]
fn the_markdown_names_the_pictures_that_are_written() {
    let report = rendered(&analysis());
    assert!(report.figures.len() >= 5);
    for figure in &report.figures {
        assert!(report.markdown.contains(&format!("](figures/{})", figure.file)), "{}", figure.file);
    }
}

#[test]
fn the_first_screen_reads_as_agreed() {
    let markdown = rendered(&analysis()).markdown;
    let screen = markdown.split("\n## ").next().unwrap();
    insta::assert_snapshot!(screen);
}

#[test]
fn servers_of_others_are_told_once_on_the_first_screen() {
    let mut analysis = analysis();
    assert!(!first_screen(&analysis).contains("inference servers"));
    analysis.workloads[0].beside =
        ["llama-server, pid 4711", "ollama, pid 12", "llama-server, pid 13"].map(str::to_owned).to_vec();
    let screen = first_screen(&analysis);
    let sentence =
        "Other inference servers ran on this machine while it measured (llama-server and ollama): ";
    assert_eq!(screen.matches(sentence).count(), 1, "{screen}");
}

#[test]
fn the_plan_is_run_again_with_its_own_path_and_the_leave_that_it_needs() {
    let again = |frame: &Frame| render(frame, &analysis()).unwrap().markdown;
    assert!(again(&frame()).contains("planrun run plans/made-up.toml\n"));
    let frame = Frame {
        file: Some("my plans/x.toml".into()),
        leave: vec!["--allow-exec".into()],
        overrides: vec!["settings.max_tokens=64".into()],
        ..frame()
    };
    let text = again(&frame);
    let plan = "'my plans/x.toml' --set settings.max_tokens=64";
    assert!(text.contains(&format!("planrun run {plan} --allow-exec\n")), "{text}");
    assert!(text.contains(&format!("planrun check {plan}\n")), "{text}");
}
