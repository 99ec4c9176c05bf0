//! The self-test: every kind of noise, two grids, three plan lengths; what must come out, and the table.

use super::campaign::simulate;
use super::grid::Grid;
use super::noise::Noise;
use super::reference::reference_power;
use super::trace::{Trace, TraceError};
use super::trial::{Counts, Scenario};

/// What the number of plans cannot decide is no failure: limits give way by this many of its standard errors.
const SAMPLING_ERRORS: f64 = 2.0;
/// The largest tolerated share of plans with any false `established`.
pub const MAX_ANY_FALSE: f64 = 0.065;
/// The tolerated share of null edges with unadjusted p below .05.
pub const RAW_FALSE: std::ops::RangeInclusive<f64> = 0.03..=0.06;
/// The smallest tolerated simultaneous coverage.
pub const MIN_COVERAGE: f64 = 0.93;
/// How far power may stay below the reference.
pub const MAX_POWER_LOSS: f64 = 0.03;
/// The true effect, level 1 of the first factor against the others: 2 % faster.
const EFFECT: f64 = 1.02;
/// A larger model at about 90 tokens a second on a quiet machine.
const TRACE_CSV: &str = include_str!("trace.csv");
/// The embedded model on a busy machine, recorded by planrun.
const PICO_TRACE_CSV: &str = include_str!("trace_pico.csv");

/// One line of the self-test.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was simulated.
    pub scenario: Scenario,
    /// What came of it.
    pub counts: Counts,
}

impl Row {
    /// Share of plans with any false `established`: the larger of plans with and without an effect.
    pub fn any_false(&self) -> f64 {
        share(self.counts.any_false.max(self.counts.any_false_beside_effect), self.counts.plans)
    }

    /// Share of null edges with unadjusted p below .05.
    pub fn raw_false(&self) -> f64 {
        share(self.counts.raw_false, self.counts.null_edges)
    }

    /// Share of plans all of whose intervals contain the truth.
    pub fn coverage(&self) -> f64 {
        share(self.counts.covered, self.counts.plans)
    }

    /// Share of edges with the effect that were established.
    pub fn power(&self) -> f64 {
        share(self.counts.found, self.counts.effect_edges)
    }

    /// The power that the method had when it was designed, where it is known.
    pub fn reference_power(&self) -> Option<f64> {
        reference_power(&self.scenario)
    }

    /// What did not come out as it must, beyond the sampling error of so many plans, in words; empty when
    /// all did.
    pub fn failures(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let mut failures = Vec::new();
        if self.any_false() > MAX_ANY_FALSE + self.slack(MAX_ANY_FALSE) {
            failures.push(format!("any false established in {} of plans", percent(self.any_false())));
        }
        if !RAW_FALSE.contains(&self.raw_false()) {
            failures.push(format!("raw p < .05 in {} of null edges", percent(self.raw_false())));
        }
        if self.coverage() < MIN_COVERAGE - self.slack(MIN_COVERAGE) {
            failures.push(format!("coverage {}", percent(self.coverage())));
        }
        if let Some(reference) =
            self.reference_power().filter(|r| self.power() < r - MAX_POWER_LOSS - self.slack(*r))
        {
            failures.push(format!("power {} where {} was found", percent(self.power()), percent(reference)));
        }
        failures
    }

    /// Two standard errors of a share of this row's plans.
    fn slack(&self, share: f64) -> f64 {
        SAMPLING_ERRORS * (share * (1.0 - share) / self.counts.plans.max(1) as f64).sqrt()
    }

    fn cells(&self) -> [String; 11] {
        let percent = |value: f64| format!("{:.1}", 100.0 * value);
        let (counts, rival) = (&self.counts, &self.counts.rival);
        let error = (counts.squared_error / counts.null_edges.max(1) as f64).sqrt();
        [
            self.scenario.noise.name().to_owned(),
            self.scenario.grid.name(),
            self.scenario.blocks.to_string(),
            percent(share(counts.any_false, counts.plans)),
            percent(share(counts.any_false_beside_effect, counts.plans)),
            percent(self.raw_false()),
            percent(self.coverage()),
            self.reference_power().map_or_else(
                || format!("{:.0}", 100.0 * self.power()),
                |reference| format!("{:.0} ({:.0})", 100.0 * self.power(), 100.0 * reference),
            ),
            format!("{:.2}", 100.0 * error),
            percent(share(rival.welch_false, rival.welch_edges)),
            percent(share(rival.single_false, rival.single_pairs)),
        ]
    }
}

const HEADINGS: [&str; 11] = [
    "noise",
    "grid",
    "blocks",
    "any false, no effect",
    "any false, beside effect",
    "raw p < .05",
    "coverage",
    "power at 2 % (reference)",
    "rms error",
    "Welch, A..A B..B",
    "two single runs",
];

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The traces that come with the program, as decode and as prefill noise.
/// # Errors
/// [`TraceError`] if a built-in file were damaged.
pub fn built_in_traces() -> Result<[Trace; 4], TraceError> {
    Ok([
        Trace::from_csv("recorded decode", TRACE_CSV, "decode_tok_s")?,
        Trace::from_csv("recorded prefill", TRACE_CSV, "prefill_tok_s")?,
        Trace::from_csv("pico decode", PICO_TRACE_CSV, "decode_tok_s")?,
        Trace::from_csv("pico prefill", PICO_TRACE_CSV, "prefill_tok_s")?,
    ])
}

/// All scenarios of the self-test: every made-up kind and every trace, on a 3x2x2 and a 4x3x2x2 grid with
/// 6, 8 and 10 blocks.
pub fn scenarios(traces: &[Trace]) -> Vec<Scenario> {
    let recorded = traces.iter().cloned().map(Noise::Recorded);
    let noises: Vec<Noise> = Noise::MADE_UP.into_iter().chain(recorded).collect();
    let mut scenarios = Vec::new();
    for grid in [Grid::new(&[3, 2, 2]), Grid::new(&[4, 3, 2, 2])] {
        for noise in &noises {
            for blocks in [6, 8, 10] {
                let (noise, grid) = (noise.clone(), grid.clone());
                scenarios.push(Scenario { noise, grid, blocks, effect: EFFECT.ln() });
            }
        }
    }
    scenarios
}

/// Simulates `plans` plans of each scenario; `watch` sees each row as it is finished.
pub fn run_selftest(
    scenarios: Vec<Scenario>,
    seed: u64,
    plans: u64,
    mut watch: impl FnMut(&Row),
) -> Vec<Row> {
    let mut rows = Vec::with_capacity(scenarios.len());
    for scenario in scenarios {
        let counts = simulate(&scenario, seed, plans);
        let row = Row { scenario, counts };
        watch(&row);
        rows.push(row);
    }
    rows
}

/// The rows as a Markdown table (all shares and errors in per cent), and below it what failed.
pub fn render(rows: &[Row]) -> String {
    let cells: Vec<[String; 11]> = rows.iter().map(Row::cells).collect();
    let headings = HEADINGS.map(str::to_owned);
    let width =
        |column: usize| cells.iter().chain([&headings]).map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
    let mut lines = vec![line(&headings, &widths), rule(&widths)];
    lines.extend(cells.iter().map(|row| line(row, &widths)));
    lines.push(String::new());
    lines.push(conclusion(rows));
    lines.join("\n") + "\n"
}

fn line(row: &[String; 11], widths: &[usize]) -> String {
    let padded = |(column, (cell, &width)): (usize, (&String, &usize))| {
        if column < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    };
    let cells: Vec<String> = row.iter().zip(widths).enumerate().map(padded).collect();
    format!("| {} |", cells.join(" | "))
}

fn rule(widths: &[usize]) -> String {
    let dashes = |(column, width): (usize, &usize)| {
        if column < 2 { "-".repeat(*width) } else { format!("{}:", "-".repeat(width - 1)) }
    };
    let cells: Vec<String> = widths.iter().enumerate().map(dashes).collect();
    format!("| {} |", cells.join(" | "))
}

fn conclusion(rows: &[Row]) -> String {
    let failed = |row: &Row| {
        let failures = row.failures();
        (!failures.is_empty()).then(|| format!("FAILED {}: {}", row.scenario.name(), failures.join("; ")))
    };
    let failures: Vec<String> = rows.iter().filter_map(failed).collect();
    if failures.is_empty() {
        format!("All {} rows are as they must be.", rows.len())
    } else {
        failures.join("\n")
    }
}
