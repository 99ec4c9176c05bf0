//! The names of everything that a comparison controls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! fields {
    ($($variant:ident = $name:literal, $doc:literal;)*) => {
        /// A controlled field of a condition. Its name is the key in TOML, JSON and reports.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum Field {
            $(#[doc = $doc] #[serde(rename = $name)] $variant,)*
        }

        impl Field {
            /// Every field, in the order in which tables list them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The key.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

fields! {
    Deployment = "deployment", "A bundle of settings compared as a whole.";
    Model = "model", "Which model.";
    Source = "source", "Declared source and revision of the weights.";
    Weights = "weights", "Bytes of the weights.";
    Quantization = "quantization", "Scheme of the weights.";
    BitsPerWeight = "bits_per_weight", "Bits per weight in memory.";
    FileFormat = "file_format", "Format of the weight file.";
    Tokenizer = "tokenizer", "Tokenizer and token counter.";
    ChatTemplate = "chat_template", "Chat template.";
    TemplateDate = "template_date", "The day that a chat template puts into prompts.";
    SpecialTokens = "special_tokens", "Special tokens.";
    KvCacheDtype = "kv_cache_dtype", "Number format of the key/value cache.";
    ModelFiles = "model_files", "Files that prompts are rendered with.";
    Engine = "engine", "Kind of engine.";
    Url = "url", "Server that was there already.";
    Runtime = "runtime", "Name, version and binary of the engine.";
    Arguments = "arguments", "Arguments of the engine's program.";
    BuildFlags = "build_flags", "Compiler flags of the engine.";
    Hardware = "hardware", "The machine.";
    Threads = "threads", "CPU threads.";
    Placement = "placement", "Where layers live.";
    Thinking = "thinking", "The thinking switch.";
    ThinkingEffort = "thinking_effort", "Grade of reasoning effort.";
    ThinkingBudget = "thinking_budget", "Limit of reasoning tokens.";
    SystemPrompt = "system_prompt", "Instructions before the conversation.";
    QuestionTemplate = "question_template", "Template around a task's prompt.";
    FewShot = "few_shot", "Solved examples before a question.";
    TaskSetFingerprint = "task_set_fingerprint", "Content of the task set.";
    PromptFingerprint = "prompt_fingerprint", "The rendered prompts.";
    PromptIdsFingerprint = "prompt_ids_fingerprint", "The rendered prompts' token ids.";
    Scorer = "scorer", "How answers are judged.";
    MaxTokens = "max_tokens", "Limit of generated tokens.";
    BatchSize = "batch_size", "Prompts per engine call.";
    Concurrency = "concurrency", "Requests at once.";
    Warmup = "warmup", "Generations before the measured ones.";
    Temperature = "temperature", "Softmax temperature.";
    TopK = "top_k", "Most likely tokens kept.";
    TopP = "top_p", "Probability mass kept.";
    Seed = "seed", "Seed of the sampler.";
    IgnoreEos = "ignore_eos", "Whether generation goes past EOS.";
    JsonSchema = "json_schema", "JSON schema that replies are held to.";
    Grammar = "grammar", "Grammar that replies are held to.";
    ContextLength = "context_length", "Context window.";
    PrefillChunk = "prefill_chunk", "Prompt tokens per forward pass.";
    PrefixCache = "prefix_cache", "State of the prefix cache.";
    Speculation = "speculation", "Speculative decoding.";
    Workload = "workload", "Protocol of the run.";
    Passes = "passes", "Passes inside a run.";
    Isolation = "isolation", "What a run shares with its neighbours.";
    Harness = "harness", "Version of planrun's definitions.";
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Field {
    /// The field of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|field| field.name() == name)
    }
}
