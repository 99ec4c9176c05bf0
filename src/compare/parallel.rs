//! What the parallel edges of a step tell beside their mean: which they are, how many of them really differ, and what
//! their disagreement hangs on. Nothing here is a test: an established interaction is asked for first.

use super::analysis::Agreement;
use super::case::Case;
use super::factors::Step;
use super::findings::{
    EdgeFinding, FactorFinding, InteractionFinding, MetricAnalysis, Replication, Split, SplitGroup,
};
use super::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// A factor splits the edges when its levels leave at most this share of their spread (sum of squares).
const MOST_LEFT: f64 = 0.5;

/// Adds to every step of a factor what its parallel edges tell.
pub(super) fn describe(case: &Case<'_>, agreement: &[Agreement], metric: &mut MetricAnalysis) {
    let MetricAnalysis { edges, factors, interactions, replication, .. } = metric;
    let mut steps: BTreeMap<Step, Vec<u32>> = BTreeMap::new();
    for (place, edge) in edges.iter().enumerate() {
        if let Some(step) = case.step(edge.before, edge.after) {
            steps.entry(step).or_default().push(place as u32);
        }
    }
    let same = SameReplies::of(agreement);
    for (places, finding) in steps.into_values().zip(factors) {
        let parallel = || places.iter().filter_map(|&place| Some((place, edges.get(place as usize)?)));
        if *replication == Replication::Item {
            let pairs = parallel().map(|(_, edge)| (same.class(edge.before), same.class(edge.after)));
            finding.distinct = Some(pairs.collect::<BTreeSet<_>>().len() as u32);
        }
        if finding.withheld {
            finding.split = split(case, &parallel().collect::<Vec<_>>(), finding, interactions);
        }
        finding.parallel = places;
    }
}

/// Cells whose replies are all identical, token by token, along edges.
struct SameReplies(BTreeMap<u32, u32>);

impl SameReplies {
    fn of(agreement: &[Agreement]) -> Self {
        let mut same = Self(BTreeMap::new());
        for pair in agreement.iter().filter(|pair| pair.items > 0 && pair.identical == Some(pair.items)) {
            let (one, other) = (same.class(pair.before), same.class(pair.after));
            if one != other {
                same.0.insert(one.max(other), one.min(other));
            }
        }
        same
    }

    /// The least cell that gives the same replies, as far as edges tell.
    fn class(&self, cell: u32) -> u32 {
        let mut class = cell;
        while let Some(&lower) = self.0.get(&class) {
            class = lower;
        }
        class
    }
}

/// Places of edges, by a level of another factor.
type ByLevel<'e> = BTreeMap<u16, Vec<(u32, &'e EdgeFinding)>>;

/// The other factor with an established interaction whose levels leave the least spread; `None` where no factor takes
/// most of it.
fn split(
    case: &Case<'_>,
    parallel: &[(u32, &EdgeFinding)],
    finding: &FactorFinding,
    interactions: &[InteractionFinding],
) -> Option<Split> {
    let whole = spread(parallel);
    let names: BTreeSet<&str> = interactions.iter().filter_map(|it| interacting(it, finding)).collect();
    let candidates = names.into_iter().filter_map(|name| {
        let factor = case.planned.factors.iter().position(|factor| factor.name == name)?;
        let groups = by_level(case, factor, parallel);
        let left: f64 = groups.values().map(|group| spread(group)).sum();
        Some((left, factor, groups))
    });
    let (left, factor, groups) = candidates.min_by(|one, other| one.0.total_cmp(&other.0))?;
    (left <= MOST_LEFT * whole)
        .then(|| Split { by: case.factor(factor), groups: joined(case, factor, groups) })
}

/// The other factor of an established interaction with this step.
fn interacting<'i>(interaction: &'i InteractionFinding, finding: &FactorFinding) -> Option<&'i str> {
    let is_step = |step: &[String; 3]| *step == [&*finding.factor, &*finding.from, &*finding.to];
    let other = match (&interaction.first, &interaction.second) {
        (first, second) if is_step(first) => second,
        (first, second) if is_step(second) => first,
        _ => return None,
    };
    matches!(interaction.verdict, Some(Verdict::Established { .. })).then_some(other[0].as_str())
}

fn by_level<'e>(case: &Case<'_>, factor: usize, parallel: &[(u32, &'e EdgeFinding)]) -> ByLevel<'e> {
    let mut groups = ByLevel::new();
    for (place, edge) in parallel {
        if let Some(level) = case.level_of(edge.before, factor) {
            groups.entry(level).or_default().push((*place, edge));
        }
    }
    groups
}

/// Sum of squares of the differences around their mean.
fn spread(edges: &[(u32, &EdgeFinding)]) -> f64 {
    let deltas: Vec<f64> = edges.iter().filter_map(|(_, edge)| edge.delta).collect();
    let mean = crate::stats::mean(&deltas).unwrap_or(0.0);
    deltas.iter().map(|delta| (delta - mean).powi(2)).sum()
}

/// Levels whose edges all have one and the same outcome stand together.
fn joined(case: &Case<'_>, factor: usize, groups: ByLevel<'_>) -> Vec<SplitGroup> {
    let mut joined: Vec<(Option<Outcome>, SplitGroup)> = Vec::new();
    for (level, edges) in groups {
        let outcome = common_outcome(&edges);
        let level = case.level(factor, level);
        let places = edges.iter().map(|(place, _)| *place);
        match joined.iter_mut().find(|(other, _)| outcome.is_some() && *other == outcome) {
            Some((_, group)) => {
                group.levels.push(level);
                group.edges.extend(places);
            }
            None => {
                joined.push((outcome, SplitGroup { levels: vec![level], edges: places.collect() }));
            }
        }
    }
    joined.into_iter().map(|(_, group)| group).collect()
}

/// An edge's verdict, and the direction of an established one.
type Outcome = (&'static str, bool);

/// The outcome that all edges have; `None` where they differ.
fn common_outcome(edges: &[(u32, &EdgeFinding)]) -> Option<Outcome> {
    let outcome = |edge: &EdgeFinding| {
        let verdict = edge.verdict.as_ref()?;
        let established = matches!(verdict, Verdict::Established { .. });
        Some((verdict.word(), established && edge.delta.is_some_and(|delta| delta > 0.0)))
    };
    let first = edges.first().and_then(|(_, edge)| outcome(edge))?;
    edges.iter().all(|(_, edge)| outcome(edge) == Some(first)).then_some(first)
}
