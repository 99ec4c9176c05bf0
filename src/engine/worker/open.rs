//! From settings to a worker that is ready to answer.

use super::backend::{Backend, wants_warm};
use super::error::Names;
use super::process::Process;
use super::protocol::{Ready, Said};
use super::speaker::WorkerSpeaker;
use crate::condition::{Observed, Runtime, Settings};
use crate::engine::EngineError;
use crate::engine::outside::{Opening, Outside, identity};
use crate::engine::shares::in_words;
use crate::fingerprint;

/// Starts the worker of `backend` and opens the model in it.
///
/// # Errors
/// When the model's files are not as they must be, there is no such interpreter, or the worker cannot open the model.
pub(in crate::engine) fn open(backend: Backend, opening: &Opening) -> Result<Outside, EngineError> {
    let Opening { settings, base, .. } = *opening;
    let files = opening.files()?;
    if files.path.is_file() {
        return Err(no_folder(backend, files.path));
    }
    let interpreter = backend.interpreter(settings, base)?;
    let names = Names { backend, interpreter, model: absolute(&files.path) };
    let (process, ready) = started(&names, settings)?;
    let mut observed = files.observed.clone();
    observe(&mut observed, &ready, &names, settings);
    let speaker = WorkerSpeaker {
        process,
        ends: files.prompts.vocabulary.end_ids().to_vec(),
        context: ready.context_length,
        warm: wants_warm(settings),
        accelerator_peak: None,
    };
    Ok(Outside::new(Some(files), observed, settings.thinking, Box::new(speaker)))
}

fn started(names: &Names, settings: &Settings) -> Result<(Process, Ready), EngineError> {
    let Names { backend, interpreter, model } = names;
    let mut command = Backend::command(interpreter, settings);
    let started = Process::start(&mut command, &backend.program_line());
    let mut process = started.map_err(|error| names.not_started(&error))?;
    process.say(&backend.opens(model, settings)).map_err(|how| names.ended_at_once(&how))?;
    match process.hear_first().map_err(|how| names.ended_at_once(&how))? {
        Said::Ready(ready) => Ok((process, ready)),
        Said::Error(trouble) => Err(names.not_opened(&trouble)),
        Said::Token { .. } | Said::End(_) => Err(names.ended_at_once("it answered before it was asked")),
    }
}

/// What the worker read of itself and of the model as it holds it.
fn observe(found: &mut Observed, ready: &Ready, names: &Names, settings: &Settings) {
    let known = |value: Option<&String>| value.cloned().map_or_else(Default::default, Into::into);
    found.runtime =
        Runtime { name: names.backend.name.to_owned(), version: version(ready), binary: binary(ready) }
            .into();
    found.placement = known(ready.device.as_ref());
    found.kv_cache_dtype = known(ready.cache.as_ref());
    found.threads = ready.threads.map_or_else(Default::default, Into::into);
    found.context_length = ready.context_length.map_or_else(Default::default, Into::into);
    found.prefill_chunk = names.backend.chunk(settings).map_or_else(Default::default, Into::into);
    if names.backend.converts && !ready.weights.is_empty() {
        found.quantization = in_words(ready.weights.clone()).into();
        found.bits_per_weight = bits(&ready.weights).map_or_else(Default::default, Into::into);
    }
}

/// `5.24.0 (torch 2.15.0, Python 3.11.7)`.
fn version(ready: &Ready) -> String {
    let own = ready.packages.first().map_or("unknown", |(_, version)| version);
    let others = ready.packages.iter().skip(1).map(|(name, version)| format!("{name} {version}"));
    let others: Vec<String> = others.chain([format!("Python {}", ready.python)]).collect();
    format!("{own} ({})", others.join(", "))
}

/// SHA-256 over the interpreter's hash and the digest of the libraries' files; `None` where one of them is not known. The
/// worker itself is not in it: like all that planrun does, it is governed by the harness version.
fn binary(ready: &Ready) -> Option<String> {
    let interpreter = identity(ready.executable.as_deref()?).ok()??;
    Some(fingerprint::of_parts([interpreter, ready.digest.clone()?]))
}

/// Mean bits of the layers' numbers, where each format has as many bits as its name says.
fn bits(weights: &[(String, usize)]) -> Option<f64> {
    let sized = |(name, count): &(String, usize)| {
        let bits: usize = name.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse().ok()?;
        Some((bits * count, *count))
    };
    let sized: Option<Vec<(usize, usize)>> = weights.iter().map(sized).collect();
    let (bits, count) = sized?.into_iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    Some(bits as f64 / count.max(1) as f64)
}

fn absolute(path: &std::path::Path) -> std::path::PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn no_folder(backend: Backend, path: std::path::PathBuf) -> EngineError {
    EngineError::Unusable {
        path,
        problem: format!("{} reads no GGUF file", backend.name),
        remedy: "name the folder that holds config.json and the safetensors files".to_owned(),
    }
}
