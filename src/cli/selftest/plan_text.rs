//! A simulated grid as a plan file.

use crate::stats::simulation::Scenario;
use std::fmt::Write as _;

/// Settings that act on a timing workload and that the stand-in engine takes, with their levels as TOML.
const FACTORS: [(&str, [&str; 4]); 4] = [
    ("quantization", [r#""f32""#, r#""q8_0""#, r#""q4_0""#, r#""q2_k""#]),
    ("threads", ["1", "2", "3", "4"]),
    ("context_length", ["1024", "2048", "4096", "8192"]),
    ("warmup", ["0", "1", "2", "3"]),
];

/// Name of the only workload.
pub(super) const WORKLOAD: &str = "timing";
/// The only primary metric, so that it has the whole alpha.
pub(super) const METRIC: &str = "decode_tok_s";

/// The plan that runs a scenario with this seed; `None` for a grid with more factors or levels than there are here.
pub(super) fn plan_text(scenario: &Scenario, seed: u64) -> Option<String> {
    let levels = scenario.grid.levels();
    let (varied, fixed) = FACTORS.split_at_checked(levels.len())?;
    let (mut grid, mut settings) = (String::new(), String::new());
    // Writing to a string cannot fail.
    for ((key, values), &count) in varied.iter().zip(levels) {
        let _ = writeln!(grid, "{key} = [{}]", values.get(..count)?.join(", "));
    }
    for (key, values) in fixed {
        let _ = writeln!(settings, "{key} = {}", values[0]);
    }
    Some(format!(
        r#"[plan]
name = "selftest"
question = "Does the report say what the statistics say?"
seed = {seed}

[settings]
model = "scripted:noise=0"
engine = "scripted"
thinking = false
temperature = 0
{settings}
[grid]
{grid}
[[workload]]
name = "{WORKLOAD}"
prompt_tokens = 4
gen_tokens = 2

[schedule]
blocks = {blocks}

[compare]
pairs = "all"
metrics = {{ {WORKLOAD} = ["{METRIC}"] }}
"#,
        blocks = scenario.blocks,
    ))
}
