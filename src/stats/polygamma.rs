//! Derivatives of the digamma function, which `statrs` does not have.
//!
//! All three use the recurrence `f(x) = f(x + 1) + m! / x^(m + 1)` (up to sign) until x is large, then the
//! asymptotic series with Bernoulli numbers (Abramowitz & Stegun 1964, 6.4.6, 6.4.11 to 6.4.14).
//! Relative error below 1e-12 for x > 0.

/// The series is used from here on; its first dropped term is below 1e-14 of the value.
const LARGE: f64 = 16.0;
/// B2, B4, ... B12.
const BERNOULLI: [f64; 6] = [1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2730.0];

/// The m-th derivative of digamma without its sign `(-1)^(m + 1)`, for m of 1, 2 or 3.
fn polygamma_magnitude(m: i32, x: f64) -> f64 {
    let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
    let mut x = x;
    let mut sum = 0.0;
    while x < LARGE {
        sum += factorial(m) / x.powi(m + 1);
        x += 1.0;
    }
    sum += factorial(m - 1) / x.powi(m) + factorial(m) / (2.0 * x.powi(m + 1));
    for (bernoulli, k) in BERNOULLI.iter().zip((2..).step_by(2)) {
        sum += bernoulli * factorial(k + m - 1) / (factorial(k) * x.powi(k + m));
    }
    sum
}

/// First derivative of digamma, for x > 0.
pub fn trigamma(x: f64) -> f64 {
    polygamma_magnitude(1, x)
}

/// Second derivative of digamma (negative), for x > 0.
pub fn tetragamma(x: f64) -> f64 {
    -polygamma_magnitude(2, x)
}

/// Third derivative of digamma, for x > 0.
pub fn pentagamma(x: f64) -> f64 {
    polygamma_magnitude(3, x)
}

/// The x > 0 at which trigamma is `value` > 0: Newton's method on 1 / trigamma, which is nearly linear, from
/// `0.5 + 1 / value` (Smyth 2004, appendix).
pub fn trigamma_inverse(value: f64) -> f64 {
    let mut x = 0.5 + 1.0 / value;
    for _ in 0..50 {
        let at = trigamma(x);
        let step = at * (1.0 - at / value) / tetragamma(x);
        x += step;
        if step.abs() <= 1e-10 * x {
            break;
        }
    }
    x
}
