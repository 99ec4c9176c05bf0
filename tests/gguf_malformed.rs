//! Files that are wrong: each gives an error that names the place, and none a panic or a large request of memory.

use crate::support::allocation::largest_request;
use crate::support::gguf::{GgufFile, Tensor, Value, file, model};
use planrun::engine::gguf::{Flaw, Gguf, GgufError};
use proptest::prelude::*;
use std::path::Path;

/// No file here is larger than a few kilobytes; nothing that is read of it may ask for more than this at once.
const MOST_BYTES: usize = 1 << 16;

fn read(bytes: &[u8]) -> Result<Gguf, GgufError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, bytes).unwrap();
    let (result, largest) = largest_request(|| Gguf::open(&path));
    assert!(largest < MOST_BYTES, "{largest} bytes were asked for at once");
    result
}

fn refusal(bytes: &[u8]) -> String {
    let error = read(bytes).unwrap_err();
    assert!(!error.flaw.remedy().is_empty());
    error.to_string()
}

fn refuses(file: &GgufFile, shown: &str) {
    let message = refusal(&file.bytes());
    assert!(message.contains(shown), "{shown:?} is missing in {message}");
}

/// A model with every kind of value, so that cuts and flips meet all of them.
fn rich() -> GgufFile {
    let nested =
        Value::Array(9, vec![Value::Array(8, vec![Value::Text("x")]), Value::Array(0, vec![Value::U8(1)])]);
    model()
        .with("texts", Value::Array(8, vec![Value::Text("a"), Value::Text("bc")]))
        .with("nested", nested)
        .with("flag", Value::Bool(false))
        .with("double", Value::F64(2.5))
        .with("general.alignment", Value::U32(32))
}

#[test]
fn a_file_cut_anywhere_is_called_cut_off_or_incomplete() {
    let whole = rich().bytes();
    for end in 0..whole.len() {
        let error = read(&whole[..end]).unwrap_err();
        let told = matches!(error.flaw, Flaw::CutOff { .. } | Flaw::Header { .. } | Flaw::Tensor { .. });
        assert!(told, "cut at {end}: {error}");
    }
    assert!(read(&whole).is_ok());
}

#[test]
fn a_flipped_bit_is_refused_or_read_but_never_a_panic() {
    let whole = rich().bytes();
    let mut refused = 0;
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        refused += usize::from(read(&bytes).is_err_and(|error| !error.to_string().is_empty()));
    }
    assert!(refused > 500, "only {refused} were refused");
}

#[test]
fn counts_that_the_file_cannot_hold_are_refused() {
    for count in [1 << 20, u64::from(u32::MAX), 1 << 40, u64::MAX / 8, u64::MAX] {
        let text = format!("{count}");
        refuses(&GgufFile { entry_count: Some(count), ..model() }, &text);
        refuses(&GgufFile { tensor_count: Some(count), ..model() }, &text);
        for kind in 0..13_u32 {
            let array = [&kind.to_le_bytes()[..], &count.to_le_bytes(), &[0; 64]].concat();
            refuses(&file().with("k", Value::Raw(9, array)), "`k`");
        }
        refuses(&file().with("k", Value::Raw(8, count.to_le_bytes().to_vec())), "`k`");
    }
}

#[test]
fn other_magic_bytes_are_shown() {
    let other = |magic| GgufFile { magic, ..model() };
    refuses(&other(*b"U\0\0\0"), "it begins with \"U\\x00\\x00\\x00\"");
    refuses(&other(*b"FUGG"), "it begins with \"FUGG\"");
    refuses(&other(*b"vers"), "git-lfs pointer");
    assert!(refusal(b"").contains("cut off at byte 0 of 0"));
}

#[test]
fn other_versions_are_refused_by_number() {
    for version in [0, 1, 4, 0x7fff_ffff] {
        refuses(&GgufFile { version, ..model() }, &format!("GGUF version {version},"));
    }
    assert!(read(&GgufFile { version: 2, ..model() }.bytes()).is_ok());
}

#[test]
fn unknown_types_of_values_and_elements_are_refused() {
    refuses(&file().with("k", Value::Raw(13, vec![0; 8])), "`k`: there is no value type 13");
    refuses(&file().with("k", Value::Array(99, Vec::new())), "`k`: there is no value type 99");
    refuses(&file().with("k", Value::Raw(7, vec![2])), "a bool is 0 or 1, and this one is 2");
    let deep = (0..40).fold(Value::Array(0, Vec::new()), |inner, _| Value::Array(9, vec![inner]));
    refuses(&file().with("k", deep), "nested more than 16 deep");
}

#[test]
fn names_must_be_utf8_and_come_once() {
    let mut wrong = model();
    wrong.entries[1].0 = vec![b'a', 0xff];
    refuses(&wrong, "metadata key 2 of 3: the name \"a\\xff\" is not UTF-8");
    let mut wrong = model();
    wrong.tensors[1].name = vec![0xc3];
    refuses(&wrong, "tensor 2 of 2: the name \"\\xc3\" is not UTF-8");
    refuses(
        &model().with("general.file_type", Value::U8(1)),
        "`general.file_type`: this key has come before",
    );
    refuses(&model().tensor("a", &[8], 0, vec![0; 32]), "tensor `a`: the table names it twice");
}

#[test]
fn a_text_that_is_not_utf8_is_an_error_when_it_is_asked_for() {
    let text = [&2_u64.to_le_bytes()[..], &[0xff, 0xfe]].concat();
    let gguf = read(&model().with("k", Value::Raw(8, text)).bytes()).unwrap();
    let error = gguf.metadata().text("k").unwrap_err().to_string();
    assert!(error.contains("`k`: the string \"\\xff\\xfe\" is not UTF-8"), "{error}");
}

#[test]
fn an_alignment_that_is_none_is_refused() {
    for (value, shown) in [
        (Value::U32(0), "it is 0"),
        (Value::U32(24), "it is 24"),
        (Value::Text("32"), "it is of type string"),
    ] {
        refuses(&model().with("general.alignment", value), &format!("`general.alignment`: {shown}"));
    }
}

#[test]
fn tensors_must_lie_in_the_file_alone_and_aligned() {
    let with = |change: &dyn Fn(&mut Tensor)| {
        let mut file = model();
        change(&mut file.tensors[1]);
        file
    };
    refuses(&with(&|b| b.offset = Some(32)), "tensor `b`: it shares bytes with tensor `a`");
    refuses(&with(&|b| b.offset = Some(65)), "tensor `b`: its offset 65 is no multiple of the alignment 32");
    refuses(&with(&|b| b.offset = Some(96)), "tensor `b`: it ends at byte 128 of the data");
    refuses(&with(&|b| b.offset = Some(u64::MAX - 31)), "tensor `b`");
    refuses(&with(&|b| b.shape = vec![1 << 40]), "tensor `b`: it ends at byte");
    refuses(&with(&|b| b.shape = vec![1 << 40, 1 << 40]), "larger than any file");
    refuses(&with(&|b| b.shape = vec![1 << 62]), "larger than any file");
    refuses(&with(&|b| b.shape = vec![8, 0]), "one of its dimensions is 0");
    refuses(&with(&|b| b.shape = vec![1; 5]), "it has 5 dimensions");
    refuses(&with(&|b| b.format = 2), "a row of 8 weights is no whole number of Q4_0 blocks of 32");
    refuses(&with(&|b| b.format = 4), "its format Q4_2 has been removed");
    refuses(&with(&|b| b.format = 43), "the unknown number format 43");
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (path, shown) in
        [(folder.path().to_owned(), "it is not a file"), (folder.path().join("none"), "none")]
    {
        let error = Gguf::open(&path).unwrap_err().to_string();
        assert!(error.contains(shown), "{error}");
    }
    assert!(Gguf::open(Path::new("")).is_err());
}

proptest! {
    #[test]
    fn no_bytes_behind_the_magic_panic(mut tail in prop::collection::vec(any::<u8>(), 0..400), version in 2_u8..4) {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend([version, 0, 0, 0]);
        bytes.append(&mut tail);
        if let Err(error) = read(&bytes) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn no_overwritten_number_panics(at in 8_usize..300, number in any::<u64>()) {
        let mut bytes = rich().bytes();
        let at = at.min(bytes.len() - 8);
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        if let Ok(gguf) = read(&bytes) {
            prop_assert!(gguf.tensors().all(|tensor| tensor.bytes().len() <= bytes.len()));
        }
    }
}
