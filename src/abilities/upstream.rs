//! What models of candle-transformers cannot do that this program's own decoder can.

/// Families that the engine `candle` computes with models of candle-transformers, by the `model_type` of `config.json`;
/// all others that it knows are computed by its own decoder.
pub const UPSTREAM_FAMILIES: &[&str] =
    &["gemma2", "glm4", "granite", "granitemoehybrid", "lfm2", "olmo2", "phi3"];

/// Number formats that such a model is computed in.
const SCHEMES: &[&str] = &["f32"];

/// What a plan asks for that these models may lack.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// A scheme for the weights.
    pub quantization: Option<&'a str>,
    /// A number of prompt tokens per forward pass.
    pub prefill_chunk: bool,
    /// A cache that keeps the prefix of an earlier prompt.
    pub warm_prefix: bool,
    /// Log-likelihoods of given answers.
    pub likelihoods: bool,
}

/// A setting that a model cannot honour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// The setting.
    pub key: &'static str,
    /// Why it cannot be honoured.
    pub problem: String,
    /// What to do.
    pub remedy: &'static str,
}

/// The settings among those asked for that a model of `family`, one of [`UPSTREAM_FAMILIES`], cannot honour.
pub fn lacks(family: &str, wanted: Wanted<'_>) -> Vec<Lack> {
    let scheme = wanted.quantization.filter(|scheme| !SCHEMES.contains(scheme));
    let format = scheme.map(|scheme| Lack {
        key: "quantization",
        problem: format!("candle-transformers computes `{family}` in f32, not in `{scheme}`"),
        remedy: "set it to `f32`, or leave it out",
    });
    let chunk = wanted.prefill_chunk.then(|| Lack {
        key: "prefill_chunk",
        problem: format!("candle-transformers reads a prompt of `{family}` in one pass"),
        remedy: "leave it out",
    });
    let prefix = wanted.warm_prefix.then(|| Lack {
        key: "prefix_cache",
        problem: format!("candle-transformers cannot cut the cache of `{family}` back to a shared prefix"),
        remedy: "set it to `cold`, or leave it out",
    });
    let likelihoods = wanted.likelihoods.then(|| Lack {
        key: "scorer",
        problem: format!("candle-transformers shows the logits of `{family}` after the last token only"),
        remedy: "use a scorer of generated replies, such as `choice`",
    });
    format.into_iter().chain(chunk).chain(prefix).chain(likelihoods).collect()
}
