//! Whether the effect of one factor depends on another: differences of differences, averaged over parallel faces.

use super::arms::Arms;
use super::case::Case;
use super::decide::{bounds, decide};
use super::edge_family::changes_unit;
use super::edges::GuardedEdge;
use super::factors::{Step, parallel_edges};
use super::findings::{Faces, InteractionFinding};
use super::sentence::interaction_sentence;
use super::timing::Series;
use super::verdict::Verdict;
use crate::stats::{Estimate, Face, Interval, Judged, interaction, judge};
use std::collections::{BTreeMap, BTreeSet};

/// Most single faces that are listed.
pub(super) const LISTED: usize = 60;

/// A face with the cells that name it.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellFace {
    pub(super) cells: [u32; 4],
    pub(super) face: Face,
}

/// The averaged interactions as one family at half the alpha, and the single faces, exploratory.
pub(super) fn judge_interactions(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    series: &Series<'_>,
) -> (Vec<InteractionFinding>, Faces) {
    let Ok(analysis) = &series.fitted else { return (Vec::new(), Faces::default()) };
    let usable: Vec<&GuardedEdge> =
        edges.iter().filter(|edge| edge.is_licensed() && !changes_unit(edge, series.spec)).collect();
    let pairs = faces_by_pair(case, arms, edges, &usable);
    let mut averaged = Vec::new();
    let mut single = Vec::new();
    for ((first, second), faces) in &pairs {
        let plain: Vec<Face> = faces.iter().map(|face| face.face).collect();
        averaged.extend(interaction(analysis, &plain).map(|it| (*first, *second, plain.len(), it)));
        for face in faces {
            single.extend(interaction(analysis, &[face.face]).map(|it| (*first, *second, *face, it)));
        }
    }
    let estimates: Vec<Estimate> = averaged.iter().map(|(.., estimate)| *estimate).collect();
    let judged = judge(&estimates, series.alpha / 2.0);
    let interactions = averaged
        .iter()
        .zip(&judged)
        .map(|((first, second, faces, _), judged)| {
            let mut finding = blank(case, *first, *second, *faces);
            fill(&mut finding, judged, series);
            finding.sentence = interaction_sentence(series.spec, &finding);
            finding
        })
        .collect();
    let listed = single.iter().take(LISTED).map(|(first, second, face, estimate)| {
        exploratory(case, arms, (*first, *second), face, estimate, series)
    });
    (interactions, Faces { total: single.len() as u32, listed: listed.collect() })
}

/// The 2 x 2 faces of each pair of steps whose four edges may all be judged.
pub(super) fn faces_by_pair(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    usable: &[&GuardedEdge],
) -> BTreeMap<(Step, Step), Vec<CellFace>> {
    let by_levels: BTreeMap<&[u16], u32> =
        case.planned.cells.iter().map(|cell| (cell.levels.as_slice(), cell.index)).collect();
    let licensed: BTreeSet<(usize, usize)> = usable.iter().map(|edge| (edge.from, edge.to)).collect();
    let steps: Vec<Step> = parallel_edges(case, edges).into_keys().collect();
    let mut pairs: BTreeMap<(Step, Step), Vec<CellFace>> = BTreeMap::new();
    for (at, first) in steps.iter().enumerate() {
        for second in steps[at + 1..].iter().filter(|second| second.0 != first.0) {
            let faces = faces_of(case, arms, &by_levels, (*first, *second));
            let legal = faces.into_iter().filter(|face| {
                let Face { base, first, second, both } = face.face;
                [(base, first), (base, second), (first, both), (second, both)]
                    .iter()
                    .all(|pair| licensed.contains(pair))
            });
            let legal: Vec<CellFace> = legal.collect();
            if !legal.is_empty() {
                pairs.insert((*first, *second), legal);
            }
        }
    }
    pairs
}

fn faces_of(
    case: &Case<'_>,
    arms: &Arms<'_>,
    by_levels: &BTreeMap<&[u16], u32>,
    (first, second): (Step, Step),
) -> Vec<CellFace> {
    let mut seen = BTreeSet::new();
    let mut faces = Vec::new();
    for cell in &case.planned.cells {
        if cell.levels.get(first.0) != Some(&first.1) || cell.levels.get(second.0) != Some(&second.1) {
            continue;
        }
        let moved = |steps: &[Step]| {
            let mut levels = cell.levels.clone();
            for &(factor, _, to) in steps {
                *levels.get_mut(factor)? = to;
            }
            by_levels.get(levels.as_slice()).copied()
        };
        let corners = (moved(&[first]), moved(&[second]), moved(&[first, second]));
        let (Some(one), Some(other), Some(both)) = corners else { continue };
        let cells = [cell.index, one, other, both];
        let corner_arms: Vec<usize> = cells.iter().filter_map(|&cell| arms.arm(cell)).collect();
        let distinct: BTreeSet<usize> = corner_arms.iter().copied().collect();
        if let [base, first, second, both] = corner_arms[..]
            && distinct.len() == 4
            && seen.insert(corner_arms.clone())
        {
            faces.push(CellFace { cells, face: Face { base, first, second, both } });
        }
    }
    faces
}

/// An interaction with its names and nothing judged.
pub(super) fn blank(case: &Case<'_>, first: Step, second: Step, faces: usize) -> InteractionFinding {
    let words =
        |(factor, from, to): Step| [case.factor(factor), case.level(factor, from), case.level(factor, to)];
    InteractionFinding {
        first: words(first),
        second: words(second),
        at: String::new(),
        faces: faces as u32,
        cells: Vec::new(),
        delta: None,
        interval: None,
        p: None,
        adjusted_p: None,
        verdict: None,
        sentence: String::new(),
    }
}

fn fill(finding: &mut InteractionFinding, judged: &Judged, series: &Series<'_>) {
    let (scale, alpha) = (series.spec.scale, series.alpha / 2.0);
    let estimate = &judged.estimate;
    let interval = if series.primary { judged.interval } else { Interval::around(estimate, series.alpha) };
    let error = if series.primary { alpha } else { series.alpha };
    let shown = bounds(scale, &interval, error, series.primary);
    finding.delta = Some(scale.shown(estimate.delta));
    finding.interval = Some(shown);
    finding.p = Some(judged.p);
    if series.primary {
        finding.adjusted_p = Some(judged.adjusted_p);
        finding.verdict = Some(match &series.blocked {
            Some(reason) => Verdict::Unresolved { reason: reason.clone() },
            None => decide(&shown, None),
        });
    }
}

fn exploratory(
    case: &Case<'_>,
    arms: &Arms<'_>,
    (first, second): (Step, Step),
    face: &CellFace,
    estimate: &Estimate,
    series: &Series<'_>,
) -> InteractionFinding {
    let scale = series.spec.scale;
    let mut without = arms.inert.clone();
    without.extend([first.0, second.0]);
    let interval = Interval::around(estimate, case.alpha);
    let mut finding = InteractionFinding {
        at: case.context(face.cells[0], &without),
        cells: face.cells.to_vec(),
        delta: Some(scale.shown(estimate.delta)),
        interval: Some(bounds(scale, &interval, case.alpha, false)),
        p: Some(estimate.p()),
        ..blank(case, first, second, 1)
    };
    finding.sentence = interaction_sentence(series.spec, &finding);
    finding
}
