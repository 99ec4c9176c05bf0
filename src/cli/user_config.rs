//! The user's own configuration: what plans in a folder may always do.

use serde::Deserialize;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// `$XDG_CONFIG_HOME/planrun/config.toml`, else `~/.config/planrun/config.toml`:
///
/// ```toml
/// [[allow]]
/// folder = "/home/me/plans" # and all folders below it
/// exec = true               # plans may start programs
/// net = true                # plans may ask servers on other machines
/// ```
#[derive(Debug, Default)]
pub(super) struct UserConfig {
    /// Where it is, or would be.
    pub(super) path: PathBuf,
    allow: Vec<Allowed>,
}

/// What plans of one folder may do.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Allowed {
    folder: PathBuf,
    /// Start programs.
    #[serde(default)]
    pub(super) exec: bool,
    /// Ask servers on other machines.
    #[serde(default)]
    pub(super) net: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    allow: Vec<Allowed>,
}

impl UserConfig {
    /// Reads it; one that is not there allows nothing.
    ///
    /// # Errors
    /// Names the file and the place in it.
    pub(super) fn read() -> Result<Self, String> {
        let path = path();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self { path, allow: Vec::new() }),
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        let document: Document =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path, allow: document.allow })
    }

    /// What plans of this folder may do: all that any entry for it, or for one above it, allows. Links are followed, so that
    /// none leads out of the folder that was meant.
    pub(super) fn allowed_in(&self, folder: &Path) -> Allowed {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(here) = here.canonicalize() else { return Allowed::default() };
        let holds = |entry: &&Allowed| {
            entry.folder.is_absolute()
                && entry.folder.canonicalize().is_ok_and(|above| here.starts_with(above))
        };
        let entries: Vec<&Allowed> = self.allow.iter().filter(holds).collect();
        Allowed {
            folder: here,
            exec: entries.iter().any(|entry| entry.exec),
            net: entries.iter().any(|entry| entry.net),
        }
    }
}

fn path() -> PathBuf {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    base.unwrap_or_default().join("planrun/config.toml")
}
