//! Who starts `llama-completion` for a request.

use super::arguments::{Command, of_request};
use super::output::{Output, Said};
use super::perf::Perf;
use crate::engine::EngineError;
use crate::engine::accounting::{Start, Tally, Totals};
use crate::engine::outside::{Speaker, without_the_shells_settings};
use crate::generation::{Generation, Request, StopReason, Stopwatch};
use crate::process::{Death, last_words, tail};
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;

/// What errors say was being done.
const WAITING: &str = "waiting for llama-completion";

/// Starts the program anew for each request: nothing is left of the one before.
#[derive(Debug)]
pub(super) struct CommandLine {
    pub(super) command: Command,
    /// What the program puts before a text by itself.
    pub(super) added: Option<String>,
    /// The tokens that end a reply, spelled out.
    pub(super) ends: Vec<String>,
}

/// What a program left behind.
struct Ended {
    output: Output,
    errors: String,
}

impl Speaker for CommandLine {
    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let text = request.prompt.text.as_str();
        let prompt = self.added.as_deref().and_then(|added| text.strip_prefix(added)).unwrap_or(text);
        self.check_room(request)?;
        let clock = Stopwatch::real();
        let mut child = self.start(request)?;
        let ended = listen(&mut child, prompt, most_bytes(request.max_tokens), &clock);
        let status = child.wait().map_err(|error| failed(error.to_string()))?;
        let Ended { output, errors } = ended?;
        if status.success() {
            return generation(request, &output.said(&self.ends), &errors);
        }
        Err(self.gave_up(&format!("the program {}; {}", Death::from(status).in_words(), last_words(&errors))))
    }

    /// Nothing to do: each request has a process of its own.
    fn forget(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Tokens of the context that the program keeps free of a prompt.
const KEPT_FREE: usize = 4;

impl CommandLine {
    fn check_room(&self, request: &Request) -> Result<(), EngineError> {
        let (tokens, context) =
            (request.prompt.ids.as_ref().map_or(0, Vec::len), self.command.context as usize);
        if tokens + KEPT_FREE > context {
            return Err(EngineError::ContextFull { tokens, context });
        }
        Ok(())
    }

    /// Builds since the end of 2025 call the program `llama-completion`: their `llama-cli` is a client for conversations.
    fn gave_up(&self, problem: &str) -> EngineError {
        if !problem.contains("invalid argument") {
            return EngineError::Gone { doing: WAITING, problem: problem.to_owned() };
        }
        EngineError::Unusable {
            path: self.command.program.clone(),
            problem: problem.to_owned(),
            remedy: "name `llama-completion` of the same build with `program`, or take out what it does not know from \
                     `arguments`"
                .to_owned(),
        }
    }

    fn start(&self, request: &Request) -> Result<Child, EngineError> {
        let mut command = std::process::Command::new(&self.command.program);
        command.args(&self.command.arguments).args(of_request(request));
        without_the_shells_settings(&mut command);
        // It stays in this process's group, so that whoever ends the run ends it.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| EngineError::NoProgram {
            path: self.command.program.clone(),
            problem: error.to_string(),
        })
    }
}

/// Bytes of a reply beyond which the program is left: more than any token's text, and room for what stands around it.
fn most_bytes(max_tokens: u32) -> usize {
    const OF_A_TOKEN: usize = 1024;
    const AROUND: usize = 1 << 16;
    AROUND + max_tokens as usize * OF_A_TOKEN
}

/// Hands it the prompt and hears the reply. A pipe each has its reader, so that a full one stops nobody.
fn listen(child: &mut Child, prompt: &str, most: usize, clock: &Stopwatch) -> Result<Ended, EngineError> {
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let errors = scope.spawn(|| errors.map(tail).unwrap_or_default());
        // One that died before it read its prompt says on standard error why.
        scope.spawn(|| input.map(|mut input| input.write_all(prompt.as_bytes())));
        let output = output.map_or_else(|| Ok(Output::default()), |pipe| Output::hear(pipe, most, clock));
        if output.is_err() {
            // One that is listened to no longer may write for ever.
            let _ = child.kill();
        }
        let errors = errors.join().unwrap_or_default();
        Ok(Ended { output: output.map_err(|error| failed(error.to_string()))?, errors })
    })
}

/// The reply with what the program counted. Reading on from an earlier prompt cannot happen: nothing is cached.
fn generation(request: &Request, said: &Said, errors: &str) -> Result<Generation, EngineError> {
    let perf = Perf::read(errors).ok_or_else(|| {
        failed(format!("it did not say what it counted (no line of `eval time`); {}", last_words(errors)))
    })?;
    let stop = match said.ended {
        true => StopReason::Eos,
        false if perf.tokens() < request.max_tokens => StopReason::Context,
        false => StopReason::Length,
    };
    let mut tally = Tally::default();
    said.pieces.iter().for_each(|piece| tally.take(piece.clone()));
    let totals = Totals {
        stop,
        ended_at: said.ended_at,
        tokens: Some(perf.tokens()),
        prompt_tokens: Some(perf.prompt_tokens),
        cached_tokens: Some(0),
        prefill: Some(perf.prefill),
        compute: (perf.compute.steps > 0).then_some(perf.compute),
        speculation: None,
    };
    tally.generation(Start::of(&request.prompt), totals).map_err(failed)
}

fn failed(problem: String) -> EngineError {
    EngineError::Failed { doing: WAITING, problem }
}
