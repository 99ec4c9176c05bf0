//! Programs that engines start themselves, in the process of a run: workers, and those that are started for each request.

use crate::condition::Settings;
use crate::engine::{OwnProgram, own_program};
use std::path::Path;

/// The programs of a session. What a run starts is looked up once for each cell: that may mean to open its model.
#[derive(Debug, Default)]
pub(super) struct OwnPrograms {
    known: Vec<(Settings, Option<Own>)>,
}

/// What a run starts itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Own {
    /// What it is started and opened with; prompts and how long replies may be are no part of that.
    pub(super) key: String,
    /// The command line as records tell it.
    pub(super) line: String,
}

impl OwnPrograms {
    /// `None` where the engine starts none; `base` is the plan's folder.
    ///
    /// # Errors
    /// In words, when it is not there or the settings cannot be honoured; the next run looks again.
    pub(super) fn of(&mut self, settings: &Settings, base: &Path) -> Result<Option<Own>, String> {
        if let Some((_, own)) = self.known.iter().find(|(known, _)| known == settings) {
            return Ok(own.clone());
        }
        let program = own_program(settings, base).map_err(|error| error.to_string())?;
        let own = program.map(|program| Own::of(&program, settings));
        self.known.push((settings.clone(), own.clone()));
        Ok(own)
    }
}

impl Own {
    fn of(program: &OwnProgram, settings: &Settings) -> Self {
        let Settings { model, quantization, placement, threads, prefill_chunk, .. } = settings;
        // A worker hears these through its pipe.
        let told = format!("{model:?} {quantization:?} {placement:?} {threads:?} {prefill_chunk:?}");
        Self { key: format!("{} {told}", program.shown()), line: program.without_folders().shown() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Own, OwnProgram};
    use crate::condition::Settings;

    #[test]
    fn a_program_is_known_by_what_it_is_opened_with_and_told_without_folders() {
        let program = OwnProgram {
            program: "/opt/venv/bin/python3".into(),
            arguments: vec!["-X".to_owned(), "/opt/x y".to_owned()],
            how: " with planrun's worker",
        };
        let of = |settings: &Settings| Own::of(&program, settings);
        let plain = Settings { model: "a".to_owned().into(), ..Settings::default() };
        let longer = Settings { max_tokens: 9.into(), ..plain.clone() };
        let smaller = Settings { quantization: "bf16".to_owned().into(), ..plain.clone() };
        assert_eq!(of(&plain), of(&longer));
        assert_ne!(of(&plain).key, of(&smaller).key, "it may fit where the other does not");
        assert_eq!(of(&plain).line, "python3 -X 'x y' with planrun's worker");
    }
}
