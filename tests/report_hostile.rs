//! Nothing that came from a model, a plan or a file name can act in a report.

use crate::report_case::analysis;
use crate::report_frame::frame;
use planrun::compare::{Analysis, MissingRun, Refusal, RefusalRow, RefusedEdge, RenderChange};
use planrun::condition::{Field, Origin};
use planrun::record::FailureKind;
use planrun::report::{Frame, Rendered, markdown_text, render};

const HOSTILE: &str = "<script>alert(1)</script> | `code` ](http://evil.example) ![x](y)\n# heading\n\n<img src=x onerror=alert(1)> www.evil.example @someone <!-- **bold**";

fn refusal() -> Refusal {
    let row = RefusalRow {
        field: Field::SystemPrompt,
        before: HOSTILE.into(),
        after: "unset".into(),
        before_origin: Origin::Asked,
        after_origin: Origin::Asked,
        implied_by: None,
        unknown: false,
    };
    Refusal {
        fields: vec![Field::SystemPrompt],
        headline: HOSTILE.into(),
        rows: vec![row],
        planned: Some(Field::Quantization),
        tasks: None,
        render: Some(RenderChange { id: HOSTILE.into(), before: HOSTILE.into(), after: HOSTILE.into() }),
        remedies: vec![HOSTILE.into()],
    }
}

fn hostile() -> (Frame, Analysis) {
    let mut analysis = analysis();
    for cell in &mut analysis.cells {
        cell.label = HOSTILE.into();
        cell.condition.iter_mut().for_each(|shown| shown.value = HOSTILE.into());
    }
    for factor in &mut analysis.factors {
        factor.levels.iter_mut().for_each(|level| *level = HOSTILE.into());
    }
    let workload = &mut analysis.workloads[0];
    workload.name = HOSTILE.into();
    workload.warnings = vec![HOSTILE.into()];
    workload.beside = vec![HOSTILE.into()];
    for metric in &mut workload.metrics {
        metric.edges.iter_mut().for_each(|edge| {
            (edge.from, edge.to, edge.at) = (HOSTILE.into(), HOSTILE.into(), HOSTILE.into());
            edge.remarks = vec![HOSTILE.into()];
            edge.sentence = HOSTILE.into();
        });
        metric.factors.iter_mut().for_each(|factor| factor.to = HOSTILE.into());
    }
    analysis.missing = vec![MissingRun {
        name: HOSTILE.into(),
        workload: HOSTILE.into(),
        cell: 0,
        label: HOSTILE.into(),
        kind: Some(FailureKind::Crashed),
        error: HOSTILE.into(),
    }];
    let pair = RefusedEdge {
        workload: HOSTILE.into(),
        before: 0,
        after: 4,
        planned: Field::Quantization,
        refusal: refusal(),
    };
    analysis.refused = vec![pair];
    let frame = Frame {
        title: HOSTILE.into(),
        question: HOSTILE.into(),
        name: "x\n```\n<script>".into(),
        notes: vec![HOSTILE.into()],
        overrides: vec![HOSTILE.into()],
        ..frame()
    };
    (frame, analysis)
}

fn rendered() -> Rendered {
    let (frame, analysis) = hostile();
    render(&frame, &analysis).unwrap()
}

#[test]
fn hostile_text_opens_no_tag_in_html() {
    let html = rendered().html;
    for tag in ["<script", "<img", "<!--", "<iframe"] {
        assert!(!html.contains(tag), "{tag} stands in the HTML");
    }
    for (open, close) in
        [("<table", "</table>"), ("<svg", "</svg>"), ("<section", "</section>"), ("<li>", "</li>")]
    {
        assert_eq!(html.matches(open).count(), html.matches(close).count(), "{open}");
    }
    assert!(html.contains("&lt;script&gt;"));
}

#[test]
fn hostile_text_stays_in_its_cell_of_a_markdown_table() {
    let markdown = rendered().markdown;
    let mut lines = markdown.lines().peekable();
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut tables = 0;
    while let Some(line) = lines.next() {
        if lines.peek().is_some_and(|next| next.starts_with("|---")) {
            tables += 1;
            let expected = columns(line);
            while let Some(row) = lines.next_if(|next| next.starts_with('|')) {
                assert_eq!(columns(row), expected, "{row}");
            }
        }
    }
    assert!(tables > 8, "{tables} tables");
}

#[test]
fn hostile_text_is_neither_tag_nor_link_nor_heading_in_markdown() {
    let whole = rendered().markdown;
    // What stands in a fence is text, whatever it is.
    let markdown = whole.split("```").step_by(2).collect::<String>().replace("\\]", "");
    assert!(!markdown.contains("<script"));
    assert!(!markdown.contains("<img"));
    assert!(!markdown.contains("](http"));
    assert!(!markdown.contains("http://"));
    assert!(!markdown.contains("www.evil"));
    assert!(!markdown.contains("@someone"));
    assert!(!markdown.lines().any(|line| line == "# heading"));
}

#[test]
fn hostile_text_opens_no_tag_in_a_picture() {
    for figure in rendered().figures {
        assert!(!figure.svg.contains("<script"), "{}", figure.file);
        assert!(figure.file.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)));
    }
}

#[test]
fn a_command_cannot_leave_its_fence() {
    let markdown = rendered().markdown;
    assert_eq!(markdown.matches("```").count(), 6);
}

#[test]
fn markdown_keeps_ordinary_names_as_they_are() {
    assert_eq!(markdown_text("decode_tok_s q4_0 max_tokens=64"), "decode_tok_s q4_0 max_tokens=64");
    assert_eq!(markdown_text("_x_ a|b"), "\\_x\\_ a\\|b");
}
