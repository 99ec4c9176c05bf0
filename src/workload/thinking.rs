//! The thinking switch: what the rendered prompts ask for, and whether the replies obey.

use super::asked::{Asked, conversation};
use super::job::Job;
use crate::condition::Stated;
use crate::engine::Engine;
use crate::measure::Item;
use crate::task::wrote_thinking;

/// Whether the rendered prompts ask for thinking: the first is compared with its own renders under the switch on and off.
pub(super) fn rendered(engine: &dyn Engine, job: &Job<'_>, measured: &[Asked<'_>]) -> Stated<bool> {
    let Some((first, task)) = measured.first().and_then(|asked| Some((asked, asked.task?))) else {
        return Stated::Unset;
    };
    if !engine.has_thinking_switch() {
        return Stated::Unset;
    }
    let Ok(messages) = conversation(job).messages(task) else { return Stated::Unknown };
    let same = |thinking: bool| {
        engine
            .render(&messages, Stated::Set(thinking))
            .is_ok_and(|prompt| prompt.text == first.request.prompt.text)
    };
    match (same(true), same(false)) {
        (true, false) => Stated::Set(true),
        (false, true) => Stated::Set(false),
        // The switch does not act on this prompt, or the prompt is neither render.
        _ => Stated::Unknown,
    }
}

/// Why the replies contradict the asked thinking mode: one thinks although it is off, or none does although it is on.
pub(super) fn contradiction(
    thinking: Stated<bool>,
    switch: bool,
    measured: &[Asked<'_>],
    items: &[Item],
) -> Option<String> {
    let opened = |item: &Item| measured.iter().any(|asked| asked.id == item.id && asked.opened);
    let thinks = |item: &&Item| wrote_thinking(&item.text, opened(item));
    let replies = || items.iter().filter(|item| item.error.is_none());
    match thinking {
        Stated::Set(false) => replies().find(thinks).map(|item| {
            format!(
                "thinking is false, but the reply to task {} holds a <think> that the model wrote",
                item.id
            )
        }),
        Stated::Set(true) if switch && replies().find(thinks).is_none() => {
            Some("thinking is true, but no reply thinks: the mode was ignored".into())
        }
        _ => None,
    }
}
