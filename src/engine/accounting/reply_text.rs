//! The text of a reply whose reasoning may come in a field of its own.

use super::start::Start;
use super::tally::Piece;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Index of the first piece that belongs to the answer, by the marks in the text; `None` where there is none.
pub(in crate::engine) fn answer_start(pieces: &[Piece], start: Start) -> Option<usize> {
    ReplyText::of(pieces, start).answer_start(start)
}

/// A reply as one text, with reasoning between the marks that models write themselves.
#[derive(Debug, Default)]
pub(super) struct ReplyText {
    pub(super) text: String,
    /// Bytes of the text after each piece.
    ends: Vec<usize>,
    reasoning: Reasoning,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Reasoning {
    #[default]
    Outside,
    Inside,
    /// Closed, and nothing of the answer has come yet.
    Closed,
}

impl ReplyText {
    pub(super) fn of(pieces: &[Piece], start: Start) -> Self {
        let mut reply = Self::default();
        for piece in pieces {
            reply.add(piece);
        }
        if start == Start::Unseen && reply.closes_what_it_did_not_open() {
            reply.open();
        }
        reply
    }

    fn closes_what_it_did_not_open(&self) -> bool {
        self.text.split_once(CLOSE).is_some_and(|(before, _)| !before.contains(OPEN))
    }

    /// Writes the mark that stood in the prompt which the server rendered.
    fn open(&mut self) {
        let mark = format!("{OPEN}\n");
        self.text.insert_str(0, &mark);
        self.ends.iter_mut().for_each(|end| *end += mark.len());
    }

    fn add(&mut self, piece: &Piece) {
        if !piece.reasoning.is_empty() {
            if self.reasoning != Reasoning::Inside {
                self.text.push_str(OPEN);
                self.text.push('\n');
                self.reasoning = Reasoning::Inside;
            }
            self.text.push_str(&piece.reasoning);
        }
        for said in [&piece.content, &piece.tool].into_iter().filter(|said| !said.is_empty()) {
            self.answer(said);
        }
        self.ends.push(self.text.len());
    }

    fn answer(&mut self, said: &str) {
        if self.reasoning == Reasoning::Inside {
            self.text.truncate(self.text.trim_end_matches('\n').len());
            self.text.push('\n');
            self.text.push_str(CLOSE);
            self.text.push_str("\n\n");
            self.reasoning = Reasoning::Closed;
        }
        // Line ends between reasoning and answer stand in the text already.
        let said = if self.reasoning == Reasoning::Closed { said.trim_start_matches('\n') } else { said };
        if !said.is_empty() {
            self.text.push_str(said);
            self.reasoning = Reasoning::Outside;
        }
    }

    /// Index of the first piece that belongs to the answer; `None` if the reply ends inside the reasoning.
    pub(super) fn answer_start(&self, start: Start) -> Option<usize> {
        match self.text.rfind(CLOSE) {
            Some(close) => self.ends.iter().position(|end| *end > close + CLOSE.len()),
            None if start == Start::Inside || self.text.contains(OPEN) => None,
            None => (!self.ends.is_empty()).then_some(0),
        }
    }
}
