//! How a server ended, as its guard tells it and as a person reads it.

use rustix::process::Signal;
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Death {
    /// By this signal.
    Signal(i32),
    /// By itself, with this exit code.
    Code(i32),
}

/// Why a server is there no more, as planrun sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gone {
    /// Its guard told how it ended.
    Died(Death),
    /// Its guard is gone, so it was ended. No guard tells this.
    Unguarded,
}

impl Gone {
    /// Why that may be, or what to do about it; `None` where only the log can tell.
    pub(super) fn remedy(self) -> Option<&'static str> {
        match self {
            Self::Died(death) => death.remedy(),
            Self::Unguarded => Some("leave planrun's own processes alone while it measures"),
        }
    }
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Died(death) => death.fmt(f),
            Self::Unguarded => f.write_str("lost its guard, and was ended"),
        }
    }
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
    /// The guard's line.
    pub(super) fn line(self) -> String {
        match self {
            Self::Signal(signal) => format!("signal {signal}"),
            Self::Code(code) => format!("code {code}"),
        }
    }

    /// What the guard's line says.
    pub(super) fn parse(line: &str) -> Option<Self> {
        match line.split_once(' ')? {
            ("signal", number) => number.parse().ok().map(Self::Signal),
            ("code", number) => number.parse().ok().map(Self::Code),
            _ => None,
        }
    }

    /// Why that may be, or what to do about it; `None` where only the log can tell.
    pub(super) fn remedy(self) -> Option<&'static str> {
        self.signal().map(|(.., remedy)| *remedy)
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
    fn what_a_guard_tells_is_what_it_saw() {
        for death in [Death::Signal(9), Death::Signal(64), Death::Code(3), Death::Code(-1)] {
            assert_eq!(Death::parse(&death.line()), Some(death));
        }
        assert_eq!(Death::Signal(9).to_string(), "ended with signal 9 (killed)");
        assert_eq!(Death::Signal(64).to_string(), "ended with signal 64");
    }
}
