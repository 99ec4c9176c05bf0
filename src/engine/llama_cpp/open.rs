//! From a server that answers to an engine.

use super::launch::Started;
use super::props::Props;
use super::request::held;
use super::speaker::LlamaServer;
use super::speculation::started_with;
use crate::condition::{CacheState, Observed, Runtime};
use crate::engine::EngineError;
use crate::engine::http::Client;
use crate::engine::openai;
use crate::engine::outside::{Constraint, LocalFiles, Opening, Outside};

/// Text on which tokenizers differ: digits, blanks, line ends, letters beyond ASCII, marks.
const PROBE: &str =
    "Hello world, 1234 + 56 = x?\n\n  An indented \"line\" - l'été, Größe, 東京 <b>!</b>\t(end)";

/// Opens the server that planrun started, or the one that the settings name.
pub(in crate::engine) fn open(opening: &Opening<'_>) -> Result<Outside, EngineError> {
    let files = opening.files()?;
    let client = openai::client(opening)?;
    let props = Props::read(&client)?;
    check_settings(opening, &props, &client)?;
    check_model(&files, &props, &client)?;
    let observed = observed(opening, &files, &props)?;
    let constraint = opening.constraint()?;
    let speaker = LlamaServer {
        client,
        held: constraint.as_ref().map(held).unwrap_or_default(),
        holding: constraint.as_ref().map(Constraint::setting),
        context: props.context as usize,
        reuse: opening.settings.prefix_cache.get() == Some(&CacheState::Warm),
        process: opening.endpoint.map(|endpoint| endpoint.process),
    };
    let engine = Outside::new(Some(files), observed, opening.settings.thinking, Box::new(speaker));
    Ok(engine.held_to(constraint))
}

/// A server that was there already does what it was started with: settings that only a start can honour are refused, but for a
/// context that happens to be the same.
fn check_settings(opening: &Opening<'_>, props: &Props, client: &Client) -> Result<(), EngineError> {
    let settings = opening.settings;
    let other_context = settings.context_length.get().is_some_and(|asked| *asked != props.context);
    let only_at_start = [
        ("threads", settings.threads.get().is_some()),
        ("kv_cache_dtype", settings.kv_cache_dtype.get().is_some()),
        ("prefill_chunk", settings.prefill_chunk.get().is_some()),
        ("placement", settings.placement.get().is_some()),
        ("speculation", settings.speculation.get().is_some()),
        ("context_length", other_context),
    ];
    if opening.endpoint.is_none() && props.slots != 1 {
        return Err(shared(client, props.slots));
    }
    if opening.endpoint.is_some() && other_context {
        return Err(EngineError::Unsupported {
            field: "context_length",
            problem: format!("llama-server set up {} tokens of context instead", props.context),
            remedy: "ask for at most what the model was made for, and for a multiple of 256".to_owned(),
        });
    }
    match only_at_start.into_iter().find(|(_, stated)| *stated) {
        Some((field, _)) if opening.endpoint.is_none() => Err(EngineError::Unsupported {
            field,
            problem: format!(
                "the server at {} was started by somebody else, and keeps its own",
                client.base()
            ),
            remedy: "take it out, or take `url` out and let planrun start the server".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Slots share the key/value cache and the threads: what one request costs would depend on who else asks.
fn shared(client: &Client, slots: u64) -> EngineError {
    EngineError::Unsupported {
        field: "url",
        problem: format!("the server at {} answers {slots} requests at once", client.base()),
        remedy: "start it with `-np 1`, or take `url` out and let planrun start the server".to_owned(),
    }
}

/// The server must hold the very file that the prompts are written with: it has its name, and cuts text as we do.
fn check_model(files: &LocalFiles, props: &Props, client: &Client) -> Result<(), EngineError> {
    let ours = files.path.file_name().unwrap_or_default().to_string_lossy();
    let other = |problem: String| EngineError::Unsupported {
        field: "model",
        problem,
        remedy: "name the file that the server was started with".to_owned(),
    };
    if !props.model_file().is_empty() && props.model_file() != ours {
        let problem = format!("the server at {} holds {}, not {ours}", client.base(), props.model_file());
        return Err(other(problem));
    }
    let (written, read) = (files.prompts.vocabulary.encode(PROBE)?, LlamaServer::ids_of(client, PROBE)?);
    if written == read {
        return Ok(());
    }
    Err(other(format!(
        "the server's tokenizer cuts a text into {} tokens {read:?}, and that of {ours}, as planrun reads it, into {} \
         {written:?}",
        read.len(),
        written.len()
    )))
}

/// What a server was started with by us is as good as read; of one that was there already only what it tells is known: it holds
/// a file of the same name, and nobody has read which.
fn observed(opening: &Opening<'_>, files: &LocalFiles, props: &Props) -> Result<Observed, EngineError> {
    let started_by_us = opening.endpoint.is_some();
    let mut found = if started_by_us { files.observed.clone() } else { files.observed_prompts() };
    found.context_length = props.context.into();
    found.runtime = Runtime {
        name: "llama.cpp".to_owned(),
        version: props.build.clone(),
        binary: opening.endpoint.and_then(|endpoint| endpoint.binary.clone()),
    }
    .into();
    if started_by_us {
        let started = Started::with(opening.settings);
        found.threads = started.threads.into();
        found.kv_cache_dtype = started.kv_cache_dtype.into();
        found.prefill_chunk = started.prefill_chunk.into();
        found.speculation = started_with(opening.settings, opening.base)?;
        // Without a device nothing can lie elsewhere; of layers that were asked onto one, nobody tells where they went.
        if opening.settings.placement.get().is_some_and(|place| place == "cpu") {
            found.placement = opening.settings.placement.clone();
        }
    }
    opening.observe(&mut found);
    Ok(found)
}
