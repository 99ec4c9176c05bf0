//! Some of the simulated plans go end to end, and what their reports say is counted.

use super::differences::{differences, edges, is_of};
use super::rehearsal::{Rehearsal, RehearsalError};
use crate::stats::log_difference_as_percent;
use crate::stats::simulation::{Scenario, SimulatedEdge, SimulatedPlan};
use serde_json::Value;
use std::sync::mpsc;
use std::thread;

/// Stores are written at the same time: each record waits for the disk, hardly for a processor.
const WORKERS: usize = 4;
/// From one chosen row of the table to the next: so far that a few choices meet every kind of noise, both grids and all
/// lengths.
const STRIDE: usize = 13;

/// What the reports of the plans say that went end to end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndToEnd {
    /// Plans taken.
    pub plans: usize,
    /// Runs with a record.
    pub records: usize,
    /// Edges compared.
    pub edges: usize,
    /// What a report says and the statistics do not, or why there is no report, with the plan's name.
    pub disagreements: Vec<(String, Vec<String>)>,
    /// Plans in which an edge without a true difference is established.
    pub any_false: usize,
    /// Edges with a true difference.
    pub effect_edges: usize,
    /// Those of them established.
    pub effects_found: usize,
    /// Sum of the differences seen on edges with a true difference, in logarithms, in the direction of the truth.
    pub effect_sum: f64,
    /// Plans whose placebo failed: all their edges are unresolved.
    pub placebo_failed: usize,
}

/// So many rows of the table, spread over kinds of noise, grids and lengths; every second one without any true difference.
pub fn spread(scenarios: &[Scenario], count: usize) -> Vec<Scenario> {
    let with_effect = |(place, scenario): (usize, &Scenario)| Scenario {
        effect: if place % 2 == 0 { scenario.effect } else { 0.0 },
        ..scenario.clone()
    };
    scenarios.iter().cycle().step_by(STRIDE).take(count).enumerate().map(with_effect).collect()
}

/// Takes one plan of each scenario from a plan file to `report.json`; `watch` hears how each came out, in the order in
/// which they are done. The result does not depend on it.
pub fn rehearse(scenarios: &[Scenario], seed: u64, mut watch: impl FnMut(&str)) -> EndToEnd {
    let (tell, hear) = mpsc::channel();
    let mut parts: Vec<(usize, EndToEnd)> = thread::scope(|scope| {
        for worker in 0..WORKERS {
            let tell = tell.clone();
            scope.spawn(move || {
                for (place, scenario) in scenarios.iter().enumerate().skip(worker).step_by(WORKERS) {
                    let part = EndToEnd::of(scenario, seed, place as u64);
                    // Nobody stops listening before the last worker has ended.
                    let _ = tell.send((place, part));
                }
            });
        }
        drop(tell);
        hear.into_iter().inspect(|(place, part)| watch(&outcome(&scenarios[*place], part))).collect()
    });
    parts.sort_by_key(|(place, _)| *place);
    let mut total = EndToEnd::default();
    for (_, part) in parts {
        total.add(part);
    }
    total
}

fn outcome(scenario: &Scenario, part: &EndToEnd) -> String {
    format!("{}: {}", name(scenario), if part.disagreements.is_empty() { "agrees" } else { "DISAGREES" })
}

fn name(scenario: &Scenario) -> String {
    let effect = log_difference_as_percent(scenario.effect);
    format!("{}, true difference {effect:.0} %", scenario.name())
}

impl EndToEnd {
    /// True if every report says what the statistics say, and true differences show.
    pub fn passed(&self) -> bool {
        self.disagreements.is_empty() && (self.effect_edges == 0 || self.effects_found > 0)
    }

    /// One line, and below it what failed.
    pub fn render(&self) -> String {
        let mut lines = vec![format!(
            "{} plans end to end ({} records through stores, {} edges in report.json): {} agree; any false established in {} \
             plans; a true 2 % established on {} of {} edges, seen as {} on average; placebo failed in {}.",
            self.plans,
            self.records,
            self.edges,
            self.plans - self.disagreements.len(),
            self.any_false,
            self.effects_found,
            self.effect_edges,
            self.mean_effect(),
            self.placebo_failed,
        )];
        let told = |(name, found): &(String, Vec<String>)| format!("FAILED {name}: {}", shortened(found));
        lines.extend(self.disagreements.iter().map(told));
        if self.disagreements.is_empty() && !self.passed() {
            lines.push("FAILED: no true difference was established".into());
        }
        lines.join("\n") + "\n"
    }

    fn mean_effect(&self) -> String {
        if self.effect_edges == 0 {
            return "nothing".into();
        }
        format!("{:.2} %", log_difference_as_percent(self.effect_sum / self.effect_edges as f64))
    }

    /// One plan.
    fn of(scenario: &Scenario, seed: u64, place: u64) -> Self {
        let mut part = Self { plans: 1, ..Self::default() };
        let found = part.take(scenario, seed, place).unwrap_or_else(|error| vec![error.to_string()]);
        if !found.is_empty() {
            part.disagreements.push((name(scenario), found));
        }
        part
    }

    fn add(&mut self, other: Self) {
        self.plans += other.plans;
        self.records += other.records;
        self.edges += other.edges;
        self.disagreements.extend(other.disagreements);
        self.any_false += other.any_false;
        self.effect_edges += other.effect_edges;
        self.effects_found += other.effects_found;
        self.effect_sum += other.effect_sum;
        self.placebo_failed += other.placebo_failed;
    }

    /// Rehearses the plan and counts what its report says.
    fn take(&mut self, scenario: &Scenario, seed: u64, place: u64) -> Result<Vec<String>, RehearsalError> {
        let simulated = SimulatedPlan::of(scenario, seed, SimulatedPlan::next_in_toml(seed, place))?;
        let report = Rehearsal::of(scenario, &simulated)?.report()?;
        self.records += simulated.logs.len();
        self.count(&report, &simulated);
        Ok(differences(&report, &simulated))
    }

    fn count(&mut self, report: &Value, simulated: &SimulatedPlan) {
        let (mut any_false, mut unresolved) = (false, false);
        for reported in edges(report) {
            let Some(edge) = simulated.edges.iter().find(|edge| is_of(reported, edge)) else { continue };
            let established = reported["verdict"]["verdict"] == "established";
            unresolved |= reported["verdict"]["verdict"] == "unresolved";
            self.edges += 1;
            if is_null(edge) {
                any_false |= established;
            } else {
                let delta = reported["delta"].as_f64().unwrap_or(f64::NAN);
                self.effect_edges += 1;
                self.effects_found += usize::from(established);
                self.effect_sum += edge.truth.signum() * (delta / 100.0).ln_1p();
            }
        }
        self.any_false += usize::from(any_false);
        self.placebo_failed += usize::from(unresolved);
    }
}

fn is_null(edge: &SimulatedEdge) -> bool {
    edge.truth.abs() < 1e-12
}

/// The first few of many.
fn shortened(found: &[String]) -> String {
    const SHOWN: usize = 3;
    let more = found.len().saturating_sub(SHOWN);
    let rest = if more == 0 { String::new() } else { format!("; and {more} more") };
    found.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ") + &rest
}
