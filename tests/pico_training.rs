//! Training of the embedded model: loss, resume, and what it refuses.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// Trains up to `budget` tokens in `folder` at a constant rate, and returns stdout.
fn train(folder: &Path, budget: &str) -> String {
    let output = Command::cargo_bin("planrun")
        .unwrap()
        .env("RAYON_NUM_THREADS", "1")
        .args(["pico", "train"])
        .arg(folder)
        .args(["--budget", budget, "--decay-from", "1000000", "--batch-tokens", "600"])
        .args(["--curve-tokens", "1000000", "--curve-items", "0"])
        .assert()
        .success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

#[test]
fn a_resumed_training_equals_an_uninterrupted_one() {
    let (whole, resumed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    train(whole.path(), "2400");
    train(resumed.path(), "1200");
    train(resumed.path(), "2400");
    let checkpoint = |folder: &Path| fs::read(folder.join("checkpoint.safetensors")).unwrap();
    assert!(checkpoint(whole.path()) == checkpoint(resumed.path()), "the checkpoints differ");
}

#[test]
fn training_refuses_to_share_its_cores_with_candle_threads() {
    let folder = tempfile::tempdir().unwrap();
    let assert = Command::cargo_bin("planrun")
        .unwrap()
        .env("RAYON_NUM_THREADS", "2")
        .args(["pico", "train"])
        .arg(folder.path())
        .assert()
        .failure();
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(message.contains("RAYON_NUM_THREADS=1"), "{message}");
}
