//! Runs over time: each run as a percentage of its own cell's mean, in the order in which runs took place.

use super::scale::{Scale, nice_ticks, tick_label};
use super::svg::{Anchor, Picture, SERIES, WIDTH, text_width};

/// What the picture shows.
#[derive(Debug, Clone)]
pub struct Timeline {
    /// Metric and workload.
    pub title: String,
    /// Name of the vertical axis.
    pub axis: String,
    /// Half-width of the noise floor in percent, drawn around 100.
    pub floor: Option<f64>,
    /// How many runs, cells and blocks.
    pub n: String,
    /// Where it was measured: model, tasks, machine, plan.
    pub origin: String,
    /// Names of the series, control last.
    pub series: Vec<String>,
    /// The runs in time order.
    pub points: Vec<TimelinePoint>,
}

/// One run.
#[derive(Debug, Clone, Copy)]
pub struct TimelinePoint {
    /// Index into [`Timeline::series`].
    pub series: usize,
    /// Block, from 0.
    pub block: u32,
    /// Percent of the cell's mean; `None` where nothing was measured.
    pub percent: Option<f64>,
    /// The robust fit clipped it: drawn with a cross.
    pub clipped: bool,
}

const LEFT: f64 = 52.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 270.0;

/// Draws runs over time.
pub fn timeline(plot: &Timeline) -> String {
    let ticks = ticks(plot);
    let vertical = Scale::over(&ticks, (BOTTOM, TOP));
    let last = plot.points.len().max(2) as f64;
    let horizontal = Scale::new((0.5, last + 0.5), (LEFT, WIDTH - 12.0));
    let rows = legend_rows(&plot.series);
    let height = BOTTOM + 100.0 + 18.0 * rows.len() as f64;
    let mut picture = Picture::new(height, &format!("{}: {}", plot.title, plot.axis));
    picture.text("pr-title", (12.0, 22.0), Anchor::Start, WIDTH - 24.0, &plot.title);
    picture.text("pr-soft", (12.0, 40.0), Anchor::Start, WIDTH - 24.0, &heading(plot));
    grid(&mut picture, plot, &ticks, vertical);
    blocks(&mut picture, plot, horizontal);
    for (i, point) in plot.points.iter().enumerate() {
        draw_point(&mut picture, plot, *point, (horizontal.at(i as f64 + 1.0), vertical));
    }
    picture.paragraph("pr-soft", BOTTOM + 36.0, &footer(plot));
    picture.text("pr-soft", (12.0, BOTTOM + 72.0), Anchor::Start, WIDTH - 20.0, &plot.origin);
    draw_legend(&mut picture, &rows);
    picture.finish()
}

fn heading(plot: &Timeline) -> String {
    plot.floor.map_or_else(
        || plot.axis.clone(),
        |floor| format!("{}; grey: typical noise floor of a pair \u{b1}{floor:.1}\u{a0}%", plot.axis),
    )
}

fn footer(plot: &Timeline) -> String {
    let missing = plot.points.iter().filter(|point| point.percent.is_none()).count();
    let missing = if missing > 0 { format!("; {missing} not measured") } else { String::new() };
    format!(
        "runs in the order of time, by block; n = {}{missing}; struck through: clipped relative to its block",
        plot.n
    )
}

fn ticks(plot: &Timeline) -> Vec<f64> {
    let floor = plot.floor.unwrap_or(0.5);
    let (low, high) = plot
        .points
        .iter()
        .filter_map(|point| point.percent)
        .filter(|percent| percent.is_finite())
        .fold((100.0 - floor, 100.0 + floor), |(low, high), value| (low.min(value), high.max(value)));
    nice_ticks(low, high, 6)
}

fn grid(picture: &mut Picture, plot: &Timeline, ticks: &[f64], vertical: Scale) {
    if let Some(floor) = plot.floor {
        let (low, high) = (vertical.at(100.0 - floor), vertical.at(100.0 + floor));
        picture.rect("pr-band", (LEFT, low), (WIDTH - 12.0, high));
    }
    let step = ticks.get(1).zip(ticks.first()).map_or(1.0, |(second, first)| second - first);
    for &tick in ticks {
        let y = vertical.at(tick);
        let class = if (tick - 100.0).abs() < step / 1e6 { "pr-zero" } else { "pr-rule" };
        picture.line(class, (LEFT, y), (WIDTH - 12.0, y));
        picture.text(
            "pr-soft",
            (LEFT - 6.0, y + 4.0),
            Anchor::End,
            48.0,
            &format!("{}%", tick_label(tick, step)),
        );
    }
}

/// A rule between blocks, and the block's number below where there is room for it.
fn blocks(picture: &mut Picture, plot: &Timeline, horizontal: Scale) {
    let mut start = 0;
    while let Some(first) = plot.points.get(start) {
        let length = plot.points[start..].iter().take_while(|point| point.block == first.block).count();
        let (from, to) = (horizontal.at(start as f64 + 0.5), horizontal.at((start + length) as f64 + 0.5));
        if start > 0 {
            picture.line("pr-rule", (from, TOP), (from, BOTTOM + 6.0));
        }
        let name = (first.block + 1).to_string();
        if to - from > text_width(&name) {
            picture.text("pr-soft", (f64::midpoint(from, to), BOTTOM + 17.0), Anchor::Middle, 60.0, &name);
        }
        start += length;
    }
}

fn draw_point(picture: &mut Picture, plot: &Timeline, point: TimelinePoint, (x, vertical): (f64, Scale)) {
    let Some(percent) = point.percent.filter(|percent| percent.is_finite()) else { return };
    let name = plot.series.get(point.series).map_or("", String::as_str);
    let title = format!("{name}, block {}: {percent:.1}\u{a0}%", point.block + 1);
    let y = vertical.at(percent);
    picture.mark(point.series, (x, y), &title);
    if point.clipped {
        picture.line("pr-zero", (x - 5.0, y - 5.0), (x + 5.0, y + 5.0));
    }
}

/// Legend entries laid out in rows: (series, x, name).
fn legend_rows(series: &[String]) -> Vec<Vec<(usize, f64, String)>> {
    let mut rows: Vec<Vec<(usize, f64, String)>> = Vec::new();
    let mut x = 12.0;
    for (i, name) in series.iter().take(MAX_LEGEND).enumerate() {
        let name = if i + 1 == MAX_LEGEND { format!("and {} more", series.len() - i) } else { name.clone() };
        let width = 24.0 + text_width(&name).min(WIDTH - 60.0);
        if rows.is_empty() || x + width > WIDTH - 12.0 {
            rows.push(Vec::new());
            x = 12.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push((i, x, name));
        }
        x += width + 10.0;
    }
    rows
}

/// Legend entries shown; marks repeat after [`SERIES`], and the tooltip names every point's cell.
const MAX_LEGEND: usize = 3 * SERIES;

fn draw_legend(picture: &mut Picture, rows: &[Vec<(usize, f64, String)>]) {
    for (r, row) in rows.iter().enumerate() {
        let y = BOTTOM + 92.0 + 18.0 * r as f64;
        for (series, x, name) in row {
            picture.mark(*series, (x + 6.0, y - 4.0), name);
            picture.text("pr-soft", (x + 18.0, y), Anchor::Start, WIDTH - 60.0, name);
        }
    }
}
