//! The plan around the made-up judged plan.

use planrun::report::{Frame, FrameWorkload};

/// The plan around it.
pub(crate) fn frame() -> Frame {
    Frame {
        name: "made-up".into(),
        title: "What do quantization and thinking cost?".into(),
        question:
            "Which quantization of pico is fast without losing correct answers, with and without thinking?"
                .into(),
        schedule_hash: Some("ef56".repeat(16)),
        seed: 7,
        workloads: vec![FrameWorkload {
            name: "sums".into(),
            protocol: "200 tasks of tasks/sums.jsonl, one request at a time".into(),
            material: "sums.jsonl, 200 tasks".into(),
            arms: 13,
            blocks: 6,
            control: true,
            once: false,
        }],
        ..Frame::default()
    }
}
