//! `planrun report`: render a report again from its records, or check it against them.

use super::kept::{Kept, KeptError};
use super::output::{complain, print};
use super::touched::leave_needed;
use crate::compare::{Analysis, analyse};
use crate::exit::Exit;
use crate::record::write_atomically;
use crate::report::{Frame, RenderError, Rendered, render};
use clap::{Args, ValueEnum};
use std::io;
use std::path::{Path, PathBuf};

/// What to render and where to.
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// A plan, a working store, or a published report's folder.
    #[arg(value_name = "PLAN_OR_FOLDER")]
    place: PathBuf,
    /// Only this form, to standard output unless `--out` is given.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Folder to write to; the folder of the records where it is left out.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write nothing: say whether the report that is there is what its records give.
    #[arg(long, conflicts_with_all = ["format", "out"])]
    check: bool,
    /// Overrides under which the plan ran.
    #[arg(long, value_name = "settings.KEY=VALUE")]
    set: Vec<String>,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Markdown; its pictures only with `--out`.
    Md,
    /// One HTML file.
    Html,
    /// The numbers.
    Json,
}

/// Renders. [`Exit::GateFailed`]: `--check`, and the report is not what its records give.
pub(super) fn run(arguments: &ReportArguments) -> Exit {
    let kept = match Kept::find(&arguments.place, &arguments.set) {
        Ok(kept) => kept,
        Err(error) => return refuse(&error),
    };
    let outcome = rendered(&kept).map(|(_, rendered)| rendered);
    let written = outcome.map_err(io::Error::other).and_then(|rendered| deliver(arguments, &kept, &rendered));
    written.unwrap_or_else(|error| {
        complain(&error);
        Exit::Internal
    })
}

fn refuse(error: &KeptError) -> Exit {
    complain(error);
    if matches!(error, KeptError::Plan(_)) { Exit::PlanInvalid } else { Exit::Internal }
}

/// Judges the records of a plan and renders the report.
pub(super) fn rendered(kept: &Kept) -> Result<(Analysis, Rendered), RenderError> {
    let analysis = analyse(&kept.planned, &kept.records);
    let frame = Frame {
        file: kept.file.clone(),
        leave: leave_needed(&kept.planned).into_iter().map(str::to_owned).collect(),
        ..Frame::of(&kept.planned, &kept.records, Some(&kept.schedule), &kept.extensions)
    };
    let rendered = render(&frame, &analysis)?;
    Ok((analysis, rendered))
}

fn deliver(arguments: &ReportArguments, kept: &Kept, rendered: &Rendered) -> io::Result<Exit> {
    if arguments.check {
        return Ok(check(&kept.folder, rendered));
    }
    let Some(format) = arguments.format else {
        let folder = arguments.out.as_deref().unwrap_or(&kept.folder);
        rendered.write_to(folder)?;
        print(&format!("{}\n", folder.join("report.html").display()));
        return Ok(Exit::Done);
    };
    let (name, text) = match format {
        Format::Md => ("report.md", &rendered.markdown),
        Format::Html => ("report.html", &rendered.html),
        Format::Json => ("report.json", &rendered.json),
    };
    match &arguments.out {
        Some(folder) if matches!(format, Format::Md) => rendered.write_to(folder)?,
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            write_atomically(&folder.join(name), text.as_bytes())?;
        }
        None => print(text),
    }
    Ok(Exit::Done)
}

fn check(folder: &Path, rendered: &Rendered) -> Exit {
    let differing = rendered.differing(folder);
    if differing.is_empty() {
        print(&format!("{}: every file of the report is what its records give\n", folder.display()));
        return Exit::Done;
    }
    print(&format!("{}: not what its records give: {}\n", folder.display(), differing.join(", ")));
    Exit::GateFailed
}
