//! How a process ended, as a person reads it.

use rustix::process::Signal;
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Death {
    /// By this signal.
    Signal(i32),
    /// By itself, with this exit code.
    Code(i32),
}

impl From<ExitStatus> for Death {
    fn from(status: ExitStatus) -> Self {
        status.signal().map_or_else(|| Self::Code(status.code().unwrap_or(-1)), Self::Signal)
    }
}

/// Signals that end programs: what they are called, and what to do.
const SIGNALS: &[(Signal, &str, &str)] = &[
    (Signal::KILL, "killed", "perhaps for want of memory: close other programs, or name a smaller model"),
    (Signal::TERM, "terminated", "somebody ended it"),
    (Signal::INT, "interrupted", "somebody ended it"),
    (Signal::HUP, "hangup", "somebody ended it"),
    (Signal::ILL, "illegal instruction", "it was built for another processor: get a build for this one"),
    (Signal::SEGV, "segmentation fault", "a fault of its own: try another version of it"),
    (Signal::BUS, "bus error", "its model's file may have been cut off meanwhile: look at that file"),
    (Signal::FPE, "arithmetic fault", "a fault of its own: try another version of it"),
    (Signal::ABORT, "aborted", "a fault that it found itself: try another version of it"),
];

impl Death {
    /// Why that may be, or what to do about it; `None` where only what it said can tell.
    pub fn remedy(self) -> Option<&'static str> {
        self.signal().map(|(.., remedy)| *remedy)
    }

    /// How it ended, and what to do about that: `ended with signal 11 (segmentation fault); a fault of its own: ...`.
    pub fn in_words(self) -> String {
        self.remedy().map_or_else(|| self.to_string(), |remedy| format!("{self}; {remedy}"))
    }

    fn signal(self) -> Option<&'static (Signal, &'static str, &'static str)> {
        let Self::Signal(number) = self else { return None };
        SIGNALS.iter().find(|(signal, ..)| signal.as_raw() == number)
    }
}

/// `ended with signal 9 (killed)`.
impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.signal()) {
            (Self::Signal(number), Some((_, name, _))) => write!(f, "ended with signal {number} ({name})"),
            (Self::Signal(number), None) => write!(f, "ended with signal {number}"),
            (Self::Code(code), _) => write!(f, "ended with code {code}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Death;

    #[test]
    fn a_death_is_told_with_what_to_do_where_that_is_known() {
        assert_eq!(Death::Signal(64).in_words(), "ended with signal 64");
        assert_eq!(Death::Code(3).in_words(), "ended with code 3");
        let killed = "ended with signal 9 (killed); perhaps for want of memory: close other programs, or name a smaller model";
        assert_eq!(Death::Signal(9).in_words(), killed);
    }
}
