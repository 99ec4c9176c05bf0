//! Right files with random mistakes in them, from everything that is read: no panic, and no large request of memory. The
//! same seeds every time; `tests/fuzz` goes on where this ends.

use crate::support::allocation::largest_request;
use crate::support::readers::{self, READERS};
use crate::support::{gguf, record, vocabulary};
use planrun::engine::pico::assets;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// More than any right file here asks for at once.
const MOST_BYTES: usize = 64 << 20;
/// Mutants of each right file.
const MUTANTS: u64 = 120;
/// Numbers and pieces at which readers stumble.
const PIECES: &[&[u8]] = &[
    b"0",
    b"-1",
    b"1e999",
    b"18446744073709551615",
    b"9223372036854775808",
    b"null",
    b"[]",
    b"{}",
    b"\"",
    b"\\u0000",
    b"\0",
    b"\xff\xfe",
    b"{%",
    b"{{",
    b"[[",
    b"true",
    b"../",
    b"@",
    b"%2F",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\0\0\0\0\0\0\0\x01",
];

/// The right files of each reader.
fn seeds(reader: &str) -> Vec<Vec<u8>> {
    let text = |text: &str| vec![text.as_bytes().to_vec()];
    match reader {
        "gguf" => vec![
            gguf::model().bytes(),
            vocabulary::byte_level("gpt-2").bytes(),
            vocabulary::sentence_piece().bytes(),
        ],
        "safetensors" => vec![readers::weights()],
        "shard_index" => {
            text(r#"{"metadata": {"total_size": 1}, "weight_map": {"model.norm.weight": "a.safetensors"}}"#)
        }
        "config" => text(readers::CONFIG),
        "tokenizer" => text(assets().tokenizer),
        "tokenizer_config" => text(assets().tokenizer_config),
        "template" => {
            let config: serde_json::Value = serde_json::from_str(assets().tokenizer_config).unwrap();
            text(config["chat_template"].as_str().unwrap())
        }
        "plan" => text(&crate::plan_cases::plan(
            crate::plan_cases::GRID,
            &crate::plan_cases::TIMING.replace('8', "16"),
        )),
        "record" => {
            let one = record::record(2);
            vec![serde_json::to_vec(&one).unwrap(), planrun::record::to_compact(&[one]).unwrap().into_bytes()]
        }
        "hub_name" => text("hf:ORG/NAME@refs/pr/7/folder/FILE-00001-of-00002.gguf"),
        other => panic!("no right file for {other}"),
    }
}

/// One to four mistakes: a bit, a byte, a piece written over or between, a part left out, doubled or moved.
fn mutate(mut bytes: Vec<u8>, rng: &mut ChaCha8Rng) -> Vec<u8> {
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..bytes.len().max(1)).min(bytes.len());
        let end = (at + rng.random_range(0..40)).min(bytes.len());
        let piece = PIECES[rng.random_range(0..PIECES.len())];
        match rng.random_range(0..7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = rng.random(),
            2 => drop(bytes.splice(at..(at + piece.len()).min(bytes.len()), piece.iter().copied())),
            3 => drop(bytes.splice(at..at, piece.iter().copied())),
            4 => drop(bytes.drain(at..end)),
            5 => {
                let part = bytes[at..end].to_vec();
                let there = rng.random_range(0..=bytes.len());
                bytes.splice(there..there, part);
            }
            _ => bytes.truncate(bytes.len() - (end - at)),
        }
    }
    bytes
}

fn survives((name, read): readers::Reader, bytes: &[u8], what: &str) {
    let (end, largest) = largest_request(|| catch_unwind(AssertUnwindSafe(|| read(bytes))));
    assert!(end.is_ok(), "{name}, {what}: a panic (above)");
    assert!(largest < MOST_BYTES, "{name}, {what}: {largest} bytes were asked for at once");
}

#[test]
fn no_mutant_of_a_right_file_panics_or_asks_for_much_memory() {
    for reader in READERS {
        for (number, seed) in seeds(reader.0).into_iter().enumerate() {
            survives(*reader, &seed, "the right file");
            for mutant in 0..MUTANTS {
                let bytes = mutate(seed.clone(), &mut ChaCha8Rng::seed_from_u64(mutant));
                survives(*reader, &bytes, &format!("file {number}, mutant {mutant}"));
            }
        }
    }
}

#[test]
fn the_corpus_of_the_fuzz_targets_replays() {
    let corpus = Path::new("tests/fuzz/corpus");
    let mut replayed = 0;
    for reader in READERS {
        let folder = corpus.join(reader.0);
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.unwrap().path();
            survives(*reader, &fs::read(&path).unwrap(), &path.display().to_string());
            replayed += 1;
        }
        assert!(Path::new("tests/fuzz/fuzz_targets").join(format!("{}.rs", reader.0)).is_file());
    }
    assert!(replayed >= READERS.len());
}
