//! A metric whose unit is the block: the robust common fit of all runs, judged edge by edge.

use super::arms::{Arms, DoneRun};
use super::case::Case;
use super::decide::{Outlook, bounds};
use super::edges::GuardedEdge;
use super::findings::{CellValue, Clipping, CountOf, MetricAnalysis, NoiseFloor, Placebo, RunPoint, Spread};
use super::spec::{Scale, Spec};
use super::verdict::Reason;
use crate::stats::{
    Analysis, CLIPPING_ALPHA, FitError, Interval, MIN_BLOCKS, NoiseLevel, Observation, Summary, clipping_p,
};

/// The values of one metric, ready for the statistics.
pub(super) struct Series<'a> {
    pub(super) spec: &'a Spec,
    pub(super) observations: Vec<Observation>,
    pub(super) fitted: Result<Analysis, FitError>,
    /// Simultaneous error of this metric's families.
    pub(super) alpha: f64,
    pub(super) primary: bool,
    pub(super) margin: Option<[f64; 2]>,
    /// Why no edge of this metric may have a verdict.
    pub(super) blocked: Option<Reason>,
}

impl Series<'_> {
    /// Arms that lost more than 20 % of their runs are shown, not judged.
    pub(super) fn is_incomplete(&self, arm: usize) -> bool {
        self.fitted
            .as_ref()
            .is_ok_and(|analysis| analysis.fit.arms.get(arm).is_some_and(crate::stats::ArmFit::is_incomplete))
    }
}

/// Judges one timing metric of a workload.
pub(super) fn judge_timing(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    spec: &Spec,
) -> MetricAnalysis {
    let (runs, observations) = observe(arms, spec);
    let primary = case.primary_rank(&arms.planned.workload.name, &spec.name).is_some();
    // Without repeats nothing can be said of noise, and "did not vary" would be said of everything.
    let repeated = observations.len() > arms.planned.arms.len() && !arms.planned.once;
    let fitted = if repeated {
        Analysis::of(&arms.layout, &observations)
    } else {
        Err(FitError::TooFewRuns(observations.len()))
    };
    let mut series = Series {
        spec,
        fitted,
        observations,
        alpha: if primary { case.alpha_of_one() } else { case.alpha },
        primary,
        margin: case.margin(&spec.name).map(|fraction| spec.scale.margin(fraction)),
        blocked: None,
    };
    let placebo = placebo(case, arms, &series);
    series.blocked = blocked(arms, placebo.as_ref());
    let did_not_vary = matches!(series.fitted, Err(FitError::DidNotVary)) && !series.observations.is_empty();
    let family = super::edge_family::judge_edges(case, arms, edges, &series);
    let factors = super::factors::judge_factors(case, arms, edges, &family.judged, &series);
    let faces = super::interactions::judge_interactions(case, arms, edges, &series);
    let mut analysis = MetricAnalysis {
        n: arms.layout.blocks as u32,
        cells: cell_values(arms, &series, &runs),
        factors,
        edges: family.findings,
        interactions: faces.0,
        faces: faces.1,
        placebo,
        floor: floor(arms, &series, family.members),
        repeats: repeats(case, arms, &series),
        clipping: clipping(case, &series),
        did_not_vary,
        runs: points(arms, &series, &runs),
        ..MetricAnalysis::empty(spec, primary, series.alpha, series.margin)
    };
    analysis.warnings = warnings(arms, &analysis, &series);
    analysis
}

/// The finished runs that have this metric, and their values on the judged scale.
fn observe<'a>(arms: &Arms<'a>, spec: &Spec) -> (Vec<DoneRun<'a>>, Vec<Observation>) {
    let mut runs: Vec<DoneRun<'a>> = arms.done.clone();
    runs.sort_by_key(|run| (run.record.slot.block, run.sub_block, run.position));
    let value = |run: &DoneRun<'_>| {
        let measured = run.record.measurement.get(&spec.name)?;
        let y = spec.scale.judged(measured.value?)?;
        Some(Observation { arm: run.arm, sub_block: run.sub_block, position: run.position, y })
    };
    runs.into_iter().filter_map(|run| Some((run, value(&run)?))).unzip()
}

fn blocked(arms: &Arms<'_>, placebo: Option<&Placebo>) -> Option<Reason> {
    if arms.layout.blocks < MIN_BLOCKS {
        return Some(Reason::TooFewBlocks { blocks: arms.layout.blocks as u32 });
    }
    placebo.is_some_and(|placebo| placebo.failed).then_some(Reason::PlaceboFailed)
}

fn placebo(case: &Case<'_>, arms: &Arms<'_>, series: &Series<'_>) -> Option<Placebo> {
    let control = arms.control()?;
    let cell = arms.planned.arms.get(control).copied()?;
    let estimate = series.fitted.as_ref().ok()?.edge(arms.arm(cell)?, control)?;
    let error = 0.05 / case.primary_count() as f64;
    let p = estimate.p();
    Some(Placebo {
        cell,
        delta: series.spec.scale.shown(estimate.delta),
        interval: bounds(series.spec.scale, &Interval::around(&estimate, error), error, false),
        p,
        failed: p < error,
    })
}

fn floor(arms: &Arms<'_>, series: &Series<'_>, members: usize) -> Option<NoiseFloor> {
    let noise = NoiseLevel::found(series.fitted.as_ref().ok()?);
    let (blocks, scale) = (arms.layout.blocks, series.spec.scale);
    Some(NoiseFloor {
        value: scale.shown(noise.floor(blocks, members, series.alpha)),
        detectable: scale.shown(noise.detectable(blocks, members, series.alpha)),
        blocks: blocks as u32,
        df: noise.df,
    })
}

/// What more blocks would bring for this metric.
pub(super) fn outlook(arms: &Arms<'_>, series: &Series<'_>, members: usize) -> Option<Outlook> {
    Some(Outlook {
        noise: NoiseLevel::found(series.fitted.as_ref().ok()?),
        blocks: arms.layout.blocks,
        members,
        alpha: series.alpha,
        minutes_per_block: arms.minutes_per_block(),
    })
}

fn repeats(case: &Case<'_>, arms: &Arms<'_>, series: &Series<'_>) -> Option<Spread> {
    let baseline = arms.arm(case.baseline())?;
    let own = series.observations.iter().filter(|run| run.arm == baseline).map(|run| run.y);
    let summary = Summary::of(&own.collect::<Vec<f64>>())?;
    let scale = series.spec.scale;
    let from_median = |y: f64| scale.shown(y - summary.median);
    Some(Spread {
        robust_sd: scale.shown(summary.robust_sd),
        range: [from_median(summary.min), from_median(summary.max)],
        n: summary.n as u32,
    })
}

fn clipping(case: &Case<'_>, series: &Series<'_>) -> Option<Clipping> {
    let fit = &series.fitted.as_ref().ok()?.fit;
    let k = fit.clipped.iter().filter(|&&clipped| clipped).count() as u32;
    let p = clipping_p(fit, &series.observations, case.seed);
    Some(Clipping {
        all: CountOf { k, n: fit.clipped.len() as u32 },
        p: Some(p),
        differs: p < CLIPPING_ALPHA,
    })
}

fn cell_values(arms: &Arms<'_>, series: &Series<'_>, runs: &[DoneRun<'_>]) -> Vec<CellValue> {
    (0..arms.planned.arms.len()).map(|arm| cell_value(arms, series, runs, arm)).collect()
}

fn cell_value(arms: &Arms<'_>, series: &Series<'_>, runs: &[DoneRun<'_>], arm: usize) -> CellValue {
    let scale = series.spec.scale;
    let own: Vec<f64> =
        series.observations.iter().filter(|run| run.arm == arm).map(|run| scale.value(run.y)).collect();
    let summary = Summary::of(&own);
    let fit = series.fitted.as_ref().ok().and_then(|analysis| analysis.fit.arms.get(arm));
    let center = fit.and_then(|fit| fit.center).map(|center| scale.value(center));
    let reason = if summary.is_some() { None } else { Some(reason(arms, series.spec, arm)) };
    debug_assert_eq!(runs.len(), series.observations.len(), "one observation a run");
    CellValue {
        cell: arms.planned.arms.get(arm).copied().unwrap_or(0),
        control: arms.control() == Some(arm),
        value: center.or(summary.map(|summary| summary.median)),
        plain_mean: summary.map(|summary| summary.mean),
        range: summary.map(|summary| [summary.min, summary.max]),
        n: own.len() as u32,
        clipped: fit.map(|fit| CountOf { k: fit.clipped as u32, n: fit.runs as u32 }),
        count: None,
        reason,
    }
}

fn reason(arms: &Arms<'_>, spec: &Spec, arm: usize) -> String {
    let mut reasons = arms.runs_of(arm).map(|record| record.measurement.get(&spec.name));
    match reasons.next() {
        None => "no finished run".into(),
        Some(measured) => measured.and_then(|it| it.reason.clone()).unwrap_or_else(|| "not measured".into()),
    }
}

fn points(arms: &Arms<'_>, series: &Series<'_>, runs: &[DoneRun<'_>]) -> Vec<RunPoint> {
    let clipped = series.fitted.as_ref().ok().map(|analysis| &analysis.fit.clipped);
    let point = |(order, (run, observation)): (usize, (&DoneRun<'_>, &Observation))| RunPoint {
        order: order as u32,
        block: run.record.slot.block,
        cell: arms.planned.arms.get(run.arm).copied().unwrap_or(0),
        control: arms.control() == Some(run.arm),
        value: series.spec.scale.value(observation.y),
        clipped: clipped.and_then(|clipped| clipped.get(order)).copied().unwrap_or(false),
    };
    runs.iter().zip(&series.observations).enumerate().map(point).collect()
}

fn warnings(arms: &Arms<'_>, analysis: &MetricAnalysis, series: &Series<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(clipping) = analysis.clipping.as_ref().filter(|clipping| clipping.differs) {
        warnings.push(format!(
            "some cells have more slow runs than others (permutation p {:.4}): typical values flatter them, see the plain means",
            clipping.p.unwrap_or(0.0)
        ));
    }
    if let Some(placebo) = analysis.placebo.as_ref().filter(|placebo| placebo.failed) {
        warnings.push(format!(
            "the control differs from the baseline that it repeats (p {:.4}): no verdict for this metric",
            placebo.p
        ));
    }
    if let Err(error) = &series.fitted
        && !series.observations.is_empty()
        && !analysis.did_not_vary
        && !arms.planned.once
    {
        warnings.push(error.to_string());
    }
    let unmeasured = arms.done.len() - series.observations.len();
    if unmeasured > 0 && !series.observations.is_empty() {
        warnings.push(format!("{unmeasured} of {} finished runs have no value", arms.done.len()));
    }
    warnings
}

/// A difference of two arms' medians, where nothing was fitted.
pub(super) fn plain_difference(series: &Series<'_>, from: usize, to: usize) -> Option<f64> {
    let median = |arm: usize| {
        let own = series.observations.iter().filter(|run| run.arm == arm).map(|run| run.y);
        crate::stats::median(&own.collect::<Vec<f64>>())
    };
    let scale: Scale = series.spec.scale;
    Some(scale.shown(median(to)? - median(from)?))
}
