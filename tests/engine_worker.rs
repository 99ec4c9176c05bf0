//! What is said between a run and a worker, against a shell script in the worker's place.

use crate::support::worker::{Desk, READY, request};
use planrun::abilities::{EngineKind, abilities_with};
use planrun::condition::Stated;
use planrun::generation::{Compute, Delivery, StopReason};
use serde_json::json;
use std::path::Path;

/// Two tokens, and after a while one that ends the reply.
const THREE_TOKENS: &str = r#"printf '{"kind":"token","ids":[40],"at":0.25}\n{"kind":"token","ids":[41],"at":0.5}\n'
sleep 0.05
echo '{"kind":"token","ids":[505],"at":1.0}'
echo '{"kind":"end","stop":"eos","tokens":3,"prompt_tokens":2,"cached_tokens":0,"peak_memory_mib":null}'"#;

fn one_token(id: u32) -> String {
    format!(
        "echo '{{\"kind\":\"token\",\"ids\":[{id}],\"at\":0.5}}'\n\
         echo '{{\"kind\":\"end\",\"stop\":\"length\",\"tokens\":1,\"prompt_tokens\":2,\"cached_tokens\":0,\"peak_memory_mib\":null}}'"
    )
}

#[test]
fn ids_are_counted_and_become_text_here() {
    let desk = Desk::saying(READY, THREE_TOKENS);
    let mut engine = desk.open().unwrap();
    let generation = engine.generate(&request(&[7, 8], 10)).unwrap();
    assert_eq!(generation.ids, Some(vec![40, 41, 505]));
    assert_eq!(
        (generation.tokens, generation.prompt_tokens, generation.cached_tokens),
        (Some(3), Some(2), Some(0))
    );
    assert_eq!(generation.stop, StopReason::Eos);
    let words = engine.tokenize(&generation.text).unwrap();
    assert_eq!(words, [40, 41], "the ending token is not in `{}`", generation.text);
}

#[test]
fn tokens_that_one_read_brings_are_one_delivery() {
    let desk = Desk::saying(READY, THREE_TOKENS);
    let times = desk.open().unwrap().generate(&request(&[7, 8], 10)).unwrap().times;
    let tokens: Vec<_> = times.deliveries.iter().map(|delivery| delivery.tokens).collect();
    assert_eq!(tokens, [Some(2), Some(1)]);
    assert!(times.deliveries[1].at - times.deliveries[0].at > 0.04, "{:?}", times.deliveries);
    assert_eq!(times.first_answer, Some(0));
}

#[test]
fn the_engines_own_times_come_from_the_workers_clock_alone() {
    let desk = Desk::saying(READY, THREE_TOKENS);
    let times = desk.open().unwrap().generate(&request(&[7, 8], 10)).unwrap().times;
    assert_eq!(times.prefill, Some(0.25));
    assert_eq!(times.compute, Some(Compute { steps: 2, seconds: 0.75 }));
}

#[test]
fn the_accelerators_memory_is_that_of_the_last_reply() {
    let answer = r#"case "$request" in *'"max_tokens":1,'*) peak=123.5 ;; *) peak=null ;; esac
echo '{"kind":"token","ids":[40],"at":0.5}'
echo "{\"kind\":\"end\",\"stop\":\"length\",\"tokens\":1,\"prompt_tokens\":2,\"cached_tokens\":0,\"peak_memory_mib\":$peak}""#;
    let desk = Desk::saying(READY, answer);
    let mut engine = desk.open().unwrap();
    assert_eq!(engine.accelerator_peak(), None);
    for (max_tokens, peak) in [(1, Some(123.5)), (2, None)] {
        engine.generate(&request(&[7, 8], max_tokens)).unwrap();
        assert_eq!(engine.accelerator_peak(), peak);
    }
}

#[test]
fn the_worker_hears_everything_that_decides_the_reply() {
    let mut desk = Desk::saying(READY, &one_token(40));
    desk.settings.quantization = Stated::Set("f32".to_owned());
    desk.settings.placement = Stated::Set("cuda:1".to_owned());
    desk.settings.threads = Stated::Set(3);
    let mut engine = desk.open().unwrap();
    engine.generate(&request(&[7, 8], 10)).unwrap();
    let mut other = request(&[7, 8], 1000);
    other.ignore_eos = true;
    other.sampling.temperature = 0.5;
    other.sampling.top_k = Some(20);
    other.sampling.top_p = Some(0.9);
    engine.generate(&other).unwrap();
    let heard = desk.heard();
    let model = desk.base().join("tiny");
    assert_eq!(
        heard[0],
        json!({ "model": model, "dtype": "f32", "device": "cuda:1", "threads": 3, "prefill_chunk": null })
    );
    assert_eq!(
        heard[1],
        json!({ "ids": [7, 8], "max_tokens": 10, "ends": [505], "temperature": 0.0, "top_k": null, "top_p": null,
                "seed": 7, "warm": false })
    );
    // The context holds 64 tokens, and the last one is chosen and never read.
    assert_eq!(
        heard[2],
        json!({ "ids": [7, 8], "max_tokens": 63, "ends": [], "temperature": 0.5, "top_k": 20, "top_p": 0.9,
                "seed": 7, "warm": false })
    );
}

#[test]
fn what_the_worker_says_of_itself_is_what_is_found() {
    let found = Desk::saying(READY, "").open().unwrap().observed().clone();
    let runtime = found.runtime.get().unwrap();
    assert_eq!(
        (runtime.name.as_str(), runtime.version.as_str()),
        ("transformers", "5.0 (torch 2.0, Python 3.99)")
    );
    assert_eq!(runtime.binary, None);
    assert_eq!(found.quantization, Stated::Set("f16".to_owned()));
    assert_eq!(found.bits_per_weight, Stated::Set(16.0));
    assert_eq!(found.kv_cache_dtype, Stated::Set("f16".to_owned()));
    assert_eq!((found.threads, found.context_length), (Stated::Set(3), Stated::Set(64)));
    assert_eq!(found.prefill_chunk, Stated::Unknown);
    assert!(found.tokenizer.get().is_some() && found.weights.get().is_some());
}

#[test]
fn a_worker_that_counts_otherwise_is_not_believed() {
    let answer = one_token(40).replace("\"tokens\":1", "\"tokens\":2");
    let error = Desk::saying(READY, &answer).open().unwrap().generate(&request(&[7, 8], 5)).unwrap_err();
    assert!(error.to_string().contains("it counts 2 tokens, and 1 arrived"), "{error}");
}

#[test]
fn a_worker_that_read_another_prompt_is_not_believed() {
    let error = Desk::saying(READY, &one_token(40)).open().unwrap().generate(&request(&[7], 5)).unwrap_err();
    assert!(error.to_string().contains("the prompt has 1 tokens, and the engine read 2"), "{error}");
}

#[test]
fn a_killed_worker_is_told_with_its_last_words() {
    let desk = Desk::saying(READY, "echo 'the last of it' >&2\nkill -9 $$");
    let mut engine = desk.open().unwrap();
    for _ in 0..2 {
        let error = engine.generate(&request(&[7, 8], 5)).unwrap_err().to_string();
        assert!(
            error.contains("ended with signal 9 (killed)") && error.contains("the last of it"),
            "{error}"
        );
    }
}

#[test]
fn a_worker_that_says_something_else_is_told() {
    let desk = Desk::saying(READY, "echo 'Segmentation fault, perhaps'");
    let error = desk.open().unwrap().generate(&request(&[7, 8], 5)).unwrap_err().to_string();
    assert!(error.contains("unexpected") && error.contains("Segmentation fault, perhaps"), "{error}");
}

#[test]
fn what_is_printed_before_the_worker_is_up_is_passed_over() {
    let desk = Desk::saying(&format!("echo 'welcome to this shell'\n{READY}"), &one_token(40));
    let mut engine = desk.open().unwrap();
    assert_eq!(engine.generate(&request(&[7, 8], 5)).unwrap().ids, Some(vec![40]));
}

#[test]
fn a_worker_of_another_version_is_not_waited_for() {
    let refusal = Desk::saying("echo '{\"kind\":\"hello\"}'", "").refusal();
    assert!(refusal.contains("unexpected") && refusal.contains("hello"), "{refusal}");
}

#[test]
fn an_interpreter_that_does_not_come_up_is_named() {
    let refusal = Desk::saying("echo 'no such option' >&2; exit 3", "").refusal();
    let whole =
        ["python-shell", "code 3", "no such option", "`program`"].iter().all(|part| refusal.contains(part));
    assert!(whole, "{refusal}");
    let mut desk = Desk::saying(READY, "");
    desk.settings.program = Stated::Set("tiny/nowhere".to_owned());
    assert!(desk.refusal().contains("no such program"), "{}", desk.refusal());
}

#[test]
fn a_model_that_the_library_cannot_open_is_named_with_its_words() {
    let trouble = |cause: &str| {
        format!(
            "echo '{{\"kind\":\"error\",\"cause\":\"{cause}\",\"message\":\"ValueError: model type nowhere\"}}'"
        )
    };
    let refusal = Desk::saying(&trouble("exception"), "").refusal();
    assert!(
        refusal.contains("/tiny: transformers cannot open it: ValueError: model type nowhere"),
        "{refusal}"
    );
    let refusal = Desk::saying(&trouble("memory"), "").refusal();
    assert!(refusal.contains("not enough memory") && refusal.contains("smaller model"), "{refusal}");
}

#[test]
fn the_worker_ends_with_the_engine() {
    let engine = Desk::saying(READY, "").open().unwrap();
    let worker = engine.process().unwrap();
    let runs = || {
        let id = rustix::process::Pid::from_raw(i32::try_from(worker).unwrap()).unwrap();
        rustix::process::test_kill_process(id).is_ok()
    };
    assert!(runs());
    drop(engine);
    assert!(!runs());
}

#[test]
fn python_in_the_place_of_the_server_can_do_what_the_server_cannot() {
    let with = |program| abilities_with(EngineKind::MlxLm, program);
    let worker = with(Some("/opt/mlx/bin/python3.12"));
    assert!(
        worker.ids && worker.sampling.contains(&"ignore_eos") && worker.optional.contains(&"prefill_chunk")
    );
    for server in [None, Some("mlx_lm.server"), Some("/opt/python/bin/mlx_lm.server")] {
        assert!(!with(server).optional.contains(&"prefill_chunk"));
    }
    assert_eq!(with(None), planrun::abilities::abilities(EngineKind::MlxLm));
}

#[test]
fn a_gguf_file_is_no_model_for_a_worker() {
    let mut desk = Desk::saying(READY, "");
    crate::support::tiny::all()[0].gguf().write(Path::new(&desk.base()), "tiny.gguf");
    desk.settings.model = Stated::Set("tiny.gguf".to_owned());
    assert!(desk.refusal().contains("transformers reads no GGUF file"), "{}", desk.refusal());
}

#[test]
fn a_token_is_found_in_the_delivery_that_brought_it() {
    let delivery = |at, tokens| Delivery { at, tokens };
    let times = |deliveries| planrun::generation::TokenTimes { deliveries, ..Default::default() };
    let known = times(vec![delivery(0.1, Some(2)), delivery(0.2, Some(1))]);
    assert_eq!([0, 1, 2, 3].map(|token| known.delivery_of(token)), [Some(0), Some(0), Some(1), None]);
    let unknown = times(vec![delivery(0.1, None), delivery(0.2, None)]);
    assert_eq!(unknown.delivery_of(1), None);
}
