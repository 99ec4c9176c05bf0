//! A compiled chat template, and what is known of it.

use super::source::Prepared;
use super::{dates, environment, markup, source};
use crate::condition::written_day;
use crate::engine::thinking::{Probes, ThinkingSwitch, Turn, knows_grades, switch_of};
use crate::fingerprint;
use crate::generation::{Message, Role};
use minijinja::Environment;
use minijinja::value::{Serde, Value};
use serde::Serialize;
use std::collections::BTreeMap;
use time::macros::date;
use time::{Date, OffsetDateTime};

/// A compiled chat template with the special tokens that it may mention.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    fingerprint: String,
    joins_markup: bool,
    switch: ThinkingSwitch,
    knows_grades: bool,
    asks_for_day: bool,
    day: Date,
    effort: Option<String>,
}

impl ChatTemplate {
    /// Compiles a template; the error names the line. `special_tokens` are variables such as `bos_token`. What a template
    /// asks for the day gets today's (UTC), until [`ChatTemplate::on`] fixes another.
    pub fn compile(source: &str, special_tokens: BTreeMap<String, String>) -> Result<Self, String> {
        let prepared = source::prepare(source)?;
        let Prepared { joins_markup, .. } = prepared;
        let environment =
            environment::compile(prepared, special_tokens).map_err(|error| environment::describe(&error))?;
        let template = Self {
            environment,
            fingerprint: fingerprint::of_bytes(source.as_bytes()),
            joins_markup,
            switch: ThinkingSwitch::None,
            knows_grades: false,
            asks_for_day: false,
            day: date!(2000 - 01 - 01),
            effort: None,
        };
        Ok(template.probed(source).on(OffsetDateTime::now_utc().date()))
    }

    /// The same template on a day that stands still.
    #[must_use]
    pub fn on(mut self, day: Date) -> Self {
        self.day = day;
        dates::install(&mut self.environment, day);
        self
    }

    /// The same template with a grade of reasoning effort.
    #[must_use]
    pub fn with_effort(mut self, grade: &str) -> Self {
        self.effort = Some(grade.to_owned());
        self
    }

    /// SHA-256 of the template's text.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// How reasoning is switched.
    pub fn thinking_switch(&self) -> ThinkingSwitch {
        self.switch
    }

    /// True if `reasoning_effort` changes what is rendered.
    pub fn knows_grades(&self) -> bool {
        self.knows_grades
    }

    /// The day (`2026-11-30`) that stands in the prompts; `None` for a template that does not ask for it.
    pub fn day_in_prompts(&self) -> Option<String> {
        self.asks_for_day.then(|| written_day(self.day))
    }

    /// Renders a conversation that the model is to go on with, with reasoning switched as the family understands it. Unset
    /// is a third value: everything is left to the template.
    pub fn render_turn(&self, messages: &[Message], thinking: Option<bool>) -> Result<String, String> {
        let turn = self.switch.turn(messages, thinking);
        match &self.effort {
            Some(grade) => self.render(&turn.with("reasoning_effort", grade.as_str())),
            None => self.render(&turn),
        }
    }

    /// Renders any context: `messages`, `add_generation_prompt`, `tools`, ...
    pub fn render<T: Serialize>(&self, context: &T) -> Result<String, String> {
        let context = Value::from(Serde(context));
        if self.joins_markup && serde_json::to_string(&context).is_ok_and(|text| markup::is_marked(&text)) {
            return Err("the conversation holds U+FDD0 or U+FDD1, which stand for no character".to_owned());
        }
        environment::render(&self.environment, context)
    }

    /// Finds out what the template looks at, by rendering probes.
    fn probed(mut self, source: &str) -> Self {
        let days = [date!(2000 - 01 - 01), date!(2011 - 11 - 21)];
        if source.contains("strftime_now") {
            let [first, second] = days.map(|day| {
                dates::install(&mut self.environment, day);
                self.render(&Turn::new(vec![Message { role: Role::User, content: "Hello".to_owned() }]))
            });
            self.asks_for_day = first.is_err() || first != second;
        }
        dates::install(&mut self.environment, days[0]);
        let render = |turn: &Turn| self.render(turn).ok();
        let probes = Probes { source, render: &render };
        let (switch, grades) = (switch_of(&probes), knows_grades(&probes));
        Self { switch, knows_grades: grades, ..self }
    }
}
