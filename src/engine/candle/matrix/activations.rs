//! Activations in the forms that weights are multiplied with.

use half::f16;
use std::ops::Range;

/// Tokens, made ready for products; the memory is used again.
pub(super) trait Activations: Default + Sync + 'static {
    /// Takes over tokens of `columns` values each.
    fn fill(&mut self, x: &[f32], columns: usize);
}

/// Activations as they are.
#[derive(Default)]
pub(super) struct Plain {
    columns: usize,
    values: Vec<f32>,
}

impl Activations for Plain {
    fn fill(&mut self, x: &[f32], columns: usize) {
        self.columns = columns;
        self.values.clear();
        self.values.extend_from_slice(x);
    }
}

impl Plain {
    /// The values of one token.
    pub(super) fn token(&self, token: usize) -> &[f32] {
        &self.values[token * self.columns..(token + 1) * self.columns]
    }
}

/// Activations rounded to 8 bits, block by block: the first blocks of all tokens, then the second ones, and so on.
#[derive(Default)]
pub(super) struct Rounded<B> {
    tokens: usize,
    blocks: Vec<B>,
}

/// A block of rounded activations.
pub(super) trait Block: Copy + Send + Sync + 'static {
    /// Columns of a block.
    const COLUMNS: usize;
    /// Rounds as many activations.
    fn round(x: &[f32]) -> Self;
}

impl<B: Block + Default> Activations for Rounded<B> {
    fn fill(&mut self, x: &[f32], columns: usize) {
        self.tokens = x.len() / columns;
        self.blocks.resize(x.len() / B::COLUMNS, B::default());
        for (token, row) in x.chunks_exact(columns).enumerate() {
            for (block, x) in row.chunks_exact(B::COLUMNS).enumerate() {
                self.blocks[block * self.tokens + token] = B::round(x);
            }
        }
    }
}

impl<B: Block> Rounded<B> {
    /// The blocks of some tokens, in the order of the columns.
    #[inline]
    pub(super) fn blocks(&self, tokens: Range<usize>) -> impl Iterator<Item = &[B]> {
        self.blocks.chunks_exact(self.tokens).map(move |blocks| &blocks[tokens.clone()])
    }
}

/// A block of 32, as in the formats `q8_0` and `q8_1`: `x[i]` is about `scale * q[i]`. `WORDS` is 8 where an `i32` carries
/// four `i8`, and 16 where it carries two `i16`.
#[derive(Clone, Copy)]
pub(super) struct Short<const WORDS: usize> {
    /// The integers.
    pub(super) words: [i32; WORDS],
    /// Scale, to the precision of `f16`.
    pub(super) scale: f32,
    /// `scale` times the sum of the integers, to the precision of `f16`.
    pub(super) total: f32,
    /// The sum of the integers.
    pub(super) sum: i32,
}

impl<const WORDS: usize> Default for Short<WORDS> {
    fn default() -> Self {
        Self { words: [0; WORDS], scale: 0.0, total: 0.0, sum: 0 }
    }
}

impl<const WORDS: usize> Block for Short<WORDS> {
    const COLUMNS: usize = 32;

    #[inline]
    fn round(x: &[f32]) -> Self {
        let (integers, top) = integers::<32>(x);
        let sum = integers.iter().sum();
        let scale = top / TOP;
        let narrow = |x: f32| f16::from_f32(x).to_f32();
        Self { words: words(&integers), scale: narrow(scale), total: narrow(scale * sum as f32), sum }
    }
}

/// A block of 256, as in the format `q8_k`: `x[i]` is about `scale * q[i]`.
#[derive(Clone, Copy)]
pub(super) struct Long {
    /// The integers, four `i8` in each.
    pub(super) words: [i32; 64],
    /// Scale.
    pub(super) scale: f32,
    /// Sums of 16 integers each, two `i16` in each.
    pub(super) of_16: [i32; 8],
    /// Sums of 32 integers each, two `i16` in each.
    pub(super) of_32: [i32; 4],
}

impl Default for Long {
    fn default() -> Self {
        Self { words: [0; 64], scale: 0.0, of_16: [0; 8], of_32: [0; 4] }
    }
}

impl Block for Long {
    const COLUMNS: usize = 256;

    #[inline]
    fn round(x: &[f32]) -> Self {
        let (integers, top) = integers::<256>(x);
        let sum = |from: usize, count: usize| integers[from..from + count].iter().sum::<i32>();
        let of_16: [i32; 16] = std::array::from_fn(|at| sum(at * 16, 16));
        let of_32: [i32; 8] = std::array::from_fn(|at| sum(at * 32, 32));
        Self { words: words(&integers), scale: top / TOP, of_16: words(&of_16), of_32: words(&of_32) }
    }
}

/// The largest magnitude of an integer.
const TOP: f32 = 127.0;

/// Scales `x` so that the largest magnitude, which is also given, becomes [`TOP`], and takes the nearest integers; of two
/// the even one. What is not a number is the largest magnitude of all: as a scale it spoils the product, as it must.
#[inline]
fn integers<const N: usize>(x: &[f32]) -> ([i32; N], f32) {
    /// Adding 1.5 * 2^23 rounds a small number to an integer, which then stands in the low bits.
    const TO_INTEGER: f32 = 12_582_912.0;
    // As bits, magnitudes have the order of numbers, then infinity, then NaN.
    let mut tops = [0u32; 8];
    for x in x.as_chunks::<8>().0 {
        for (top, x) in tops.iter_mut().zip(x) {
            *top = (*top).max(x.abs().to_bits());
        }
    }
    let top = f32::from_bits(tops.into_iter().fold(0, u32::max));
    let inverse = TOP / top;
    if !(top.is_finite() && inverse.is_finite()) {
        return ([0; N], top);
    }
    let mut integers = [0; N];
    for (integer, x) in integers.iter_mut().zip(x) {
        *integer = (x * inverse + TO_INTEGER).to_bits().cast_signed() - TO_INTEGER.to_bits().cast_signed();
    }
    (integers, top)
}

/// Packs integers, as many into each word as there must be.
#[inline]
fn words<const N: usize, const WORDS: usize>(integers: &[i32; N]) -> [i32; WORDS] {
    let mut words = [0; WORDS];
    if N == 4 * WORDS {
        let bytes = integers.map(|integer| integer as i8);
        for (word, four) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = i32::from_le_bytes(four.map(i8::cast_unsigned));
        }
    } else {
        for (word, [first, second]) in words.iter_mut().zip(integers.as_chunks::<2>().0) {
            *word = first & 0xffff | second << 16;
        }
    }
    words
}
