//! What a cell asks for. Every field can be a factor of a grid.

use super::{Field, Stated};
use crate::abilities::{EngineKind, ModelName, Wanted, abilities};
use crate::task::Scorer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `chat_template` of a model that is to be read like a base model, whatever template it has.
pub const NO_CHAT_TEMPLATE: &str = "none";

/// The settings of one cell, as asked. Keys are the same in the plan's TOML, here, in records and in reports.
///
/// An absent key of a plan becomes [`Stated::Unset`] (see `plan/grid`); an absent key of a record is unknown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `pico` (the embedded model), a GGUF file, a Hugging Face folder, or `hf:ORG/NAME@REVISION`; for an engine that keeps
    /// its own models, the name that it has there.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub model: Stated<String>,
    /// Scheme the weights are held in while the model runs: `f32`, `bf16`, `f16`, `q8_0`, `q4_k`, ...
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub quantization: Stated<String>,
    /// Number format of the key/value cache: `f32`, `f16`, `q8_0`.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub kv_cache_dtype: Stated<String>,
    /// Where the files of a model lie that `model` names as its server does: GGUF file, folder or `hf:` name. Prompts are
    /// then rendered here, by the model's own template.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub model_files: Stated<String>,
    /// Who answers.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub engine: Stated<EngineKind>,
    /// The program of an engine outside: a name on the search path, or a path relative to the plan. Planrun starts it and
    /// ends it.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub program: Stated<String>,
    /// Further arguments for the program, as they are.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub arguments: Stated<Vec<String>>,
    /// Address of a server that runs already (`http://127.0.0.1:8080`).
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    #[schemars(regex(pattern = r"^https?://[^/\s]+"))]
    pub url: Stated<String>,
    /// Name of the environment variable that holds the key for `url`, in capitals. The key itself is never written anywhere.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    #[schemars(regex(pattern = r"^[A-Z_][A-Z0-9_]*$"))]
    pub api_key: Stated<String>,
    /// CPU threads of the engine.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub threads: Stated<u32>,
    /// Where layers live, in the engine's own words (`gpu_layers=99`).
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub placement: Stated<String>,
    /// The model's thinking switch. Unset leaves it to the template, which is a third value.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub thinking: Stated<bool>,
    /// Reasoning effort, where the model has grades of it (`low`, `medium`, `high`).
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub thinking_effort: Stated<String>,
    /// Most tokens of reasoning, where the engine can limit it.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub thinking_budget: Stated<u32>,
    /// Instructions before the conversation.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub system_prompt: Stated<String>,
    /// Template around each task's prompt; `{prompt}` and `{choices}` are filled in.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub question_template: Stated<String>,
    /// Solved examples shown before each question.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub few_shot: Stated<u32>,
    /// Task file from whose first lines the solved examples are taken; path relative to the plan.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub few_shot_tasks: Stated<String>,
    /// A chat template file that replaces the model's own, relative to the plan; `none` reads prompts without any template.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub chat_template: Stated<String>,
    /// The day that a chat template gets when it asks for it (`2026-11-30`). Unset is the day of the plan's first run.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    pub template_date: Stated<String>,
    /// How a final answer is judged.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub scorer: Stated<Scorer>,
    /// Upper limit of generated tokens, EOS included.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub max_tokens: Stated<u32>,
    /// Prompts given to the engine in one call.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub batch_size: Stated<u32>,
    /// Requests under way at once.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub concurrency: Stated<u32>,
    /// Generations made and set apart before the measured ones.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub warmup: Stated<u32>,
    /// Softmax temperature; 0 is greedy.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub temperature: Stated<f64>,
    /// Keep the k most likely tokens.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub top_k: Stated<u32>,
    /// Keep the smallest set of tokens whose probability reaches p.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub top_p: Stated<f64>,
    /// Seed of the sampler.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub seed: Stated<u64>,
    /// Go on after an end-of-sequence token.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub ignore_eos: Stated<bool>,
    /// File with a JSON schema that replies are held to while they are generated; path relative to the plan.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub json_schema: Stated<String>,
    /// File with a grammar in the engine's own language (GBNF for llama.cpp) that replies are held to; path relative to the
    /// plan.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub grammar: Stated<String>,
    /// Context window in tokens.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub context_length: Stated<u32>,
    /// Prompt tokens read in one forward pass.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub prefill_chunk: Stated<u32>,
    /// Whether earlier prompts may be reused.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub prefix_cache: Stated<CacheState>,
    /// Speculative decoding, in the engine's words (`ngram:4`, `draft:path`).
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub speculation: Stated<String>,
    /// Build flags that the plan declares where nothing can read them.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub build_flags: Stated<String>,
    /// A named bundle of settings that are compared only as a whole.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub deployment: Stated<Deployment>,
}

impl Settings {
    /// True if prompts are to reach the model as plain text, without its chat template.
    pub fn without_chat_template(&self) -> bool {
        self.chat_template.get().is_some_and(|file| file == NO_CHAT_TEMPLATE)
    }

    /// True if replies are held to a schema or a grammar, which also says where they end.
    pub fn constrains_replies(&self) -> bool {
        self.json_schema.get().or(self.grammar.get()).is_some()
    }

    /// What names the files that prompts are written with: `model`, or `model_files` where a server has names of its own.
    pub fn named_files(&self) -> Option<&String> {
        if self.model_is_at_server() { self.model_files.get() } else { self.model.get() }
    }

    /// Names the same files otherwise, such as a model of the hub with its commit.
    pub fn name_files(&mut self, name: String) {
        let key = if self.model_is_at_server() { &mut self.model_files } else { &mut self.model };
        *key = name.into();
    }

    /// True if `model` is a name that a server has for it.
    pub fn model_is_at_server(&self) -> bool {
        self.engine.get().is_some_and(|engine| abilities(*engine).model == ModelName::AtServer)
    }

    /// What they ask for that not every model can do.
    pub fn wanted(&self) -> Wanted<'_> {
        Wanted {
            quantization: self.quantization.get().map(String::as_str),
            prefill_chunk: self.prefill_chunk.get().is_some(),
            warm_prefix: self.prefix_cache.get() == Some(&CacheState::Warm),
            likelihoods: self.scorer.get().is_some_and(|scorer| scorer.reads_likelihoods()),
        }
    }
}

/// State of the prefix cache when a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CacheState {
    /// Nothing of the prompt was cached.
    Cold,
    /// The shared prefix was cached.
    Warm,
}

/// A named bundle: its members vary together, and the result is never quoted as the effect of one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deployment {
    /// Name in the plan's `[deployments.NAME]`.
    pub name: String,
    /// The settings it sets.
    pub members: Vec<Field>,
}
