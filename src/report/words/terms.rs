//! The words of the method that stand in a report, each in one line. `docs/glossary.md` has them all.

/// Term and meaning.
pub(in crate::report) fn terms() -> impl Iterator<Item = (&'static str, &'static str)> {
    TERMS.into_iter()
}

const TERMS: [(&str, &str); 17] = [
    ("cell", "one combination of the factors' levels."),
    ("arm", "what takes one turn in a block: a cell, or the A/A control."),
    (
        "block",
        "one round through all arms in random order, and back in reverse: the unit of replication for times.",
    ),
    ("edge", "a pair of cells that differ in exactly one field; also: pair of cells."),
    ("face", "two steps of two factors: four cells, whose difference of differences is an interaction."),
    (
        "placebo, A/A control",
        "the baseline a second time, under another name: what it differs by is chance or a fault.",
    ),
    (
        "robust, clipped",
        "a run far from its cell and block is cut down to 1.5 scales before averaging; it is counted as clipped.",
    ),
    ("robust sd", "spread of single runs: 1.4826 times the median distance from the median."),
    ("simultaneous interval", "all intervals of a family contain their true values together, at this level."),
    (
        "adj. p",
        "the p-value after Holm's correction for the family; established is below the share of alpha that its metric has.",
    ),
    (
        "noise floor",
        "half-width that a typical edge of this plan has, from the pooled noise of all arms; no gate.",
    ),
    (
        "resolution",
        "difference of quality that would be seen four times in five at 5 % for one edge alone, given how many items change.",
    ),
    ("margin", "a difference that the plan's author declared irrelevant before the runs."),
    ("tau", "standard deviation of the true differences over parallel edges, beyond noise."),
    (
        "established, equivalent",
        "the interval excludes zero; the interval lies inside the margin; both may hold.",
    ),
    (
        "within noise, undecided",
        "neither; undecided where the estimate lies beyond the noise floor or resolution beside it.",
    ),
    ("unresolved", "there is no test, with the reason."),
];
