//! Settings that contradict a schema or a grammar which replies are held to.

use super::stated::Complaint;
use crate::abilities::{Abilities, ModelName};
use crate::condition::Settings;

/// What is wrong with a cell whose replies are held to something.
pub(super) fn complaints(settings: &Settings, able: &Abilities) -> Vec<Complaint> {
    let held = match (settings.json_schema.get(), settings.grammar.get()) {
        (None, None) => return Vec::new(),
        (Some(_), _) => "json_schema",
        (None, Some(_)) => "grammar",
    };
    // A server that renders knows where the reasoning ends.
    let is_raw = able.model == ModelName::Files || settings.model_files.get().is_some();
    let wrong = [
        (
            "grammar",
            held == "json_schema" && settings.grammar.get().is_some(),
            "`json_schema` and `grammar` both hold the replies of this cell".to_owned(),
            "take one of them out",
        ),
        (
            "ignore_eos",
            settings.ignore_eos.get() == Some(&true),
            format!("`ignore_eos` goes on after the end that `{held}` gives a reply"),
            "take `ignore_eos` out",
        ),
        (
            "thinking",
            is_raw && settings.thinking.get() == Some(&true),
            format!(
                "engine `{}` holds the reply to a prompt that is written here to `{held}` from its first token on, so nothing \
                 can be thought",
                able.name
            ),
            "set `thinking = false`, or ask the server through engine `openai` without `model_files`",
        ),
    ];
    let found = wrong.into_iter().filter(|(_, holds, ..)| *holds);
    found.map(|(key, _, problem, remedy)| Complaint { key, problem, remedy: remedy.to_owned() }).collect()
}
