//! `planrun render` and `planrun tokens` on the embedded model.

use crate::support::desk::{Desk, Ended};
use planrun::condition::{Settings, Stated};
use planrun::engine::{CandleEngine, Engine};
use planrun::generation::{Message, Role};
use std::fs;
use std::path::Path;

const PLAN: &str = r#"[plan]
name = "desk"
question = "What is asked?"

[settings]
model = "pico"
engine = "candle"
temperature = 0
warmup = 0
max_tokens = 8
scorer = "exact"

[grid]
thinking = [true, false]

[[workload]]
name = "speed"
prompt_tokens = 5
gen_tokens = 2

[[workload]]
name = "quality"
tasks = "tasks.jsonl"
quality = true
"#;

fn render(desk: &Desk, arguments: &[&str]) -> Ended {
    desk.run(&[&["render", "plans/desk.toml"], arguments].concat())
}

fn pico() -> CandleEngine {
    let settings = Settings { model: Stated::Set("pico".to_owned()), ..Settings::default() };
    CandleEngine::open(&settings, Path::new("")).unwrap()
}

#[test]
fn the_text_is_what_the_engine_renders_and_nothing_else() {
    let desk = Desk::new(PLAN);
    let messages = |text: &str| [Message { role: Role::User, content: text.to_owned() }];
    let right = |text: &str, thinking: bool| pico().render(&messages(text), Stated::Set(thinking)).unwrap();
    let first = render(&desk, &[]);
    assert_eq!((first.code, first.out, first.err), (0, right("say yes", true).text, String::new()));
    assert_eq!(render(&desk, &["--cell", "c0001", "--task", "2"]).out, right("say no", false).text);
    assert_eq!(render(&desk, &["--cell", "thinking=false"]).out, right("say yes", false).text);
    let ids: Vec<String> = right("say yes", true).ids.unwrap().iter().map(u32::to_string).collect();
    assert_eq!(render(&desk, &["--ids"]).out, ids.join(" ") + "\n");
}

#[test]
fn synthetic_prompts_can_be_seen_too() {
    let ids = render(&Desk::new(PLAN), &["--workload", "speed", "--ids"]).out;
    assert_eq!(ids.split_whitespace().count(), 5, "{ids}");
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let desk = Desk::new(PLAN);
    for (arguments, told) in [
        (["--cell", "9"], "c0000 to c0001"),
        (["--task", "4"], "tasks 1 to 3"),
        (["--task", "0"], "tasks 1 to 3"),
        (["--workload", "w"], "speed, quality"),
    ] {
        let ended = render(&desk, &arguments);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{}", ended.err);
        assert!(ended.err.contains(told), "{}", ended.err);
    }
    assert_eq!(render(&desk, &["--set", "settings.max_tokens=0.5"]).code, 3);
    let absent = render(&desk, &["--set", "settings.model=absent"]);
    assert_eq!((absent.code, absent.out.as_str()), (6, ""), "{}", absent.err);
}

#[test]
fn a_template_that_refuses_the_conversation_says_its_line() {
    let desk = Desk::new(PLAN);
    fs::write(desk.at("plans/strict.jinja"), "a\n{{ raise_exception('no user may speak') }}").unwrap();
    let ended = render(&desk, &["--set", "settings.chat_template=strict.jinja"]);
    assert_eq!((ended.code, ended.out.as_str()), (5, ""));
    assert!(ended.err.contains("no user may speak (line 2 of the template)"), "{}", ended.err);
}

#[test]
fn tokens_are_counted_and_put_in_proportion_to_the_first_model() {
    let desk = Desk::new(PLAN);
    let text = "What is 2 + 2? Grüße!\n";
    fs::write(desk.at("text.txt"), text).unwrap();
    let ended = desk.run(&["tokens", "text.txt", "--models", "pico", "pico"]);
    let tokens = pico().tokenize(text).unwrap().len();
    assert_eq!(ended.code, 0, "{}", ended.err);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert_eq!(lines[0], "text.txt: 22 characters, 6 words");
    assert_eq!(
        lines[1].split_whitespace().collect::<Vec<_>>().join(" "),
        "model tokens per character per word ratio"
    );
    let row: Vec<&str> = lines[2].split_whitespace().collect();
    let shares = [tokens as f64 / 22.0, tokens as f64 / 6.0].map(|share| format!("{share:.3}"));
    assert_eq!(row, ["pico", &tokens.to_string(), &shares[0], &shares[1], "1.000"]);
    assert_eq!(lines[3], lines[2]);
}

#[test]
fn a_text_that_cannot_be_counted_is_an_error() {
    let desk = Desk::new(PLAN);
    fs::write(desk.at("latin.txt"), b"Gr\xfc\xdfe").unwrap();
    fs::write(desk.at("empty.txt"), " \n").unwrap();
    for (file, told) in
        [("latin.txt", "byte 2 is not UTF-8"), ("empty.txt", "no text"), ("absent.txt", "absent.txt")]
    {
        let ended = desk.run(&["tokens", file, "--models", "pico"]);
        assert_eq!((ended.code, ended.out.as_str()), (1, ""));
        assert!(ended.err.contains(told), "{}", ended.err);
    }
    fs::write(desk.at("text.txt"), "x").unwrap();
    assert_eq!(desk.run(&["tokens", "text.txt", "--models", "absent"]).code, 6);
}
