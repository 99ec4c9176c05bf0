//! The decoder against itself: however a prompt is cut, cached or batched, the same logits come out.

use planrun::condition::{Settings, Stated};
use planrun::engine::CandleEngine;
use std::path::Path;

/// Rounding of f32 sums taken in another order.
const ROUNDING: f32 = 1e-3;

fn pico(chunk: u32) -> CandleEngine {
    let settings = Settings {
        model: Stated::Set("pico".to_owned()),
        quantization: Stated::Set("f32".to_owned()),
        prefill_chunk: Stated::Set(chunk),
        ..Settings::default()
    };
    CandleEngine::open(&settings, Path::new(".")).unwrap()
}

/// Tokens of ordinary text.
fn prompt(length: u32) -> Vec<u32> {
    (0..length).map(|at| 20 + at * 37 % 400).collect()
}

fn assert_near(one: &[f32], other: &[f32], what: &str) {
    let gap = one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(one.len() == other.len() && gap < ROUNDING, "{what}: logits differ by {gap}");
}

#[test]
fn logits_do_not_depend_on_the_size_of_a_chunk() {
    let prompt = prompt(100);
    let whole = pico(512).logits(&prompt).unwrap();
    for chunk in [1, 7, 64] {
        assert_near(&pico(chunk).logits(&prompt).unwrap(), &whole, &format!("chunks of {chunk}"));
    }
}

#[test]
fn a_cache_cut_back_and_extended_gives_the_logits_of_a_fresh_one() {
    let mut engine = pico(512);
    let (long, other) = (prompt(90), [prompt(40), prompt(25)].concat());
    let fresh = engine.logits(&other).unwrap();
    engine.logits(&long).unwrap();
    assert_near(&engine.logits_after(&long, &other).unwrap(), &fresh, "a shared prefix of 40");
    assert_near(&engine.logits_after(&other, &other).unwrap(), &fresh, "all but the last token");
}

#[test]
fn logits_after_each_token_are_those_of_the_prompts_that_end_there() {
    let mut engine = pico(16);
    let prompt = prompt(70);
    let mut each = Vec::new();
    engine.logits_after_each(&prompt, |index, logits| each.push((index, logits.to_vec()))).unwrap();
    assert_eq!(each.len(), prompt.len());
    for (index, logits) in each.iter().step_by(9) {
        assert_near(logits, &engine.logits(&prompt[..=*index]).unwrap(), &format!("after token {index}"));
    }
}

#[test]
fn sequences_in_one_pass_do_not_see_each_other() {
    let mut engine = pico(512);
    let prompts = [prompt(30), prompt(3), prompt(61)[5..].to_vec()];
    let parts: Vec<&[u32]> = prompts.iter().map(Vec::as_slice).collect();
    let together = engine.logits_together(&parts).unwrap();
    for (prompt, logits) in prompts.iter().zip(&together) {
        assert_near(logits, &engine.logits(prompt).unwrap(), &format!("{} tokens alone", prompt.len()));
    }
}
