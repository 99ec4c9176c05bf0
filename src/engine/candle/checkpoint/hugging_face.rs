//! The safetensors files of a Hugging Face checkpoint, where they lie.

use super::contract::{Checkpoint, CheckpointError};
use super::part::Part;
use super::stored::Stored;
use crate::engine::safetensors_files::{INDEX, WeightFile, WeightFiles};
use candle_core::quantized::GgmlDType;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use std::collections::{BTreeMap, HashMap};

/// Where the decoder's tensors stand: alone, or beside those of a model that also sees.
const PREFIXES: [&str; 3] = ["", "language_model.", "model.language_model."];
/// Bytes before the header, which say how long it is.
const LENGTH: usize = 8;

/// The safetensors files of one checkpoint. Nothing of the weights is in memory until it is looked at.
#[derive(Debug)]
pub(in crate::engine::candle) struct HuggingFace<'data> {
    shards: Vec<SafeTensors<'data>>,
    /// The shard of each tensor.
    places: HashMap<String, usize>,
    norms_after: bool,
}

impl<'data> HuggingFace<'data> {
    /// Reads the headers. `norms_after` decides what a name means (see [`Part`]).
    pub(in crate::engine::candle) fn open(
        weights: &'data WeightFiles,
        norms_after: bool,
    ) -> Result<Self, CheckpointError> {
        let shards: Vec<SafeTensors<'data>> = weights.files.iter().map(read).collect::<Result<_, _>>()?;
        let places = places(&shards, &weights.files)?;
        if let Some(index) = &weights.index {
            check_index(index, &places, &weights.files)?;
        }
        Ok(Self { shards, places, norms_after })
    }

    /// Numbers in all tensors together.
    pub(in crate::engine::candle) fn elements(&self) -> usize {
        let tensors = self.shards.iter().flat_map(SafeTensors::iter);
        tensors.map(|(_, view)| view.shape().iter().product::<usize>()).sum()
    }

    /// A tensor by its name in the files.
    pub(in crate::engine::candle) fn view(&self, name: &str) -> Option<TensorView<'data>> {
        self.shards[*self.places.get(name)?].tensor(name).ok()
    }
}

fn read(file: &WeightFile) -> Result<SafeTensors<'_>, CheckpointError> {
    SafeTensors::deserialize(file.bytes()).map_err(|error| wrong(file, flaw(file.bytes(), &error)))
}

fn wrong(file: &WeightFile, problem: String) -> CheckpointError {
    CheckpointError::File { file: file.name().to_owned(), problem }
}

/// What is wrong with a file, with the numbers that the library leaves out.
fn flaw(bytes: &[u8], error: &SafeTensorError) -> String {
    let size = bytes.len();
    let header = bytes.first_chunk::<LENGTH>().map_or(0, |length| u64::from_le_bytes(*length));
    match error {
        _ if bytes.starts_with(b"version https://git-lfs") => {
            "it is a git-lfs pointer and no safetensors file: fetch the file itself".to_owned()
        }
        SafeTensorError::HeaderTooSmall => format!("it has {size} bytes, too few for a safetensors file"),
        SafeTensorError::HeaderTooLarge | SafeTensorError::InvalidHeaderLength => {
            format!("its header should have {header} bytes, which the {size} bytes of the file cannot hold")
        }
        SafeTensorError::MetadataIncompleteBuffer => {
            format!(
                "its tensors do not end where the file of {size} bytes does: it is cut off, or something was added"
            )
        }
        other => format!("not a readable safetensors file: {other}"),
    }
}

/// Where each tensor is; a name in two files is refused.
fn places(
    shards: &[SafeTensors<'_>],
    files: &[WeightFile],
) -> Result<HashMap<String, usize>, CheckpointError> {
    let mut places = HashMap::new();
    for (number, shard) in shards.iter().enumerate() {
        for name in shard.names() {
            if let Some(other) = places.insert(name.to_owned(), number) {
                let other = files[other].name();
                return Err(wrong(&files[number], format!("tensor `{name}` is in `{other}` too")));
            }
        }
    }
    Ok(places)
}

/// A tensor that is elsewhere than the index says: the files are not of one model. One that is nowhere is missed only if
/// it is needed; some indexes list tensors that were left out later.
fn check_index(
    index: &BTreeMap<String, String>,
    places: &HashMap<String, usize>,
    files: &[WeightFile],
) -> Result<(), CheckpointError> {
    for (tensor, claimed) in index {
        let Some(found) = places.get(tensor).map(|number| files[*number].name()) else { continue };
        if found != claimed {
            let problem = format!("tensor `{tensor}` should be in `{claimed}` and is in `{found}`");
            return Err(CheckpointError::File { file: INDEX.to_owned(), problem });
        }
    }
    Ok(())
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
