//! What a server is sent.
//!
//! <https://platform.openai.com/docs/api-reference/completions> and `/chat`. Everything that decides a reply is stated: a field
//! that is left out means something else on every server.

use super::dialect::{Dialect, GoOn};
use super::holding;
use crate::condition::Settings;
use crate::engine::EngineError;
use crate::engine::outside::{Constraint, Fields, LocalFiles};
use crate::generation::{Chat, Message, Request, Role};
use serde_json::{Value, json};

/// A bias that no logit outweighs.
const NEVER: f64 = -1e9;

/// What all requests of a run share.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::engine) struct Form {
    pub(super) dialect: Dialect,
    /// The model's name at its server.
    model: String,
    /// Prompts are rendered here, and sent as they are.
    raw: bool,
    /// What the server puts before a text by itself.
    added: Option<String>,
    effort: Option<String>,
    /// The field that limits reasoning, and its value.
    budget: Option<(&'static str, u32)>,
    /// The fields that hold replies to a schema or a grammar.
    pub(super) held: Fields,
    /// The setting that asks for that.
    pub(super) holding: Option<&'static str>,
}

impl Form {
    /// `files` are the model's, where prompts are rendered here; `constraint` is what replies are held to.
    ///
    /// # Errors
    /// When the settings ask for a limit of reasoning, or replies are held to something, that this server has no field for.
    pub(in crate::engine) fn new(
        dialect: Dialect,
        model: &str,
        files: Option<&LocalFiles>,
        settings: &Settings,
        constraint: Option<&Constraint>,
    ) -> Result<Self, EngineError> {
        let budget = match (settings.thinking_budget.get(), dialect.budget) {
            (Some(tokens), Some(field)) => Some((field, *tokens)),
            (None, _) => None,
            (Some(_), None) => {
                return Err(EngineError::Unsupported {
                    field: "thinking_budget",
                    problem: format!(
                        "no field of a `{}` server is known that limits reasoning",
                        dialect.name
                    ),
                    remedy: "take it out, or use vLLM or llama-server".to_owned(),
                });
            }
        };
        let effort = settings.thinking_effort.get().cloned();
        let added = files.and_then(LocalFiles::added_there);
        let raw = files.is_some();
        let held = constraint.map(|constraint| holding::fields(&dialect, constraint, raw)).transpose()?;
        let held = held.unwrap_or_default();
        let holding = constraint.map(Constraint::setting);
        Ok(Self { dialect, model: model.to_owned(), raw, added, effort, budget, held, holding })
    }

    /// The path and the body of a request.
    pub(super) fn of(&self, request: &Request) -> (&'static str, Value) {
        let mut body = json!({
            "model": self.model,
            "stream": true,
            "stream_options": { "include_usage": true },
            "max_tokens": request.max_tokens,
        });
        self.sample(&mut body, request);
        if request.ignore_eos {
            self.go_on(&mut body, request.max_tokens);
        }
        for (field, value) in &self.held {
            body[field] = value.clone();
        }
        if let Some(field) = self.dialect.shows_ids {
            body[field] = true.into();
        }
        if self.raw && request.prompt.chat.is_none() {
            body["prompt"] = self.prompt(request);
            return ("/v1/completions", body);
        }
        self.converse(&mut body, request);
        ("/v1/chat/completions", body)
    }

    fn sample(&self, body: &mut Value, request: &Request) {
        for (field, value) in self.dialect.neutral.as_object().into_iter().flatten() {
            body[field] = value.clone();
        }
        body["temperature"] = request.sampling.temperature.into();
        body["top_p"] = request.sampling.top_p.unwrap_or(1.0).into();
        body["seed"] = request.sampling.seed.into();
        if let Some(top_k) = request.sampling.top_k {
            body["top_k"] = top_k.into();
        }
    }

    fn go_on(&self, body: &mut Value, tokens: u32) {
        match &self.dialect.go_on {
            GoOn::IgnoreEos => {
                body["ignore_eos"] = true.into();
                body["min_tokens"] = tokens.into();
            }
            GoOn::Debug => body["debug_config"] = json!({ "ignore_eos": true }),
            GoOn::Bias(ends) => {
                let biases = ends.iter().map(|id| (id.to_string(), NEVER.into()));
                body["logit_bias"] = Value::Object(biases.collect());
            }
        }
    }

    fn prompt(&self, request: &Request) -> Value {
        let text = request.prompt.text.as_str();
        match request.prompt.ids.as_ref().filter(|_| self.dialect.takes_ids) {
            Some(ids) => ids.clone().into(),
            None => self.added.as_deref().and_then(|added| text.strip_prefix(added)).unwrap_or(text).into(),
        }
    }

    /// A prompt without a conversation is what a person says.
    fn converse(&self, body: &mut Value, request: &Request) {
        let said = || Message { role: Role::User, content: request.prompt.text.clone() };
        let chat = request.prompt.chat.clone();
        let Chat { messages, thinking } =
            chat.unwrap_or_else(|| Chat { messages: vec![said()], thinking: None });
        body["messages"] = json!(messages);
        if let Some(thinking) = thinking {
            body["chat_template_kwargs"] = json!({ "enable_thinking": thinking });
        }
        if let Some(effort) = &self.effort {
            body["reasoning_effort"] = effort.clone().into();
        }
        if let Some((field, tokens)) = self.budget {
            body[field] = tokens.into();
        }
    }
}
