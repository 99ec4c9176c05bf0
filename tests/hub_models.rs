//! Models of the hub in a plan: fetched once, recorded by their commit, and used without the hub from then on.

use crate::support::desk::{Desk, Ended};
use crate::support::hub::{COMMIT, Hub, REPOSITORY};
use planrun::condition::Stated;
use planrun::engine::pico::assets;
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Pico, with a file that no model needs.
pub(crate) fn pico_files() -> Vec<(&'static str, Vec<u8>)> {
    let assets = assets();
    vec![
        ("README.md", b"not needed".to_vec()),
        ("config.json", assets.config.as_bytes().to_vec()),
        ("tokenizer.json", assets.tokenizer.as_bytes().to_vec()),
        ("tokenizer_config.json", assets.tokenizer_config.as_bytes().to_vec()),
        ("model.safetensors", assets.weights.to_vec()),
    ]
}

/// A desk with a plan of one cell on this model.
pub(crate) fn desk(model: &str) -> Desk {
    Desk::new(&format!(
        r#"[plan]
name = "desk"
question = "Does it run?"

[settings]
model = "{model}"
engine = "candle"
thinking = false
quantization = "q8_0"
warmup = 0
max_tokens = 4
temperature = 0
threads = 1
scorer = "exact"

[[workload]]
name = "quality"
tasks = "tasks.jsonl"
quality = true
timing = false
"#
    ))
}

/// A command whose hub is this one, with a cache on the desk.
pub(crate) fn command(desk: &Desk, endpoint: &str, arguments: &[&str]) -> Command {
    let mut command = desk.command(arguments);
    for variable in [
        "HF_HUB_CACHE",
        "HF_TOKEN",
        "HF_TOKEN_PATH",
        "HF_HUB_OFFLINE",
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ] {
        command.env_remove(variable);
    }
    command.env("HF_ENDPOINT", endpoint).env("HF_HOME", desk.at("hf")).env("PLANRUN_CACHE", desk.at("cache"));
    command
}

pub(crate) fn ended(mut command: Command) -> Ended {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

pub(crate) fn run(desk: &Desk, hub: &Hub) -> Ended {
    ended(command(desk, &hub.endpoint(), &["run", "plans/desk.toml"]))
}

pub(crate) fn snapshot(desk: &Desk) -> PathBuf {
    desk.at("hf/hub/models--tiny--pico/snapshots").join(COMMIT)
}

#[test]
fn a_model_is_fetched_run_and_recorded_by_its_commit_and_needs_no_hub_from_then_on() {
    let (hub, desk) = (Hub::new(pico_files()), desk("hf:tiny/pico"));
    let first = run(&desk, &hub);
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    assert!(first.err.contains(&format!("hf:{REPOSITORY}@{COMMIT}: fetching 4 files")), "{}", first.err);
    let records = desk.records();
    assert!(!records.is_empty());
    for record in &records {
        assert_eq!(record.condition.asked.model, Stated::Set("hf:tiny/pico".to_owned()));
        assert_eq!(record.condition.found.source, Stated::Set(format!("hf:{REPOSITORY}@{COMMIT}")));
        let weights = planrun::fingerprint::of_bytes(assets().weights);
        assert_eq!(record.condition.found.weights, Stated::Set(weights));
    }
    assert!(!snapshot(&desk).join("README.md").exists());

    let endpoint = hub.endpoint();
    drop(hub);
    let again = ended(command(&desk, &endpoint, &["run", "plans/desk.toml", "--fresh"]));
    assert_eq!((again.code, desk.stores().len()), (0, 2), "{}{}", again.out, again.err);
    let mut offline = command(&desk, &endpoint, &["run", "plans/desk.toml", "--fresh"]);
    offline.env("HF_HUB_OFFLINE", "1");
    assert_eq!(ended(offline).code, 0);
}

#[test]
fn no_request_is_made_for_a_model_that_is_here() {
    let (hub, desk) = (Hub::new(pico_files()), desk(&format!("hf:tiny/pico@{COMMIT}")));
    assert_eq!(run(&desk, &hub).code, 0);
    let asked = hub.requests().len();
    let again = ended(command(&desk, &hub.endpoint(), &["run", "plans/desk.toml", "--fresh"]));
    assert_eq!((again.code, hub.requests().len()), (0, asked), "{}", again.err);
    fs::remove_dir_all(desk.at("hf")).unwrap();
    assert_eq!(run(&desk, &hub).code, 0, "a plan that is done needs no model");
    assert_eq!(hub.requests().len(), asked);
}

#[test]
fn check_says_what_would_be_fetched_and_which_commit_a_branch_was() {
    let (hub, desk) = (Hub::new(pico_files()), desk("hf:tiny/pico@main"));
    let check = || ended(command(&desk, &hub.endpoint(), &["check", "plans/desk.toml", "--no-probe"]));
    let before = check();
    assert_eq!((before.code, hub.requests().len()), (0, 0), "{}", before.err);
    assert!(before.out.contains(&format!("fetches it from {}", hub.endpoint())), "{}", before.out);
    assert_eq!(run(&desk, &hub).code, 0);
    let after = check().out;
    assert!(after.contains(&format!("runs are of {COMMIT}, which `main` meant")), "{after}");
    assert!(after.contains(&format!("write `hf:tiny/pico@{COMMIT}`")), "{after}");
    desk.write_plan(
        &fs::read_to_string(desk.at("plans/desk.toml")).unwrap().replace("@main", &format!("@{COMMIT}")),
    );
    let pinned = check().out;
    assert!(!pinned.contains("fixes no commit"), "{pinned}");
}

#[test]
fn split_weights_come_with_all_their_files() {
    let mut files = pico_files();
    files.retain(|(name, _)| *name != "model.safetensors");
    let tensors = SafeTensors::deserialize(assets().weights).unwrap();
    let all = tensors.tensors();
    let (first, second) = all.split_at(all.len() / 2);
    let mut map = serde_json::Map::new();
    for (file, part) in [("a.safetensors", first), ("b.safetensors", second)] {
        let part: Vec<(&str, &TensorView<'_>)> =
            part.iter().map(|(name, view)| (name.as_str(), view)).collect();
        map.extend(part.iter().map(|(name, _)| ((*name).to_owned(), file.into())));
        files.push((file, safetensors::serialize(part, None).unwrap()));
    }
    let index = serde_json::json!({ "weight_map": map }).to_string();
    files.push(("model.safetensors.index.json", index.into_bytes()));
    let (hub, desk) = (Hub::new(files), desk("hf:tiny/pico"));
    let end = run(&desk, &hub);
    assert_eq!(end.code, 0, "{}{}", end.out, end.err);
    assert!(snapshot(&desk).join("b.safetensors").exists());
}

#[test]
fn optional_files_are_fetched_where_they_are_and_noted_where_they_are_not() {
    let mut files = pico_files();
    files.push((
        "chat_template.jinja",
        b"{% if enable_thinking %}?{% endif %}Q: {{ messages[0].content }} A:".to_vec(),
    ));
    let (hub, desk) = (Hub::new(files), desk("hf:tiny/pico"));
    let render = || ended(command(&desk, &hub.endpoint(), &["render", "plans/desk.toml"]));
    let first = render();
    assert_eq!((first.code, first.out.as_str()), (0, "Q: say yes A:"), "{}", first.err);
    let noted = desk.at("hf/hub/models--tiny--pico/.no_exist").join(COMMIT).join("generation_config.json");
    assert!(noted.exists());
    let asked = hub.requests().len();
    fs::remove_file(noted).unwrap();
    fs::remove_file(snapshot(&desk).join("chat_template.jinja")).unwrap();
    assert_eq!(render().out, first.out, "what another program left incomplete is completed");
    assert!(hub.requests().len() > asked);
}

#[test]
fn a_gguf_file_is_fetched_by_its_name_and_its_source_names_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = crate::engine_gguf::pico_as_gguf().write(folder.path(), "x");
    let hub = Hub::new([("pico-BF16.gguf", fs::read(path).unwrap())]);
    let whole = desk("hf:tiny/pico");
    let refused = run(&whole, &hub);
    assert_eq!(refused.code, 6);
    assert!(refused.err.contains("GGUF files in it: `pico-BF16.gguf`"), "{}", refused.err);
    let desk = desk("hf:tiny/pico@main/pico-BF16.gguf");
    let end = run(&desk, &hub);
    assert_eq!(end.code, 0, "{}{}", end.out, end.err);
    let source = &desk.records()[0].condition.found.source;
    assert_eq!(*source, Stated::Set(format!("gguf:pico from hf:{REPOSITORY}@{COMMIT}")));
}

#[test]
fn tokens_are_counted_under_a_model_that_is_fetched_for_it() {
    let (hub, desk) = (Hub::new(pico_files()), desk("pico"));
    fs::write(desk.at("text.txt"), "one two three").unwrap();
    let end =
        ended(command(&desk, &hub.endpoint(), &["tokens", "text.txt", "--models", "hf:tiny/pico", "pico"]));
    assert_eq!(end.code, 0, "{}", end.err);
    assert!(end.out.contains("1.000"), "{}", end.out);
}

#[test]
fn files_of_a_servers_model_come_from_the_hub_and_the_users_configuration_is_leave_for_it() {
    let desk = desk("served");
    let text = fs::read_to_string(desk.at("plans/desk.toml")).unwrap();
    let reached = "engine = \"openai\"\nurl = \"http://127.0.0.1:9\"\nmodel_files = \"hf:tiny/pico\"";
    let text = text.replace(r#"engine = "candle""#, reached).replace("quantization = \"q8_0\"\n", "");
    desk.write_plan(&text.replace("threads = 1\n", ""));
    let hub = Hub::new(pico_files());
    let render = ended(command(&desk, &hub.endpoint(), &["render", "plans/desk.toml"]));
    assert_eq!(render.code, 0, "{}{}", render.out, render.err);
    assert!(render.err.contains(&format!("hf:{REPOSITORY}@{COMMIT}: fetching")), "{}", render.err);
    assert!(snapshot(&desk).join("config.json").exists());

    let elsewhere = |leave: bool| {
        let config = desk.at("config/planrun");
        fs::create_dir_all(&config).unwrap();
        let entry =
            format!("[[allow]]\nfolder = {:?}\nnet = {leave}\n", desk.at("plans").display().to_string());
        fs::write(config.join("config.toml"), entry).unwrap();
        let mut command = command(&desk, "https://hub.invalid", &["run", "plans/desk.toml"]);
        command.env("HF_HOME", desk.at("empty"));
        ended(command).err
    };
    let (kept, let_go) = (elsewhere(false), elsewhere(true));
    assert!(kept.contains("hf:tiny/pico") && kept.contains("`--allow-net`"), "{kept}");
    assert!(let_go.contains("hf:tiny/pico") && !let_go.contains("`--allow-net`"), "{let_go}");
}
