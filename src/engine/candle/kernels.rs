//! The arithmetic between the matrix products, on plain slices. Loops are written over fixed-size chunks so that the
//! compiler turns them into vector instructions of the machine the binary is built for.

/// Floats handled together: one 256-bit register, or two of 128 bits.
const LANES: usize = 8;

/// `a * b + c`, fused where the machine has the instruction (a library call would be far slower where it has not).
#[inline]
pub(super) fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, c) } else { a * b + c }
}

/// Dot product, in four chains of sums, so that one addition need not wait for the last.
#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_blocks, a_rest) = a.as_chunks::<{ 4 * LANES }>();
    let (b_blocks, b_rest) = b.as_chunks::<{ 4 * LANES }>();
    let mut sums = [0.0f32; 4 * LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..4 * LANES {
            sums[lane] = multiply_add(a[lane], b[lane], sums[lane]);
        }
    }
    let chain =
        |lane: usize| (sums[lane] + sums[lane + LANES]) + (sums[lane + 2 * LANES] + sums[lane + 3 * LANES]);
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    fold(std::array::from_fn(chain)) + rest
}

#[inline]
fn fold(s: [f32; LANES]) -> f32 {
    let halves = [s[0] + s[4], s[1] + s[5], s[2] + s[6], s[3] + s[7]];
    (halves[0] + halves[2]) + (halves[1] + halves[3])
}

/// Root-mean-square norm of each row of `width` values: `x / sqrt(mean(x^2) + eps) * weight`.
pub(super) fn rms_norm(rows: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
    let width = weight.len();
    for (row, out) in rows.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        let scale = 1.0 / (dot(row, row) / width as f32 + eps).sqrt();
        for ((out, x), w) in out.iter_mut().zip(row).zip(weight) {
            *out = x * scale * w;
        }
    }
}

/// [`rms_norm`] of one row, in place.
pub(super) fn rms_norm_in_place(row: &mut [f32], weight: &[f32], eps: f32) {
    let scale = 1.0 / (dot(row, row) / row.len() as f32 + eps).sqrt();
    for (x, w) in row.iter_mut().zip(weight) {
        *x *= scale * w;
    }
}

/// Rotates one head by its position, in place: the first half of the head is paired with the second.
pub(super) fn rotate_halves(head: &mut [f32], cos: &[f32], sin: &[f32]) {
    let (first, second) = head.split_at_mut(head.len() / 2);
    for (((a, b), cos), sin) in first.iter_mut().zip(second).zip(cos).zip(sin) {
        (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
    }
}

/// Rotates one head by its position, in place: each even value is paired with the odd one after it.
pub(super) fn rotate_neighbours(head: &mut [f32], cos: &[f32], sin: &[f32]) {
    for (([a, b], cos), sin) in head.as_chunks_mut::<2>().0.iter_mut().zip(cos).zip(sin) {
        (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
    }
}

/// Adds `x` to `sum`, element by element.
pub(super) fn add(sum: &mut [f32], x: &[f32]) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum += x;
    }
}

/// `SwiGLU` of each row (Shazeer 2020): the first `width` values of a row of `gate_up` are the gate, the others what it
/// lets through.
pub(super) fn gated_silu(gate_up: &[f32], width: usize, out: &mut [f32]) {
    gated(gate_up, width, out, |gate| gate / (1.0 + exp(-gate)));
}

/// The same with GELU in its tanh form, `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`.
pub(super) fn gated_gelu(gate_up: &[f32], width: usize, out: &mut [f32]) {
    const ROOT_2_OVER_PI: f32 = 0.797_884_6;
    // x / 2 (1 + tanh y) = x sigmoid(2 y)
    gated(gate_up, width, out, |gate| {
        let y = ROOT_2_OVER_PI * gate * (1.0 + 0.044_715 * gate * gate);
        gate / (1.0 + exp(-2.0 * y))
    });
}

#[inline]
fn gated(gate_up: &[f32], width: usize, out: &mut [f32], activation: impl Fn(f32) -> f32) {
    for (row, out) in gate_up.chunks_exact(2 * width).zip(out.chunks_exact_mut(width)) {
        let (gate, up) = row.split_at(width);
        for ((out, &gate), &up) in out.iter_mut().zip(gate).zip(up) {
            *out = activation(gate) * up;
        }
    }
}

/// Turns scores into weights `exp(scale * (score - max))` and returns one over their sum (the caller scales the result).
pub(super) fn softmax_unscaled(scores: &mut [f32], scale: f32) -> f32 {
    let max = largest(scores);
    for score in &mut *scores {
        *score = exp((*score - max) * scale);
    }
    1.0 / sum(scores)
}

/// The largest value of a slice; negative infinity for an empty one. NaN is passed over.
pub(super) fn largest(values: &[f32]) -> f32 {
    let (blocks, rest) = values.as_chunks::<{ 4 * LANES }>();
    let mut tops = [f32::NEG_INFINITY; 4 * LANES];
    for block in blocks {
        for lane in 0..4 * LANES {
            tops[lane] = if block[lane] > tops[lane] { block[lane] } else { tops[lane] };
        }
    }
    tops.iter().chain(rest).copied().fold(f32::NEG_INFINITY, |top, x| if x > top { x } else { top })
}

fn sum(values: &[f32]) -> f32 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0f32; LANES];
    for block in blocks {
        for lane in 0..LANES {
            sums[lane] += block[lane];
        }
    }
    sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

/// `e^x` to about 2 units in the last place, as straight-line arithmetic that vectorizes: `x = n ln 2 + r`, a polynomial
/// of degree 6 for `e^r` (Taylor coefficients; `|r| <= ln 2 / 2`), and `n` put into the exponent.
#[inline]
pub(super) fn exp(x: f32) -> f32 {
    /// Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0;
    /// `ln 2` in two parts; the high one has few enough bits that `n` times it is exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let shifted = multiply_add(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = multiply_add(n, -LN_2_LOW, multiply_add(n, -LN_2_HIGH, x));
    let mut p = 1.0 / 720.0;
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        p = multiply_add(p, r, coefficient);
    }
    p * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_within_a_few_units_in_the_last_place() {
        for step in -8_000..8_000 {
            let x = step as f32 * 0.01;
            let right = f64::from(x).exp();
            assert!((f64::from(exp(x)) / right - 1.0).abs() < 4e-7, "exp({x}) = {} not {right}", exp(x));
        }
    }

    #[test]
    fn products_handle_lengths_that_are_no_multiple_of_a_register() {
        for length in [1usize, 7, 31, 33, 64, 100] {
            let x: Vec<f32> = (0..length).map(|i| i as f32 * 0.5).collect();
            let right: f32 = x.iter().map(|x| x * x).sum();
            let near = |value: f32| (value - right).abs() <= right.max(1.0) * 1e-6;
            assert!(near(dot(&x, &x)));
        }
    }
}
