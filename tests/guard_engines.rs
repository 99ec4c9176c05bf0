//! Engines outside: what another engine, another server and a bundle explain, and what they do not.

use crate::support::record::record;
use planrun::abilities::EngineKind;
use planrun::compare::{License, Refusal, license};
use planrun::condition::{Deployment, Field, Hardware, Isolation, Runtime, Stated};
use planrun::record::RunRecord;

fn set(text: &str) -> Stated<String> {
    Stated::Set(text.to_owned())
}

fn program(name: &str) -> Stated<Runtime> {
    let runtime = Runtime { name: name.into(), version: "1".into(), binary: Some(format!("{name} bytes")) };
    Stated::Set(runtime)
}

/// A record of another engine on the same weights.
fn elsewhere() -> RunRecord {
    let mut record = record(4);
    record.condition.asked.engine = EngineKind::LlamaCpp.into();
    record.condition.asked.program = set("llama-server");
    record.condition.asked.arguments = vec!["--no-mmap".to_owned()].into();
    record.condition.found.runtime = program("llama.cpp");
    record.condition.found.build_flags = Stated::Unknown;
    record.condition.found.placement = set("gpu_layers=0");
    record
}

/// A record of a server that was there already.
fn attached(url: &str) -> RunRecord {
    let mut record = elsewhere();
    record.condition.asked.engine = EngineKind::Openai.into();
    record.condition.asked.program = Stated::Unset;
    record.condition.asked.arguments = Stated::Unset;
    record.condition.asked.url = set(url);
    record.condition.found.runtime = Stated::Unknown;
    record.condition.found.isolation = Isolation::Attached.into();
    record
}

fn judged(before: &RunRecord, after: &RunRecord) -> Result<License, Box<Refusal>> {
    license(before, after, &[], true)
}

fn fields(refusal: &Refusal) -> Vec<Field> {
    refusal.fields.clone()
}

#[test]
fn another_engine_on_the_same_file_is_one_field() {
    let license = judged(&record(4), &elsewhere()).expect("one field");
    assert_eq!(license.field(), Some(Field::Engine));
    let implied = license.implied();
    for field in [Field::Runtime, Field::Arguments, Field::Placement, Field::BuildFlags] {
        assert!(implied.contains(&field), "{field} follows from the engine: {implied:?}");
    }
}

#[test]
fn another_engine_does_not_explain_another_format_of_the_cache_or_of_the_weights() {
    let mut other = elsewhere();
    other.condition.found.kv_cache_dtype = set("f16");
    let refusal = judged(&record(4), &other).expect_err("two fields");
    assert_eq!(fields(&refusal), [Field::KvCacheDtype, Field::Engine]);
    let mut other = elsewhere();
    other.condition.found.weights = set("other bytes");
    other.condition.found.file_format = set("gguf");
    let refusal = judged(&record(4), &other).expect_err("more fields");
    assert!(fields(&refusal).contains(&Field::Weights), "{:?}", fields(&refusal));
}

#[test]
fn another_engine_does_not_explain_another_machine() {
    let mut other = elsewhere();
    let Stated::Set(hardware) = other.condition.found.hardware.clone() else { panic!("no hardware") };
    other.condition.found.hardware = Hardware { cpu: "another".into(), ..hardware }.into();
    let refusal = judged(&record(4), &other).expect_err("two fields");
    assert_eq!(fields(&refusal), [Field::Engine, Field::Hardware]);
}

#[test]
fn a_server_that_was_there_already_is_an_engine_with_its_own_isolation() {
    let mut remote = attached("http://10.0.0.7:8000");
    remote.condition.found.hardware = Stated::Unknown;
    let license = judged(&record(4), &remote).expect("one field");
    assert_eq!(license.field(), Some(Field::Engine));
    for field in [Field::Url, Field::Isolation, Field::Hardware] {
        assert!(license.implied().contains(&field), "{field}: {:?}", license.implied());
    }
}

#[test]
fn two_servers_are_one_field_and_one_server_is_itself() {
    let (one, two) = (attached("http://10.0.0.7:8000"), attached("http://10.0.0.8:8000"));
    assert_eq!(judged(&one, &two).expect("one field").field(), Some(Field::Url));
    assert_eq!(judged(&one, &one).expect("a repetition").field(), None, "unknown, but one server");
    let across_plans = license(&one, &one, &[], false).expect_err("who knows what it serves today");
    assert!(fields(&across_plans).contains(&Field::Runtime), "{:?}", fields(&across_plans));
}

#[test]
fn a_bundle_explains_what_its_members_imply_known_or_not() {
    let bundle = |name: &str| Deployment {
        name: name.into(),
        members: vec![Field::Engine, Field::Model, Field::Quantization, Field::KvCacheDtype],
    };
    let (mut here, mut there) = (record(4), elsewhere());
    here.condition.asked.deployment = bundle("here").into();
    there.condition.asked.deployment = bundle("there").into();
    there.condition.asked.model = set("folder");
    let found = &mut there.condition.found;
    (found.quantization, found.kv_cache_dtype) = (set("f16"), Stated::Unknown);
    (found.weights, found.source, found.tokenizer) = (set("others"), set("folder:x"), Stated::Unknown);
    let license = judged(&here, &there).expect("one field");
    assert_eq!(license.field(), Some(Field::Deployment));
    assert!(license.implied().contains(&Field::Tokenizer), "{:?}", license.implied());
    there.condition.found.threads = 7.into();
    let refusal = judged(&here, &there).expect_err("threads are in no bundle");
    assert_eq!(fields(&refusal)[..2], [Field::Deployment, Field::Threads]);
}

#[test]
fn records_from_before_there_were_engines_outside_still_compare() {
    let (mut old, new) = (record(4), record(4));
    old.condition.asked.url = Stated::Unknown;
    old.condition.asked.arguments = Stated::Unknown;
    old.condition.asked.model_files = Stated::Unknown;
    assert_eq!(license(&old, &new, &[], false).expect("the same").field(), None);
    let across = license(&old, &elsewhere(), &[], true).expect("another engine");
    assert_eq!(across.field(), Some(Field::Engine));
}

#[test]
fn a_cache_that_nobody_looked_at_is_not_cold_because_it_was_asked_to_be() {
    use planrun::condition::CacheState;
    let (mut here, mut there) = (record(4), elsewhere());
    for record in [&mut here, &mut there] {
        record.condition.asked.prefix_cache = CacheState::Cold.into();
    }
    there.condition.found.prefix_cache = Stated::Unknown;
    let refusal = judged(&here, &there).expect_err("one side is unknown");
    assert!(fields(&refusal).contains(&Field::PrefixCache), "{:?}", fields(&refusal));
    license(&here, &there, &[Field::PrefixCache], true).expect("assumed by name");
}

#[test]
fn planruns_own_version_explains_nothing_of_a_server() {
    let (mut before, mut after) = (attached("http://127.0.0.1:8000"), attached("http://127.0.0.1:8000"));
    let version = |version: &str| Runtime { name: "vllm".into(), version: version.into(), binary: None };
    before.condition.found.runtime = version("0.6").into();
    after.condition.found.runtime = version("0.9").into();
    after.condition.found.harness = 99.into();
    let refusal = license(&before, &after, &[Field::BuildFlags], true).expect_err("two fields");
    assert_eq!(fields(&refusal)[..2], [Field::Runtime, Field::Harness]);
}
