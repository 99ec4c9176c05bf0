//! The report as text: the same bytes every time, and nothing missing.

use crate::report_case::{analysis, frame};
use planrun::report::render;
use std::fs;
use std::path::Path;

#[test]
fn rendering_twice_gives_the_same_bytes() {
    let once = render(&frame(), &analysis()).unwrap();
    let again = render(&frame(), &analysis()).unwrap();
    assert_eq!(once, again);
    keep(&once);
}

/// Keeps the report under `target/tmp` for a look.
fn keep(rendered: &planrun::report::Rendered) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(folder.join("figures")).unwrap();
    fs::write(folder.join("report.md"), &rendered.markdown).unwrap();
    fs::write(folder.join("report.html"), &rendered.html).unwrap();
    fs::write(folder.join("report.json"), &rendered.json).unwrap();
    for figure in &rendered.figures {
        fs::write(folder.join("figures").join(&figure.file), &figure.svg).unwrap();
    }
}
