//! What the verdicts of the first screen mean, for readers who see nothing else.

/// The meaning of each word that is used, in the order of the house.
pub(in crate::report) fn legend(used: &[&str]) -> String {
    let told: Vec<String> = MEANINGS
        .iter()
        .filter(|(word, _)| used.contains(word))
        .map(|(word, meaning)| format!("{word}: {meaning}"))
        .collect();
    told.join(" ")
}

const MEANINGS: [(&str, &str); 6] = [
    ("established", "the simultaneous interval excludes zero."),
    ("equivalent", "the whole interval lies inside the margin that the plan declared."),
    ("within noise", "neither; not \"no difference\": the interval says how large it may be."),
    (
        "undecided",
        "neither, although the estimate is larger than the typical noise floor: it may be real, and it may be nothing.",
    ),
    (
        "unresolved",
        "there is no test, and the reason stands beside it; speaks neither for nor against a difference.",
    ),
    ("edges disagree", "the effect is not the same everywhere, so its mean is not printed."),
];
