//! How a final answer is judged.

use super::choice::{CHOICE_LETTERS, chosen};
use super::{Decimal, Task, TaskSet};
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an answer is judged. Of a generated reply only the answer after the reasoning is looked at; the scorers by
/// log-likelihood generate nothing and choose among the options of a multiple-choice question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scorer {
    /// Equal to an expected string after trimming white space; case counts.
    Exact,
    /// Contains an expected string; case counts.
    Contains,
    /// An expected regular expression matches somewhere in the answer.
    Regex,
    /// The last number of the answer equals an expected number by value (`1,200.50` = `1200.5`).
    Numeric,
    /// The letter or option that the answer names is an expected one.
    Choice,
    /// The most likely letter (`A`, `B`, ...) is that of an expected option.
    LoglikelihoodLetter,
    /// The option whose text has the largest log-likelihood is an expected one: `acc` of lm-evaluation-harness.
    Loglikelihood,
    /// The same with the log-likelihood divided by the number of characters of the option: its `acc_norm`.
    LoglikelihoodNorm,
}

/// Why a scorer cannot judge a task set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScorerError {
    /// No task says what is right.
    #[error(
        "no task has `expected`, so nothing can be scored; add it, or set `quality = false` in the workload"
    )]
    NothingExpected,
    /// An expected regular expression does not compile.
    #[error("task {id}: the expected regular expression `{pattern}` does not compile: {problem}")]
    Regex {
        /// Task.
        id: String,
        /// As written.
        pattern: String,
        /// What the regular-expression compiler says.
        problem: String,
    },
    /// An expected answer is no number.
    #[error(
        "task {id}: `expected` is `{expected}`, which is no number; write a number or choose another scorer"
    )]
    NotANumber {
        /// Task.
        id: String,
        /// As written.
        expected: String,
    },
    /// A task without options.
    #[error(
        "task {id}: the scorer `{scorer}` needs `choices`; add the list of options or choose another scorer"
    )]
    NoChoices {
        /// Task.
        id: String,
        /// Name of the scorer.
        scorer: &'static str,
    },
    /// An expected answer names no option.
    #[error(
        "task {id}: `expected` is `{expected}`, which is no letter from A to {last} and no text of an option; \
         write one of them"
    )]
    NotAChoice {
        /// Task.
        id: String,
        /// As written.
        expected: String,
        /// Letter of the last option.
        last: char,
    },
    /// An option that reads as the letter of another one.
    #[error("task {id}: the option `{option}` reads as the letter of another option; word it differently")]
    AmbiguousChoice {
        /// Task.
        id: String,
        /// As written.
        option: String,
    },
}

impl Scorer {
    /// Its name in a plan.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Contains => "contains",
            Self::Regex => "regex",
            Self::Numeric => "numeric",
            Self::Choice => "choice",
            Self::LoglikelihoodLetter => "loglikelihood_letter",
            Self::Loglikelihood => "loglikelihood",
            Self::LoglikelihoodNorm => "loglikelihood_norm",
        }
    }

    /// Score of a final answer: 1 or 0, 0 for no answer; `None` for a task without an expected answer.
    pub fn score(self, answer: Option<&str>, task: &Task) -> Option<f64> {
        if task.expected.is_empty() {
            return None;
        }
        let right =
            answer.is_some_and(|answer| task.expected.iter().any(|one| self.accepts(answer, one, task)));
        Some(f64::from(u8::from(right)))
    }

    fn accepts(self, answer: &str, expected: &str, task: &Task) -> bool {
        let answer = answer.trim();
        match self {
            Self::Exact => answer == expected.trim(),
            Self::Contains => answer.contains(expected.trim()),
            Self::Regex => Regex::new(expected).is_ok_and(|pattern| pattern.is_match(answer)),
            Self::Numeric => {
                Decimal::last_in(answer).is_some_and(|number| Some(number) == Decimal::last_in(expected))
            }
            Self::Choice | Self::LoglikelihoodLetter | Self::Loglikelihood | Self::LoglikelihoodNorm => {
                chosen(answer, &task.choices)
                    .is_some_and(|index| Some(index) == chosen(expected, &task.choices))
            }
        }
    }

    /// Checks that this scorer can judge every task that has an expected answer, and that there is one. A scorer by
    /// log-likelihood cannot even ask a task without options.
    pub fn check(self, set: &TaskSet) -> Result<(), ScorerError> {
        if self.reads_likelihoods() {
            set.tasks.iter().try_for_each(|task| self.check_options(task))?;
        }
        if set.tasks.iter().all(|task| task.expected.is_empty()) {
            return Err(ScorerError::NothingExpected);
        }
        let scored = set.tasks.iter().filter(|task| !task.expected.is_empty());
        scored.into_iter().try_for_each(|task| self.check_task(task))
    }

    fn check_task(self, task: &Task) -> Result<(), ScorerError> {
        let each = |check: fn(&Task, &str) -> Result<(), ScorerError>| {
            task.expected.iter().try_for_each(|expected| check(task, expected))
        };
        match self {
            Self::Exact | Self::Contains => Ok(()),
            Self::Regex => each(check_regex),
            Self::Numeric => each(check_number),
            Self::Choice => self.check_options(task).and_then(|()| each(check_choice)),
            // their options have been checked, of all tasks
            Self::LoglikelihoodLetter | Self::Loglikelihood | Self::LoglikelihoodNorm => each(check_choice),
        }
    }

    /// Options must be there, and the text of one must not read as the letter of another.
    fn check_options(self, task: &Task) -> Result<(), ScorerError> {
        if task.choices.is_empty() {
            return Err(ScorerError::NoChoices { id: task.id.clone(), scorer: self.name() });
        }
        let misread = |(index, option): &(usize, &String)| chosen(option, &task.choices) != Some(*index);
        match task.choices.iter().enumerate().find(misread) {
            Some((_, option)) => {
                Err(ScorerError::AmbiguousChoice { id: task.id.clone(), option: option.clone() })
            }
            None => Ok(()),
        }
    }
}

fn check_regex(task: &Task, pattern: &str) -> Result<(), ScorerError> {
    let error = |problem: regex::Error| ScorerError::Regex {
        id: task.id.clone(),
        pattern: pattern.to_owned(),
        problem: problem.to_string(),
    };
    Regex::new(pattern).map(drop).map_err(error)
}

fn check_number(task: &Task, expected: &str) -> Result<(), ScorerError> {
    let error = || ScorerError::NotANumber { id: task.id.clone(), expected: expected.to_owned() };
    Decimal::parse(expected).map(drop).ok_or_else(error)
}

fn check_choice(task: &Task, expected: &str) -> Result<(), ScorerError> {
    let last = CHOICE_LETTERS.chars().nth(task.choices.len().saturating_sub(1)).unwrap_or('Z');
    let error = || ScorerError::NotAChoice { id: task.id.clone(), expected: expected.to_owned(), last };
    chosen(expected, &task.choices).map(drop).ok_or_else(error)
}
