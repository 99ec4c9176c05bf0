//! Axes: ticks at round numbers, and the map from data to picture.

/// Round numbers (1, 2 or 5 times a power of ten) that cover `low..=high` in about `wanted` steps, ends included.
///
/// The range is widened where it is empty; a range with an end that is not finite gives `0, 1`.
pub fn nice_ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    if !low.is_finite() || !high.is_finite() {
        return vec![0.0, 1.0];
    }
    let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
    let step = nice_step((high - low) / wanted.max(1) as f64);
    let first = (low / step).floor();
    let last = (high / step).ceil();
    (0..=(last - first).round() as usize).map(|i| (first + i as f64) * step).collect()
}

/// The smallest of 1, 2, 5 and 10 times a power of ten that is at least `raw`.
fn nice_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step >= raw * 0.999)
        .unwrap_or(10.0 * power)
}

/// A tick in as many decimals as its neighbours need, with a true minus sign.
pub fn tick_label(value: f64, step: f64) -> String {
    let decimals = (-step.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_string(),
        Some(digits) => format!("\u{2212}{digits}"),
        None => text,
    }
}

/// A linear map from data to picture coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    data: (f64, f64),
    picture: (f64, f64),
}

impl Scale {
    /// Maps `data.0` to `picture.0` and `data.1` to `picture.1`.
    pub fn new(data: (f64, f64), picture: (f64, f64)) -> Self {
        Self { data, picture }
    }

    /// A scale that spans a list of ticks.
    pub fn over(ticks: &[f64], picture: (f64, f64)) -> Self {
        let ends = ticks.first().zip(ticks.last()).map_or((0.0, 1.0), |(first, last)| (*first, *last));
        Self::new(ends, picture)
    }

    /// Where a value lies; values outside are held at the nearer end.
    pub fn at(&self, value: f64) -> f64 {
        let share = (value - self.data.0) / (self.data.1 - self.data.0);
        self.picture.0 + share.clamp(0.0, 1.0) * (self.picture.1 - self.picture.0)
    }

    /// True if a value lies on the axis.
    pub fn holds(&self, value: f64) -> bool {
        value >= self.data.0 && value <= self.data.1
    }
}
