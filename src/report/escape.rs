//! Text from models, plans and file names, made harmless before it stands in a report.

/// Neutralises everything that markdown or the HTML inside it could take for markup: the text reads the same, and
/// stays in its line and its table cell. Bare links and mentions do not become links.
pub fn markdown_text(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut safe = String::with_capacity(text.len() + 8);
    for (i, &letter) in letters.iter().enumerate() {
        match letter {
            '&' => safe.push_str("&amp;"),
            // No tag begins with a blank.
            '<' if letters.get(i + 1) == Some(&' ') => safe.push('<'),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '@' => safe.push_str("&#64;"),
            ':' if letters.get(i + 1) == Some(&'/') => safe.push_str("&#58;"),
            '.' if ends_with_www(&letters[..i]) => safe.push_str("&#46;"),
            '#' if i == 0 || letters[i - 1].is_whitespace() => safe.push_str("&#35;"),
            '\\' | '|' | '`' | '*' | '[' | ']' | '~' | '$' => {
                safe.push('\\');
                safe.push(letter);
            }
            '_' if !inside_word(&letters, i) => safe.push_str("\\_"),
            _ if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') => safe.push(' '),
            _ => safe.push(letter),
        }
    }
    safe
}

/// A command for a fenced block of markdown: one line, and nothing in it that could end the fence.
pub(super) fn command_line(text: &str) -> String {
    text.chars().map(|letter| if letter == '`' || letter.is_control() { ' ' } else { letter }).collect()
}

/// An underscore between letters is no emphasis and may stay as it is.
fn inside_word(letters: &[char], at: usize) -> bool {
    let word = |i: Option<usize>| i.and_then(|i| letters.get(i)).is_some_and(|c| c.is_alphanumeric());
    word(at.checked_sub(1)) && word(Some(at + 1))
}

fn ends_with_www(before: &[char]) -> bool {
    before.len() >= 3 && before[before.len() - 3..].iter().all(|letter| letter.eq_ignore_ascii_case(&'w'))
}
