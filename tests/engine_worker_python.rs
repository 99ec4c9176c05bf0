//! The workers' own programs: in Python without any library, and with the real ones where the environment names them.
//!
//! `PLANRUN_TEST_MLX_PYTHON` and `PLANRUN_TEST_TRANSFORMERS_PYTHON` name interpreters that have MLX-LM and transformers,
//! `PLANRUN_TEST_HF_FOLDER` a model folder.

use crate::support::environment::named;
use crate::support::worker::{Desk, has_python, ids_and_cached, request};
use planrun::abilities::EngineKind;
use planrun::condition::{CacheState, Settings, Stated};
use planrun::engine::{Engine, open};
use planrun::generation::{Message, Request, Role, Sampling, StopReason};
use std::path::Path;

#[test]
fn whatever_libraries_print_the_reply_is_whole() {
    let Some(desk) = Desk::with_pretended_mlx() else { return };
    let mut engine = desk.open().unwrap();
    let generation = engine.generate(&request(&[7, 8], 3)).unwrap();
    assert_eq!(ids_and_cached(&generation), (vec![9, 10, 11], Some(0)));
    assert_eq!((generation.stop, generation.prompt_tokens), (StopReason::Length, Some(2)));
    let found = engine.observed();
    assert_eq!(
        (&found.kv_cache_dtype, &found.prefill_chunk),
        (&Stated::Set("f16".to_owned()), &Stated::Set(2048))
    );
}

#[test]
fn an_ending_token_ends_the_reply_and_is_counted() {
    let Some(desk) = Desk::with_pretended_mlx() else { return };
    let mut engine = desk.open().unwrap();
    let ends = engine.generate(&request(&[502], 10)).unwrap();
    assert_eq!((ends.stop, ends.ids), (StopReason::Eos, Some(vec![503, 504, 505])));
    let goes_on = Request { ignore_eos: true, ..request(&[502], 5) };
    let goes_on = engine.generate(&goes_on).unwrap();
    assert_eq!((goes_on.stop, goes_on.tokens), (StopReason::Length, Some(5)));
}

#[test]
fn a_cold_request_takes_nothing_from_the_cache_and_a_warm_one_all_but_a_token() {
    let Some(mut desk) = Desk::with_pretended_mlx() else { return };
    let cached = |desk: &Desk, prompts: &[&[u32]]| -> Vec<Option<u32>> {
        let mut engine = desk.open().unwrap();
        prompts.iter().map(|ids| engine.generate(&request(ids, 3)).unwrap().cached_tokens).collect()
    };
    let prompts: [&[u32]; 4] = [&[5, 6, 7], &[5, 6, 7], &[5, 6, 7, 8, 9, 40], &[4, 6, 7]];
    assert_eq!(cached(&desk, &prompts), [Some(0); 4]);
    desk.settings.prefix_cache = Stated::Set(CacheState::Warm);
    // The third begins with the second and with the two tokens after it that are alike.
    assert_eq!(cached(&desk, &prompts), [Some(0), Some(2), Some(5), Some(0)]);
}

#[test]
fn a_worker_that_ran_out_of_memory_says_so_and_goes_on() {
    let Some(desk) = Desk::with_pretended_mlx() else { return };
    let mut engine = desk.open().unwrap();
    let error = engine.generate(&request(&[98], 5)).unwrap_err().to_string();
    assert!(error.contains("out of memory") && error.contains("Unable to allocate"), "{error}");
    assert_eq!(engine.generate(&request(&[7], 1)).unwrap().ids, Some(vec![8]));
}

#[test]
fn a_missing_module_is_named_with_the_command_that_installs_it() {
    if !has_python() {
        return;
    }
    for (engine, module, packages) in
        [(EngineKind::MlxLm, "mlx", "mlx-lm"), (EngineKind::Transformers, "torch", "transformers torch")]
    {
        // `-S`: no installed package is found; `-E`: nor one that the environment names.
        let mut desk = Desk::with_script(engine, "exec python3 -S -E \"$@\"");
        desk.settings.quantization = Stated::Unset;
        let refusal = desk.refusal();
        assert!(refusal.contains(&format!("it has no module `{module}`")), "{refusal}");
        assert!(refusal.contains(&format!("-m pip install {packages}`")), "{refusal}");
    }
}

/// A real library: the interpreter that has it, and the folder of a model.
struct Real {
    settings: Settings,
}

impl Real {
    fn of(engine: EngineKind, variable: &str) -> Option<Self> {
        let [program, model] = named([variable, "PLANRUN_TEST_HF_FOLDER"])?;
        let settings = Settings {
            engine: Stated::Set(engine),
            model: Stated::Set(model),
            program: Stated::Set(program),
            ..Settings::default()
        };
        Some(Self { settings })
    }

    fn open(&self) -> Box<dyn Engine> {
        open(&self.settings, Path::new(""), None).unwrap()
    }
}

fn question(engine: &dyn Engine, max_tokens: u32) -> Request {
    let message = Message { role: Role::User, content: "What is the capital of France?".to_owned() };
    let prompt = engine.render(&[message], Stated::Unset).unwrap();
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 1 };
    Request { prompt, max_tokens, sampling, ignore_eos: true }
}

/// What both libraries must do with a real model.
#[allow(clippy::print_stdout)] // what a real library said is worth seeing
fn contract(real: &Real) {
    let mut engine = real.open();
    let asked = question(engine.as_ref(), 3);
    let first = engine.generate(&asked).unwrap();
    engine.forget().unwrap();
    let second = engine.generate(&asked).unwrap();
    println!("{:?} {:?} {:?}", first.text, first.ids, engine.observed().runtime);
    assert_eq!(first.ids, second.ids, "greedy replies repeat");
    let written = asked.prompt.ids.as_ref().map(|ids| ids.len() as u32);
    for generation in [&first, &second] {
        assert_eq!((generation.tokens, generation.prompt_tokens), (Some(3), written));
        assert_eq!((generation.cached_tokens, generation.stop), (Some(0), StopReason::Length));
        assert_eq!(generation.times.compute.map(|compute| compute.steps), Some(2));
    }
    let mut sampled = question(engine.as_ref(), 2);
    sampled.sampling = Sampling { temperature: 1.0, top_k: Some(50), top_p: Some(0.95), seed: 5 };
    let (one, other) = (engine.generate(&sampled).unwrap(), engine.generate(&sampled).unwrap());
    assert_eq!(one.ids, other.ids, "a seed decides the sample");
    assert!(engine.observed().runtime.get().unwrap().binary.is_some());
}

#[test]
fn mlx_lm_keeps_the_contract() {
    let Some(real) = Real::of(EngineKind::MlxLm, "PLANRUN_TEST_MLX_PYTHON") else { return };
    contract(&real);
}

#[test]
fn mlx_lm_reuses_a_warm_prompt() {
    let Some(mut real) = Real::of(EngineKind::MlxLm, "PLANRUN_TEST_MLX_PYTHON") else { return };
    real.settings.prefix_cache = Stated::Set(CacheState::Warm);
    let mut engine = real.open();
    let asked = question(engine.as_ref(), 2);
    let (cold, warm) = (engine.generate(&asked).unwrap(), engine.generate(&asked).unwrap());
    assert_eq!(
        (cold.cached_tokens, warm.cached_tokens),
        (Some(0), warm.prompt_tokens.map(|tokens| tokens - 1))
    );
    assert_eq!(cold.ids, warm.ids);
}

#[test]
fn transformers_keeps_the_contract() {
    let Some(real) = Real::of(EngineKind::Transformers, "PLANRUN_TEST_TRANSFORMERS_PYTHON") else { return };
    contract(&real);
}
