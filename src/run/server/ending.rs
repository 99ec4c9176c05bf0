//! Why a server is there no more.

use crate::process::Death;
use std::fmt;

/// The end of a server, as planrun sees it.
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
