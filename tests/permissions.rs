//! A plan starts programs and asks other machines only where its user lets it.

use crate::support::desk::{Desk, plan};
use crate::support::scripted_server::{Answer, ScriptedServer};
use std::fs;
use std::path::Path;

/// A plan on another engine than the stand-in; `reached` says how.
fn desk(engine: &str, reached: &str) -> Desk {
    let stated = format!("engine = \"{engine}\"\n{reached}");
    let text = plan("thinking = [true, false]", "blocks = 2")
        .replace(r#"engine = "scripted""#, &stated)
        .replace(r#"model = "scripted:noise=0.02""#, r#"model = "tiny""#)
        .replace("quantization = \"q8_0\"\n", "");
    Desk::new(&text)
}

fn with_program() -> Desk {
    desk("llama_cpp", r#"program = "./server""#)
}

/// Writes the user's configuration and gives its path.
fn configure(desk: &Desk, text: &str) -> String {
    let path = desk.at("config/planrun/config.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn allow(desk: &Desk, folder: &Path, what: &str) {
    configure(desk, &format!("[[allow]]\nfolder = {:?}\n{what} = true\n", folder.display().to_string()));
}

/// True if the plan was not kept from running; what then becomes of it is another matter.
fn had_leave(desk: &Desk, arguments: &[&str]) -> bool {
    let end = desk.run_plan(arguments);
    assert!(!end.err.contains("panicked"), "{}", end.err);
    let kept_back = end.err.contains("needs your leave");
    assert!(!kept_back || desk.stores().is_empty(), "{}{}", end.out, end.err);
    !kept_back
}

#[test]
fn a_plan_starts_a_program_only_with_leave() {
    let desk = with_program();
    let end = desk.run_plan(&[]);
    assert_eq!(end.code, 6, "{}", end.err);
    let config = desk.at("config/planrun/config.toml").display().to_string();
    for part in ["starts ./server", "--allow-exec", "`exec = true`", config.as_str()] {
        assert!(end.err.contains(part), "{part}: {}", end.err);
    }
    assert!(desk.stores().is_empty());
    assert!(had_leave(&desk, &["--allow-exec"]));
}

#[test]
fn what_cannot_run_is_told_before_the_first_run() {
    let end = with_program().run_plan(&["--allow-exec"]);
    assert_eq!(end.code, 6, "{}", end.err);
    assert!(end.err.contains("it cannot run on this machine: "), "{}", end.err);
    let desk = desk("llama_cpp", "arguments = [\"--host\", \"0.0.0.0\"]");
    for end in [desk.run(&["check", "plans/desk.toml"]), desk.run_plan(&["--allow-exec"])] {
        assert_eq!(end.code, 3, "{}{}", end.out, end.err);
        let told = end.out + &end.err;
        assert!(told.contains("an engine refuses this plan: arguments: `--host`"), "{told}");
    }
    assert!(desk.stores().is_empty());
}

#[test]
fn the_user_can_grant_it_to_a_folder_for_good() {
    let desk = with_program();
    allow(&desk, &desk.at("reports"), "exec");
    assert!(!had_leave(&desk, &[]), "another folder");
    allow(&desk, &desk.at("plans"), "net");
    assert!(!had_leave(&desk, &[]), "leave for something else");
    allow(&desk, Path::new("plans"), "exec");
    assert!(!had_leave(&desk, &[]), "a relative folder means another one in every place");
    allow(&desk, desk.at("plans").parent().unwrap(), "exec");
    assert!(had_leave(&desk, &[]));
}

#[test]
fn a_link_does_not_lead_out_of_the_folder_that_was_meant() {
    let (trusted, desk) = (tempfile::tempdir().unwrap(), with_program());
    std::os::unix::fs::symlink(trusted.path().join("plans"), desk.at("trusted")).unwrap();
    fs::create_dir(trusted.path().join("plans")).unwrap();
    std::os::unix::fs::symlink(desk.at("plans"), trusted.path().join("plans/linked")).unwrap();
    allow(&desk, trusted.path(), "exec");
    let linked = trusted.path().join("plans/linked/desk.toml").display().to_string();
    let end = desk.run(&["run", &linked]);
    assert!(end.err.contains("needs your leave"), "{}{}", end.out, end.err);
}

#[test]
fn a_configuration_that_cannot_be_read_allows_nothing_and_is_named() {
    let desk = with_program();
    for wrong in ["[[allow]]\nfolder = \"/\"\nexce = true\n", "allow = 3\n", "[[allow]\n"] {
        let path = configure(&desk, wrong);
        let end = desk.run_plan(&[]);
        assert_eq!(end.code, 6, "{}", end.err);
        assert!(end.err.contains(&path), "{}", end.err);
        assert!(desk.stores().is_empty());
    }
}

#[test]
fn a_server_on_another_machine_is_asked_only_with_leave() {
    let desk = desk("openai", r#"url = "http://server.invalid:8000""#);
    let end = desk.run_plan(&[]);
    assert_eq!(end.code, 6, "{}", end.err);
    assert!(end.err.contains("http://server.invalid:8000") && end.err.contains("--allow-net"), "{}", end.err);
    assert!(desk.stores().is_empty());
    assert!(!had_leave(&desk, &["--allow-exec"]));
    allow(&desk, &desk.at("plans"), "net");
    assert!(had_leave(&desk, &[]));
}

#[test]
fn a_server_on_this_machine_needs_no_leave() {
    assert!(had_leave(&desk("openai", r#"url = "http://127.0.0.1:9""#), &[]));
}

#[test]
fn check_lists_what_a_plan_would_start_and_ask_and_does_neither() {
    let desk = with_program();
    let end = desk.run(&["check", "plans/desk.toml"]);
    assert_eq!(end.code, 0, "{}", end.err);
    assert!(end.out.contains("starts ./server: ") && end.out.contains("--allow-exec"), "{}", end.out);
    for (url, told) in [
        ("http://127.0.0.1:9", "asks the server at http://127.0.0.1:9, on this machine"),
        (
            "https://server.invalid/v1",
            "asks the server at https://server.invalid/v1; running it needs --allow-net",
        ),
    ] {
        let desk = self::desk("openai", &format!("url = {url:?}"));
        let end = desk.run(&["check", "plans/desk.toml"]);
        assert!(end.out.contains(told), "{}{}", end.out, end.err);
    }
}

#[test]
fn check_makes_short_runs_at_a_server_only_with_leave() {
    let server = ScriptedServer::new(|_| Answer::whole(404, "text/plain", "not here"));
    let desk = desk("openai", &format!("url = {:?}", server.url()));
    assert_eq!(desk.run(&["check", "plans/desk.toml", "--allow-exec"]).code, 0);
    assert!(server.asked().is_empty(), "{:?}", server.asked());
    assert_eq!(desk.run(&["check", "plans/desk.toml", "--allow-net"]).code, 0);
    assert!(!server.asked().is_empty());
}

#[test]
fn a_plan_cannot_bring_its_own_configuration() {
    let desk = with_program();
    allow(&desk, &desk.at(""), "exec");
    let home = desk.at("home/.config/planrun");
    fs::create_dir_all(&home).unwrap();
    fs::copy(desk.at("config/planrun/config.toml"), home.join("config.toml")).unwrap();
    fs::create_dir_all(desk.at("planrun")).unwrap();
    fs::copy(desk.at("config/planrun/config.toml"), desk.at("planrun/config.toml")).unwrap();
    for (config, home) in
        [(None, None), (None, Some("home")), (Some("config"), Some("home")), (Some(""), None)]
    {
        let mut command = desk.command(&["run", "plans/desk.toml"]);
        command.env_remove("XDG_CONFIG_HOME").env_remove("HOME");
        command.envs(config.map(|value| ("XDG_CONFIG_HOME", value)));
        command.envs(home.map(|value| ("HOME", value)));
        let told = String::from_utf8(command.output().unwrap().stderr).unwrap();
        assert!(told.contains("needs your leave"), "{config:?} {home:?}: {told}");
    }
}

#[test]
fn check_names_the_variable_whose_value_a_server_gets() {
    let reached = "url = \"https://server.invalid\"\napi_key = \"SOMEBODYS_KEY\"";
    let desk = desk("openai", reached);
    let told = desk.run(&["check", "plans/desk.toml"]).out;
    assert!(told.contains("https://server.invalid (and sends it the value of $SOMEBODYS_KEY)"), "{told}");
    let refused = desk.run_plan(&[]).err;
    assert!(refused.contains("$SOMEBODYS_KEY"), "{refused}");
}

#[test]
fn a_key_that_is_not_there_or_cannot_be_sent_is_told_once_before_the_first_run() {
    let server = ScriptedServer::new(|_| Answer::whole(404, "text/plain", "not here"));
    let desk = desk("openai", &format!("url = {:?}\napi_key = \"SOMEBODYS_KEY\"", server.url()));
    for (value, told) in [
        (None, "the environment variable SOMEBODYS_KEY is not set"),
        (Some("one\ntwo"), "the value of $SOMEBODYS_KEY cannot be sent"),
        (Some("schl\u{fc}ssel"), "the value of $SOMEBODYS_KEY cannot be sent"),
    ] {
        let mut command = desk.command(&["run", "plans/desk.toml"]);
        command.env_remove("SOMEBODYS_KEY").envs(value.map(|value| ("SOMEBODYS_KEY", value)));
        let output = command.output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), err.matches(told).count()), (Some(6), 1), "{err}");
        assert!(!value.is_some_and(|value| err.contains(value)), "{err}");
    }
    assert!(server.asked().is_empty() && desk.stores().is_empty());
}

#[test]
fn check_shows_every_command_line() {
    let shown = |arguments: &str| {
        let desk = desk("transformers", "program = \"./python\"");
        let text = fs::read_to_string(desk.at("plans/desk.toml")).unwrap();
        desk.write_plan(&text.replace(
            "thinking = [true, false]",
            &format!("thinking = [true, false]\narguments = {arguments}"),
        ));
        let end = desk.run(&["check", "plans/desk.toml"]);
        assert_eq!(end.code, 0, "{}", end.err);
        end.out
    };
    let told = shown("[[\"-Xutf8\"], [\"-W\\u001b[1A\"]]");
    assert!(told.contains("starts ./python: ./python -Xutf8; running it needs --allow-exec"), "{told}");
    assert!(told.contains(r"-W\u{1b}[1A"), "{told}");
    let many: Vec<String> = (0..42).map(|number| format!("[\"-X{number}\"]")).collect();
    let told = shown(&format!("[{}]", many.join(", ")));
    assert_eq!(told.matches("starts ./python: ").count(), 40, "{told}");
    assert!(told.contains("starts programs with 2 more command lines"), "{told}");
}
