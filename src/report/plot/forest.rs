//! Forest plot: one row per edge, its interval as a line, the noise floor as a band around zero.

use super::scale::{Scale, nice_ticks, tick_label};
use super::svg::{Anchor, Picture, WIDTH};

/// What a forest plot shows.
#[derive(Debug, Clone)]
pub struct Forest {
    /// What is compared.
    pub title: String,
    /// Name of the axis with its unit and what a positive value means.
    pub axis: String,
    /// Half-width of the band around zero, in the axis' unit; `None` where no floor was measured.
    pub floor: Option<f64>,
    /// What the band is (`noise floor`, `resolution`).
    pub floor_name: String,
    /// How much data stands behind each row (`6 blocks, 2 runs a cell in each`).
    pub n: String,
    /// Unit behind numbers in the picture.
    pub unit: String,
    /// The edges.
    pub rows: Vec<ForestRow>,
    /// Rows that were left out for want of room.
    pub more: usize,
}

/// One edge.
#[derive(Debug, Clone)]
pub struct ForestRow {
    /// The change, and the other levels that held.
    pub label: String,
    /// Estimate, in the axis' unit; `None` where there is none.
    pub delta: Option<f64>,
    /// Simultaneous interval.
    pub interval: Option<(f64, f64)>,
    /// How it was judged.
    pub standing: Standing,
    /// The numbers as the tables print them.
    pub shown: String,
}

/// How a row is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The interval excludes zero: a filled diamond.
    Established,
    /// Judged, and nothing was established: a hollow triangle.
    Open,
    /// Not judged: a hollow triangle and a dashed interval.
    Unjudged,
}

const ROW: f64 = 40.0;
const SIDE: f64 = 24.0;

/// Draws a forest plot.
pub fn forest(plot: &Forest) -> String {
    let ticks = ticks(plot);
    let scale = Scale::over(&ticks, (SIDE, WIDTH - SIDE));
    let height = 118.0 + ROW * plot.rows.len() as f64;
    let mut picture = Picture::new(height, &format!("{}: {}", plot.title, plot.axis));
    picture.text("pr-title", (12.0, 22.0), Anchor::Start, WIDTH - 24.0, &plot.title);
    picture.text("pr-soft", (12.0, 40.0), Anchor::Start, WIDTH - 24.0, &legend(plot));
    let (top, bottom) = (52.0, 56.0 + ROW * plot.rows.len() as f64);
    grid(&mut picture, plot, &ticks, scale, (top, bottom));
    for (i, row) in plot.rows.iter().enumerate() {
        draw_row(&mut picture, row, scale, top + ROW * i as f64);
    }
    picture.text("pr-soft", (WIDTH / 2.0, bottom + 34.0), Anchor::Middle, WIDTH - 24.0, &plot.axis);
    picture.text("pr-soft", (WIDTH / 2.0, bottom + 52.0), Anchor::Middle, WIDTH - 24.0, &footer(plot));
    picture.finish()
}

fn legend(plot: &Forest) -> String {
    let marks = "\u{25c6} established  \u{25bd} not established";
    plot.floor.map_or_else(
        || format!("{marks}  no noise floor"),
        |floor| format!("{marks}  grey: {} \u{b1}{floor:.1}\u{a0}{}", plot.floor_name, plot.unit),
    )
}

fn footer(plot: &Forest) -> String {
    match plot.more {
        0 => format!("n = {}", plot.n),
        more => format!("n = {}; {more} more rows are in report.json", plot.n),
    }
}

fn ticks(plot: &Forest) -> Vec<f64> {
    let floor = plot.floor.unwrap_or(0.0);
    let values = plot.rows.iter().flat_map(|row| {
        let (low, high) = row.interval.unzip();
        [row.delta, low, high].into_iter().flatten()
    });
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((-floor, floor), |(low, high), value| (low.min(value), high.max(value)));
    nice_ticks(low, high, 6)
}

fn grid(picture: &mut Picture, plot: &Forest, ticks: &[f64], scale: Scale, (top, bottom): (f64, f64)) {
    if let Some(floor) = plot.floor {
        picture.rect("pr-band", (scale.at(-floor), top), (scale.at(floor), bottom));
    }
    let step = ticks.get(1).zip(ticks.first()).map_or(1.0, |(second, first)| second - first);
    for &tick in ticks {
        let x = scale.at(tick);
        let class = if tick.abs() < step / 1e6 { "pr-zero" } else { "pr-rule" };
        picture.line(class, (x, top), (x, bottom));
        picture.text("pr-soft", (x, bottom + 16.0), Anchor::Middle, 60.0, &tick_label(tick, step));
    }
}

fn draw_row(picture: &mut Picture, row: &ForestRow, scale: Scale, top: f64) {
    let shown = super::svg::text_width(&row.shown);
    picture.text("pr-label", (12.0, top + 13.0), Anchor::Start, WIDTH - 36.0 - shown, &row.label);
    picture.text("pr-label", (WIDTH - 12.0, top + 13.0), Anchor::End, WIDTH / 2.0, &row.shown);
    let y = top + 25.0;
    if let Some((low, high)) = row.interval {
        let class = if row.standing == Standing::Unjudged { "pr-open" } else { "pr-whisker" };
        picture.line(class, (scale.at(low), y), (scale.at(high), y));
        for end in [low, high] {
            picture.line("pr-whisker", (scale.at(end), y - 4.0), (scale.at(end), y + 4.0));
        }
    }
    if let Some(delta) = row.delta.filter(|delta| delta.is_finite()) {
        let series = if row.standing == Standing::Established { 3 } else { 4 };
        picture.mark(series, (scale.at(delta), y), &format!("{}: {}", row.label, row.shown));
    }
}
