//! The command line once more, for a person to go on with.

/// Makes failed runs again.
const RETRY: &str = "--retry-failed";

/// The command line that is being carried out, ready to be pasted into a shell.
pub(super) fn this_command() -> String {
    shown(std::env::args())
}

/// The same, so that it makes failed and missing runs.
pub(super) fn retry_command() -> String {
    let others = std::env::args().filter(|word| word != RETRY && word != "--fresh");
    shown(others.chain([RETRY.to_owned()]))
}

fn shown(words: impl Iterator<Item = String>) -> String {
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
