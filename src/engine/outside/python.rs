//! A Python program by what it runs, found without running it: its own text, its interpreter, and the packages that it imports
//! with all that they require, by the hashes that their installer wrote down (`RECORD`,
//! <https://packaging.python.org/en/latest/specifications/recording-installed-packages/>). Where they lie does not count.

use crate::fingerprint;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Identity of a script's text and of the packages behind it; `None` where what it imports cannot be found, or could be changed
/// without its installer's knowledge (a package installed as editable).
pub(super) fn identity(script: &[u8], interpreter: &Path) -> Option<String> {
    let text = String::from_utf8_lossy(script);
    // The first line says where the interpreter lies.
    let (_, body) = text.split_once('\n')?;
    let installed = Installed::beside(interpreter);
    let packages = installed.needed_by(body)?;
    let mut lines: Vec<&str> = Vec::new();
    for package in packages {
        lines.extend(package.hashes()?);
    }
    lines.sort_unstable();
    Some(fingerprint::of_parts([body, &lines.join("\n")]))
}

/// The packages of an interpreter, by their names in one spelling.
struct Installed {
    packages: BTreeMap<String, Package>,
}

/// What the installer wrote down of a package.
struct Package {
    metadata: String,
    /// `None` where another installer than pip keeps no such list.
    record: Option<String>,
    /// Its files lie elsewhere, and change without an installer
    /// (<https://packaging.python.org/en/latest/specifications/direct-url/>).
    editable: bool,
}

impl Installed {
    /// Those of a virtual environment, or of the folder above that of the interpreter. Links are not followed: an environment's
    /// interpreter is one.
    fn beside(interpreter: &Path) -> Self {
        let home = interpreter.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        let mut packages = BTreeMap::new();
        for folder in rooms(home).iter().flat_map(|room| entries(room)) {
            let is_package = folder.extension().is_some_and(|extension| extension == "dist-info");
            let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
            if let (true, Some(metadata)) = (is_package, read("METADATA")) {
                let editable = read("direct_url.json").is_some_and(|origin| says_editable(&origin));
                let package = Package { metadata, record: read("RECORD"), editable };
                packages.entry(package.name()).or_insert(package);
            }
        }
        Self { packages }
    }

    /// What a program imports that an installer brought, and what that requires; `None` if it imports no such thing.
    fn needed_by(&self, program: &str) -> Option<Vec<&Package>> {
        let modules: BTreeSet<&str> = program.lines().flat_map(imported).collect();
        let brings = |package: &Package| modules.iter().any(|module| package.brings(module));
        let mut open: Vec<String> = self
            .packages
            .iter()
            .filter(|(_, package)| brings(package))
            .map(|(name, _)| name.clone())
            .collect();
        let mut needed: BTreeMap<String, &Package> = BTreeMap::new();
        while let Some(name) = open.pop() {
            let Some(package) = self.packages.get(&name).filter(|_| !needed.contains_key(&name)) else {
                continue;
            };
            needed.insert(name, package);
            open.extend(package.requires());
        }
        (!needed.is_empty()).then(|| needed.into_values().collect())
    }
}

impl Package {
    fn name(&self) -> String {
        one_spelling(self.values("Name").next().unwrap_or_default())
    }

    /// Whatever the conditions: what is not installed is passed over anyway.
    fn requires(&self) -> impl Iterator<Item = String> {
        let name = |value: &str| {
            let end = value.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
            one_spelling(&value[..end.unwrap_or(value.len())])
        };
        self.values("Requires-Dist").map(name)
    }

    /// The values of a header of its metadata.
    fn values(&self, header: &str) -> impl Iterator<Item = &str> {
        let headers = self.metadata.lines().take_while(|line| !line.is_empty());
        headers.filter_map(move |line| line.strip_prefix(header)?.strip_prefix(": "))
    }

    /// True if a module of this name is one of its files.
    fn brings(&self, module: &str) -> bool {
        let rest = |line: &str| line.strip_prefix(module).and_then(|rest| rest.chars().next());
        self.record.iter().flat_map(|record| record.lines()).any(|line| matches!(rest(line), Some('/' | '.')))
    }

    /// Its files with their hashes, but for those that tell only how it was installed; `None` if its files lie elsewhere, or
    /// are not listed.
    fn hashes(&self) -> Option<impl Iterator<Item = &str>> {
        let record = self.record.as_ref()?;
        let is_editable = self.editable || record.lines().any(|line| line.starts_with("__editable__"));
        let hashed = record.lines().filter(|line| {
            line.contains(",sha256=") && !line.starts_with("..") && !line.contains(".dist-info/")
        });
        (!is_editable).then_some(hashed)
    }
}

/// Folders in which an interpreter below `home` keeps packages.
fn rooms(home: &Path) -> Vec<PathBuf> {
    let bases = ["lib", "lib64", "local/lib"].map(|name| home.join(name));
    let versions = bases.iter().flat_map(|base| entries(base));
    let versions =
        versions.filter(|folder| folder.file_name().is_some_and(|name| is_version(&name.to_string_lossy())));
    versions.flat_map(|folder| ["site-packages", "dist-packages"].map(|name| folder.join(name))).collect()
}

fn is_version(folder: &str) -> bool {
    folder == "python3" || folder.starts_with("python3.")
}

/// What is in a folder, in order; nothing of one that is not there.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The packages or modules that a line imports (`import a.b as c, d`, `from a.b import c`).
fn imported(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_start();
    let several = line.strip_prefix("import ").into_iter().flat_map(|names| names.split(','));
    let names = several.chain(line.strip_prefix("from "));
    names.filter_map(|name| {
        let name = name.trim_start();
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        (end > 0).then(|| &name[..end])
    })
}

/// `{"url": "file:///..", "dir_info": {"editable": true}}`
fn says_editable(origin: &str) -> bool {
    let origin: serde_json::Value = serde_json::from_str(origin).unwrap_or_default();
    origin["dir_info"]["editable"] == true
}

/// <https://packaging.python.org/en/latest/specifications/name-normalization/>
fn one_spelling(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::identity;
    use std::fs;
    use std::path::Path;

    const SCRIPT: &str = "#!/some/where/bin/python3\nimport re\nfrom served.server import main\nmain()\n";

    fn install(home: &Path, name: &str, metadata: &str, record: &str) {
        let folder = home.join(format!("lib/python3.11/site-packages/{name}-1.dist-info"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("METADATA"), format!("Name: {name}\n{metadata}\nRequires-Dist: prose\n"))
            .unwrap();
        fs::write(folder.join("RECORD"), record).unwrap();
    }

    fn environment() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        install(
            home.path(),
            "Served",
            "Requires-Dist: its_kernels>=1; extra == \"fast\"\n",
            "../../../bin/served,sha256=place,9\nserved/server.py,sha256=aa,1\nServed-1.dist-info/RECORD,,\n",
        );
        install(home.path(), "its-kernels", "", "kernels.so,sha256=bb,1\n");
        install(home.path(), "other", "", "other/x.py,sha256=cc,1\n");
        install(home.path(), "prose", "", "prose/x.py,sha256=dd,1\n");
        home
    }

    fn of(home: &Path, script: &str) -> Option<String> {
        identity(script.as_bytes(), &home.join("bin/python3"))
    }

    #[test]
    fn a_python_program_is_its_text_and_what_its_packages_are_made_of() {
        let (one, two) = (environment(), environment());
        let known = of(one.path(), SCRIPT).unwrap();
        assert_eq!(
            of(two.path(), &SCRIPT.replace("/some/where", "/else")).unwrap(),
            known,
            "places do not count"
        );
        install(two.path(), "other", "", "other/x.py,sha256=ce,1\n");
        install(two.path(), "prose", "", "prose/x.py,sha256=ce,1\n");
        assert_eq!(of(two.path(), SCRIPT).unwrap(), known, "it does not need them");
        assert_ne!(of(one.path(), &SCRIPT.replace("main()", "main(1)")).unwrap(), known);
        install(two.path(), "its-kernels", "", "kernels.so,sha256=be,1\n");
        assert_ne!(of(two.path(), SCRIPT).unwrap(), known, "what it requires");
    }

    #[test]
    fn every_name_of_an_import_counts() {
        let home = environment();
        let two = SCRIPT.replace("import re\n", "import re, other.x as y\n");
        let known = of(home.path(), &two).unwrap();
        install(home.path(), "other", "", "other/x.py,sha256=ce,1\n");
        assert_ne!(of(home.path(), &two).unwrap(), known);
    }

    #[test]
    fn what_cannot_be_found_or_may_change_unseen_is_unknown() {
        let home = environment();
        assert_eq!(of(home.path(), "#!/bin/python3\nimport re\n"), None);
        assert_eq!(of(Path::new("/nowhere"), SCRIPT), None);
        install(home.path(), "its-kernels", "", "__editable__.its_kernels.pth,sha256=bb,1\n");
        assert_eq!(of(home.path(), SCRIPT), None);
        let home = environment();
        let kernels = home.path().join("lib/python3.11/site-packages/its-kernels-1.dist-info");
        fs::write(kernels.join("direct_url.json"), "{\"dir_info\": {\"editable\": true}}").unwrap();
        assert_eq!(of(home.path(), SCRIPT), None, "whichever way it points elsewhere");
        fs::remove_file(kernels.join("direct_url.json")).unwrap();
        assert!(of(home.path(), SCRIPT).is_some());
        fs::remove_file(kernels.join("RECORD")).unwrap();
        assert_eq!(of(home.path(), SCRIPT), None, "nobody listed its files");
    }
}
