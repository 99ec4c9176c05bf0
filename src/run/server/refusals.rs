//! Programs that do not come up.

/// Failures in a row after which a program is not tried again with the same arguments in a session: each can take as long as a whole run, and what is
/// wrong with it will be wrong the next time. The other arms go on.
const FAILURES: u32 = 2;

/// The failures of a session so far, by what the program was started with.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    refused: Vec<Refused>,
}

#[derive(Debug)]
struct Refused {
    key: String,
    times: u32,
    /// The last time.
    problem: String,
}

impl Refusals {
    /// It did not come up.
    pub(super) fn add(&mut self, key: &str, problem: &str) {
        match self.refused.iter_mut().find(|refused| refused.key == key) {
            Some(refused) => {
                refused.times += 1;
                problem.clone_into(&mut refused.problem);
            }
            None => self.refused.push(Refused { key: key.to_owned(), times: 1, problem: problem.to_owned() }),
        }
    }

    /// It came up.
    pub(super) fn forget(&mut self, key: &str) {
        self.refused.retain(|refused| refused.key != key);
    }

    /// Why it is not to be tried again.
    pub(super) fn verdict(&self, key: &str) -> Option<String> {
        let refused = self.refused.iter().find(|refused| refused.key == key && refused.times >= FAILURES)?;
        Some(format!(
            "not tried: with these arguments it failed twice in a row in this session, the last time so: {}; mend \
             that, and make the run again with --retry-failed",
            refused.problem
        ))
    }
}
