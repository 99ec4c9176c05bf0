//! Forest plot: one row per edge, its interval as a line, what it could show by itself as a band around zero.

use super::scale::{Scale, nice_ticks, tick_label};
use super::svg::{Anchor, Picture, WIDTH};

/// What a forest plot shows.
#[derive(Debug, Clone)]
pub struct Forest {
    /// What is compared.
    pub title: String,
    /// Name of the axis with its unit and what a positive value means.
    pub axis: String,
    /// What the grey band of a row is (`resolution of each pair by itself`); empty where no row has one.
    pub band: String,
    /// What the bars are (`98.3 % simultaneous intervals`).
    pub bars: String,
    /// How much data stands behind each row (`6 blocks, 2 runs a cell in each`).
    pub n: String,
    /// Where it was measured: model, tasks, machine, plan.
    pub origin: String,
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
    /// Half-width of the band around zero, in the axis' unit; `None` where there is none.
    pub floor: Option<f64>,
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
    /// The interval lies inside the margin: a filled square.
    Equivalent,
    /// Judged, and neither: a hollow triangle.
    Open,
    /// Not judged: a hollow triangle to the right and a dashed interval.
    Unjudged,
}

impl Standing {
    /// The mark of the series that it is drawn with.
    fn mark(self) -> usize {
        match self {
            Self::Established => 3,
            Self::Equivalent => 1,
            Self::Open => 4,
            Self::Unjudged => 6,
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Established => "established",
            Self::Equivalent => "equivalent within the margin",
            Self::Open => "within noise or undecided",
            Self::Unjudged => "no test (dashed)",
        }
    }
}

const ROW: f64 = 40.0;
const SIDE: f64 = 24.0;
const LEGEND_ROW: f64 = 18.0;
/// Where the lines of a row begin below its label.
const BELOW_LABEL: f64 = 17.0;

/// Draws a forest plot.
pub fn forest(plot: &Forest) -> String {
    let ticks = ticks(plot);
    let scale = Scale::over(&ticks, (SIDE, WIDTH - SIDE));
    let marks = marks(plot);
    let notes = [&plot.bars, &plot.band].into_iter().filter(|note| !note.is_empty()).count() as f64;
    let top = 34.0 + LEGEND_ROW * (marks.len().div_ceil(2) as f64 + notes);
    let bottom = top + 4.0 + ROW * plot.rows.len() as f64;
    let mut picture = Picture::new(bottom + 80.0, &format!("{}: {}", plot.title, plot.axis));
    picture.text("pr-title", (12.0, 22.0), Anchor::Start, WIDTH - 24.0, &plot.title);
    legend(&mut picture, plot, &marks);
    for (i, row) in plot.rows.iter().enumerate() {
        let row_top = top + ROW * i as f64;
        grid(&mut picture, row, &ticks, scale, row_top);
        draw_row(&mut picture, row, scale, row_top);
    }
    axis(&mut picture, plot, &ticks, scale, bottom);
    picture.finish()
}

/// The standings that occur, in the order of the enumeration.
fn marks(plot: &Forest) -> Vec<Standing> {
    let all = [Standing::Established, Standing::Equivalent, Standing::Open, Standing::Unjudged];
    all.into_iter().filter(|standing| plot.rows.iter().any(|row| row.standing == *standing)).collect()
}

fn legend(picture: &mut Picture, plot: &Forest, marks: &[Standing]) {
    let mut y = 42.0;
    for pair in marks.chunks(2) {
        for (i, standing) in pair.iter().enumerate() {
            let x = 18.0 + i as f64 * (WIDTH / 2.0);
            picture.mark(standing.mark(), (x, y - 4.0), standing.meaning());
            picture.text("pr-soft", (x + 12.0, y), Anchor::Start, WIDTH / 2.0 - 30.0, standing.meaning());
        }
        y += LEGEND_ROW;
    }
    for note in [&plot.bars, &plot.band].into_iter().filter(|note| !note.is_empty()) {
        picture.text("pr-soft", (12.0, y), Anchor::Start, WIDTH - 24.0, note);
        y += LEGEND_ROW;
    }
}

fn axis(picture: &mut Picture, plot: &Forest, ticks: &[f64], scale: Scale, bottom: f64) {
    let step = step(ticks);
    for &tick in ticks {
        let at = (scale.at(tick), bottom + 14.0);
        picture.text("pr-soft", at, Anchor::Middle, 60.0, &tick_label(tick, step));
    }
    for (line, text) in [&plot.axis, &footer(plot), &plot.origin].into_iter().enumerate() {
        let at = (WIDTH / 2.0, bottom + 32.0 + LEGEND_ROW * line as f64);
        picture.text("pr-soft", at, Anchor::Middle, WIDTH - 16.0, text);
    }
}

fn footer(plot: &Forest) -> String {
    match plot.more {
        0 => format!("n = {}", plot.n),
        more => format!("n = {}; {more} more rows are in report.json", plot.n),
    }
}

fn ticks(plot: &Forest) -> Vec<f64> {
    let values = plot.rows.iter().flat_map(|row| {
        let (low, high) = row.interval.unzip();
        [row.delta, low, high, row.floor, row.floor.map(|floor| -floor)].into_iter().flatten()
    });
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
    nice_ticks(low, high, 6)
}

fn step(ticks: &[f64]) -> f64 {
    ticks.get(1).zip(ticks.first()).map_or(1.0, |(second, first)| second - first)
}

/// Rules and band stand behind a row's interval, and leave its label free.
fn grid(picture: &mut Picture, row: &ForestRow, ticks: &[f64], scale: Scale, top: f64) {
    let (from, to) = (top + BELOW_LABEL, top + ROW - 5.0);
    if let Some(floor) = row.floor.filter(|floor| floor.is_finite()) {
        picture.rect("pr-band", (scale.at(-floor), from), (scale.at(floor), to));
    }
    for &tick in ticks {
        let class = if tick.abs() < step(ticks) / 1e6 { "pr-zero" } else { "pr-rule" };
        picture.line(class, (scale.at(tick), from), (scale.at(tick), to));
    }
}

fn draw_row(picture: &mut Picture, row: &ForestRow, scale: Scale, top: f64) {
    let shown = super::svg::text_width(&row.shown);
    picture.text("pr-label", (12.0, top + 13.0), Anchor::Start, WIDTH - 36.0 - shown, &row.label);
    picture.text("pr-label", (WIDTH - 12.0, top + 13.0), Anchor::End, WIDTH / 2.0, &row.shown);
    let y = top + 26.0;
    if let Some((low, high)) = row.interval {
        let class = if row.standing == Standing::Unjudged { "pr-open" } else { "pr-whisker" };
        picture.line(class, (scale.at(low), y), (scale.at(high), y));
        for end in [low, high] {
            picture.line("pr-whisker", (scale.at(end), y - 4.0), (scale.at(end), y + 4.0));
        }
    }
    if let Some(delta) = row.delta.filter(|delta| delta.is_finite()) {
        picture.mark(row.standing.mark(), (scale.at(delta), y), &format!("{}: {}", row.label, row.shown));
    }
}
