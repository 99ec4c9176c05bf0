//! From settings to an engine that is ready to answer.

use super::candle::{self, CandleEngine};
use super::scripted::ScriptedEngine;
use super::{Engine, EngineError};
use crate::abilities::{EngineKind, Footprint};
use crate::condition::Settings;
use std::path::Path;

/// Opens the engine that the settings ask for (candle, if they ask for none); `base` is the plan's folder.
pub fn open(settings: &Settings, base: &Path) -> Result<Box<dyn Engine>, EngineError> {
    match settings.engine.or(EngineKind::Candle) {
        EngineKind::Candle => Ok(Box::new(CandleEngine::open(settings, base)?)),
        EngineKind::Scripted => Ok(Box::new(ScriptedEngine::open(settings)?)),
    }
}

/// Memory that the model will need under these settings, without loading it; `None` where another program holds it.
pub fn foresee(settings: &Settings, base: &Path) -> Result<Option<Footprint>, EngineError> {
    match settings.engine.or(EngineKind::Candle) {
        EngineKind::Candle => candle::foresee(settings, base).map(Some),
        EngineKind::Scripted => Ok(None),
    }
}

/// Environment variables that a process needs from its start for [`open`] to honour the settings in it: the thread pools
/// of the in-process engine are sized from the environment when they are first used, and cannot be changed afterwards.
pub fn process_environment(settings: &Settings) -> Vec<(&'static str, String)> {
    vec![("RAYON_NUM_THREADS", settings.threads.or(1).to_string())]
}
