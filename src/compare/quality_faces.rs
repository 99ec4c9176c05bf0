//! Single 2 x 2 faces of an item metric: differences of differences, exploratory.

use super::arms::Arms;
use super::case::Case;
use super::factors::Step;
use super::findings::InteractionFinding;
use super::interactions::{CellFace, LISTED, blank};
use super::quality::ItemSeries;
use super::sentence::interaction_sentence;
use std::collections::BTreeMap;

/// The first faces, each by itself. Means only: items are few, and the averaged contrast carries the test.
pub(super) fn single_faces(
    case: &Case<'_>,
    arms: &Arms<'_>,
    pairs: &BTreeMap<(Step, Step), Vec<CellFace>>,
    series: &ItemSeries<'_>,
) -> Vec<InteractionFinding> {
    let all = pairs.iter().flat_map(|(steps, faces)| faces.iter().map(move |face| (*steps, face)));
    all.take(LISTED).map(|(steps, face)| single(case, arms, steps, face, series)).collect()
}

fn single(
    case: &Case<'_>,
    arms: &Arms<'_>,
    (first, second): (Step, Step),
    face: &CellFace,
    series: &ItemSeries<'_>,
) -> InteractionFinding {
    let mut without = arms.inert.clone();
    without.extend([first.0, second.0]);
    let mean = |arm: usize| series.arms.get(arm).and_then(super::items::ArmItems::mean);
    let corners = [face.face.both, face.face.second, face.face.first, face.face.base].map(mean);
    let delta = match corners {
        [Some(both), Some(second), Some(first), Some(base)] => Some((both - second) - (first - base)),
        _ => None,
    };
    let mut finding = InteractionFinding {
        at: case.context(face.cells[0], &without),
        cells: face.cells.to_vec(),
        delta: delta.map(|delta| series.spec.scale.shown(delta)),
        ..blank(case, first, second, 1)
    };
    finding.sentence = interaction_sentence(series.spec, &finding);
    finding
}
