//! Oddities of real GGUF files, each with the public report that it was told in.

use crate::support::gguf::{GgufFile, Value, file, model};
use planrun::engine::gguf::{Flaw, Gguf, GgufError};
use tempfile::TempDir;

fn open(file: &GgufFile) -> (TempDir, Result<Gguf, GgufError>) {
    let folder = tempfile::tempdir().unwrap();
    let gguf = Gguf::open(&file.write(folder.path(), "model.gguf"));
    (folder, gguf)
}

/// llama.cpp #3957: nothing in the file says its byte order, and both begin with `GGUF`.
#[test]
fn a_big_endian_file_is_called_so() {
    let (_folder, gguf) = open(&GgufFile { big_endian: true, ..model() });
    let error = gguf.unwrap_err();
    assert!(matches!(error.flaw, Flaw::BigEndian(3)), "{error}");
    assert!(error.to_string().contains("gguf_convert_endian.py"), "{error}");
}

/// llama.cpp PR #3552, ollama PR #4938: a big-endian header that ends early.
#[test]
fn a_big_endian_file_cut_off_is_called_cut_off_at_the_right_key() {
    let whole = GgufFile { big_endian: true, ..model() }.bytes();
    let at = whole.windows(17).position(|bytes| bytes == b"general.file_type").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, &whole[..at + 17 + 4 + 3]).unwrap();
    let error = Gguf::open(&path).unwrap_err().to_string();
    let shown = "in the big-endian header, metadata key 3 of 3, `general.file_type`: 4 more bytes were expected, 3 are";
    assert!(error.contains("cut off") && error.contains(shown), "{error}");
}

/// textgen PR #6082: version 1 has counts of 4 bytes.
#[test]
fn version_1_is_refused_and_version_2_read() {
    let (_folder, gguf) = open(&GgufFile { version: 1, ..model() });
    assert!(matches!(gguf.unwrap_err().flaw, Flaw::Version(1)));
    let (_folder, gguf) = open(&GgufFile { version: 2, ..model() });
    assert_eq!(gguf.unwrap().metadata().unsigned("llama.context_length").unwrap(), Some(4096));
}

/// amd-r9700-ai-toolboxes PR #8: the architecture need not come first.
#[test]
fn the_architecture_may_come_last() {
    let file = file()
        .with("llama.context_length", Value::I64(512))
        .with("llama.rope.freq_base", Value::F64(1e6))
        .with("general.architecture", Value::Text("llama"));
    let (_folder, gguf) = open(&file);
    let gguf = gguf.unwrap();
    let key = gguf.arch_key("context_length").unwrap();
    assert_eq!(gguf.metadata().unsigned(&key).unwrap(), Some(512));
    assert_eq!(gguf.metadata().float("llama.rope.freq_base").unwrap(), Some(1e6));
}

/// mistral.rs PR #2215: a key that is missing or of another type is an error with its name.
#[test]
fn a_missing_context_length_is_named() {
    let (_folder, gguf) = open(&file().with("general.architecture", Value::Text("llama")));
    let gguf = gguf.unwrap();
    let key = gguf.arch_key("context_length").unwrap();
    let metadata = gguf.metadata();
    let error = metadata.need(&key, metadata.unsigned(&key).unwrap()).unwrap_err().to_string();
    assert!(error.contains("`llama.context_length`: it is missing"), "{error}");
}

/// huggingface.js #794: `general.file_type` counts mixtures, not formats, and may be missing.
#[test]
fn the_file_type_is_a_label_and_the_table_decides() {
    let (_folder, gguf) = open(&model().instead("general.file_type", Value::U32(15)));
    let gguf = gguf.unwrap();
    assert_eq!(gguf.file_type().unwrap().as_deref(), Some("Q4_K_M"));
    assert_eq!(gguf.dominant_format().unwrap().name(), "Q4_0");
    let (_folder, gguf) = open(&file());
    assert_eq!(gguf.unwrap().file_type().unwrap(), None);
    let (_folder, gguf) = open(&model().instead("general.file_type", Value::U32(1024)));
    assert_eq!(gguf.unwrap().file_type().unwrap().as_deref(), Some("file_type 1024"));
}

/// llama.cpp #8264: a file of another kind shows what it begins with.
#[test]
fn the_wrong_magic_is_shown() {
    let (_folder, gguf) = open(&GgufFile { magic: *b"U\x01\0\0", ..model() });
    assert!(gguf.unwrap_err().to_string().contains("\"U\\x01\\x00\\x00\""));
}
