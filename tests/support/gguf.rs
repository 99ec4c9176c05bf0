//! Small GGUF files, right or wrong on purpose.

use std::path::{Path, PathBuf};

/// A metadata value; `Raw` is a type number and any bytes.
#[derive(Clone)]
pub(crate) enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    Text(&'static str),
    Owned(String),
    U64(u64),
    I64(i64),
    F64(f64),
    /// Type number of the elements and the elements.
    Array(u32, Vec<Value>),
    /// Type number and bytes.
    Raw(u32, Vec<u8>),
}

/// A line of the tensor table, with the weights that it stands for.
#[derive(Clone)]
pub(crate) struct Tensor {
    pub(crate) name: Vec<u8>,
    pub(crate) shape: Vec<u64>,
    pub(crate) format: u32,
    pub(crate) bytes: Vec<u8>,
    /// Instead of the place behind the tensor before.
    pub(crate) offset: Option<u64>,
}

/// What is written.
#[derive(Clone)]
pub(crate) struct GgufFile {
    pub(crate) magic: [u8; 4],
    pub(crate) version: u32,
    pub(crate) big_endian: bool,
    pub(crate) alignment: usize,
    pub(crate) entries: Vec<(Vec<u8>, Value)>,
    pub(crate) tensors: Vec<Tensor>,
    /// Instead of the true number of keys.
    pub(crate) entry_count: Option<u64>,
    /// Instead of the true number of tensors.
    pub(crate) tensor_count: Option<u64>,
}

pub(crate) fn file() -> GgufFile {
    GgufFile {
        magic: *b"GGUF",
        version: 3,
        big_endian: false,
        alignment: 32,
        entries: Vec::new(),
        tensors: Vec::new(),
        entry_count: None,
        tensor_count: None,
    }
}

/// A model of two tensors: `a` with 64 weights in `Q4_0`, `b` with 8 in `F32`.
pub(crate) fn model() -> GgufFile {
    file()
        .with("general.architecture", Value::Text("llama"))
        .with("llama.context_length", Value::U32(4096))
        .with("general.file_type", Value::U32(2))
        .tensor("a", &[32, 2], 2, vec![1; 36])
        .tensor("b", &[8], 0, vec![2; 32])
}

impl GgufFile {
    pub(crate) fn with(mut self, key: &str, value: Value) -> Self {
        self.entries.push((key.as_bytes().to_vec(), value));
        self
    }

    /// Another value for a key that is there.
    pub(crate) fn instead(mut self, key: &str, value: Value) -> Self {
        self.entries.retain(|(other, _)| other != key.as_bytes());
        self.with(key, value)
    }

    pub(crate) fn tensor(mut self, name: &str, shape: &[u64], format: u32, bytes: Vec<u8>) -> Self {
        let (name, shape) = (name.as_bytes().to_vec(), shape.to_vec());
        self.tensors.push(Tensor { name, shape, format, bytes, offset: None });
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = Writer { bytes: self.magic.to_vec(), big_endian: self.big_endian };
        out.number(self.version.to_le_bytes());
        out.count(self.tensor_count.unwrap_or(self.tensors.len() as u64));
        out.count(self.entry_count.unwrap_or(self.entries.len() as u64));
        for (key, value) in &self.entries {
            out.string(key);
            out.number(value.kind().to_le_bytes());
            out.value(value);
        }
        let mut behind = 0;
        for tensor in &self.tensors {
            out.string(&tensor.name);
            out.number((tensor.shape.len() as u32).to_le_bytes());
            tensor.shape.iter().for_each(|side| out.count(*side));
            out.number(tensor.format.to_le_bytes());
            out.count(tensor.offset.unwrap_or(behind));
            behind = (behind + tensor.bytes.len() as u64).next_multiple_of(self.alignment as u64);
        }
        for tensor in &self.tensors {
            let start = out.bytes.len().next_multiple_of(self.alignment);
            out.bytes.resize(start, 0);
            out.bytes.extend(&tensor.bytes);
        }
        out.bytes
    }

    /// Writes the file into `folder`.
    pub(crate) fn write(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, self.bytes()).unwrap();
        path
    }
}

impl Value {
    fn kind(&self) -> u32 {
        match self {
            Self::U8(_) => 0,
            Self::I8(_) => 1,
            Self::U16(_) => 2,
            Self::I16(_) => 3,
            Self::U32(_) => 4,
            Self::I32(_) => 5,
            Self::F32(_) => 6,
            Self::Bool(_) => 7,
            Self::Text(_) | Self::Owned(_) => 8,
            Self::Array(..) => 9,
            Self::U64(_) => 10,
            Self::I64(_) => 11,
            Self::F64(_) => 12,
            Self::Raw(kind, _) => *kind,
        }
    }
}

struct Writer {
    bytes: Vec<u8>,
    big_endian: bool,
}

impl Writer {
    /// `number` comes with its least significant byte first.
    fn number<const N: usize>(&mut self, mut number: [u8; N]) {
        if self.big_endian {
            number.reverse();
        }
        self.bytes.extend(number);
    }

    fn count(&mut self, count: u64) {
        self.number(count.to_le_bytes());
    }

    fn string(&mut self, text: &[u8]) {
        self.count(text.len() as u64);
        self.bytes.extend(text);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::U8(value) => self.number(value.to_le_bytes()),
            Value::I8(value) => self.number(value.to_le_bytes()),
            Value::U16(value) => self.number(value.to_le_bytes()),
            Value::I16(value) => self.number(value.to_le_bytes()),
            Value::U32(value) => self.number(value.to_le_bytes()),
            Value::I32(value) => self.number(value.to_le_bytes()),
            Value::F32(value) => self.number(value.to_le_bytes()),
            Value::Bool(value) => self.number([u8::from(*value)]),
            Value::Text(value) => self.string(value.as_bytes()),
            Value::Owned(value) => self.string(value.as_bytes()),
            Value::U64(value) => self.number(value.to_le_bytes()),
            Value::I64(value) => self.number(value.to_le_bytes()),
            Value::F64(value) => self.number(value.to_le_bytes()),
            Value::Raw(_, bytes) => self.bytes.extend(bytes),
            Value::Array(kind, elements) => {
                self.number(kind.to_le_bytes());
                self.count(elements.len() as u64);
                for element in elements {
                    self.value(element);
                }
            }
        }
    }
}
