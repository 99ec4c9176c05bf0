//! A complete condition to vary, shared by the tests of the guard's rule.

use planrun::abilities::EngineKind;
use planrun::condition::{
    CacheState, Condition, Field, Hardware, Isolation, Mode, Observed, Runtime, Settings, Stated, Varied,
    Workload, varied,
};
use planrun::task::Scorer;

/// A condition of which every field is known.
pub(crate) fn complete() -> Condition {
    Condition { asked: asked(), workload: workload(), found: found() }
}

/// The rule applied to the complete condition and a changed copy of it.
pub(crate) fn after(change: impl FnOnce(&mut Condition)) -> Varied {
    let mut changed = complete();
    change(&mut changed);
    varied(&complete(), &changed)
}

/// Fields that the only cause carries along.
pub(crate) fn carried(varied: &Varied) -> Vec<Field> {
    varied.causes[0].implied.iter().map(|difference| difference.field).collect()
}

pub(crate) fn set(text: &str) -> Stated<String> {
    Stated::Set(text.to_owned())
}

fn asked() -> Settings {
    Settings {
        model: set("pico"),
        model_files: Stated::Unset,
        quantization: set("q8_0"),
        kv_cache_dtype: set("f32"),
        engine: EngineKind::Candle.into(),
        program: Stated::Unset,
        arguments: Stated::Unset,
        url: Stated::Unset,
        api_key: Stated::Unset,
        threads: 1.into(),
        placement: Stated::Unset,
        thinking: false.into(),
        thinking_effort: Stated::Unset,
        thinking_budget: Stated::Unset,
        system_prompt: set("Be brief."),
        question_template: Stated::Unset,
        few_shot: Stated::Unset,
        few_shot_tasks: Stated::Unset,
        chat_template: Stated::Unset,
        template_date: Stated::Unset,
        scorer: Scorer::Exact.into(),
        max_tokens: 64.into(),
        batch_size: Stated::Unset,
        concurrency: Stated::Unset,
        warmup: 2.into(),
        temperature: 0.0.into(),
        top_k: Stated::Unset,
        top_p: Stated::Unset,
        seed: 1.into(),
        ignore_eos: Stated::Unset,
        json_schema: Stated::Unset,
        grammar: Stated::Unset,
        context_length: Stated::Unset,
        prefill_chunk: Stated::Unset,
        prefix_cache: CacheState::Cold.into(),
        speculation: Stated::Unset,
        build_flags: Stated::Unset,
        deployment: Stated::Unset,
    }
}

fn found() -> Observed {
    Observed {
        source: set("pico 1"),
        weights: set("aaaa"),
        quantization: set("q8_0"),
        bits_per_weight: 8.5.into(),
        file_format: set("safetensors"),
        tokenizer: set("tttt"),
        chat_template: set("cccc"),
        template_date: Stated::Unset,
        special_tokens: set("<|im_start|> <|im_end|>"),
        kv_cache_dtype: set("f32"),
        runtime: Runtime { name: "candle".into(), version: "0.11.1".into(), binary: None }.into(),
        build_flags: set("target-cpu=native"),
        hardware: hardware().into(),
        threads: 1.into(),
        placement: Stated::Unset,
        context_length: 8192.into(),
        prefill_chunk: Stated::Unset,
        thinking: false.into(),
        json_schema: Stated::Unset,
        grammar: Stated::Unset,
        speculation: Stated::Unset,
        task_set_fingerprint: set("1111"),
        prompt_fingerprint: set("2222"),
        prompt_ids_fingerprint: set("3333"),
        prefix_cache: CacheState::Cold.into(),
        isolation: Isolation::Run.into(),
        harness: 1.into(),
    }
}

pub(crate) fn hardware() -> Hardware {
    Hardware {
        cpu: "CPU".into(),
        instruction_sets: vec!["avx2".into()],
        cores: 2,
        memory_gib: 8,
        accelerators: Vec::new(),
        power_source: None,
    }
}

fn workload() -> Workload {
    Workload {
        name: "quality".into(),
        mode: Mode::Single,
        tasks: Some("tasks/a.jsonl".into()),
        prompt_tokens: None,
        gen_tokens: None,
        passes: 1,
        quality: true,
        timing: false,
        isolation: Isolation::Run,
    }
}
