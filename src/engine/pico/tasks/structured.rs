//! JSON objects and tool calls.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::sample::{Family, Sample, ToolExchange};
use super::words::{self, phrase, pick, pick_distinct};

const PERSON: [&str; 3] = [
    "{name} is {number} years old and lives in {last}. Write this as JSON with name, age, city.",
    "JSON with name, age, city: {name}, aged {number}, is from {last}.",
    "Make a JSON object (name, age, city). In {last} lives {name}, who is {number}.",
];
const ORDER: [&str; 2] = [
    "{name} orders {number} {last}s. Write this as JSON with name, count, item.",
    "JSON with name, count, item: {number} {last}s for {name}.",
];

/// A JSON object out of one sentence; the answer is minified.
pub(super) fn json_object(rng: &mut ChaCha8Rng) -> Sample {
    let is_person = rng.random_bool(0.6);
    let name = pick(rng, &words::NAMES);
    let (templates, keys, last): (&[&str], _, _) = if is_person {
        (&PERSON, ["name", "age", "city"], pick(rng, &words::CITIES))
    } else {
        (&ORDER, ["name", "count", "item"], pick(rng, &words::THINGS))
    };
    let number: u32 = rng.random_range(2..=99);
    let user = phrase(rng, templates, &[("name", name), ("number", &number.to_string()), ("last", last)]);
    let trace = format!("{}: {name}\n{}: {number}\n{}: {last}", keys[0], keys[1], keys[2]);
    let answer = json!({ keys[0]: name, keys[1]: number, keys[2]: last }).to_string();
    Sample::plain(Family::Json, user, trace, answer)
}

/// A tool of the tool family: its name, its one argument, what it tells, how it is asked for.
struct Tool {
    name: &'static str,
    argument: &'static str,
    description: &'static str,
    phrases: [&'static str; 2],
}

const TOOLS: [Tool; 3] = [
    Tool {
        name: "get_weather",
        argument: "city",
        description: "Temperature of a city",
        phrases: ["How warm is it in {value}?", "What is the temperature in {value}?"],
    },
    Tool {
        name: "get_price",
        argument: "item",
        description: "Price of an item",
        phrases: ["What does a {value} cost?", "How much is a {value}?"],
    },
    Tool {
        name: "get_age",
        argument: "name",
        description: "Age of a person",
        phrases: ["How old is {value}?", "What is the age of {value}?"],
    },
];

/// The function schema of a tool, as the chat template gets it.
fn definition(tool: &Tool) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name,
        "description": tool.description,
        "parameters": {
            "type": "object",
            "properties": { tool.argument: {"type": "string"} },
            "required": [tool.argument],
        },
    }})
}

/// A question that needs a tool: either the call is asked for, or the answer from the tool's result.
pub(super) fn tool(rng: &mut ChaCha8Rng) -> Sample {
    let count = rng.random_range(1..=2);
    let offered = pick_distinct(rng, &["0", "1", "2"], count);
    let tools: Vec<&Tool> = offered.iter().filter_map(|i| TOOLS.get(i.parse::<usize>().ok()?)).collect();
    let tool = tools[rng.random_range(0..tools.len())];
    let value = match tool.argument {
        "city" => pick(rng, &words::CITIES),
        "item" => pick(rng, &words::THINGS),
        _ => pick(rng, &words::NAMES),
    };
    let user = phrase(rng, &tool.phrases, &[("value", value)]);
    let call = format!(
        "<tool_call>\n{{\"name\": \"{}\", \"arguments\": {{\"{}\": \"{value}\"}}}}\n</tool_call>",
        tool.name, tool.argument
    );
    let definitions = tools.iter().map(|tool| definition(tool)).collect();
    let mut sample =
        Sample::plain(Family::Tool, user, format!("{} {}: {value}", tool.name, tool.argument), call.clone());
    sample.tools = definitions;
    if rng.random_bool(0.5) {
        let result = rng.random_range(2..=99).to_string();
        sample.trace = format!("- {value}: {result}");
        sample.answer.clone_from(&result);
        sample.exchange = Some(ToolExchange { call, response: result });
    }
    sample
}
