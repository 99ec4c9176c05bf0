//! An engine outside, as the rest of the program sees it.

use super::{Constraint, LocalFiles, Speaker};
use crate::condition::{Observed, Stated};
use crate::engine::accounting::disagreement;
use crate::engine::prompts::Prompts;
use crate::engine::synthetic::words;
use crate::engine::{Engine, EngineError, Vocabulary};
use crate::generation::{Chat, Generation, Message, Prompt, Request, StopReason, Stopwatch};

/// Prompts are written here, by the model's own template where its files are known; a [`Speaker`] sends them.
pub(in crate::engine) struct Outside {
    /// `None` where the server renders and counts.
    prompts: Option<Prompts>,
    observed: Observed,
    thinking_stated: bool,
    speaker: Box<dyn Speaker>,
    /// What the speaker asks the engine to hold its replies to.
    constraint: Option<Constraint>,
}

impl Outside {
    /// Of what was read of an engine and of the model's files, if it has any.
    pub(in crate::engine) fn new(
        files: Option<LocalFiles>,
        observed: Observed,
        thinking: Stated<bool>,
        speaker: Box<dyn Speaker>,
    ) -> Self {
        let prompts = files.map(|files| files.prompts);
        Self { prompts, observed, thinking_stated: thinking.get().is_some(), speaker, constraint: None }
    }

    /// The same, whose replies are checked for what its speaker asks them to be held to.
    #[must_use]
    pub(in crate::engine) fn held_to(mut self, constraint: Option<Constraint>) -> Self {
        if let Some(constraint) = &constraint {
            constraint.observe(&mut self.observed);
        }
        self.constraint = constraint;
        self
    }
}

impl Engine for Outside {
    fn observed(&self) -> &Observed {
        &self.observed
    }

    fn clock(&self) -> Stopwatch {
        Stopwatch::real()
    }

    fn process(&self) -> Option<u32> {
        self.speaker.process()
    }

    fn is_elsewhere(&self) -> bool {
        self.speaker.process().is_none()
    }

    fn accelerator_peak(&self) -> Option<f64> {
        self.speaker.accelerator_peak()
    }

    /// Where the server renders, a switch that the plan sets is taken to be there: the replies show whether it acts.
    fn has_thinking_switch(&self) -> bool {
        self.prompts.as_ref().map_or(self.thinking_stated, Prompts::has_thinking_switch)
    }

    fn render(&self, messages: &[Message], thinking: Stated<bool>) -> Result<Prompt, EngineError> {
        if let Some(prompts) = &self.prompts {
            return prompts.render(messages, thinking);
        }
        let chat = Chat { messages: messages.to_vec(), thinking: thinking.get().copied() };
        let text = serde_json::to_string(&chat).map_err(|error| EngineError::Failed {
            doing: "writing the conversation down",
            problem: error.to_string(),
        })?;
        Ok(Prompt { text, ids: None, chat: Some(chat) })
    }

    fn tokenize(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        if let Some(ids) = self.speaker.tokenize(text) {
            return ids;
        }
        match &self.prompts {
            Some(prompts) => prompts.vocabulary.encode(text),
            None => Err(EngineError::Unsupported {
                field: "engine",
                problem: "this server shows no tokens of a text".to_owned(),
                remedy: "name the model's files with `model_files`".to_owned(),
            }),
        }
    }

    /// Without a tokenizer the length is only near `tokens`: so many common English words.
    fn synthetic_prompt(&self, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
        match &self.prompts {
            Some(prompts) => prompts.synthetic(tokens, seed),
            None => Ok(Prompt { text: words(tokens, seed), ids: None, chat: None }),
        }
    }

    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let mut generation = self.speaker.generate(request)?;
        check_prompt(request, &generation)?;
        if let Some(prompts) = &self.prompts {
            read_ids(&prompts.vocabulary, request, &mut generation, self.speaker.spells_out())?;
        }
        if let Some(constraint) = &self.constraint {
            constraint.check(request, &generation)?;
        }
        Ok(generation)
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.speaker.forget()
    }
}

/// The engine must have read the very prompt that was written: one that counts other tokens has put something around
/// it, cut it off, or has another tokenizer.
fn check_prompt(request: &Request, generation: &Generation) -> Result<(), EngineError> {
    let written = request.prompt.ids.as_ref().map(|ids| ids.len() as u32);
    match (written, generation.prompt_tokens) {
        (Some(written), Some(read)) if written != read => Err(EngineError::OtherPrompt { written, read }),
        _ => Ok(()),
    }
}

/// What the ids of a reply tell: that its text is theirs, where the answer starts, and (`spell`) the text with the marks that the
/// server leaves out of it.
fn read_ids(
    vocabulary: &Vocabulary,
    request: &Request,
    generation: &mut Generation,
    spell: bool,
) -> Result<(), EngineError> {
    let Some(ids) = &generation.ids else {
        return if spell && vocabulary.hides_thinking() { Err(unseen_marks()) } else { Ok(()) };
    };
    if let Some(problem) = disagreement(vocabulary, ids, &generation.text)? {
        return Err(EngineError::Failed { doing: "checking the reply", problem });
    }
    if let Some(asked) = &request.prompt.ids {
        let start = vocabulary.answer_start(asked, ids);
        generation.times.first_answer = start.and_then(|token| generation.times.delivery_of(token));
    }
    if spell {
        let spoken = ids.len().saturating_sub(usize::from(generation.stop == StopReason::Eos));
        generation.text = vocabulary.decode(&ids[..spoken])?;
    }
    Ok(())
}

/// Without the ids nobody knows whether reasoning ended, and it would be scored as the answer.
fn unseen_marks() -> EngineError {
    EngineError::Failed {
        doing: "reading the reply",
        problem: "this model's `<think>` and `</think>` are control tokens, which the server leaves out of the text, and it did \
                  not send the ids of all tokens of this reply"
            .to_owned(),
    }
}

/// Renders and counts as the engine would, and answers nothing: no program runs, and no server is asked.
struct Silent;

impl Speaker for Silent {
    fn generate(&mut self, _: &Request) -> Result<Generation, EngineError> {
        Err(EngineError::Failed {
            doing: "answering",
            problem: "this engine was opened only to write prompts".to_owned(),
        })
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}

/// An engine that only writes prompts.
pub(in crate::engine) fn silent(files: Option<LocalFiles>, thinking: Stated<bool>) -> Outside {
    let observed = files.as_ref().map(|files| files.observed.clone()).unwrap_or_default();
    Outside::new(files, observed, thinking, Box::new(Silent))
}
