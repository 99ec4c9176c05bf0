//! Everything that can be checked: each cell's numbers, conditions, schedule, definitions, how to run it again.

use super::metric::{edge_table, interaction_table};
use super::table::Table;
use super::{Frame, cells, conditions, limits, refusals};
use crate::compare::{Analysis, Made, WorkloadAnalysis};
use crate::fingerprint;
use crate::measure;
use crate::report::names;
use crate::report::words::{self, capital, counted};
use crate::shell::quoted;
use serde::Serialize;

/// The appendix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Appendix {
    /// Each cell's numbers.
    pub cells: Vec<Table>,
    /// Exploratory metrics, edge by edge.
    pub exploratory: Vec<Table>,
    /// Single 2 x 2 faces.
    pub faces: Vec<Table>,
    /// Whether repeats of a cell gave identical tokens.
    pub determinism: Vec<Table>,
    /// What was asked and found.
    pub conditions: Vec<Table>,
    /// Pairs that were not compared.
    pub not_compared: Option<Table>,
    /// Order, seed, blocks, gaps.
    pub schedule: Vec<String>,
    /// Commands that make it again, and verify it.
    pub again: Vec<(String, String)>,
    /// Metrics and the method's terms.
    pub definitions: Vec<Table>,
    /// Limits.
    pub limits: Vec<String>,
}

pub(super) fn appendix(frame: &Frame, analysis: &Analysis) -> Appendix {
    Appendix {
        cells: cell_tables(analysis),
        exploratory: exploratory(analysis),
        faces: faces(analysis),
        determinism: analysis
            .workloads
            .iter()
            .filter_map(|workload| determinism(analysis, workload))
            .collect(),
        conditions: [conditions::common_table(analysis), conditions::differing_table(analysis)]
            .into_iter()
            .filter_map(Table::filled)
            .collect(),
        not_compared: refusals::not_compared_table(analysis),
        schedule: schedule(frame, analysis),
        again: again(frame),
        definitions: vec![definitions(analysis), terms()],
        limits: limits::limits(frame),
    }
}

fn cell_tables(analysis: &Analysis) -> Vec<Table> {
    let mut tables = Vec::new();
    for workload in &analysis.workloads {
        tables.extend(cells::matrices(analysis, workload));
        tables.extend(merged(analysis, workload));
        tables.extend(cells::unmeasured(workload));
        let primary = workload.metrics.iter().filter(|metric| metric.primary);
        tables.extend(primary.filter_map(|metric| cells::spread(analysis, metric)));
    }
    tables
}

fn merged(analysis: &Analysis, workload: &WorkloadAnalysis) -> Option<Table> {
    let name = |cell: &u32| super::summary::cell_name(analysis, *cell);
    let rows = workload
        .merged
        .iter()
        .map(|group| vec![name(&group.runs_as), group.cells.iter().map(name).collect::<Vec<_>>().join("; ")]);
    let caption = format!("Workload {}: cells that it cannot tell apart share their runs", workload.name);
    Table::new(&caption, &["Runs as", "Stands for"], rows).filled()
}

fn exploratory(analysis: &Analysis) -> Vec<Table> {
    let metrics = analysis
        .workloads
        .iter()
        .flat_map(|workload| workload.metrics.iter().map(move |metric| (workload, metric)));
    metrics
        .filter(|(_, metric)| !metric.primary && metric.edges.iter().any(|edge| edge.interval.is_some()))
        .map(|(workload, metric)| Table {
            caption: format!(
                "{} (workload {}), exploratory: interval, no verdict",
                capital(&names::spoken(metric)),
                workload.name
            ),
            ..edge_table(metric)
        })
        .collect()
}

fn faces(analysis: &Analysis) -> Vec<Table> {
    let metrics = super::summary::primary(analysis).filter(|(_, metric)| metric.faces.total > 0);
    metrics
        .map(|(workload, metric)| {
            let caption = format!(
                "{} (workload {}): single faces, exploratory",
                capital(&names::spoken(metric)),
                workload.name
            );
            let mut table = interaction_table(&caption, metric, &metric.faces.listed);
            table.more = (metric.faces.total as usize).saturating_sub(table.rows.len());
            table
        })
        .collect()
}

fn determinism(analysis: &Analysis, workload: &WorkloadAnalysis) -> Option<Table> {
    let rows = workload.determinism.iter().map(|check| {
        let verdict = match check.differing {
            0 if check.by_likelihood => "identical log-likelihoods".into(),
            0 => "identical".into(),
            differing => format!("repeat differs in {differing} items"),
        };
        vec![
            super::summary::cell_name(analysis, check.cell),
            check.runs.to_string(),
            check.items.to_string(),
            verdict,
        ]
    });
    let caption = format!("Workload {}: did repeated runs of a cell give the same tokens?", workload.name);
    Table::new(&caption, &["Cell", "Runs compared", "Items", "Tokens"], rows).filled()
}

fn schedule(frame: &Frame, analysis: &Analysis) -> Vec<String> {
    let mut lines = vec![format!(
        "Order: every block is a fresh random permutation of all arms, seeded by the plan (seed {}) and the block's \
         number, cut into sub-blocks of at most 16 arms; each sub-block runs forward, then in reverse.",
        frame.seed
    )];
    for planned in &frame.workloads {
        let control =
            if planned.control { ", the A/A control among them" } else { ", without an A/A control" };
        let how = if planned.once {
            "each arm runs once".into()
        } else {
            format!("{} planned, two runs an arm in each", counted(planned.blocks as usize, "block"))
        };
        lines.push(format!(
            "Workload {}: {}; {}{control}; {how}.",
            planned.name,
            planned.protocol,
            counted(planned.arms as usize, "arm")
        ));
    }
    for workload in &analysis.workloads {
        lines
            .extend(workload.warnings.iter().map(|warning| format!("Workload {}: {warning}", workload.name)));
        lines.extend(workload.beside.iter().map(|other| {
            format!("Workload {}: another inference server was running ({other})", workload.name)
        }));
    }
    lines.extend(frame.extended.iter().map(|step| format!("Extended {step}.")));
    lines.extend(frame.overrides.iter().map(|set| format!("Overridden on the command line: {set}.")));
    let coverage = analysis.coverage;
    lines.push(format!(
        "Runs: {} planned, {} measured, {} failed, {} absent.",
        coverage.planned, coverage.done, coverage.failed, coverage.absent
    ));
    lines
}

fn again(frame: &Frame) -> Vec<(String, String)> {
    let file = frame.file.clone().unwrap_or_else(|| format!("plans/{}.toml", frame.name));
    let sets = frame.overrides.iter().map(|set| format!("--set {}", quoted(set)));
    let words: Vec<String> = std::iter::once(quoted(&file)).chain(sets).collect();
    let plan = words.join(" ");
    let with_leave = [std::slice::from_ref(&plan), &frame.leave].concat().join(" ");
    vec![
        ("Run the plan again".into(), format!("planrun run {with_leave}")),
        (
            "Compute this report again from its records and compare".into(),
            format!("planrun report reports/{} --check", frame.name),
        ),
        ("See what would run, and the price".into(), format!("planrun check {plan}")),
    ]
}

fn definitions(analysis: &Analysis) -> Table {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for metric in analysis.workloads.iter().flat_map(|workload| &workload.metrics) {
        let text = measure::metric(&metric.metric).map_or("", |known| known.text);
        let row = vec![metric.definition.clone(), names::spoken(metric), names::unit(metric), text.into()];
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    Table::new("Metrics", &["Definition", "In words", "Unit", "What it is"], rows)
}

fn terms() -> Table {
    let rows = words::terms().map(|(term, meaning)| vec![term.into(), capital(meaning)]);
    Table::new("Terms", &["Term", "Means"], rows)
}

/// The plan's and the schedule's identity, short; when the runs were made, and by what.
pub(super) fn identity(frame: &Frame, analysis: &Analysis) -> Vec<String> {
    let mut parts = vec![format!("plan {} {}", analysis.plan.name, fingerprint::short(&analysis.plan.hash))];
    parts.extend(frame.schedule_hash.iter().map(|hash| format!("schedule {}", fingerprint::short(hash))));
    let Made { days, minutes, commits, builds } = &analysis.made;
    let took = minutes.map_or_else(String::new, |minutes| match minutes {
        0 => " in less than a minute".into(),
        1 => " in 1\u{a0}minute".into(),
        more => format!(" in {more}\u{a0}minutes"),
    });
    parts.extend((!days.is_empty()).then(|| format!("measured {}{took}", days.join(" to "))));
    let short = |hash: &String| fingerprint::short(hash).to_owned();
    parts.extend(builds.iter().map(|build| format!("planrun build {}", short(build))));
    parts.extend(commits.iter().map(|commit| format!("commit {}", commit_words(commit))));
    parts
}

/// A commit's first twelve digits, and whether its tree had changes.
fn commit_words(commit: &str) -> String {
    let (hash, dirty) = commit.split_once('+').map_or((commit, ""), |(hash, _)| (hash, " with changes"));
    format!("{}{dirty}", fingerprint::short(hash))
}
