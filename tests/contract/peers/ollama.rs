//! Ollama: its own interface. An old one cuts a prompt that does not fit, a new one refuses it when asked to.

use super::openai::render;
use super::{Heard, Model, Said, TooLong};
use crate::support::scripted_server::{Act, Answer, Framing, ScriptedServer};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn serve(model: &Arc<Model>, cuts: bool) -> ScriptedServer {
    let model = Arc::clone(model);
    ScriptedServer::new(move |asked| match asked.path.as_str() {
        "/api/version" => Answer::json(&json!({ "version": "0.12.6" })),
        "/api/show" => Answer::json(
            &json!({ "modelfile": "", "template": "{{ .Prompt }}", "details": { "format": "gguf" } }),
        ),
        "/api/tags" => Answer::json(&json!({ "models": [{ "name": "m:latest", "digest": "abc" }] })),
        "/api/ps" => Answer::json(&json!({ "models": [{ "name": "m:latest", "context_length": 512 }] })),
        "/api/generate" | "/api/chat" => complete(&model, &asked.json(), cuts),
        _ => Answer::whole(404, "text/plain", "not here"),
    })
}

fn complete(model: &Model, body: &Value, cuts: bool) -> Answer {
    if body["stream"] == false {
        return Answer::json(&json!({ "done": true, "done_reason": "load" }));
    }
    let context = body["options"]["num_ctx"].as_u64().unwrap() as u32;
    let asked = heard(body);
    let answer = match model.answer(asked.clone(), context, Some("")) {
        Err(TooLong(_)) if cuts => {
            // It drops what stands first, and goes on by shifting the context.
            let all = model.ids(asked.text.as_deref().unwrap_or_default());
            let ids = all[all.len() - context as usize..].to_vec();
            model.answer(Heard { text: None, ids, ..asked }, 2 * context, Some(""))
        }
        answered => answered,
    };
    let Ok(said) = answer else {
        let error = json!({ "error": "the input length exceeds the context length" });
        return Answer::whole(400, "application/json", &error.to_string());
    };
    let headers = vec![("Content-Type", "application/x-ndjson".to_owned())];
    Answer { status: 200, headers, framing: Framing::Chunked, acts: stream(model, &said) }
}

fn heard(body: &Value) -> Heard {
    let options = &body["options"];
    let thinking = body["think"].as_bool();
    assert!(
        body["messages"].is_array() || body["raw"] == true,
        "a prompt that was written goes around the template"
    );
    Heard {
        text: Some(
            body["prompt"].as_str().map_or_else(|| render(&body["messages"], thinking), str::to_owned),
        ),
        thinking,
        max_tokens: options["num_predict"].as_u64().unwrap() as u32,
        temperature: options["temperature"].as_f64().unwrap(),
        top_k: options["top_k"].as_u64().filter(|top_k| *top_k > 0).map(|top_k| top_k as u32),
        top_p: options["top_p"].as_f64().filter(|top_p| *top_p < 1.0),
        seed: options["seed"].as_u64().unwrap(),
        ..Heard::default()
    }
}

/// A line for each token with text, and one with the counts.
fn stream(model: &Model, said: &Said) -> Vec<Act> {
    let line = |line: &Value| Act::Send(format!("{line}\n").into_bytes());
    let spoken = said.ids.len() - usize::from(said.stop == "eos");
    let token = |id: &u32| line(&json!({ "response": model.text(&[*id]), "done": false }));
    let mut acts: Vec<Act> = said.ids[..spoken].iter().map(token).collect();
    if said.mishap {
        acts.truncate(1);
        acts.push(line(&json!({ "error": "out of memory" })));
    }
    acts.push(line(&json!({
        "response": "", "done": true, "done_reason": if said.stop == "eos" { "stop" } else { "length" },
        "prompt_eval_count": said.prompt, "prompt_eval_duration": 2_000, "eval_count": said.ids.len(),
        "eval_duration": 4_000,
    })));
    acts
}
