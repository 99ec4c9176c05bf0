//! Everything that a resumed training needs, in one safetensors file.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use candle_core::{Device, Result, Tensor, bail};

use super::batches::Position;
use super::optimizer::Optimizer;
use super::parameters::Parameters;
use crate::engine::pico::Shape;

/// Name of the tensor with the counters of `Progress`.
const PROGRESS: &str = "progress";

/// How far a training has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Progress {
    /// Optimizer steps done.
    pub(super) step: usize,
    /// Tokens seen, without padding.
    pub(super) tokens: u64,
    /// Where the next batch stands.
    pub(super) position: Position,
}

/// Writes a checkpoint beside `path` and renames it over it.
pub(super) fn save(
    path: &Path,
    parameters: &Parameters,
    optimizer: &Optimizer,
    progress: Progress,
) -> Result<()> {
    let mut tensors: HashMap<String, Tensor> =
        optimizer.state(parameters).map(|(name, tensor)| (name, tensor.clone())).collect();
    for parameter in parameters.list() {
        tensors.insert(parameter.name.clone(), parameter.var.as_tensor().clone());
    }
    let Progress { step, tokens, position } = progress;
    let counters = [step as u64, tokens, position.buffer, position.batch as u64];
    let counters = counters.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    tensors.insert(PROGRESS.to_owned(), Tensor::new(&counters, &Device::Cpu)?);
    let unfinished = path.with_extension("partial");
    candle_core::safetensors::save(&tensors, &unfinished)?;
    Ok(fs::rename(&unfinished, path)?)
}

/// Reads a checkpoint.
pub(super) fn load(path: &Path, shape: &Shape) -> Result<(Parameters, Optimizer, Progress)> {
    let mut tensors = candle_core::safetensors::load(path, &Device::Cpu)?;
    let parameters = Parameters::from_tensors(shape, &tensors)?;
    let mut optimizer = Optimizer::new(&parameters)?;
    optimizer.restore(&parameters, |name| match tensors.remove(name) {
        Some(tensor) => Ok(tensor),
        None => bail!("{} holds no tensor {name}", path.display()),
    })?;
    let Some(counters) = tensors.get(PROGRESS) else { bail!("{} holds no progress", path.display()) };
    let counters = counters.to_vec1::<i64>()?;
    let [step, tokens, buffer, batch] = counters[..] else { bail!("{}: broken progress", path.display()) };
    let position = Position { buffer: buffer as u64, batch: batch as usize };
    Ok((parameters, optimizer, Progress { step: step as usize, tokens: tokens as u64, position }))
}
