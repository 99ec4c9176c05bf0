//! The schemas of plans and records: written from the types, and compared with the files that are checked in.

use crate::plan::plan_schema;
use crate::record::RunRecord;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the plan's schema file.
pub const PLAN_SCHEMA: &str = "plan.schema.json";
/// Name of the record's schema file.
pub const RECORD_SCHEMA: &str = "record.schema.json";

/// Every schema with its file name and its text, as it is checked in.
pub fn schemas() -> Vec<(&'static str, String)> {
    vec![(PLAN_SCHEMA, text(&plan_schema())), (RECORD_SCHEMA, text(&record_schema()))]
}

/// Writes all schemas into a folder.
pub fn write(folder: &Path) -> io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let mut written = Vec::new();
    for (name, text) in schemas() {
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        written.push(path);
    }
    Ok(written)
}

/// The files of a folder that are absent or differ from the types.
pub fn stale(folder: &Path) -> Vec<PathBuf> {
    let differs = |(name, text): (&str, String)| {
        let path = folder.join(name);
        (std::fs::read_to_string(&path).ok() != Some(text)).then_some(path)
    };
    schemas().into_iter().filter_map(differs).collect()
}

fn record_schema() -> Value {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<RunRecord>().to_value()
}

fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}
