//! From generations to items to metrics, with right values.

use planrun::generation::{Delivery, Generation, StopReason, TokenTimes};
use planrun::measure::{Around, CATALOGUE, Item, Measurement, Times, measure, metric};
use std::collections::BTreeSet;

fn generation(deliveries: &[(f64, u32)]) -> Generation {
    Generation {
        text: "four".into(),
        ids: None,
        tokens: Some(deliveries.iter().map(|delivery| delivery.1).sum()),
        prompt_tokens: Some(10),
        cached_tokens: Some(0),
        stop: StopReason::Eos,
        times: TokenTimes {
            deliveries: deliveries
                .iter()
                .map(|&(at, tokens)| Delivery { at, tokens: Some(tokens) })
                .collect(),
            first_answer: Some(1),
            prefill: Some(0.25),
            compute: None,
        },
        speculation: None,
    }
}

fn item(id: &str, pass: u32) -> Item {
    Item {
        id: id.into(),
        pass,
        prompt_tokens: Some(10),
        cached_tokens: Some(0),
        reply_tokens: Some(5),
        text: "four".into(),
        answer: Some("four".into()),
        stop: Some(StopReason::Eos),
        ttft_s: Some(0.5),
        prefill_s: Some(0.25),
        decode_tokens: Some(4),
        decode_s: Some(2.0),
        full_s: Some(2.5),
        itl_s: Some(0.5),
        ..Item::default()
    }
}

fn value(measurement: &Measurement, name: &str) -> Option<f64> {
    measurement.metrics[name].value
}

fn near(measurement: &Measurement, name: &str, expected: f64) {
    let value = value(measurement, name).unwrap();
    assert!((value - expected).abs() < 1e-12, "{name} is {value}, not {expected}");
}

#[test]
fn decoding_starts_with_the_first_delivery_and_ends_with_the_last_token() {
    let times = Times::of(&generation(&[(0.5, 3), (1.0, 1), (2.5, 2)]));
    assert_eq!((times.ttft, times.ttfo, times.full), (Some(0.5), Some(1.0), Some(2.5)));
    assert_eq!((times.decode_tokens, times.decode), (Some(3), Some(2.0)));
    assert_eq!(
        (times.itl, times.itl_max),
        (None, Some(1.5)),
        "a chunk of several tokens has no gap between tokens"
    );
}

#[test]
fn the_gap_between_tokens_is_the_median_of_one_token_deliveries() {
    let times = Times::of(&generation(&[(0.5, 1), (0.75, 1), (1.0, 1), (3.0, 1)]));
    assert_eq!((times.itl, times.itl_max), (Some(0.25), Some(2.0)));
}

#[test]
fn a_single_delivery_has_no_decoding_and_none_has_no_times() {
    let one = Times::of(&generation(&[(0.5, 4)]));
    assert_eq!((one.ttft, one.decode, one.decode_tokens, one.itl), (Some(0.5), None, None, None));
    assert_eq!(Times::of(&generation(&[])).ttft, None);
}

#[test]
fn rates_are_pooled_over_items_and_not_averaged() {
    let slow = Item { decode_tokens: Some(10), decode_s: Some(10.0), ..item("b", 0) };
    let fast = Item { decode_tokens: Some(90), decode_s: Some(10.0), ..item("a", 0) };
    let measured = measure(&[fast, slow], &Around::default());
    near(&measured, "decode_tok_s", 5.0);
    near(&measured, "prefill_tok_s", 40.0);
    near(&measured, "chars_per_s", 1.6);
    assert_eq!(measured.metrics["decode_tok_s"].n, 2);
}

#[test]
fn times_are_the_median_over_items_of_the_median_over_passes() {
    let with = |id: &str, pass: u32, ttft: f64| Item { ttft_s: Some(ttft), ..item(id, pass) };
    let items = [
        with("a", 0, 1.0),
        with("b", 0, 3.0),
        with("a", 1, 9.0),
        with("b", 1, 3.0),
        with("a", 2, 2.0),
        with("b", 2, 4.0),
    ];
    let measured = measure(&items, &Around::default());
    near(&measured, "ttft", 2.5);
    assert_eq!(measured.metrics["ttft"].n, 2, "passes are no replicates");
}

#[test]
fn prefill_needs_the_count_of_cached_tokens() {
    let unknown = Item { cached_tokens: None, ..item("a", 0) };
    let measured = measure(&[unknown], &Around::default());
    assert_eq!(value(&measured, "prefill_tok_s"), None);
    assert!(measured.metrics["prefill_tok_s"].reason.as_deref().unwrap().contains("cached tokens"));
    let cached = Item { cached_tokens: Some(5), ..item("a", 0) };
    near(&measure(&[cached], &Around::default()), "prefill_tok_s", 20.0);
}

#[test]
fn shares_and_quality_count_every_item_asked() {
    let right = Item { score: Some(1.0), ..item("a", 0) };
    let capped = Item { score: Some(0.0), answer: None, stop: Some(StopReason::Length), ..item("b", 0) };
    let failed = Item { id: "c".into(), score: Some(0.0), error: Some("lost".into()), ..Item::default() };
    let free = Item { score: None, ..item("d", 0) };
    let measured = measure(&[right, capped, failed, free], &Around::default());
    near(&measured, "quality", 1.0 / 3.0);
    near(&measured, "unanswered_share", 0.5);
    near(&measured, "failed_share", 0.25);
    near(&measured, "capped_share", 1.0 / 3.0);
    let n = |name: &str| measured.metrics[name].n;
    assert_eq!((n("quality"), n("unanswered_share"), n("capped_share")), (3, 4, 3));
}

#[test]
fn guesses_count_by_what_was_accepted_of_them_and_leave_the_number_of_passes_unknown() {
    let passes = Item { steps: Some(4), compute_s: Some(2.0), ..item("c", 0) };
    let alone = measure(std::slice::from_ref(&passes), &Around::default());
    near(&alone, "engine_decode_tok_s", 2.0);
    assert_eq!(value(&alone, "accepted_share"), None);
    let half = Item { drafted: Some(4), accepted: Some(2), ..item("a", 0) };
    let none = Item { drafted: Some(6), accepted: Some(0), ..item("b", 0) };
    let measured = measure(&[half, none, passes], &Around::default());
    near(&measured, "accepted_share", 0.25);
    assert_eq!(measured.metrics["accepted_share"].n, 2);
    // The replies of which passes and gaps are known do not stand for the others.
    assert_eq!((value(&measured, "engine_decode_tok_s"), value(&measured, "itl")), (None, None));
    near(&measured, "decode_tok_s", 2.0);
}

#[test]
fn repeated_passes_of_an_item_count_once() {
    let items = [Item { score: Some(1.0), ..item("a", 0) }, Item { score: Some(1.0), ..item("a", 1) }];
    assert_eq!(measure(&items, &Around::default()).metrics["quality"].n, 1);
}

#[test]
fn nothing_scored_is_not_measured_rather_than_zero() {
    let measured = measure(&[item("a", 0)], &Around::default());
    assert_eq!((value(&measured, "quality"), measured.metrics["quality"].n), (None, 0));
    assert_eq!(measured.metrics["quality"].reason.as_deref(), Some("nothing was scored"));
}

#[test]
fn every_metric_of_an_empty_run_has_a_reason() {
    let measured = measure(&[], &Around::default());
    assert_eq!(measured.metrics.len(), CATALOGUE.len() - 1, "reply_agreement belongs to pairs");
    assert!(measured.metrics.values().all(|metric| metric.value.is_none() && metric.reason.is_some()));
}

#[test]
fn impossible_times_are_left_out_by_name() {
    let odd = Item { prefill_s: Some(0.75), itl_s: Some(0.0), decode_s: Some(-1.0), ..item("a", 0) };
    let measured = measure(&[odd, item("b", 0)], &Around::default());
    assert_eq!(measured.warnings.len(), 3);
    assert!(measured.warnings[0].starts_with("item a, pass 0: prefill_s 0.75 is longer than ttft_s 0.5"));
    near(&measured, "itl", 0.5);
    near(&measured, "decode_tok_s", 2.0);
    assert_eq!(measured.metrics["prefill_tok_s"].n, 1);
}

#[test]
fn a_fixed_reply_length_says_nothing_about_where_the_model_stops() {
    let around = Around { fixed_length: true, ..Around::default() };
    let capped = Item { stop: Some(StopReason::Length), ..item("a", 0) };
    assert_eq!(value(&measure(&[capped], &around), "capped_share"), None);
}

#[test]
fn what_surrounds_the_generations_is_passed_on() {
    let around = Around { load_s: Some(1.5), peak_rss: Some(12.0), ..Around::default() };
    let measured = measure(&[item("a", 0)], &around);
    assert_eq!((value(&measured, "load_s"), value(&measured, "peak_rss")), (Some(1.5), Some(12.0)));
    assert_eq!(value(&measured, "load_peak_rss"), None);
}

#[test]
fn the_catalogue_names_each_metric_once_with_a_versioned_definition() {
    for entry in CATALOGUE {
        assert_eq!(CATALOGUE.iter().filter(|other| other.name == entry.name).count(), 1);
        assert!(entry.definition.starts_with(&format!("{}/", entry.name)), "{}", entry.definition);
        assert_eq!(metric(entry.name), Some(entry));
    }
}

/// The plan has a list of its own, because neither room may import the other.
#[test]
fn a_plan_can_name_every_metric_of_a_run_and_no_other() {
    let of_runs = CATALOGUE.iter().map(|metric| metric.name).filter(|name| *name != "reply_agreement");
    let of_runs: BTreeSet<&str> = of_runs.collect();
    let of_plans: BTreeSet<&str> = planrun::plan::metric_names().into_iter().collect();
    assert_eq!(of_plans, of_runs);
}
