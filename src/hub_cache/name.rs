//! How a plan names a model of the hub: `hf:ORG/NAME@REVISION`, and `hf:ORG/NAME@REVISION/FILE.gguf` for one of its files.

use std::fmt;
use std::path::Path;

/// What a model's name begins with if it is one of the hub.
const SCHEME: &str = "hf:";
/// The revision that is meant where none is named.
const DEFAULT_REVISION: &str = "main";
/// The hub's own limit for each half of a repository's name.
const LONGEST: usize = 96;

/// A model of the hub, as named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubName {
    /// `ORG/NAME`.
    pub repository: String,
    /// A commit, a branch or a tag; `None` where the name leaves it out.
    pub revision: Option<String>,
    /// A GGUF file in the repository; `None` for the checkpoint in the repository's root.
    pub file: Option<String>,
}

impl HubName {
    /// How to write a name that was refused.
    pub const REMEDY: &'static str =
        "write `hf:ORG/NAME@COMMIT`, or `hf:ORG/NAME@COMMIT/FILE.gguf` for a GGUF file";

    /// Reads a model's name; `None` if it does not begin with `hf:`, an error that says what is wrong with the rest.
    pub fn parse(model: &str) -> Option<Result<Self, String>> {
        model.strip_prefix(SCHEME).map(Self::read)
    }

    fn read(rest: &str) -> Result<Self, String> {
        let (repository, revision, file) = if let Some((repository, behind)) = rest.split_once('@') {
            let (revision, file) = cut_revision(behind);
            (repository, Some(revision.replace("%2F", "/")), file)
        } else {
            let (repository, file) = cut_after_slashes(rest, 2);
            (repository, None, file)
        };
        check_repository(repository)?;
        revision.as_deref().map_or(Ok(()), check_revision)?;
        file.map_or(Ok(()), check_file)?;
        Ok(Self { repository: repository.to_owned(), revision, file: file.map(str::to_owned) })
    }

    /// The revision that is meant.
    pub fn revision(&self) -> &str {
        self.revision.as_deref().unwrap_or(DEFAULT_REVISION)
    }

    /// The commit that the name itself fixes; a branch or a tag may mean another tomorrow.
    pub fn commit(&self) -> Option<&str> {
        self.revision.as_deref().filter(|revision| is_commit(revision))
    }

    /// The same model at a commit.
    #[must_use]
    pub fn at(&self, commit: &str) -> Self {
        Self { revision: Some(commit.to_owned()), ..self.clone() }
    }
}

impl fmt::Display for HubName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", self.repository)?;
        if let Some(revision) = &self.revision {
            let plain = revision.starts_with("refs/") && revision.matches('/').count() == 2;
            let shown = if plain { revision.clone() } else { revision.replace('/', "%2F") };
            write!(f, "@{shown}")?;
        }
        self.file.as_ref().map_or(Ok(()), |file| write!(f, "/{file}"))
    }
}

/// True for the full name of a commit.
pub fn is_commit(revision: &str) -> bool {
    revision.len() == 40 && revision.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A revision ends at the first slash, except in `refs/pr/7`; a slash inside of another is written `%2F`.
fn cut_revision(text: &str) -> (&str, Option<&str>) {
    cut_after_slashes(text, if text.starts_with("refs/") { 3 } else { 1 })
}

/// Cuts at the slash after so many parts.
fn cut_after_slashes(text: &str, parts: usize) -> (&str, Option<&str>) {
    match text.match_indices('/').nth(parts - 1) {
        Some((at, _)) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

fn check_repository(repository: &str) -> Result<(), String> {
    let right = |half: &str| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let marked = half.starts_with(['.', '-']) || half.ends_with(['.', '-']);
        let doubled = half.contains("--") || half.contains("..");
        (1..=LONGEST).contains(&half.len()) && half.bytes().all(letter) && !marked && !doubled
    };
    match repository.split_once('/') {
        Some((owner, name)) if right(owner) && right(name) => Ok(()),
        _ => Err(format!("`{repository}` is no repository's name of the form ORG/NAME")),
    }
}

fn check_revision(revision: &str) -> Result<(), String> {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    let parts = revision.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    if revision.bytes().all(letter) && parts && !revision.contains("..") {
        return Ok(());
    }
    Err(format!("`{revision}` is no revision: a commit, a branch or a tag"))
}

fn check_file(file: &str) -> Result<(), String> {
    let is_gguf = Path::new(file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gguf"));
    if !is_gguf {
        return Err(format!(
            "`{file}` is no GGUF file, and of other models only the whole repository can be named; a slash inside of a \
             revision is written `%2F`"
        ));
    }
    let inside = file.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if inside && !file.contains(['\\', '?', '#', '%']) && !file.chars().any(char::is_control) {
        return Ok(());
    }
    Err(format!("`{file}` is no path inside of a repository"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(model: &str) -> Result<(String, Option<String>, Option<String>), String> {
        let name = HubName::parse(model).unwrap()?;
        assert_eq!(HubName::parse(&name.to_string()).unwrap().unwrap(), name, "{model}");
        Ok((name.repository, name.revision, name.file))
    }

    fn right(
        repository: &str,
        revision: Option<&str>,
        file: Option<&str>,
    ) -> (String, Option<String>, Option<String>) {
        (repository.to_owned(), revision.map(str::to_owned), file.map(str::to_owned))
    }

    #[test]
    fn names_have_a_repository_and_may_have_a_revision_and_a_file() {
        for (model, parts_of_it) in [
            ("hf:a/b", right("a/b", None, None)),
            ("hf:a/b@v1.0", right("a/b", Some("v1.0"), None)),
            ("hf:a/b/c.gguf", right("a/b", None, Some("c.gguf"))),
            ("hf:a/b/d/c.GGUF", right("a/b", None, Some("d/c.GGUF"))),
            ("hf:a/b@main/d/c.gguf", right("a/b", Some("main"), Some("d/c.gguf"))),
            ("hf:a/b@refs/pr/7/c.gguf", right("a/b", Some("refs/pr/7"), Some("c.gguf"))),
            ("hf:a/b@dev%2Fx/c.gguf", right("a/b", Some("dev/x"), Some("c.gguf"))),
            ("hf:a/b@refs/a%2Fb/c/d.gguf", right("a/b", Some("refs/a/b/c"), Some("d.gguf"))),
        ] {
            assert_eq!(parts(model).unwrap(), parts_of_it, "{model}");
        }
        assert!(HubName::parse("models/a").is_none());
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for model in [
            "hf:",
            "hf:a",
            "hf:a/",
            "hf:/b",
            "hf:../b",
            "hf:a/..",
            "hf:a/b:Q4_K_M",
            "hf:a--b/c",
            "hf:a/b@",
            "hf:a/b@../x",
            "hf:a/b@x/../y.gguf",
            "hf:a/b@main//c.gguf",
            "hf:a/b@main/model.safetensors",
            "hf:a/b/c",
            "hf:a b/c",
            "hf:a/b@x y",
            "hf:a/b/c?x.gguf",
            "hf:a/b@main/..%2f.gguf",
            "hf:a/b@refs/..",
            "hf:a/b@.x",
        ] {
            assert!(HubName::parse(model).unwrap().is_err(), "{model}");
        }
    }
}
