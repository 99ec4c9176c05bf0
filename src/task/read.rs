//! Reading a task file: strictly, so that the number of tasks is never other than the file says.

use super::choice::CHOICE_LETTERS;
use super::foreign;
use super::{Question, Task};
use crate::generation::{Message, Role};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Why a task file is refused.
#[derive(Debug, thiserror::Error)]
pub enum TaskSetError {
    /// It could not be read.
    #[error("{path}: {source}; check the path, which is relative to the plan")]
    Unreadable {
        /// File.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// One of its lines cannot be taken.
    #[error("{path}:{line}: {problem}; {remedy}")]
    Line {
        /// File.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// There is no task in it.
    #[error(
        "{path}: no task in this file; write one JSON object a line, like {{\"prompt\": \"2+2?\", \"expected\": \"4\"}}"
    )]
    Empty {
        /// File.
        path: PathBuf,
    },
}

/// What is wrong with a line, and the remedy.
pub(super) type Fault = (String, String);

/// A line as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Option<Id>,
    prompt: Option<String>,
    messages: Option<Vec<Message>>,
    #[serde(default)]
    expected: Option<Expected>,
    #[serde(default)]
    choices: Option<Vec<String>>,
    #[serde(default)]
    group: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "an `id` that is text or a whole number")]
enum Id {
    Text(String),
    Number(i64),
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "an `expected` that is a string, a list of strings or null (numbers go in quotes)"
)]
enum Expected {
    One(String),
    AnyOf(Vec<String>),
}

pub(super) fn read(path: &Path) -> Result<Vec<Task>, TaskSetError> {
    let bytes =
        std::fs::read(path).map_err(|source| TaskSetError::Unreadable { path: path.to_owned(), source })?;
    parse(path, &bytes)
}

pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Task>, TaskSetError> {
    let refused = |line: usize, (problem, remedy): Fault| TaskSetError::Line {
        path: path.to_owned(),
        line,
        problem,
        remedy,
    };
    let text = decoded(bytes).map_err(|(line, fault)| refused(line, fault))?;
    let lines: Vec<(usize, &str)> = numbered(text);
    let last = lines.last().map_or(0, |&(number, _)| number);
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut tasks = Vec::with_capacity(lines.len());
    for (number, line) in lines {
        let task = task_of(line, number, number == last).map_err(|fault| refused(number, fault))?;
        if let Some(first) = seen.insert(task.id.clone(), number) {
            return Err(refused(number, duplicate(&task.id, first)));
        }
        tasks.push(task);
    }
    if tasks.is_empty() { Err(TaskSetError::Empty { path: path.to_owned() }) } else { Ok(tasks) }
}

/// Lines that are not blank, with their numbers. Only LF and CRLF end a line: U+2028 may stand inside a value.
fn numbered(text: &str) -> Vec<(usize, &str)> {
    let lines =
        text.split('\n').enumerate().map(|(index, line)| (index + 1, line.trim_matches([' ', '\t', '\r'])));
    lines.filter(|(_, line)| !line.is_empty()).collect()
}

fn decoded(bytes: &[u8]) -> Result<&str, (usize, Fault)> {
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if utf16 || bytes.iter().take(64).any(|&byte| byte == 0) {
        let remedy = "save it as UTF-8: `iconv -f utf-16 -t utf-8 OLD > NEW`".into();
        return Err((1, ("the file is UTF-16, not UTF-8".into(), remedy)));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
        let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
        let problem = format!("byte 0x{byte:02x} is not UTF-8 (Latin-1 or Windows-1252?)");
        (line, (problem, "save the file as UTF-8: `iconv -f latin1 -t utf-8 OLD > NEW`".into()))
    })
}

fn task_of(text: &str, number: usize, last: bool) -> Result<Task, Fault> {
    let line: Line = serde_json::from_str(text).map_err(|error| fault_of(text, &error, last))?;
    let expected = match line.expected {
        None => Vec::new(),
        Some(Expected::One(one)) => vec![one],
        Some(Expected::AnyOf(several)) if several.is_empty() => {
            return Err(fault("`expected` is an empty list", "use null for a task that is not scored"));
        }
        Some(Expected::AnyOf(several)) => several,
    };
    if expected.iter().any(|one| one.trim().is_empty()) {
        return Err(fault("`expected` holds an empty answer", "use null for a task that is not scored"));
    }
    let id = match line.id {
        Some(Id::Text(id)) => id,
        Some(Id::Number(id)) => id.to_string(),
        None => number.to_string(),
    };
    let task = Task {
        id,
        question: question_of(line.prompt, line.messages)?,
        expected,
        choices: choices_of(line.choices)?,
        group: line.group,
    };
    if text.contains("\\u0000")
        && (task.prompt().contains('\0') || task.further().to_string().contains("\\u0000"))
    {
        return Err(fault(
            "a value holds the character U+0000",
            "take it out; no tokenizer carries it faithfully",
        ));
    }
    Ok(task)
}

fn question_of(prompt: Option<String>, messages: Option<Vec<Message>>) -> Result<Question, Fault> {
    match (prompt, messages) {
        (Some(_), Some(_)) => Err(fault("both `prompt` and `messages`", "keep one of them")),
        (Some(prompt), None) if prompt.trim().is_empty() => {
            Err(fault("`prompt` is empty", "write the question, or take the line out"))
        }
        (Some(prompt), None) => Ok(Question::Prompt(prompt)),
        (None, Some(turns))
            if turns.last().is_none_or(|turn| turn.role == Role::Assistant || turn.role == Role::System) =>
        {
            Err(fault(
                "`messages` does not end with a turn that waits for a reply",
                "end it with a user turn",
            ))
        }
        (None, Some(turns)) => Ok(Question::Messages(turns)),
        (None, None) => Err(fault("no `prompt` and no `messages`", "add the question as `prompt`")),
    }
}

fn choices_of(choices: Option<Vec<String>>) -> Result<Vec<String>, Fault> {
    let choices = choices.unwrap_or_default();
    let most = CHOICE_LETTERS.len();
    if choices.len() == 1 || choices.len() > most {
        let problem = format!("`choices` has {} options", choices.len());
        return Err((problem, format!("give 2 to {most}, or leave `choices` out")));
    }
    let twice = choices.iter().enumerate().find(|(index, choice)| choices[..*index].contains(choice));
    match twice {
        Some((_, choice)) => {
            Err((format!("the option `{choice}` stands twice in `choices`"), "take one out".into()))
        }
        None => Ok(choices),
    }
}

/// What is wrong with a line that is no task: bad JSON, another shape, or another harness's keys.
fn fault_of(text: &str, error: &serde_json::Error, last: bool) -> Fault {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => foreign::fault(&object)
            .unwrap_or_else(|| (cleaned(error), format!("the keys of a task are {}", foreign::KEYS))),
        Ok(Value::Array(_)) => array(),
        Ok(_) => fault("this line is no JSON object", "write one JSON object a line"),
        Err(_) if text.starts_with('[') => array(),
        Err(cut) if cut.is_eof() && last => fault(
            "the line is cut off in the middle of a JSON object",
            "the file is incomplete: fetch or write it again",
        ),
        Err(cut) if cut.is_eof() => {
            fault("the JSON object does not end on its line", "write one object a line: `jq -c . OLD > NEW`")
        }
        Err(error) => (
            format!("column {}: this is no JSON ({})", error.column(), cleaned(&error)),
            "write one JSON object a line".into(),
        ),
    }
}

fn array() -> Fault {
    fault("this is a JSON array, not one object a line", "turn it into JSON lines: `jq -c '.[]' OLD > NEW`")
}

fn duplicate(id: &str, first: usize) -> Fault {
    (
        format!("the id `{id}` is already used in line {first}"),
        "give every task an id of its own (a task without one gets its line number)".into(),
    )
}

fn fault(problem: &str, remedy: &str) -> Fault {
    (problem.to_owned(), remedy.to_owned())
}

/// serde's message without its own line and column, which count within one line of the file.
fn cleaned(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}
