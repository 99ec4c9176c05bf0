//! The report of a plan, beside its records and in `reports/`.

use super::kept::{Kept, KeptError};
use super::report::rendered;
use crate::compare::Analysis;
use crate::engine::model_facts;
use crate::plan::{Planned, prepare_text};
use crate::record::{Store, StoreError, home_of, published_files, write_atomically};
use crate::report::{RenderError, Rendered};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// When a report goes to `reports/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// In any case.
    Always,
    /// If none is there.
    IfAbsent,
    /// Not now: the plan is not complete, or was cut short.
    Never,
}

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum PublishError {
    /// Plan and records.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// Rendering.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// Records.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Writing.
    #[error("{path}: {source}")]
    Io {
        /// Which folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What was written.
#[derive(Debug)]
pub(super) struct Published {
    /// The judged plan.
    pub(super) analysis: Analysis,
    /// One line a place, for the reader.
    pub(super) lines: Vec<String>,
}

/// Renders into the store, and into `reports/<plan>/` as told.
pub(super) fn publish(store: &Store, planned: Planned, when: When) -> Result<Published, PublishError> {
    let folder = home_of(&planned.path).join("reports").join(&planned.identity.name);
    let kept = kept(store, planned)?;
    let (analysis, rendered) = rendered(&kept)?;
    let write =
        |to: &Path| rendered.write_to(to).map_err(|source| PublishError::Io { path: to.to_owned(), source });
    write(store.folder())?;
    // titles and notes may have changed since the store was begun; the report shows them as they are now
    let plan = store.folder().join("plan.toml");
    write_atomically(&plan, kept.planned.text.as_bytes())
        .map_err(|source| PublishError::Io { path: plan, source })?;
    let mut lines = vec![format!("report   {}", store.folder().join("report.html").display())];
    let there = folder.join("report.json").exists();
    if when == When::Always || (when == When::IfAbsent && !there) {
        let files = published_files(store, &kept.planned.text, &kept.records)?;
        let change = change(&folder, &rendered, &files);
        write(&folder)?;
        for (name, text) in &files {
            let path = folder.join(name);
            write_atomically(&path, text.as_bytes()).map_err(|source| PublishError::Io { path, source })?;
        }
        lines.push(format!("published {}: {change}", folder.display()));
    } else if there && !rendered.differing(&folder).is_empty() {
        lines.push(format!(
            "{} holds another report of this plan; replace it with --publish",
            folder.display()
        ));
    }
    Ok(Published { analysis, lines })
}

/// The records with the plan as it is now; where that asks for fewer blocks than the store holds, with the store's own.
fn kept(store: &Store, planned: Planned) -> Result<Kept, PublishError> {
    let (path, overrides) = (planned.path.clone(), planned.overrides.clone());
    match Kept::of_store(store, planned) {
        Err(KeptError::Schedule { .. }) => {
            let text_path = store.folder().join("plan.toml");
            let text = fs::read_to_string(&text_path)
                .map_err(|source| PublishError::Io { path: text_path, source })?;
            let of_store = prepare_text(&path, &text, &overrides, &model_facts).map_err(KeptError::from)?;
            Ok(Kept::of_store(store, of_store)?)
        }
        kept => Ok(kept?),
    }
}

/// What publishing changes, in words.
fn change(folder: &Path, rendered: &Rendered, files: &[(String, String)]) -> String {
    let mut names = rendered.differing(folder);
    let differs = |(name, text): &&(String, String)| {
        fs::read(folder.join(name)).map_or(true, |found| found != text.as_bytes())
    };
    names.extend(files.iter().filter(differs).map(|(name, _)| name.clone()));
    if !folder.exists() {
        "new".into()
    } else if names.is_empty() {
        "nothing changed".into()
    } else {
        format!("changed {}", names.join(", "))
    }
}
