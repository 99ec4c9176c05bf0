//! The report as text: the same bytes every time, nothing missing, and no sentence that can be misquoted.

use crate::report_case::{analysis, frame};
use planrun::compare::{Analysis, Reason, Verdict};
use planrun::report::{Rendered, render};
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
fn every_answer_names_metric_direction_interval_and_edges() {
    let screen = first_screen(&analysis());
    let sentence = "Decoding speed is 35.1\u{a0}% higher (better) with quantization=q8_0 than with f32; \
                    95\u{a0}% simultaneous interval +34.4\u{a0}to\u{a0}+35.8\u{a0}%, mean of 4 edges";
    assert!(screen.contains(sentence), "{screen}");
}

#[test]
fn edges_that_disagree_give_no_number_to_quote() {
    let screen = first_screen(&analysis());
    assert!(
        screen.contains("The 6 edges of thinking false \u{2192} true disagree on share of correct answers")
    );
    assert!(screen.contains("read the edges"));
}

#[test]
fn no_difference_shown_says_how_large_it_may_be() {
    let screen = first_screen(&analysis());
    assert!(screen.contains("No difference shown in decoding speed for max_tokens 16 \u{2192} 64; up to 0.6\u{a0}% is not ruled out"));
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
