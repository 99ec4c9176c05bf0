//! From a checkpoint to the files of a Hugging Face model folder.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use tokenizers::Tokenizer;

use super::parameters::Parameters;
use super::run::TrainError;
use crate::engine::pico::{Shape, tokenizer_config};

/// Writes `model.safetensors` (bf16), `config.json`, `tokenizer.json` and `tokenizer_config.json` of the
/// checkpoint `checkpoint.safetensors` in `training` into the folder `target`.
pub fn export_assets(training: &Path, target: &Path) -> Result<(), TrainError> {
    let shape = Shape::PICO;
    let tensors = candle_core::safetensors::load(training.join("checkpoint.safetensors"), &Device::Cpu)?;
    let parameters = Parameters::from_tensors(&shape, &tensors)?;
    let mut weights: HashMap<String, Tensor> = HashMap::new();
    for parameter in parameters.list() {
        weights.insert(parameter.name.clone(), parameter.var.as_tensor().to_dtype(DType::BF16)?);
    }
    fs::create_dir_all(target)?;
    // transformers refuses a file that does not name its tensor format.
    let format = HashMap::from([("format".to_owned(), "pt".to_owned())]);
    fs::write(target.join("model.safetensors"), safetensors::serialize(&weights, Some(format))?)?;

    let tokenizer_file = training.join("tokenizer.json");
    let tokenizer = Tokenizer::from_file(&tokenizer_file)?;
    let id = |token| tokenizer.token_to_id(token).ok_or(TrainError::MissingToken(token));
    let config = shape.config_json(id("<|im_end|>")?, id("<|endoftext|>")?);
    fs::write(target.join("config.json"), format!("{config:#}\n"))?;
    fs::write(target.join("tokenizer_config.json"), format!("{:#}\n", tokenizer_config()))?;
    fs::copy(tokenizer_file, target.join("tokenizer.json"))?;
    Ok(())
}
