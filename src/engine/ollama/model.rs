//! What Ollama says of a model.

use crate::condition::Observed;
use crate::engine::EngineError;
use crate::engine::http::Client;
use crate::engine::outside::LocalFiles;
use crate::fingerprint;
use serde_json::{Value, json};

/// A model as Ollama describes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Described {
    /// SHA-256 of its manifest: what its name means today.
    digest: Option<String>,
    /// SHA-256 of the file with its weights.
    pub(super) weights: Option<String>,
    template: Option<String>,
    quantization: Option<String>,
    format: Option<String>,
}

impl Described {
    /// Asks for the model called `name`.
    pub(super) fn ask(client: &Client, name: &str) -> Result<Self, EngineError> {
        let shown = client.post("/api/show", &json!({ "model": name }))?;
        let known = client.get("/api/tags")?;
        let models = known["models"].as_array().into_iter().flatten();
        if let Some(host) = text(&shown["remote_host"]) {
            return Err(elsewhere(name, &host));
        }
        let tagged = tagged(name);
        let digest =
            models.into_iter().find(|model| model["name"] == tagged).and_then(|model| text(&model["digest"]));
        let details = &shown["details"];
        Ok(Self {
            digest,
            weights: shown["modelfile"].as_str().and_then(blob),
            template: text(&shown["template"]),
            quantization: text(&details["quantization_level"]).map(|level| level.to_lowercase()),
            format: text(&details["format"]),
        })
    }

    /// What is read of the model. `files` is what the files that the plan names say: of the prompts, which are written by them,
    /// and of everything, if their bytes are the very ones that Ollama holds.
    pub(super) fn observed(&self, name: &str, files: Option<&LocalFiles>) -> Observed {
        let held = |files: &&LocalFiles| {
            self.weights.is_some() && files.observed.weights.get() == self.weights.as_ref()
        };
        if let Some(files) = files.filter(held) {
            return files.observed.clone();
        }
        let of = |value: &Option<String>| value.clone().map(Into::into).unwrap_or_default();
        let template = || self.template.as_ref().map(|text| fingerprint::of_bytes(text.as_bytes()));
        let prompts = files.map_or_else(
            || Observed { chat_template: of(&template()), ..Observed::default() },
            LocalFiles::observed_prompts,
        );
        Observed {
            source: of(&self.digest.as_ref().map(|digest| format!("ollama:{name}@{digest}"))),
            weights: of(&self.weights),
            quantization: of(&self.quantization),
            file_format: of(&self.format),
            ..prompts
        }
    }
}

/// A name as Ollama lists it.
pub(super) fn tagged(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    if last.contains(':') { name.to_owned() } else { format!("{name}:latest") }
}

/// A model that Ollama passes on to another machine is measured by nothing of this one.
fn elsewhere(name: &str, host: &str) -> EngineError {
    EngineError::Unsupported {
        field: "model",
        problem: format!("Ollama does not run `{name}` itself: it asks {host}"),
        remedy: "name a model that lies on the server's own machine (`ollama list`)".to_owned(),
    }
}

/// The hash in the line `FROM /.../blobs/sha256-HASH` of the model's recipe.
fn blob(recipe: &str) -> Option<String> {
    let from = recipe.lines().find_map(|line| line.strip_prefix("FROM "))?;
    let (_, hash) = from.trim().rsplit_once("sha256-")?;
    (hash.len() == 64 && hash.bytes().all(|digit| digit.is_ascii_hexdigit())).then(|| hash.to_lowercase())
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}
