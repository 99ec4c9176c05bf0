//! Addition, subtraction and purchase totals, worked digit by digit.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::sample::{Family, Sample};
use super::words::{self, number_of_digits, phrase};

const ADD: [&str; 4] =
    ["What is {a} + {b}?", "Add {a} and {b}.", "{a} + {b} =", "Compute the sum of {a} and {b}."];
const SUBTRACT: [&str; 4] =
    ["What is {a} - {b}?", "Subtract {b} from {a}.", "{a} - {b} =", "Compute {a} minus {b}."];
const TOTAL: [&str; 3] = [
    "{name} buys {list}. What is the total?",
    "{list}. What does {name} pay?",
    "How much is it together: {list}? {name} pays.",
];

/// Digits of the longer operand: mostly 2 to 5, sometimes up to 8 for the long traces.
fn operand_digits(rng: &mut ChaCha8Rng) -> u32 {
    [(1, 0.4), (2, 1.5), (3, 2.0), (4, 2.0), (5, 1.5), (6, 0.8), (7, 0.5), (8, 0.5)]
        .choose_weighted(rng, |(_, weight)| *weight)
        .map_or(3, |(digits, _)| *digits)
}

/// Two operands, the first at least as large as the second.
fn operands(rng: &mut ChaCha8Rng) -> (u64, u64) {
    let long = operand_digits(rng);
    let short = if rng.random_bool(0.6) { long } else { rng.random_range(1..=long) };
    let (a, b) = (number_of_digits(rng, long), number_of_digits(rng, short));
    (a.max(b), a.min(b))
}

/// The decimal digits of `value`, units first.
fn digits_from_units(value: u64) -> Vec<i64> {
    value.to_string().bytes().rev().map(|byte| i64::from(byte - b'0')).collect()
}

/// Works through the digit columns from the units: `a+b+carry=sum result-so-far`, one line a column.
/// `sign` is 1 for addition and -1 for subtraction (the carry is then 0 or 1 borrowed).
fn column_trace(a: u64, b: u64, sign: i64) -> String {
    let (upper, lower) = (digits_from_units(a), digits_from_units(b));
    let op = if sign > 0 { '+' } else { '-' };
    let (mut carry, mut result, mut lines) = (0, String::new(), Vec::new());
    for (column, &top) in upper.iter().enumerate() {
        let bottom = lower.get(column).copied().unwrap_or(0);
        let value = top + sign * (bottom + carry);
        result.insert_str(0, &value.rem_euclid(10).to_string());
        lines.push(format!("{top}{op}{bottom}{op}{carry}={value} {result}"));
        carry = value.div_euclid(10).abs();
    }
    if carry > 0 {
        lines.push(format!("{carry} {carry}{result}"));
    }
    lines.join("\n")
}

/// A multi-digit addition.
pub(super) fn add(rng: &mut ChaCha8Rng) -> Sample {
    let (large, small) = operands(rng);
    let (a, b) = if rng.random_bool(0.5) { (large, small) } else { (small, large) };
    let user = phrase(rng, &ADD, &[("a", &a.to_string()), ("b", &b.to_string())]);
    Sample::plain(Family::Add, user, column_trace(large, small, 1), (a + b).to_string())
}

/// A multi-digit subtraction with a result of 0 or more.
pub(super) fn subtract(rng: &mut ChaCha8Rng) -> Sample {
    let (a, b) = operands(rng);
    let user = phrase(rng, &SUBTRACT, &[("a", &a.to_string()), ("b", &b.to_string())]);
    Sample::plain(Family::Subtract, user, column_trace(a, b, -1), (a - b).to_string())
}

/// The total of one to four articles; the trace keeps a running total.
pub(super) fn total(rng: &mut ChaCha8Rng) -> Sample {
    let count = rng.random_range(1..=4);
    let things = words::pick_distinct(rng, &words::THINGS, count);
    let (mut entries, mut lines, mut sum) = (Vec::new(), Vec::new(), 0);
    for thing in things {
        let (amount, price) = (rng.random_range(2..=9), rng.random_range(2..=20));
        let cost = amount * price;
        entries.push(format!("{amount} {thing}s at {price}"));
        lines.push(format!("{amount}*{price}={cost} {sum}+{cost}={}", sum + cost));
        sum += cost;
    }
    let name = words::pick(rng, &words::NAMES);
    let user = phrase(rng, &TOTAL, &[("list", &entries.join(", ")), ("name", name)]);
    Sample::plain(Family::Total, user, lines.join("\n"), sum.to_string())
}
