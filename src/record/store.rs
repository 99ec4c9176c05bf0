//! The working store of one plan on one machine with one build.
//!
//! ```text
//! .planrun/<plan>-<hash12>[-2]/
//!   origin.json    plan, machine, build, fingerprint of the schedule
//!   plan.toml      the plan as it was
//!   schedule.json  all cells and the order of the runs, on the disk before the first run
//!   runs/          one record a run
//!   renders/       rendered prompts, one file per distinct set of prompts
//! ```

use super::atomic::{remove_parts, write_atomically};
use super::error::StoreError;
use super::load::{load_run, read_json};
use super::origin::{Extension, Origin, Place};
use super::schedule_change::{ScheduleChange, schedule_change};
use super::{PlanIdentity, RunRecord};
use crate::fingerprint;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Version of the layout above.
const LAYOUT: u32 = 1;

/// An open store.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    origin: Origin,
}

/// What a store is opened for.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// The folder in which `.planrun/` stands.
    pub home: &'a Path,
    /// The plan.
    pub plan: &'a PlanIdentity,
    /// The plan file.
    pub plan_file: &'a Path,
    /// Its text.
    pub plan_text: &'a str,
    /// Text of `schedule.json`.
    pub schedule: &'a str,
    /// This machine and this build.
    pub place: &'a Place,
    /// Begin a new store even if one fits.
    pub fresh: bool,
}

/// How the store came to be that [`Store::open`] gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// The first of its plan.
    New,
    /// It was there, and fits.
    Resumed,
    /// It was there, and got more blocks.
    Extended(Extension),
    /// An earlier store exists in the named folder, but belongs to another machine or build.
    Beside(PathBuf),
    /// An earlier store exists in the named folder, and was to be left alone.
    Fresh(PathBuf),
}

impl Store {
    /// Opens the newest store of this plan, machine and build, or begins one. Leftovers of killed writers are removed, so the
    /// caller must hold the device lock.
    pub fn open(opening: &Opening) -> Result<(Self, Opened), StoreError> {
        let earlier = Self::all(opening.home, opening.plan)?;
        let fitting = Self::newest_of(&earlier, opening.place).filter(|_| !opening.fresh);
        if let Some(store) = fitting {
            let mut store = store.clone();
            let opened = store.resume(opening)?;
            return Ok((store, opened));
        }
        let store = Self::begin(opening)?;
        let why = if opening.fresh { Opened::Fresh } else { Opened::Beside };
        let opened = earlier.last().map_or(Opened::New, |last| why(last.folder.clone()));
        Ok((store, opened))
    }

    /// Every store of this plan below `home`, the oldest first.
    pub fn all(home: &Path, plan: &PlanIdentity) -> Result<Vec<Self>, StoreError> {
        let mut stores = Vec::new();
        for number in 1.. {
            let folder = folder_name(home, plan, number);
            if !folder.is_dir() {
                break;
            }
            // A store without an origin was interrupted before its first run: it holds nothing.
            if folder.join("origin.json").exists() {
                let store = Self::at(&folder)?;
                if store.origin.plan.hash != plan.hash {
                    return Err(foreign(&folder, &store.origin.plan, plan));
                }
                stores.push(store);
            }
        }
        Ok(stores)
    }

    /// Of stores that stand as [`Self::all`] gives them, the newest that was made on this machine with this build.
    pub fn newest_of<'a>(stores: &'a [Self], place: &Place) -> Option<&'a Self> {
        stores.iter().rev().find(|store| store.origin.place == *place)
    }

    /// The store in this folder.
    pub fn at(folder: &Path) -> Result<Self, StoreError> {
        let origin = read_json(&folder.join("origin.json"))?;
        Ok(Self { folder: folder.to_owned(), origin })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it belongs to.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Where the record of a run stands.
    pub fn record_path(&self, id: &str) -> PathBuf {
        self.runs().join(format!("{id}.json"))
    }

    /// Where the records stand.
    pub fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// Where rendered prompts stand.
    pub fn renders(&self) -> PathBuf {
        self.folder.join("renders")
    }

    /// Keeps a record.
    pub fn save(&self, record: &RunRecord) -> Result<(), StoreError> {
        save_record(&self.record_path(&record.id), record)
    }

    /// Ids of the runs that have a record, without reading the records.
    pub fn ids(&self) -> Result<BTreeSet<String>, StoreError> {
        let runs = self.runs();
        let entries = fs::read_dir(&runs).map_err(StoreError::io(&runs))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect())
    }

    /// Reads every record and makes sure that each parses, bears its file's name and belongs to this plan, and that the
    /// schedule is the one that was written before the first run. Records come in the order of their ids.
    pub fn certified_records(&self) -> Result<Vec<RunRecord>, StoreError> {
        self.certify_schedule()?;
        self.ids()?.iter().map(|id| self.certified_record(id)).collect()
    }

    fn certified_record(&self, id: &str) -> Result<RunRecord, StoreError> {
        let path = self.record_path(id);
        let record = load_run(&path)?;
        if record.plan.hash != self.origin.plan.hash {
            return Err(foreign(&path, &record.plan, &self.origin.plan));
        }
        if record.id != id {
            return Err(StoreError::Damaged {
                path: path.display().to_string(),
                problem: format!("the record inside is that of run `{}`", record.id),
                remedy: "give the file its own name back, or remove it and run the plan again",
            });
        }
        Ok(record)
    }

    fn certify_schedule(&self) -> Result<(), StoreError> {
        let path = self.folder.join("schedule.json");
        let found = fingerprint::of_file(&path).map_err(StoreError::io(&path))?;
        if found == self.origin.schedule {
            return Ok(());
        }
        Err(StoreError::ScheduleChanged { path, expected: self.origin.schedule.clone(), found })
    }

    fn begin(opening: &Opening) -> Result<Self, StoreError> {
        let mut number = 1;
        let mut folder = folder_name(opening.home, opening.plan, number);
        while folder.join("origin.json").exists() {
            number += 1;
            folder = folder_name(opening.home, opening.plan, number);
        }
        for name in ["runs", "renders"] {
            let room = folder.join(name);
            fs::create_dir_all(&room).map_err(StoreError::io(&room))?;
        }
        let origin = Origin {
            format: LAYOUT,
            plan: opening.plan.clone(),
            place: opening.place.clone(),
            schedule: fingerprint::of_bytes(opening.schedule.as_bytes()),
            extensions: Vec::new(),
            file: seen_from(opening.home, opening.plan_file),
        };
        let store = Self { folder, origin };
        store.write("plan.toml", opening.plan_text)?;
        store.write("schedule.json", opening.schedule)?;
        store.write("origin.json", &store.origin_text())?; // last: a store without it has not begun
        Ok(store)
    }

    /// Makes sure that the schedule is the same, or the same with more blocks, and cleans up.
    fn resume(&mut self, opening: &Opening) -> Result<Opened, StoreError> {
        for room in ["", "runs", "renders"].map(|name| self.folder.join(name)) {
            remove_parts(&room).map_err(StoreError::io(&room))?;
        }
        let path = self.folder.join("schedule.json");
        let fingerprint = fingerprint::of_bytes(opening.schedule.as_bytes());
        if self.origin.schedule == fingerprint {
            // Also when the file is an older one: an extension was interrupted after it was noted.
            self.write("schedule.json", opening.schedule)?;
            return Ok(Opened::Resumed);
        }
        self.certify_schedule()?;
        let before: Value = read_json(&path)?;
        let after = serde_json::from_str(opening.schedule).unwrap_or_default();
        match schedule_change(&before, &after) {
            ScheduleChange::Same | ScheduleChange::Fewer => Ok(Opened::Resumed),
            ScheduleChange::More { from_blocks, to_blocks } => {
                let extension = Extension { after_runs: self.ids()?.len(), from_blocks, to_blocks };
                self.origin.schedule = fingerprint;
                if extension.after_runs > 0 {
                    self.origin.extensions.push(extension);
                }
                self.write("origin.json", &self.origin_text())?;
                self.write("plan.toml", opening.plan_text)?;
                self.write("schedule.json", opening.schedule)?;
                Ok(Opened::Extended(extension))
            }
            ScheduleChange::Other(parts) => Err(StoreError::Declared { path, parts: parts.join(", ") }),
        }
    }

    fn origin_text(&self) -> String {
        serde_json::to_string_pretty(&self.origin).unwrap_or_default()
    }

    fn write(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let path = self.folder.join(name);
        write_atomically(&path, text.as_bytes()).map_err(StoreError::io(&path))
    }
}

/// The folder in which the store and the reports of a plan stand: the one that holds `plans/`, where the plan stands in
/// such a folder, else the current one.
pub fn home_of(plan: &Path) -> PathBuf {
    let whole = std::path::absolute(plan).unwrap_or_else(|_| plan.to_owned());
    let folder = whole.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "plans"));
    match (folder, plan.parent()) {
        // As short as the plan's own path, for messages.
        (Some(_), Some(given)) if given == Path::new("plans") => PathBuf::new(),
        (Some(folder), _) => folder.parent().unwrap_or(folder).to_owned(),
        (None, _) => PathBuf::new(),
    }
}

/// Where a plan stands as seen from the folder of its store (`plans/x.toml`, `../elsewhere/x.toml`); `None` where no path leads
/// there.
fn seen_from(home: &Path, plan: &Path) -> Option<String> {
    let whole = |path: &Path| std::path::absolute(Path::new(".").join(path)).ok();
    let (home, plan) = (whole(home)?, whole(plan)?);
    let shared = home.ancestors().find(|folder| plan.starts_with(folder))?;
    let up = home.strip_prefix(shared).ok()?.components();
    if up.clone().any(|step| step == Component::ParentDir) {
        return None; // what is above such a step is not known by its name
    }
    let up: PathBuf = up.map(|_| Component::ParentDir).collect();
    Some(up.join(plan.strip_prefix(shared).ok()?).display().to_string())
}

/// Writes one record to `path`.
pub fn save_record(path: &Path, record: &RunRecord) -> Result<(), StoreError> {
    let text = serde_json::to_string(record).map_err(|error| StoreError::Damaged {
        path: path.display().to_string(),
        problem: error.to_string(),
        remedy: "please report this",
    })?;
    write_atomically(path, text.as_bytes()).map_err(StoreError::io(path))
}

fn folder_name(home: &Path, plan: &PlanIdentity, number: usize) -> PathBuf {
    let stem = format!("{}-{}", plan.name, fingerprint::short(&plan.hash));
    home.join(".planrun").join(if number == 1 { stem } else { format!("{stem}-{number}") })
}

fn foreign(path: &Path, theirs: &PlanIdentity, ours: &PlanIdentity) -> StoreError {
    let shown = |plan: &PlanIdentity| format!("{} {}", plan.name, fingerprint::short(&plan.hash));
    StoreError::Foreign { path: path.to_owned(), theirs: shown(theirs), ours: shown(ours) }
}

#[cfg(test)]
mod tests {
    use super::seen_from;
    use std::path::Path;

    #[test]
    fn a_plan_is_seen_from_the_folder_of_its_store_wherever_it_stands() {
        let seen = |home: &str, plan: &str| seen_from(Path::new(home), Path::new(plan));
        assert_eq!(seen("", "plans/x.toml").as_deref(), Some("plans/x.toml"));
        assert_eq!(seen("/a/b", "/a/b/plans/x.toml").as_deref(), Some("plans/x.toml"));
        assert_eq!(seen("/a/b", "/a/c/x.toml").as_deref(), Some("../c/x.toml"));
        assert_eq!(seen("/a/b", "/d/x.toml").as_deref(), Some("../../d/x.toml"));
        assert_eq!(seen("/a/b/..", "/a/b/../plans/x.toml").as_deref(), Some("plans/x.toml"));
        assert_eq!(seen("/a/../b", "/c/x.toml"), None);
    }
}
