//! One record as a finished run of the scripted engine would leave it, and small changes to it.

use planrun::abilities::EngineKind;
use planrun::condition::{
    CacheState, Condition, HARNESS, Hardware, Isolation, Mode, Observed, Runtime, Settings, Stated, Workload,
};
use planrun::fingerprint;
use planrun::generation::StopReason;
use planrun::measure::{Item, Measured, metric};
use planrun::record::{ArmKind, Context, FORMAT, Outcome, PlanIdentity, RunRecord, Slot};
use planrun::task::Scorer;
use std::collections::BTreeMap;

/// A quality run over `tasks` tasks, everything known.
pub(crate) fn record(tasks: usize) -> RunRecord {
    let asked = settings();
    let workload = workload();
    let mut record = RunRecord {
        format: FORMAT,
        id: "quality-c0000".into(),
        plan: PlanIdentity { name: "demo".into(), hash: "0123456789abcdef".repeat(4) },
        cell: 0,
        label: String::new(),
        workload: workload.name.clone(),
        arm: ArmKind::Cell,
        slot: Slot { block: 0, sub_block: 0, position: 0, length: 1 },
        outcome: Outcome::Done,
        condition: Condition { found: observed(&asked), asked, workload },
        context: Context { wall_s: 2.0, ..Context::default() },
        warmup: Vec::new(),
        items: Vec::new(),
        measurement: BTreeMap::new(),
        warnings: Vec::new(),
    };
    ask(&mut record, tasks, "");
    record
}

/// Settings with every key decided: what is not set is unset, as a plan leaves it.
pub(crate) fn settings() -> Settings {
    Settings {
        model: Stated::Set("pico".into()),
        quantization: Stated::Set("q8_0".into()),
        kv_cache_dtype: Stated::Unset,
        engine: Stated::Set(EngineKind::Scripted),
        program: Stated::Unset,
        arguments: Stated::Unset,
        url: Stated::Unset,
        api_key: Stated::Unset,
        model_files: Stated::Unset,
        threads: Stated::Set(1),
        placement: Stated::Unset,
        thinking: Stated::Set(false),
        thinking_effort: Stated::Unset,
        thinking_budget: Stated::Unset,
        system_prompt: Stated::Unset,
        question_template: Stated::Unset,
        few_shot: Stated::Unset,
        few_shot_tasks: Stated::Unset,
        chat_template: Stated::Unset,
        template_date: Stated::Unset,
        scorer: Stated::Set(Scorer::Exact),
        max_tokens: Stated::Set(64),
        batch_size: Stated::Unset,
        concurrency: Stated::Unset,
        warmup: Stated::Set(1),
        temperature: Stated::Set(0.0),
        top_k: Stated::Unset,
        top_p: Stated::Unset,
        seed: Stated::Unset,
        ignore_eos: Stated::Unset,
        json_schema: Stated::Unset,
        grammar: Stated::Unset,
        context_length: Stated::Unset,
        prefill_chunk: Stated::Unset,
        prefix_cache: Stated::Unset,
        speculation: Stated::Unset,
        build_flags: Stated::Unset,
        deployment: Stated::Unset,
    }
}

fn workload() -> Workload {
    Workload {
        name: "quality".into(),
        mode: Mode::Single,
        tasks: Some("tasks.jsonl".into()),
        prompt_tokens: None,
        gen_tokens: None,
        passes: 1,
        quality: true,
        timing: false,
        isolation: Isolation::Run,
    }
}

/// What a run with these settings would read.
pub(crate) fn observed(asked: &Settings) -> Observed {
    let of = |text: &str| Stated::Set(fingerprint::of_bytes(text.as_bytes()));
    let model = asked.model.get().cloned().unwrap_or_default();
    Observed {
        source: Stated::Set(format!("{model} 1")),
        weights: of(&format!("weights of {model}")),
        quantization: asked.quantization.clone(),
        bits_per_weight: Stated::Set(8.5),
        file_format: Stated::Set("safetensors".into()),
        tokenizer: of(&format!("tokenizer of {model}")),
        chat_template: of(&format!("template of {model}")),
        template_date: Stated::Unset,
        special_tokens: Stated::Set("<|im_end|>".into()),
        kv_cache_dtype: Stated::Set("f32".into()),
        runtime: Stated::Set(Runtime { name: "scripted".into(), version: "1".into(), binary: None }),
        build_flags: Stated::Set("target-cpu=native".into()),
        hardware: Stated::Set(Hardware {
            cpu: "test".into(),
            instruction_sets: vec!["avx2".into()],
            cores: 2,
            memory_gib: 8,
            accelerators: Vec::new(),
            power_source: None,
        }),
        threads: asked.threads,
        placement: Stated::Set("cpu".into()),
        context_length: Stated::Set(2048),
        prefill_chunk: Stated::Set(512),
        thinking: asked.thinking,
        json_schema: Stated::Unset,
        grammar: Stated::Unset,
        speculation: Stated::Unset,
        task_set_fingerprint: Stated::Unset,
        prompt_fingerprint: Stated::Unset,
        prompt_ids_fingerprint: Stated::Unset,
        prefix_cache: Stated::Set(CacheState::Cold),
        isolation: Stated::Unknown,
        harness: Stated::Set(HARNESS),
    }
}

/// Asks `tasks` tasks; `mark` is what the rendering adds to every prompt.
pub(crate) fn ask(record: &mut RunRecord, tasks: usize, mark: &str) {
    let plain: Vec<String> = (0..tasks).map(|n| format!("What is {n} + {n}?")).collect();
    let renders: Vec<String> = plain.iter().map(|prompt| render(prompt, mark)).collect();
    record.items = renders.iter().enumerate().map(|(n, text)| item(n, text)).collect();
    let found = &mut record.condition.found;
    found.task_set_fingerprint = Stated::Set(fingerprint::of_parts(&plain));
    found.prompt_fingerprint = Stated::Set(fingerprint::of_parts(&renders));
    let ids: Vec<&str> = renders.iter().map(String::as_str).collect();
    found.prompt_ids_fingerprint = Stated::Set(fingerprint::of_parts(["ids"].into_iter().chain(ids)));
}

/// A prompt as it would be rendered.
pub(crate) fn render(prompt: &str, mark: &str) -> String {
    format!("<|im_start|>user\n{mark}{prompt}<|im_end|>\n")
}

fn item(n: usize, text: &str) -> Item {
    Item {
        id: format!("t{n}"),
        prompt: fingerprint::short(&fingerprint::of_bytes(text.as_bytes())).to_owned(),
        reply_tokens: Some(2),
        ids: Some(vec![n as u32, 1]),
        text: "4".into(),
        answer: Some("4".into()),
        score: Some(1.0),
        stop: Some(StopReason::Eos),
        ..Item::default()
    }
}

/// Switches thinking, in what is asked and in what is rendered.
pub(crate) fn think(record: &mut RunRecord, on: bool) {
    record.condition.asked.thinking = Stated::Set(on);
    record.condition.found.thinking = Stated::Set(on);
    ask(record, record.items.len(), if on { "" } else { "<think></think>" });
}

/// Quantizes, with all that follows.
pub(crate) fn quantize(record: &mut RunRecord, scheme: &str, bits: f64) {
    record.condition.asked.quantization = Stated::Set(scheme.into());
    record.condition.found.quantization = Stated::Set(scheme.into());
    record.condition.found.bits_per_weight = Stated::Set(bits);
}

/// Sets a metric.
pub(crate) fn measured(record: &mut RunRecord, name: &str, value: f64) {
    let metric = metric(name).expect("a metric of the catalogue");
    record.measurement.insert(name.to_owned(), Measured::of(metric, value, 1));
}
