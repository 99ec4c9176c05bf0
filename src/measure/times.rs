//! What the arrival times of one generation say.

use crate::generation::{Generation, TokenTimes};

/// Times of one generation, in seconds. Each is `None` where the generation does not show it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Times {
    /// To the first token.
    pub ttft: Option<f64>,
    /// To the first token after the reasoning.
    pub ttfo: Option<f64>,
    /// The engine's own time for reading the prompt.
    pub prefill: Option<f64>,
    /// Tokens after the first delivery.
    pub decode_tokens: Option<u32>,
    /// From the first delivery to the last.
    pub decode: Option<f64>,
    /// To the last token.
    pub full: Option<f64>,
    /// Median gap, where every delivery carries one token, and none was guessed ahead.
    pub itl: Option<f64>,
    /// Median gap, where deliveries carry several tokens, or nobody knows how many.
    pub icl: Option<f64>,
    /// Largest gap.
    pub itl_max: Option<f64>,
}

impl Times {
    /// Reads them off. Tokens that were guessed ahead and accepted come out of one pass of the model and reach the reader almost
    /// together, each by itself: the gap between them is that of writing two messages, and a median of such gaps tells nothing.
    /// Decoding starts with the first delivery and ends with the last token, so the tokens of the first
    /// delivery are not decoded in that time; with one delivery there is no decoding to time.
    pub fn of(generation: &Generation) -> Self {
        let TokenTimes { deliveries, first_answer, prefill, compute: _ } = &generation.times;
        let (Some(first), Some(last)) = (deliveries.first(), deliveries.last()) else {
            return Self { prefill: *prefill, ..Self::default() };
        };
        let mut gaps: Vec<f64> = deliveries.windows(2).map(|two| two[1].at - two[0].at).collect();
        gaps.sort_by(f64::total_cmp);
        let guessed = generation.speculation.is_some_and(|counts| counts.accepted > 0);
        let single = deliveries.iter().all(|delivery| delivery.tokens == Some(1));
        let decoded: Option<u32> = deliveries[1..].iter().map(|delivery| delivery.tokens).sum();
        let decoded = decoded.filter(|tokens| *tokens > 0);
        Self {
            ttft: Some(first.at),
            ttfo: first_answer.and_then(|index| deliveries.get(index)).map(|delivery| delivery.at),
            prefill: *prefill,
            decode_tokens: decoded,
            decode: decoded.map(|_| last.at - first.at),
            full: Some(last.at),
            itl: median(&gaps).filter(|_| single && !guessed),
            icl: median(&gaps).filter(|_| !single && !guessed),
            itl_max: gaps.last().copied(),
        }
    }
}

/// Median of sorted values; `None` of nothing.
pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}
