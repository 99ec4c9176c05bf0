//! The log-likelihoods of a task's options become an item.

use super::asked::Asked;
use super::reply::unanswered;
use crate::engine::{Engine, EngineError};
use crate::generation::{Continuation, LogLikelihoods};
use crate::measure::{ChoiceLikelihood, Item};
use crate::task::{Scorer, characters};

/// Asks for the log-likelihood of every option and keeps what each got and which the scorer prefers. A failed item of a
/// scored task scores 0.
pub(super) fn item(engine: &mut dyn Engine, asked: &Asked<'_>, pass: u32, scorer: Scorer) -> Item {
    let mut item = unanswered(asked, pass);
    let Some(task) = asked.task else { return item };
    let texts = scorer.continuations(task);
    match read(engine, asked, &texts) {
        Ok(read) => fill(&mut item, scorer, &texts, &read),
        Err(error) => item.error = Some(error.to_string()),
    }
    item.score = scorer.score(item.answer.as_deref(), task);
    item
}

/// One space stands between a prompt and an option, as `target_delimiter` of lm-evaluation-harness has it by default; none
/// after a chat template, where the option begins the assistant's turn, or where the prompt ends in white space.
fn read(engine: &mut dyn Engine, asked: &Asked<'_>, texts: &[String]) -> Result<LogLikelihoods, EngineError> {
    let prompt = &asked.request.prompt;
    let framed = engine.observed().chat_template.get().is_some();
    let space = if framed || prompt.text.ends_with(char::is_whitespace) { "" } else { " " };
    let continuations: Vec<String> = texts.iter().map(|text| format!("{space}{text}")).collect();
    engine.log_likelihoods(prompt, &continuations)
}

fn fill(item: &mut Item, scorer: Scorer, texts: &[String], read: &LogLikelihoods) {
    let sums: Vec<f64> = read.continuations.iter().map(Continuation::log_likelihood).collect();
    let chosen = scorer.preferred(texts, &sums);
    let choice = |(text, one): (&String, &Continuation)| ChoiceLikelihood {
        log_likelihood: one.log_likelihood(),
        tokens: one.tokens.len() as u32,
        characters: characters(text) as u32,
        greedy: one.is_greedy(),
    };
    item.choices = Some(texts.iter().zip(&read.continuations).map(choice).collect());
    item.chosen = chosen.map(|index| index as u32);
    item.answer = chosen.and_then(|index| texts.get(index)).cloned();
    item.prompt_tokens = Some(read.context_tokens);
    item.cached_tokens = read.cached_tokens;
    item.read_s = Some(read.seconds);
}

/// Why likelihoods say nothing about answers: a prompt ends inside a reasoning, where no answer can stand.
pub(super) fn inside_reasoning(measured: &[Asked<'_>]) -> Option<String> {
    let opened = measured.iter().find(|asked| asked.opened)?;
    Some(format!(
        "the rendered prompt of task {} opens a reasoning, and the scorer reads the answer right after the prompt; use a \
         scorer of generated replies, or switch thinking off",
        opened.id
    ))
}
