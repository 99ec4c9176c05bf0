//! The end of what a program wrote: it tells why the program died.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};

/// Bytes of a stream that are kept.
const KEPT: usize = 4096;
/// Characters of a line that is quoted.
const WIDTH: usize = 240;
/// Lines that stand in a sentence.
const IN_A_SENTENCE: usize = 6;

/// Reads a stream to its end and keeps the last of it.
pub fn tail(mut stream: impl Read) -> String {
    let mut kept = VecDeque::with_capacity(KEPT);
    let mut piece = [0u8; 1024];
    loop {
        match stream.read(&mut piece) {
            Ok(read) if read > 0 => {
                kept.extend(&piece[..read]);
                kept.drain(..kept.len().saturating_sub(KEPT));
            }
            // Who stops reading stops the writer as soon as the pipe is full.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => break,
        }
    }
    String::from_utf8_lossy(kept.make_contiguous()).into_owned()
}

/// The last `most` lines that are not blank, each cut to a width that can be read.
pub fn last_lines(text: &str, most: usize) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(most)..].iter().map(|line| shortened(line, WIDTH)).collect()
}

/// What a program said last on its standard error, as a part of a sentence: `its last words: no room | giving up`.
pub fn last_words(errors: &str) -> String {
    let lines = last_lines(errors, IN_A_SENTENCE);
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    if lines.is_empty() {
        return "it said nothing on standard error".to_owned();
    }
    format!("its last words: {}", lines.join(" | "))
}

/// The first `most` characters, with `...` behind them where there are more.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, last_lines, last_words, shortened, tail};
    use std::io::{self, ErrorKind, Read};

    /// Each second read is interrupted.
    struct Disturbed<'a>(&'a [u8], bool);

    impl Read for Disturbed<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(ErrorKind::Interrupted.into()) } else { self.0.read(into) }
        }
    }

    #[test]
    fn a_stream_is_read_to_its_end_through_signals() {
        let text = "0123456789".repeat(1000);
        assert_eq!(tail(Disturbed(text.as_bytes(), false)), text[10_000 - 4096..]);
    }

    #[test]
    fn the_last_lines_are_quoted_without_blank_ones_and_cut_to_a_width() {
        assert_eq!(last_lines("a\n\n  b \n \nc\n", 2), ["  b", "c"]);
        assert_eq!(last_words("a\n  b\n"), "its last words: a | b");
        assert_eq!(last_words(" \n"), "it said nothing on standard error");
        let long = "ü".repeat(WIDTH + 1);
        assert_eq!(last_lines(&long, 1), [format!("{}...", "ü".repeat(WIDTH))]);
        assert_eq!(shortened("üü", 2), "üü");
    }
}
