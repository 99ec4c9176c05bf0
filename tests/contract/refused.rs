//! A plan that asks for what an engine lacks is refused by `check`, with the engine, the setting and a remedy; whatever the table has
//! passes.

use crate::plan_cases::{QUALITY, folder};
use planrun::abilities::{Abilities, EngineKind, ModelName, abilities, abilities_with};
use planrun::plan::{Place, PlanError};
use planrun::run::prepare;

/// An engine as a plan asks for it.
struct Asked {
    able: Abilities,
    /// Settings that every plan for it has.
    settings: &'static str,
}

fn engines() -> Vec<Asked> {
    let asked = |kind: &EngineKind| {
        let settings = match kind {
            EngineKind::Candle => "model = \"pico\"\nthinking = false",
            EngineKind::Scripted => "model = \"scripted\"",
            EngineKind::Openai => "model = \"m\"\nurl = \"http://127.0.0.1:8000\"",
            _ => "model = \"m\"",
        };
        Asked { able: abilities(*kind), settings }
    };
    let python = "python3";
    let worker = Asked {
        able: abilities_with(EngineKind::MlxLm, Some(python)),
        settings: "model = \"m\"\nprogram = \"python3\"",
    };
    let command_line = Asked {
        able: abilities_with(EngineKind::LlamaCpp, Some("llama-completion")),
        settings: "model = \"m\"\nprogram = \"llama-completion\"",
    };
    EngineKind::ALL.iter().map(asked).chain([worker, command_line]).collect()
}

/// A setting as a plan writes it, and whether the table has it.
struct Case {
    key: &'static str,
    written: &'static str,
    has: fn(&Abilities, &str) -> bool,
}

const fn case(key: &'static str, written: &'static str, has: fn(&Abilities, &str) -> bool) -> Case {
    Case { key, written, has }
}

fn optional(able: &Abilities, key: &str) -> bool {
    able.optional.contains(&key)
}

fn sampling(able: &Abilities, key: &str) -> bool {
    able.sampling.contains(&key)
}

fn never(_: &Abilities, _: &str) -> bool {
    false
}

const CASES: &[Case] = &[
    case("threads", "threads = 1", optional),
    case("context_length", "context_length = 512", optional),
    case("prefill_chunk", "prefill_chunk = 64", optional),
    case("placement", "placement = \"cpu\"", optional),
    case("thinking_effort", "thinking_effort = \"low\"", optional),
    case("thinking_budget", "thinking_budget = 64", optional),
    case("speculation", "speculation = \"ngram:4\"", optional),
    case("prefix_cache", "prefix_cache = \"warm\"", optional),
    case("temperature", "temperature = 0.5\nseed = 1", sampling),
    case("top_k", "temperature = 0.5\nseed = 1\ntop_k = 5", sampling),
    case("top_p", "temperature = 0.5\nseed = 1\ntop_p = 0.5", sampling),
    case("seed", "temperature = 0.5\nseed = 1", sampling),
    case("ignore_eos", "ignore_eos = true", sampling),
    case("json_schema", "json_schema = \"schema.json\"", optional),
    case("grammar", "grammar = \"grammar.gbnf\"", optional),
    case("kv_cache_dtype", "kv_cache_dtype = \"f32\"", |able, _| able.kv_cache_dtypes.contains(&"f32")),
    case("kv_cache_dtype", "kv_cache_dtype = \"q8_0\"", |able, _| able.kv_cache_dtypes.contains(&"q8_0")),
    case("kv_cache_dtype", "kv_cache_dtype = \"iq4_nl\"", |able, _| able.kv_cache_dtypes.contains(&"iq4_nl")),
    // Without a list an engine takes weights as they are stored, and of a model that is not here nobody knows how.
    case("quantization", "quantization = \"q2_k\"", |able, _| {
        able.quantizations.contains(&"q2_k")
            || (able.quantizations.is_empty() && able.model == ModelName::Files)
    }),
    case("scorer", "scorer = \"loglikelihood\"", |able, _| able.log_likelihoods),
    case("url", "url = \"http://127.0.0.1:8000\"", |able, _| able.attaches),
    case("program", "program = \"python3\"", |able, _| able.program.is_some()),
    case("arguments", "arguments = [\"-I\"]", |able, _| able.program.is_some()),
    case("model_files", "model_files = \"m\"", |able, _| able.model == ModelName::AtServer),
    case("concurrency", "concurrency = 2", never),
    case("batch_size", "batch_size = 2", never),
];

/// A plan for an engine with one setting more, which replaces what was said of it before.
fn plan(asked: &Asked, written: &str) -> String {
    let usual = "warmup = 1\nscorer = \"exact\"\nmax_tokens = 8\ntemperature = 0";
    let key = |line: &str| line.split(' ').next().map(str::to_owned);
    let said: Vec<_> = written.lines().map(key).collect();
    let before = asked.settings.lines().chain(usual.lines()).filter(|line| !said.contains(&key(line)));
    let settings = before.chain(written.lines()).collect::<Vec<_>>().join("\n");
    format!(
        "[plan]\nname = \"case\"\nquestion = \"Is it refused?\"\n\n[settings]\nengine = \"{}\"\n{settings}\n\n{QUALITY}",
        asked.able.name
    )
}

/// What `check` finds wrong with a plan.
fn told(text: &str) -> Vec<PlanError> {
    let (folder, path) = folder(text);
    let options = "{\"prompt\":\"1+1?\",\"choices\":[\"2\",\"3\"],\"expected\":\"2\"}\n";
    for (name, text) in [
        ("two.jsonl", options),
        ("schema.json", "{\"type\": \"object\"}"),
        ("grammar.gbnf", "root ::= \"a\""),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    prepare(&path, &[]).err().map_or_else(Vec::new, |errors| errors.errors)
}

/// True if an error names the engine, points at the setting, and says what to do.
fn refuses(told: &[PlanError], engine: &str, key: &str) -> bool {
    told.iter().any(|error| {
        let points = matches!(&error.place, Place::Text { text, .. } if text.starts_with(key));
        points && error.problem.contains(&format!("`{engine}`")) && !error.remedy.is_empty()
    })
}

#[test]
fn every_setting_is_refused_by_check_exactly_where_the_table_lacks_it() {
    let mut wrong = Vec::new();
    for asked in engines() {
        let name = asked.able.name;
        assert_eq!(told(&plan(&asked, "")), [], "the plan for `{name}` without any further setting");
        for Case { key, written, has } in CASES {
            let told = told(&plan(&asked, written));
            let has = has(&asked.able, key);
            let as_the_table = if has { told.is_empty() } else { refuses(&told, name, key) };
            if !as_the_table {
                wrong.push(format!(
                    "{name}, {}: the table says {has}, check says {told:#?}",
                    written.replace('\n', "; ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
