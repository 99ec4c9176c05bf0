//! What this engine cannot do is refused before anything is loaded.

use crate::condition::Settings;
use crate::engine::EngineError;

/// Context set up when neither plan nor model asks for less.
const DEFAULT_CONTEXT: usize = 8192;

/// Settings that this engine would have to ignore are refused instead.
pub(super) fn refuse_what_is_not_done(settings: &Settings) -> Result<(), EngineError> {
    let leave = "leave it out";
    if let Some(kind) = settings.kv_cache_dtype.get().filter(|kind| *kind != "f32") {
        return Err(unsupported("kv_cache_dtype", format!("`{kind}` is not held here"), "use `f32`"));
    }
    if let Some(place) = settings.placement.get().filter(|place| *place != "cpu") {
        return Err(unsupported("placement", format!("`{place}`: this engine computes on the CPU"), leave));
    }
    if settings.speculation.get().is_some() {
        return Err(unsupported("speculation", "this engine does not speculate yet".to_owned(), leave));
    }
    if settings.thinking_budget.get().is_some() {
        return Err(unsupported("thinking_budget", "this engine cannot limit reasoning".to_owned(), leave));
    }
    if let Some(many) = settings.batch_size.get().filter(|size| **size > 1) {
        return Err(unsupported("batch_size", format!("{many}: prompts are read one by one"), "use 1"));
    }
    let threads = candle_core::utils::get_num_threads() as u32;
    match settings.threads.get() {
        Some(asked) if *asked != threads => Err(unsupported(
            "threads",
            format!("{asked} asked for, but this process was started for {threads}"),
            "start it with RAYON_NUM_THREADS set to the number of threads",
        )),
        _ => Ok(()),
    }
}

/// Tokens of context to set up, `most` of them at most.
pub(super) fn context_length(settings: &Settings, most: usize) -> Result<usize, EngineError> {
    match settings.context_length.get() {
        Some(asked) if *asked as usize > most => Err(unsupported(
            "context_length",
            format!("{asked} asked for, and the model was made for {most}"),
            "ask for at most that",
        )),
        Some(0) => Err(unsupported("context_length", "0 holds no prompt".to_owned(), "ask for more")),
        Some(asked) => Ok(*asked as usize),
        None => Ok(most.min(DEFAULT_CONTEXT)),
    }
}

/// A setting that cannot be honoured.
pub(super) fn unsupported(field: &'static str, problem: String, remedy: &str) -> EngineError {
    EngineError::Unsupported { field, problem, remedy: remedy.to_owned() }
}
