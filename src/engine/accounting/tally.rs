//! Pieces of a stream are counted.
//!
//! A delivery is a piece that carries content, reasoning, a part of a tool call, or token ids: a role, an empty delta, a comment
//! or a usage count is none. How many tokens it carried is known from ids, or where there are exactly as many deliveries as the
//! server counts tokens. One fewer is enough if the reply ended by itself: the last token is then the end of the turn, which has
//! no text, and arrives with the message that says so. Otherwise it stays unknown, and no rate is computed from guesses.

use super::reply_text::ReplyText;
use super::start::Start;
use crate::generation::{Compute, Delivery, Generation, SpeculationCounts, StopReason, TokenTimes};

/// Most pieces that a token may come in, and how many more are borne with: a server that does not stop is left.
const PIECES_A_TOKEN: usize = 16;
const PIECES_BEYOND: usize = 1024;

/// What one message of a stream carries for the reader.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::engine) struct Piece {
    /// Seconds since the request was sent.
    pub(in crate::engine) at: f64,
    /// Text of the answer.
    pub(in crate::engine) content: String,
    /// Reasoning that comes in a field of its own.
    pub(in crate::engine) reasoning: String,
    /// What it says of a tool call: name and arguments, in the order in which they come.
    pub(in crate::engine) tool: String,
    /// Token ids.
    pub(in crate::engine) ids: Vec<u32>,
}

impl Piece {
    fn is_delivery(&self) -> bool {
        let Self { at: _, content, reasoning, tool, ids } = self;
        !(content.is_empty() && reasoning.is_empty() && tool.is_empty() && ids.is_empty())
    }
}

/// What is known of a reply as a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::engine) struct Totals {
    /// Why it ended.
    pub(in crate::engine) stop: StopReason,
    /// When the message that says so arrived.
    pub(in crate::engine) ended_at: f64,
    /// Generated tokens as the server counts them.
    pub(in crate::engine) tokens: Option<u32>,
    /// Prompt tokens as the server counts them.
    pub(in crate::engine) prompt_tokens: Option<u32>,
    /// Of these, taken from a cache.
    pub(in crate::engine) cached_tokens: Option<u32>,
    /// The server's own time for reading the prompt, seconds.
    pub(in crate::engine) prefill: Option<f64>,
    /// The server's own time after that.
    pub(in crate::engine) compute: Option<Compute>,
    /// Drafted and accepted tokens.
    pub(in crate::engine) speculation: Option<SpeculationCounts>,
}

/// Why reading on is of no use after so many pieces of a reply of `most` tokens; `None` while they may be right.
pub(in crate::engine) fn too_many(pieces: usize, most: u32) -> Option<String> {
    let beyond = pieces > PIECES_BEYOND + most as usize * PIECES_A_TOKEN;
    beyond.then(|| format!("the server goes on after {pieces} pieces, although {most} tokens were to come"))
}

/// Deliveries of one reply, in order of arrival. Nothing is computed before the reply is whole.
#[derive(Debug, Default)]
pub(in crate::engine) struct Tally {
    pieces: Vec<Piece>,
}

impl Tally {
    /// Takes a piece; one that carries nothing is dropped.
    pub(in crate::engine) fn take(&mut self, piece: Piece) {
        if piece.is_delivery() {
            self.pieces.push(piece);
        }
    }

    /// Why reading on is of no use: the server has sent far more than `most` tokens can be; `None` while it has not.
    pub(in crate::engine) fn endless(&self, most: u32) -> Option<String> {
        too_many(self.pieces.len(), most)
    }

    /// The reply; `start` says where it began.
    ///
    /// # Errors
    /// In words, when the server's ids and its count contradict each other.
    pub(in crate::engine) fn generation(self, start: Start, totals: Totals) -> Result<Generation, String> {
        let ids = self.ids();
        let counted = ids.as_ref().map(|ids| ids.len() as u32);
        if let (Some(shown), Some(counted)) =
            (counted, totals.tokens.filter(|tokens| Some(*tokens) != counted))
        {
            return Err(format!("the server sent {shown} token ids and counts {counted} tokens"));
        }
        let reply = ReplyText::of(&self.pieces, start);
        let (deliveries, places) = together(self.each(&totals, ids.is_some()));
        let first_answer = reply.answer_start(start).map(|piece| places[piece]);
        Ok(Generation {
            text: reply.text,
            ids,
            tokens: counted.or(totals.tokens),
            prompt_tokens: totals.prompt_tokens,
            cached_tokens: totals.cached_tokens,
            stop: totals.stop,
            times: TokenTimes { deliveries, first_answer, prefill: totals.prefill, compute: totals.compute },
            speculation: totals.speculation,
        })
    }

    /// All ids; `None` where a delivery came without.
    fn ids(&self) -> Option<Vec<u32>> {
        let whole = !self.pieces.is_empty() && self.pieces.iter().all(|piece| !piece.ids.is_empty());
        whole.then(|| self.pieces.iter().flat_map(|piece| piece.ids.iter().copied()).collect())
    }

    /// A delivery for each piece, and one for the end of the turn where that is a token without text.
    fn each(&self, totals: &Totals, by_ids: bool) -> Vec<Delivery> {
        let carried = |piece: &Piece, tokens| Delivery { at: piece.at, tokens };
        if by_ids {
            let count = |piece: &Piece| carried(piece, Some(piece.ids.len() as u32));
            return self.pieces.iter().map(count).collect();
        }
        let deliveries = self.pieces.len() as u32;
        // A tool call is held back until it is whole: that as many pieces arrived as tokens were made is then chance.
        let whole = self.pieces.iter().any(|piece| !piece.tool.is_empty());
        let tokens = totals.tokens.filter(|_| !whole && deliveries > 0);
        let ends = totals.stop == StopReason::Eos && tokens == Some(deliveries + 1);
        let one_each = (ends || tokens == Some(deliveries)).then_some(1);
        let end = ends.then_some(Delivery { at: totals.ended_at, tokens: Some(1) });
        self.pieces.iter().map(|piece| carried(piece, one_each)).chain(end).collect()
    }
}

/// What came out of one read reached the reader together: it is one delivery. Also gives the delivery of each piece.
fn together(each: Vec<Delivery>) -> (Vec<Delivery>, Vec<usize>) {
    let mut deliveries: Vec<Delivery> = Vec::with_capacity(each.len());
    let mut places = Vec::with_capacity(each.len());
    for one in each {
        match deliveries.last_mut() {
            Some(last) if last.at.total_cmp(&one.at).is_eq() => {
                last.tokens = last.tokens.zip(one.tokens).map(|(earlier, more)| earlier + more);
            }
            _ => deliveries.push(one),
        }
        places.push(deliveries.len() - 1);
    }
    (deliveries, places)
}
