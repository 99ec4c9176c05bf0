//! The chat template and the special tokens, from the files that models carry them in.

use super::chat_template::ChatTemplate;
use crate::condition::{Settings, parse_day};
use crate::engine::EngineError;
use crate::engine::gguf::{Gguf, GgufError};
use crate::engine::model_files::{self, ModelFiles};
use crate::engine::thinking::ThinkingSwitch;
use crate::engine::vocabulary::{self, Vocabulary};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a model's files say about its prompts.
pub(in crate::engine) struct Framing {
    /// The model's own template and the file that it stands in; a base model has none.
    template: Option<(String, PathBuf)>,
    /// `bos_token`, `eos_token` and their like.
    special_tokens: BTreeMap<String, String>,
}

impl Framing {
    /// From `chat_template.jinja`, or from `tokenizer_config.json`.
    pub(in crate::engine) fn of_folder(files: &ModelFiles) -> Result<Self, EngineError> {
        Self::of_texts(files.chat_template.clone(), &files.tokenizer_config, &files.place)
    }

    /// From the texts of these files; `place` is where they stand.
    pub(in crate::engine) fn of_texts(
        chat_template: Option<String>,
        tokenizer_config: &str,
        place: &Path,
    ) -> Result<Self, EngineError> {
        let path = place.join("tokenizer_config.json");
        let config: Map<String, Value> = serde_json::from_str(tokenizer_config)
            .map_err(|error| model_files::wrong(path.clone(), error.to_string()))?;
        let template = match chat_template {
            Some(own) => Some((own, place.join("chat_template.jinja"))),
            None => named_template(&config)
                .map_err(|problem| model_files::wrong(path.clone(), problem))?
                .map(|source| (source, path)),
        };
        Ok(Self { template, special_tokens: special_tokens(&config) })
    }

    /// From the metadata of a GGUF file.
    pub(in crate::engine) fn of_gguf(gguf: &Gguf) -> Result<Self, GgufError> {
        let path = gguf.paths().next().map_or_else(PathBuf::new, Path::to_owned);
        let template = vocabulary::chat_template(gguf.metadata())?.map(|source| (source.to_owned(), path));
        Ok(Self { template, special_tokens: vocabulary::special_tokens(gguf.metadata())? })
    }

    /// The plan's template file, else the model's own, with the plan's day and grade of effort; `None` for a base model,
    /// and where the plan wants no template.
    pub(in crate::engine) fn chat_template(
        &self,
        settings: &Settings,
        base: &Path,
    ) -> Result<Option<ChatTemplate>, EngineError> {
        let found = match settings.chat_template.get() {
            Some(_) if settings.without_chat_template() => None,
            Some(file) => Some(read_replacement(&base.join(file))?),
            None => self.template.clone(),
        };
        let Some((source, path)) = found else { return without_template(settings).map(|()| None) };
        let template = ChatTemplate::compile(&source, self.special_tokens.clone());
        let template = template.map_err(|problem| EngineError::Unusable {
            path,
            problem: format!("the chat template cannot be compiled: {problem}"),
            remedy: "name another one with `chat_template`".to_owned(),
        })?;
        as_asked(template, settings).map(Some)
    }

    /// One line that names what frames a prompt and what ends a reply.
    pub(in crate::engine) fn describe(&self, vocabulary: &Vocabulary) -> String {
        let named = self.special_tokens.iter().map(|(name, token)| format!("{name}={token}"));
        let ends = format!("ends={}", vocabulary.ends().join(","));
        named.chain([ends]).collect::<Vec<_>>().join(" ")
    }
}

/// Settings that act through a template are refused where there is none.
fn without_template(settings: &Settings) -> Result<(), EngineError> {
    let problem = || "there is no chat template to carry it: the model goes on with a text".to_owned();
    let remedy = "leave it out, or name a template file with `chat_template`";
    if settings.thinking.get().is_some() {
        return Err(unsupported("thinking", problem(), remedy));
    }
    if settings.thinking_effort.get().is_some() {
        return Err(unsupported("thinking_effort", problem(), remedy));
    }
    Ok(())
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

/// A template is a text, or a list of named ones of which `default` is meant.
fn named_template(config: &Map<String, Value>) -> Result<Option<String>, String> {
    let is_default = |one: &&Value| one.get("name").and_then(Value::as_str) == Some("default");
    let template = match config.get("chat_template") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(named)) => match named.iter().find(is_default) {
            None if named.is_empty() => return Ok(None),
            default => default.and_then(|default| default.get("template")),
        },
        entry => entry,
    };
    match template.and_then(Value::as_str) {
        Some(text) => Ok(Some(text.to_owned())),
        None => Err("`chat_template` is neither a text nor a list with a text named `default`".to_owned()),
    }
}

/// A text, or an object with `content`.
fn special_tokens(config: &Map<String, Value>) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().or_else(|| value.get("content")?.as_str()).map(str::to_owned);
    let tokens = config.iter().filter(|(key, _)| key.ends_with("_token") && !key.starts_with("add_"));
    tokens.filter_map(|(key, value)| Some((key.clone(), text(value)?))).collect()
}

/// Ids that end a reply, from `config.json` and `generation_config.json`.
pub(in crate::engine) fn end_tokens(files: &ModelFiles) -> Result<Vec<u32>, EngineError> {
    let read = |name: &str, text: &str| eos_ids(text).map_err(|problem| files.wrong(name, problem));
    let mut ids = read("config.json", &files.config)?;
    if let Some(text) = &files.generation_config {
        ids.extend(read("generation_config.json", text)?);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Tokens that end a turn, as one of the two files names them; the error says what is wrong with it.
fn eos_ids(text: &str) -> Result<Vec<u32>, String> {
    #[derive(Deserialize)]
    struct Ends {
        eos_token_id: Option<OneOrMany>,
    }
    let ends: Ends = serde_json::from_str(text).map_err(|error| format!("`eos_token_id`: {error}"))?;
    Ok(match ends.eos_token_id {
        Some(OneOrMany::One(id)) => vec![id],
        Some(OneOrMany::Many(ids)) => ids,
        None => Vec::new(),
    })
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(u32),
    Many(Vec<u32>),
}
