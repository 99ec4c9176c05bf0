//! The final answer, and what each scorer accepts.

use planrun::task::{
    Decimal, Question, Scorer, ScorerError, Task, TaskSet, chosen, final_answer, opens_thinking,
    wrote_thinking,
};

fn task(expected: &[&str], choices: &[&str]) -> Task {
    let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
    Task {
        id: "t".into(),
        question: Question::Prompt("?".into()),
        expected: owned(expected),
        choices: owned(choices),
        group: None,
    }
}

fn right(scorer: Scorer, answer: &str, expected: &str) -> bool {
    scorer.score(Some(answer), &task(&[expected], &["Rome", "Paris", "Oslo"])) == Some(1.0)
}

fn check(scorer: Scorer, task: Task) -> Result<(), ScorerError> {
    scorer.check(&TaskSet { tasks: vec![task] })
}

#[test]
fn the_final_answer_is_what_stands_after_the_reasoning() {
    assert_eq!(final_answer("<think>2 and 2</think>\n\n 4 ", false), Some("4"));
    assert_eq!(final_answer("plain", false), Some("plain"));
    assert_eq!(final_answer("a</think>b<think>c</think>d", false), Some("d"));
    assert_eq!(final_answer("going on</think>4", true), Some("4"), "the template opened the block");
}

#[test]
fn reasoning_that_was_never_closed_is_no_answer() {
    assert_eq!(final_answer("<think>2 and 2 is 4", false), None);
    assert_eq!(final_answer("2 and 2 is 4", true), None);
    assert_eq!(final_answer("<think>a</think>b<think>4", false), None);
    assert_eq!(final_answer("<think>a</think>  ", false), None);
    assert_eq!(final_answer("", false), None);
}

#[test]
fn a_prompt_opens_thinking_only_at_its_end() {
    assert!(opens_thinking("<|im_start|>assistant\n<think>\n"));
    assert!(!opens_thinking("<think>\n\n</think>\n\n"));
}

#[test]
fn a_model_thinks_when_it_opens_a_block_or_goes_on_in_the_open_one() {
    assert!(wrote_thinking("<think>\n\n</think>4", false));
    assert!(wrote_thinking("so</think>4", true));
    assert!(!wrote_thinking("\n</think>4", true));
    assert!(!wrote_thinking("4", false));
}

#[test]
fn exact_trims_and_minds_the_case() {
    assert!(right(Scorer::Exact, " Paris\n", "Paris"));
    assert!(!right(Scorer::Exact, "paris", "Paris"));
    assert!(!right(Scorer::Exact, "Paris.", "Paris"));
}

#[test]
fn contains_and_regex_look_anywhere() {
    assert!(right(Scorer::Contains, "It is Paris.", "Paris"));
    assert!(right(Scorer::Regex, "on 2024-05-01, I think", r"\d{4}-\d{2}-\d{2}"));
    assert!(!right(Scorer::Regex, "two words", r"^\w+$"));
}

#[test]
fn any_of_several_expected_answers_will_do() {
    let several = task(&["Paris", "Lutetia"], &[]);
    assert_eq!(Scorer::Exact.score(Some("Lutetia"), &several), Some(1.0));
    assert_eq!(Scorer::Exact.score(Some("Rome"), &several), Some(0.0));
}

#[test]
fn no_answer_scores_zero_and_nothing_expected_scores_nothing() {
    assert_eq!(Scorer::Exact.score(None, &task(&["4"], &[])), Some(0.0));
    assert_eq!(Scorer::Exact.score(Some("4"), &task(&[], &[])), None);
}

#[test]
fn numeric_compares_the_last_number_by_value() {
    for (answer, expected) in [
        ("The answer is 18.", "18"),
        ("3 + 4 = 7", "7"),
        ("$1,234.50", "1234.5"),
        ("1'234'567 people", "1234567"),
        ("x=-5", "-5"),
        ("minus \u{2212}5", "-5"),
        ("5-3", "3"),
        ("+.50", "0.5"),
        ("1.2e3", "1200"),
        ("007", "7"),
        ("-0", "0"),
        ("9007199254740993", "9007199254740993"),
        ("1, 2, 3", "3"),
        ("1,2,3", "3"),
    ] {
        assert!(right(Scorer::Numeric, answer, expected), "{answer} is {expected}");
    }
    for (answer, expected) in
        [("18 or 19", "18"), ("none", "0"), ("9007199254740993", "9007199254740992"), ("5", "-5")]
    {
        assert!(!right(Scorer::Numeric, answer, expected), "{answer} is not {expected}");
    }
}

#[test]
fn a_number_alone_is_told_from_a_text_with_a_number() {
    assert!(Decimal::parse(" 1,200.50 ").is_some());
    assert_eq!(Decimal::parse("12 apples"), None);
    assert_eq!(Decimal::parse("12.005e2"), Decimal::last_in("= 1200.5"));
}

#[test]
fn choice_takes_a_letter_or_the_text_of_an_option() {
    for answer in [
        "B",
        "b",
        "(B)",
        "(b)",
        "B.",
        "B)",
        "**B**",
        "Paris",
        "paris.",
        "B. Paris",
        "(B) Paris",
        "The answer is B",
        "The answer is (b).",
        "Answer: B",
        "The correct option is **B**.",
        "A is wrong. So it must be (B)!",
        "It is Paris.",
        "The answer is Paris",
        "First I said the answer is A, but the answer is B",
    ] {
        assert!(right(Scorer::Choice, answer, "B"), "{answer}");
        assert!(right(Scorer::Choice, answer, "Paris"), "{answer}");
    }
    for answer in ["A", "D", "Rome or Paris", "(A) or (B)", "A city", "I do not know", "Parisian"] {
        assert!(!right(Scorer::Choice, answer, "B"), "{answer}");
    }
}

#[test]
fn an_option_that_is_a_number_is_taken_by_letter_or_value() {
    let options: Vec<String> = ["1", "2", "10"].map(str::to_owned).to_vec();
    assert_eq!(chosen("10", &options), Some(2));
    assert_eq!(chosen("C", &options), Some(2));
    assert_eq!(chosen("1", &options), Some(0));
}

#[test]
fn a_scorer_that_cannot_judge_the_tasks_says_so_before_anything_runs() {
    assert_eq!(check(Scorer::Exact, task(&[], &[])), Err(ScorerError::NothingExpected));
    let message = |scorer, task| check(scorer, task).unwrap_err().to_string();
    assert!(
        message(Scorer::Regex, task(&["(a"], &[])).contains("task t: the expected regular expression `(a`")
    );
    assert!(message(Scorer::Numeric, task(&["4 apples"], &[])).contains("`4 apples`, which is no number"));
    assert!(message(Scorer::Choice, task(&["A"], &[])).contains("needs `choices`"));
    assert!(message(Scorer::Choice, task(&["D"], &["x", "y"])).contains("no letter from A to B"));
    assert!(message(Scorer::Choice, task(&["A"], &["B", "A"])).contains("reads as the letter"));
    assert_eq!(check(Scorer::Choice, task(&["B"], &["Rome", "Paris"])), Ok(()));
}
