//! Values looked up in a list that the prompt gives: in one step, or by way of a person's plan.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::sample::{Family, Sample};
use super::words::{self, number_of_digits, phrase, pick_distinct};

const FACT: [&str; 4] = [
    "The plans: {plans}. What is the {unit} of {key}?",
    "Given {plans}. Give the {unit} of {key}.",
    "The {unit} by plan: {plans}. Which {unit} has {key}?",
    "Here is a list: {plans}. Tell me the {unit} of {key}.",
];
const TWO_STEP: [&str; 3] = [
    "People: {people}. The plans: {plans}. What is the {unit} of {key}?",
    "Here are {plans}. Here are {people}. What is the {unit} of {key}?",
    "Plans of people: {people}. The {unit} by plan: {plans}. Which {unit} has {key}?",
];
const UNITS: [&str; 5] = ["price", "limit", "size", "speed", "quota"];

/// Share of fact prompts with a long list (roughly 150 to 700 tokens).
const LONG_SHARE: f64 = 0.06;

/// `key: value` pairs on one line.
fn inline(pairs: &[(String, String)]) -> String {
    pairs.iter().map(|(key, value)| format!("{key}: {value}")).collect::<Vec<_>>().join(", ")
}

/// `- key: value`, each on a line of its own. The traces use the same form, so that a key is always preceded
/// by a space and hence always the same tokens.
fn bullets(pairs: &[(String, String)]) -> String {
    pairs.iter().fold(String::new(), |list, (key, value)| list + &format!("\n- {key}: {value}"))
}

/// Two to nine plans, or (rarely) twenty to seventy with two-word names, each with a value of two or three
/// digits.
fn plans(rng: &mut ChaCha8Rng) -> Vec<(String, String)> {
    let keys: Vec<String> = if rng.random_bool(LONG_SHARE) {
        let count = rng.random_range(20..=70);
        words::pick_pairs(rng, &words::PLANS, &words::THINGS, count)
    } else {
        let count = rng.random_range(2..=9);
        pick_distinct(rng, &words::PLANS, count).into_iter().map(str::to_owned).collect()
    };
    keys.into_iter()
        .map(|key| {
            let digits = rng.random_range(2..=3);
            (key, number_of_digits(rng, digits).to_string())
        })
        .collect()
}

/// One value asked from a list of plans.
pub(super) fn fact(rng: &mut ChaCha8Rng) -> Sample {
    let plans = plans(rng);
    let (key, value) = plans[rng.random_range(0..plans.len())].clone();
    let unit = words::pick(rng, &UNITS);
    let list = if rng.random_bool(0.5) { inline(&plans) } else { bullets(&plans) };
    let user = phrase(rng, &FACT, &[("plans", &list), ("unit", unit), ("key", &key)]);
    Sample::plain(Family::Fact, user, format!("- {key}: {value}"), value)
}

/// A person's value: person to plan, plan to value.
pub(super) fn two_step_fact(rng: &mut ChaCha8Rng) -> Sample {
    let plans = plans(rng);
    let count = rng.random_range(2..=6);
    let people: Vec<(String, String)> = pick_distinct(rng, &words::NAMES, count)
        .into_iter()
        .map(|name| (name.to_owned(), plans[rng.random_range(0..plans.len())].0.clone()))
        .collect();
    let (person, plan) = people[rng.random_range(0..people.len())].clone();
    let value =
        plans.iter().find(|(key, _)| *key == plan).map(|(_, value)| value.clone()).unwrap_or_default();
    let unit = words::pick(rng, &UNITS);
    let (people, plans) = (inline(&people), inline(&plans));
    let fills = [("people", people.as_str()), ("plans", &plans), ("unit", unit), ("key", &person)];
    let user = phrase(rng, &TWO_STEP, &fills);
    let trace = format!("- {person}: {plan}\n- {plan}: {value}");
    Sample::plain(Family::TwoStepFact, user, trace, value)
}
