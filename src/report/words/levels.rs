//! Levels of a factor in words.

/// `a`, `a and b`, `a, b and c`.
pub(in crate::report) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// `1 run`, `2 runs`.
pub(in crate::report) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `with thinking` for a switch, `with quantization f32, q8_0 and q4_k` for anything else.
pub(super) fn with_levels(factor: &str, levels: &[String]) -> String {
    match levels {
        [one] if one == "true" => format!("with {factor}"),
        [one] if one == "false" => format!("without {factor}"),
        many => format!("with {factor} {}", listed(many)),
    }
}
