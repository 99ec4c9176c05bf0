//! The embedded model's generated tasks and the held-out task sets.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use planrun::engine::pico::tasks::{Family, Sample, TASK_SETS, TaskItem, held_out_items, is_held_out};
use planrun::engine::pico::write_task_sets;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn checked_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("plans/tasks")
}

fn read(file: &str) -> Vec<TaskItem> {
    let text = fs::read_to_string(checked_in().join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn training_samples(count: usize) -> Vec<Sample> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    (0..count).map(|_| Sample::draw_for_training(&mut rng)).collect()
}

#[test]
fn every_checked_in_item_is_in_the_held_out_pool() {
    for spec in &TASK_SETS {
        let items = read(spec.file);
        assert_eq!(items.len(), Family::SCORED.len() * spec.per_family, "{}", spec.file);
        for item in items {
            assert!(is_held_out(&item.prompt), "{}: {}", spec.file, item.id);
        }
    }
}

#[test]
fn the_held_out_pool_is_crc_32_zero_modulo_sixteen() {
    // The check value of CRC-32 (IEEE): crc("123456789") = 0xCBF43926.
    assert_eq!(crc32fast::hash(b"123456789"), 0xCBF4_3926);
    assert!(!is_held_out("123456789"));
    let held_out = (0..16_000).filter(|n| is_held_out(&format!("prompt {n}"))).count();
    assert!((850..1150).contains(&held_out), "{held_out} of 16,000");
}

#[test]
fn no_training_sample_is_held_out_or_in_a_task_set() {
    let asked: HashSet<String> =
        TASK_SETS.iter().flat_map(|spec| read(spec.file)).map(|item| item.prompt).collect();
    for sample in training_samples(20_000) {
        assert!(!is_held_out(&sample.user), "{}", sample.user);
        assert!(!asked.contains(&sample.user), "{}", sample.user);
    }
}

#[test]
fn item_ids_and_prompts_are_unique() {
    for spec in &TASK_SETS {
        let items = read(spec.file);
        let ids: HashSet<_> = items.iter().map(|item| &item.id).collect();
        let prompts: HashSet<_> = items.iter().map(|item| &item.prompt).collect();
        assert_eq!((ids.len(), prompts.len()), (items.len(), items.len()), "{}", spec.file);
    }
}

#[test]
fn regenerated_task_sets_are_the_checked_in_ones() {
    let folder = tempfile::tempdir().unwrap();
    write_task_sets(folder.path()).unwrap();
    for spec in &TASK_SETS {
        let made = fs::read(folder.path().join(spec.file)).unwrap();
        assert!(made == fs::read(checked_in().join(spec.file)).unwrap(), "{} differs", spec.file);
    }
}

#[test]
fn every_family_is_trained_on() {
    let seen: HashSet<Family> = training_samples(2_000).iter().map(|sample| sample.family).collect();
    assert_eq!(seen.len(), Family::ALL.len());
}

#[test]
fn the_last_line_of_a_trace_states_the_answer_where_it_is_one_value() {
    let one_value = [
        Family::Add,
        Family::CountLetter,
        Family::Parity,
        Family::Maximum,
        Family::Total,
        Family::Fact,
        Family::TwoStepFact,
    ];
    for sample in training_samples(5_000).iter().filter(|sample| one_value.contains(&sample.family)) {
        assert!(sample.trace.ends_with(&sample.answer), "{} / {}", sample.trace, sample.answer);
    }
}

#[test]
fn sums_and_differences_in_the_task_sets_are_right() {
    for item in held_out_items(&TASK_SETS[1]) {
        let numbers: Vec<i64> = item
            .prompt
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .collect();
        let right = match item.family() {
            "add" => numbers[0] + numbers[1],
            "subtract" => (numbers[0] - numbers[1]).abs(),
            "maximum" => numbers.iter().copied().max().unwrap(),
            _ => continue,
        };
        assert_eq!(item.expected, right.to_string(), "{}", item.prompt);
    }
}
