//! No text makes planning panic, and every error has a remedy.

use crate::plan_cases::{GRID, QUALITY, TIMING, plan};
use planrun::plan::prepare_text;
use proptest::prelude::*;
use std::path::Path;

/// Pieces that a mutation may write into a plan.
const PIECES: &[&str] = &[
    "nan",
    "-1",
    "[]",
    "{}",
    "[[",
    "]]",
    "\"",
    "''",
    "1e999",
    "99999999999999999999",
    "1979-05-27",
    "true",
    "= =",
    "\n",
    "[grid]",
    "[[grid.exclude]]",
    "name = 3",
    "é",
    "\u{0}",
    "a.b.c = 1",
    "{ name = \"x\" }",
    "[[compare.pairs]]",
    "deployment",
];

fn survives(text: &str, overrides: &[String]) {
    if let Err(errors) = prepare_text(Path::new("fuzz.toml"), text, overrides, &planrun::engine::model_facts)
    {
        assert!(!errors.errors.is_empty(), "{text}");
        assert!(errors.errors.iter().all(|error| !error.remedy.is_empty()), "{errors}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_with_pieces_written_over_it_never_panics(
        cuts in prop::collection::vec((0.0_f64..1.0, 0_usize..12, 0_usize..PIECES.len()), 1..5),
    ) {
        let rest = format!("[[grid.exclude]]\nthinking = true\nmax_tokens = 16\n{TIMING}{QUALITY}[schedule]\nblocks = 2\n\
            [compare]\nbaseline = {{ max_tokens = 16 }}\npairs = \"all\"\nmargins = {{ ttft = 0.1 }}\n");
        let mut text = plan(GRID, &rest);
        for (at, length, piece) in cuts {
            let mut start = (at * text.len() as f64) as usize;
            while !text.is_char_boundary(start) { start -= 1; }
            let mut end = (start + length).min(text.len());
            while !text.is_char_boundary(end) { end += 1; }
            text.replace_range(start..end, PIECES[piece]);
        }
        survives(&text, &[]);
    }

    #[test]
    fn an_override_of_any_text_never_panics(key in "[a-z.]{0,24}", value in "\\PC{0,24}") {
        let text = plan(GRID, TIMING);
        survives(&text, &[format!("{key}={value}"), format!("settings.{key}={value}"), format!("grid.{key}=[{value}]")]);
    }

    #[test]
    fn any_text_at_all_never_panics(text in "(\\PC|\n){0,200}") {
        survives(&text, &[]);
    }
}
