//! Quality: the share of correct answers of each cell with k/n, and the band within which nothing could be seen.

use super::scale::Scale;
use super::svg::{Anchor, Picture, WIDTH, text_width};

/// What the picture shows.
#[derive(Debug, Clone)]
pub struct Quality {
    /// Metric and task set.
    pub title: String,
    /// Smallest difference between two cells that the task set could show, in points, drawn around the baseline; `None`
    /// where it could show none.
    pub resolution: Option<f64>,
    /// Share of the baseline, percent.
    pub baseline: Option<f64>,
    /// How many items, and whether every cell answered the same ones.
    pub n: String,
    /// Where it was measured: model, tasks, machine, plan.
    pub origin: String,
    /// The cells.
    pub rows: Vec<QualityRow>,
    /// Rows that were left out for want of room.
    pub more: usize,
}

/// One cell.
#[derive(Debug, Clone)]
pub struct QualityRow {
    /// The cell.
    pub label: String,
    /// Share of correct answers, percent; `None` where nothing was scored.
    pub percent: Option<f64>,
    /// As the tables print it (`141/200, 70.5 %`).
    pub shown: String,
}

const ROW: f64 = 32.0;
const LEFT: f64 = 24.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 82.0;

/// Draws the shares of correct answers.
pub fn quality(plot: &Quality) -> String {
    let bottom = TOP + 4.0 + ROW * plot.rows.len() as f64;
    let scale = Scale::new((0.0, 100.0), (LEFT, RIGHT));
    let mut picture = Picture::new(bottom + 80.0, &format!("{}: share of correct answers", plot.title));
    picture.text("pr-title", (12.0, 22.0), Anchor::Start, WIDTH - 24.0, &plot.title);
    picture.paragraph("pr-soft", 40.0, &band_text(plot));
    if let Some((baseline, half)) = plot.baseline.zip(plot.resolution) {
        picture.rect("pr-band", (scale.at(baseline - half), TOP), (scale.at(baseline + half), bottom));
    }
    for tick in [0.0, 20.0, 40.0, 60.0, 80.0, 100.0] {
        let x = scale.at(tick);
        picture.line("pr-rule", (x, TOP), (x, bottom));
        picture.text("pr-soft", (x, bottom + 16.0), Anchor::Middle, 60.0, &format!("{tick:.0}"));
    }
    for (i, row) in plot.rows.iter().enumerate() {
        draw_row(&mut picture, row, scale, TOP + ROW * i as f64);
    }
    let axis = "share of correct answers, % of all items asked";
    picture.text("pr-soft", (WIDTH / 2.0, bottom + 34.0), Anchor::Middle, WIDTH, axis);
    picture.text("pr-soft", (WIDTH / 2.0, bottom + 52.0), Anchor::Middle, WIDTH - 24.0, &footer(plot));
    picture.text("pr-soft", (WIDTH / 2.0, bottom + 70.0), Anchor::Middle, WIDTH - 16.0, &plot.origin);
    picture.finish()
}

fn band_text(plot: &Quality) -> String {
    match (plot.baseline, plot.resolution) {
        (None, _) => "no resolution: nothing was scored for the baseline".into(),
        (_, None) => {
            "no band: so few tasks can show no difference (their resolution is more than 100 points)".into()
        }
        (_, Some(points)) => format!(
            "grey: \u{b1}{points:.1} points around the baseline, the resolution of two separate sets of this size; the same \
             items on both sides resolve more finely"
        ),
    }
}

fn footer(plot: &Quality) -> String {
    match plot.more {
        0 => format!("n = {}", plot.n),
        more => format!("n = {}; {more} more cells are in report.json", plot.n),
    }
}

fn draw_row(picture: &mut Picture, row: &QualityRow, scale: Scale, top: f64) {
    let room = WIDTH - 36.0 - text_width(&row.shown);
    picture.text("pr-label", (12.0, top + 13.0), Anchor::Start, room, &row.label);
    picture.text("pr-label", (WIDTH - 12.0, top + 13.0), Anchor::End, WIDTH / 2.0, &row.shown);
    if let Some(percent) = row.percent.filter(|percent| percent.is_finite()) {
        let y = top + 23.0;
        picture.rect("pr-bar", (scale.at(0.0), y - 3.0), (scale.at(percent), y + 3.0));
        picture.mark(0, (scale.at(percent), y), &format!("{}: {}", row.label, row.shown));
    }
}
