//! The driver: warm-up apart, cold requests, fingerprints, and replies checked against the thinking switch.

use crate::workload_engine::{Call, FakeEngine};
use planrun::condition::{CacheState, Isolation, Mode, Observed, Settings, Stated, Workload};
use planrun::fingerprint;
use planrun::task::{Scorer, TaskSet};
use planrun::workload::{DriveError, Driven, Job, Progress, drive};
use std::path::Path;

fn tasks() -> TaskSet {
    let lines = "{\"id\":\"a\",\"prompt\":\"1+1\",\"expected\":\"2\"}\n{\"id\":\"b\",\"prompt\":\"2+2\",\"expected\":\"4\",\"group\":\"g\"}";
    TaskSet::parse(Path::new("t.jsonl"), lines.as_bytes()).unwrap()
}

fn settings() -> Settings {
    Settings {
        thinking: false.into(),
        max_tokens: 16.into(),
        warmup: 2.into(),
        scorer: Scorer::Exact.into(),
        seed: 7.into(),
        prefix_cache: CacheState::Cold.into(),
        ..Settings::default()
    }
}

fn warm() -> Settings {
    Settings { prefix_cache: CacheState::Warm.into(), ..settings() }
}

fn workload() -> Workload {
    Workload {
        name: "w".into(),
        mode: Mode::Single,
        tasks: Some("t.jsonl".into()),
        prompt_tokens: None,
        gen_tokens: None,
        passes: 2,
        quality: true,
        timing: true,
        isolation: Isolation::Run,
    }
}

fn run(engine: &mut FakeEngine, settings: &Settings) -> Result<Driven, DriveError> {
    let (workload, tasks) = (workload(), tasks());
    drive(engine, &Job { settings, workload: &workload, tasks: Some(&tasks), examples: None }, &mut |_| {})
}

#[allow(clippy::unnecessary_wraps, reason = "the engine takes any function that may fail")]
fn two(_: &str) -> Result<&'static str, &'static str> {
    Ok("2")
}

#[test]
fn every_pass_asks_every_task_in_order_and_scores_the_answers() {
    let driven = run(&mut FakeEngine::new(two), &settings()).unwrap();
    let asked: Vec<_> = driven.items.iter().map(|item| (item.id.as_str(), item.pass, item.score)).collect();
    assert_eq!(asked, [("a", 0, Some(1.0)), ("b", 0, Some(0.0)), ("a", 1, Some(1.0)), ("b", 1, Some(0.0))]);
    assert_eq!(driven.items[1].group.as_deref(), Some("g"));
    assert_eq!((driven.items[0].ttft_s, driven.items[0].decode_s), (Some(0.5), Some(0.5)));
}

#[test]
fn the_warm_up_has_prompts_of_its_own_of_the_measured_length() {
    let driven = run(&mut FakeEngine::new(two), &settings()).unwrap();
    assert_eq!(driven.warmup.len(), 2);
    assert!(driven.warmup.iter().all(|item| item.score.is_none()));
    assert!(driven.warmup.iter().all(|warm| driven.items.iter().all(|item| item.prompt != warm.prompt)));
    assert_eq!(driven.warmup[0].prompt_tokens, driven.items[0].prompt_tokens);
}

#[test]
fn every_request_is_cold_unless_a_warm_cache_is_asked_for() {
    let mut engine = FakeEngine::new(two);
    run(&mut engine, &settings()).unwrap();
    assert_eq!(engine.calls.len(), 12);
    assert!(engine.calls.chunks(2).all(|pair| pair[0] == Call::Forget && pair[1] != Call::Forget));
}

#[test]
fn a_warm_run_reads_each_prompt_once_just_before_it_is_measured() {
    let mut engine = FakeEngine::new(two);
    engine.cached = Some(3);
    let driven = run(&mut engine, &warm()).unwrap();
    assert!(!engine.calls.contains(&Call::Forget));
    for pair in engine.calls[2..].chunks(2) {
        let [
            Call::Generate { prompt: primed, max_tokens: 1, .. },
            Call::Generate { prompt, max_tokens: 16, .. },
        ] = pair
        else {
            panic!("{pair:?}")
        };
        assert_eq!(primed, prompt);
    }
    let apart: Vec<&str> = driven.warmup.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(apart, ["warmup-0", "warmup-1", "prime-a", "prime-b", "prime-a", "prime-b"]);
    assert_eq!((driven.items.len(), driven.void, driven.prefix_cache), (4, None, CacheState::Warm.into()));
}

#[test]
fn a_warm_run_that_measured_a_cold_request_is_void() {
    let driven = run(&mut FakeEngine::new(two), &warm()).unwrap();
    let void = driven.void.unwrap();
    assert!(void.starts_with("prefix_cache is warm, but the request of task a (pass 0) was cold"), "{void}");
}

#[test]
fn prompts_are_fingerprinted_as_rendered() {
    let driven = run(&mut FakeEngine::new(two), &settings()).unwrap();
    let texts = ["1+1|<think></think>", "2+2|<think></think>"];
    assert_eq!(driven.renders.iter().map(|render| render.text.as_str()).collect::<Vec<_>>(), texts);
    let mut found = Observed::default();
    driven.observe(&mut found);
    assert_eq!(found.prompt_fingerprint, Stated::Set(fingerprint::of_parts(texts)));
    assert_eq!(found.task_set_fingerprint, Stated::Set(tasks().fingerprint()));
    assert!(found.prompt_ids_fingerprint.get().is_some());
    assert_eq!(found.thinking, Stated::Set(false));
    assert_eq!(found.prefix_cache, Stated::Set(CacheState::Cold));
}

#[test]
fn the_cache_state_is_what_the_engine_reports() {
    let mut engine = FakeEngine::new(two);
    engine.cached = Some(3);
    let driven = run(&mut engine, &settings()).unwrap();
    assert_eq!(driven.prefix_cache, Stated::Set(CacheState::Warm));
    assert_eq!(driven.warnings.len(), 1);
    engine.cached = None;
    assert_eq!(run(&mut engine, &settings()).unwrap().prefix_cache, Stated::Unknown);
}

#[test]
fn a_reply_that_thinks_although_thinking_is_off_voids_the_run() {
    let driven = run(&mut FakeEngine::new(|_| Ok("<think>hm</think>2")), &settings()).unwrap();
    assert!(driven.void.unwrap().contains("reply to task a holds a <think>"));
}

#[test]
fn a_thinking_mode_that_no_reply_follows_voids_the_run() {
    let thinking = Settings { thinking: true.into(), ..settings() };
    let ignored = run(&mut FakeEngine::new(two), &thinking).unwrap();
    assert!(ignored.void.unwrap().contains("ignored"));
    let followed = run(&mut FakeEngine::new(|_| Ok("<think>hm</think>2")), &thinking).unwrap();
    assert_eq!((followed.void, followed.thinking), (None, Stated::Set(true)));
    assert_eq!(followed.items[0].answer.as_deref(), Some("2"));
}

#[test]
fn a_block_opened_by_the_template_counts_as_reasoning() {
    let mut engine = FakeEngine::new(|_| Ok("hm</think>2"));
    engine.opens = true;
    let thinking = Settings { thinking: true.into(), ..settings() };
    let driven = run(&mut engine, &thinking).unwrap();
    assert_eq!((driven.void, driven.items[0].answer.as_deref()), (None, Some("2")));
    engine.answer = |_| Ok("hm 2");
    assert_eq!(run(&mut engine, &thinking).unwrap().items[0].answer, None);
}

#[test]
fn a_flag_hidden_in_the_system_prompt_voids_the_run_by_name() {
    for (thinking, flag) in [(false, "/think"), (true, "/no_think"), (true, "/nothink")] {
        let system_prompt = Stated::Set(format!("Be brief. {flag}"));
        let hidden = Settings { thinking: thinking.into(), system_prompt, ..settings() };
        let void = run(&mut FakeEngine::new(|_| Ok("<think>hm</think>2")), &hidden).unwrap().void.unwrap();
        let told = format!("thinking is {thinking}, but the system prompt of task a holds `{flag}`");
        assert!(void.starts_with(&told), "{void}");
    }
    let system_prompt = Stated::Set("Be brief. /think".to_owned());
    let open = Settings { thinking: Stated::Unset, system_prompt, ..settings() };
    let driven = run(&mut FakeEngine::new(|_| Ok("<think>hm</think>2")), &open).unwrap();
    assert_eq!((driven.void, driven.thinking), (None, Stated::Set(true)), "unset leaves it to the prompt");
}

#[test]
fn a_rendered_prompt_that_says_something_else_voids_the_run_by_name() {
    let mut engine = FakeEngine::new(|_| Ok("hm</think>2"));
    engine.closes = true;
    let driven = run(&mut engine, &Settings { thinking: true.into(), ..settings() }).unwrap();
    let told = "thinking is true, but the rendered prompt of task a switches it off";
    assert!(driven.void.unwrap().starts_with(told));
    assert_eq!(driven.thinking, Stated::Set(false));
}

#[test]
fn prompts_that_disagree_about_thinking_are_told() {
    let lines = "{\"id\":\"a\",\"prompt\":\"1+1 /think\"}\n{\"id\":\"b\",\"prompt\":\"2+2 /no_think\"}";
    let tasks = TaskSet::parse(Path::new("t.jsonl"), lines.as_bytes()).unwrap();
    let (settings, workload) = (Settings { thinking: Stated::Unset, ..settings() }, workload());
    let job = Job { settings: &settings, workload: &workload, tasks: Some(&tasks), examples: None };
    let driven = drive(&mut FakeEngine::new(two), &job, &mut |_| {}).unwrap();
    assert_eq!(driven.thinking, Stated::Unknown);
    assert!(driven.warnings[0].contains("task a asks for it, task b against it"), "{:?}", driven.warnings);
}

#[test]
fn a_failed_generation_is_an_item_and_the_others_go_on() {
    let answer = |prompt: &str| if prompt.starts_with("1+1") { Err("lost") } else { Ok("4") };
    let driven = run(&mut FakeEngine::new(answer), &settings()).unwrap();
    assert_eq!(driven.items[0].error.as_deref(), Some("answering: lost"));
    assert_eq!((driven.items[0].score, driven.items[1].score), (Some(0.0), Some(1.0)));
}

#[test]
fn requests_that_met_nobody_leave_nothing_measured() {
    let answer = |prompt: &str| if prompt.starts_with("1+1") { Err("lost") } else { Ok("4") };
    let mut engine = FakeEngine::new(answer);
    engine.gone = true;
    let outage = run(&mut engine, &settings()).unwrap().outage.unwrap();
    assert!(outage.starts_with("2 of 4 requests met nobody who answered"), "{outage}");
    assert!(outage.ends_with("the first: answering: lost"), "{outage}");
    let failed = run(&mut FakeEngine::new(answer), &settings()).unwrap();
    assert_eq!(failed.outage, None, "an answer that cannot be used is the engine's own");
}

#[test]
fn a_draft_model_that_drafts_nothing_is_none() {
    let drafting = |words: &str| Settings { speculation: words.to_owned().into(), ..settings() };
    let void = run(&mut FakeEngine::new(two), &drafting("draft:small.gguf")).unwrap().void.unwrap();
    assert!(void.starts_with("speculation is draft:small.gguf, but no token was drafted"), "{void}");
    assert_eq!(
        run(&mut FakeEngine::new(two), &drafting("ngram:4")).unwrap().void,
        None,
        "nothing may repeat itself"
    );
}

#[test]
fn a_run_of_failures_only_is_an_error() {
    let error = run(&mut FakeEngine::new(|_| Err("lost")), &settings()).unwrap_err().to_string();
    assert_eq!(error, "all 4 generations failed; the first: answering: lost");
}

#[test]
fn synthetic_prompts_have_a_fixed_length_and_so_have_replies() {
    let workload =
        Workload { tasks: None, prompt_tokens: Some(12), gen_tokens: Some(5), quality: false, ..workload() };
    let settings = settings();
    let mut engine = FakeEngine::new(two);
    let job = Job { settings: &settings, workload: &workload, tasks: None, examples: None };
    let driven = drive(&mut engine, &job, &mut |_| {}).unwrap();
    assert_eq!(driven.items.iter().map(|item| item.prompt_tokens).collect::<Vec<_>>(), [Some(12), Some(12)]);
    assert_eq!((driven.task_set_fingerprint, driven.thinking), (Stated::Unset, Stated::Unset));
    assert!(driven.around.fixed_length);
    let last = Call::Generate { prompt: "000000000000".into(), max_tokens: 5, seed: 8, ignore_eos: true };
    assert_eq!(engine.calls.last(), Some(&last));
}

#[test]
fn without_a_limit_the_context_window_is_the_limit() {
    let mut engine = FakeEngine::new(two);
    run(&mut engine, &Settings { max_tokens: Stated::Unset, warmup: Stated::Unset, ..settings() }).unwrap();
    let Call::Generate { prompt, max_tokens, .. } = &engine.calls[1] else { panic!("no request") };
    assert_eq!(*max_tokens as usize, 100 - prompt.len());
}

#[test]
fn a_workload_without_tasks_or_lengths_is_refused() {
    let (settings, workload) = (settings(), Workload { tasks: None, ..workload() });
    let job = Job { settings: &settings, workload: &workload, tasks: None, examples: None };
    let error = drive(&mut FakeEngine::new(two), &job, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("give one of them"));
}

#[test]
fn progress_is_told_after_each_generation() {
    let (settings, workload, tasks) = (settings(), workload(), tasks());
    let mut told: Vec<Progress> = Vec::new();
    let job = Job { settings: &settings, workload: &workload, tasks: Some(&tasks), examples: None };
    drive(&mut FakeEngine::new(two), &job, &mut |progress| told.push(progress)).unwrap();
    assert_eq!(told.len(), 6);
    assert!(told[1].warmup && !told[2].warmup);
    assert_eq!((told[5].done, told[5].total, told[5].tokens), (6, 6, Some(2)));
}
