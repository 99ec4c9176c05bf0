//! The embedded model as a folder in the Hugging Face layout.

use planrun::engine::pico::assets;
use tempfile::TempDir;

pub(crate) fn pico_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let assets = assets();
    for (name, bytes) in [
        ("config.json", assets.config.as_bytes()),
        ("tokenizer.json", assets.tokenizer.as_bytes()),
        ("tokenizer_config.json", assets.tokenizer_config.as_bytes()),
        ("model.safetensors", assets.weights),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}
