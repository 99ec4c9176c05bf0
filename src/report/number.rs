//! Numbers as people read them: no more decimals than the data carries, a true minus sign, the unit always there.

use crate::compare::CountOf;

/// Space that a line break never falls into.
pub(super) const NBSP: char = '\u{a0}';

/// Decimals that an uncertain number deserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precision(usize);

impl Precision {
    /// From the half-width of an interval: one or two significant digits of the uncertainty, at most two decimals.
    pub fn of_half_width(half: f64) -> Self {
        match half.abs() {
            half if half >= 10.0 => Self(0),
            half if half >= 0.2 => Self(1),
            _ => Self(2),
        }
    }

    /// For a change without an interval: two significant digits, one decimal for zero.
    pub fn of_size(value: f64) -> Self {
        let digits = if value == 0.0 || !value.is_finite() { 0.0 } else { value.abs().log10().floor() };
        Self((1.0 - digits).clamp(1.0, 4.0) as usize)
    }

    /// For differences of shares of `n` items, in points: the same everywhere in a report, and never without a decimal.
    pub fn of_points(n: u32) -> Self {
        Self(Self::of_items(n).0.max(1))
    }

    /// From the number of items behind a share in per cent: a step of one item is the last digit that means anything.
    pub fn of_items(n: u32) -> Self {
        Self(match n {
            0..=100 => 0,
            101..=1000 => 1,
            _ => 2,
        })
    }

    /// The number without a sign for zero and without ASCII minus.
    pub fn plain(self, value: f64) -> String {
        let text = format!("{value:.0$}", self.0);
        match text.strip_prefix('-') {
            Some(digits) if is_zero(digits) => digits.to_string(),
            Some(digits) => format!("\u{2212}{digits}"),
            None => text,
        }
    }

    /// The number, with up to three more decimals where it would look like zero and is not.
    pub fn visible(self, value: f64) -> String {
        let shows = |text: &String| !is_zero(text.trim_start_matches('\u{2212}'));
        let finer = (self.0..self.0 + 4).map(|decimals| Self(decimals).plain(value));
        finer.into_iter().find(shows).unwrap_or_else(|| self.plain(value))
    }

    /// The number with its sign; zero has none.
    pub fn signed(self, value: f64) -> String {
        Self::with_sign(self.plain(value))
    }

    fn with_sign(text: String) -> String {
        if text.starts_with('\u{2212}') || is_zero(&text) { text } else { format!("+{text}") }
    }
}

fn is_zero(digits: &str) -> bool {
    digits.bytes().all(|byte| matches!(byte, b'0' | b'.'))
}

/// A signed change with its unit: `+4.1 %`.
pub fn change(value: f64, precision: Precision, unit: &str) -> String {
    with_unit(precision.signed(value), unit)
}

/// An interval of a change: `−0.5 to +0.9 %`; an end near zero is shown to be on its side of it.
pub(super) fn range(low: f64, high: f64, precision: Precision, unit: &str) -> String {
    let end = |value: f64| Precision::with_sign(precision.visible(value));
    with_unit(format!("{}{NBSP}to{NBSP}{}", end(low), end(high)), unit)
}

/// A number and its unit, kept on one line.
pub(super) fn with_unit(number: String, unit: &str) -> String {
    if unit.is_empty() { number } else { format!("{number}{NBSP}{unit}") }
}

/// `141/200 (70.5 %)`.
pub fn share(count: CountOf) -> String {
    let CountOf { k, n } = count;
    if n == 0 {
        return "0/0".into();
    }
    let percent = 100.0 * f64::from(k) / f64::from(n);
    format!("{k}/{n} ({}{NBSP}%)", Precision::of_items(n).plain(percent))
}

/// A number as a person would write it: `5`, `2.5`, `0.0167`.
pub(super) fn trimmed(value: f64) -> String {
    let text = format!("{value:.4}").replace('-', "\u{2212}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Four significant digits: `123.4`, `0.01234`; scientific beyond a million.
pub fn compact(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 || (size > 0.0 && size < 1e-4) {
        return format!("{value:.3e}").replace('-', "\u{2212}");
    }
    let digits = if size > 0.0 { size.log10().floor() } else { 0.0 };
    Precision((3.0 - digits).clamp(0.0, 7.0) as usize).plain(value)
}

/// `0.0004`, `< 0.0001`, `0.031`.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 0.0001 => "< 0.0001".into(),
        p if p < 0.001 => format!("{p:.4}"),
        p if p < 0.1 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}
