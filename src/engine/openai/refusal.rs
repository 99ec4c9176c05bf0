//! Why a server refuses a request, in the plan's words.

use crate::engine::EngineError;
use crate::engine::http::HttpError;

/// Words in a server's refusal, the setting that they are about, and what to do.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("response_format", "json_schema", "take it out, or write a schema that the server takes"),
    ("json_schema", "json_schema", "take it out, or write a schema that the server takes"),
    ("json schema", "json_schema", "take it out, or write a schema that the server takes"),
    ("ebnf", "grammar", "mend the grammar, or use another server"),
    ("grammar", "grammar", "mend the grammar, or use another server"),
    ("ignore_eos", "ignore_eos", "take it out, and use no workload of a fixed length, or use another server"),
    ("min_tokens", "ignore_eos", "take it out, and use no workload of a fixed length, or use another server"),
    ("chat_template_kwargs", "thinking", "take it out, or name the model's files with `model_files`"),
    ("enable_thinking", "thinking", "take it out, or name the model's files with `model_files`"),
    ("reasoning_effort", "thinking_effort", "take it out, or use a grade that the server names"),
    ("thinking_token_budget", "thinking_budget", "take it out"),
    ("thinking_budget_tokens", "thinking_budget", "take it out"),
    (
        "context",
        "context_length",
        "start the server with a longer context, or shorten prompt or `max_tokens`",
    ),
    (
        "input length",
        "context_length",
        "start the server with a longer context, or shorten prompt or `max_tokens`",
    ),
    ("max_tokens", "max_tokens", "lower it"),
    ("top_k", "top_k", "take it out, or use another server"),
    ("top_p", "top_p", "take it out, or use another server"),
    ("temperature", "temperature", "set one that the server accepts"),
    ("seed", "seed", "set one that the server accepts"),
];

/// A refusal of what was asked for becomes an error about the setting; every other one stays as it is. `held` is the setting
/// that holds replies to something: servers turn a schema into a grammar, and may speak of either.
pub(in crate::engine) fn explained(error: HttpError, held: Option<&'static str>) -> EngineError {
    let HttpError::Status { status: 400 | 422, message, .. } = &error else { return error.into() };
    let said = message.to_lowercase();
    let mentioned = SETTINGS.iter().find(|(word, ..)| said.contains(word));
    let setting = mentioned.and_then(|(_, field, remedy)| match *field {
        "json_schema" | "grammar" => held
            .and_then(|held| SETTINGS.iter().find(|(_, field, _)| *field == held))
            .map(|(_, field, remedy)| (*field, *remedy)),
        other => Some((other, *remedy)),
    });
    match setting {
        Some((field, remedy)) => EngineError::Unsupported {
            field,
            problem: format!("the server refuses it: {}", error.without_remedy()),
            remedy: remedy.to_owned(),
        },
        None => error.into(),
    }
}
