//! What a program does not learn from the shell that planrun was started in.

use std::process::Command;

/// Settings of a program that a person's environment may hold: the plan alone decides.
const NOT_PASSED_ON: &[&str] = &["LLAMA_ARG_", "LLAMA_LOG_", "OLLAMA_"];
/// But for where a program's models lie.
const PASSED_ON: &[&str] = &["OLLAMA_MODELS"];

/// Takes variables out of a program's environment that would set what a plan does not.
pub fn without_the_shells_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let decides = NOT_PASSED_ON.iter().any(|prefix| text.starts_with(prefix));
        if decides && !PASSED_ON.contains(&text.as_ref()) {
            command.env_remove(&name);
        }
    }
}
