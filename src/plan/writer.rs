//! `schedule.json`: what will run, in which order, and what was declared, written before the first run.

use super::{Planned, PlannedEdge, PlannedWorkload};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Version of the file's format.
const FORMAT: u32 = 1;

/// A workload in `schedule.json`.
#[derive(Serialize)]
struct WorkloadSchedule<'a> {
    name: &'a str,
    task_set_fingerprint: Option<&'a str>,
    tasks: Option<u64>,
    once: bool,
    control: bool,
    collapsed_factors: Vec<&'a str>,
    /// Cell of each arm.
    arms: &'a [u32],
    /// Arm of each cell; left out where every cell is its own arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    arm_of_cell: Option<&'a [u32]>,
    /// Pairs of cells with the index of their field in `fields`; left out where they are those of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<Vec<(u32, u32, usize)>>,
    /// Blocks of sub-blocks of arms.
    order: &'a [Vec<Vec<u32>>],
}

impl Planned {
    /// Writes the schedule as compact JSON, one line a part: cells as level indices, edges as pairs of cells, the order as
    /// arm indices. The same plan gives the same bytes.
    pub fn write_schedule(&self, mut out: impl Write) -> io::Result<()> {
        let fields = self.field_names();
        write!(out, "{{\"format\":{FORMAT}")?;
        part(&mut out, "plan", &self.identity)?;
        part(&mut out, "overrides", &self.overrides)?;
        part(&mut out, "rule", &self.rule())?;
        part(&mut out, "declared", &self.declared())?;
        if !self.models.is_empty() {
            part(&mut out, "models", &self.models)?;
        }
        part(&mut out, "factors", &self.factors)?;
        part(&mut out, "baseline", &self.baseline)?;
        part(&mut out, "cells", &self.cells.iter().map(|cell| &cell.levels).collect::<Vec<_>>())?;
        part(&mut out, "fields", &fields)?;
        part(&mut out, "edges", &indexed(&self.edges().collect::<Vec<_>>(), &fields))?;
        let workloads = (0..self.workloads.len()).map(|index| self.workload_schedule(index, &fields));
        part(&mut out, "workloads", &workloads.collect::<Vec<_>>())?;
        out.write_all(b"}\n")
    }

    /// All edges of the graph, in the order in which they were found.
    pub fn edges(&self) -> impl Iterator<Item = PlannedEdge> + '_ {
        self.graph.raw_edges().iter().map(|edge| PlannedEdge {
            before: edge.source().index() as u32,
            after: edge.target().index() as u32,
            field: edge.weight,
        })
    }

    fn rule(&self) -> Value {
        json!({
            "order": "uniform random permutation of the arms in every block, cut into sub-blocks of at most 16, \
                      each forward and then in reverse",
            "generator": "ChaCha8, key = seed + index of the workload, stream = block",
            "seed": self.document.header.seed,
            "blocks": self.document.schedule.blocks,
        })
    }

    /// What was declared before anything ran, and counts as declared only if it stood here.
    fn declared(&self) -> Value {
        let compare = &self.document.compare;
        let metrics: serde_json::Map<String, Value> = (0..self.workloads.len() as u32)
            .map(|index| {
                (self.workloads[index as usize].workload.name.clone(), json!(self.primary_metrics(index)))
            })
            .collect();
        json!({
            "metrics": metrics, "alpha": compare.alpha, "margins": compare.margins, "pairs": compare.pairs,
            "assume": compare.assume,
        })
    }

    fn field_names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = Vec::new();
        for edge in self.graph.raw_edges() {
            if !names.contains(&edge.weight.name()) {
                names.push(edge.weight.name());
            }
        }
        names
    }

    fn workload_schedule(&self, index: usize, fields: &[&str]) -> WorkloadSchedule<'_> {
        let planned: &PlannedWorkload = &self.workloads[index];
        let tasks = self.task_sets[index].as_ref();
        let merged = planned.arm_of_cell.iter().enumerate().any(|(cell, &arm)| cell as u32 != arm);
        WorkloadSchedule {
            name: &planned.workload.name,
            task_set_fingerprint: tasks.map(|tasks| tasks.fingerprint.as_str()),
            tasks: tasks.map(|tasks| tasks.count),
            once: planned.once,
            control: planned.control,
            collapsed_factors: self.collapsed_factors(index as u32),
            arms: &planned.arms,
            arm_of_cell: merged.then_some(planned.arm_of_cell.as_slice()),
            edges: merged.then(|| indexed(&planned.edges, fields)),
            order: &planned.blocks,
        }
    }
}

fn part(out: &mut impl Write, key: &str, value: &impl Serialize) -> io::Result<()> {
    write!(out, ",\n\"{key}\":")?;
    serde_json::to_writer(out, value).map_err(io::Error::from)
}

fn indexed(edges: &[PlannedEdge], fields: &[&str]) -> Vec<(u32, u32, usize)> {
    let index =
        |edge: &PlannedEdge| fields.iter().position(|name| *name == edge.field.name()).unwrap_or_default();
    edges.iter().map(|edge| (edge.before, edge.after, index(edge))).collect()
}
