//! From text to token ids and back: the tokenizer of a Hugging Face folder (`tokenizer.json`) or of a GGUF file
//! (`tokenizer.ggml.*`), and the tokens that mean something to the engine. Chat templates are rendered elsewhere.

mod byte_level;
mod coder;
mod control_tokens;
mod definition;
mod known_tokens;
mod pre_tokenizer;
mod sentence_piece;
mod special_split;
mod token_list;

pub(super) use definition::{chat_template, special_tokens};
pub use known_tokens::Vocabulary;
