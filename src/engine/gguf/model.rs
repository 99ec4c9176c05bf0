//! A model in GGUF: one file or all parts of it.

use super::error::{Flaw, GgufError};
use super::file_type;
use super::ggml_type::GgmlType;
use super::header::Header;
use super::metadata::Metadata;
use super::shards::{PartName, check_part, check_tensors};
use super::tensor::{GgufTensor, TensorInfo};
use crate::engine::mapped::map;
use crate::engine::weights_hash;
use crate::fingerprint;
use memmap2::Mmap;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// An opened model. Nothing of its weights is in memory until it is looked at.
#[derive(Debug)]
pub struct Gguf {
    /// In order; the first one's metadata is that of the model.
    parts: Vec<Part>,
    /// Part and line in its table, by name.
    tensors: HashMap<String, (usize, usize)>,
}

#[derive(Debug)]
struct Part {
    path: PathBuf,
    map: Mmap,
    header: Header,
}

/// How much of a model is stored in one number format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatShare {
    /// The format.
    pub format: GgmlType,
    /// Tensors in it.
    pub tensors: usize,
    /// Weights in it.
    pub elements: u64,
    /// Bytes that they take.
    pub bytes: u64,
}

impl Gguf {
    /// Opens a file, or with it all other parts of a split model, whichever part is named.
    ///
    /// # Errors
    /// Names the file and the place in it: anything that is not GGUF version 2 or 3, is cut off, has counts, offsets or
    /// names that cannot be, or parts that do not belong together.
    pub fn open(path: &Path) -> Result<Self, GgufError> {
        let parts = match PartName::of(path) {
            Some(name) => name
                .parts(path)?
                .zip(1..)
                .map(|(path, number)| {
                    let part = Part::open(path)?;
                    check_part(part.metadata(), number, name.total)?;
                    Ok(part)
                })
                .collect::<Result<_, GgufError>>()?,
            None => vec![Part::open(path.to_owned())?],
        };
        let tensors = index(&parts)?;
        let model = Self { parts, tensors };
        check_tensors(model.metadata(), model.tensors.len())?;
        Ok(model)
    }

    /// The files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().map(|part| part.path.as_path())
    }

    /// The metadata of the model.
    pub fn metadata(&self) -> Metadata<'_> {
        self.parts[0].metadata()
    }

    /// `general.architecture`, like `llama`.
    pub fn architecture(&self) -> Result<&str, GgufError> {
        const KEY: &str = "general.architecture";
        let metadata = self.metadata();
        metadata.need(KEY, metadata.text(KEY)?)
    }

    /// A key of the architecture: `context_length` becomes `llama.context_length`.
    pub fn arch_key(&self, key: &str) -> Result<String, GgufError> {
        Ok(format!("{}.{key}", self.architecture()?))
    }

    /// The label that the quantizer left, like `Q4_K_M`. What the weights are stored in says [`Self::formats`].
    pub fn file_type(&self) -> Result<Option<String>, GgufError> {
        Ok(self.metadata().unsigned("general.file_type")?.map(file_type::label))
    }

    /// Looks a tensor up in all parts.
    pub fn tensor(&self, name: &str) -> Option<GgufTensor<'_>> {
        let (part, line) = *self.tensors.get(name)?;
        let part = &self.parts[part];
        Some(part.tensor(&part.header.tensors[line]))
    }

    /// All tensors, in the order of parts and tables.
    pub fn tensors(&self) -> impl Iterator<Item = GgufTensor<'_>> {
        self.parts.iter().flat_map(|part| part.header.tensors.iter().map(|info| part.tensor(info)))
    }

    /// What the weights of all parts are stored in, the format of most weights first.
    pub fn formats(&self) -> Vec<FormatShare> {
        let mut shares: BTreeMap<GgmlType, FormatShare> = BTreeMap::new();
        for tensor in self.tensors() {
            let format = tensor.ggml_type();
            let none = FormatShare { format, tensors: 0, elements: 0, bytes: 0 };
            let share = shares.entry(format).or_insert(none);
            share.tensors += 1;
            share.elements += tensor.elements() as u64;
            share.bytes += tensor.info.bytes();
        }
        let mut shares: Vec<FormatShare> = shares.into_values().collect();
        shares.sort_by_key(|share| std::cmp::Reverse(share.elements));
        shares
    }

    /// The format of most weights; `None` for a file without weights.
    pub fn dominant_format(&self) -> Option<GgmlType> {
        self.formats().first().map(|share| share.format)
    }

    /// Bits per weight over all tensors of all parts, norms and block scales included; `None` for a file without
    /// weights.
    pub fn bits_per_weight(&self) -> Option<f64> {
        let formats = self.formats();
        let elements: u64 = formats.iter().map(|share| share.elements).sum();
        let bytes: u64 = formats.iter().map(|share| share.bytes).sum();
        (elements > 0).then(|| bytes as f64 * 8.0 / elements as f64)
    }

    /// SHA-256 over the headers and sizes of all parts: cheap, and another model has another.
    pub fn header_fingerprint(&self) -> String {
        let of_part = |part: &Part| {
            let header = &part.map[..part.map.len().min(part.header.data as usize)];
            format!("{} {}", part.map.len(), fingerprint::of_bytes(header))
        };
        fingerprint::of_parts(self.parts.iter().map(of_part))
    }

    /// SHA-256 of the one file, or of the sequence of all parts' hashes. Files hashed before are looked up in the
    /// user's cache.
    pub fn weights_fingerprint(&self) -> Result<String, GgufError> {
        let paths: Vec<&Path> = self.paths().collect();
        weights_hash::of_files(&paths).map_err(|(path, error)| GgufError::new(&path, Flaw::Io(error)))
    }
}

impl Part {
    fn open(path: PathBuf) -> Result<Self, GgufError> {
        let map = map(&path).map_err(|error| GgufError::new(&path, Flaw::Io(error)))?;
        let header = Header::read(&map).map_err(|flaw| GgufError::new(&path, flaw))?;
        Ok(Self { path, map, header })
    }

    fn metadata(&self) -> Metadata<'_> {
        Metadata { path: &self.path, bytes: &self.map, entries: &self.header.entries }
    }

    fn tensor<'file>(&'file self, info: &'file TensorInfo) -> GgufTensor<'file> {
        let (start, end) = (self.header.data + info.place.start, self.header.data + info.place.end);
        GgufTensor { info, path: &self.path, bytes: &self.map[start as usize..end as usize] }
    }
}

/// Where each tensor is; a name in two parts is refused.
fn index(parts: &[Part]) -> Result<HashMap<String, (usize, usize)>, GgufError> {
    let mut places = HashMap::new();
    for (number, part) in parts.iter().enumerate() {
        for (line, info) in part.header.tensors.iter().enumerate() {
            if let Some((other, _)) = places.insert(info.name.clone(), (number, line)) {
                let other: &Part = &parts[other];
                let problem = format!("it is in {} too", other.path.display());
                return Err(GgufError::new(&part.path, Flaw::tensor(&info.name, problem)));
            }
        }
    }
    Ok(places)
}
