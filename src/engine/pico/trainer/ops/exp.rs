//! A fast exponential.

/// Degree-6 Taylor coefficients of `2^f`, `ln(2)^k / k!`, highest first.
const POWER_OF_TWO: [f32; 7] =
    [1.540_353e-4, 1.333_355_8e-3, 9.618_129e-3, 5.550_411e-2, 2.402_265e-1, 6.931_472e-1, 1.0];

/// `e^x` to about 1e-7 relative, in a form that the compiler can vectorise. Below -87 the result is about 1e-38.
///
/// `e^x = 2^n * 2^f` with n the nearest integer to `x / ln 2`: the power of two is put together from its
/// bits, the rest (between -0.5 and 0.5) is a polynomial.
pub(super) fn exp(x: f32) -> f32 {
    let scaled = x.clamp(-87.0, 87.0) * std::f32::consts::LOG2_E;
    let whole = scaled.round_ties_even();
    let rest = scaled - whole;
    let power = POWER_OF_TWO.iter().fold(0f32, |sum, coefficient| sum.mul_add(rest, *coefficient));
    power * f32::from_bits(((whole as i32 + 127) as u32) << 23)
}
