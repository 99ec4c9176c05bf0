//! From settings to an engine that is ready to answer.

use super::candle::{self, CandleEngine};
use super::outside::{Attached, Endpoint, Launch, Opening, OwnProgram, silent};
use super::scripted::ScriptedEngine;
use super::{Engine, EngineError, llama_cpp, mlc_llm, mlx_lm, ollama, openai, transformers};
use crate::abilities::{EngineKind, Footprint, ModelName, abilities_with, names_a_command_line};
use crate::condition::{Settings, Stated};
use std::path::Path;

/// Opens the engine that the settings ask for (candle, if they ask for none); `base` is the plan's folder, `endpoint` the
/// server that was started by [`launch`], where there was one to start.
pub fn open(
    settings: &Settings,
    base: &Path,
    endpoint: Option<&Endpoint>,
) -> Result<Box<dyn Engine>, EngineError> {
    let opening = Opening { settings, base, endpoint };
    can_hold(settings)?;
    match kind(settings) {
        EngineKind::Candle => Ok(Box::new(CandleEngine::open(settings, base)?)),
        EngineKind::LlamaCpp if is_command_line(settings) => {
            Ok(Box::new(llama_cpp::command_line::open(&opening)?))
        }
        EngineKind::LlamaCpp => Ok(Box::new(llama_cpp::open(&opening)?)),
        EngineKind::Ollama => Ok(Box::new(ollama::open(&opening)?)),
        EngineKind::MlxLm if mlx_lm::is_worker(settings) => Ok(Box::new(mlx_lm::open_worker(&opening)?)),
        EngineKind::MlxLm => Ok(Box::new(mlx_lm::open_server(&opening)?)),
        EngineKind::MlcLlm => Ok(Box::new(mlc_llm::open(&opening)?)),
        EngineKind::Transformers => Ok(Box::new(transformers::open(&opening)?)),
        EngineKind::Openai => Ok(Box::new(openai::open(&opening)?)),
        EngineKind::Scripted => Ok(Box::new(ScriptedEngine::open(settings)?)),
    }
}

/// Opens it only to write and count prompts: no program is started, and no server is asked.
pub fn open_to_write(settings: &Settings, base: &Path) -> Result<Box<dyn Engine>, EngineError> {
    let opening = Opening { settings, base, endpoint: None };
    let able = abilities_with(kind(settings), settings.program.get().map(String::as_str));
    match able.model {
        ModelName::Files if kind(settings) != EngineKind::Candle => {
            Ok(Box::new(silent(Some(opening.files()?), settings.thinking)))
        }
        ModelName::AtServer => Ok(Box::new(silent(opening.named_files()?, settings.thinking))),
        ModelName::Files | ModelName::Script => open(settings, base, None),
    }
}

/// The server that has to be started before [`open`], listening on `port` of 127.0.0.1; `None` for an engine in this
/// process, one that its own process starts, and one that runs already.
pub fn launch(settings: &Settings, base: &Path, port: u16) -> Result<Option<Launch>, EngineError> {
    if settings.url.get().is_some() {
        return Ok(None);
    }
    match kind(settings) {
        EngineKind::Candle | EngineKind::Scripted | EngineKind::Openai | EngineKind::Transformers => Ok(None),
        EngineKind::LlamaCpp if is_command_line(settings) => Ok(None),
        EngineKind::LlamaCpp => llama_cpp::launch(settings, base, port).map(Some),
        EngineKind::Ollama => ollama::launch(settings, base, port).map(Some),
        EngineKind::MlxLm if mlx_lm::is_worker(settings) => Ok(None),
        EngineKind::MlxLm => mlx_lm::launch_server(settings, base, port).map(Some),
        EngineKind::MlcLlm => mlc_llm::launch(settings, base, port).map(Some),
    }
}

/// The server at `url` that [`open`] will ask; `None` where the settings name none.
pub fn attached(settings: &Settings) -> Option<Attached> {
    let path = match kind(settings) {
        EngineKind::Candle | EngineKind::Scripted | EngineKind::Transformers => return None,
        EngineKind::LlamaCpp | EngineKind::MlxLm => "/health",
        EngineKind::Ollama => "/api/version",
        EngineKind::MlcLlm | EngineKind::Openai => "/v1/models",
    };
    let url = settings.url.get()?.trim_end_matches('/');
    Some(Attached { url: url.strip_suffix("/v1").unwrap_or(url).to_owned(), path })
}

/// The program that an engine starts itself, as far as all requests share it; `None` where it starts none.
///
/// # Errors
/// When it is not there, is nothing that could be started, or does not take what the settings ask for.
pub fn own_program(settings: &Settings, base: &Path) -> Result<Option<OwnProgram>, EngineError> {
    match kind(settings) {
        EngineKind::LlamaCpp if is_command_line(settings) => {
            llama_cpp::command_line::program(settings, base).map(Some)
        }
        EngineKind::MlxLm if mlx_lm::is_worker(settings) => mlx_lm::worker(settings, base).map(Some),
        EngineKind::Transformers => transformers::worker(settings, base).map(Some),
        _ => Ok(None),
    }
}

/// Finds out whether the key for a server that runs already is there, and can be sent.
///
/// # Errors
/// When the variable that `api_key` names is not set, or its value cannot stand in a request.
pub fn check_key(settings: &Settings) -> Result<(), EngineError> {
    openai::key(settings).map(drop)
}

/// Memory that the model will need under these settings, without loading it; `None` where another program holds it.
pub fn foresee(settings: &Settings, base: &Path) -> Result<Option<Footprint>, EngineError> {
    match kind(settings) {
        EngineKind::Candle => candle::foresee(settings, base).map(Some),
        _ => Ok(None),
    }
}

/// Environment variables that a process needs from its start for [`open`] to honour the settings in it: the thread pools
/// of the in-process engine are sized from the environment when they are first used, and cannot be changed afterwards.
pub fn process_environment(settings: &Settings) -> Vec<(&'static str, String)> {
    vec![("RAYON_NUM_THREADS", settings.threads.or(1).to_string())]
}

/// True if a program is started for each request, and none that stays.
fn is_command_line(settings: &Settings) -> bool {
    settings.program.get().is_some_and(|program| names_a_command_line(program))
}

/// A schema or a grammar that an engine would pass over in silence is refused, whoever opens it.
fn can_hold(settings: &Settings) -> Result<(), EngineError> {
    let able = abilities_with(kind(settings), settings.program.get().map(String::as_str));
    let stated = [("json_schema", &settings.json_schema), ("grammar", &settings.grammar)];
    let unable =
        |(field, value): &(&str, &Stated<String>)| value.get().is_some() && !able.optional.contains(field);
    stated.into_iter().find(unable).map_or(Ok(()), |(field, _)| {
        Err(EngineError::Unsupported {
            field,
            problem: format!("engine `{}` cannot hold replies to it", able.name),
            remedy: format!("take `{field}` out, or use another engine"),
        })
    })
}

fn kind(settings: &Settings) -> EngineKind {
    settings.engine.or(EngineKind::Candle)
}
