//! The chat template and the special tokens, from the files that models carry them in.

use super::chat_template::ChatTemplate;
use crate::condition::{Settings, parse_day};
use crate::engine::EngineError;
use crate::engine::model_files::ModelFiles;
use crate::engine::thinking::ThinkingSwitch;
use crate::engine::vocabulary::Vocabulary;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The plan's template file, else the model's own, with the plan's day and grade of effort.
pub(in crate::engine) fn chat_template(
    files: &ModelFiles,
    settings: &Settings,
    base: &Path,
) -> Result<ChatTemplate, EngineError> {
    let (source, path) = match settings.chat_template.get() {
        Some(file) => read_replacement(&base.join(file))?,
        None => own_template(files)?,
    };
    let template =
        ChatTemplate::compile(&source, special_tokens(files)).map_err(|problem| EngineError::Unusable {
            path,
            problem: format!("the chat template cannot be compiled: {problem}"),
            remedy: "name another one with `chat_template`".to_owned(),
        })?;
    as_asked(template, settings)
}

/// Settings that act through the template; what it does not understand is refused.
fn as_asked(mut template: ChatTemplate, settings: &Settings) -> Result<ChatTemplate, EngineError> {
    if settings.thinking.get() == Some(&false) && template.thinking_switch() == ThinkingSwitch::Effort {
        return Err(unsupported(
            "thinking",
            "this model cannot be kept from reasoning; its template knows grades of effort only".to_owned(),
            "leave `thinking` out and set `thinking_effort`",
        ));
    }
    if let Some(grade) = settings.thinking_effort.get() {
        if !template.knows_grades() {
            let problem = format!("`{grade}`: the chat template knows no `reasoning_effort`");
            return Err(unsupported("thinking_effort", problem, "leave it out"));
        }
        template = template.with_effort(grade);
    }
    if let Some(written) = settings.template_date.get() {
        let Some(day) = parse_day(written) else {
            let problem = format!("`{written}` is no day");
            return Err(unsupported("template_date", problem, "write it as `2026-11-30`"));
        };
        template = template.on(day);
    }
    Ok(template)
}

fn unsupported(field: &'static str, problem: String, remedy: &str) -> EngineError {
    EngineError::Unsupported { field, problem, remedy: remedy.to_owned() }
}

fn read_replacement(path: &Path) -> Result<(String, PathBuf), EngineError> {
    match std::fs::read_to_string(path) {
        Ok(source) => Ok((source, path.to_owned())),
        Err(error) => Err(EngineError::NotFound {
            path: path.to_owned(),
            problem: format!("the chat template: {error}"),
            remedy: "`chat_template` names a file relative to the plan".to_owned(),
        }),
    }
}

fn own_template(files: &ModelFiles) -> Result<(String, PathBuf), EngineError> {
    if let Some(source) = &files.chat_template {
        return Ok((source.clone(), files.path("chat_template.jinja")));
    }
    let path = files.path("tokenizer_config.json");
    match named_template(&config_of(files)) {
        Some(source) => Ok((source, path)),
        None => Err(EngineError::Unusable {
            path,
            problem: "it has no `chat_template`".to_owned(),
            remedy: "name a template file with `chat_template`".to_owned(),
        }),
    }
}

/// A template is a text, or a list of named ones of which `default` is meant.
fn named_template(config: &Value) -> Option<String> {
    let entry = config.get("chat_template")?;
    if let Some(text) = entry.as_str() {
        return Some(text.to_owned());
    }
    let named = entry.as_array()?;
    let default = named.iter().find(|one| one.get("name").and_then(Value::as_str) == Some("default"))?;
    Some(default.get("template")?.as_str()?.to_owned())
}

fn config_of(files: &ModelFiles) -> Value {
    serde_json::from_str(&files.tokenizer_config).unwrap_or_default()
}

/// `bos_token`, `eos_token` and their like: a text, or an object with `content`.
fn special_tokens(files: &ModelFiles) -> BTreeMap<String, String> {
    let Value::Object(config) = config_of(files) else { return BTreeMap::new() };
    let text = |value: &Value| value.as_str().or_else(|| value.get("content")?.as_str()).map(str::to_owned);
    let tokens = config.iter().filter(|(key, _)| key.ends_with("_token") && !key.starts_with("add_"));
    tokens.filter_map(|(key, value)| Some((key.clone(), text(value)?))).collect()
}

/// Ids that end a reply, from `config.json` and `generation_config.json`; `ids_in` reads one of them.
pub(in crate::engine) fn end_tokens(files: &ModelFiles, ids_in: impl Fn(&str) -> Vec<u32>) -> Vec<u32> {
    let mut ids = ids_in(&files.config);
    ids.extend(files.generation_config.as_deref().map(ids_in).unwrap_or_default());
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// One line that names what frames a prompt and what ends a reply.
pub(in crate::engine) fn describe_special_tokens(files: &ModelFiles, vocabulary: &Vocabulary) -> String {
    let named = special_tokens(files).into_iter().map(|(name, token)| format!("{name}={token}"));
    let ends = format!("ends={}", vocabulary.ends().join(","));
    named.chain([ends]).collect::<Vec<_>>().join(" ")
}
