//! A warm prefix cache, from the plan to the records.

use crate::support::desk::{Desk, plan};
use planrun::condition::{CacheState, Stated};
use planrun::record::{FailureKind, Outcome, RunRecord};

fn of_cell(records: &[RunRecord], cell: u32) -> Vec<&RunRecord> {
    records.iter().filter(|record| record.cell == cell).collect()
}

#[test]
fn warm_runs_measure_warm_requests_and_cold_runs_cold_ones() {
    let desk = Desk::new(&plan(r#"prefix_cache = ["cold", "warm"]"#, "blocks = 2"));
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let records = desk.records();
    for record in of_cell(&records, 0) {
        assert!(record.items.iter().all(|item| item.cached_tokens == Some(0)), "{}", record.id);
    }
    for record in of_cell(&records, 1) {
        let all_but_one =
            |item: &planrun::measure::Item| item.cached_tokens == item.prompt_tokens.map(|tokens| tokens - 1);
        assert!(record.items.iter().all(all_but_one), "{}", record.id);
        assert_eq!(record.warmup.len(), 1 + record.items.len(), "{}", record.id);
        assert_eq!(record.condition.found.prefix_cache, Stated::Set(CacheState::Warm));
    }
    let ttft = |cell| {
        let timed = of_cell(&records, cell).into_iter().filter(|record| record.workload == "timing");
        timed.map(|record| record.measurement["ttft"].value.unwrap()).fold(0.0, f64::max)
    };
    assert!(ttft(1) < ttft(0), "one fresh token is read sooner than 32");
}

#[test]
fn a_warm_run_whose_cache_holds_nothing_is_void_by_name() {
    let desk = Desk::new(&plan(r#"model = ["scripted", "scripted:forgets"]"#, "blocks = 1"));
    assert_eq!(desk.run_plan(&["--set", "settings.prefix_cache=warm"]).code, 5);
    let records = desk.records();
    assert!(of_cell(&records, 0).iter().all(|record| record.outcome == Outcome::Done));
    for record in of_cell(&records, 1) {
        let Outcome::Failed { kind, error } = &record.outcome else { panic!("{:?}", record.outcome) };
        assert_eq!(*kind, FailureKind::Void);
        assert!(error.starts_with("prefix_cache is warm, but the request of task"), "{error}");
        assert!(!record.items.is_empty(), "what was measured is kept");
    }
}
