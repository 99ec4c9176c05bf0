//! Pictures carry what a reader needs, and draw bad numbers as nothing.

use planrun::report::plot::{
    Forest, ForestRow, Interaction, Line, LinePoint, Quality, QualityRow, Standing, Timeline, TimelinePoint,
    forest, interaction, nice_ticks, quality, tick_label, timeline,
};

fn row(delta: Option<f64>, interval: Option<(f64, f64)>) -> ForestRow {
    let label =
        "quantization f32 \u{2192} q8_0 (thinking=true max_tokens=64 and a very long rest of the label)";
    ForestRow {
        label: label.into(),
        delta,
        interval,
        floor: Some(1.4),
        standing: Standing::Open,
        shown: "+3.1 %".into(),
    }
}

fn forest_plot() -> Forest {
    Forest {
        title: "Decoding speed".into(),
        axis: "after minus before, %".into(),
        band: "grey: typical noise floor".into(),
        bars: "bars: 95 % simultaneous intervals".into(),
        n: "6 blocks, two runs a cell in each".into(),
        origin: "pico \u{b7} plan 5ef2c1fb9d96".into(),
        rows: vec![row(Some(3.1), Some((1.0, 5.2))), row(None, None), row(Some(f64::NAN), None)],
        more: 3,
    }
}

#[test]
fn a_forest_plot_carries_n_band_level_origin_and_axis_name() {
    let svg = forest(&forest_plot());
    for part in [
        "n = 6 blocks",
        "grey: typical noise floor",
        "95 % simultaneous",
        "plan 5ef2c1fb9d96",
        "after minus before, %",
        "3 more rows",
        "within noise or undecided",
        "viewBox",
    ] {
        assert!(svg.contains(part), "{part}");
    }
}

#[test]
fn a_long_label_is_cut_and_kept_as_a_title() {
    let svg = forest(&forest_plot());
    assert!(svg.contains("<title>quantization f32"));
    assert!(svg.contains('\u{2026}'));
}

#[test]
fn numbers_that_are_not_finite_are_not_drawn() {
    let svg = forest(&forest_plot());
    assert!(!svg.contains("NaN") && !svg.contains("inf\""));
}

#[test]
fn a_plot_over_time_carries_n_floor_axis_and_blocks() {
    let point = |block, percent| TimelinePoint { series: 0, block, percent, clipped: false };
    let svg = timeline(&Timeline {
        title: "Decoding speed".into(),
        axis: "% of the cell's own typical value".into(),
        floor: Some(1.4),
        n: "3 runs of 1 arms in 2 blocks".into(),
        origin: "pico".into(),
        series: vec!["<f32>".into()],
        points: vec![point(0, Some(99.0)), point(0, Some(101.0)), point(1, None)],
    });
    for part in
        ["n = 3 runs", "floor of a pair \u{b1}1.4", "own typical value", "1 not measured", "&lt;f32&gt;"]
    {
        assert!(svg.contains(part), "{part}");
    }
}

#[test]
fn a_plot_of_shares_carries_counts_and_resolution() {
    let svg = quality(&Quality {
        title: "Share of correct answers".into(),
        resolution: Some(13.0),
        baseline: Some(70.0),
        n: "200 items".into(),
        origin: "pico".into(),
        rows: vec![QualityRow { label: "f32".into(), percent: Some(70.5), shown: "141/200".into() }],
        more: 0,
    });
    for part in ["141/200", "\u{b1}13.0 points", "n = 200 items", "share of correct answers, %"] {
        assert!(svg.contains(part), "{part}");
    }
}

#[test]
fn an_interaction_plot_has_a_line_per_level_with_its_own_mark() {
    let line = |label: &str, mean| Line {
        label: label.into(),
        points: vec![
            LinePoint { mean: Some(mean), interval: Some((mean - 1.0, mean + 1.0)) },
            LinePoint::default(),
        ],
    };
    let svg = interaction(&Interaction {
        title: "Quality".into(),
        axis: "% of items".into(),
        across: "max_tokens".into(),
        levels: vec!["16".into(), "64".into()],
        by: "thinking".into(),
        lines: vec![line("false", 48.0), line("true", 20.0)],
        notes: vec!["typical noise floor of a pair \u{b1}1.4 %".into()],
        from_zero: true,
        origin: "pico".into(),
        n: "200 items".into(),
    });
    for part in [
        "thinking=false",
        "thinking=true",
        "class=\"pr-s0\"",
        "class=\"pr-s1\"",
        "noise floor",
        "n = 200 items",
    ] {
        assert!(svg.contains(part), "{part}");
    }
}

#[test]
fn ticks_are_round_numbers_that_cover_the_data() {
    assert_eq!(nice_ticks(-2.3, 7.1, 5), vec![-4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
    assert_eq!(nice_ticks(5.0, 5.0, 2), vec![4.5, 5.0, 5.5]);
    assert_eq!(nice_ticks(f64::NAN, 1.0, 5), vec![0.0, 1.0]);
    assert_eq!(tick_label(-2.0, 1.0), "\u{2212}2");
    assert_eq!(tick_label(-0.0, 0.5), "0.0");
}
