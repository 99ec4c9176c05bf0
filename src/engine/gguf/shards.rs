//! The parts of a split model, by their names: `PREFIX-00002-of-00003.gguf`.

use super::error::{Flaw, GgufError};
use super::metadata::Metadata;
use std::path::{Path, PathBuf};

/// Digits of a part's number.
const DIGITS: usize = 5;
const COUNT_KEY: &str = "split.count";
const NUMBER_KEY: &str = "split.no";
const TENSORS_KEY: &str = "split.tensors.count";

/// Name of one part of a model of several parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartName {
    prefix: String,
    /// From 1 on, as in the name; inside the file parts are counted from 0.
    pub(super) number: u64,
    pub(super) total: u64,
}

impl PartName {
    /// Reads the end of a file's name; `-00001-of-00001` is a whole model and no part.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let stem = path.file_name()?.to_str()?.strip_suffix(".gguf")?;
        let (rest, total) = split_number(stem, "-of-")?;
        let (prefix, number) = split_number(rest, "-")?;
        (total != 1).then(|| Self { prefix: prefix.to_owned(), number, total })
    }

    /// Path of the part with this number, beside `path`.
    fn sibling(&self, path: &Path, number: u64) -> PathBuf {
        path.with_file_name(format!("{}-{number:05}-of-{:05}.gguf", self.prefix, self.total))
    }

    /// Paths of all parts in order.
    pub(super) fn parts(&self, path: &Path) -> Result<impl Iterator<Item = PathBuf>, GgufError> {
        if self.number == 0 || self.number > self.total {
            let problem = format!("by its name it is part {} of {}", self.number, self.total);
            return Err(GgufError::new(path, Flaw::Split(problem)));
        }
        Ok((1..=self.total).map(move |number| self.sibling(path, number)))
    }
}

/// Paths of all parts of the model that this file is a part of, or the file's own.
pub(in crate::engine) fn paths_of_parts(path: &Path) -> Result<Vec<PathBuf>, GgufError> {
    match PartName::of(path) {
        Some(name) => Ok(name.parts(path)?.collect()),
        None => Ok(vec![path.to_owned()]),
    }
}

/// Cuts a number of five digits and the mark before it from the end.
fn split_number<'name>(name: &'name str, mark: &str) -> Option<(&'name str, u64)> {
    let at = name.len().checked_sub(DIGITS)?;
    let (rest, digits) = (name.get(..at)?, name.get(at..)?);
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    Some((rest.strip_suffix(mark)?, number))
}

/// Checks that a part says of itself what its name says: `number` counts from 1.
pub(super) fn check_part(part: Metadata<'_>, number: u64, total: u64) -> Result<(), GgufError> {
    let count = part.need(COUNT_KEY, part.unsigned(COUNT_KEY)?)?;
    if count != total {
        let problem = format!("it is {count}, and by the file's name there are {total} parts");
        return Err(part.wrong(COUNT_KEY, problem));
    }
    let own = part.need(NUMBER_KEY, part.unsigned(NUMBER_KEY)?)?;
    if own != number - 1 {
        let problem =
            format!("it is {own}, and by its name (counted from 0) the file is part {}", number - 1);
        return Err(part.wrong(NUMBER_KEY, problem));
    }
    Ok(())
}

/// Checks that all tensors are there. A file that was put together from parts may still call itself one of several; it
/// is whole if it holds all that the parts held.
pub(super) fn check_tensors(first: Metadata<'_>, found: usize) -> Result<(), GgufError> {
    let Some(2..) = first.unsigned(COUNT_KEY)? else { return Ok(()) };
    let Some(expected) = first.unsigned(TENSORS_KEY)? else { return Ok(()) };
    if expected == found as u64 {
        return Ok(());
    }
    let problem = format!("the model has {expected} tensors in all parts, and {found} are here");
    Err(GgufError::new(first.path, Flaw::Split(problem)))
}
