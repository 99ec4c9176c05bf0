//! What a person sees while runs are made: bars on a terminal, else a line now and then.

use super::control_check::ControlCheck;
use super::request::{RunRequest, Step};
use crate::record::{ArmKind, Outcome, RunRecord};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write as _;
use std::time::{Duration, Instant};

/// Time between two lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(15);

/// The present state of a session, shown on standard error.
#[derive(Debug)]
pub(super) struct Progress {
    all: ProgressBar,
    so_far: ProgressBar,
    run: ProgressBar,
    bars: MultiProgress,
    on_terminal: bool,
    control: ControlCheck,
    last_rate: Option<f64>,
    last_line: Option<Instant>,
    failures: usize,
}

impl Progress {
    /// For a plan of `total` runs, of which `already` have a record. `baseline` is the cell that the control repeats.
    pub(super) fn new(total: usize, already: usize, baseline: u32) -> Self {
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(5));
        let on_terminal = !bars.is_hidden();
        // Each line has one part that takes or cuts what the width of the terminal leaves, so that none ever wraps.
        let all = bars.add(
            ProgressBar::new(total as u64)
                .with_style(style("{pos}/{len} runs  {elapsed} gone, {eta} left  {wide_bar:.green/black}")),
        );
        let so_far = bars.add(ProgressBar::new(0).with_style(style("{wide_msg}")));
        // The time left is judged by the runs of this session alone.
        all.set_position(already as u64);
        all.reset_eta();
        let run = bars.add(ProgressBar::new(0).with_style(style("{bar:12.cyan/black} {wide_msg}")));
        if on_terminal {
            all.enable_steady_tick(Duration::from_secs(1));
        }
        Self {
            all,
            so_far,
            run,
            bars,
            on_terminal,
            control: ControlCheck::new(baseline),
            last_rate: None,
            last_line: None,
            failures: 0,
        }
    }

    /// Takes account of a run of an earlier session.
    pub(super) fn earlier(&mut self, record: &RunRecord) {
        self.control.add(record);
        self.failures += usize::from(record.outcome != Outcome::Done);
    }

    /// The discarded run begins.
    pub(super) fn burn_in(&self) {
        self.run.set_message("burn-in (discarded)");
        self.say("one discarded run first, to warm up the machine");
    }

    /// A run begins.
    pub(super) fn begin(&self, request: &RunRequest) {
        self.run.set_length(0);
        self.run.set_position(0);
        self.run.set_message(shown(request));
    }

    /// A run got a step further.
    pub(super) fn step(&self, request: &RunRequest, step: Step) {
        match step {
            Step::Waiting => {
                let url = request.settings.url.get().map_or("the server", String::as_str);
                self.run.set_message(format!("waiting for {url} to answer"));
                self.say(&format!("waiting for {url} to answer"));
            }
            Step::Loading => self.run.set_message(shown(request)),
            Step::Open | Step::Warming => {}
            Step::Item { done, of } => {
                self.run.set_length(u64::from(of));
                self.run.set_position(u64::from(done));
            }
        }
    }

    /// A run has its record.
    pub(super) fn end(&mut self, record: &RunRecord) {
        self.control.add(record);
        self.last_rate = record.measurement.get("decode_tok_s").and_then(|measured| measured.value);
        if let Outcome::Failed { error, .. } = &record.outcome {
            self.failures += 1;
            self.warn(&format!("run {} failed: {error}", record.id));
        }
        self.all.inc(1);
        self.so_far.set_message(self.summary());
        self.speak_now_and_then();
    }

    /// Removes the bars.
    pub(super) fn finish(&self) {
        self.run.finish_and_clear();
        self.so_far.finish_and_clear();
        self.all.finish_and_clear();
        // The bars are only an ornament; a closed terminal must not end the session.
        let _ = self.bars.clear();
    }

    /// Leaves the bars as they stand, and what follows below them. After Ctrl-C the terminal itself has written `^C`
    /// behind them: whoever cleared them now would clear one line too low.
    pub(super) fn leave(&self) {
        if self.on_terminal {
            self.bars.set_draw_target(ProgressDrawTarget::hidden());
            end_line();
        }
    }

    /// Says one line without disturbing the bars.
    pub(super) fn warn(&self, line: &str) {
        if self.on_terminal {
            // The bars are only an ornament; a closed terminal must not end the session.
            let _ = self.bars.println(line);
        } else {
            write_line(line);
        }
    }

    fn say(&self, line: &str) {
        if !self.on_terminal {
            write_line(line);
        }
    }

    fn summary(&self) -> String {
        let rate = self.last_rate.map(|rate| format!("{rate:.1} tok/s"));
        let failures = (self.failures > 0).then(|| format!("{} failed", self.failures));
        [rate, self.control.shown(), failures].into_iter().flatten().collect::<Vec<_>>().join("  ")
    }

    fn speak_now_and_then(&mut self) {
        let at_end = self.all.length() == Some(self.all.position());
        let silent = self.last_line.is_none_or(|last| last.elapsed() >= BETWEEN_LINES);
        if self.on_terminal || !(silent || at_end) {
            return;
        }
        self.last_line = Some(Instant::now());
        let left =
            if at_end { String::new() } else { format!(", about {} s left", self.all.eta().as_secs()) };
        write_line(&format!(
            "{}/{} runs{left}  {}",
            self.all.position(),
            self.all.length().unwrap_or_default(),
            self.summary()
        ));
    }
}

/// A run in a few words.
fn shown(request: &RunRequest) -> String {
    let identity = &request.identity;
    let arm = if identity.arm == ArmKind::Control { " (A/A control)" } else { "" };
    let block = identity.slot.block + 1;
    format!("{}  {}{arm}  block {block}", request.workload.name, shown_label(&identity.label))
}

fn shown_label(label: &str) -> &str {
    if label.is_empty() { "the only cell" } else { label }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━━─")
}

fn end_line() {
    // Nobody can be told that standard error is closed.
    let _ = writeln!(std::io::stderr());
}

fn write_line(line: &str) {
    // Nobody can be told that standard error is closed.
    let _ = writeln!(std::io::stderr(), "planrun: {line}");
}
