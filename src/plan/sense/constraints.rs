//! Settings that contradict a schema or a grammar which replies are held to.

use super::stated::Complaint;
use crate::abilities::EngineKind;
use crate::condition::Settings;

/// What is wrong with a cell whose replies are held to something.
pub(super) fn complaints(settings: &Settings, engine: EngineKind) -> Vec<Complaint> {
    let held = match (settings.json_schema.get(), settings.grammar.get()) {
        (None, None) => return Vec::new(),
        (Some(_), _) => "json_schema",
        (None, Some(_)) => "grammar",
    };
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
            engine == EngineKind::LlamaCpp && settings.thinking.get() == Some(&true),
            format!(
                "engine `llama_cpp` holds a reply to `{held}` from its first token on, so nothing can be thought"
            ),
            "set `thinking = false`, or ask the server through engine `openai` without `model_files`",
        ),
    ];
    let found = wrong.into_iter().filter(|(_, holds, ..)| *holds);
    found.map(|(key, _, problem, remedy)| Complaint { key, problem, remedy: remedy.to_owned() }).collect()
}
