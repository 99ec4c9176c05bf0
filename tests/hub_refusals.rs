//! When a model cannot be fetched, the error says why and what to do, and nothing is left that looks like a model.

use crate::hub_models::{command, desk, ended, pico_files, run, snapshot};
use crate::support::desk::{Desk, Ended};
use crate::support::hub::{Faults, Hub};
use std::fs;

const WEIGHTS: &str = "model.safetensors";

fn refused(end: &Ended, told: &[&str]) {
    assert_eq!(end.code, 6, "{}{}", end.out, end.err);
    for part in told {
        assert!(end.err.contains(part), "{part:?} is missing in {}", end.err);
    }
    assert!(!end.err.contains("panicked"), "{}", end.err);
}

#[test]
fn a_plan_reaches_beyond_this_machine_only_where_the_user_allows_it() {
    let desk = desk("hf:tiny/pico");
    let end = ended(command(&desk, "https://hub.invalid", &["run", "plans/desk.toml"]));
    refused(&end, &["hf:tiny/pico", "fetched from hub.invalid", "`--allow-net`"]);
    assert!(desk.stores().is_empty() && !desk.at("hf").exists());
}

#[test]
fn offline_it_says_so_without_a_request() {
    let (hub, desk) = (Hub::new(pico_files()), desk("hf:tiny/pico@v1"));
    let mut offline = command(&desk, &hub.endpoint(), &["run", "plans/desk.toml", "--allow-net"]);
    offline.env("HF_HUB_OFFLINE", "1");
    refused(&ended(offline), &["hf:tiny/pico@v1", "HF_HUB_OFFLINE forbids", "unset HF_HUB_OFFLINE"]);
    assert!(hub.requests().is_empty());
}

#[test]
fn a_hub_that_does_not_answer_is_named() {
    let (hub, desk) = (Hub::new(pico_files()), desk("hf:tiny/pico"));
    let endpoint = hub.endpoint();
    drop(hub);
    let end = ended(command(&desk, &endpoint, &["run", "plans/desk.toml"]));
    refused(
        &end,
        &["hf:tiny/pico", &endpoint["http://".len()..], "does not answer", "connect to the network once"],
    );
    let unknown = ended(command(&desk, "https://hub.invalid", &["run", "plans/desk.toml", "--allow-net"]));
    refused(&unknown, &["hub.invalid does not answer"]);
}

#[test]
fn each_refusal_of_the_hub_has_its_remedy() {
    let hub = Hub::new(pico_files());
    let told = |model: &str, faults: Faults, told: &[&str]| {
        hub.set(faults);
        refused(&run(&desk(model), &hub), told);
    };
    let none = Faults::default;
    told(
        "hf:tiny/none",
        none(),
        &["hf:tiny/none", "does not show this repository without a token", "set HF_TOKEN"],
    );
    told("hf:tiny/pico@v2", none(), &["hf:tiny/pico@v2", "no revision `v2`", "40 digits of a commit"]);
    let listing = |status, code| Faults { listing: Some((status, code)), ..none() };
    told("hf:tiny/pico", listing(404, "RepoNotFound"), &["has no such repository", "check the name"]);
    told("hf:tiny/pico", listing(429, ""), &["status 429", "wait a while"]);
    told("hf:tiny/pico", listing(503, ""), &["status 503", "try again later"]);
    let files = |status| Faults { files: Some((status, "GatedRepo")), ..none() };
    for status in [401, 403] {
        told("hf:tiny/pico", files(status), &["accept their conditions", "/tiny/pico", "HF_TOKEN"]);
    }
    for text in ["", "{}", "[1]", r#"{"sha": "../../x", "siblings": []}"#] {
        told("hf:tiny/pico", Faults { text: Some(text), ..none() }, &["answer cannot be used"]);
    }
    let bare = Hub::new([("README.md", b"x".to_vec())]);
    refused(
        &run(&desk("hf:tiny/pico"), &bare),
        &["has no `tokenizer_config.json`", "GGUF files in it: none"],
    );
}

#[test]
fn the_token_reaches_the_hub_and_no_one_else() {
    let (hub, desk) = (Hub::new(pico_files()), desk("hf:tiny/pico"));
    hub.set(Faults { listing: Some((401, "RepoNotFound")), ..Faults::default() });
    let with_token = || {
        let mut command = command(&desk, &hub.endpoint(), &["run", "plans/desk.toml"]);
        command.env("HF_TOKEN", "hf_secret\n");
        ended(command)
    };
    let end = with_token();
    refused(&end, &["does not show this repository with your token", "that the token is valid"]);
    assert!(hub.requests()[0].ends_with("Bearer hf_secret"), "{:?}", hub.requests());
    hub.set(Faults::default());
    let end = with_token();
    assert_eq!(end.code, 0, "{}", end.err);
    for text in [end.out, end.err, fs::read_to_string(desk.record_path("quality-c0000")).unwrap()] {
        assert!(!text.contains("hf_secret"), "{text}");
    }
}

#[test]
fn a_download_that_breaks_off_leaves_no_model_and_goes_on_next_time() {
    let (hub, desk) = (Hub::new(pico_files()), desk("hf:tiny/pico"));
    hub.set(Faults { cut: Some(WEIGHTS), ..Faults::default() });
    refused(
        &run(&desk, &hub),
        &["hf:tiny/pico", "`model.safetensors` broke off", "run the same command again"],
    );
    assert!(!snapshot(&desk).join(WEIGHTS).exists() && desk.stores().is_empty());
    let mut offline = command(&desk, &hub.endpoint(), &["run", "plans/desk.toml"]);
    offline.env("HF_HUB_OFFLINE", "1");
    refused(&ended(offline), &["`main` is not in"]);

    hub.set(Faults::default());
    let end = run(&desk, &hub);
    assert_eq!(end.code, 0, "{}{}", end.out, end.err);
    let half = hub.file(WEIGHTS).len() / 2;
    let resumed = format!("bytes={half}-");
    assert!(hub.requests().iter().any(|request| request.contains(&resumed)), "{:?}", hub.requests());
    assert_eq!(fs::read(snapshot(&desk).join(WEIGHTS)).unwrap(), hub.file(WEIGHTS));
}

#[test]
fn a_download_that_was_complete_but_not_named_is_made_anew() {
    let (hub, desk) = (Hub::new(pico_files()), desk("hf:tiny/pico"));
    let weights = hub.file(WEIGHTS);
    let blobs = desk.at("hf/hub/models--tiny--pico/blobs");
    fs::create_dir_all(&blobs).unwrap();
    fs::write(blobs.join(format!("{}.part", planrun::fingerprint::of_bytes(&weights))), &weights).unwrap();
    let end = run(&desk, &hub);
    assert_eq!(end.code, 0, "{}{}", end.out, end.err);
}

#[test]
fn what_is_not_what_the_hub_announced_is_removed() {
    let (hub, desk) = (Hub::new(pico_files()), desk("hf:tiny/pico"));
    hub.set(Faults { spoilt: Some(WEIGHTS), ..Faults::default() });
    refused(
        &run(&desk, &hub),
        &["`model.safetensors` is not what the hub announced (SHA-256", "was removed"],
    );
    assert!(!snapshot(&desk).join(WEIGHTS).exists());
    hub.set(Faults::default());
    assert_eq!(run(&desk, &hub).code, 0);
}

#[test]
fn an_index_that_names_files_elsewhere_is_refused_before_they_are_fetched() {
    let mut files = pico_files();
    files.retain(|(name, _)| *name != WEIGHTS);
    let index = r#"{"weight_map": {"a": "../../../../etc/passwd.safetensors"}}"#;
    files.push(("model.safetensors.index.json", index.as_bytes().to_vec()));
    let (hub, desk) = (Hub::new(files), desk("hf:tiny/pico"));
    refused(
        &run(&desk, &hub),
        &["model.safetensors.index.json", "etc/passwd", "is no safetensors file in the model's folder"],
    );
    assert!(hub.requests().iter().all(|request| !request.contains("passwd")));
}

#[test]
fn names_that_are_none_are_errors_of_the_plan() {
    for model in ["hf:pico", "hf:tiny/pico:Q4_K_M", "hf:tiny/../x", "hf:tiny/pico@main/model.safetensors"] {
        let desk: Desk = desk(model);
        let end = ended(command(&desk, "https://hub.invalid", &["check", "plans/desk.toml", "--no-probe"]));
        assert_eq!(end.code, 3, "{}", end.err);
        assert!(end.err.contains(model) && end.err.contains("`hf:ORG/NAME@COMMIT`"), "{}", end.err);
        assert!(end.err.contains("desk.toml:6"), "{}", end.err);
    }
}
