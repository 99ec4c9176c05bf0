//! In what servers with the interface of OpenAI differ: fields beyond it, and what they mean by leaving one out.

use super::holding::Holding;
use serde_json::{Value, json};

/// How a server is told to go on after an end-of-sequence token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::engine) enum GoOn {
    /// `ignore_eos`, and `min_tokens` beside it.
    IgnoreEos,
    /// `debug_config.ignore_eos` (MLC-LLM, started with `--enable-debug`).
    Debug,
    /// A bias against the tokens that end a reply (MLX-LM, which has no field for it).
    Bias(Vec<u32>),
}

/// How the next request is kept from the prefix cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Cold {
    /// A `cache_salt` that no other request has (vLLM).
    Salt,
    /// `cache_prompt: false` (llama-server).
    Field,
    /// This path empties the cache.
    Flush(&'static str),
    /// This path may be there.
    Perhaps(&'static str),
    /// Only the way in which it was started decides.
    AtStart,
}

/// What one kind of server understands.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::engine) struct Dialect {
    /// Name of the program, where it is known.
    pub(in crate::engine) name: &'static str,
    /// Prompts may be token ids.
    pub(in crate::engine) takes_ids: bool,
    /// The field that asks for the ids of generated tokens.
    pub(in crate::engine) shows_ids: Option<&'static str>,
    /// Fields of the sampler that must be sent to switch off what the server would do unasked.
    pub(in crate::engine) neutral: Value,
    /// How it is told to go on.
    pub(in crate::engine) go_on: GoOn,
    /// How a request is kept cold.
    pub(in crate::engine) cold: Cold,
    /// The field that limits reasoning tokens.
    pub(in crate::engine) budget: Option<&'static str>,
    /// How it is asked to hold replies to a schema or a grammar.
    pub(in crate::engine) holds: Holding,
}

impl Dialect {
    /// A server of which nothing is known: only what the interface itself has.
    pub(in crate::engine) fn plain() -> Self {
        Self {
            name: "openai",
            takes_ids: false,
            shows_ids: None,
            neutral: json!({}),
            go_on: GoOn::IgnoreEos,
            cold: Cold::Perhaps("/reset_prefix_cache"),
            budget: None,
            holds: Holding::Conversations,
        }
    }

    /// <https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html>. What is left out it takes from the model's
    /// `generation_config.json`.
    pub(super) fn vllm() -> Self {
        Self {
            name: "vllm",
            takes_ids: true,
            shows_ids: Some("return_token_ids"),
            neutral: json!({ "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0 }),
            cold: Cold::Salt,
            budget: Some("thinking_token_budget"),
            holds: Holding::StructuredOutputs,
            ..Self::plain()
        }
    }

    /// <https://docs.sglang.ai/basic_usage/openai_api_completions.html>.
    pub(super) fn sglang() -> Self {
        Self {
            name: "sglang",
            takes_ids: true,
            neutral: json!({ "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0 }),
            cold: Cold::Flush("/flush_cache"),
            holds: Holding::Ebnf,
            ..Self::plain()
        }
    }

    /// <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>. Unasked it samples with `top_k` 40 and
    /// `min_p` 0.05.
    pub(super) fn llama_server() -> Self {
        Self {
            name: "llama.cpp",
            takes_ids: true,
            neutral: json!({ "top_k": 0, "min_p": 0.0 }),
            cold: Cold::Field,
            budget: Some("thinking_budget_tokens"),
            holds: Holding::LlamaServer,
            ..Self::plain()
        }
    }
}
