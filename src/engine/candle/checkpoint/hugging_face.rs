//! The safetensors files of a Hugging Face checkpoint.

use super::contract::{Checkpoint, CheckpointError};
use super::part::Part;
use super::stored::Stored;
use candle_core::quantized::GgmlDType;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

/// Where the decoder's tensors stand: alone, or beside those of a model that also sees.
const PREFIXES: [&str; 3] = ["", "language_model.", "model.language_model."];

/// The safetensors files of one checkpoint.
#[derive(Debug)]
pub(in crate::engine::candle) struct HuggingFace<'data> {
    shards: Vec<SafeTensors<'data>>,
    norms_after: bool,
}

impl<'data> HuggingFace<'data> {
    /// Reads the headers; `shards` are the files' bytes. `norms_after` decides what a name means (see [`Part`]).
    pub(in crate::engine::candle) fn open(
        shards: impl IntoIterator<Item = &'data [u8]>,
        norms_after: bool,
    ) -> Result<Self, CheckpointError> {
        let read = |bytes| {
            SafeTensors::deserialize(bytes).map_err(|error| CheckpointError::Unreadable(error.to_string()))
        };
        Ok(Self { shards: shards.into_iter().map(read).collect::<Result<_, _>>()?, norms_after })
    }

    /// Numbers in all tensors together.
    pub(in crate::engine::candle) fn elements(&self) -> usize {
        let tensors = self.shards.iter().flat_map(SafeTensors::iter);
        tensors.map(|(_, view)| view.shape().iter().product::<usize>()).sum()
    }

    /// A tensor by its name in the files.
    pub(in crate::engine::candle) fn view(&self, name: &str) -> Option<TensorView<'data>> {
        self.shards.iter().find_map(|shard| shard.tensor(name).ok())
    }
}

impl Checkpoint for HuggingFace<'_> {
    fn find(&self, part: Part) -> Result<Option<Stored<'_>>, CheckpointError> {
        let name = self.name_of(part);
        let inner = name.strip_prefix("model.").unwrap_or(&name);
        let names = PREFIXES.iter().map(|prefix| match *prefix {
            "model.language_model." => format!("{prefix}{inner}"),
            _ => format!("{prefix}{name}"),
        });
        let Some((name, view)) = names.into_iter().find_map(|name| Some((name.clone(), self.view(&name)?)))
        else {
            return Ok(None);
        };
        let dtype = format_of(view.dtype()).ok_or_else(|| CheckpointError::Stored {
            name: name.clone(),
            found: format!("{:?}", view.dtype()),
        })?;
        let (rows, columns) = match view.shape() {
            [columns] => (1, *columns),
            [rows, columns] => (*rows, *columns),
            other => {
                return Err(CheckpointError::Stored { name, found: format!("{} dimensions", other.len()) });
            }
        };
        Stored { name, rows, columns, dtype, bytes: view.data() }.checked().map(Some)
    }

    fn name_of(&self, part: Part) -> String {
        match part {
            Part::Embedding => "model.embed_tokens.weight".to_owned(),
            Part::Head => "lm_head.weight".to_owned(),
            Part::FinalNorm => "model.norm.weight".to_owned(),
            Part::Layer(layer, part) => {
                format!("model.layers.{layer}.{}", part.hugging_face(self.norms_after))
            }
        }
    }
}

fn format_of(dtype: Dtype) -> Option<GgmlDType> {
    match dtype {
        Dtype::F32 => Some(GgmlDType::F32),
        Dtype::F16 => Some(GgmlDType::F16),
        Dtype::BF16 => Some(GgmlDType::BF16),
        _ => None,
    }
}
