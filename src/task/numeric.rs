//! Numbers in running text, compared by value.

use regex::Regex;
use std::sync::LazyLock;

/// A decimal number in normal form: equal values are equal whatever their spelling (`1,200.50` = `1200.5` = `12.005e2`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    /// Digits without leading or trailing zeros; empty for zero.
    digits: String,
    /// Power of ten of the last digit.
    power: isize,
}

static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let groups = r"\d+(?:[,'_\x{a0}\x{202f}]\d+)*";
    let pattern = format!(r"([-+\x{{2212}}])?(?:({groups})(\.\d+)?|(\.\d+))([eE][-+]?\d{{1,4}}\b)?");
    Regex::new(&pattern).ok()
});

impl Decimal {
    /// The last number of a text. A sign counts when nothing is joined to its left (`x=-5`, not `3-5`); digits may be grouped
    /// in threes by `,` `'` `_` or a no-break space; the decimal sign is a point. Fractions and words are not read.
    pub fn last_in(text: &str) -> Option<Self> {
        let last = NUMBER.as_ref()?.captures_iter(text).last()?;
        let part = |index: usize| last.get(index).map_or("", |found| found.as_str());
        let start = last.get(0)?.start();
        let joined = text[..start].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == ')');
        let negative = matches!(part(1), "-" | "\u{2212}") && !joined;
        let (whole, grouped) = ungrouped(part(2));
        let fraction = if part(3).is_empty() { part(4) } else { part(3) };
        let exponent = part(5).get(1..).and_then(|digits| digits.parse().ok()).unwrap_or(0);
        Some(Self::normal(negative && grouped, &whole, fraction.trim_start_matches('.'), exponent))
    }

    /// A text that is one number and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let found = NUMBER.as_ref()?.find(text)?;
        if found.as_str() == text { Self::last_in(text) } else { None }
    }

    fn normal(negative: bool, whole: &str, fraction: &str, exponent: isize) -> Self {
        let all = format!("{whole}{fraction}");
        let kept = all.trim_end_matches('0');
        let power =
            exponent.wrapping_sub_unsigned(fraction.len()).wrapping_add_unsigned(all.len() - kept.len());
        let digits = kept.trim_start_matches('0').to_owned();
        let zero = digits.is_empty();
        Self { negative: negative && !zero, digits, power: if zero { 0 } else { power } }
    }
}

/// Digits without their separators, and true; or the last group and false when the groups are no thousands (`1,2,3`).
fn ungrouped(text: &str) -> (String, bool) {
    let groups: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
    let (first, rest) = groups.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    if rest.is_empty() || (first.len() <= 3 && rest.iter().all(|group| group.len() == 3)) {
        (groups.concat(), true)
    } else {
        (groups.last().copied().unwrap_or_default().to_owned(), false)
    }
}
