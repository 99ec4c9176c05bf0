//! The thinking switch: what the prompts say, and whether prompts and replies agree with what was asked.

use super::asked::Asked;
use crate::condition::Stated;
use crate::engine::{Engine, Flag, flag_in, said_by};
use crate::generation::{Message, Prompt, Role};
use crate::measure::Item;
use crate::task::wrote_thinking;

/// What a prompt says about thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Says {
    /// What counts in the end; `None` if nothing tells.
    thinking: Option<bool>,
    /// A word in the messages that asks for it or against it.
    flag: Option<Flag>,
}

/// Reads a rendered prompt: by the marks in it, else by a flag in its messages, else by comparing it with its own renders
/// under the switch on and off.
pub(super) fn says(engine: &dyn Engine, messages: &[Message], prompt: &Prompt) -> Says {
    let marked = said_by(&prompt.text);
    if !engine.has_thinking_switch() {
        return Says { thinking: marked, flag: None };
    }
    let flag = flag_in(messages);
    let flagged = marked.or(flag.map(|flag| flag.thinking));
    Says { thinking: flagged.or_else(|| compared(engine, messages, prompt)), flag }
}

fn compared(engine: &dyn Engine, messages: &[Message], prompt: &Prompt) -> Option<bool> {
    let same = |thinking: bool| {
        engine.render(messages, Stated::Set(thinking)).is_ok_and(|other| other.text == prompt.text)
    };
    match (same(true), same(false)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        // The switch does not act on this prompt, or the prompt is neither render.
        _ => None,
    }
}

/// Whether the rendered prompts ask for thinking: unset without a switch or a conversation, unknown where they disagree.
pub(super) fn rendered(engine: &dyn Engine, measured: &[Asked<'_>]) -> Stated<bool> {
    let mut said = measured.iter().filter(|asked| asked.task.is_some()).map(|asked| asked.says.thinking);
    match said.next() {
        None => Stated::Unset,
        Some(_) if !engine.has_thinking_switch() => Stated::Unset,
        Some(Some(first)) if said.all(|one| one == Some(first)) => Stated::Set(first),
        Some(_) => Stated::Unknown,
    }
}

/// A warning where some prompts ask for thinking and others against it.
pub(super) fn disagreement(measured: &[Asked<'_>]) -> Option<String> {
    let first = |wanted: bool| measured.iter().find(|asked| asked.says.thinking == Some(wanted));
    let (on, off) = (first(true)?, first(false)?);
    Some(format!(
        "the prompts disagree about thinking: task {} asks for it, task {} against it",
        on.id, off.id
    ))
}

/// Why the run contradicts the asked thinking mode. First the prompts: a flag slipped into a message, or a template that
/// says something else. Then the replies: one thinks although it is off, or none does although it is on.
pub(super) fn contradiction(
    thinking: Stated<bool>,
    switch: bool,
    measured: &[Asked<'_>],
    items: &[Item],
) -> Option<String> {
    let wanted = *thinking.get()?;
    in_prompts(wanted, measured).or_else(|| in_replies(wanted, switch, measured, items))
}

fn in_prompts(wanted: bool, measured: &[Asked<'_>]) -> Option<String> {
    let flagged = measured.iter().find_map(|asked| {
        let flag = asked.says.flag.filter(|flag| flag.thinking != wanted)?;
        let place = if flag.role == Role::System { "system prompt" } else { "question" };
        Some(format!(
            "thinking is {wanted}, but the {place} of task {} holds `{}`; take it out, or set `thinking = {}`",
            asked.id, flag.word, flag.thinking
        ))
    });
    let rendered = || {
        let other = measured.iter().find(|asked| asked.says.thinking == Some(!wanted))?;
        let does = if wanted { "switches it off" } else { "switches it on" };
        Some(format!(
            "thinking is {wanted}, but the rendered prompt of task {} {does}; see it with `planrun render`",
            other.id
        ))
    };
    flagged.or_else(rendered)
}

fn in_replies(wanted: bool, switch: bool, measured: &[Asked<'_>], items: &[Item]) -> Option<String> {
    let opened = |item: &Item| measured.iter().any(|asked| asked.id == item.id && asked.opened);
    let thinks = |item: &&Item| wrote_thinking(&item.text, opened(item));
    let replies = || items.iter().filter(|item| item.error.is_none());
    if wanted {
        let ignored = switch && replies().find(thinks).is_none();
        return ignored.then(|| "thinking is true, but no reply thinks: the mode was ignored".into());
    }
    replies().find(thinks).map(|item| {
        format!("thinking is false, but the reply to task {} holds a <think> that the model wrote", item.id)
    })
}
