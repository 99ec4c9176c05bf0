//! Which server it is, as it tells itself.

use super::dialect::Dialect;
use crate::engine::EngineError;
use crate::engine::http::{Client, HttpError};
use serde_json::{Value, json};

/// A server and what it serves.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Server {
    pub(super) dialect: Dialect,
    /// As it reports it; `None` where it does not.
    pub(super) version: Option<String>,
    /// Its entry for the model.
    entry: Option<Value>,
}

impl Server {
    /// Asks it for its models and its version. A server that lists none is taken as it is.
    ///
    /// # Errors
    /// When nobody answers, the key is refused, or the list does not have the model.
    pub(super) fn ask(client: &Client, model: &str) -> Result<Self, EngineError> {
        let listed = match client.get("/v1/models") {
            Ok(listed) => listed,
            Err(HttpError::Status { status, .. }) if !matches!(status, 401 | 403) => Value::Null,
            Err(error) => return Err(error.into()),
        };
        let entries = listed["data"].as_array().cloned().unwrap_or_default();
        let owner = entries.first().and_then(|entry| entry["owned_by"].as_str()).unwrap_or_default();
        let (dialect, version) = introduced(client, owner);
        let entry = entries.iter().find(|entry| is_called(entry, model)).cloned();
        if entry.is_none() && !entries.is_empty() {
            return Err(no_such_model(client, model, &entries));
        }
        Ok(Self { dialect, version, entry })
    }

    /// Most tokens of prompt and reply, where the list of models says it (vLLM and its like, llama-server).
    pub(super) fn context(&self) -> Option<u32> {
        let entry = self.entry.as_ref()?;
        let context = entry["max_model_len"].as_u64().or_else(|| entry["meta"]["n_ctx"].as_u64());
        context.and_then(|context| u32::try_from(context).ok())
    }
}

/// What it is by the owner of its models, and the version that its own path gives.
fn introduced(client: &Client, owner: &str) -> (Dialect, Option<String>) {
    let told = |path: &str, key: &str| {
        let answer = client.get(path).ok()?;
        answer[key].as_str().filter(|version| !version.is_empty()).map(str::to_owned)
    };
    match owner {
        "vllm" => (Dialect::vllm(), told("/version", "version")),
        "sglang" => {
            let version = told("/get_server_info", "version").or_else(|| told("/server_info", "version"));
            (Dialect::sglang(), version)
        }
        "llamacpp" => (Dialect::llama_server(), told("/props", "build_info")),
        // Text Generation Inference and others have one of these.
        _ => (Dialect::plain(), told("/version", "version").or_else(|| told("/info", "version"))),
    }
}

/// By its id or another name; a server that keeps paths or tags is asked without them.
fn is_called(entry: &Value, model: &str) -> bool {
    let id = entry["id"].as_str().unwrap_or_default();
    let names = entry["aliases"].as_array().into_iter().flatten().chain([&entry["root"]]);
    let mut names = names.filter_map(Value::as_str).chain([id]);
    let short = id.rsplit('/').next().unwrap_or_default();
    names.any(|name| name == model) || short == model || id.strip_suffix(":latest") == Some(model)
}

fn no_such_model(client: &Client, model: &str, entries: &[Value]) -> EngineError {
    let ids: Vec<&str> = entries.iter().filter_map(|entry| entry["id"].as_str()).take(12).collect();
    EngineError::Unsupported {
        field: "model",
        problem: format!("the server at {} serves no model `{model}`", client.base()),
        remedy: format!("name one that it serves: {}", ids.join(", ")),
    }
}

/// The id under which a server lists the model, for one that names it by the path where it lies; the model's own name where it
/// lists none.
///
/// # Errors
/// When it cannot be asked, or lists others.
pub(in crate::engine) fn listed_as(client: &Client, model: &str) -> Result<String, EngineError> {
    let listed = client.get("/v1/models")?;
    let entries = listed["data"].as_array().cloned().unwrap_or_default();
    let last = model.trim_end_matches('/').rsplit('/').next().unwrap_or(model);
    let entry = entries.iter().find(|entry| is_called(entry, model) || is_called(entry, last));
    match entry.and_then(|entry| entry["id"].as_str()) {
        Some(id) => Ok(id.to_owned()),
        None if entries.is_empty() => Ok(model.to_owned()),
        None => Err(no_such_model(client, model, &entries)),
    }
}

/// The `system_fingerprint` of a reply of one token, for a server that tells its version nowhere else; `None` where there is
/// none, or it does not answer: what is wrong with it, the first request will say.
pub(in crate::engine) fn fingerprint_of(client: &Client, model: &str, raw: bool) -> Option<String> {
    let mut body = json!({ "model": model, "max_tokens": 1, "temperature": 0 });
    let path = if raw {
        body["prompt"] = "a".into();
        "/v1/completions"
    } else {
        body["messages"] = json!([{ "role": "user", "content": "a" }]);
        "/v1/chat/completions"
    };
    let answer = client.post(path, &body).ok()?;
    answer["system_fingerprint"].as_str().filter(|print| !print.is_empty()).map(str::to_owned)
}
