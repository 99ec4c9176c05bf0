//! The reply on standard output, as it comes.

use crate::engine::accounting::Piece;
use crate::generation::Stopwatch;
use std::io::{self, ErrorKind, Read};

/// What the program writes behind every reply, and before that behind one that ended by itself.
const AFTER: &str = "\n\n";
const ENDED: &str = " [end of text]\n";
/// Most bytes that are read at once.
const PIECE: usize = 4096;

/// A reply as it came: each read with the moment at which it returned.
#[derive(Debug, Default)]
pub(super) struct Output {
    bytes: Vec<u8>,
    /// Moments, and the bytes that had come by then.
    reads: Vec<(f64, usize)>,
}

/// A reply, told from what the program writes around it.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    /// A read that carried text each.
    pub(super) pieces: Vec<Piece>,
    /// It ended by itself.
    pub(super) ended: bool,
    /// When what stands behind it came.
    pub(super) ended_at: f64,
}

impl Output {
    /// Reads to the end, or until there is more than `most` bytes.
    pub(super) fn hear(mut stream: impl Read, most: usize, clock: &Stopwatch) -> io::Result<Self> {
        let (mut output, mut piece) = (Self::default(), [0; PIECE]);
        loop {
            let read = stream.read(&mut piece);
            let at = clock.seconds();
            match read {
                Ok(_) if output.bytes.len() > most => {
                    return Err(io::Error::other("it writes far more than was asked for"));
                }
                Ok(0) => return Ok(output),
                Ok(count) => output.take(at, &piece[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn take(&mut self, at: f64, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.reads.push((at, self.bytes.len()));
    }

    /// The reply alone; `ends` are the tokens that end one, spelled out. A character that is split over two reads comes with
    /// the second.
    pub(super) fn said(&self, ends: &[String]) -> Said {
        let bytes = self.bytes.strip_suffix(AFTER.as_bytes()).unwrap_or(&self.bytes);
        let turn = bytes.strip_suffix(ENDED.as_bytes());
        let ended = turn.is_some();
        let reply = turn.map_or(bytes, |turn| without_end(turn, ends));
        let mut said = Said { pieces: Vec::new(), ended, ended_at: 0.0 };
        let mut from = 0;
        for (at, until) in &self.reads {
            let until = whole(reply, from, (*until).min(reply.len()));
            let content = String::from_utf8_lossy(&reply[from..until]).into_owned();
            if !content.is_empty() {
                said.pieces.push(Piece { at: *at, content, ..Piece::default() });
            }
            from = until;
        }
        let behind = self.reads.iter().find(|(_, until)| *until > reply.len());
        said.ended_at = behind.or(self.reads.last()).map_or(0.0, |(at, _)| *at);
        said
    }
}

fn without_end<'a>(turn: &'a [u8], ends: &[String]) -> &'a [u8] {
    ends.iter().find_map(|end| turn.strip_suffix(end.as_bytes())).unwrap_or(turn)
}

/// Where the last whole character between two places ends; at the end of all, bytes that are none are taken as they are.
fn whole(bytes: &[u8], from: usize, until: usize) -> usize {
    match std::str::from_utf8(&bytes[from..until]) {
        Err(error) if error.error_len().is_none() && until < bytes.len() => from + error.valid_up_to(),
        _ => until,
    }
}

#[cfg(test)]
mod tests {
    use super::{Output, Said};

    fn output(reads: &[&[u8]]) -> Said {
        let mut output = Output::default();
        for (index, bytes) in reads.iter().enumerate() {
            output.take(index as f64, bytes);
        }
        output.said(&["<|im_end|>".to_owned()])
    }

    fn texts(said: &Said) -> Vec<(f64, &str)> {
        said.pieces.iter().map(|piece| (piece.at, piece.content.as_str())).collect()
    }

    #[test]
    fn a_reply_that_ended_by_itself_is_told_from_the_words_behind_it() {
        let said = output(&[b"Par", b"is.", b"<|im_end|>", b" [end of text]\n", b"\n\n"]);
        assert_eq!(texts(&said), [(0.0, "Par"), (1.0, "is.")]);
        assert!(said.ended && said.ended_at.total_cmp(&2.0).is_eq());
    }

    #[test]
    fn a_reply_that_was_cut_off_keeps_its_own_line_ends() {
        let said = output(&[b"Paris\n", b"\n", b"\n\n"]);
        assert_eq!(texts(&said), [(0.0, "Paris\n"), (1.0, "\n")]);
        assert!(!said.ended);
    }

    #[test]
    fn what_one_read_brings_with_the_last_token_is_left_out_of_it() {
        let said = output(&[b"Par", b"is.<|im_end|> [end of text]\n\n\n"]);
        assert_eq!(texts(&said), [(0.0, "Par"), (1.0, "is.")]);
        assert!(said.ended && said.ended_at.total_cmp(&1.0).is_eq());
    }

    #[test]
    fn a_character_that_is_split_over_two_reads_comes_with_the_second() {
        let said = output(&[b"a\xe6\x9d", b"\xb1b", b"\n\n"]);
        assert_eq!(texts(&said), [(0.0, "a"), (1.0, "\u{6771}b")]);
        let broken = output(&[b"a\xe6", b"\n\n"]);
        assert_eq!(texts(&broken), [(0.0, "a\u{fffd}")]);
    }
}
