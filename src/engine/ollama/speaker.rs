//! Sends prompts to Ollama.

use super::reply;
use super::request::Form;
use crate::engine::EngineError;
use crate::engine::accounting::Start;
use crate::engine::http::Client;
use crate::engine::openai::{explained, went_on};
use crate::engine::outside::Speaker;
use crate::generation::{Generation, Prompt, Request, Stopwatch};

/// Most letters that a token stands for on the mean over a text: far more than in any language.
const MOST_LETTERS: usize = 16;

/// An Ollama server.
#[derive(Debug)]
pub(super) struct OllamaSpeaker {
    pub(super) client: Client,
    pub(super) form: Form,
}

/// It has no process: `ollama serve` holds no model, its runners do, and their memory is nobody's that planrun started.
impl Speaker for OllamaSpeaker {
    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let (path, body) = self.form.of(request);
        let answer = self.client.stream(path, &body, &Stopwatch::real());
        let lines = answer.map_err(|error| explained(error, self.form.holding()))?;
        let mut generation = reply::read(lines, request.max_tokens, Start::of(&request.prompt))?;
        generation.text = self.client.without_key(generation.text);
        self.whole_prompt(request, &generation)?;
        went_on(request, &generation)?;
        Ok(generation)
    }

    /// Nothing empties its cache but another prompt; what a request found there is not told either.
    fn forget(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}

/// How much was written, white space left out, whoever renders it.
fn letters(prompt: &Prompt) -> usize {
    let count = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).count();
    match &prompt.chat {
        Some(chat) => chat.messages.iter().map(|message| count(&message.content)).sum(),
        None => count(&prompt.text),
    }
}

impl OllamaSpeaker {
    /// Ollama cuts a prompt that does not fit, and answers as if nothing were amiss. Where planrun counts the prompt's tokens
    /// itself they are compared with what was read (see [`Outside`](crate::engine::outside::Outside)); here only what no
    /// tokenizer could explain is found.
    fn whole_prompt(&self, request: &Request, generation: &Generation) -> Result<(), EngineError> {
        let (None, Some(read)) = (&request.prompt.ids, generation.prompt_tokens) else {
            return Ok(());
        };
        let letters = letters(&request.prompt);
        let full = read >= self.form.context;
        if !full && letters <= read as usize * MOST_LETTERS {
            return Ok(());
        }
        Err(EngineError::Failed {
            doing: "reading the prompt",
            problem: format!(
                "the server read {read} tokens of a prompt of {letters} letters, with a context of {}: it cut the prompt; raise \
                 `context_length`, or name the model's files with `model_files` to have the tokens counted",
                self.form.context
            ),
        })
    }
}
