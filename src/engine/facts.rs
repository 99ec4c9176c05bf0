//! What a model's files tell before anything is loaded: enough to check a plan.

use super::candle;
use super::gguf::Gguf;
use super::model_files::{Found, find};
use super::outside::scheme_of_gguf;
use super::template::{ChatTemplate, Framing};
use super::{EngineError, ThinkingSwitch};
use crate::abilities::{ModelFacts, PICO, Recommended, UPSTREAM_FAMILIES};
use crate::condition::Settings;
use crate::fingerprint;
use crate::hub_cache::pinned;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Row lengths of the embedded model's matrices: its hidden size and its feed-forward size.
const PICO_ROW_LENGTHS: &[u64] = &[256, 512];

/// Looks a model up: the embedded one by heart, a folder by its small files, a GGUF file by its header. `base` is the
/// plan's folder.
pub fn model_facts(model: &str, base: &Path) -> ModelFacts {
    if model == PICO {
        return ModelFacts {
            row_lengths: PICO_ROW_LENGTHS.to_vec(),
            thinking_switch: Some(true),
            ..ModelFacts::default()
        };
    }
    let facts = match find(model, base) {
        Ok(Found::Folder(folder)) => Ok(of_folder(&folder)),
        Ok(Found::Gguf(file)) => of_gguf(&file),
        Err(error) => Err(error),
    };
    let facts = facts
        .unwrap_or_else(|error| ModelFacts { problem: Some(error.to_string()), ..ModelFacts::default() });
    match pinned(model) {
        // A commit says all, whether its files are here or not.
        Some(at_commit) => ModelFacts { fingerprint: at_commit.revision, ..facts },
        None => facts,
    }
}

fn of_folder(folder: &Path) -> ModelFacts {
    let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let parsed = |name: &str| serde_json::from_str::<Value>(&text(name)?).ok();
    let framing = Framing::of_texts(
        text("chat_template.jinja"),
        &text("tokenizer_config.json").unwrap_or_else(|| "{}".to_owned()),
        folder,
    );
    let recommended = parsed("generation_config.json").and_then(|found| serde_json::from_value(found).ok());
    let config = parsed("config.json");
    let upstream_family = config.as_ref().and_then(upstream_family);
    // Those families have no block schemes that rows would have to fit.
    let blocks = config.as_ref().filter(|_| upstream_family.is_none());
    ModelFacts {
        scheme: None,
        row_lengths: blocks.map(row_lengths).unwrap_or_default(),
        upstream_family,
        thinking_switch: framing.as_ref().ok().and_then(switch),
        recommended: recommended.filter(|found: &Recommended| found.do_sample),
        fingerprint: Some(sizes_and_configuration(folder)),
        problem: framing
            .err()
            .map(|error| error.to_string())
            .or_else(|| text("config.json").as_deref().and_then(candle::problem_of)),
    }
}

fn of_gguf(file: &Path) -> Result<ModelFacts, EngineError> {
    let gguf = Gguf::open(file)?;
    Ok(ModelFacts {
        scheme: Some(scheme_of_gguf(&gguf)),
        row_lengths: candle::row_lengths(&gguf),
        thinking_switch: switch(&Framing::of_gguf(&gguf)?),
        fingerprint: Some(gguf.header_fingerprint()),
        ..ModelFacts::default()
    })
}

/// Without a template there is no switch; one that does not compile tells nothing.
fn switch(framing: &Framing) -> Option<bool> {
    let template = framing.chat_template(&Settings::default(), Path::new("")).ok()?;
    let switch = template.as_ref().map(ChatTemplate::thinking_switch);
    Some(switch.is_some_and(ThinkingSwitch::has_two_positions))
}

fn upstream_family(config: &Value) -> Option<&'static str> {
    let family = config.get("model_type")?.as_str()?;
    UPSTREAM_FAMILIES.iter().copied().find(|known| *known == family)
}

/// Input widths of the matrices: the hidden state, the feed-forward layer, the heads together.
fn row_lengths(config: &Value) -> Vec<u64> {
    let number = |key: &str| config.get(key).and_then(Value::as_u64);
    let heads =
        number("num_attention_heads").zip(number("head_dim")).and_then(|(heads, dim)| heads.checked_mul(dim));
    let mut lengths: Vec<u64> =
        [number("hidden_size"), number("intermediate_size"), heads].into_iter().flatten().collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Cheap to read, and another model has others.
fn sizes_and_configuration(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let weights = entries.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_weights = Path::new(&name).extension()? == "safetensors";
        is_weights.then(|| format!("{name} {}", entry.metadata().map(|data| data.len()).unwrap_or_default()))
    });
    let mut parts: Vec<String> = weights.collect();
    parts.sort();
    parts.extend(fingerprint::of_file(&folder.join("config.json")).ok());
    fingerprint::of_parts(parts)
}
