//! Choosing among the options of a question by the log-likelihoods of what they would add to the prompt.

use super::choice::CHOICE_LETTERS;
use super::{Scorer, Task};

impl Scorer {
    /// True for a scorer that generates nothing and reads the log-likelihoods of the options.
    pub fn reads_likelihoods(self) -> bool {
        matches!(self, Self::LoglikelihoodLetter | Self::Loglikelihood | Self::LoglikelihoodNorm)
    }

    /// What each option of a task would add to the prompt, in order: its letter, or its text.
    pub fn continuations(self, task: &Task) -> Vec<String> {
        match self {
            Self::LoglikelihoodLetter => {
                CHOICE_LETTERS.chars().take(task.choices.len()).map(String::from).collect()
            }
            _ => task.choices.clone(),
        }
    }

    /// Index of the option that this scorer prefers, given the log-likelihood of each continuation; of equal ones the
    /// first. `None` where there is none.
    ///
    /// As lm-evaluation-harness has it (`lm_eval/api/task.py`, `ConfigurableTask.process_results`, output type
    /// `multiple_choice`): `acc` takes the largest sum, `acc_norm` the largest sum divided by the length of the option in
    /// characters (`len(choice)`, without the space before it).
    pub fn preferred(self, continuations: &[String], log_likelihoods: &[f64]) -> Option<usize> {
        let weighed = continuations.iter().zip(log_likelihoods).map(|(text, sum)| match self {
            Self::LoglikelihoodNorm => sum / characters(text) as f64,
            _ => *sum,
        });
        let first_largest =
            |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
        weighed.enumerate().reduce(first_largest).map(|(index, _)| index)
    }
}

/// Length of a continuation as `acc_norm` counts it: Unicode scalar values, at least 1.
pub fn characters(text: &str) -> usize {
    text.chars().count().max(1)
}
