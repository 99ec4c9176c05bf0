//! The table: numbers of streams and rates, each on a server of its own.

use super::client::watch;
use super::errors::{Errors, quantile};
use super::truth::Truth;
use crate::cli::output::{complain, print};
use crate::exit::Exit;
use crate::generation::Stopwatch;
use crate::process::Group;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Streams at once.
const STREAMS: [usize; 4] = [1, 10, 64, 256];
/// Tokens per second of each stream.
const RATES: [f64; 3] = [20.0, 200.0, 2000.0];
/// Seconds that a stream takes; few streams are repeated often, and take a tenth.
const SECONDS: f64 = 2.0;
const FEW: usize = 10;
/// Streams of one row, at least: p99 of the time to the first token needs a hundred.
const AT_LEAST: usize = 100;
/// The largest p99 error that is wanted at 64 streams.
const GOAL_MS: f64 = 1.0;

/// One row of the table.
struct Row {
    streams: usize,
    rate: f64,
    errors: Errors,
    cpu: f64,
    seconds: f64,
}

/// Prints how far the client's times are from what a server really did. Reported, never asserted: it depends on what else the
/// machine does.
pub(in crate::cli) fn overhead() -> Exit {
    print(&format!("{HEAD}\n"));
    for streams in STREAMS {
        for rate in RATES {
            match row(streams, rate) {
                Ok(row) => print(&format!("{}\n", row.shown())),
                Err(problem) => {
                    complain(&format!("{streams} streams at {rate} tokens/s: {problem}"));
                    return Exit::Internal;
                }
            }
        }
    }
    print(&format!(
        "wanted: p99 below {GOAL_MS} ms at 64 streams; the server's own delay is not the client's\n"
    ));
    Exit::Done
}

const HEAD: &str = "streams  tok/s each  TTFT error p50  p99 (ms)  ITL error p50  p99 (ms)  CPU a token (us)  tokens/s  \
server late by (ms)  unmatched";

fn row(streams: usize, rate: f64) -> Result<Row, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let truth = folder.path().join("truth.jsonl");
    let (mut server, url) = start(&truth, rate)?;
    let seconds = if streams < FEW { SECONDS / 10.0 } else { SECONDS };
    let tokens = (rate * seconds).round().max(2.0) as u32;
    let rounds = AT_LEAST.div_ceil(streams);
    let (clock, before) = (Stopwatch::real(), processor_time());
    let seen = watch(&url, streams, rounds, tokens)?;
    let (seconds, cpu) = (clock.seconds(), processor_time() - before);
    server.end()?;
    let errors = Errors::of(&seen, read(&truth)?);
    Ok(Row { streams, rate, errors, cpu, seconds })
}

/// Starts the server and waits for its address.
fn start(truth: &Path, rate: f64) -> io::Result<(Group, String)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["stream-server", "--rate", &rate.to_string(), "--truth"]).arg(truth);
    let mut server = Group::spawn(&mut command, "")?;
    let address = server.next_line()?;
    Ok((server, address))
}

fn read(truth: &Path) -> Result<Vec<Truth>, Box<dyn std::error::Error>> {
    let text = fs::read_to_string(truth)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Seconds that all threads of this process have computed.
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

impl Row {
    fn shown(&self) -> String {
        let Self { streams, rate, errors, cpu, seconds } = self;
        let ms = |sorted: &[f64], share: f64| {
            quantile(sorted, share).map_or("-".to_owned(), |value| format!("{:.3}", value * 1e3))
        };
        format!(
            "{streams:>7}  {rate:>10}  {:>14}  {:>8}  {:>13}  {:>8}  {:>16.1}  {:>8.0}  {:>19.1}  {:>9}",
            ms(&errors.ttft, 0.5),
            ms(&errors.ttft, 0.99),
            ms(&errors.itl, 0.5),
            ms(&errors.itl, 0.99),
            cpu / errors.tokens.max(1) as f64 * 1e6,
            errors.tokens as f64 / seconds,
            errors.late * 1e3,
            errors.unmatched,
        )
    }
}
