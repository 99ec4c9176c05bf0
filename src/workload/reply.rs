//! A reply becomes an item.

use super::asked::Asked;
use crate::engine::EngineError;
use crate::fingerprint;
use crate::generation::Generation;
use crate::measure::{Item, Times};
use crate::task::{Scorer, final_answer};

/// What is kept of a generation, or of its failure; a failed item of a scored task scores 0.
pub(super) fn item(
    asked: &Asked<'_>,
    pass: u32,
    outcome: Result<Generation, EngineError>,
    scorer: Option<Scorer>,
) -> Item {
    let mut item = unanswered(asked, pass);
    match outcome {
        Ok(generation) => fill(&mut item, asked, generation),
        Err(error) => item.error = Some(error.to_string()),
    }
    item.score = scorer.zip(asked.task).and_then(|(scorer, task)| scorer.score(item.answer.as_deref(), task));
    item
}

/// The item of a request before anything came back.
pub(super) fn unanswered(asked: &Asked<'_>, pass: u32) -> Item {
    Item {
        id: asked.id.clone(),
        pass,
        group: asked.task.and_then(|task| task.group.clone()),
        prompt: fingerprint::short(&fingerprint::of_bytes(asked.request.prompt.text.as_bytes())).to_owned(),
        prompt_tokens: asked.request.prompt.ids.as_ref().map(|ids| ids.len() as u32),
        ..Item::default()
    }
}

fn fill(item: &mut Item, asked: &Asked<'_>, generation: Generation) {
    let times = Times::of(&generation);
    item.answer = final_answer(&generation.text, asked.opened).map(str::to_owned);
    item.prompt_tokens = generation.prompt_tokens.or(item.prompt_tokens);
    item.cached_tokens = generation.cached_tokens;
    item.reply_tokens = generation.tokens;
    item.stop = Some(generation.stop);
    item.ttft_s = times.ttft;
    item.ttfo_s = times.ttfo;
    item.prefill_s = times.prefill;
    item.decode_tokens = times.decode_tokens;
    item.decode_s = times.decode;
    item.full_s = times.full;
    item.itl_s = times.itl;
    item.itl_max_s = times.itl_max;
    item.icl_s = times.icl;
    item.drafted = generation.speculation.map(|counts| counts.drafted);
    item.accepted = generation.speculation.map(|counts| counts.accepted);
    item.steps = generation.times.compute.map(|compute| compute.steps);
    item.compute_s = generation.times.compute.map(|compute| compute.seconds);
    item.ids = generation.ids;
    item.text = generation.text;
}
