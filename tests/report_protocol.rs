//! How a report says what was asked, and what runs shared while they were.

use crate::plan_cases::{GRID, QUALITY, plan, planned};
use crate::support::record::record;
use planrun::condition::Isolation;
use planrun::record::RunRecord;
use planrun::report::Frame;

fn protocol(records: &[RunRecord]) -> String {
    Frame::of(&planned(&plan(GRID, QUALITY)), records, None, &[]).workloads[0].protocol.clone()
}

fn made(found: Isolation) -> RunRecord {
    let mut record = record(2);
    record.condition.found.isolation = found.into();
    record
}

#[test]
fn what_runs_shared_is_told_by_the_records_and_not_by_the_plan() {
    let head = "2 tasks of two.jsonl, one request at a time";
    let (own, shared, there) =
        ("a process of its own for each run", "a server shared by a block", "a server that ran already");
    assert_eq!(protocol(&[]), format!("{head}, {own}"));
    for (isolation, words) in
        [(Isolation::Run, own), (Isolation::Block, shared), (Isolation::Attached, there)]
    {
        assert_eq!(protocol(&[made(isolation)]), format!("{head}, {words}"));
    }
    let both = protocol(&[made(Isolation::Attached), made(Isolation::Run), made(Isolation::Attached)]);
    assert_eq!(both, format!("{head}, partly {own}, partly {there}"));
}
