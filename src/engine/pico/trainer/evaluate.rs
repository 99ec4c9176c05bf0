//! Held-out accuracy of the model, with greedy replies from the trainer's own decoder.

use std::path::Path;

use candle_core::{Device, IndexOp, Result as TensorResult};

use super::model::{Cache, Model};
use super::parameters::Parameters;
use super::run::TrainError;
use crate::engine::pico::tasks::{Family, Sample, TaskItem};
use crate::engine::pico::{Dialogue, Encoder, Shape, assets};

/// Longest sequence, prompt and reply together.
const POSITIONS: usize = 4096;

/// How one family was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyScore {
    /// The family's name.
    pub family: String,
    /// Items asked in each mode.
    pub asked: usize,
    /// Right answers without and with thinking.
    pub right: [usize; 2],
    /// Reply tokens without and with thinking, summed over the items.
    pub reply_tokens: [usize; 2],
    /// Replies that reached the token limit, without and with thinking.
    pub capped: [usize; 2],
}

/// Answers `items` in both modes, greedily, with at most `max_tokens` reply tokens.
///
/// `checkpoint` is a checkpoint of the trainer; without one the embedded model answers.
pub fn evaluate(
    checkpoint: Option<&Path>,
    items: &[TaskItem],
    max_tokens: usize,
) -> Result<Vec<FamilyScore>, TrainError> {
    let shape = Shape::PICO;
    let tensors = match checkpoint {
        Some(path) => candle_core::safetensors::load(path, &Device::Cpu)?,
        None => candle_core::safetensors::load_buffer(assets().weights, &Device::Cpu)?,
    };
    let tokenizer = match checkpoint.map(|path| path.with_file_name("tokenizer.json")) {
        Some(path) => tokenizers::Tokenizer::from_file(path)?,
        None => tokenizers::Tokenizer::from_bytes(assets().tokenizer)?,
    };
    let parameters = Parameters::from_tensors(&shape, &tensors)?;
    let model = Model::new(shape, &parameters, POSITIONS)?;
    score(&model, &Encoder::new(tokenizer), items, max_tokens)
}

/// Answers `items` with a model; families keep the order of the items.
pub(super) fn score(
    model: &Model,
    encoder: &Encoder,
    items: &[TaskItem],
    max_tokens: usize,
) -> Result<Vec<FamilyScore>, TrainError> {
    let mut scores: Vec<FamilyScore> = Vec::new();
    for item in items {
        let at = scores.iter().position(|score| score.family == item.family()).unwrap_or_else(|| {
            let family = item.family().to_owned();
            scores.push(FamilyScore {
                family,
                asked: 0,
                right: [0; 2],
                reply_tokens: [0; 2],
                capped: [0; 2],
            });
            scores.len() - 1
        });
        let score = &mut scores[at];
        score.asked += 1;
        for (mode, thinking) in [false, true].into_iter().enumerate() {
            let reply = reply(model, encoder, &item.prompt, thinking, max_tokens)?;
            let text = encoder.tokenizer().decode(&reply, false)?;
            score.right[mode] += usize::from(final_answer(&text, thinking) == Some(item.expected.as_str()));
            score.reply_tokens[mode] += reply.len();
            score.capped[mode] += usize::from(reply.len() == max_tokens);
        }
    }
    Ok(scores)
}

/// What follows the thinking block, without the end of the turn; None when a trace was not finished.
fn final_answer(reply: &str, thinking: bool) -> Option<&str> {
    let answer = if thinking { reply.split_once("</think>")?.1 } else { reply };
    Some(answer.trim_end_matches("<|im_end|>").trim())
}

/// Greedy reply to a user prompt, the end of the turn included.
fn reply(
    model: &Model,
    encoder: &Encoder,
    user: &str,
    thinking: bool,
    max_tokens: usize,
) -> Result<Vec<u32>, TrainError> {
    let sample = Sample::plain(Family::Tool, user.to_owned(), String::new(), String::new());
    let prompt = encoder.text(&Dialogue::new(&sample, thinking).parts[0].text)?;
    let end = encoder.tokenizer().token_to_id("<|im_end|>");
    let mut cache = Cache::default();
    let mut token = next_token(model, &prompt, &mut cache)?;
    let mut reply = vec![token];
    while reply.len() < max_tokens && Some(token) != end {
        token = next_token(model, &[token], &mut cache)?;
        reply.push(token);
    }
    Ok(reply)
}

fn next_token(model: &Model, ids: &[u32], cache: &mut Cache) -> TensorResult<u32> {
    let last = [ids.len() as u32 - 1];
    model.logits(ids, 1, &last, Some(cache))?.i(0)?.argmax(0)?.to_scalar()
}
