//! Models of several files.

use crate::support::gguf::{GgufFile, Value, file, model};
use planrun::engine::gguf::Gguf;
use planrun::fingerprint;
use std::path::Path;
use tempfile::TempDir;

/// Two parts: the first holds the metadata and no tensor, the second both tensors and no architecture.
fn parts(count: &Value) -> [GgufFile; 2] {
    let split = |file: GgufFile, number| {
        file.with("split.no", Value::U16(number))
            .with("split.count", count.clone())
            .with("split.tensors.count", Value::I32(2))
    };
    let mut first = model();
    let mut second = file();
    second.tensors = std::mem::take(&mut first.tensors);
    [split(first, 0), split(second, 1)]
}

fn write(folder: &TempDir, prefix: &str, parts: &[GgufFile]) {
    for (part, number) in parts.iter().zip(1..) {
        part.write(folder.path(), &format!("{prefix}-{number:05}-of-{:05}.gguf", parts.len()));
    }
}

fn refusal(path: &Path) -> String {
    Gguf::open(path).unwrap_err().to_string()
}

#[test]
fn all_parts_are_found_from_any_of_them() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "a-00001-of-00002", &parts(&Value::U16(2)));
    for number in 1..=2 {
        let name = format!("a-00001-of-00002-0000{number}-of-00002.gguf");
        let gguf = Gguf::open(&folder.path().join(name)).unwrap();
        assert_eq!(gguf.architecture().unwrap(), "llama");
        assert_eq!(gguf.tensor("b").unwrap().shape(), [8]);
        assert_eq!(gguf.dominant_format().unwrap().name(), "Q4_0");
        assert!((gguf.bits_per_weight().unwrap() - 68.0 * 8.0 / 72.0).abs() < 1e-12);
    }
}

#[test]
fn the_fingerprint_covers_all_parts_in_order() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "a", &parts(&Value::U16(2)));
    let gguf = Gguf::open(&folder.path().join("a-00002-of-00002.gguf")).unwrap();
    let hashes = parts(&Value::U16(2)).map(|part| fingerprint::of_bytes(&part.bytes()));
    assert_eq!(gguf.weights_fingerprint().unwrap(), fingerprint::of_parts(hashes));
}

#[test]
fn a_missing_part_is_named() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "a", &parts(&Value::U16(2)));
    std::fs::remove_file(folder.path().join("a-00002-of-00002.gguf")).unwrap();
    let error = refusal(&folder.path().join("a-00001-of-00002.gguf"));
    assert!(error.contains("a-00002-of-00002.gguf: the file cannot be read"), "{error}");
}

#[test]
fn a_split_count_that_is_no_number_is_refused_by_key() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "a", &parts(&Value::Text("2")));
    let error = refusal(&folder.path().join("a-00001-of-00002.gguf"));
    assert!(error.contains("`split.count`: it is of type string"), "{error}");
}

#[test]
fn parts_of_different_splits_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "a", &parts(&Value::U16(3)));
    let error = refusal(&folder.path().join("a-00001-of-00002.gguf"));
    assert!(error.contains("`split.count`: it is 3, and by the file's name there are 2 parts"), "{error}");
    let [first, second] = parts(&Value::U16(2));
    write(&folder, "b", &[second, first]);
    let error = refusal(&folder.path().join("b-00001-of-00002.gguf"));
    assert!(error.contains("`split.no`: it is 1"), "{error}");
}

#[test]
fn a_tensor_in_two_parts_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = parts(&Value::U16(2));
    write(&folder, "a", &[first.tensor("b", &[8], 0, vec![0; 32]), second]);
    let error = refusal(&folder.path().join("a-00001-of-00002.gguf"));
    assert!(
        error.contains("tensor `b`: it is in ") && error.contains("a-00001-of-00002.gguf too"),
        "{error}"
    );
}

#[test]
fn one_of_one_is_a_whole_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = model().write(folder.path(), "a-00001-of-00001.gguf");
    assert_eq!(Gguf::open(&path).unwrap().tensors().count(), 2);
}

#[test]
fn a_file_put_together_from_parts_may_keep_their_count() {
    let folder = tempfile::tempdir().unwrap();
    let whole = model().with("split.count", Value::U16(3)).with("split.tensors.count", Value::I32(2));
    assert!(Gguf::open(&whole.write(folder.path(), "whole.gguf")).is_ok());
    let [first, _] = parts(&Value::U16(2));
    let error = refusal(&first.write(folder.path(), "renamed.gguf"));
    assert!(error.contains("the model has 2 tensors in all parts, and 0 are here"), "{error}");
}

#[test]
fn a_part_outside_its_total_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = model().write(folder.path(), "a-00004-of-00003.gguf");
    assert!(refusal(&path).contains("by its name it is part 4 of 3"));
}
