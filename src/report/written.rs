//! A rendered report on the disk.

use super::Rendered;
use crate::record::write_atomically;
use std::fs;
use std::io;
use std::path::Path;

impl Rendered {
    /// The files of the report: their paths below its folder, and their content.
    pub fn files(&self) -> Vec<(String, &str)> {
        let mut files = vec![
            ("report.md".to_owned(), self.markdown.as_str()),
            ("report.html".to_owned(), self.html.as_str()),
            ("report.json".to_owned(), self.json.as_str()),
        ];
        files.extend(
            self.figures.iter().map(|figure| (format!("figures/{}", figure.file), figure.svg.as_str())),
        );
        files
    }

    /// Writes the report into a folder, each file atomically. Pictures of an earlier report that this one does not have
    /// are removed.
    pub fn write_to(&self, folder: &Path) -> io::Result<()> {
        let figures = folder.join("figures");
        fs::create_dir_all(&figures)?;
        for (name, text) in self.files() {
            write_atomically(&folder.join(name), text.as_bytes())?;
        }
        self.remove_stale(&figures)
    }

    /// Names of the files in a folder that differ from this report, or are absent.
    pub fn differing(&self, folder: &Path) -> Vec<String> {
        let same =
            |name: &str, text: &str| fs::read(folder.join(name)).is_ok_and(|found| found == text.as_bytes());
        self.files().into_iter().filter(|(name, text)| !same(name, text)).map(|(name, _)| name).collect()
    }

    fn remove_stale(&self, figures: &Path) -> io::Result<()> {
        for entry in fs::read_dir(figures)? {
            let path = entry?.path();
            let ours = |name: &str| self.figures.iter().any(|figure| figure.file == name);
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.extension().is_some_and(|ending| ending == "svg") && !ours(name) {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }
}
