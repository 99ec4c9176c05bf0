//! GGUF files that are as they should be: values, tensors and what is told of them.

use crate::support::gguf::{Value, file, model};
use planrun::engine::gguf::Gguf;
use tempfile::TempDir;

fn open(file: &crate::support::gguf::GgufFile) -> (TempDir, Gguf) {
    let folder = tempfile::tempdir().unwrap();
    let gguf = Gguf::open(&file.write(folder.path(), "model.gguf")).unwrap();
    (folder, gguf)
}

#[test]
fn all_types_of_values_are_read() {
    let numbers = [
        ("u8", Value::U8(250), 250.0),
        ("i8", Value::I8(-5), -5.0),
        ("u16", Value::U16(65_000), 65_000.0),
        ("i16", Value::I16(-30_000), -30_000.0),
        ("u32", Value::U32(4_000_000_000), 4e9),
        ("i32", Value::I32(-2_000_000_000), -2e9),
        ("u64", Value::U64(1 << 52), 4_503_599_627_370_496.0),
        ("i64", Value::I64(-1), -1.0),
        ("f32", Value::F32(0.5), 0.5),
        ("f64", Value::F64(1e300), 1e300),
    ];
    let all = numbers.iter().fold(file(), |file, (key, value, _)| file.with(key, value.clone()));
    let (_folder, gguf) = open(&all.with("text", Value::Text("ä")).with("flag", Value::Bool(true)));
    let metadata = gguf.metadata();
    for (key, _, expected) in numbers {
        assert_eq!(metadata.float(key).unwrap(), Some(expected), "{key}");
    }
    assert_eq!(metadata.text("text").unwrap(), Some("ä"));
    assert_eq!(metadata.flag("flag").unwrap(), Some(true));
    assert_eq!(metadata.unsigned("u64").unwrap(), Some(1 << 52));
    assert_eq!(metadata.keys().len(), 12);
}

#[test]
fn arrays_are_read_and_nested_ones_passed_over() {
    let inner = |numbers: [i32; 2]| Value::Array(5, numbers.map(Value::I32).to_vec());
    let texts = Value::Array(8, vec![Value::Text("a"), Value::Text(""), Value::Text("▁b")]);
    let file = file()
        .with("nested", Value::Array(9, vec![inner([1, 2]), inner([3, 4])]))
        .with("texts", texts)
        .with("flags", Value::Array(7, vec![Value::Bool(true), Value::Bool(false)]))
        .with("floats", Value::Array(6, vec![Value::F32(-1.5), Value::F32(2.0)]))
        .with("integers", Value::Array(4, vec![Value::U32(7), Value::U32(u32::MAX)]))
        .with("none", Value::Array(10, Vec::new()))
        .with("last", Value::U8(9));
    let (_folder, gguf) = open(&file);
    let metadata = gguf.metadata();
    assert_eq!(metadata.texts("texts").unwrap().unwrap(), ["a", "", "▁b"]);
    assert_eq!(metadata.floats("floats").unwrap().unwrap(), [-1.5, 2.0]);
    assert_eq!(metadata.integers("integers").unwrap().unwrap(), [7, u32::MAX.into()]);
    assert_eq!(metadata.integers("none").unwrap().unwrap(), [0; 0]);
    assert_eq!(metadata.unsigned("last").unwrap(), Some(9), "the nested array was passed over");
    assert!(metadata.is_array("nested") && !metadata.is_array("last"));
}

#[test]
fn an_absent_key_is_nothing_and_a_wrong_type_an_error_with_file_and_key() {
    let (_folder, gguf) = open(&model().with("negative", Value::I32(-1)));
    let metadata = gguf.metadata();
    assert_eq!(metadata.unsigned("no.such.key").unwrap(), None);
    for (error, shown) in [
        (metadata.text("llama.context_length").unwrap_err(), "it is 4096 (u32) instead of a string"),
        (metadata.unsigned("negative").unwrap_err(), "it is -1 (i32) instead of an integer of at least 0"),
        (metadata.flag("general.architecture").unwrap_err(), "it is of type string instead of a bool"),
        (metadata.texts("negative").unwrap_err(), "instead of an array of strings"),
        (metadata.need::<u64>("no.such.key", None).unwrap_err(), "`no.such.key`: it is missing"),
    ] {
        let message = error.to_string();
        assert!(message.contains("model.gguf") && message.contains(shown), "{message}");
    }
}

#[test]
fn tensors_come_with_shape_format_and_bytes() {
    let (_folder, gguf) = open(&model());
    let a = gguf.tensor("a").unwrap();
    assert_eq!((a.shape(), a.elements(), a.bytes().len()), (&[32, 2][..], 64, 36));
    assert_eq!(a.ggml_type().name(), "Q4_0");
    assert!(a.format().is_ok());
    let b = gguf.tensor("b").unwrap();
    assert!(a.bytes().iter().all(|byte| *byte == 1) && b.bytes().iter().all(|byte| *byte == 2));
    assert!(gguf.tensor("c").is_none());
    assert_eq!(gguf.tensors().map(|tensor| tensor.name()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn the_alignment_key_moves_the_weights() {
    let mut file = model().with("general.alignment", Value::U32(128));
    file.alignment = 128;
    let (_folder, gguf) = open(&file);
    assert!(gguf.tensor("b").unwrap().bytes().iter().all(|byte| *byte == 2));
}

#[test]
fn a_format_that_candle_lacks_is_refused_by_name_when_it_is_computed_with() {
    let (_folder, gguf) = open(&model().tensor("c", &[256], 23, vec![0; 136]));
    let error = gguf.tensor("c").unwrap().format().unwrap_err().to_string();
    assert!(error.contains("tensor `c`") && error.contains("IQ4_XS"), "{error}");
}

#[test]
fn bits_per_weight_come_from_the_table() {
    let (_folder, gguf) = open(&model());
    let bits = gguf.bits_per_weight().unwrap();
    assert!((bits - f64::from((36 + 32) * 8) / 72.0).abs() < 1e-12);
    let formats: Vec<_> = gguf.formats().iter().map(|share| (share.format.name(), share.elements)).collect();
    assert_eq!(formats, [("Q4_0", 64), ("F32", 8)]);
}

#[test]
fn a_file_without_weights_is_a_vocabulary() {
    let (_folder, gguf) = open(&file().with("general.architecture", Value::Text("qwen2")));
    assert_eq!(gguf.architecture().unwrap(), "qwen2");
    assert_eq!(gguf.arch_key("block_count").unwrap(), "qwen2.block_count");
    assert_eq!((gguf.bits_per_weight(), gguf.dominant_format()), (None, None));
}

#[test]
fn the_fingerprint_is_the_files_sha256() {
    let (folder, gguf) = open(&model());
    let bytes = std::fs::read(folder.path().join("model.gguf")).unwrap();
    assert_eq!(gguf.weights_fingerprint().unwrap(), planrun::fingerprint::of_bytes(&bytes));
    assert_eq!(gguf.paths().collect::<Vec<_>>(), [folder.path().join("model.gguf")]);
}
