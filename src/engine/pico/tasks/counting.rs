//! Counting letters and ones, one step a symbol.

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::sample::{Family, Sample};
use super::words::{self, phrase};

const COUNT: [&str; 4] = [
    "How many times does \"{letter}\" occur in \"{word}\"?",
    "Count the letter {letter} in {word}.",
    "How many {letter} are in the word {word}?",
    "In {word}, how often is there a {letter}?",
];
const PARITY: [&str; 3] = [
    "Is the number of ones in {bits} even or odd?",
    "{bits}: are the ones even or odd?",
    "Even or odd number of ones: {bits}",
];

/// A word to spell: an English one, or letters out of a small random alphabet.
fn word_to_spell(rng: &mut ChaCha8Rng) -> String {
    if rng.random_bool(0.3) {
        return words::pick(rng, &words::SPELLED).to_owned();
    }
    let mut alphabet: Vec<char> = ('a'..='z').collect();
    alphabet.shuffle(rng);
    alphabet.truncate(rng.random_range(2..=6));
    let length = if rng.random_bool(0.12) { rng.random_range(12..=18) } else { rng.random_range(3..=11) };
    (0..length).filter_map(|_| alphabet.choose(rng)).collect()
}

/// How often a letter occurs; nine in ten times the letter is one of the word's.
pub(super) fn count_letter(rng: &mut ChaCha8Rng) -> Sample {
    let word = word_to_spell(rng);
    let letters: Vec<char> = word.chars().collect();
    let letter = match letters.choose(rng) {
        Some(&letter) if rng.random_bool(0.9) => letter,
        _ => char::from(rng.random_range(b'a'..=b'z')),
    };
    let (mut count, mut lines) = (0, Vec::new());
    for &symbol in &letters {
        let hit = symbol == letter;
        count += usize::from(hit);
        lines.push(format!("{symbol}/{letter} {} {count}", if hit { "yes" } else { "no" }));
    }
    let user = phrase(rng, &COUNT, &[("letter", &letter.to_string()), ("word", &word)]);
    Sample::plain(Family::CountLetter, user, lines.join("\n"), count.to_string())
}

/// Parity of the ones in a row of bits.
pub(super) fn parity(rng: &mut ChaCha8Rng) -> Sample {
    let length = if rng.random_bool(0.15) { rng.random_range(15..=24) } else { rng.random_range(5..=14) };
    let bits: String = (0..length).map(|_| if rng.random_bool(0.5) { '1' } else { '0' }).collect();
    let (mut odd, mut lines) = (false, Vec::new());
    for bit in bits.chars() {
        odd ^= bit == '1';
        lines.push(format!("{bit} {}", parity_word(odd)));
    }
    let user = phrase(rng, &PARITY, &[("bits", &bits)]);
    Sample::plain(Family::Parity, user, lines.join("\n"), parity_word(odd).to_owned())
}

fn parity_word(odd: bool) -> &'static str {
    if odd { "odd" } else { "even" }
}
