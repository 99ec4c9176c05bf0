//! Finds a template's switch by rendering probes: what changes the prompt is a switch, the mere word is not.

use super::switch::{FLAGS, SENTENCES, ThinkingSwitch};
use super::turn::Turn;
use crate::generation::{Message, Role};
use serde_json::Value;

/// Names under which families know the argument.
const ARGUMENTS: [&str; 2] = ["enable_thinking", "thinking"];
const EFFORT: &str = "reasoning_effort";
const USER: &str = "Hello";
const SYSTEM: &str = "Be brief.";

/// A template that can be tried out.
pub(in crate::engine) struct Probes<'a> {
    /// The template's text: what it does not mention need not be tried.
    pub(in crate::engine) source: &'a str,
    /// Renders a turn; `None` where the template refuses it.
    pub(in crate::engine) render: &'a dyn Fn(&Turn) -> Option<String>,
}

/// The kind of switch that a template has.
pub(in crate::engine) fn switch_of(probes: &Probes<'_>) -> ThinkingSwitch {
    let argument = ARGUMENTS.into_iter().find(|name| probes.obeys_argument(name));
    let flags = probes.obeys_flags();
    match argument {
        Some(name) if flags => ThinkingSwitch::ArgumentUnderFlags(name),
        Some(name) => ThinkingSwitch::Argument(name),
        None if flags => ThinkingSwitch::Flags,
        None if probes.mentions_sentence() => ThinkingSwitch::Sentence,
        None if knows_grades(probes) => ThinkingSwitch::Effort,
        None => ThinkingSwitch::None,
    }
}

/// True if grades of reasoning effort change what is rendered. With an argument, they may act only where it is on.
pub(in crate::engine) fn knows_grades(probes: &Probes<'_>) -> bool {
    let graded = |turn: Turn| {
        let grades = ["low", "high", "max"].map(|grade| (probes.render)(&turn.clone().with(EFFORT, grade)));
        grades.iter().flatten().any(|one| Some(one) != grades[0].as_ref())
    };
    let on = ARGUMENTS.iter().fold(plain(), |turn, name| turn.with(name, true));
    probes.source.contains(EFFORT) && (graded(plain()) || graded(on))
}

impl Probes<'_> {
    /// A template that mentions the argument and renders neither position is taken at its word.
    fn obeys_argument(&self, name: &str) -> bool {
        let rendered = |on: bool| (self.render)(&plain().with(name, Value::from(on)));
        self.source.contains(name)
            && match (rendered(true), rendered(false)) {
                (Some(on), Some(off)) => on != off,
                _ => name == ARGUMENTS[0],
            }
    }

    /// True if the flags change more of the prompt than the place where they were written.
    fn obeys_flags(&self) -> bool {
        let rendered = |flag: &str| {
            let text = (self.render)(&with_system(&format!("{SYSTEM} {flag}")))?;
            // The longer word first: it holds no other.
            Some(FLAGS.iter().rev().fold(text, |text, flag| text.replace(flag, "")))
        };
        let mentioned = FLAGS.iter().all(|flag| self.source.contains(flag));
        mentioned && rendered(FLAGS[0]).zip(rendered(FLAGS[1])).is_some_and(|(on, off)| on != off)
    }

    /// A sentence is understood by the model, not by its template; a template that states one by default gives it away.
    fn mentions_sentence(&self) -> bool {
        SENTENCES.iter().any(|sentence| self.source.contains(sentence))
    }
}

fn plain() -> Turn {
    Turn::new(vec![Message { role: Role::User, content: USER.to_owned() }])
}

fn with_system(system: &str) -> Turn {
    let system = Message { role: Role::System, content: system.to_owned() };
    Turn::new(vec![system, Message { role: Role::User, content: USER.to_owned() }])
}
