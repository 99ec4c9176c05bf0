//! One picture a pair of factors: does the effect of one depend on the other?

use super::figures::{Figure, figure, file_stem, n_words};
use crate::compare::{AnalysedFactor, Analysis, DeltaUnit, MetricAnalysis};
use crate::report::names;
use crate::report::number::{self, Precision};
use crate::report::plot::{Interaction, Line, LinePoint, interaction};
use crate::report::words::{capital, delta_unit};

/// One picture a pair of factors that this workload can tell apart.
pub(super) fn interactions(
    origin: &str,
    analysis: &Analysis,
    metric: &MetricAnalysis,
    stem: &str,
) -> Vec<Figure> {
    let acts = |factor: &AnalysedFactor| metric.factors.iter().any(|finding| finding.factor == factor.name);
    let acting: Vec<usize> = (0..analysis.factors.len()).filter(|i| acts(&analysis.factors[*i])).collect();
    let pairs = acting
        .iter()
        .enumerate()
        .flat_map(|(i, one)| acting[i + 1..].iter().map(move |other| (*one, *other)));
    pairs
        .take(MAX_PAIRS)
        .map(|(one, other)| {
            let drawn = interaction_of(analysis, metric, longer_first(analysis, one, other));
            let plot = Interaction { origin: origin.into(), ..drawn };
            let names = [&analysis.factors[one].name, &analysis.factors[other].name];
            let file = file_stem(&format!("interaction-{stem}-{}-{}", names[0], names[1]));
            figure(&file, &plot.title, interaction(&plot))
        })
        .collect()
}

/// Pairs of factors drawn for one metric.
const MAX_PAIRS: usize = 10;

/// The factor with more levels lies across; the other gives the lines.
fn longer_first(analysis: &Analysis, one: usize, other: usize) -> (usize, usize) {
    let levels = |i: usize| analysis.factors[i].levels.len();
    if levels(other) > levels(one) { (other, one) } else { (one, other) }
}

fn interaction_of(analysis: &Analysis, metric: &MetricAnalysis, (across, by): (usize, usize)) -> Interaction {
    let (over, lines) = (&analysis.factors[across], &analysis.factors[by]);
    let point = |i: usize, j: usize| mean_of(analysis, metric, (across, i), (by, j));
    Interaction {
        title: format!("{}: {} by {}", capital(names::words(metric)), over.name, lines.name),
        axis: unit_of_axis(metric),
        across: over.name.clone(),
        levels: over.levels.clone(),
        by: lines.name.clone(),
        lines: lines
            .levels
            .iter()
            .enumerate()
            .map(|(j, level)| Line {
                label: level.clone(),
                points: (0..over.levels.len()).map(|i| point(i, j)).collect(),
            })
            .collect(),
        notes: notes(analysis, metric, &[across, by]),
        from_zero: metric.delta_unit != DeltaUnit::Own,
        origin: String::new(),
        n: n_words(metric),
    }
}

fn unit_of_axis(metric: &MetricAnalysis) -> String {
    if metric.delta_unit == DeltaUnit::Points { "% of items".into() } else { metric.unit.clone() }
}

/// What a point and its bar are, and what they cannot tell.
fn notes(analysis: &Analysis, metric: &MetricAnalysis, drawn: &[usize]) -> Vec<String> {
    let others = analysis.factors.iter().enumerate().filter(|(at, factor)| {
        !drawn.contains(at) && metric.factors.iter().any(|finding| finding.factor == factor.name)
    });
    let others: Vec<&str> = others.map(|(_, factor)| factor.name.as_str()).collect();
    let point = if others.is_empty() {
        "point: one cell; intervals of differences are in the tables".into()
    } else {
        format!("point: mean over {}; bar: lowest to highest cell, no interval", others.join(" and "))
    };
    let shown =
        |value: f64| number::with_unit(Precision::of_half_width(value).plain(value), delta_unit(metric));
    let floor =
        metric.floor.map(|floor| format!("typical noise floor of a pair \u{b1}{}", shown(floor.value)));
    std::iter::once(point).chain(floor).collect()
}

/// Mean over the cells with a level of each of two factors; the bar spans them, where there are several.
fn mean_of(
    analysis: &Analysis,
    metric: &MetricAnalysis,
    one: (usize, usize),
    other: (usize, usize),
) -> LinePoint {
    let has = |levels: &[u16], (factor, level): (usize, usize)| levels.get(factor) == Some(&(level as u16));
    let chosen = analysis.cells.iter().filter(|cell| has(&cell.levels, one) && has(&cell.levels, other));
    let scale = if metric.delta_unit == DeltaUnit::Points { 100.0 } else { 1.0 };
    let value_of = |cell: u32| {
        let value = metric.cells.iter().find(|value| value.cell == cell && !value.control);
        Some(scale * value?.value?)
    };
    let values: Vec<f64> = chosen.filter_map(|cell| value_of(cell.index)).collect();
    let ends = values.iter().copied().reduce(f64::min).zip(values.iter().copied().reduce(f64::max));
    LinePoint {
        mean: (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64),
        interval: ends.filter(|_| values.len() > 1),
    }
}
