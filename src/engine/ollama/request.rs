//! What Ollama is sent. Everything that decides a reply is stated, for it samples with a temperature of 0.8 and punishes
//! repetition where it is told nothing.

use crate::condition::Settings;
use crate::engine::EngineError;
use crate::engine::outside::{Constraint, LocalFiles};
use crate::generation::Request;
use serde_json::{Value, json};

/// The context window where the plan asks for none. Left to itself Ollama takes one by the memory that it finds.
const CONTEXT: u32 = 4096;
/// How long a model stays loaded after a request: longer than any pause between two of a run.
const STAYS: &str = "1h";

/// What all requests of a run share.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    model: String,
    pub(super) context: u32,
    threads: Option<u32>,
    /// Layers on the accelerator.
    layers: Option<u32>,
    effort: Option<String>,
    /// What the server puts before a raw prompt by itself.
    added: Option<String>,
    /// The schema that replies are held to.
    format: Option<Value>,
}

impl Form {
    /// # Errors
    /// When `placement` is not in Ollama's words.
    pub(super) fn new(
        model: &str,
        files: Option<&LocalFiles>,
        settings: &Settings,
        constraint: Option<&Constraint>,
    ) -> Result<Self, EngineError> {
        let format = match constraint {
            Some(Constraint::Schema(schema)) => Some(schema.document.clone()),
            // Nobody gets here with a grammar, which this engine has no field for.
            Some(Constraint::Grammar(_)) | None => None,
        };
        Ok(Self {
            format,
            model: model.to_owned(),
            context: settings.context_length.or(CONTEXT),
            threads: settings.threads.get().copied(),
            layers: settings.placement.get().map(|placement| layers(placement)).transpose()?,
            effort: settings.thinking_effort.get().cloned(),
            added: files.and_then(LocalFiles::added_there),
        })
    }

    /// The setting that holds replies to something.
    pub(super) fn holding(&self) -> Option<&'static str> {
        self.format.is_some().then_some("json_schema")
    }

    /// A request that only loads the model.
    pub(super) fn loading(&self) -> Value {
        json!({ "model": self.model, "stream": false, "keep_alive": STAYS, "options": self.options() })
    }

    /// The path and the body of a request. A rendered prompt, and one without a conversation, go around Ollama's template.
    pub(super) fn of(&self, request: &Request) -> (&'static str, Value) {
        // Newer servers would rather refuse than cut a prompt or shift the context; older ones pass these two over.
        let mut body = json!({
            "model": self.model, "stream": true, "keep_alive": STAYS, "truncate": false, "shift": false,
        });
        let mut options = self.options();
        options["temperature"] = request.sampling.temperature.into();
        options["top_k"] = request.sampling.top_k.unwrap_or(0).into();
        options["top_p"] = request.sampling.top_p.unwrap_or(1.0).into();
        options["min_p"] = 0.0.into();
        options["repeat_penalty"] = 1.0.into();
        options["seed"] = request.sampling.seed.into();
        options["num_predict"] = request.max_tokens.into();
        body["options"] = options;
        if let Some(schema) = &self.format {
            body["format"] = schema.clone();
        }
        let Some(chat) = &request.prompt.chat else {
            let text = request.prompt.text.as_str();
            let added = self.added.as_deref();
            body["prompt"] = added.and_then(|added| text.strip_prefix(added)).unwrap_or(text).into();
            body["raw"] = true.into();
            return ("/api/generate", body);
        };
        body["messages"] = json!(chat.messages);
        match (chat.thinking, &self.effort) {
            (Some(false), _) => body["think"] = false.into(),
            (_, Some(effort)) => body["think"] = effort.clone().into(),
            (Some(true), None) => body["think"] = true.into(),
            (None, None) => {}
        }
        ("/api/chat", body)
    }

    fn options(&self) -> Value {
        let mut options = json!({ "num_ctx": self.context });
        for (name, value) in [("num_thread", self.threads), ("num_gpu", self.layers)] {
            if let Some(value) = value {
                options[name] = value.into();
            }
        }
        options
    }
}

fn layers(placement: &str) -> Result<u32, EngineError> {
    let count = placement.strip_prefix("num_gpu=").and_then(|count| count.trim().parse().ok());
    count.ok_or_else(|| EngineError::Unsupported {
        field: "placement",
        problem: format!("Ollama has no placement `{placement}`"),
        remedy: "write it as \"num_gpu=LAYERS\"; 0 keeps everything on the CPU".to_owned(),
    })
}
