//! Making sure that a model is in the cache.

use super::client::{Client, stays_here};
use super::download::download;
use super::error::{HubError, Trouble};
use super::listing::{Listed, Listing};
use super::wanted::{Held, Snapshot, lacks, wanted};
use crate::engine::http::host_of;
use crate::engine::safetensors_files::INDEX;
use crate::hub_cache::{HubCache, HubName, endpoint, is_offline};
use std::path::Path;

/// Whether the user lets a plan reach beyond this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The network may be used.
    Given,
    /// Only a hub on this machine may be asked.
    Withheld,
}

/// What is told while a model is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer<'a> {
    /// So much of a model is fetched now.
    Model {
        /// The model at its commit.
        model: &'a HubName,
        /// Whence.
        host: &'a str,
        /// Where to.
        folder: &'a Path,
        /// Number of files.
        files: usize,
        /// Bytes in all.
        bytes: u64,
    },
    /// A file begins.
    File {
        /// Its name in the repository.
        name: &'a str,
        /// Its bytes.
        bytes: u64,
    },
    /// So many bytes of it have come.
    Bytes(u64),
    /// The model is taken as it lies here, although these files may be missing.
    Unchecked(&'a [&'static str]),
}

/// Makes sure that a model is in the hub's cache; true if something had to be fetched. A model that is not one of the hub
/// is here by itself.
///
/// No request is made for a model that is here, even if its branch may have moved on: the runs of a plan are of one commit.
/// A branch or tag is asked for when something is missing, and its commit is then noted in the cache.
pub fn fetch(model: &str, consent: Consent, tell: &mut dyn FnMut(Transfer<'_>)) -> Result<bool, HubError> {
    let Some(name) = HubName::parse(model) else { return Ok(false) };
    let fetched = name.map_err(Trouble::Name).and_then(|name| fetch_named(&name, consent, tell));
    fetched.map_err(|trouble| HubError { model: model.to_owned(), trouble })
}

fn fetch_named(
    name: &HubName,
    consent: Consent,
    tell: &mut dyn FnMut(Transfer<'_>),
) -> Result<bool, Trouble> {
    let cache = HubCache::from_environment().ok_or(Trouble::NoCache)?;
    let held = match cache.commit(name) {
        Some(commit) => Snapshot { cache: &cache, name, commit }.held(),
        None => Held::Lacking(name.file.clone().unwrap_or_else(|| name.revision().to_owned())),
    };
    let allowed = consent == Consent::Given || stays_here();
    let folder = cache.repository(name);
    match held {
        Held::Whole => Ok(false),
        Held::Lacking(missing) if is_offline() => Err(Trouble::Offline { missing, folder }),
        Held::Lacking(_) if !allowed => Err(Trouble::NotAllowed { folder, host: host_of(&endpoint()) }),
        Held::Lacking(_) => from_hub(&cache, name, tell).map(|()| true),
        Held::Doubtful(files) => {
            let asked = if is_offline() || !allowed { None } else { from_hub(&cache, name, tell).ok() };
            if asked.is_none() {
                tell(Transfer::Unchecked(&files));
            }
            Ok(asked.is_some())
        }
    }
}

fn from_hub(cache: &HubCache, name: &HubName, tell: &mut dyn FnMut(Transfer<'_>)) -> Result<(), Trouble> {
    let client = Client::new(cache)?;
    let listing = Listing::ask(&client, name, &cache.repository(name))?;
    let snapshot = Snapshot { cache, name, commit: listing.commit.clone() };
    let mut files = wanted(&listing, name)?;
    if files.last().is_some_and(|last| last.name == INDEX) {
        // The names of the files of weights are in it.
        if !snapshot.has(INDEX) {
            files.pop().map_or(Ok(()), |index| download(&client, &snapshot, &index, &mut |_| {}))?;
        }
        files.extend(shards(&snapshot, &listing)?);
    }
    files.retain(|file| !snapshot.has(&file.name));
    tell(Transfer::Model {
        model: &name.at(&listing.commit),
        host: &client.host(),
        folder: &snapshot.folder(),
        files: files.len(),
        bytes: files.iter().filter_map(|file| file.size).sum(),
    });
    for file in &files {
        download(&client, &snapshot, file, tell)?;
    }
    snapshot.note_absences(&listing)?;
    note_commit(cache, name, &listing.commit)
}

fn shards(snapshot: &Snapshot<'_>, listing: &Listing) -> Result<Vec<Listed>, Trouble> {
    let listed = |name: String| listing.find(&name).cloned().ok_or_else(|| lacks(listing, &name));
    snapshot.shards()?.into_iter().map(listed).collect()
}

/// What a branch or tag meant; written last, when all of the model is here.
fn note_commit(cache: &HubCache, name: &HubName, commit: &str) -> Result<(), Trouble> {
    if name.commit().is_some() {
        return Ok(());
    }
    let path = cache.repository(name).join("refs").join(name.revision());
    let folder = path.parent().unwrap_or(&path);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, commit));
    written.map_err(|problem| Trouble::Cache { path, problem })
}
