//! From a simultaneous interval to a verdict: nothing else decides.

use super::findings::Bounds;
use super::spec::{Scale, Spec};
use super::verdict::Verdict;
use crate::stats::{Interval, NoiseLevel};

/// How many blocks are worth suggesting.
const MOST_BLOCKS: usize = 1000;

/// An interval of the judged scale in the shown unit; `error` is what its whole family may spend.
pub(super) fn bounds(scale: Scale, interval: &Interval, error: f64, simultaneous: bool) -> Bounds {
    Bounds {
        low: scale.shown(interval.low),
        high: scale.shown(interval.high),
        simultaneous,
        level: 100.0 * (1.0 - error),
        open_at_zero: interval.open_at_zero,
    }
}

/// The verdict that an interval gives, with a margin where one was declared.
pub(super) fn decide(bounds: &Bounds, margin: Option<[f64; 2]>) -> Verdict {
    let touches = bounds.low == 0.0 || bounds.high == 0.0;
    let established = bounds.low > 0.0 || bounds.high < 0.0 || (bounds.open_at_zero && touches);
    let inside = margin.filter(|[low, high]| bounds.low >= *low && bounds.high <= *high);
    let up_to = if bounds.low.abs() > bounds.high.abs() { bounds.low } else { bounds.high };
    match (established, inside) {
        (true, margin) => Verdict::Established { smaller_than_margin: margin.map(|[_, high]| high) },
        (false, Some([_, margin])) => Verdict::Equivalent { margin },
        (false, None) => {
            Verdict::WithinNoise { up_to, beyond_floor: false, more_blocks: None, more_minutes: None }
        }
    }
}

/// Marks a `within noise` whose estimate lies beyond the floor that is printed beside it; both in the shown unit. The
/// interval alone has decided: the mark is for the words.
pub(super) fn beside_floor(
    verdict: Verdict,
    scale: Scale,
    delta: Option<f64>,
    floor: Option<f64>,
) -> Verdict {
    let Verdict::WithinNoise { up_to, more_blocks, more_minutes, .. } = verdict else { return verdict };
    let size = |shown: f64| scale.judged_difference(shown).abs();
    let beyond_floor = delta.zip(floor).is_some_and(|(delta, floor)| size(delta) > size(floor));
    Verdict::WithinNoise { up_to, beyond_floor, more_blocks, more_minutes }
}

/// What more blocks would bring: the noise seen so far, and the price of a block.
pub(super) struct Outlook {
    pub(super) noise: NoiseLevel,
    pub(super) blocks: usize,
    pub(super) members: usize,
    pub(super) alpha: f64,
    pub(super) minutes_per_block: Option<f64>,
}

impl Outlook {
    /// Adds to a `within noise` about how many more blocks would resolve it: establish a difference as large as the one
    /// seen, or fit the interval into the margin, whichever comes first.
    pub(super) fn add_to(
        &self,
        verdict: Verdict,
        spec: &Spec,
        delta: f64,
        margin: Option<[f64; 2]>,
    ) -> Verdict {
        let Verdict::WithinNoise { up_to, beyond_floor, .. } = verdict else { return verdict };
        let (members, alpha) = (self.members, self.alpha);
        let room = margin.map(|[low, high]| spec.scale.judged_difference(high.min(-low)) - delta.abs());
        let to_fit = room
            .filter(|room| *room > 0.0)
            .map(|room| self.noise.blocks_for_half_width(room, members, alpha, MOST_BLOCKS));
        let to_establish =
            (delta != 0.0).then(|| self.noise.blocks_to_establish(delta, members, alpha, MOST_BLOCKS));
        let total = [to_fit, to_establish].into_iter().flatten().min().filter(|&total| total < MOST_BLOCKS);
        let more_blocks = total.map(|total| total.saturating_sub(self.blocks).max(1) as u32);
        let more_minutes =
            more_blocks.zip(self.minutes_per_block).map(|(blocks, minutes)| f64::from(blocks) * minutes);
        Verdict::WithinNoise { up_to, beyond_floor, more_blocks, more_minutes }
    }
}
