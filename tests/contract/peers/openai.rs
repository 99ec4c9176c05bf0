//! Servers with the interface of OpenAI, each with its own ways of streaming, counting, going on and forgetting.

use super::{CONTEXT, END, Heard, Model, Said, TooLong};
use crate::support::asking::{delta, done, event, send};
use crate::support::scripted_server::{Act, Answer, Asked, Framing, ScriptedServer};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// Which server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Plain,
    Vllm,
    Sglang,
    LlamaServer,
    MlxLm,
    MlcLlm,
}

use Program::{LlamaServer, MlcLlm, MlxLm, Plain, Sglang, Vllm};

impl Program {
    fn owner(self) -> &'static str {
        match self {
            Plain | MlxLm => "somebody",
            Vllm => "vllm",
            Sglang => "sglang",
            LlamaServer => "llamacpp",
            MlcLlm => "MLC-LLM",
        }
    }

    /// MLX-LM goes on beyond what a model was made for.
    fn context(self) -> u32 {
        if self == MlxLm { u32::MAX } else { CONTEXT }
    }

    /// In its own words.
    fn refusal(self, TooLong(tokens): TooLong) -> String {
        match self {
            LlamaServer => {
                format!("request ({tokens} tokens) exceeds the available context size ({CONTEXT} tokens)")
            }
            MlcLlm => format!(
                "Request prompt has {tokens} tokens in total, larger than the model input length limit {CONTEXT}."
            ),
            _ => format!(
                "This model's maximum context length is {CONTEXT} tokens, and the prompt has {tokens} tokens."
            ),
        }
    }
}

pub(crate) fn serve(program: Program, model: &Arc<Model>) -> ScriptedServer {
    let model = Arc::clone(model);
    ScriptedServer::new(move |asked| answer(program, &model, asked))
}

/// Answers one request.
pub(crate) fn answer(program: Program, model: &Model, asked: &Asked) -> Answer {
    match (asked.path.as_str(), program) {
        ("/v1/models", _) => Answer::json(
            &json!({ "data": [{ "id": "m", "owned_by": program.owner(), "max_model_len": CONTEXT }] }),
        ),
        ("/health", MlxLm) => Answer::json(&json!({ "status": "ok" })),
        ("/version", Plain | Vllm) | ("/server_info", Sglang) => Answer::json(&json!({ "version": "1.2" })),
        ("/reset_prefix_cache", Plain) | ("/flush_cache", Sglang) => {
            model.forget();
            Answer::json(&json!({}))
        }
        ("/v1/completions" | "/v1/chat/completions", _) => complete(program, model, &asked.json()),
        _ => Answer::whole(404, "text/plain", "not here"),
    }
}

fn complete(program: Program, model: &Model, body: &Value) -> Answer {
    if body["stream"] != true {
        return Answer::json(&json!({ "system_fingerprint": "fp-1", "choices": [] }));
    }
    let cache = match program {
        Vllm => Some(body["cache_salt"].as_str().unwrap_or_default()),
        LlamaServer => (body["cache_prompt"] != false).then_some(""),
        _ => Some(""),
    };
    match model.answer(heard(program, body), program.context(), cache) {
        Ok(said) => {
            let framing = if program == MlxLm { Framing::Http10 } else { Framing::Chunked };
            Answer { framing, ..Answer::events(stream(program, model, body, &said)) }
        }
        Err(too_long) => {
            let error = json!({ "error": { "message": program.refusal(too_long) } });
            Answer::whole(400, "application/json", &error.to_string())
        }
    }
}

fn heard(program: Program, body: &Value) -> Heard {
    let prompt = &body["prompt"];
    let ids: Vec<u32> = serde_json::from_value(prompt.clone()).unwrap_or_default();
    assert!(ids.is_empty() || !matches!(program, Plain | MlxLm), "this server takes no ids");
    let thinking = body["chat_template_kwargs"]["enable_thinking"].as_bool();
    let text = if ids.is_empty() {
        Some(prompt.as_str().map_or_else(|| render(&body["messages"], thinking), str::to_owned))
    } else {
        None
    };
    let ignore_eos = match program {
        MlxLm => body["logit_bias"][END.to_string()].as_f64().is_some_and(|bias| bias < -100.0),
        MlcLlm => body["debug_config"]["ignore_eos"] == true,
        _ => body["ignore_eos"] == true,
    };
    Heard {
        text,
        ids,
        thinking,
        max_tokens: body["max_tokens"].as_u64().unwrap() as u32,
        temperature: body["temperature"].as_f64().unwrap(),
        // MLC-LLM has none, and passes it over.
        top_k: body["top_k"]
            .as_u64()
            .filter(|top_k| *top_k > 0 && program != MlcLlm)
            .map(|top_k| top_k as u32),
        top_p: body["top_p"].as_f64().filter(|top_p| *top_p < 1.0),
        seed: body["seed"].as_u64().unwrap(),
        ignore_eos,
        ..Heard::default()
    }
}

/// The template of the server's own model.
pub(crate) fn render(messages: &Value, thinking: Option<bool>) -> String {
    let mut text = String::new();
    for message in messages.as_array().unwrap() {
        let _ =
            writeln!(text, "{}: {}", message["role"].as_str().unwrap(), message["content"].as_str().unwrap());
    }
    text + if thinking == Some(false) { "assistant, at once:\n" } else { "assistant:\n" }
}

fn stream(program: Program, model: &Model, body: &Value, said: &Said) -> Vec<Act> {
    let chat = body["messages"].is_array();
    let shows_ids = program == Vllm && body["return_token_ids"] == true;
    let piece = |text: &str, ids: &[u32], finish: &Value| {
        let mut choice = if chat {
            json!({ "index": 0, "delta": { "content": text }, "finish_reason": finish })
        } else {
            json!({ "index": 0, "text": text, "finish_reason": finish })
        };
        if shows_ids {
            choice["token_ids"] = json!(ids);
        }
        event(&json!({ "choices": [choice] }))
    };
    let finish = json!(if said.stop == "eos" { "stop" } else { "length" });
    let mut acts = match program {
        MlxLm => vec![send(": keepalive 4/5\n\n")],
        _ if chat => vec![event(&delta(&json!({ "role": "assistant", "content": "" })))],
        _ => Vec::new(),
    };
    let spoken: &[u32] = if said.stop == "eos" { &said.ids[..said.ids.len() - 1] } else { &said.ids };
    for (at, id) in spoken.iter().enumerate() {
        // MLX-LM says with the last token why it was the last one.
        let last = program == MlxLm && said.stop != "eos" && at + 1 == spoken.len();
        acts.push(piece(&model.text(&[*id]), &[*id], if last { &finish } else { &Value::Null }));
        if at == 0 {
            acts.push(Act::Wait(Duration::from_millis(1)));
        }
        if said.mishap {
            acts.push(Act::Cut);
        }
    }
    if program != MlxLm || said.stop == "eos" {
        acts.push(piece("", &said.ids[spoken.len()..], &finish));
    }
    acts.push(event(&counts(program, said)));
    acts.push(done());
    acts
}

/// The last message: no choice, but usage.
fn counts(program: Program, said: &Said) -> Value {
    let mut usage = json!({ "prompt_tokens": said.prompt, "completion_tokens": said.ids.len() });
    if program != MlcLlm {
        usage["prompt_tokens_details"] = json!({ "cached_tokens": said.cached });
    }
    let mut message = json!({ "choices": [], "usage": usage });
    if program == LlamaServer {
        message["timings"] = timings(said, 0);
    }
    message
}

/// llama-server's own times.
pub(crate) fn timings(said: &Said, drafted: usize) -> Value {
    json!({
        "cache_n": said.cached, "prompt_n": said.prompt - said.cached, "prompt_ms": 0.02, "predicted_n": said.ids.len(),
        "predicted_ms": 0.5, "draft_n": drafted, "draft_n_accepted": drafted / 2,
    })
}
