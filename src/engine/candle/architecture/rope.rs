//! How positions turn the heads of a family.

/// One rotary table.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::engine::candle) struct Rope {
    /// Base of the frequencies.
    pub(in crate::engine::candle) theta: f64,
    /// What the plain frequencies are changed to.
    pub(in crate::engine::candle) frequencies: Frequencies,
}

/// Which values of a head turn together. llama.cpp's converter reorders the rows of some families so that neighbours
/// turn together; the numbers that come out are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::candle) enum Pairing {
    /// The first half of the head with the second.
    Halves,
    /// Each even value with the odd one after it.
    Neighbours,
}

/// What becomes of the frequencies `theta^(-2i/d)`.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::engine::candle) enum Frequencies {
    /// Nothing.
    Plain,
    /// All divided by one factor.
    Linear(f64),
    /// Long waves divided by a factor, short ones kept, those between mixed (Llama 3.1).
    Llama3 {
        /// Divisor of the long waves.
        factor: f64,
        /// Waves longer than `original / low` are long.
        low: f64,
        /// Waves shorter than `original / high` are short.
        high: f64,
        /// Context length of the first training.
        original: f64,
    },
    /// One divisor for each pair, stored with the weights (`rope_freqs.weight` of a GGUF file).
    Divisors(Vec<f32>),
}

impl Rope {
    /// The angle per position of each of `pairs` pairs, in radians.
    pub(in crate::engine::candle) fn frequencies(&self, pairs: usize) -> Vec<f32> {
        let plain = |pair: usize| 1.0 / self.theta.powf(pair as f64 / pairs as f64);
        let changed = |pair: usize| match &self.frequencies {
            Frequencies::Plain => plain(pair),
            Frequencies::Linear(factor) => plain(pair) / factor,
            Frequencies::Divisors(divisors) => {
                plain(pair) / divisors.get(pair).copied().map_or(1.0, f64::from)
            }
            Frequencies::Llama3 { factor, low, high, original } => {
                stretched(plain(pair), *factor, *low, *high, *original)
            }
        };
        (0..pairs).map(|pair| changed(pair) as f32).collect()
    }
}

/// The Llama 3.1 rule: between the two bounds the share of the plain frequency grows linearly with the number of waves
/// in the original context.
fn stretched(frequency: f64, factor: f64, low: f64, high: f64, original: f64) -> f64 {
    let waves = original * frequency / std::f64::consts::TAU;
    let share = ((waves - low) / (high - low)).clamp(0.0, 1.0);
    (1.0 - share) * frequency / factor + share * frequency
}
