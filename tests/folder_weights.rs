//! Weights in safetensors files that are wrong: each gives an error that names the file and what is wrong with it.

use crate::support::folder::{Folder, WEIGHTS, ask, parts, safetensors, tensors, weights};
use serde_json::{Value, json};
use std::fs;

const INDEX: &str = "model.safetensors.index.json";
const QUERY: &str = "model.layers.0.self_attn.q_proj.weight";

fn refuses(content: impl AsRef<[u8]>, shown: &str) {
    let message = Folder::with(WEIGHTS, content).refusal();
    for part in [WEIGHTS, shown] {
        assert!(message.contains(part), "{part:?} is missing in {message}");
    }
}

/// The right file with another header.
fn with_header(change: impl FnOnce(&mut serde_json::Map<String, Value>)) -> Vec<u8> {
    let (mut header, data) = parts(&tensors());
    change(&mut header);
    safetensors(&Value::Object(header).to_string(), &data)
}

/// The right file in which one field of the query matrix is another.
fn query(field: &str, value: Value) -> Vec<u8> {
    with_header(|header| header[QUERY][field] = value)
}

#[test]
fn the_right_checkpoint_answers() {
    let mut engine = Folder::new().open().unwrap();
    assert!(ask(&mut engine).is_ok());
}

#[test]
fn files_that_are_no_safetensors_files_are_refused() {
    refuses(b"", "it has 0 bytes, too few");
    refuses([1, 2, 3, 4, 5, 6, 7], "it has 7 bytes, too few");
    refuses(u64::MAX.to_le_bytes(), "its header should have 18446744073709551615 bytes, which the 8 bytes");
    refuses([&99_999_999_u64.to_le_bytes()[..], b"{}"].concat(), "its header should have 99999999 bytes");
    refuses([&200_000_000_u64.to_le_bytes()[..], b"{}"].concat(), "its header should have 200000000 bytes");
    refuses(safetensors("", b""), "invalid JSON in header");
    refuses(safetensors("[1]", b""), "invalid JSON in header");
    refuses(safetensors("{\"a\": 1}", b""), "invalid JSON in header");
    refuses([&2_u64.to_le_bytes()[..], &[0xff, 0xfe]].concat(), "invalid UTF-8 in header");
    refuses(b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "git-lfs pointer");
    refuses(b"<!DOCTYPE html><html>Not found</html>", "its header should have");
    refuses(safetensors("{}", b""), "is missing");
}

#[test]
fn a_file_cut_or_lengthened_is_refused() {
    let whole = weights();
    for end in (0..whole.len()).step_by(whole.len() / 150) {
        let message = Folder::with(WEIGHTS, &whole[..end]).refusal();
        assert!(message.contains(WEIGHTS), "cut at {end}: {message}");
    }
    refuses(&whole[..whole.len() - 1], "it is cut off, or something was added");
    refuses([&whole[..], b"x"].concat(), "it is cut off, or something was added");
}

#[test]
fn tensors_must_lie_in_the_file_alone_and_whole() {
    refuses(query("data_offsets", json!([0, 512])), "invalid offset");
    refuses(query("data_offsets", json!([16_416, 16_929])), "invalid");
    refuses(query("data_offsets", json!([512, 0])), "invalid offset");
    refuses(query("data_offsets", json!([0, u64::MAX])), "invalid offset");
    refuses(query("data_offsets", json!([-1, 512])), "invalid JSON in header");
    refuses(query("data_offsets", json!([0])), "invalid JSON in header");
    refuses(query("shape", json!([1_u64 << 40, 1_u64 << 40])), "overflow");
    refuses(query("shape", json!([1_u64 << 40, 16])), "invalid shape");
    refuses(query("shape", json!([0, 16])), "invalid shape");
    refuses(query("shape", json!([-16, -16])), "invalid JSON in header");
    refuses(query("dtype", json!("F7")), "unknown variant `F7`");
    refuses(query("dtype", json!("F32")), "invalid shape");
    refuses(query("dtype", json!(7)), "invalid JSON in header");
}

#[test]
fn tensors_must_be_those_of_the_config() {
    refuses(query("dtype", json!("I16")), "tensor `model.layers.0.self_attn.q_proj.weight` is stored as I16");
    refuses(query("dtype", json!("U16")), "stored as U16, which is not read");
    refuses(query("shape", json!([8, 32])), "is 8 x 32, and the model's sizes make it 16 x 16");
    refuses(query("shape", json!([256])), "is 1 x 256, and the model's sizes make it 16 x 16");
    refuses(query("shape", json!([4, 4, 16])), "3 dimensions");
    refuses(query("shape", json!([1, 1, 1, 16, 16])), "5 dimensions");
    let renamed = with_header(|header| {
        let tensor = header.remove(QUERY).unwrap();
        header.insert("transformer.q".to_owned(), tensor);
    });
    refuses(renamed, "tensor `model.layers.0.self_attn.q_proj.weight` is missing");
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = Folder::new();
    fs::remove_file(folder.at(WEIGHTS)).unwrap();
    fs::create_dir(folder.at(WEIGHTS)).unwrap();
    let message = folder.refusal();
    assert!(message.contains("it is not a file"), "{message}");
}

#[test]
fn numbers_that_are_none_stop_the_reply_with_an_error() {
    for pattern in [0x7fc0_u16, 0x7f80, 0xff80] {
        let (header, mut data) = parts(&tensors());
        let last = data.len() - 2;
        data[..2].copy_from_slice(&pattern.to_le_bytes());
        data[last..].copy_from_slice(&pattern.to_le_bytes());
        let folder = Folder::with(WEIGHTS, safetensors(&Value::Object(header).to_string(), &data));
        let error = ask(&mut folder.open().unwrap()).unwrap_err().to_string();
        assert!(error.contains("not finite numbers"), "{error}");
    }
}

/// The right checkpoint in two files, `a` with the first so many tensors; the index is changed.
fn split(change: impl FnOnce(&mut serde_json::Map<String, Value>)) -> Folder {
    let folder = Folder::new();
    fs::remove_file(folder.at(WEIGHTS)).unwrap();
    let all = tensors();
    let mut index = serde_json::Map::new();
    for (file, part) in [("a.safetensors", &all[..4]), ("b.safetensors", &all[4..])] {
        let (header, data) = parts(part);
        index.extend(header.keys().map(|name| (name.clone(), json!(file))));
        folder.write(file, safetensors(&Value::Object(header).to_string(), &data));
    }
    change(&mut index);
    folder.write(INDEX, json!({ "metadata": {}, "weight_map": index }).to_string());
    folder
}

fn split_refuses(folder: &Folder, file: &str, shown: &str) {
    let message = folder.refusal();
    for part in [file, shown] {
        assert!(message.contains(part), "{part:?} is missing in {message}");
    }
}

#[test]
fn split_weights_are_read_as_one() {
    assert!(ask(&mut split(|_| {}).open().unwrap()).is_ok());
}

#[test]
fn an_index_leads_to_no_other_place() {
    let outside = tempfile::NamedTempFile::with_suffix(".safetensors").unwrap();
    for name in [
        outside.path().to_str().unwrap(),
        "../a.safetensors",
        "./a.safetensors",
        "sub/a.safetensors",
        "..",
        "",
        "a\0.safetensors",
        "a\\b.safetensors",
        "config.json",
    ] {
        let folder = split(|index| index[QUERY] = json!(name));
        split_refuses(&folder, INDEX, "is no safetensors file in the model's folder");
    }
}

#[test]
fn an_index_must_agree_with_the_files() {
    split_refuses(
        &split(|index| index[QUERY] = json!("c.safetensors")),
        "c.safetensors",
        "a file of weights",
    );
    let elsewhere = split(|index| index["model.norm.weight"] = json!("b.safetensors"));
    split_refuses(
        &elsewhere,
        INDEX,
        "tensor `model.norm.weight` should be in `b.safetensors` and is in `a.safetensors`",
    );
    let twice = split(|_| {});
    let (header, data) = parts(&tensors()[3..]);
    twice.write("b.safetensors", safetensors(&Value::Object(header).to_string(), &data));
    split_refuses(&twice, "b.safetensors", "is in `a.safetensors` too");
    let lost = split(|_| {});
    let (header, data) = parts(&tensors()[5..]);
    lost.write("b.safetensors", safetensors(&Value::Object(header).to_string(), &data));
    split_refuses(&lost, "", "is missing");
    let cut = split(|_| {});
    let bytes = fs::read(cut.at("b.safetensors")).unwrap();
    cut.write("b.safetensors", &bytes[..bytes.len() - 9]);
    split_refuses(&cut, "b.safetensors", "it is cut off");
}

#[test]
fn an_index_that_is_none_is_refused() {
    for (text, shown) in [
        ("", "EOF"),
        ("{\"weight_map\": {\"a\": ", "EOF"),
        ("[]", "invalid"),
        ("{}", "missing field `weight_map`"),
        ("{\"weight_map\": []}", "a map from tensors to files"),
        ("{\"weight_map\": {}}", "names no tensor"),
        ("{\"weight_map\": {\"a\": 1}}", "invalid type"),
        (
            r#"{"weight_map": {"a": "a.safetensors", "a": "b.safetensors"}}"#,
            "tensor `a` is said to be in `a.safetensors` and in `b.safetensors`",
        ),
    ] {
        let folder = split(|_| {});
        folder.write(INDEX, text);
        split_refuses(&folder, INDEX, shown);
    }
}

#[test]
fn one_whole_file_counts_before_an_index() {
    let folder = split(|_| {});
    folder.write(WEIGHTS, weights());
    folder.write(INDEX, "{}");
    assert!(folder.open().is_ok());
}
