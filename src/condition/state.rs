//! A condition laid out field by field: the one place that decides what each recorded value controls.

use super::{Condition, Field, Isolation, Observed, Settings, Stated, Workload};
use serde::Serialize;
use serde_json::{Value, json};

/// Where a field's effective value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Read off the engine, the model or the machine.
    Read,
    /// Asked for by the plan, and not read back.
    Asked,
}

/// The effective value of one field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct State {
    /// The value as JSON; [`Stated::Unset`] is a value of its own.
    pub value: Stated<Value>,
    /// Where it comes from.
    pub origin: Origin,
}

impl State {
    /// The value in words, for tables.
    pub fn shown(&self) -> String {
        match &self.value {
            Stated::Unknown => "unknown".into(),
            Stated::Unset => "unset".into(),
            Stated::Set(Value::String(text)) => text.clone(),
            Stated::Set(value) => value.to_string(),
        }
    }
}

/// Every controlled field of a condition with its effective value, in the order of [`Field::ALL`].
///
/// All structs are destructured without `..`: a new field does not compile until someone decides here what it controls.
pub fn states(condition: &Condition) -> Vec<(Field, State)> {
    let Condition { asked, workload, found } = condition;
    let mut states = found_states(found);
    states.extend(asked_and_found(asked, found));
    // That a cache was to be cold does not make it so: only what was read of it counts.
    states.retain(|(field, _)| *field != Field::PrefixCache);
    states.push((Field::PrefixCache, read(&found.prefix_cache)));
    states.extend(workload_states(workload, found.isolation));
    states.sort_by_key(|(field, _)| *field);
    states
}

/// The fields of [`Settings`] alone, as the planner sees them before anything has run. Of a runtime nothing but its
/// program's name is known then.
pub fn asked_states(settings: &Settings) -> Vec<(Field, State)> {
    let states = asked_and_found(settings, &Observed::default());
    let asked_for = states.into_iter().filter(|(_, state)| state.origin == Origin::Asked);
    asked_for.chain([(Field::Runtime, asked(&settings.program))]).collect()
}

fn asked_and_found(asked_settings: &Settings, found: &Observed) -> Vec<(Field, State)> {
    let Settings {
        model,
        model_files,
        quantization,
        kv_cache_dtype,
        engine,
        program: _,
        arguments,
        url,
        api_key: _,
        threads,
        placement,
        thinking,
        thinking_effort,
        thinking_budget,
        system_prompt,
        question_template,
        few_shot,
        few_shot_tasks,
        chat_template,
        template_date,
        scorer,
        max_tokens,
        batch_size,
        concurrency,
        warmup,
        temperature,
        top_k,
        top_p,
        seed,
        ignore_eos,
        json_schema,
        grammar,
        context_length,
        prefill_chunk,
        prefix_cache,
        speculation,
        build_flags,
        deployment,
    } = asked_settings;
    vec![
        (Field::Deployment, asked(deployment)),
        (Field::Model, asked(model)),
        (Field::ModelFiles, asked(model_files)),
        (Field::Quantization, either(&found.quantization, quantization)),
        (Field::ChatTemplate, either(&found.chat_template, chat_template)),
        (Field::TemplateDate, either(&found.template_date, template_date)),
        (Field::KvCacheDtype, either(&found.kv_cache_dtype, kv_cache_dtype)),
        (Field::Engine, asked(engine)),
        (Field::Arguments, asked(arguments)),
        (Field::Url, asked(url)),
        (Field::BuildFlags, either(&found.build_flags, build_flags)),
        (Field::Threads, either(&found.threads, threads)),
        (Field::Placement, either(&found.placement, placement)),
        (Field::Thinking, both(thinking, &found.thinking)),
        (Field::ThinkingEffort, asked(thinking_effort)),
        (Field::ThinkingBudget, asked(thinking_budget)),
        (Field::SystemPrompt, asked(system_prompt)),
        (Field::QuestionTemplate, asked(question_template)),
        (Field::FewShot, both(few_shot, few_shot_tasks)),
        (Field::Scorer, asked(scorer)),
        (Field::MaxTokens, asked(max_tokens)),
        (Field::BatchSize, asked(batch_size)),
        (Field::Concurrency, asked(concurrency)),
        (Field::Warmup, asked(warmup)),
        (Field::Temperature, asked(temperature)),
        (Field::TopK, asked(top_k)),
        (Field::TopP, asked(top_p)),
        (Field::Seed, asked(seed)),
        (Field::IgnoreEos, asked(ignore_eos)),
        (Field::JsonSchema, either(&found.json_schema, json_schema)),
        (Field::Grammar, either(&found.grammar, grammar)),
        (Field::ContextLength, either(&found.context_length, context_length)),
        (Field::PrefillChunk, either(&found.prefill_chunk, prefill_chunk)),
        (Field::PrefixCache, either(&found.prefix_cache, prefix_cache)),
        (Field::Speculation, either(&found.speculation, speculation)),
    ]
}

/// Fields that are only ever read; those with an asked counterpart are paired with it above.
fn found_states(found: &Observed) -> Vec<(Field, State)> {
    let Observed {
        source,
        weights,
        quantization: _,
        bits_per_weight,
        file_format,
        tokenizer,
        chat_template: _,
        template_date: _,
        special_tokens,
        kv_cache_dtype: _,
        runtime,
        build_flags: _,
        hardware,
        threads: _,
        placement: _,
        context_length: _,
        prefill_chunk: _,
        thinking: _,
        json_schema: _,
        grammar: _,
        speculation: _,
        task_set_fingerprint,
        prompt_fingerprint,
        prompt_ids_fingerprint,
        prefix_cache: _,
        isolation: _,
        harness,
    } = found;
    vec![
        (Field::Source, read(source)),
        (Field::Weights, read(weights)),
        (Field::BitsPerWeight, read(bits_per_weight)),
        (Field::FileFormat, read(file_format)),
        (Field::Tokenizer, read(tokenizer)),
        (Field::SpecialTokens, read(special_tokens)),
        (Field::Runtime, read(runtime)),
        (Field::Hardware, read(hardware)),
        (Field::TaskSetFingerprint, read(task_set_fingerprint)),
        (Field::PromptFingerprint, read(prompt_fingerprint)),
        (Field::PromptIdsFingerprint, read(prompt_ids_fingerprint)),
        (Field::Harness, read(harness)),
    ]
}

fn workload_states(workload: &Workload, found: Stated<Isolation>) -> Vec<(Field, State)> {
    let Workload { name: _, mode, tasks: _, prompt_tokens, gen_tokens, passes, quality, timing, isolation } =
        workload;
    let protocol = json!({
        "mode": mode, "prompt_tokens": prompt_tokens, "gen_tokens": gen_tokens, "quality": quality, "timing": timing,
    });
    vec![
        (Field::Workload, asked(&Stated::Set(protocol))),
        (Field::Passes, asked(&Stated::Set(passes))),
        (Field::Isolation, either(&found, &Stated::Set(isolation))),
    ]
}

fn asked<T: Serialize>(value: &Stated<T>) -> State {
    State { value: as_json(value), origin: Origin::Asked }
}

fn read<T: Serialize>(value: &Stated<T>) -> State {
    State { value: as_json(value), origin: Origin::Read }
}

/// Found outranks asked where it was read.
fn either<T: Serialize, U: Serialize>(found: &Stated<T>, wanted: &Stated<U>) -> State {
    if found.is_unknown() { asked(wanted) } else { read(found) }
}

/// Both count: two conditions are equal only if both parts are. A single known part stands for itself.
fn both<T: Serialize, U: Serialize>(first: &Stated<T>, second: &Stated<U>) -> State {
    let value = match (as_json(first), as_json(second)) {
        (value, Stated::Unknown | Stated::Unset) | (Stated::Unknown, value) => value,
        (Stated::Set(one), Stated::Set(two)) if one == two => Stated::Set(one),
        (one, two) => Stated::Set(json!([one, two])),
    };
    State { value, origin: Origin::Asked }
}

fn as_json<T: Serialize>(value: &Stated<T>) -> Stated<Value> {
    match value {
        Stated::Unknown => Stated::Unknown,
        Stated::Unset => Stated::Unset,
        Stated::Set(inner) => serde_json::to_value(inner).map_or(Stated::Unknown, Stated::Set),
    }
}
