//! `planrun render`: the exact text, or the token ids, that reach the model.

use super::network::{NetworkArguments, with_models};
use super::output::{complain, print};
use crate::condition::{Settings, Stated};
use crate::engine;
use crate::exit::Exit;
use crate::generation::Prompt;
use crate::plan::{Cell, Planned};
use crate::run::{first_day, prepare, present_state};
use crate::task::TaskSet;
use crate::workload::{Job, prompts};
use clap::Args;
use std::path::PathBuf;

/// Print the prompt of a cell and a task exactly as it reaches the model, and nothing else
#[derive(Debug, Args)]
pub(super) struct RenderArguments {
    /// The plan file.
    plan: PathBuf,
    /// The cell: its number (`7` or `c0007`) or its levels in words; the first where it is left out.
    #[arg(long)]
    cell: Option<String>,
    /// The task: its id, or its number, counted from 1.
    #[arg(long, default_value = "1", value_name = "N|ID")]
    task: String,
    /// The workload; the first that has a task file where it is left out.
    #[arg(long, value_name = "NAME")]
    workload: Option<String>,
    /// Print the token ids on one line instead of the text.
    #[arg(long)]
    ids: bool,
    /// Override a key of the plan, such as `settings.thinking=false`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    #[command(flatten)]
    network: NetworkArguments,
}

/// Prints one prompt to standard output.
pub(super) fn run(arguments: &RenderArguments) -> Exit {
    let planned = match prepare(&arguments.plan, &arguments.overrides) {
        Ok(planned) => planned,
        Err(errors) => {
            complain(&errors);
            return Exit::PlanInvalid;
        }
    };
    let of_cell = cell(&planned, arguments.cell.as_deref()).map(|cell| cell.settings.named_files().cloned());
    let model = match of_cell {
        Ok(model) => model.into_iter().collect(),
        Err(Refused { exit, problem }) => {
            complain(&problem);
            return exit;
        }
    };
    let planned = match with_models(planned, &model, &arguments.network) {
        Ok(planned) => planned,
        Err(exit) => return exit,
    };
    match prompt(&planned, arguments).and_then(|prompt| shown(&prompt, arguments.ids)) {
        Ok(text) => {
            print(&text);
            Exit::Done
        }
        Err(Refused { exit, problem }) => {
            complain(&problem);
            exit
        }
    }
}

/// Why there is no prompt.
struct Refused {
    exit: Exit,
    problem: String,
}

fn usage(problem: String) -> Refused {
    Refused { exit: Exit::Usage, problem }
}

fn failed<E: ToString>(exit: Exit) -> impl FnOnce(E) -> Refused {
    move |error| Refused { exit, problem: error.to_string() }
}

fn shown(prompt: &Prompt, ids: bool) -> Result<String, Refused> {
    match &prompt.ids {
        _ if !ids => Ok(prompt.text.clone()),
        Some(ids) => Ok(ids.iter().map(u32::to_string).collect::<Vec<_>>().join(" ") + "\n"),
        None => Err(usage("--ids: this engine does not show its tokens".to_owned())),
    }
}

fn prompt(planned: &Planned, arguments: &RenderArguments) -> Result<Prompt, Refused> {
    let cell = cell(planned, arguments.cell.as_deref())?;
    let workload = workload(planned, arguments.workload.as_deref())?;
    let base = planned.folder();
    let all = planned.task_sets[workload].as_ref().map(|set| TaskSet::read(&set.path)).transpose();
    let all = all.map_err(failed(Exit::PlanInvalid))?;
    let one = all.as_ref().map(|all| task(all, &arguments.task)).transpose()?;
    let examples = cell.settings.few_shot_tasks.get().map(|file| TaskSet::read(&base.join(file))).transpose();
    let examples = examples.map_err(failed(Exit::PlanInvalid))?.or(all);
    let settings = as_opened(planned, &cell.settings);
    let engine = engine::open_to_write(&settings, base).map_err(failed(Exit::EngineUnavailable))?;
    let job = Job {
        settings: &settings,
        workload: &planned.workloads[workload].workload,
        tasks: one.as_ref(),
        examples: examples.as_ref(),
    };
    let mut prompts = prompts(engine.as_ref(), &job).map_err(failed(Exit::Incomplete))?;
    prompts.pop().map(|(_, prompt)| prompt).ok_or_else(|| usage("there is no prompt".to_owned()))
}

/// The settings of a run, on as many threads as this process has.
fn as_opened(planned: &Planned, settings: &Settings) -> Settings {
    let mut settings = Settings { threads: Stated::Unset, ..settings.clone() };
    if settings.template_date.get().is_none() {
        let records = present_state(planned).ok().flatten().map(|state| state.records).unwrap_or_default();
        settings.template_date = first_day(&records).into();
    }
    settings
}

fn cell<'a>(planned: &'a Planned, wanted: Option<&str>) -> Result<&'a Cell, Refused> {
    let Some(wanted) = wanted else {
        return planned.cells.first().ok_or_else(|| usage("the plan has no cell".to_owned()));
    };
    let number = wanted.strip_prefix('c').unwrap_or(wanted).parse::<u32>().ok();
    let found = planned.cells.iter().find(|cell| Some(cell.index) == number || cell.label == wanted);
    found.ok_or_else(|| {
        let last = planned.cells.len().saturating_sub(1);
        usage(format!(
            "--cell {wanted}: the plan's cells are c0000 to c{last:04}; `planrun graph` lists them"
        ))
    })
}

fn workload(planned: &Planned, wanted: Option<&str>) -> Result<usize, Refused> {
    let names = || planned.workloads.iter().map(|workload| workload.workload.name.as_str());
    match wanted {
        None => Ok(planned.task_sets.iter().position(Option::is_some).unwrap_or(0)),
        Some(wanted) => names().position(|name| name == wanted).ok_or_else(|| {
            let known = names().collect::<Vec<_>>().join(", ");
            usage(format!("--workload {wanted}: the plan's workloads are {known}"))
        }),
    }
}

fn task(all: &TaskSet, wanted: &str) -> Result<TaskSet, Refused> {
    let by_number = || all.tasks.get(wanted.parse::<usize>().ok()?.checked_sub(1)?);
    let Some(task) = all.tasks.iter().find(|task| task.id == wanted).or_else(by_number) else {
        let problem =
            format!("--task {wanted}: no task has this id, and the task file has tasks 1 to {}", all.len());
        return Err(usage(problem));
    };
    Ok(TaskSet { tasks: vec![task.clone()] })
}
