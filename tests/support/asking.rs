//! One question to a scripted server with the interface of OpenAI, and what planrun reports of the reply.

use super::scripted_server::{Act, Answer, Asked, ScriptedServer};
use planrun::abilities::EngineKind;
use planrun::condition::{CacheState, Isolation, Mode, Settings, Stated, Workload};
use planrun::engine::{self, Engine};
use planrun::measure::{Item, measure};
use planrun::task::TaskSet;
use planrun::workload::{Job, drive};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Time between two pieces of a stream: enough for the reader to have read the first one by itself.
pub(crate) const GAP: Duration = Duration::from_millis(15);

/// What planrun reports of one reply.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) item: Item,
    pub(crate) warnings: Vec<String>,
    pub(crate) prefix_cache: Stated<CacheState>,
    metrics: Vec<(String, Option<f64>)>,
}

impl Told {
    /// `None` where it was not measured.
    pub(crate) fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|(metric, _)| metric == name).unwrap().1
    }

    /// Which of these metrics were measured.
    pub(crate) fn measured<'a>(&self, names: &[&'a str]) -> Vec<&'a str> {
        names.iter().copied().filter(|name| self.metric(name).is_some()).collect()
    }
}

pub(crate) fn settings(engine: EngineKind, url: &str) -> Settings {
    Settings {
        engine: engine.into(),
        model: "m".to_owned().into(),
        url: url.to_owned().into(),
        max_tokens: 8.into(),
        temperature: 0.0.into(),
        ..Settings::default()
    }
}

/// Opens the engine and asks it one question.
pub(crate) fn ask(settings: &Settings, base: &Path) -> Result<Told, String> {
    let mut engine = engine::open(settings, base, None).map_err(|error| error.to_string())?;
    ask_opened(engine.as_mut(), settings)
}

pub(crate) fn ask_opened(engine: &mut dyn Engine, settings: &Settings) -> Result<Told, String> {
    let tasks = TaskSet::parse(Path::new("t.jsonl"), b"{\"id\":\"a\",\"prompt\":\"Hi\"}").unwrap();
    let workload = Workload {
        name: "w".into(),
        mode: Mode::Single,
        tasks: Some("t.jsonl".into()),
        prompt_tokens: None,
        gen_tokens: None,
        passes: 1,
        quality: false,
        timing: true,
        isolation: Isolation::Run,
    };
    let job = Job { settings, workload: &workload, tasks: Some(&tasks), examples: None };
    let driven = drive(engine, &job, &mut |_| {}).map_err(|error| error.to_string())?;
    let measurement = measure(&driven.items, &driven.around);
    let metrics = measurement.metrics.iter().map(|(name, metric)| (name.clone(), metric.value));
    Ok(Told {
        item: driven.items[0].clone(),
        warnings: driven.warnings.iter().chain(&measurement.warnings).cloned().collect(),
        prefix_cache: driven.prefix_cache,
        metrics: metrics.collect(),
    })
}

/// A server that knows the model `m` and answers each conversation in this way.
pub(crate) fn server(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> ScriptedServer {
    ScriptedServer::new(move |asked| match asked.path.as_str() {
        "/v1/models" => Answer::json(&json!({ "data": [{ "id": "m", "owned_by": "scripted" }] })),
        "/version" => Answer::json(&json!({ "version": "1.0" })),
        "/v1/chat/completions" | "/v1/completions" => answer(asked),
        _ => Answer::whole(404, "text/plain", "not here"),
    })
}

/// Asks a server that streams these pieces.
pub(crate) fn streamed(acts: Vec<Act>) -> Result<Told, String> {
    answered(Answer::events(acts))
}

/// Asks a server that gives this answer.
pub(crate) fn answered(answer: Answer) -> Result<Told, String> {
    let server = server(move |_| answer.clone());
    ask(&settings(EngineKind::Openai, &server.url()), Path::new("."))
}

/// The pieces with a gap before each.
pub(crate) fn apart(pieces: Vec<Act>) -> Vec<Act> {
    pieces.into_iter().flat_map(|piece| [Act::Wait(GAP), piece]).collect()
}

pub(crate) fn send(bytes: impl AsRef<[u8]>) -> Act {
    Act::Send(bytes.as_ref().to_vec())
}

pub(crate) fn event(data: &Value) -> Act {
    send(format!("data: {data}\n\n"))
}

/// A message whose first choice has this delta.
pub(crate) fn delta(delta: &Value) -> Value {
    json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

/// The text of an answer.
pub(crate) fn says(text: &str) -> Act {
    event(&delta(&json!({ "content": text })))
}

/// The message that says why the reply ended.
pub(crate) fn finish(reason: &str) -> Act {
    event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))
}

/// The message with the counts, as vLLM and llama-server send it.
pub(crate) fn usage(prompt: u32, completion: u32) -> Act {
    event(&json!({ "choices": [], "usage": { "prompt_tokens": prompt, "completion_tokens": completion } }))
}

pub(crate) fn done() -> Act {
    send("data: [DONE]\n\n")
}
