//! Interaction of two factors: a line per level of one, over the levels of the other. Parallel lines: no interaction.

use super::scale::{Scale, nice_ticks, tick_label};
use super::svg::{Anchor, Picture, SERIES, WIDTH, text_width};

/// What the picture shows.
#[derive(Debug, Clone)]
pub struct Interaction {
    /// The two factors.
    pub title: String,
    /// Metric and unit of the vertical axis.
    pub axis: String,
    /// Name of the factor on the horizontal axis.
    pub across: String,
    /// Its levels.
    pub levels: Vec<String>,
    /// Name of the factor whose levels are the lines.
    pub by: String,
    /// A line per level.
    pub lines: Vec<Line>,
    /// What the bars are, and the noise floor or resolution, in words.
    pub notes: Vec<String>,
    /// The axis begins at zero (a share, a rate).
    pub from_zero: bool,
    /// Where it was measured: model, tasks, machine, plan.
    pub origin: String,
    /// What stands behind each point.
    pub n: String,
}

/// One level of the second factor.
#[derive(Debug, Clone)]
pub struct Line {
    /// The level.
    pub label: String,
    /// A point per level of the first factor.
    pub points: Vec<LinePoint>,
}

/// A mean with its bar, in the axis' unit.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinePoint {
    /// Mean over the cells with this pair of levels; `None` where nothing was measured.
    pub mean: Option<f64>,
    /// Ends of the bar.
    pub interval: Option<(f64, f64)>,
}

const LEFT: f64 = 60.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 268.0;

/// Draws the interaction of two factors.
pub fn interaction(plot: &Interaction) -> String {
    let ticks = ticks(plot);
    let vertical = Scale::over(&ticks, (BOTTOM, TOP));
    let columns = plot.levels.len().max(1) as f64;
    let horizontal = Scale::new((0.0, columns), (LEFT, WIDTH - 12.0));
    let legend = legend_rows(plot);
    let below = BOTTOM + 58.0 + 18.0 * legend.len() as f64;
    let height = below + 18.0 * (plot.notes.len() as f64 + 1.0) + 8.0;
    let mut picture = Picture::new(height, &format!("{}: {}", plot.title, plot.axis));
    picture.text("pr-title", (12.0, 22.0), Anchor::Start, WIDTH - 24.0, &plot.title);
    picture.text("pr-soft", (12.0, 42.0), Anchor::Start, WIDTH - 24.0, &plot.axis);
    grid(&mut picture, plot, &ticks, (horizontal, vertical));
    for (i, line) in plot.lines.iter().enumerate() {
        draw_line(&mut picture, i, (line, plot.lines.len()), (horizontal, vertical));
    }
    let centre = WIDTH / 2.0;
    picture.text("pr-soft", (centre, BOTTOM + 36.0), Anchor::Middle, WIDTH - 24.0, &plot.across);
    for (r, row) in legend.iter().enumerate() {
        draw_legend_row(&mut picture, row, BOTTOM + 58.0 + 18.0 * r as f64);
    }
    let n = format!("n = {}", plot.n);
    for (line, text) in plot.notes.iter().chain([&n, &plot.origin]).enumerate() {
        let at = (12.0, below + 18.0 * line as f64);
        picture.text("pr-soft", at, Anchor::Start, WIDTH - 20.0, text);
    }
    picture.finish()
}

fn ticks(plot: &Interaction) -> Vec<f64> {
    let points = plot.lines.iter().flat_map(|line| &line.points);
    let values = points.flat_map(|point| {
        let (low, high) = point.interval.unzip();
        [point.mean, low, high].into_iter().flatten()
    });
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    nice_ticks(if plot.from_zero { low.min(0.0) } else { low }, high, 5)
}

fn grid(picture: &mut Picture, plot: &Interaction, ticks: &[f64], (horizontal, vertical): (Scale, Scale)) {
    let step = ticks.get(1).zip(ticks.first()).map_or(1.0, |(second, first)| second - first);
    for &tick in ticks {
        let y = vertical.at(tick);
        picture.line("pr-rule", (LEFT, y), (WIDTH - 12.0, y));
        picture.text("pr-soft", (LEFT - 6.0, y + 4.0), Anchor::End, 56.0, &tick_label(tick, step));
    }
    let room = (WIDTH - LEFT) / plot.levels.len().max(1) as f64 - 6.0;
    for (i, level) in plot.levels.iter().enumerate() {
        picture.text("pr-soft", (horizontal.at(i as f64 + 0.5), BOTTOM + 18.0), Anchor::Middle, room, level);
    }
}

/// Points of different lines are set a little apart, so that intervals do not hide each other.
fn draw_line(
    picture: &mut Picture,
    index: usize,
    (line, lines): (&Line, usize),
    (horizontal, vertical): (Scale, Scale),
) {
    let shift = (index as f64 - (lines as f64 - 1.0) / 2.0) * 0.06;
    let class = format!("pr-l{}", index % SERIES);
    let places: Vec<_> = line
        .points
        .iter()
        .enumerate()
        .filter_map(|(i, point)| {
            let mean = point.mean.filter(|mean| mean.is_finite())?;
            Some((horizontal.at(i as f64 + 0.5 + shift), vertical.at(mean), point))
        })
        .collect();
    picture.path(&format!("pr-line {class}"), &places.iter().map(|(x, y, _)| (*x, *y)).collect::<Vec<_>>());
    for (x, y, point) in places {
        if let Some((low, high)) = point.interval {
            picture.line(&class, (x, vertical.at(low)), (x, vertical.at(high)));
        }
        picture.mark(index, (x, y), &line.label);
    }
}

/// Legend entries laid out in rows: (series, x, name).
fn legend_rows(plot: &Interaction) -> Vec<Vec<(usize, f64, String)>> {
    let mut rows: Vec<Vec<(usize, f64, String)>> = vec![Vec::new()];
    let mut x = 12.0;
    for (i, line) in plot.lines.iter().enumerate() {
        let name = format!("{}={}", plot.by, line.label);
        let width = 44.0 + text_width(&name).min(WIDTH - 80.0);
        if x > 12.0 && x + width > WIDTH - 12.0 {
            rows.push(Vec::new());
            x = 12.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push((i, x, name));
        }
        x += width + 8.0;
    }
    rows
}

fn draw_legend_row(picture: &mut Picture, row: &[(usize, f64, String)], y: f64) {
    for (series, x, name) in row {
        let class = format!("pr-line pr-l{}", series % SERIES);
        picture.path(&class, &[(*x, y - 4.0), (x + 28.0, y - 4.0)]);
        picture.mark(*series, (x + 14.0, y - 4.0), name);
        picture.text("pr-soft", (x + 36.0, y), Anchor::Start, WIDTH - 80.0, name);
    }
}
