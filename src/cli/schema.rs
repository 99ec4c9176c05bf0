//! `planrun schema`: writes the schemas of plans and records, or says whether the checked-in ones are current.

use crate::exit::Exit;
use crate::schema;
use clap::Args;
use std::path::PathBuf;

/// Write `plan.schema.json` and `record.schema.json`, or check that they are current.
#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// Compare instead of writing; fails when a file is absent or differs.
    #[arg(long)]
    check: bool,
    /// The folder of the schemas.
    #[arg(long, default_value = "schemas")]
    folder: PathBuf,
}

/// Writes or compares the schema files.
pub(super) fn run(arguments: &SchemaArguments) -> Exit {
    if arguments.check { check(arguments) } else { write(arguments) }
}

fn check(arguments: &SchemaArguments) -> Exit {
    let stale = schema::stale(&arguments.folder);
    for path in &stale {
        super::output::complain(&format!("{}: not current; run `planrun schema`", path.display()));
    }
    if stale.is_empty() { Exit::Done } else { Exit::GateFailed }
}

fn write(arguments: &SchemaArguments) -> Exit {
    match schema::write(&arguments.folder) {
        Ok(paths) => {
            for path in paths {
                super::output::print(&format!("{}\n", path.display()));
            }
            Exit::Done
        }
        Err(error) => {
            let folder = arguments.folder.display();
            super::output::complain(&format!(
                "{folder}: {error}; give a folder that can be written with --folder"
            ));
            Exit::Internal
        }
    }
}
