//! `llama-server`: its own interface, and beside it that of OpenAI.

use super::{CONTEXT, END, Heard, Model, Said, TooLong, openai};
use crate::support::asking::event;
use crate::support::scripted_server::{Act, Answer, ScriptedServer};
use serde_json::{Value, json};
use std::sync::Arc;

/// Serves `file`; with `drafts` it was started with speculative decoding.
pub(crate) fn serve(model: &Arc<Model>, file: &'static str, drafts: bool) -> ScriptedServer {
    let model = Arc::clone(model);
    ScriptedServer::new(move |asked| match asked.path.as_str() {
        "/props" => Answer::json(&json!({
            "build_info": "b1", "total_slots": 1, "model_path": format!("/models/{file}"),
            "default_generation_settings": { "n_ctx": CONTEXT },
        })),
        "/tokenize" => {
            Answer::json(&json!({ "tokens": model.ids(asked.json()["content"].as_str().unwrap()) }))
        }
        "/completion" => complete(&model, &asked.json(), drafts),
        _ => openai::answer(openai::Program::LlamaServer, &model, asked),
    })
}

fn complete(model: &Model, body: &Value, drafts: bool) -> Answer {
    let cache = (body["cache_prompt"] != false).then_some("");
    match model.answer(heard(body), CONTEXT, cache) {
        Ok(said) => Answer::events(stream(model, &said, if drafts { said.ids.len() } else { 0 })),
        Err(TooLong(tokens)) => {
            let words =
                format!("request ({tokens} tokens) exceeds the available context size ({CONTEXT} tokens)");
            let error =
                json!({ "error": { "code": 400, "message": words, "type": "exceed_context_size_error" } });
            Answer::whole(400, "application/json", &error.to_string())
        }
    }
}

fn heard(body: &Value) -> Heard {
    Heard {
        ids: serde_json::from_value(body["prompt"].clone()).unwrap(),
        max_tokens: body["n_predict"].as_u64().unwrap() as u32,
        temperature: body["temperature"].as_f64().unwrap(),
        top_k: body["top_k"].as_u64().filter(|top_k| *top_k > 0).map(|top_k| top_k as u32),
        top_p: body["top_p"].as_f64().filter(|top_p| *top_p < 1.0),
        seed: body["seed"].as_u64().unwrap(),
        ignore_eos: body["ignore_eos"] == true,
        ..Heard::default()
    }
}

/// One token in each event, the ending one without text; the last event has the counts.
fn stream(model: &Model, said: &Said, drafted: usize) -> Vec<Act> {
    let token = |(at, id): (usize, &u32)| {
        let content = if *id == END { String::new() } else { model.text(&[*id]) };
        event(&json!({ "content": content, "tokens": [id], "stop": false, "tokens_predicted": at + 1 }))
    };
    let mut acts: Vec<Act> = said.ids.iter().enumerate().map(token).collect();
    if said.mishap {
        acts.truncate(1);
        acts.push(Act::Cut);
    }
    acts.push(event(&json!({
        "content": "", "tokens": [], "stop": true, "stop_type": if said.stop == "eos" { "eos" } else { "limit" },
        "truncated": said.stop == "context", "tokens_predicted": said.ids.len(), "tokens_evaluated": said.prompt,
        "timings": openai::timings(said, drafted),
    })));
    acts
}
