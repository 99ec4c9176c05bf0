//! What the stand-in is to do, read from the model's name.

use crate::fingerprint;

/// Environment variable whose value enters the noise of the times (a run's id, say), so that repeated runs differ as
/// real ones do and yet repeat exactly when they are run again. It does not touch replies.
pub const SALT_VARIABLE: &str = "PLANRUN_SCRIPT_SALT";

/// The script of a stand-in model: `scripted`, or `scripted:WORD,WORD=NUMBER,...` with these words.
///
/// | word | effect | alone |
/// |---|---|---|
/// | `speed=X` | times are divided by X | 1 |
/// | `noise=X` | times vary with this standard deviation (share of their length) | 0.01 |
/// | `errors=X` | share of prompts answered wrongly, besides what quantization costs | 0 |
/// | `fails=X` | share of requests that end in an engine error | all |
/// | `crash=X` | share of requests in which the process aborts | all |
/// | `oom=X` | share of requests in which the process is killed, as the kernel does when memory runs out | all |
/// | `starves=X` | share of requests in which an allocation fails | all |
/// | `slow=X` | share of requests that hang, in real time | all |
/// | `thinks` | replies think although thinking is off | |
/// | `mute` | replies are empty | |
/// | `forgets` | the prefix cache never holds anything | |
/// | `missing` | the engine cannot be opened | |
///
/// The answer to a prompt is the last word of the last user turn, so that a task set can be scored. A share is decided by
/// a hash of prompt and salt: the same request always meets the same fate.
#[allow(clippy::struct_excessive_bools)] // one switch for each word of the script, read from a table
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    pub(super) speed: f64,
    pub(super) noise: f64,
    pub(super) errors: f64,
    pub(super) fails: f64,
    pub(super) crash: f64,
    pub(super) oom: f64,
    pub(super) starves: f64,
    pub(super) slow: f64,
    pub(super) thinks: bool,
    pub(super) mute: bool,
    pub(super) forgets: bool,
    pub(super) missing: bool,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            speed: 1.0,
            noise: 0.01,
            errors: 0.0,
            fails: 0.0,
            crash: 0.0,
            oom: 0.0,
            starves: 0.0,
            slow: 0.0,
            thinks: false,
            mute: false,
            forgets: false,
            missing: false,
        }
    }
}

/// Why a model name is no script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// The name does not begin with `scripted`.
    #[error("`{0}` does not begin with `scripted`")]
    Other(String),
    /// A word that the table does not have.
    #[error(
        "`{0}` is not a word of the script; known are speed, noise, errors, fails, crash, oom, starves, slow, thinks, mute, forgets, missing"
    )]
    Word(String),
    /// A value that is no number in its range.
    #[error("`{0}` needs a number (speed above 0, the others from 0 to 1)")]
    Number(String),
}

impl Script {
    /// Reads a model's name.
    pub fn parse(model: &str) -> Result<Self, ScriptError> {
        let rest = model.strip_prefix("scripted").ok_or_else(|| ScriptError::Other(model.to_owned()))?;
        let mut script = Self::default();
        if rest.is_empty() {
            return Ok(script);
        }
        let words = rest.strip_prefix(':').ok_or_else(|| ScriptError::Other(model.to_owned()))?;
        for word in words.split(',') {
            script.set(word.trim())?;
        }
        Ok(script)
    }

    fn set(&mut self, entry: &str) -> Result<(), ScriptError> {
        let (word, value) = entry.split_once('=').map_or((entry, None), |(word, value)| (word, Some(value)));
        if let Some(flag) = self.flag(word) {
            *flag = true;
            return if value.is_none() { Ok(()) } else { Err(ScriptError::Number(entry.to_owned())) };
        }
        let number = match value {
            Some(text) => text.parse().map_err(|_| ScriptError::Number(entry.to_owned()))?,
            None => 1.0,
        };
        let most = if word == "speed" { f64::MAX } else { 1.0 };
        let slot = self.number(word).ok_or_else(|| ScriptError::Word(word.to_owned()))?;
        if !(0.0..=most).contains(&number) || (word == "speed" && number == 0.0) {
            return Err(ScriptError::Number(entry.to_owned()));
        }
        *slot = number;
        Ok(())
    }

    fn flag(&mut self, word: &str) -> Option<&mut bool> {
        match word {
            "thinks" => Some(&mut self.thinks),
            "mute" => Some(&mut self.mute),
            "forgets" => Some(&mut self.forgets),
            "missing" => Some(&mut self.missing),
            _ => None,
        }
    }

    fn number(&mut self, word: &str) -> Option<&mut f64> {
        match word {
            "speed" => Some(&mut self.speed),
            "noise" => Some(&mut self.noise),
            "errors" => Some(&mut self.errors),
            "fails" => Some(&mut self.fails),
            "crash" => Some(&mut self.crash),
            "oom" => Some(&mut self.oom),
            "starves" => Some(&mut self.starves),
            "slow" => Some(&mut self.slow),
            _ => None,
        }
    }
}

/// A number from 0 (included) to 1 (excluded) that follows from the parts alone.
pub(super) fn uniform(parts: &[&str]) -> f64 {
    bits(parts) as f64 / 2f64.powi(52)
}

/// 52 bits of a hash of the parts.
pub(super) fn bits(parts: &[&str]) -> u64 {
    let digest = fingerprint::of_parts(parts);
    u64::from_str_radix(digest.get(..13).unwrap_or_default(), 16).unwrap_or_default()
}
