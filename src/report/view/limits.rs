//! What no number of a report can tell.

use super::Frame;

pub(super) fn limits(frame: &Frame) -> Vec<String> {
    let mut limits: Vec<String> = LIMITS.iter().map(ToString::to_string).collect();
    limits.extend(frame.notes.iter().map(|note| format!("The plan's author notes: {note}")));
    limits
}

const LIMITS: [&str; 7] = [
    "One machine, in one state: the ambient temperature is unknown, and other machines may order the cells differently.",
    "One training run of the model: another seed of the same recipe may answer differently.",
    "One greedy draw where the temperature is 0: intervals on quality are over tasks, not over draws.",
    "Performance says nothing of correctness, and a faster cell may answer worse.",
    "Quality holds for this task set, this prompt format and this scorer.",
    "A difference that is not shown is not a difference that is absent: the interval says how large it may be.",
    "Metrics that were not declared primary are exploratory: read them for ideas, and test an idea with a new plan.",
];
