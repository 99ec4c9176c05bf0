//! Plans that score by log-likelihood: what is refused before anything runs, and what the guard says of format and rule.

use crate::support::desk::Desk;
use crate::support::record::record;
use planrun::compare::license;
use planrun::condition::{Field, Stated};
use planrun::plan::Planned;
use planrun::run::prepare;
use planrun::task::Scorer;

const TASKS: &str = r#"{"id":"a","prompt":"Which is a bird?","choices":["cat","heron","oak","ant"],"expected":"B"}
{"id":"b","prompt":"Which is a tree?","choices":["oak","cat","heron","ant"],"expected":"A"}
{"id":"c","prompt":"Which is an insect?","choices":["oak","cat","heron","ant"],"expected":"D"}
"#;

const SETTINGS: &str =
    "model = \"scripted\"\nengine = \"scripted\"\nchat_template = \"none\"\nwarmup = 0\ntemperature = 0\n";

const GRID: &str = r#"prompt_format = [
  { name = "bare", question_template = "{prompt}\nAnswer:" },
  { name = "listed", question_template = "{prompt}\n{choices}\nAnswer:" },
  { name = "headed", question_template = "Question: {prompt}\n{choices}\nAnswer:" },
]
scorer = ["loglikelihood_letter", "loglikelihood", "loglikelihood_norm"]
"#;

const QUALITY: &str = "[[workload]]\nname = \"quality\"\ntasks = \"tasks.jsonl\"\nquality = true\n";

fn plan(settings: &str, grid: &str, rest: &str) -> String {
    format!(
        "[plan]\nname = \"desk\"\nquestion = \"What does the rule do?\"\n\n[settings]\n{settings}\n[grid]\n{grid}\n{rest}"
    )
}

fn desk(text: &str, tasks: &str) -> Desk {
    let desk = Desk::new(text);
    std::fs::write(desk.at("plans/tasks.jsonl"), tasks).unwrap();
    desk
}

fn planned(text: &str) -> Planned {
    let desk = desk(text, TASKS);
    prepare(&desk.at("plans/desk.toml"), &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

fn refused(text: &str, tasks: &str) -> String {
    let desk = desk(text, tasks);
    let Err(errors) = prepare(&desk.at("plans/desk.toml"), &[]) else {
        panic!("this plan is valid:\n{text}")
    };
    errors.to_string()
}

fn told(text: &str, words: &[&str]) {
    let told = refused(text, TASKS);
    assert!(words.iter().all(|word| told.contains(word)), "{words:?}\n{told}");
}

const TWO: &str = "scorer = [\"loglikelihood\", \"loglikelihood_norm\"]";

#[test]
fn formats_and_scorers_are_compared_one_at_a_time() {
    let planned = planned(&plan(SETTINGS, GRID, QUALITY));
    assert_eq!(planned.cells.len(), 9);
    // Two steps of the format for each of three scorers, two steps of the scorer for each of three formats.
    assert_eq!(planned.graph.edge_count(), 12);
    let fields: Vec<Field> = planned.workloads[0].edges.iter().map(|edge| edge.field).collect();
    assert_eq!(fields.iter().filter(|field| **field == Field::QuestionTemplate).count(), 6);
    assert_eq!(fields.iter().filter(|field| **field == Field::Scorer).count(), 6);
    let notes = planned.notes.join("\n");
    assert!(!notes.contains("thinking switch"), "without a template there is none to look for: {notes}");
}

#[test]
fn the_diagonal_of_format_and_scorer_is_refused_and_its_sides_are_not() {
    let before = record(3);
    let mut format = before.clone();
    format.condition.asked.question_template = Stated::Set("{prompt}\nAnswer:".into());
    format.condition.found.prompt_fingerprint = Stated::Set("another".into());
    format.condition.found.prompt_ids_fingerprint = Stated::Set("another".into());
    let mut scorer = before.clone();
    scorer.condition.asked.scorer = Scorer::LoglikelihoodNorm.into();
    let mut both = format.clone();
    both.condition.asked.scorer = Scorer::LoglikelihoodNorm.into();
    assert!(license(&before, &format, &[], true).is_ok());
    assert!(license(&before, &scorer, &[], true).is_ok());
    let refusal = license(&before, &both, &[], true).unwrap_err();
    assert_eq!(refusal.fields, [Field::QuestionTemplate, Field::Scorer]);
    assert_eq!(refusal.headline, "2 controlled fields vary (question_template, scorer)");
}

#[test]
fn a_plan_runs_to_its_report_and_a_diagonal_pair_of_its_records_is_refused() {
    let desk = desk(&plan(SETTINGS, GRID, QUALITY), TASKS);
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let records = desk.records();
    assert_eq!(records.len(), 10);
    let items = records.iter().flat_map(|record| &record.items);
    assert!(items.clone().all(|item| item.choices.as_ref().is_some_and(|choices| choices.len() == 4)));
    assert!(items.clone().all(|item| item.score.is_some() && item.text.is_empty()));
    assert!(records.iter().all(|record| record.condition.found.chat_template == Stated::Unset));
    let store = desk.store().display().to_string();
    let name = |cell: &str| format!("{store}:quality-{cell}");
    assert_eq!(desk.run(&["compare", &name("c0000"), &name("c0001")]).code, 0);
    assert_eq!(desk.run(&["compare", &name("c0000"), &name("c0003")]).code, 0);
    let diagonal = desk.run(&["compare", &name("c0000"), &name("c0004")]);
    assert_eq!(diagonal.code, 4);
    assert!(
        diagonal.out.contains("2 controlled fields vary (question_template, scorer)"),
        "{}",
        diagonal.out
    );
    let report = std::fs::read_to_string(desk.at("reports/desk/report.md")).unwrap();
    assert!(report.contains("got the same log-likelihoods twice"), "{report}");
    assert_eq!(desk.run(&["report", "reports/desk", "--check"]).code, 0);
}

#[test]
fn a_task_without_options_is_refused_with_file_and_task() {
    let tasks = "{\"id\":\"open\",\"prompt\":\"1+1?\",\"expected\":\"2\"}\n";
    let told = refused(&plan(SETTINGS, TWO, QUALITY), tasks);
    assert!(told.contains("desk.toml:13:11: "), "{told}");
    assert!(told.contains("tasks.jsonl: task open: the scorer `loglikelihood` needs `choices`"), "{told}");
    assert!(told.contains("= add the list of options or choose another scorer"), "{told}");
    let unscored = "{\"id\":\"open\",\"prompt\":\"1+1?\"}\n".to_owned() + TASKS;
    let told = refused(&plan(SETTINGS, TWO, QUALITY), &unscored);
    assert!(told.contains("task open: the scorer `loglikelihood` needs `choices`"), "{told}");
}

#[test]
fn an_expected_answer_that_is_no_option_is_refused() {
    let told = refused(&plan(SETTINGS, TWO, QUALITY), &TASKS.replace("\"D\"", "\"E\""));
    assert!(told.contains("tasks.jsonl: task c: `expected` is `E`"), "{told}");
    assert!(told.contains("no letter from A to D"), "{told}");
}

#[test]
fn a_template_that_lists_options_of_open_tasks_is_refused_with_file_and_task() {
    let grid = "quantization = [\"f32\", \"q8_0\"]";
    let settings = format!(
        "{SETTINGS}scorer = \"exact\"\nmax_tokens = 4\nquestion_template = \"{{prompt}}\\n{{choices}}\"\n"
    );
    let told = refused(
        &plan(&settings, grid, QUALITY),
        "{\"id\":\"open\",\"prompt\":\"1+1?\",\"expected\":\"2\"}\n",
    );
    assert!(told.contains("tasks.jsonl: task open: question_template has `{choices}`"), "{told}");
}

#[test]
fn times_cannot_be_judged_where_nothing_is_generated() {
    let timed = format!("{QUALITY}timing = true\n");
    told(
        &plan(SETTINGS, TWO, &timed),
        &["judges times, but with the scorer `loglikelihood`", "take `timing` out"],
    );
}

#[test]
fn a_plan_that_only_generates_has_no_use_for_such_a_scorer() {
    let timing = "[[workload]]\nname = \"timing\"\nprompt_tokens = 8\ngen_tokens = 8\n";
    let settings = format!("{SETTINGS}scorer = \"loglikelihood\"\n");
    let words = ["desk.toml:", "the scorer `loglikelihood` scores nothing", "`quality = true`"];
    told(&plan(&settings, "quantization = [\"f32\", \"q8_0\"]", timing), &words);
}

#[test]
fn thinking_and_a_warm_cache_do_not_go_with_reading_the_answer_at_once() {
    let framed = SETTINGS.replace("chat_template = \"none\"\n", "");
    let thinking = format!("{framed}thinking = true\n");
    told(
        &plan(&thinking, TWO, QUALITY),
        &["right after the prompt, so nothing can be thought", "set `thinking = false`"],
    );
    let warm = format!("{framed}thinking = false\nprefix_cache = \"warm\"\n");
    told(&plan(&warm, TWO, QUALITY), &["reads every prompt from an empty cache", "take `prefix_cache` out"]);
}

#[test]
fn thinking_does_not_go_without_a_chat_template() {
    let thinking = format!("{SETTINGS}thinking = false\n");
    told(
        &plan(&thinking, TWO, QUALITY),
        &["acts through the chat template, and `chat_template` is \"none\""],
    );
}

#[test]
fn metrics_of_a_reply_are_refused_where_there_is_none() {
    let rest = format!("{QUALITY}[compare]\nmetrics = {{ quality = [\"quality\", \"reply_tokens\"] }}\n");
    told(&plan(SETTINGS, TWO, &rest), &["`reply_tokens` cannot be measured", "generates no reply"]);
}

#[test]
fn a_limit_is_asked_for_as_soon_as_one_scorer_judges_replies() {
    let mixed = "scorer = [\"choice\", \"loglikelihood_letter\"]";
    told(&plan(SETTINGS, mixed, QUALITY), &["no limit of generated tokens is chosen"]);
    let limited = format!("{SETTINGS}max_tokens = 4\n");
    assert_eq!(planned(&plan(&limited, mixed, QUALITY)).cells.len(), 2);
}

#[test]
fn limits_and_sampling_do_not_multiply_cells_where_nothing_is_generated() {
    let grid = "max_tokens = [4, 8]\nscorer = [\"choice\", \"loglikelihood_letter\", \"loglikelihood\"]";
    let collapsed = planned(&plan(SETTINGS, grid, QUALITY));
    assert_eq!(collapsed.cells.len(), 4, "two limits for `choice`, one for each of the others");
    let generating = "[[workload]]\nname = \"timing\"\ntasks = \"tasks.jsonl\"\n";
    assert_eq!(planned(&plan(SETTINGS, grid, &format!("{QUALITY}{generating}"))).cells.len(), 6);
}

#[test]
fn a_cell_that_always_takes_the_same_place_is_told_on_the_first_screen() {
    let plan = crate::support::plan::planned(
        "[grid]\nscorer = [\"exact\", \"contains\"]\n[[workload]]\nname = \"quality\"\ntasks = \"tasks.jsonl\"\nquality = true\n",
        20,
    );
    let records = crate::support::plan::records(&plan, |run, record| {
        for (at, item) in record.items.iter_mut().enumerate() {
            item.chosen = Some(if run.cell == 1 && at < 18 { 1 } else { at as u32 % 4 });
        }
    });
    let told = planrun::compare::analyse(&plan, &records).warnings;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("One cell chose nearly always"), "{told:?}");
    assert!(told[0].contains("scorer=contains (B, 18 of 20)"), "{told:?}");
}
