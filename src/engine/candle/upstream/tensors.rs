//! The tensors of a Hugging Face folder as candle-transformers asks for them: by name and shape.

use super::family::Family;
use crate::engine::candle::checkpoint::HuggingFace;
use candle_core::{DType, Device, Error, Result, Shape, Tensor};
use candle_nn::Init;
use candle_nn::var_builder::{SimpleBackend, VarBuilder};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

/// The tensors, each widened to f32 when it is asked for.
struct Tensors<'data> {
    files: HuggingFace<'data>,
    family: &'static Family,
}

/// What a model is built from.
pub(super) fn weights<'data>(files: HuggingFace<'data>, family: &'static Family) -> VarBuilder<'data> {
    let tensors = Box::new(Tensors { files, family });
    VarBuilder::from_backend(tensors, DType::F32, Device::Cpu)
}

impl Tensors<'_> {
    /// The tensors that make up the one that is asked for, the first rows first.
    fn parts(&self, name: &str) -> Vec<String> {
        (self.family.stored_as)(name).unwrap_or_else(|| vec![name.to_owned()])
    }

    fn part(&self, name: &str) -> Result<Tensor> {
        let view = self.files.view(name).ok_or_else(|| Error::Msg(format!("tensor `{name}` is missing")))?;
        let dtype = format_of(&view).ok_or_else(|| {
            Error::Msg(format!("tensor `{name}` is stored as {:?}, which is not read", view.dtype()))
        })?;
        Tensor::from_raw_buffer(view.data(), dtype, view.shape(), &Device::Cpu)?.to_dtype(DType::F32)
    }
}

fn format_of(view: &TensorView<'_>) -> Option<DType> {
    match view.dtype() {
        Dtype::F32 => Some(DType::F32),
        Dtype::F16 => Some(DType::F16),
        Dtype::BF16 => Some(DType::BF16),
        _ => None,
    }
}

impl SimpleBackend for Tensors<'_> {
    fn get(&self, shape: Shape, name: &str, _: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        let tensor = self.get_unchecked(name, dtype, device)?;
        if tensor.shape() == &shape {
            return Ok(tensor);
        }
        let (found, expected) = (tensor.shape(), shape);
        Err(Error::Msg(format!("tensor `{name}` is {found:?}, and the model's sizes make it {expected:?}")))
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> Result<Tensor> {
        let parts = self.parts(name).iter().map(|part| self.part(part)).collect::<Result<Vec<_>>>()?;
        match parts.as_slice() {
            [one] => Ok(one.clone()),
            many => Tensor::cat(many, 0),
        }
    }

    fn contains_tensor(&self, name: &str) -> bool {
        self.parts(name).iter().all(|part| self.files.view(part).is_some())
    }
}
