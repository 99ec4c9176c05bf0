//! One step of a factor for the first screen: a sentence that says what was found, how surely, and over what.

use super::change::{
    better, capital, change_words, delta_unit, ends, interval_words, kind, multiple, precision, times, way,
};
use super::edge::unjudged;
use super::split::{changed_words, parallel, parts};
use crate::compare::{Bounds, FactorFinding, MetricAnalysis, Reason, Verdict, WorkloadAnalysis};
use crate::report::names;
use crate::report::number;

/// A sentence, and the cases into which it falls where no single number may be quoted.
pub(in crate::report) struct FactorWords {
    pub(in crate::report) sentence: String,
    pub(in crate::report) parts: Vec<String>,
}

/// The verdict's word; `edges disagree` where the pooled effect is withheld.
pub(in crate::report) fn standing(finding: &FactorFinding) -> &'static str {
    if finding.withheld {
        "edges disagree"
    } else {
        finding.verdict.as_ref().map_or("no verdict", Verdict::word)
    }
}

/// A factor's step in words.
pub(in crate::report) fn factor_words(
    workload: &WorkloadAnalysis,
    metric: &MetricAnalysis,
    finding: &FactorFinding,
) -> FactorWords {
    if finding.withheld {
        return withheld(workload, metric, finding);
    }
    let step = Step { metric, finding };
    let estimate = finding.delta.zip(finding.interval.as_ref());
    let sentence = match (&finding.verdict, estimate) {
        (verdict, None) => step.unjudged(verdict.as_ref()),
        (Some(Verdict::Established { smaller_than_margin }), Some((delta, bounds))) => {
            step.established(delta, bounds, *smaller_than_margin)
        }
        (Some(Verdict::Equivalent { margin }), Some((delta, bounds))) => {
            step.equivalent(delta, bounds, *margin)
        }
        (Some(Verdict::WithinNoise { up_to, .. }), Some((delta, bounds))) => step.open(delta, bounds, *up_to),
        (Some(Verdict::Unresolved { reason: Reason::TooFewChanged { .. } }), Some((delta, bounds))) => {
            step.too_few(delta, bounds)
        }
        (other, Some((delta, bounds))) => step.no_verdict(delta, bounds, other.as_ref()),
    };
    FactorWords { sentence, parts: Vec::new() }
}

fn withheld(workload: &WorkloadAnalysis, metric: &MetricAnalysis, finding: &FactorFinding) -> FactorWords {
    let FactorFinding { factor, from, to, edges, .. } = finding;
    let title = names::words(metric);
    let sentence = match &finding.split {
        Some(split) => format!(
            "What {factor} {from} \u{2192} {to} does to the {title} depends on {}, so no single number holds:",
            split.by
        ),
        None => format!(
            "The {edges} pairs of cells of {factor} {from} \u{2192} {to} disagree on the {title}, so no single number \
             holds, and no single other factor explains it:"
        ),
    };
    FactorWords { sentence, parts: parts(workload, metric, finding) }
}

/// A step of a factor whose effect is worded.
struct Step<'a> {
    metric: &'a MetricAnalysis,
    finding: &'a FactorFinding,
}

impl Step<'_> {
    fn established(&self, delta: f64, bounds: &Bounds, margin: Option<f64>) -> String {
        let FactorFinding { factor, from, to, .. } = self.finding;
        let title = capital(names::words(self.metric));
        let interval = interval_words(self.metric, delta, bounds);
        let small = margin.map_or_else(String::new, |margin| {
            format!(", but smaller than your margin of {}", self.margin(margin))
        });
        let tail = format!("; {interval}, {}.", self.over());
        if multiple(self.metric, delta).is_some() {
            let judgement = better(self.metric, delta).map(str::to_owned);
            let aside: Vec<String> = judgement.into_iter().chain(self.values()).collect();
            let times = times(delta, bounds);
            return format!(
                "{title} with {factor}={to} is {times} that with {from}{}{small}{tail}",
                in_brackets(&aside.join("; "))
            );
        }
        let words = change_words(self.metric, delta, self.precision());
        let values = in_brackets(&self.values().unwrap_or_default());
        format!("{title} is {words} with {factor}={to} than with {from}{values}{small}{tail}")
    }

    fn equivalent(&self, delta: f64, bounds: &Bounds, margin: f64) -> String {
        let delta = number::change(delta, self.precision(), delta_unit(self.metric));
        let title = names::words(self.metric);
        let subject = match self.finding.edges {
            1 => capital(title),
            edges => format!("On average over {edges} pairs of cells, the {title}"),
        };
        let ends = ends(self.metric, bounds, self.finding.delta);
        let mut basis = vec![format!("{} {ends}", kind(bounds)), self.singles()];
        basis.retain(|part| !part.is_empty());
        let alone = self.alone();
        format!(
            "{subject} differs by less than your margin of {} for {}: {delta} ({}){alone}.",
            self.margin(margin),
            self.pair(),
            basis.join("; ")
        )
    }

    /// Neither a difference nor its absence: estimate, direction and interval, so that nobody takes it for "none".
    fn open(&self, delta: f64, bounds: &Bounds, up_to: f64) -> String {
        let FactorFinding { factor, from, to, .. } = self.finding;
        let precision = self.precision();
        let estimate =
            if delta == 0.0 { "equal".into() } else { change_words(self.metric, delta, precision) };
        let than = if delta == 0.0 { "and" } else { "than" };
        let limit = number::with_unit(precision.plain(up_to.abs()), delta_unit(self.metric));
        format!(
            "{} is estimated {estimate} with {factor}={to} {than} with {from}{}, but this is not established: the {} \
             runs from {} to {}, so up to {limit} is not ruled out; {}.",
            capital(names::words(self.metric)),
            in_brackets(&self.values().unwrap_or_default()),
            kind(bounds),
            way(self.metric, bounds.low, precision),
            way(self.metric, bounds.high, precision),
            self.over()
        )
    }

    /// So few items changed that there is no test: what changed, and what the cautious interval leaves open.
    fn too_few(&self, delta: f64, bounds: &Bounds) -> String {
        let beyond = self.metric.margin.map_or_else(String::new, |[low, high]| {
            let excess = (low - bounds.low).max(bounds.high - high);
            let size = number::with_unit(self.precision().visible(excess), delta_unit(self.metric));
            format!(", which exceeds your margin of {} by {size}", self.margin(high))
        });
        let repeated = self.repeated().map_or_else(String::new, |repeated| format!(" ({repeated})"));
        let changed = changed_words(self.metric, self.finding).unwrap_or_else(|| "too few items".into());
        let delta = number::change(delta, self.precision(), delta_unit(self.metric));
        let (kind, ends) = (kind(bounds), ends(self.metric, bounds, self.finding.delta));
        let found = match self.finding.edges {
            1 => format!("The difference is {delta}, its {kind} {ends}"),
            _ => format!("The mean difference is {delta}; the pairs' own {kind}s average {ends}"),
        };
        format!(
            "For {} too few answers changed for a test: {changed}{repeated}. {found}{beyond}.",
            self.pair()
        )
    }

    fn no_verdict(&self, delta: f64, bounds: &Bounds, verdict: Option<&Verdict>) -> String {
        format!(
            "{} for {}: no verdict, {}; estimate {}, {}, {}.",
            capital(names::words(self.metric)),
            self.pair(),
            unjudged(verdict),
            number::change(delta, self.precision(), delta_unit(self.metric)),
            interval_words(self.metric, delta, bounds),
            self.over()
        )
    }

    fn unjudged(&self, verdict: Option<&Verdict>) -> String {
        let why = if verdict.is_none() && self.finding.edges == 0 {
            "each of its edges was refused or lacks a run".into()
        } else {
            unjudged(verdict)
        };
        format!("{} for {} was not judged: {why}.", capital(names::words(self.metric)), self.pair())
    }

    fn pair(&self) -> String {
        let FactorFinding { factor, from, to, .. } = self.finding;
        format!("{factor} {from} \u{2192} {to}")
    }

    fn precision(&self) -> number::Precision {
        precision(self.metric, self.finding.interval.as_ref(), self.finding.delta)
    }

    fn margin(&self, margin: f64) -> String {
        format!("\u{b1}{}", number::with_unit(number::trimmed(margin), delta_unit(self.metric)))
    }

    /// `873.4 → 3094 tok/s` where a single pair of cells stands behind the effect.
    fn values(&self) -> Option<String> {
        let edge = parallel(self.metric, self.finding).next().filter(|_| self.finding.edges == 1)?;
        names::before_and_after(self.metric, edge.before, edge.after)
    }

    /// `mean over 4 pairs of cells (+0.5 to +1.8 points), 3 of them different in their replies`.
    fn over(&self) -> String {
        match self.finding.edges {
            1 => "1 pair of cells".into(),
            edges => format!("mean over {edges} pairs of cells{}", in_brackets(&self.singles())),
        }
    }

    /// `single pairs +0.5 to +1.8 points, 1 of 4 repeats the replies of another`.
    fn singles(&self) -> String {
        let FactorFinding { edges, range, .. } = self.finding;
        let Some([low, high]) = range.filter(|_| *edges > 1) else { return String::new() };
        let range = number::range(low, high, self.precision(), delta_unit(self.metric));
        let repeated = self.repeated().map_or_else(String::new, |repeated| format!(", {repeated}"));
        format!("single pairs {range}{repeated}")
    }

    /// Pairs whose replies are those of another pair, on both sides: they are no evidence of their own.
    fn repeated(&self) -> Option<String> {
        let FactorFinding { edges, distinct, .. } = self.finding;
        match edges.saturating_sub(distinct.unwrap_or(*edges)) {
            0 => None,
            1 => Some(format!("1 of {edges} repeats the replies of another")),
            more => Some(format!("{more} of {edges} repeat the replies of others")),
        }
    }

    /// What the single pairs say by themselves, where the mean says equivalent.
    fn alone(&self) -> String {
        let decided = parallel(self.metric, self.finding).filter(|edge| {
            matches!(&edge.verdict, Some(Verdict::Equivalent { .. } | Verdict::Established { .. }))
        });
        match (self.finding.edges, decided.count()) {
            (1, _) => String::new(),
            (_, 0) => "; no single pair is decided on its own".into(),
            (edges, alone) => format!("; {alone} of {edges} pairs are decided on their own"),
        }
    }
}

/// A remark behind a space, or nothing.
fn in_brackets(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" ({text})") }
}
