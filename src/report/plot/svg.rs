//! The few SVG elements that the pictures need. Coordinates have one decimal, so that equal numbers give equal bytes.

use std::fmt::{Display, Write as _};

/// Width of every picture's coordinate system: narrow, so that text stays readable on a phone.
pub(super) const WIDTH: f64 = 520.0;

/// Different marks, so that series can be told apart without colour.
pub(super) const SERIES: usize = 8;

const STYLE: &str = include_str!("plot.css");

/// A picture being drawn.
pub(super) struct Picture {
    height: f64,
    title: String,
    body: String,
}

/// Where a text stands with respect to its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Picture {
    /// An empty picture of a height, with the title that screen readers speak.
    pub(super) fn new(height: f64, title: &str) -> Self {
        Self { height, title: title.to_string(), body: String::new() }
    }

    /// The finished element.
    pub(super) fn finish(self) -> String {
        let Self { height, title, body } = self;
        let title = escaped(&title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" \
             class=\"pr\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n<rect class=\"pr-back\" width=\"{WIDTH}\" height=\"{height:.0}\" rx=\"6\"/>\n\
             {body}</svg>\n"
        )
    }

    /// A straight line.
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// A rectangle between two corners, in any order.
    pub(super) fn rect(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = ((from.0 - to.0).abs(), (from.1 - to.1).abs());
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        ));
    }

    /// A line through points.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut steps = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            let _ = write!(steps, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { " L" });
        }
        self.push(format_args!("<path class=\"{class}\" d=\"{steps}\"/>"));
    }

    /// A text that fits into `room`; what does not fit is cut, and the whole is kept as a tooltip.
    pub(super) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, room: f64, text: &str) {
        let (shown, cut) = shortened(text, room, letter(class));
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = at;
        let title = if cut { format!("<title>{}</title>", escaped(text)) } else { String::new() };
        self.push(format_args!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{title}{}</text>",
            escaped(&shown)
        ));
    }

    /// A text broken into lines of at most `WIDTH - 24`; returns the y of the line after it.
    pub(super) fn paragraph(&mut self, class: &str, y: f64, text: &str) -> f64 {
        let lines = wrapped(text, WIDTH - 24.0);
        for (i, line) in lines.iter().enumerate() {
            self.text(class, (12.0, y + 16.0 * i as f64), Anchor::Start, WIDTH, line);
        }
        y + 16.0 * lines.len() as f64
    }

    /// The mark of series `index`: its colour, shape and filling repeat only after [`SERIES`] series.
    pub(super) fn mark(&mut self, index: usize, at: (f64, f64), title: &str) {
        let kind = index % SERIES;
        let (x, y) = at;
        let title = escaped(title);
        let shape = match kind {
            0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\""),
            1 => format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"7.6\" height=\"7.6\"", x - 3.8, y - 3.8),
            _ => format!("<path d=\"{}\"", polygon(kind, x, y)),
        };
        let name = if shape.starts_with("<circle") {
            "circle"
        } else if kind == 1 {
            "rect"
        } else {
            "path"
        };
        self.push(format_args!("{shape} class=\"pr-s{kind}\"><title>{title}</title></{name}>"));
    }

    fn push(&mut self, element: impl Display) {
        let _ = writeln!(self.body, "{element}");
    }
}

/// Outlines of the marks that are neither circle nor square.
fn polygon(kind: usize, x: f64, y: f64) -> String {
    let corners: &[(f64, f64)] = match kind {
        2 => &[(0.0, -5.0), (4.8, 3.8), (-4.8, 3.8)],
        3 => &[(0.0, -5.4), (5.4, 0.0), (0.0, 5.4), (-5.4, 0.0)],
        4 => &[(0.0, 5.0), (4.8, -3.8), (-4.8, -3.8)],
        5 => &[(-5.0, 0.0), (3.8, -4.8), (3.8, 4.8)],
        6 => &[(5.0, 0.0), (-3.8, -4.8), (-3.8, 4.8)],
        _ => &[(-5.4, -2.2), (5.4, -2.2), (5.4, 2.2), (-5.4, 2.2)],
    };
    let mut steps = String::from("M");
    for (dx, dy) in corners {
        let _ = write!(steps, "{:.1} {:.1} ", x + dx, y + dy);
    }
    steps + "Z"
}

/// Text made safe for SVG and HTML, control characters left out.
pub(super) fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut safe, letter| {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ if letter.is_control() => safe.push(' '),
            _ => safe.push(letter),
        }
        safe
    })
}

/// Mean width of a letter at the pictures' font size, generous because fonts differ.
const LETTER: f64 = 6.9;

/// Number of picture units that a text takes, about.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

/// Mean width of a letter of a class: titles are bold, asides are small.
fn letter(class: &str) -> f64 {
    match class {
        "pr-title" => 7.7,
        "pr-soft" => 6.3,
        _ => LETTER,
    }
}

fn shortened(text: &str, room: f64, letter: f64) -> (String, bool) {
    let letters = (room / letter).max(4.0) as usize;
    if text.chars().count() <= letters {
        return (text.to_string(), false);
    }
    (text.chars().take(letters - 1).chain(['\u{2026}']).collect(), true)
}

/// Breaks a text at spaces into lines of at most `room`.
pub(super) fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text_width(line) + text_width(word) + LETTER <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
