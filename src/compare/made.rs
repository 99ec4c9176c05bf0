//! When the records were made, and by what: told in a report, never compared.

use crate::record::RunRecord;
use serde::Serialize;
use std::collections::BTreeSet;

/// Circumstances of all records together, in steps so coarse that an interrupted plan tells the same as a calm one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Made {
    /// Days on which runs began (`2026-03-01`, UTC), first and last; empty where nobody recorded it.
    pub days: Vec<String>,
    /// Minutes that all runs took together, rounded; `None` where nobody recorded it.
    pub minutes: Option<u32>,
    /// Commits of the plan's repository, `+dirty` where its tree had changes.
    pub commits: Vec<String>,
    /// SHA-256 of the builds of planrun that ran.
    pub builds: Vec<String>,
}

impl Made {
    pub(super) fn of<'a>(records: impl Iterator<Item = &'a RunRecord>) -> Self {
        let (mut days, mut commits, mut builds) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut seconds = 0.0;
        for context in records.map(|record| &record.context) {
            days.extend(context.started.get(..10).map(str::to_owned));
            commits.extend(context.git.clone());
            builds.extend(context.planrun.clone());
            seconds += context.wall_s;
        }
        let ends: BTreeSet<String> = days.first().into_iter().chain(days.last()).cloned().collect();
        Self {
            days: ends.into_iter().collect(),
            minutes: (seconds > 0.0).then_some((seconds / 60.0).round() as u32),
            commits: commits.into_iter().collect(),
            builds: builds.into_iter().collect(),
        }
    }
}
