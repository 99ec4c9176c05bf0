//! The power that the recommended procedure had in the study that chose it (per cent of 2 % effects
//! established, at 6, 8 and 10 blocks), to hold this implementation against.

use super::noise::Noise;
use super::trial::Scenario;

/// Name of the noise, power on 3x2x2, power on 4x3x2x2. 0: no figure, as 980 runs are more than the trace has.
const POWER: [(&str, [u8; 3], [u8; 3]); 12] = [
    ("independent", [92, 99, 100], [77, 95, 99]),
    ("linear drift", [92, 99, 100], [77, 94, 99]),
    ("random walk", [99, 100, 100], [97, 100, 100]),
    ("autocorrelated", [95, 99, 100], [86, 97, 100]),
    ("step", [72, 93, 99], [67, 90, 98]),
    ("bursts", [37, 58, 74], [10, 27, 46]),
    ("recorded decode", [27, 41, 60], [5, 10, 0]),
    ("recorded prefill", [72, 83, 90], [53, 75, 0]),
    ("carry-over", [55, 76, 87], [36, 60, 79]),
    ("thermal", [62, 84, 94], [76, 93, 99]),
    ("half noisy", [16, 37, 53], [2, 8, 21]),
    ("heavy tails", [99, 100, 100], [97, 100, 100]),
];

/// The reference power of a scenario, 0..=1, where the study has it.
pub(super) fn reference_power(scenario: &Scenario) -> Option<f64> {
    let place = [6, 8, 10].iter().position(|&blocks| blocks == scenario.blocks)?;
    let known = |noise: &Noise| POWER.iter().find(|(name, ..)| *name == noise.name());
    let (_, small, large) = known(&scenario.noise)?;
    let powers = match scenario.grid.name().as_str() {
        "3x2x2" => small,
        "4x3x2x2" => large,
        _ => return None,
    };
    (powers[place] > 0).then(|| f64::from(powers[place]) / 100.0)
}
