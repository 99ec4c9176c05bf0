//! Maximum, sorting and reversing.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::sample::{Family, Sample};
use super::words::{self, number_of_digits, phrase};

const MAXIMUM: [&str; 4] = [
    "Which number is the largest: {list}?",
    "What is the maximum of {list}?",
    "Find the largest: {list}",
    "Largest of {list}?",
];
const SORT: [&str; 3] = [
    "Sort in ascending order: {list}",
    "Sort these numbers: {list}.",
    "Put in order, smallest first: {list}",
];
const REVERSE: [&str; 3] =
    ["Reverse the list: {list}", "Write these words in reverse order: {list}.", "Backwards, please: {list}"];

/// Different numbers of one to three digits.
fn numbers(rng: &mut ChaCha8Rng, count: usize) -> Vec<u64> {
    let mut numbers = Vec::with_capacity(count);
    while numbers.len() < count {
        let digits = rng.random_range(1..=3);
        let number = number_of_digits(rng, digits);
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers
}

fn join<T: ToString>(items: &[T], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// The largest of three to eight numbers; the trace compares each with the best so far.
pub(super) fn maximum(rng: &mut ChaCha8Rng) -> Sample {
    let count = rng.random_range(3..=8);
    let numbers = numbers(rng, count);
    let mut best = numbers[0];
    let mut lines = vec![best.to_string()];
    for &number in &numbers[1..] {
        let relation = if number > best { '>' } else { '<' };
        lines.push(format!("{number}{relation}{best} {}", number.max(best)));
        best = best.max(number);
    }
    let user = phrase(rng, &MAXIMUM, &[("list", &join(&numbers, ", "))]);
    Sample::plain(Family::Maximum, user, lines.join("\n"), best.to_string())
}

/// Three to seven numbers in ascending order; the trace takes the smallest of what is left.
pub(super) fn sort(rng: &mut ChaCha8Rng) -> Sample {
    let count = rng.random_range(3..=7);
    let numbers = numbers(rng, count);
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let (mut left, mut lines) = (numbers.clone(), Vec::new());
    for &smallest in &sorted {
        lines.push(format!("{} > {smallest}", join(&left, " ")));
        left.retain(|&number| number != smallest);
    }
    let user = phrase(rng, &SORT, &[("list", &join(&numbers, ", "))]);
    Sample::plain(Family::Sort, user, lines.join("\n"), join(&sorted, " "))
}

/// Three to eight words in reverse order; the trace numbers them first.
pub(super) fn reverse(rng: &mut ChaCha8Rng) -> Sample {
    let count = rng.random_range(3..=8);
    let mut list = words::pick_distinct(rng, &words::THINGS, count);
    let trace: Vec<String> = list.iter().enumerate().map(|(i, word)| format!("{} {word}", i + 1)).collect();
    let user = phrase(rng, &REVERSE, &[("list", &list.join(", "))]);
    list.reverse();
    Sample::plain(Family::Reverse, user, trace.join("\n"), list.join(" "))
}
