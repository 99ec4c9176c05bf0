//! The shipped files of the embedded model.

use std::collections::HashSet;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object};
use minijinja::{Environment, Value, context};
use planrun::engine::pico::tasks::Sample;
use planrun::engine::pico::{Dialogue, Encoder, Shape, assets, build_tokenizer, tokenizer_config};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value as Json, json};
use tokenizers::Tokenizer;

fn tokenizer() -> Tokenizer {
    Tokenizer::from_bytes(assets().tokenizer).unwrap()
}

fn samples(count: usize) -> Vec<Sample> {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    (0..count).map(|_| Sample::draw_for_training(&mut rng)).collect()
}

/// A map that keeps the order of its keys.
#[derive(Debug)]
struct Ordered(Vec<(String, Value)>);

impl Object for Ordered {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.iter().find(|(name, _)| Some(name.as_str()) == key.as_str()).map(|(_, entry)| entry.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.iter().map(|(name, _)| Value::from(name.as_str())).collect())
    }
}

/// A template value from JSON.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) => Value::from(number.as_i64().unwrap()),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => items.iter().map(value).collect(),
        Json::Object(entries) => Value::from_object(Ordered(
            entries.iter().map(|(key, entry)| (key.clone(), value(entry))).collect(),
        )),
    }
}

/// The messages of a sample up to the reply.
fn messages(sample: &Sample) -> Json {
    let mut messages: Vec<Json> = Vec::new();
    messages.extend(sample.system.iter().map(|text| json!({"role": "system", "content": text})));
    messages.push(json!({"role": "user", "content": sample.user}));
    if let Some(exchange) = &sample.exchange {
        let call: Json = serde_json::from_str(exchange.call.lines().nth(1).unwrap()).unwrap();
        messages.push(json!({"role": "assistant", "content": "", "tool_calls": [{"function": call}]}));
        messages.push(json!({"role": "tool", "content": exchange.response}));
    }
    Json::Array(messages)
}

/// The prompt of a sample as the shipped chat template renders it.
fn rendered(sample: &Sample, thinking: bool) -> String {
    let config: Json = serde_json::from_str(assets().tokenizer_config).unwrap();
    let mut environment = Environment::new();
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_template("chat", config["chat_template"].as_str().unwrap()).unwrap();
    let tools = value(&Json::Array(sample.tools.clone()));
    let messages = value(&messages(sample));
    let template = environment.get_template("chat").unwrap();
    template
        .render(context! { messages, tools, add_generation_prompt => true, enable_thinking => thinking })
        .unwrap()
}

#[test]
fn training_dialogues_equal_what_the_chat_template_renders() {
    for sample in samples(400) {
        for thinking in [false, true] {
            assert_eq!(Dialogue::new(&sample, thinking).parts[0].text, rendered(&sample, thinking));
        }
    }
}

#[test]
fn weights_have_the_qwen3_names_shapes_and_type() {
    let weights = SafeTensors::deserialize(assets().weights).unwrap();
    let shape = Shape::PICO;
    assert_eq!(weights.len(), 2 + 11 * shape.layers);
    let dims = |name: &str| weights.tensor(name).unwrap().shape().to_vec();
    assert_eq!(dims("model.embed_tokens.weight"), [512, 256]);
    assert_eq!(dims("model.layers.3.self_attn.k_proj.weight"), [128, 256]);
    assert_eq!(dims("model.layers.0.self_attn.q_norm.weight"), [64]);
    assert_eq!(dims("model.layers.0.mlp.down_proj.weight"), [256, 512]);
    assert!(weights.tensors().iter().all(|(_, tensor)| tensor.dtype() == Dtype::BF16));
}

#[test]
fn config_names_the_end_of_turn_token() {
    let config: Json = serde_json::from_str(assets().config).unwrap();
    let tokenizer = tokenizer();
    assert_eq!(config["eos_token_id"].as_u64().map(|id| id as u32), tokenizer.token_to_id("<|im_end|>"));
    assert_eq!(config["vocab_size"].as_u64().unwrap() as usize, tokenizer.get_vocab_size(true));
}

#[test]
fn the_shipped_tokenizer_is_what_its_seed_gives() {
    let built = build_tokenizer(Shape::PICO.vocabulary, 7).unwrap();
    assert_eq!(built.to_string(true).unwrap(), assets().tokenizer);
    let shipped: Json = serde_json::from_str(assets().tokenizer_config).unwrap();
    assert_eq!(shipped, tokenizer_config());
}

#[test]
fn digits_are_single_tokens_and_text_survives() {
    let tokenizer = tokenizer();
    let text = "What is 4075 + 9? \u{e4}\u{1f980}\n<think>x</think>";
    let ids = tokenizer.encode(text, false).unwrap();
    assert_eq!(tokenizer.decode(ids.get_ids(), false).unwrap(), text);
    let digits: HashSet<u32> = ('0'..='9').map(|c| tokenizer.token_to_id(&c.to_string()).unwrap()).collect();
    let found = ids.get_ids().iter().filter(|id| digits.contains(id)).count();
    assert_eq!(found, 5);
}

#[test]
fn parts_encode_to_the_same_ids_as_the_whole_text() {
    let encoder = Encoder::new(tokenizer());
    for sample in samples(200) {
        for thinking in [false, true] {
            let dialogue = Dialogue::new(&sample, thinking);
            let whole: String = dialogue.parts.iter().map(|part| part.text.as_str()).collect();
            let found = encoder.dialogue(&dialogue).unwrap();
            assert_eq!(found.ids, encoder.text(&whole).unwrap(), "{whole}");
            assert_eq!(found.ids.len(), found.weights.len());
        }
    }
}
