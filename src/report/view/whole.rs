//! The whole report as plain data.

use super::appendix::{Appendix, appendix, identity};
use super::metric::{Section, section};
use super::refusals::{RefusalView, missing_table, refusals};
use super::summary::{Summary, primary, summary};
use super::table::Table;
use super::{Frame, summary::cell_name};
use crate::compare::{Agreement, Analysis, WorkloadAnalysis};
use crate::condition::Field;
use crate::report::number;
use serde::Serialize;

/// Everything that a report shows, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct View {
    /// Title.
    pub title: String,
    /// The one thing that the plan is to answer.
    pub question: String,
    /// Identity of plan and schedule, short.
    pub identity: Vec<String>,
    /// The first screen.
    pub summary: Summary,
    /// Primary metrics.
    pub sections: Vec<Section>,
    /// Token identity along edges, a table a workload; replies to a synthetic prompt say nothing and are left out, unless tokens
    /// were guessed ahead.
    pub agreement: Vec<Table>,
    /// Refused edges in full.
    pub refusals: Vec<RefusalView>,
    /// Refused edges that were left out.
    pub more_refusals: usize,
    /// Missing runs.
    pub missing: Option<Table>,
    /// All that can be checked.
    pub appendix: Appendix,
}

impl View {
    /// Lays out a judged plan. Nothing is computed but what a picture needs.
    pub fn of(frame: &Frame, analysis: &Analysis) -> Self {
        let refusals = refusals(analysis);
        Self {
            title: if frame.title.is_empty() { frame.name.clone() } else { frame.title.clone() },
            question: frame.question.clone(),
            identity: identity(frame, analysis),
            summary: summary(frame, analysis),
            sections: primary(analysis)
                .map(|(workload, metric)| section(frame, analysis, workload, metric))
                .collect(),
            agreement: analysis
                .workloads
                .iter()
                .filter(|workload| workload.quality || guesses_ahead(workload))
                .filter_map(|workload| agreement_table(analysis, workload))
                .collect(),
            more_refusals: analysis.refused.len() - refusals.len(),
            refusals,
            missing: missing_table(analysis),
            appendix: appendix(frame, analysis),
        }
    }
}

/// Whoever guesses ahead must give the model's own replies all the same, also where only times are judged.
fn guesses_ahead(workload: &WorkloadAnalysis) -> bool {
    workload.agreement.iter().any(|pair| pair.field == Field::Speculation)
}

fn agreement_table(analysis: &Analysis, workload: &WorkloadAnalysis) -> Option<Table> {
    let rows = workload.agreement.iter().map(|agreement| {
        vec![
            agreement.field.name().into(),
            cell_name(analysis, agreement.before),
            cell_name(analysis, agreement.after),
            identical(agreement),
        ]
    });
    let caption = format!("Workload {}: replies that are identical token by token", workload.name);
    Table::new(&caption, &["Field", "Before", "After", "Identical replies"], rows).filled()
}

fn identical(agreement: &Agreement) -> String {
    match (agreement.identical, &agreement.reason) {
        (Some(k), _) => number::share(crate::compare::CountOf { k, n: agreement.items }),
        (None, reason) => super::cells::not_measured(reason.as_deref()),
    }
}
