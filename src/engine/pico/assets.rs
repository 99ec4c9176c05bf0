//! The files of the shipped model, embedded in the binary.

/// The embedded model's files, in the formats of a Hugging Face model folder.
#[derive(Debug, Clone, Copy)]
pub struct Assets {
    /// `model.safetensors`: bf16 weights under the Qwen3 tensor names; the output head is the embedding.
    pub weights: &'static [u8],
    /// `config.json` (Qwen3).
    pub config: &'static str,
    /// `tokenizer.json` (byte-level BPE).
    pub tokenizer: &'static str,
    /// `tokenizer_config.json`, with the chat template.
    pub tokenizer_config: &'static str,
}

/// The embedded model's files.
pub fn assets() -> Assets {
    Assets {
        weights: include_bytes!("assets/model.safetensors"),
        config: include_str!("assets/config.json"),
        tokenizer: include_str!("assets/tokenizer.json"),
        tokenizer_config: include_str!("assets/tokenizer_config.json"),
    }
}
