//! The command line once more, for a person to go on with.

use crate::shell::quoted;

/// Makes failed runs again.
const RETRY: &str = "--retry-failed";
/// Begins a new store.
const FRESH: &str = "--fresh";

/// The command line that is being carried out, ready to be pasted into a shell; it goes on with the store that there is now.
pub(super) fn this_command() -> String {
    shown(words().filter(|word| word != FRESH))
}

/// The same, so that it makes failed and missing runs.
pub(super) fn retry_command() -> String {
    let others = words().filter(|word| word != RETRY && word != FRESH);
    shown(others.chain([RETRY.to_owned()]))
}

/// A word that is no UTF-8 is shown as well as it can be; `std::env::args` would panic.
fn words() -> impl Iterator<Item = String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned())
}

fn shown(words: impl Iterator<Item = String>) -> String {
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}
