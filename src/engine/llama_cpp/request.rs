//! The body of `POST /completion`.
//!
//! Fields: <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>. Every sampler that can be named is, and
//! those that the plan does not know are neutral.

use crate::engine::outside::{Constraint, Fields};
use crate::generation::{Request, Sampling};
use serde_json::{Map, Value, json};

/// What to send; `ids` are the prompt, `reuse` lets the server take its beginning from the last prompt's cache, `held` are the
/// fields that replies are held by.
pub(super) fn body(request: &Request, ids: &[u32], reuse: bool, held: &Fields) -> Value {
    let mut body = json!({
        "prompt": ids,
        "n_predict": request.max_tokens.max(1),
        "ignore_eos": request.ignore_eos,
        "cache_prompt": reuse,
        "n_cache_reuse": 0,
        "stream": true,
        "return_tokens": true,
        "timings_per_token": false,
        "return_progress": false,
        "n_probs": 0,
        "stop": [],
    });
    if let Value::Object(fields) = &mut body {
        fields.extend(sampling(&request.sampling));
        fields.extend(held.clone());
    }
    body
}

/// `json_schema` or `grammar` (GBNF); both act from the first token of the reply on.
pub(super) fn held(constraint: &Constraint) -> Fields {
    let value = match constraint {
        Constraint::Schema(schema) => schema.document.clone(),
        Constraint::Grammar(grammar) => grammar.text.clone().into(),
    };
    Fields::from_iter([(constraint.setting().to_owned(), value)])
}

/// Temperature comes before the cuts, as in the in-process engine and in transformers; llama.cpp's own order is the other way
/// round. Greedy is temperature 0, and one candidate is all that it needs.
fn sampling(sampling: &Sampling) -> Map<String, Value> {
    let greedy = sampling.temperature <= 0.0;
    let samplers: &[&str] =
        if greedy { &["top_k", "temperature"] } else { &["temperature", "top_k", "top_p"] };
    let top_k = if greedy { 1 } else { sampling.top_k.unwrap_or(0) };
    let fields = json!({
        "samplers": samplers,
        "temperature": sampling.temperature.max(0.0),
        "top_k": top_k,
        "top_p": sampling.top_p.filter(|_| !greedy).unwrap_or(1.0),
        // The largest 32-bit number asks for a random seed.
        "seed": sampling.seed % u64::from(u32::MAX),
        "min_p": 0.0,
        "typical_p": 1.0,
        "top_n_sigma": -1.0,
        "xtc_probability": 0.0,
        "dynatemp_range": 0.0,
        "mirostat": 0,
        "repeat_penalty": 1.0,
        "repeat_last_n": 0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "dry_multiplier": 0.0,
        "min_keep": 0,
        "backend_sampling": false,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
