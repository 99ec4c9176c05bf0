//! What every number of a metric rests on: noise floor, spread of single runs, resolution, placebo.

use super::change::{delta_unit, half_width, interval_words, precision};
use super::levels::counted;
use crate::compare::{
    EdgeFinding, MetricAnalysis, NoiseFloor, Placebo, QualityResolution, Spread, WorkloadAnalysis,
};
use crate::report::number::{self, NBSP, Precision};

/// Sentences without their full stop.
pub(in crate::report) fn grounds(workload: &WorkloadAnalysis, metric: &MetricAnalysis) -> Vec<String> {
    let mut grounds = Vec::new();
    grounds.extend(metric.floor.as_ref().map(|floor| floor_words(metric, floor)));
    grounds.extend(metric.repeats.as_ref().map(|spread| spread_words(metric, spread)));
    grounds.extend(metric.resolution.as_ref().map(|resolution| resolution_words(metric, resolution)));
    grounds.extend(metric.placebo.as_ref().map(|placebo| placebo_words(workload, metric, placebo)));
    if metric.did_not_vary {
        grounds.push(
            "Every arm repeated one identical value: differences are printed without p or verdict".into(),
        );
    }
    grounds
}

/// The floor is a typical limit from all arms' noise; an edge has its own.
fn floor_words(metric: &MetricAnalysis, floor: &NoiseFloor) -> String {
    let shown = |value: f64| Precision::of_half_width(value).plain(value);
    let own: Vec<f64> = intervals(metric).map(|bounds| half_width(metric, bounds)).collect();
    let reach = spanned(&own, shown).map_or_else(String::new, |reach| {
        format!(" (here \u{b1}{} around the estimate)", number::with_unit(reach, delta_unit(metric)))
    });
    format!(
        "Noise floor \u{b1}{}: a typical limit for {}, from the noise of all arms pooled; no gate: each pair's own \
         interval decides{reach}",
        number::with_unit(shown(floor.value), delta_unit(metric)),
        counted(floor.blocks as usize, "block")
    )
}

fn intervals(metric: &MetricAnalysis) -> impl Iterator<Item = &crate::compare::Bounds> {
    metric.edges.iter().filter_map(|edge: &EdgeFinding| edge.interval.as_ref())
}

/// `1.3 to ±11.0`, or one number where the smallest and the largest look the same.
fn spanned(values: &[f64], shown: impl Fn(f64) -> String) -> Option<String> {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().reduce(f64::min)?, finite().reduce(f64::max)?);
    let (low, high) = (shown(low), shown(high));
    Some(if low == high { low } else { format!("{low}{NBSP}to{NBSP}\u{b1}{high}") })
}

fn spread_words(metric: &MetricAnalysis, spread: &Spread) -> String {
    let sd = Precision::of_half_width(spread.robust_sd).plain(spread.robust_sd);
    format!(
        "A single run of an unchanged cell scatters by {} (robust sd of the baseline's {} runs): two single runs differ by \
         more than that about every second time, by chance",
        number::with_unit(sd, delta_unit(metric)),
        spread.n
    )
}

fn resolution_words(metric: &MetricAnalysis, resolution: &QualityResolution) -> String {
    let floors: Vec<f64> = metric.edges.iter().filter_map(|edge| edge.floor).collect();
    let points = Precision::of_points(metric.n);
    let shown = |value: f64| points.plain(value);
    let paired = spanned(&floors, shown).map_or_else(String::new, |span| {
        format!(
            "Resolution depends on how many items change: \u{b1}{span}{NBSP}points here (a pair of cells by itself, \
             seen four times in five); "
        )
    });
    let smallest = resolution
        .unpaired
        .map_or_else(|| "no difference".into(), |points| format!("{}{NBSP}points", shown(points)));
    let unpaired = format!(
        "two separate sets of {} items, {:.0}{NBSP}% right, would resolve {smallest}",
        resolution.n,
        100.0 * resolution.at
    );
    format!("{paired}{unpaired}{}", small_set(resolution))
}

/// Below 30 items the formula does not hold, and the exact value stands beside it.
fn small_set(resolution: &QualityResolution) -> String {
    let exact = match resolution.exact {
        _ if !resolution.below_formula_size => return String::new(),
        Some(exact) => format!("{exact:.0}{NBSP}points if all changes go one way"),
        None => "never, in a family of this size".into(),
    };
    format!(" (below the size where the formula holds; exactly: {exact})")
}

fn placebo_words(workload: &WorkloadAnalysis, metric: &MetricAnalysis, placebo: &Placebo) -> String {
    let precision = precision(metric, Some(&placebo.interval), Some(placebo.delta));
    let delta = number::change(placebo.delta, precision, delta_unit(metric));
    let interval = interval_words(metric, placebo.delta, &placebo.interval);
    let repeated = workload.determinism.iter().find(|check| check.cell == placebo.cell);
    match repeated.filter(|check| workload.once && check.differing == 0 && placebo.delta == 0.0) {
        _ if placebo.failed => {
            format!("PLACEBO FAILED: the baseline run twice differs by {delta} ({interval}): no verdict here")
        }
        Some(check) if check.by_likelihood => format!(
            "Placebo: the options of the baseline's {} items got the same log-likelihoods twice, as they must; this checks \
             determinism, not noise",
            check.items
        ),
        Some(check) => format!(
            "Placebo: the baseline's {} replies were the same tokens twice, as greedy decoding must give; this checks \
             determinism, not noise",
            check.items
        ),
        None => format!(
            "Placebo: the baseline against itself differed by {delta} ({interval}; {})",
            if placebo.interval.low <= 0.0 && placebo.interval.high >= 0.0 {
                "zero inside, as it must be"
            } else {
                "zero outside, yet not beyond chance"
            }
        ),
    }
}
