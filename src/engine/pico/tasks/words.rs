//! The small world that the tasks speak about, and helpers to draw from it.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

/// Short system prompts; none of them changes the task.
pub(super) const SYSTEM_PROMPTS: [&str; 8] = [
    "You are a helpful assistant.",
    "You are a careful assistant.",
    "Be brief.",
    "Answer with the result only.",
    "Answer exactly.",
    "You are a small model. Be exact.",
    "Give the final answer and nothing else.",
    "You answer questions about words and numbers.",
];

/// First names.
pub(super) const NAMES: [&str; 20] = [
    "Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Ida", "Jon", "Kim", "Leo", "Mia", "Ned", "Ola",
    "Pia", "Raj", "Sam", "Tia", "Uma", "Vic",
];

/// Names of plans.
pub(super) const PLANS: [&str; 20] = [
    "basic", "plus", "pro", "team", "solo", "max", "mini", "gold", "silver", "green", "blue", "red", "north",
    "south", "east", "west", "sun", "moon", "star", "sky",
];

/// Everyday things, used in purchases and word lists.
pub(super) const THINGS: [&str; 24] = [
    "pen", "cup", "book", "lamp", "map", "key", "bag", "hat", "box", "ball", "fork", "coin", "ring", "rope",
    "bell", "desk", "tent", "drum", "leaf", "seed", "fish", "bird", "cat", "dog",
];

/// Cities.
pub(super) const CITIES: [&str; 14] = [
    "Oslo", "Rome", "Paris", "Lima", "Cairo", "Delhi", "Tokyo", "Bern", "Quito", "Dublin", "Riga", "Seoul",
    "Turin", "Porto",
];

/// English words for letter counting.
pub(super) const SPELLED: [&str; 48] = [
    "strawberry",
    "banana",
    "letter",
    "coffee",
    "butter",
    "little",
    "summer",
    "winter",
    "yellow",
    "orange",
    "pepper",
    "cheese",
    "garden",
    "window",
    "mirror",
    "bottle",
    "ladder",
    "hammer",
    "pillow",
    "carrot",
    "tomato",
    "potato",
    "cherry",
    "sister",
    "brother",
    "teacher",
    "kitchen",
    "village",
    "mountain",
    "river",
    "balloon",
    "raccoon",
    "giraffe",
    "squirrel",
    "parrot",
    "rabbit",
    "kitten",
    "puppy",
    "possess",
    "success",
    "address",
    "committee",
    "assess",
    "bookkeeper",
    "mississippi",
    "tennessee",
    "pineapple",
    "blueberry",
];

/// One element of `pool`.
pub(super) fn pick<'a>(rng: &mut ChaCha8Rng, pool: &[&'a str]) -> &'a str {
    pool.choose(rng).copied().unwrap_or_default()
}

/// `count` different elements of `pool`, in random order.
pub(super) fn pick_distinct<'a>(rng: &mut ChaCha8Rng, pool: &[&'a str], count: usize) -> Vec<&'a str> {
    index::sample(rng, pool.len(), count.min(pool.len())).iter().map(|i| pool[i]).collect()
}

/// Two different words with a space between: `pool.len() * (pool.len() - 1)` of them, for long lists.
pub(super) fn pick_pairs(rng: &mut ChaCha8Rng, first: &[&str], second: &[&str], count: usize) -> Vec<String> {
    index::sample(rng, first.len() * second.len(), count)
        .iter()
        .map(|i| format!("{} {}", first[i / second.len()], second[i % second.len()]))
        .collect()
}

/// Fills `{name}` places of one of the `templates`.
pub(super) fn phrase(rng: &mut ChaCha8Rng, templates: &[&str], fills: &[(&str, &str)]) -> String {
    fills.iter().fold(pick(rng, templates).to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
    })
}

/// A number with exactly `digits` digits (no leading zero; one digit may be 0).
pub(super) fn number_of_digits(rng: &mut ChaCha8Rng, digits: u32) -> u64 {
    let low = if digits == 1 { 0 } else { 10u64.pow(digits - 1) };
    rng.random_range(low..10u64.pow(digits))
}
