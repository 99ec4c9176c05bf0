//! Scoring by log-likelihood: which option is chosen, what is asked of the engine, and what an item keeps.

use crate::workload_engine::FakeEngine;
use planrun::condition::{CacheState, Isolation, Mode, Observed, Settings, Stated, Workload};
use planrun::engine::{Engine, EngineError};
use planrun::generation::{
    Continuation, Generation, LogLikelihoods, Message, Prompt, Request, Stopwatch, TokenLikelihood,
};
use planrun::measure::{Item, measure};
use planrun::record::{ChoiceLikelihood, RunRecord, load, to_compact};
use planrun::task::{Scorer, TaskSet};
use planrun::workload::{DriveError, Driven, Job, drive};
use std::path::Path;

/// An engine whose tokens are words, each with the log-probability that it is told.
struct Reader {
    inner: FakeEngine,
    observed: Observed,
    word: fn(&str) -> f64,
    read: Vec<(String, Vec<String>)>,
    /// What its prompts end with.
    end: &'static str,
}

impl Reader {
    fn new(word: fn(&str) -> f64) -> Self {
        let observed = Observed { chat_template: Stated::Unset, ..Observed::default() };
        Self {
            inner: FakeEngine::new(|_| Err("nothing is generated")),
            observed,
            word,
            read: Vec::new(),
            end: "",
        }
    }
}

impl Engine for Reader {
    fn observed(&self) -> &Observed {
        &self.observed
    }
    fn clock(&self) -> Stopwatch {
        self.inner.clock()
    }
    fn has_thinking_switch(&self) -> bool {
        false
    }
    fn render(&self, messages: &[Message], thinking: Stated<bool>) -> Result<Prompt, EngineError> {
        let prompt = self.inner.render(messages, thinking)?;
        Ok(Prompt { text: prompt.text + self.end, ..prompt })
    }
    fn synthetic_prompt(&self, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
        self.inner.synthetic_prompt(tokens, seed)
    }
    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        self.inner.generate(request)
    }
    fn log_likelihoods(&mut self, prompt: &Prompt, texts: &[String]) -> Result<LogLikelihoods, EngineError> {
        self.read.push((prompt.text.clone(), texts.to_vec()));
        if prompt.text.contains("broken") {
            return Err(EngineError::Failed { doing: "reading continuations", problem: "lost".into() });
        }
        let token = |word: &str| {
            let log_probability = (self.word)(word);
            TokenLikelihood { id: 1, log_probability, greedy: log_probability > -0.5 }
        };
        let one = |text: &String| Continuation { tokens: text.split_whitespace().map(token).collect() };
        let continuations = texts.iter().map(one).collect();
        Ok(LogLikelihoods { context_tokens: 7, cached_tokens: Some(0), continuations, seconds: 0.25 })
    }
    fn forget(&mut self) -> Result<(), EngineError> {
        self.inner.forget()
    }
}

/// By hand: sums -4.0, -6.0, -3.5, -3.8; over 4, 14, 4 and 2 characters -1.0, -0.43, -0.875, -1.9. Letters -1, -2, -3, -0.4.
fn by_hand(word: &str) -> f64 {
    match word {
        "Rome" => -4.0,
        "Constantinople" => -6.0,
        "New" | "C" => -3.0,
        "Y" => -0.5,
        "Ur" => -3.8,
        "A" => -1.0,
        "B" => -2.0,
        "D" => -0.4,
        _ => -9.0,
    }
}

fn tasks(lines: &str) -> TaskSet {
    TaskSet::parse(Path::new("t.jsonl"), lines.as_bytes()).unwrap()
}

const CITIES: &str =
    r#"{"id":"a","prompt":"Which?","choices":["Rome","Constantinople","New Y","Ur"],"expected":"B"}"#;

fn settings(scorer: Scorer) -> Settings {
    Settings { scorer: scorer.into(), prefix_cache: CacheState::Cold.into(), ..Settings::default() }
}

fn run(engine: &mut dyn Engine, scorer: Scorer, lines: &str) -> Result<Driven, DriveError> {
    let workload = Workload {
        name: "w".into(),
        mode: Mode::Single,
        tasks: Some("t.jsonl".into()),
        prompt_tokens: None,
        gen_tokens: None,
        passes: 1,
        quality: true,
        timing: false,
        isolation: Isolation::Run,
    };
    let (settings, tasks) = (settings(scorer), tasks(lines));
    let settings = Settings { max_tokens: 4.into(), ..settings };
    let job = Job { settings: &settings, workload: &workload, tasks: Some(&tasks), examples: None };
    drive(engine, &job, &mut |_| {})
}

fn item(scorer: Scorer) -> Item {
    run(&mut Reader::new(by_hand), scorer, CITIES).unwrap().items.remove(0)
}

#[test]
fn acc_takes_the_largest_sum() {
    let item = item(Scorer::Loglikelihood);
    assert_eq!((item.chosen, item.answer.as_deref(), item.score), (Some(2), Some("New Y"), Some(0.0)));
}

#[test]
fn acc_norm_takes_the_largest_sum_for_each_character() {
    let item = item(Scorer::LoglikelihoodNorm);
    assert_eq!((item.chosen, item.answer.as_deref()), (Some(1), Some("Constantinople")));
    assert_eq!(item.score, Some(1.0));
}

#[test]
fn letters_are_judged_by_themselves() {
    let item = item(Scorer::LoglikelihoodLetter);
    assert_eq!((item.chosen, item.answer.as_deref(), item.score), (Some(3), Some("D"), Some(0.0)));
}

#[test]
fn of_equal_options_the_first_is_chosen_and_characters_are_not_bytes() {
    let texts = ["Köln".to_owned(), "Rome".to_owned(), "Bari".to_owned()];
    assert_eq!(Scorer::Loglikelihood.preferred(&texts, &[-2.0, -1.0, -1.0]), Some(1));
    // Four characters each: by bytes the first would be longer and win.
    assert_eq!(Scorer::LoglikelihoodNorm.preferred(&texts, &[-1.1, -1.0, -1.0]), Some(1));
    assert_eq!(Scorer::Loglikelihood.preferred(&[], &[]), None);
}

#[test]
fn an_item_keeps_what_every_option_got() {
    let item = item(Scorer::Loglikelihood);
    let choices = item.choices.as_ref().unwrap();
    assert_eq!(choices.len(), 4);
    let wanted = ChoiceLikelihood { log_likelihood: -3.5, tokens: 2, characters: 5, greedy: false };
    assert_eq!(choices[2], wanted);
    assert_eq!((item.prompt_tokens, item.cached_tokens, item.read_s), (Some(7), Some(0), Some(0.25)));
    assert_eq!((item.text.as_str(), item.ids, item.reply_tokens, item.stop), ("", None, None, None));
    let letters = self::item(Scorer::LoglikelihoodLetter).choices.unwrap();
    assert_eq!(letters.iter().map(|letter| letter.greedy).collect::<Vec<_>>(), [false, false, false, true]);
}

#[test]
fn a_space_stands_before_an_option_unless_a_template_or_the_prompt_gave_it() {
    let asked = |engine: &mut Reader, lines: &str| {
        run(engine, Scorer::LoglikelihoodLetter, lines).unwrap();
        engine.read.remove(0)
    };
    let mut engine = Reader::new(by_hand);
    assert_eq!(
        asked(&mut engine, CITIES),
        ("Which?|".into(), [" A", " B", " C", " D"].map(String::from).to_vec())
    );
    engine.observed.chat_template = Stated::Set("a template".into());
    assert_eq!(asked(&mut engine, CITIES).1[0], "A");
    engine.observed.chat_template = Stated::Unset;
    engine.end = "\n";
    assert_eq!(
        asked(&mut engine, CITIES),
        ("Which?|\n".into(), ["A", "B", "C", "D"].map(String::from).to_vec())
    );
}

#[test]
fn quality_is_measured_and_nothing_of_a_reply_is() {
    let driven = run(&mut Reader::new(by_hand), Scorer::LoglikelihoodNorm, CITIES).unwrap();
    assert_eq!((&driven.void, driven.prefix_cache), (&None, CacheState::Cold.into()));
    let metrics = measure(&driven.items, &driven.around).metrics;
    assert_eq!(metrics["quality"].value, Some(1.0));
    assert_eq!(metrics["unanswered_share"].value, Some(0.0));
    for name in ["ttft", "decode_tok_s", "prefill_tok_s", "full_reply_s", "reply_tokens", "capped_share"] {
        assert_eq!(metrics[name].value, None, "{name}");
    }
}

#[test]
fn a_task_that_cannot_be_read_scores_0_and_the_others_go_on() {
    let lines = format!("{}\n{CITIES}", CITIES.replace("Which", "broken").replace("\"a\"", "\"z\""));
    let driven = run(&mut Reader::new(by_hand), Scorer::LoglikelihoodNorm, &lines).unwrap();
    assert_eq!(driven.items[0].error.as_deref(), Some("reading continuations: lost"));
    assert_eq!((driven.items[0].score, driven.items[1].score), (Some(0.0), Some(1.0)));
}

#[test]
fn an_engine_without_log_likelihoods_says_so_with_a_remedy() {
    let mut engine = FakeEngine::new(|_| Ok("B"));
    let error = run(&mut engine, Scorer::Loglikelihood, CITIES).unwrap_err().to_string();
    assert!(error.contains("scorer: this engine gives no log-likelihoods"), "{error}");
    assert!(error.contains("use the engine `candle`"), "{error}");
}

#[test]
fn a_prompt_that_opens_a_reasoning_voids_the_run() {
    let mut engine = Reader::new(by_hand);
    engine.inner.opens = true;
    let void = run(&mut engine, Scorer::Loglikelihood, CITIES).unwrap().void.unwrap();
    assert!(void.starts_with("the rendered prompt of task a opens a reasoning"), "{void}");
}

#[test]
fn records_keep_options_without_loss_and_older_ones_read_as_before() {
    let mut record = crate::support::record::record(1);
    let older = serde_json::to_string(&record).unwrap();
    assert!(!older.contains("\"choices\"") && !older.contains("\"chosen\"") && !older.contains("read_s"));
    record.items = vec![item(Scorer::LoglikelihoodNorm)];
    record.condition.asked.scorer = Scorer::LoglikelihoodNorm.into();
    let text = serde_json::to_string(&record).unwrap();
    assert!(text.contains(r#""scorer":"loglikelihood_norm""#), "{text}");
    assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap(), record);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.jsonl");
    std::fs::write(&path, to_compact(&[record.clone()]).unwrap()).unwrap();
    assert_eq!(load(folder.path()).unwrap(), [record]);
}
