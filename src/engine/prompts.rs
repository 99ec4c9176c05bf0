//! How a model's prompts are written: its chat template and its tokenizer, whoever computes the answers.

use super::EngineError;
use super::gguf::Gguf;
use super::model_files::ModelFiles;
use super::synthetic;
use super::template::{self, ChatTemplate, Framing};
use super::thinking::ThinkingSwitch;
use super::vocabulary::Vocabulary;
use crate::condition::{Observed, Settings, Stated};
use crate::generation::{Message, Prompt, as_plain_text};
use std::path::Path;

/// A model's template and tokenizer.
#[derive(Debug)]
pub(super) struct Prompts {
    pub(super) vocabulary: Vocabulary,
    /// `None` for a base model, which goes on with a text.
    template: Option<ChatTemplate>,
    special_tokens: String,
}

impl Prompts {
    /// Of a folder in the Hugging Face layout; `rows` is the size of the model's embedding table.
    pub(super) fn of_folder(
        files: &ModelFiles,
        rows: usize,
        settings: &Settings,
        base: &Path,
    ) -> Result<Self, EngineError> {
        let ends = template::end_tokens(files)?;
        let vocabulary = Vocabulary::read(&files.tokenizer, files.path("tokenizer.json"), ends, rows)?;
        Self::new(vocabulary, &Framing::of_folder(files)?, settings, base)
    }

    /// Of a GGUF file; `rows` is the size of the model's embedding table.
    pub(super) fn of_gguf(
        gguf: &Gguf,
        rows: usize,
        settings: &Settings,
        base: &Path,
    ) -> Result<Self, EngineError> {
        Self::new(Vocabulary::from_gguf(gguf, rows)?, &Framing::of_gguf(gguf)?, settings, base)
    }

    fn new(
        vocabulary: Vocabulary,
        framing: &Framing,
        settings: &Settings,
        base: &Path,
    ) -> Result<Self, EngineError> {
        let template = framing.chat_template(settings, base)?;
        Ok(Self { special_tokens: framing.describe(&vocabulary), template, vocabulary })
    }

    /// True if the template switches reasoning on and off.
    pub(super) fn has_thinking_switch(&self) -> bool {
        let switch = self.template.as_ref().map(ChatTemplate::thinking_switch);
        switch.is_some_and(ThinkingSwitch::has_two_positions)
    }

    /// A conversation, ready for the reply.
    pub(super) fn render(&self, messages: &[Message], thinking: Stated<bool>) -> Result<Prompt, EngineError> {
        let text = match &self.template {
            Some(template) => {
                template.render_turn(messages, thinking.get().copied()).map_err(EngineError::Template)?
            }
            None => as_plain_text(messages),
        };
        let ids = self.encode(&text)?;
        Ok(Prompt { text, ids: Some(ids), chat: None })
    }

    /// Token ids of a prompt's text. One that no template frames begins with the token that the tokenizer puts first, if
    /// it does so and the text has not written it.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        let ids = self.vocabulary.encode(text)?;
        let first =
            self.vocabulary.adds_bos().filter(|bos| self.template.is_none() && ids.first() != Some(bos));
        Ok(first.into_iter().chain(ids).collect())
    }

    /// A prompt of `tokens` tokens that differs for each `seed`.
    pub(super) fn synthetic(&self, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
        synthetic::of_length(self, tokens, seed)
    }

    /// Writes down which tokenizer and which template they are.
    pub(super) fn observe(&self, found: &mut Observed) {
        let template = self.template.as_ref();
        let fingerprint = |template: &ChatTemplate| template.fingerprint().to_owned();
        found.tokenizer = self.vocabulary.fingerprint().to_owned().into();
        found.special_tokens = self.special_tokens.clone().into();
        found.chat_template = template.map(fingerprint).map_or(Stated::Unset, Stated::Set);
        found.template_date =
            template.and_then(ChatTemplate::day_in_prompts).map_or(Stated::Unset, Stated::Set);
    }
}
