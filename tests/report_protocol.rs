//! How a report says what was asked, and what runs shared while they were.

use crate::plan_cases::{GRID, QUALITY, plan, planned};
use crate::report_case::analysis;
use crate::report_frame::frame;
use crate::support::desk::{self, Desk};
use crate::support::record::record;
use planrun::condition::Isolation;
use planrun::record::RunRecord;
use planrun::report::{Frame, render};

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

#[test]
fn of_a_single_cell_nothing_is_said_to_be_compared_and_one_is_no_plural() {
    let desk = Desk::new(&desk::plan("", "blocks = 1"));
    let checked = desk.run(&["check", "plans/desk.toml", "--no-probe"]);
    assert_eq!(desk.run_plan(&["--publish"]).code, 0);
    let report = std::fs::read_to_string(desk.at("reports/desk/report.md")).unwrap();
    assert!(report.contains("**Compared:** Nothing is compared: the plan has one cell."), "{report}");
    for text in [&checked.out, &report] {
        for plural in ["1 arms", "1 runs in all", "1 blocks", "1 mirrored blocks", "All 1 planned"] {
            assert!(!text.contains(plural), "{plural}: {text}");
        }
    }
}

#[test]
fn a_key_of_the_plan_keeps_its_spelling_at_the_start_of_a_sentence() {
    let mut analysis = analysis();
    for factor in analysis.factors.iter_mut().filter(|factor| factor.name == "quantization") {
        factor.name = "json_schema".into();
    }
    for metric in analysis.workloads.iter_mut().flat_map(|workload| &mut workload.metrics) {
        for finding in metric.factors.iter_mut().filter(|finding| finding.factor == "quantization") {
            finding.factor = "json_schema".into();
        }
    }
    let report = render(&frame(), &analysis).unwrap().markdown;
    assert!(report.contains("json_schema q8_0 and q4_0 were each compared with f32"), "{report}");
    assert!(!report.contains("Json_schema"), "{report}");
}
