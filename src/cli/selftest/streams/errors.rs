//! What was seen against what was sent.

use super::client::Seen;
use super::truth::Truth;
use std::collections::HashMap;

/// Absolute errors in seconds, sorted.
#[derive(Debug, Default)]
pub(super) struct Errors {
    /// Of the time to the first token: it holds the way of the request to the server as well.
    pub(super) ttft: Vec<f64>,
    /// Of each gap between two tokens.
    pub(super) itl: Vec<f64>,
    /// Streams whose tokens could not be told apart, or that the server knows nothing of.
    pub(super) unmatched: usize,
    /// Tokens seen.
    pub(super) tokens: usize,
    /// The server's own largest delay behind its schedule.
    pub(super) late: f64,
}

impl Errors {
    /// By the prompts that both sides know.
    pub(super) fn of(seen: &[Seen], truths: Vec<Truth>) -> Self {
        let truths: HashMap<String, Truth> =
            truths.into_iter().map(|truth| (truth.prompt.clone(), truth)).collect();
        let mut errors = Self::default();
        for seen in seen {
            match (truths.get(&seen.prompt), arrivals(seen)) {
                (Some(truth), Some(arrivals)) if truth.sent.len() == arrivals.len() => {
                    errors.add(&arrivals, truth);
                }
                _ => errors.unmatched += 1,
            }
        }
        errors.ttft.sort_by(f64::total_cmp);
        errors.itl.sort_by(f64::total_cmp);
        errors
    }

    fn add(&mut self, arrivals: &[f64], truth: &Truth) {
        let (Some(first), Some(sent)) = (arrivals.first(), truth.sent.first()) else { return };
        self.ttft.push((first - (sent - truth.received)).abs());
        let gaps = |times: &[f64]| times.windows(2).map(|two| two[1] - two[0]).collect::<Vec<f64>>();
        let pairs = gaps(arrivals).into_iter().zip(gaps(&truth.sent));
        self.itl.extend(pairs.map(|(seen, sent)| (seen - sent).abs()));
        self.tokens += arrivals.len();
        self.late = self.late.max(truth.late);
    }
}

/// When each token arrived; tokens that one read delivered arrived together.
fn arrivals(seen: &Seen) -> Option<Vec<f64>> {
    let each = seen.deliveries.iter().map(|delivery| {
        let tokens = delivery.tokens?;
        Some(std::iter::repeat_n(delivery.at, tokens as usize))
    });
    Some(each.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The value that a share of the sorted values does not exceed.
pub(super) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * share).round() as usize).copied()
}
