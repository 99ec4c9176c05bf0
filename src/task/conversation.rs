//! From a task to the conversation that a model is shown.

use super::choice::CHOICE_LETTERS;
use super::{Question, Task, TaskSet};
use crate::generation::{Message, Role};

/// How tasks become conversations.
#[derive(Debug, Clone, Default)]
pub struct Conversation<'a> {
    /// Instructions before the conversation.
    pub system: Option<&'a str>,
    /// Template around each prompt: `{prompt}` and `{choices}` are filled in; `None` is the prompt as it is.
    pub template: Option<&'a str>,
    /// Solved examples shown as preceding turns.
    pub few_shot: u32,
    /// Where the examples are taken from, in order; the task itself is passed over.
    pub examples: Option<&'a TaskSet>,
}

/// Why a task cannot become a conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConversationError {
    /// The template would drop the question.
    #[error("question_template: `{{prompt}}` is missing, so every task would ask the same; put it in")]
    NoPrompt,
    /// `{choices}` without options.
    #[error(
        "task {id}: question_template has `{{choices}}`, but the task has none; add `choices` or use another template"
    )]
    NoChoices {
        /// Task.
        id: String,
    },
    /// Two sources of instructions.
    #[error(
        "task {id}: its messages begin with a system turn and `system_prompt` is set too; keep one of them"
    )]
    TwoSystemPrompts {
        /// Task.
        id: String,
    },
    /// Not enough examples.
    #[error(
        "few_shot: task {id} needs {wanted} solved examples, and there are {found}; lower `few_shot` or add tasks"
    )]
    TooFewExamples {
        /// Task.
        id: String,
        /// How many are asked for.
        wanted: u32,
        /// How many other tasks there are.
        found: usize,
    },
    /// An example without a solution.
    #[error("few_shot: example {id} needs a plain `prompt` and an `expected` answer to be shown as solved")]
    Unsolved {
        /// Task of the example file.
        id: String,
    },
}

impl Conversation<'_> {
    /// The turns for one task: system prompt, solved examples, question.
    pub fn messages(&self, task: &Task) -> Result<Vec<Message>, ConversationError> {
        let mut turns: Vec<Message> = self.system.map(|text| turn(Role::System, text)).into_iter().collect();
        let mut question = self.question(task)?;
        let own_system = question.first().is_some_and(|first| first.role == Role::System);
        if own_system && self.system.is_some() {
            return Err(ConversationError::TwoSystemPrompts { id: task.id.clone() });
        }
        if own_system {
            turns.push(question.remove(0));
        }
        turns.extend(self.solved(task)?);
        turns.extend(question);
        Ok(turns)
    }

    /// Checks every task of a set, so that a plan fails before anything runs.
    pub fn check(&self, set: &TaskSet) -> Result<(), ConversationError> {
        set.tasks.iter().try_for_each(|task| self.messages(task).map(drop))
    }

    fn question(&self, task: &Task) -> Result<Vec<Message>, ConversationError> {
        match &task.question {
            Question::Prompt(text) => Ok(vec![turn(Role::User, &self.filled(text, task)?)]),
            Question::Messages(turns) => {
                let mut turns = turns.clone();
                if let Some(last) = turns.iter_mut().rev().find(|turn| turn.role == Role::User) {
                    last.content = self.filled(&last.content, task)?;
                }
                Ok(turns)
            }
        }
    }

    /// Fills the template in one go, so that braces in a prompt are never taken for placeholders.
    fn filled(&self, prompt: &str, task: &Task) -> Result<String, ConversationError> {
        let Some(template) = self.template else { return Ok(prompt.to_owned()) };
        if !template.contains("{prompt}") {
            return Err(ConversationError::NoPrompt);
        }
        if template.contains("{choices}") && task.choices.is_empty() {
            return Err(ConversationError::NoChoices { id: task.id.clone() });
        }
        let choices = lettered(&task.choices);
        let with_prompt = |piece: &str| piece.split("{prompt}").collect::<Vec<_>>().join(prompt);
        Ok(template.split("{choices}").map(with_prompt).collect::<Vec<_>>().join(&choices))
    }

    fn solved(&self, task: &Task) -> Result<Vec<Message>, ConversationError> {
        let wanted = self.few_shot as usize;
        let others = self.examples.into_iter().flat_map(|set| &set.tasks);
        let picked: Vec<&Task> =
            others.filter(|other| other.prompt().trim() != task.prompt().trim()).take(wanted).collect();
        if picked.len() < wanted {
            return Err(ConversationError::TooFewExamples {
                id: task.id.clone(),
                wanted: self.few_shot,
                found: picked.len(),
            });
        }
        let pairs: Result<Vec<[Message; 2]>, _> =
            picked.into_iter().map(|example| self.pair(example)).collect();
        Ok(pairs?.into_iter().flatten().collect())
    }

    fn pair(&self, example: &Task) -> Result<[Message; 2], ConversationError> {
        let (Question::Prompt(prompt), Some(answer)) = (&example.question, example.expected.first()) else {
            return Err(ConversationError::Unsolved { id: example.id.clone() });
        };
        Ok([turn(Role::User, &self.filled(prompt, example)?), turn(Role::Assistant, answer)])
    }
}

fn turn(role: Role, content: &str) -> Message {
    Message { role, content: content.to_owned() }
}

/// `A. first`, `B. second`, one a line.
fn lettered(choices: &[String]) -> String {
    let lines = CHOICE_LETTERS.chars().zip(choices).map(|(letter, choice)| format!("{letter}. {choice}"));
    lines.collect::<Vec<_>>().join("\n")
}
