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
    /// Where it is, or would be; nowhere, where the environment names no folder for it.
    path: Option<PathBuf>,
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
        let Some(path) = path() else { return Ok(Self::default()) };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self { path: Some(path), allow: Vec::new() });
            }
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        let document: Document =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path: Some(path), allow: document.allow })
    }

    /// Where it is, or would be, in words.
    pub(super) fn place(&self) -> String {
        let unset = "~/.config/planrun/config.toml ($HOME names no absolute path now)";
        self.path.as_ref().map_or_else(|| unset.to_owned(), |path| path.display().to_string())
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

/// Relative folders are passed over: they would lead into the folder that a plan came with, which must not grant itself
/// anything. (So says the standard, too: <https://specifications.freedesktop.org/basedir-spec/latest/>.)
fn path() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Some(base?.join("planrun/config.toml"))
}
