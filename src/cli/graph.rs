//! `planrun graph`: draws what may be compared, or the order of work.

use crate::exit::Exit;
use crate::plan::{Planned, PlannedWorkload};
use crate::run::prepare;
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Draw a plan's cells and edges, or the order of work, for Graphviz or Mermaid.
#[derive(Debug, Args)]
pub(super) struct GraphArguments {
    /// The plan file.
    plan: PathBuf,
    /// The language to draw in.
    #[arg(long, value_enum, default_value_t = Format::Dot)]
    format: Format,
    /// Draw the order of work instead of the comparisons.
    #[arg(long)]
    tasks: bool,
    /// Override a key of the plan, such as `settings.max_tokens=64`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Graphviz.
    Dot,
    /// Mermaid, which renders in markdown.
    Mermaid,
}

/// Prints the drawing to standard output.
pub(super) fn run(arguments: &GraphArguments) -> Exit {
    match prepare(&arguments.plan, &arguments.overrides) {
        Ok(planned) => {
            let drawing = if arguments.tasks { work(&planned) } else { comparisons(&planned) };
            super::output::print(&drawing.render(arguments.format));
            Exit::Done
        }
        Err(errors) => {
            super::output::complain(&errors);
            Exit::PlanInvalid
        }
    }
}

/// Nodes with labels, arrows with labels.
#[derive(Debug, Default)]
struct Drawing {
    nodes: Vec<String>,
    arrows: Vec<(usize, usize, String)>,
}

/// Cells, and an arrow from the lower to the higher level for each pair that may be compared.
fn comparisons(planned: &Planned) -> Drawing {
    let label = |label: &str| if label.is_empty() { "the only cell".to_owned() } else { label.to_owned() };
    let nodes = planned.cells.iter().map(|cell| format!("c{:04} {}", cell.index, label(&cell.label)));
    let arrow = |edge: crate::plan::PlannedEdge| {
        (edge.before as usize, edge.after as usize, edge.field.name().to_owned())
    };
    Drawing { nodes: nodes.collect(), arrows: planned.edges().map(arrow).collect() }
}

/// The schedule, then every workload's blocks in the order of time, its verdicts, and the report that waits for all.
fn work(planned: &Planned) -> Drawing {
    let mut drawing = Drawing { nodes: vec!["schedule.json".into()], arrows: Vec::new() };
    let mut last = 0;
    let mut verdicts = Vec::new();
    for (index, workload) in planned.workloads.iter().enumerate() {
        for (number, block) in workload.blocks.iter().enumerate() {
            let runs = block.iter().map(Vec::len).sum::<usize>() * if workload.once { 1 } else { 2 };
            last = drawing.follow(last, block_name(workload, number, runs));
        }
        let metrics = planned.primary_metrics(index as u32).join(", ");
        let edges = workload.edges.len();
        verdicts.push(
            drawing.follow(last, format!("judge {} on {edges} edges: {metrics}", workload.workload.name)),
        );
    }
    drawing.nodes.push("report".into());
    let report = drawing.nodes.len() - 1;
    drawing.arrows.extend(verdicts.into_iter().map(|verdict| (verdict, report, String::new())));
    drawing
}

fn block_name(workload: &PlannedWorkload, number: usize, runs: usize) -> String {
    let name = &workload.workload.name;
    if workload.once {
        format!("{name}: {runs} runs")
    } else {
        format!("{name} block {}: {runs} runs", number + 1)
    }
}

impl Drawing {
    fn follow(&mut self, after: usize, label: String) -> usize {
        self.nodes.push(label);
        let node = self.nodes.len() - 1;
        self.arrows.push((after, node, String::new()));
        node
    }

    fn render(&self, format: Format) -> String {
        match format {
            Format::Dot => self.dot(),
            Format::Mermaid => self.mermaid(),
        }
    }

    fn dot(&self) -> String {
        let mut text = String::from("digraph plan {\n  rankdir=LR;\n  node [shape=box];\n");
        for (index, label) in self.nodes.iter().enumerate() {
            let _ = writeln!(
                text,
                "  n{index} [label=\"{}\"];",
                label.replace('\\', "\\\\").replace('"', "\\\"")
            );
        }
        for (before, after, label) in &self.arrows {
            let label = if label.is_empty() { String::new() } else { format!(" [label=\"{label}\"]") };
            let _ = writeln!(text, "  n{before} -> n{after}{label};");
        }
        text.push_str("}\n");
        text
    }

    fn mermaid(&self) -> String {
        let mut text = String::from("flowchart LR\n");
        for (index, label) in self.nodes.iter().enumerate() {
            let _ = writeln!(text, "  n{index}[\"{}\"]", label.replace('"', "#quot;"));
        }
        for (before, after, label) in &self.arrows {
            let label = if label.is_empty() { String::new() } else { format!("|{label}|") };
            let _ = writeln!(text, "  n{before} -->{label} n{after}");
        }
        text
    }
}
