//! Arguments of a plan that are passed on to a program as they are, and those that are not.

use crate::condition::Settings;
use crate::engine::EngineError;

/// Refuses arguments that settings of the plan stand for (`spoken_for`: the setting and its options), or that are no choice of a
/// plan (`fixed`): given once more, they would make a record say what is not so.
///
/// # Errors
/// [`EngineError::Unsupported`] for the first such argument.
pub(in crate::engine) fn refuse(
    settings: &Settings,
    spoken_for: &[(&str, &[&str])],
    fixed: &[&str],
) -> Result<(), EngineError> {
    for argument in settings.arguments.get().into_iter().flatten() {
        let option = argument.split('=').next().unwrap_or_default();
        if let Some((setting, _)) = spoken_for.iter().find(|(_, options)| options.contains(&option)) {
            let problem = format!("`{argument}` is what the setting `{setting}` says");
            return Err(refused(problem, format!("set `{setting}` instead")));
        }
        if fixed.contains(&option) {
            let problem = format!(
                "`{argument}` is not left to the plan: a run counts on what planrun itself says there"
            );
            return Err(refused(problem, "take it out".to_owned()));
        }
    }
    Ok(())
}

fn refused(problem: String, remedy: String) -> EngineError {
    EngineError::Unsupported { field: "arguments", problem, remedy }
}
