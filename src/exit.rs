//! One documented exit code per class of outcome.

/// How a planrun command ended. The numeric value is the process's exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything asked for was done.
    Done = 0,
    /// An internal or I/O failure.
    Internal = 1,
    /// The command line could not be understood.
    Usage = 2,
    /// The plan is invalid.
    PlanInvalid = 3,
    /// A planned edge was refused, or `compare` refused its pair.
    Incomparable = 4,
    /// Runs are missing or failed.
    Incomplete = 5,
    /// An engine could not be opened.
    EngineUnavailable = 6,
    /// A gate failed.
    GateFailed = 7,
}

impl Exit {
    /// The outcome that decides when several happened: 1 > 3 > 6 > 5 > 4, then the rest.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        if self.rank() >= other.rank() { self } else { other }
    }

    fn rank(self) -> u8 {
        match self {
            Self::Internal => 7,
            Self::Usage => 6,
            Self::PlanInvalid => 5,
            Self::EngineUnavailable => 4,
            Self::Incomplete => 3,
            Self::Incomparable => 2,
            Self::GateFailed => 1,
            Self::Done => 0,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
