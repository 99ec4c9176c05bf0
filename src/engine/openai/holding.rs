//! How servers are asked to hold replies to a schema or a grammar: the interface has a field for schemas in conversations, and
//! every server one of its own for the rest.

use super::dialect::Dialect;
use crate::engine::EngineError;
use crate::engine::outside::{Constraint, Fields};
use serde_json::{Value, json};

/// A name that the interface wants for a schema; it decides nothing.
const NAME: &str = "reply";
/// vLLM's own field.
const STRUCTURED_OUTPUTS: &str = "structured_outputs";

/// The fields that a kind of server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Holding {
    /// `response_format` in conversations, and nothing else that is known
    /// (<https://platform.openai.com/docs/guides/structured-outputs>).
    Conversations,
    /// `json_schema` beside a raw prompt, and `grammar` in GBNF
    /// (<https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>).
    LlamaServer,
    /// `structured_outputs`, since vLLM 0.11 (<https://docs.vllm.ai/en/latest/features/structured_outputs/>).
    StructuredOutputs,
    /// `response_format` everywhere, and `ebnf` (<https://docs.sglang.io/advanced_features/structured_outputs.html>).
    Ebnf,
    /// `response_format` with the schema as a text, everywhere (MLC-LLM, `protocol/openai_api_protocol.py`).
    SchemaAsText,
}

/// The fields for what replies are held to; `raw` for prompts that are rendered here.
///
/// # Errors
/// When no field of such a server is known for it.
pub(super) fn fields(dialect: &Dialect, constraint: &Constraint, raw: bool) -> Result<Fields, EngineError> {
    let (field, value) = match constraint {
        Constraint::Schema(schema) => of_schema(dialect.holds, &schema.document, raw),
        Constraint::Grammar(grammar) => of_grammar(dialect.holds, &grammar.text),
    }
    .ok_or_else(|| no_field(dialect, constraint, raw))?;
    Ok(Fields::from_iter([(field.to_owned(), value)]))
}

/// `structured_outputs` is not in vLLM before 0.11, which passes over what it does not know; so does every later one with the
/// names that it had before.
///
/// # Errors
/// Where the server of this version would pass the fields over.
pub(super) fn check_version(held: &Fields, version: Option<&str>) -> Result<(), EngineError> {
    let Some(outputs) = held.get(STRUCTURED_OUTPUTS) else { return Ok(()) };
    let Some(version) = version.filter(|version| is_before_0_11(version)) else { return Ok(()) };
    let field = if outputs.get("grammar").is_some() { "grammar" } else { "json_schema" };
    Err(EngineError::Unsupported {
        field,
        problem: format!("vLLM {version} has no `{STRUCTURED_OUTPUTS}`, and would pass it over in silence"),
        remedy: "use vLLM 0.11 or later, or take it out".to_owned(),
    })
}

fn is_before_0_11(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
    let (major, minor) = (numbers.next().flatten(), numbers.next().flatten());
    major == Some(0) && minor.is_some_and(|minor| minor < 11)
}

fn of_schema(holds: Holding, schema: &Value, raw: bool) -> Option<(&'static str, Value)> {
    let format = json!({
        "type": "json_schema", "json_schema": { "name": NAME, "schema": schema, "strict": true },
    });
    match holds {
        Holding::Conversations if raw => None,
        Holding::LlamaServer if raw => Some(("json_schema", schema.clone())),
        Holding::StructuredOutputs if raw => Some((STRUCTURED_OUTPUTS, json!({ "json": schema }))),
        Holding::SchemaAsText => {
            Some(("response_format", json!({ "type": "json_object", "schema": schema.to_string() })))
        }
        _ => Some(("response_format", format)),
    }
}

fn of_grammar(holds: Holding, grammar: &str) -> Option<(&'static str, Value)> {
    match holds {
        Holding::LlamaServer => Some(("grammar", grammar.into())),
        Holding::StructuredOutputs => Some((STRUCTURED_OUTPUTS, json!({ "grammar": grammar }))),
        Holding::Ebnf => Some(("ebnf", grammar.into())),
        Holding::Conversations | Holding::SchemaAsText => None,
    }
}

fn no_field(dialect: &Dialect, constraint: &Constraint, raw: bool) -> EngineError {
    let path = if raw { "/v1/completions" } else { "/v1/chat/completions" };
    let field = constraint.setting();
    let or = match constraint {
        Constraint::Schema(_) => "take `model_files` out, which makes prompts go to /v1/chat/completions",
        Constraint::Grammar(_) => "take it out",
    };
    EngineError::Unsupported {
        field,
        problem: format!(
            "no field of {path} is known on servers of the kind `{}` that holds replies to it",
            dialect.name
        ),
        remedy: format!("{or}, or use vLLM, SGLang or llama-server"),
    }
}
