//! Activations in the forms that weights are multiplied with.

use half::f16;
use std::ops::Range;

/// Columns that are rounded together.
pub(super) const BLOCK: usize = 32;

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

/// How a block of activations was rounded: `x[i]` is about `scale * q[i]`, as in the formats `q8_0` and `q8_1`.
#[derive(Clone, Copy, Default)]
pub(super) struct Rounding {
    /// Scale, to the precision of `f16`.
    pub(super) scale: f32,
    /// `scale` times the sum of the block's integers, to the precision of `f16`.
    pub(super) total: f32,
    /// The sum of the block's integers.
    pub(super) sum: i32,
}

/// Activations rounded to 8 bits per block of 32. `WORDS` is 8 where an `i32` carries four `i8`, and 16 where it carries
/// two `i16`. The first blocks of all tokens stand together, then the second ones, and so on.
#[derive(Default)]
pub(super) struct Rounded<const WORDS: usize> {
    tokens: usize,
    words: Vec<[i32; WORDS]>,
    roundings: Vec<Rounding>,
}

impl<const WORDS: usize> Activations for Rounded<WORDS> {
    fn fill(&mut self, x: &[f32], columns: usize) {
        let tokens = x.len() / columns;
        self.tokens = tokens;
        self.words.resize(x.len() / BLOCK, [0; WORDS]);
        self.roundings.resize(x.len() / BLOCK, Rounding::default());
        for (token, row) in x.chunks_exact(columns).enumerate() {
            for (block, x) in row.as_chunks::<BLOCK>().0.iter().enumerate() {
                let at = block * tokens + token;
                let (integers, rounding) = round(x);
                self.words[at] = words(&integers);
                self.roundings[at] = rounding;
            }
        }
    }
}

impl<const WORDS: usize> Rounded<WORDS> {
    /// The blocks of some tokens, in the order of the columns.
    #[inline]
    pub(super) fn blocks(
        &self,
        tokens: Range<usize>,
    ) -> impl Iterator<Item = (&[[i32; WORDS]], &[Rounding])> {
        let words = self.words.chunks_exact(self.tokens);
        let roundings = self.roundings.chunks_exact(self.tokens);
        words
            .zip(roundings)
            .map(move |(words, roundings)| (&words[tokens.clone()], &roundings[tokens.clone()]))
    }
}

/// Packs a block's integers, each within a byte.
#[inline]
fn words<const WORDS: usize>(integers: &[i32; BLOCK]) -> [i32; WORDS] {
    let each = BLOCK / WORDS;
    let bits = 32 / each;
    std::array::from_fn(|word| {
        let part = |at: usize| (integers[word * each + at] & ((1 << bits) - 1)) << (at * bits);
        (0..each).fold(0, |all, at| all | part(at))
    })
}

/// The scale is the largest magnitude over 127; integers are the nearest ones, ties to even.
#[inline]
fn round(x: &[f32; BLOCK]) -> ([i32; BLOCK], Rounding) {
    /// Adding 1.5 * 2^23 rounds a small number to an integer, which then stands in the low bits.
    const TO_INTEGER: f32 = 12_582_912.0;
    let mut tops = [0f32; 8];
    for x in x.as_chunks::<8>().0 {
        for (top, x) in tops.iter_mut().zip(x) {
            *top = if x.abs() > *top { x.abs() } else { *top };
        }
    }
    let top = tops.iter().fold(0f32, |top, &x| if x > top { x } else { top });
    let inverse = if top > 0.0 { 127.0 / top } else { 0.0 };
    let integers =
        x.map(|x| (x * inverse + TO_INTEGER).to_bits().cast_signed() - TO_INTEGER.to_bits().cast_signed());
    let sum: i32 = integers.iter().sum();
    let scale = top / 127.0;
    let narrow = |x: f32| f16::from_f32(x).to_f32();
    (integers, Rounding { scale: narrow(scale), total: narrow(scale * sum as f32), sum })
}
