//! The catalogue: every metric with its unit, its definition and how it is to be compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither of itself.
    Neither,
}

/// What repeats independently, and so is the unit of the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Replication {
    /// The block of runs: times and memory.
    Block,
    /// The item of the task set: what the model says.
    Item,
    /// Nothing: a figure of the whole, told without an interval.
    None,
}

/// One metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    /// Key in records, plans and reports.
    pub name: &'static str,
    /// Unit of the value.
    pub unit: &'static str,
    /// Versioned id of the definition.
    pub definition: &'static str,
    /// Which way is better.
    pub better: Better,
    /// The unit of replication.
    pub replication: Replication,
    /// Compared on the logarithmic scale, as a ratio.
    pub log: bool,
    /// The definition in words.
    pub text: &'static str,
}

/// The metric of this name.
pub fn metric(name: &str) -> Option<&'static Metric> {
    CATALOGUE.iter().find(|metric| metric.name == name)
}

const fn time(name: &'static str, definition: &'static str, text: &'static str) -> Metric {
    Metric {
        name,
        unit: "s",
        definition,
        better: Better::Lower,
        replication: Replication::Block,
        log: true,
        text,
    }
}

const fn rate(
    name: &'static str,
    unit: &'static str,
    definition: &'static str,
    text: &'static str,
) -> Metric {
    Metric {
        name,
        unit,
        definition,
        better: Better::Higher,
        replication: Replication::Block,
        log: true,
        text,
    }
}

const fn memory(name: &'static str, definition: &'static str, text: &'static str) -> Metric {
    Metric {
        name,
        unit: "MiB",
        definition,
        better: Better::Lower,
        replication: Replication::Block,
        log: true,
        text,
    }
}

const fn share(name: &'static str, definition: &'static str, better: Better, text: &'static str) -> Metric {
    Metric { name, unit: "share", definition, better, replication: Replication::Item, log: false, text }
}

/// All metrics, in the order in which reports list them.
pub const CATALOGUE: &[Metric] = &[
    time("ttft", "ttft/1", "Seconds from send to the first token, of the reasoning or the answer."),
    time("ttfo", "ttfo/1", "Seconds from send to the first token after the reasoning."),
    time("itl", "itl/1", "Median gap between consecutive tokens, where every delivery carries one token."),
    time(
        "icl",
        "icl/1",
        "Median gap between consecutive deliveries, where they carry several tokens, or a number that nobody knows.",
    ),
    rate(
        "decode_tok_s",
        "tok/s",
        "decode_tok_s/1",
        "Tokens after the first delivery over the time after it, summed over items before dividing.",
    ),
    rate(
        "engine_decode_tok_s",
        "tok/s",
        "engine_decode_tok_s/1",
        "Forward passes after the prompt's over the engine's own time for them, summed over items before dividing; where one \
         pass gives one token, the engine's own rate.",
    ),
    rate(
        "prefill_tok_s",
        "tok/s",
        "prefill_tok_s/1",
        "Prompt tokens not taken from a cache over the engine's own time for reading the prompt, summed over items before dividing.",
    ),
    time("full_reply_s", "full_reply_s/1", "Seconds from send to the last token."),
    rate(
        "chars_per_s",
        "char/s",
        "chars_per_s/1",
        "Characters of the reply over the time to its last token, summed over items before dividing.",
    ),
    Metric {
        name: "reply_tokens",
        unit: "tok",
        definition: "reply_tokens/1",
        better: Better::Neither,
        replication: Replication::Item,
        log: false,
        text: "Generated tokens of a reply, reasoning and EOS included: the mean over items.",
    },
    share(
        "quality",
        "quality/1",
        Better::Higher,
        "Mean score over all scored items asked; no answer and no reply count 0.",
    ),
    share(
        "capped_share",
        "capped_share/1",
        Better::Lower,
        "Share of replies that max_tokens or the context window cut off.",
    ),
    share(
        "unanswered_share",
        "unanswered_share/1",
        Better::Lower,
        "Share of items asked that have no final answer.",
    ),
    share("failed_share", "failed_share/1", Better::Lower, "Share of items asked that ended in an error."),
    share(
        "accepted_share",
        "accepted_share/1",
        Better::Higher,
        "Tokens guessed ahead that the model accepted, over all that were guessed for a reply: the mean over items.",
    ),
    share(
        "reply_agreement",
        "reply_agreement/1",
        Better::Neither,
        "Share of items whose token ids are the same on both sides of an edge; a figure of a pair, not of a run.",
    ),
    memory(
        "peak_rss",
        "peak_rss/1",
        "Largest resident set of the process over the measured window, reset after the warm-up.",
    ),
    memory(
        "accelerator_peak",
        "accelerator_peak/1",
        "Most memory that the engine held on its accelerator while it made a reply, by its own count, reset before each.",
    ),
    memory(
        "predicted_memory",
        "predicted_memory/1",
        "What weights, key/value cache and intermediate values were foreseen to take for the longest sequence, from the \
         model's sizes; the program and its vocabulary come on top.",
    ),
    memory(
        "load_peak_rss",
        "load_peak_rss/1",
        "Largest resident set of the process up to the first warm-up generation.",
    ),
    time("load_s", "load_s/1", "Seconds to open the engine and load the model."),
];
