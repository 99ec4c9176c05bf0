//! From settings to an engine that is ready to answer.

use super::candle::CandleEngine;
use super::model_files::{self, ModelFiles};
use super::{Engine, EngineError};
use crate::abilities::EngineKind;
use crate::condition::Settings;
use std::path::Path;

/// Name of the embedded model in a plan.
const PICO: &str = "pico";

/// Opens the engine that the settings ask for (candle, if they ask for none); `base` is the plan's folder.
pub fn open(settings: &Settings, base: &Path) -> Result<Box<dyn Engine>, EngineError> {
    match settings.engine.or(EngineKind::Candle) {
        EngineKind::Candle => {
            let files = files_of(settings, base)?;
            Ok(Box::new(CandleEngine::load(&files, settings, base)?))
        }
        EngineKind::Scripted => todo!(),
    }
}

fn files_of(settings: &Settings, base: &Path) -> Result<ModelFiles, EngineError> {
    match settings.model.get().map(String::as_str) {
        None => Err(EngineError::Unsupported {
            field: "model",
            problem: "no model is named".to_owned(),
            remedy: "set it to `pico` or to the folder of a model".to_owned(),
        }),
        Some(PICO) => Ok(ModelFiles::pico()),
        Some(model) => ModelFiles::read(&model_files::find(model, base)?),
    }
}
