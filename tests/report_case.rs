//! A made-up judged plan (3 x 2 x 2) to render: figures are invented, shapes are those of a real one.

use planrun::compare::{
    AnalysedFactor, Analysis, Bounds, CellSummary, CellValue, CountOf, Coverage, DeltaUnit, Direction,
    EdgeFinding, Faces, FactorFinding, InteractionFinding, Made, MetricAnalysis, NoiseFloor, Placebo,
    QualityResolution, Replication, RunPoint, Shown, Spread, Verdict, WorkloadAnalysis,
};
use planrun::condition::{Field, Origin};
use planrun::record::PlanIdentity;

pub(crate) const QUANTIZATIONS: [&str; 3] = ["f32", "q8_0", "q4_0"];

/// Levels of a cell: `quantization`, `thinking`, `max_tokens`.
fn levels(cell: u32) -> [u16; 3] {
    [(cell / 4) as u16, (cell / 2 % 2) as u16, (cell % 2) as u16]
}

fn names(cell: u32) -> [String; 3] {
    let [q, t, m] = levels(cell);
    [QUANTIZATIONS[usize::from(q)].into(), (t == 1).to_string(), [16, 64][usize::from(m)].to_string()]
}

fn label(cell: u32) -> String {
    let [q, t, m] = names(cell);
    format!("quantization={q} thinking={t} max_tokens={m}")
}

/// Deterministic noise between -1 and 1.
fn noise(i: u32) -> f64 {
    (f64::from(i) * 12.9898).sin() * 43758.5453 % 1.0
}

fn typical(cell: u32) -> f64 {
    let [q, t, _] = levels(cell);
    [212.0, 286.4, 301.7][usize::from(q)] * if t == 1 { 0.97 } else { 1.0 }
}

fn correct(cell: u32) -> u32 {
    let [q, t, m] = levels(cell);
    let base = if t == 1 { [41, 168][usize::from(m)] } else { 97 };
    base - [0, 1, 9][usize::from(q)]
}

pub(crate) fn bounds(low: f64, high: f64) -> Bounds {
    Bounds { low, high, simultaneous: true, level: 95.0, open_at_zero: false }
}

fn verdict(low: f64, high: f64) -> Verdict {
    if low > 0.0 || high < 0.0 {
        return Verdict::Established { smaller_than_margin: None };
    }
    let up_to = if high > -low { high } else { low };
    Verdict::WithinNoise { up_to, beyond_floor: false, more_blocks: Some(9), more_minutes: Some(4.2) }
}

/// Edges: each level against its factor's first.
fn pairs() -> Vec<(u32, u32, usize)> {
    let mut pairs = Vec::new();
    for cell in 0..12 {
        let [q, t, m] = levels(cell);
        if q > 0 {
            pairs.push((cell - 4 * u32::from(q), cell, 0));
        }
        if t > 0 {
            pairs.push((cell - 2, cell, 1));
        }
        if m > 0 {
            pairs.push((cell - 1, cell, 2));
        }
    }
    pairs.sort_by_key(|(before, after, factor)| (*factor, *after, *before));
    pairs
}

const FIELDS: [Field; 3] = [Field::Quantization, Field::Thinking, Field::MaxTokens];

fn edge(before: u32, after: u32, factor: usize, delta: f64, half: f64) -> EdgeFinding {
    let (from, to) = (names(before), names(after));
    let at: Vec<String> =
        (0..3).filter(|i| *i != factor).map(|i| format!("{}={}", FIELDS[i], from[i])).collect();
    EdgeFinding {
        before,
        after,
        field: FIELDS[factor],
        from: from[factor].clone(),
        to: to[factor].clone(),
        at: at.join(" "),
        implied: vec![],
        delta: Some(delta),
        interval: Some(bounds(delta - half, delta + half)),
        p: Some(0.0031),
        adjusted_p: Some(if delta.abs() > half { 0.0004 } else { 0.72 }),
        df: Some(41.0),
        n: 6,
        changed: None,
        clipped: Some(CountOf { k: 3, n: 24 }),
        floor: Some(1.4),
        verdict: Some(verdict(delta - half, delta + half)),
        remarks: vec![],
        sentence: format!("{} -> {} ({}): {delta:+.1}", from[factor], to[factor], FIELDS[factor]),
    }
}

/// Places of a step's edges among [`pairs`].
fn parallel(factor: usize, [from, to]: [&str; 2]) -> Vec<u32> {
    let is_step = |(before, after, varied): &(u32, u32, usize)| {
        *varied == factor && names(*before)[factor] == from && names(*after)[factor] == to
    };
    (0u32..).zip(pairs()).filter(|(_, pair)| is_step(pair)).map(|(place, _)| place).collect()
}

fn factor(factor: usize, step: [&str; 2], edges: u32, delta: f64, half: f64) -> FactorFinding {
    FactorFinding {
        factor: FIELDS[factor].name().into(),
        field: FIELDS[factor],
        from: step[0].into(),
        to: step[1].into(),
        edges,
        delta: Some(delta),
        interval: Some(bounds(delta - half, delta + half)),
        p: Some(0.001),
        adjusted_p: Some(0.004),
        tau: Some(0.3),
        range: Some([delta - 0.8, delta + 0.9]),
        heterogeneity_p: Some(0.4),
        withheld: false,
        parallel: parallel(factor, step),
        distinct: None,
        split: None,
        verdict: Some(verdict(delta - half, delta + half)),
        sentence: String::new(),
    }
}

fn timing() -> MetricAnalysis {
    let cells: Vec<CellValue> = (0..13).map(|arm| cell_value(arm % 12, arm == 12)).collect();
    let edges = pairs().into_iter().map(|(before, after, factor)| {
        let delta = 100.0 * (typical(after) / typical(before) - 1.0) + 0.3 * noise(before * 12 + after);
        edge(before, after, factor, delta, 1.3)
    });
    MetricAnalysis {
        metric: "decode_tok_s".into(),
        title: "decode tokens/s".into(),
        unit: "tokens/s".into(),
        definition: "decode_tok_s/1".into(),
        direction: Direction::HigherIsBetter,
        primary: true,
        delta_unit: DeltaUnit::Percent,
        replication: Replication::Block,
        alpha: 0.025,
        margin: None,
        n: 6,
        cells,
        factors: vec![
            factor(0, ["f32", "q8_0"], 4, 35.1, 0.7),
            factor(0, ["f32", "q4_0"], 4, 42.3, 0.7),
            factor(1, ["false", "true"], 6, -3.0, 0.5),
            factor(2, ["16", "64"], 6, 0.1, 0.5),
        ],
        edges: edges.collect(),
        interactions: vec![interaction(0.4, 1.1)],
        faces: Faces {
            total: 1,
            listed: vec![InteractionFinding { verdict: None, ..interaction(0.4, 1.1) }],
        },
        placebo: Some(Placebo { cell: 0, delta: 0.2, interval: bounds(-0.5, 0.9), p: 0.6, failed: false }),
        floor: Some(NoiseFloor { value: 1.37, detectable: 1.9, blocks: 6, df: 65.0 }),
        repeats: Some(Spread { robust_sd: 1.1, range: [-9.0, 1.8], n: 24 }),
        resolution: None,
        clipping: None,
        did_not_vary: false,
        runs: runs(),
        warnings: vec![],
    }
}

fn cell_value(cell: u32, control: bool) -> CellValue {
    let value = typical(cell);
    CellValue {
        cell,
        control,
        value: Some(value),
        plain_mean: Some(value * 0.995),
        range: Some([value * 0.91, value * 1.015]),
        n: 12,
        clipped: Some(CountOf { k: 1, n: 12 }),
        count: None,
        reason: None,
    }
}

fn runs() -> Vec<RunPoint> {
    (0..156u32)
        .map(|order| {
            let arm = (order * 5 + order / 26) % 13;
            let burst = if order % 37 == 11 { -9.0 } else { 0.0 };
            let percent = 100.0 + 1.2 * noise(order) + burst - 0.01 * f64::from(order);
            let value = typical(arm % 12) * percent / 100.0;
            RunPoint {
                order,
                block: order / 26,
                cell: arm % 12,
                control: arm == 12,
                value,
                clipped: burst < 0.0,
            }
        })
        .collect()
}

fn interaction(delta: f64, half: f64) -> InteractionFinding {
    InteractionFinding {
        first: ["thinking".into(), "false".into(), "true".into()],
        second: ["max_tokens".into(), "16".into(), "64".into()],
        at: String::new(),
        faces: 3,
        cells: vec![],
        delta: Some(delta),
        interval: Some(bounds(delta - half, delta + half)),
        p: Some(0.4),
        adjusted_p: Some(0.8),
        verdict: Some(verdict(delta - half, delta + half)),
        sentence: String::new(),
    }
}

fn quality() -> MetricAnalysis {
    let points = |cell: u32| f64::from(correct(cell)) / 2.0;
    let edges = pairs().into_iter().map(|(before, after, factor)| {
        let (worse, better) =
            (correct(before).saturating_sub(correct(after)), correct(after).saturating_sub(correct(before)));
        EdgeFinding {
            changed: Some([better + 4, worse + 4]),
            n: 200,
            floor: Some(13.0),
            clipped: None,
            df: None,
            ..edge(before, after, factor, points(after) - points(before), 7.0)
        }
    });
    let thinking = FactorFinding {
        withheld: true,
        delta: None,
        interval: None,
        range: Some([-33.0, 36.0]),
        ..factor(1, ["false", "true"], 6, 0.0, 5.0)
    };
    let tokens = FactorFinding { range: Some([-0.5, 63.5]), ..factor(2, ["16", "64"], 6, 31.8, 4.0) };
    MetricAnalysis {
        metric: "quality".into(),
        title: "share of correct answers".into(),
        unit: "share".into(),
        definition: "quality/1".into(),
        delta_unit: DeltaUnit::Points,
        replication: Replication::Item,
        n: 200,
        cells: (0..13).map(|arm| shares(arm % 12, arm == 12)).collect(),
        factors: vec![factor(0, ["f32", "q8_0"], 4, -0.5, 2.5), factor(0, ["f32", "q4_0"], 4, -4.5, 3.1), thinking, tokens],
        edges: edges.collect(),
        interactions: vec![interaction(63.5, 6.0)],
        placebo: None,
        floor: None,
        repeats: None,
        resolution: Some(QualityResolution {
            n: 200,
            at: 0.485,
            unpaired: Some(13.99),
            paired: Some(5.2),
            below_formula_size: false,
            exact: None,
            sentence: "200 tasks show a difference of about 14 points between two cells, about 5 points on paired answers".into(),
        }),
        runs: vec![],
        ..timing()
    }
}

fn shares(cell: u32, control: bool) -> CellValue {
    let k = correct(cell);
    CellValue {
        value: Some(f64::from(k) / 200.0),
        plain_mean: None,
        range: None,
        n: 200,
        clipped: None,
        count: Some(CountOf { k, n: 200 }),
        ..cell_value(cell, control)
    }
}

/// An exploratory metric that nobody measured.
fn energy() -> MetricAnalysis {
    let cells = (0..12).map(|cell| CellValue {
        value: None,
        plain_mean: None,
        range: None,
        clipped: None,
        reason: Some("no power meter".into()),
        ..cell_value(cell, false)
    });
    MetricAnalysis {
        metric: "energy_per_token".into(),
        title: "energy per token".into(),
        unit: "J".into(),
        definition: "energy_per_token/1".into(),
        primary: false,
        cells: cells.collect(),
        factors: vec![],
        edges: vec![],
        interactions: vec![],
        faces: Faces::default(),
        placebo: None,
        floor: None,
        repeats: None,
        runs: vec![],
        ..timing()
    }
}

fn condition(cell: u32) -> Vec<Shown> {
    let [q, t, m] = names(cell);
    let shown = |field, value: &str, origin| Shown { field, value: value.into(), origin };
    let hardware =
        r#"{"cpu":"Example CPU 1","instruction_sets":["avx2"],"cores":2,"memory_gib":8,"accelerators":[]}"#;
    vec![
        shown(Field::Model, "pico", Origin::Asked),
        shown(Field::Weights, &"ab12".repeat(16), Origin::Read),
        shown(Field::Quantization, &q, Origin::Read),
        shown(Field::Thinking, &t, Origin::Asked),
        shown(Field::MaxTokens, &m, Origin::Asked),
        shown(Field::Hardware, hardware, Origin::Read),
        shown(Field::Temperature, "0.0", Origin::Asked),
    ]
}

/// The judged plan.
pub(crate) fn analysis() -> Analysis {
    let cell = |index| CellSummary {
        index,
        label: label(index),
        levels: levels(index).to_vec(),
        condition: condition(index),
    };
    let factors = [vec!["f32", "q8_0", "q4_0"], vec!["false", "true"], vec!["16", "64"]];
    Analysis {
        plan: PlanIdentity { name: "made-up".into(), hash: "cd34".repeat(16) },
        alpha: 0.05,
        factors: factors
            .iter()
            .zip(FIELDS)
            .map(|(levels, field)| AnalysedFactor {
                name: field.name().into(),
                field,
                levels: levels.iter().map(ToString::to_string).collect(),
            })
            .collect(),
        cells: (0..12).map(cell).collect(),
        baseline: 0,
        made: Made {
            days: vec!["2026-03-01".into()],
            minutes: Some(4),
            commits: vec!["ab".repeat(20) + "+dirty"],
            builds: vec!["12ef".repeat(16)],
        },
        coverage: Coverage { planned: 156, done: 156, failed: 0, absent: 0 },
        missing: vec![],
        workloads: vec![WorkloadAnalysis {
            name: "sums".into(),
            timing: true,
            quality: true,
            once: false,
            blocks: 6,
            merged: vec![],
            metrics: vec![timing(), quality(), energy()],
            agreement: vec![],
            determinism: vec![],
            warnings: vec![],
            beside: vec![],
        }],
        refused: vec![],
        not_compared: planrun::compare::NotCompared::default(),
        assumed: vec![],
        warnings: vec![],
    }
}
