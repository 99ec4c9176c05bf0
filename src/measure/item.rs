//! One generation of a run, as it is kept.

use crate::generation::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One generation of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Item {
    /// Id of the task.
    pub id: String,
    /// Pass within the run, from 0.
    pub pass: u32,
    /// Cluster of the task, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Fingerprint (12 digits) of the rendered prompt.
    pub prompt: String,
    /// Tokens of the prompt.
    pub prompt_tokens: Option<u32>,
    /// Of these, taken from a cache.
    pub cached_tokens: Option<u32>,
    /// Generated tokens, EOS included.
    pub reply_tokens: Option<u32>,
    /// Generated token ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<u32>>,
    /// Generated text.
    pub text: String,
    /// Final answer: the text after the reasoning; `null` when there is none.
    pub answer: Option<String>,
    /// What each option of the task got from a scorer by log-likelihood, in order; absent for a generated reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<ChoiceLikelihood>>,
    /// Index of the option that the scorer chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<u32>,
    /// Score between 0 and 1; `null` when nothing was scored.
    pub score: Option<f64>,
    /// Why it ended; `null` when it failed.
    pub stop: Option<StopReason>,
    /// Seconds to the first token.
    pub ttft_s: Option<f64>,
    /// Seconds to the first token after the reasoning.
    pub ttfo_s: Option<f64>,
    /// Seconds the engine spent on reading the prompt, by its own clock.
    pub prefill_s: Option<f64>,
    /// Tokens after the first delivery.
    pub decode_tokens: Option<u32>,
    /// Seconds from the first delivery to the last token.
    pub decode_s: Option<f64>,
    /// Seconds to the last token.
    pub full_s: Option<f64>,
    /// Median gap between tokens, seconds; `null` where a delivery carried several tokens, or guessed ones were accepted.
    pub itl_s: Option<f64>,
    /// Median gap between deliveries, seconds, where they carried several tokens, or nobody knows how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icl_s: Option<f64>,
    /// Tokens that speculative decoding proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drafted: Option<u64>,
    /// Of these, accepted by the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<u64>,
    /// Forward passes after the prompt's, where the engine counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Seconds in these passes, by the engine's own clock; the rest of `decode_s` is choosing and delivering tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_s: Option<f64>,
    /// Largest gap between two deliveries, seconds.
    pub itl_max_s: Option<f64>,
    /// Seconds for reading the prompt and all options, where nothing was generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_s: Option<f64>,
    /// Error of this item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Item {
    /// Share of the tokens guessed ahead that the model accepted; `None` where none was guessed.
    pub fn accepted_share(&self) -> Option<f64> {
        let drafted = self.drafted.filter(|drafted| *drafted > 0)?;
        Some(self.accepted? as f64 / drafted as f64)
    }
}

/// How likely a model found one option of a multiple-choice question.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ChoiceLikelihood {
    /// Log-likelihood of the continuation in nats: the sum over its tokens.
    pub log_likelihood: f64,
    /// Tokens of the continuation.
    pub tokens: u32,
    /// Characters of the letter or text that was judged, without the space before it: the divisor of
    /// `loglikelihood_norm`.
    pub characters: u32,
    /// Greedy decoding would give this continuation.
    pub greedy: bool,
}
