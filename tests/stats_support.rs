//! Small designs with known values, shared by the tests of the statistics.

use planrun::stats::{Layout, Observation, block_order};

/// Runs of a plan whose value is `value(arm, run number)`, in the real order for seed 1.
pub(crate) fn runs(
    arms: usize,
    blocks: u32,
    mut value: impl FnMut(usize, usize) -> f64,
) -> (Layout, Vec<Observation>) {
    let orders: Vec<_> = (0..blocks).map(|block| block_order(1, block, arms)).collect();
    let layout = Layout::of_orders(arms, orders.iter().map(Vec::as_slice));
    let mut runs = Vec::new();
    for (sub_block, sub) in orders.iter().flatten().enumerate() {
        for (position, arm) in sub.mirrored().enumerate() {
            let y = value(arm as usize, runs.len());
            runs.push(Observation { arm: arm as usize, sub_block, position, y });
        }
    }
    (layout, runs)
}

/// Repeatable noise around zero, about 1 % in size: a sine of large strides.
pub(crate) fn wobble(run: usize) -> f64 {
    0.01 * ((run as f64 * 12.9898).sin() * 43_758.545_3).fract()
}

pub(crate) fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not within {tolerance} of {expected}");
}
