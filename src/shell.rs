//! Words as a shell takes them.

/// A word of a command line, quoted where a POSIX shell would take it apart or make something else of it.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=./:,@+%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn only_what_a_shell_would_take_apart_is_quoted() {
        assert_eq!(quoted("plans/a-b_1.toml"), "plans/a-b_1.toml");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("two words; $HOME"), "'two words; $HOME'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
