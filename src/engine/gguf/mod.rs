//! Reader of GGUF files, versions 2 and 3: metadata, tensor table and weights, mapped into memory and over all parts of
//! a split model. Nothing is computed with the weights here, and no key of an architecture is interpreted.
//! Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

mod cursor;
mod error;
mod file_type;
mod ggml_type;
mod header;
mod metadata;
mod model;
mod shards;
mod tensor;
mod value;

pub use error::{Flaw, GgufError};
pub use ggml_type::GgmlType;
pub use metadata::Metadata;
pub use model::{FormatShare, Gguf};
pub(super) use shards::paths_of_parts;
pub use tensor::GgufTensor;
