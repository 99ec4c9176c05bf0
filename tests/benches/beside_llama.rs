//! Tokens per second of the in-process engine on a GGUF file, beside llama.cpp's `llama-bench` on the same file with as
//! many threads, in turns: `cargo bench --bench beside_llama -- MODEL.gguf [path/to/llama-bench]`.
//!
//! 512 prompt tokens are read (`pp512`), and 128 generated after a short prompt (`tg128`). Both sides are measured by
//! processor time, so that a busy machine disturbs the comparison less; the ratio is the median of the rounds' ratios. The
//! engine's generation includes sampling, which `llama-bench` does not do.

#![allow(clippy::print_stdout)] // the table is what a bench is for

use planrun::condition::{Settings, Stated};
use planrun::engine::{Engine, open};
use planrun::generation::{Request, Sampling};
use std::error::Error;
use std::path::Path;
use std::process::Command;

const PROMPT: u32 = 512;
const GENERATED: u32 = 128;
const ROUNDS: usize = 3;

/// Tokens per second: reading, generating.
type Rates = [f64; 2];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let Some(model) = arguments.first() else {
        println!("name a GGUF file");
        return Ok(());
    };
    let settings = Settings { model: Stated::Set(model.clone()), ..Settings::default() };
    let mut engine = open(&settings, Path::new("."), None)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let [read, generated] = engine_rates(engine.as_mut(), round as u64)?;
        print!("round {}: read {read:.1} tokens/s, generated {generated:.1}", round + 1);
        ours.push([read, generated]);
        if let Some(peer) = arguments.get(1) {
            let [read, generated] = peer_rates(peer, model)?;
            print!("; llama-bench {read:.1}, {generated:.1}");
            theirs.push([read, generated]);
        }
        println!();
    }
    for (index, name) in ["pp512", "tg128"].into_iter().enumerate() {
        let column = |rates: &[Rates]| rates.iter().map(|rates| rates[index]).collect::<Vec<f64>>();
        let (ours, theirs) = (column(&ours), column(&theirs));
        if theirs.is_empty() {
            println!("{name}: {:.1} tokens/s", median(ours));
            continue;
        }
        let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect();
        let all = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(", ");
        println!(
            "{name}: {:.1} tokens/s; llama-bench {:.1}; ratio {:.2} (rounds: {all})",
            median(ours),
            median(theirs),
            median(ratios)
        );
    }
    Ok(())
}

fn engine_rates(engine: &mut dyn Engine, seed: u64) -> Result<Rates, Box<dyn Error>> {
    let reading = seconds(engine, PROMPT, 1, seed)?;
    let start = seconds(engine, 2, 1, seed)?;
    let whole = seconds(engine, 2, GENERATED + 1, seed)?;
    Ok([f64::from(PROMPT) / reading, f64::from(GENERATED) / (whole - start)])
}

/// Processor time of a generation from an empty cache.
fn seconds(engine: &mut dyn Engine, prompt: u32, max_tokens: u32, seed: u64) -> Result<f64, Box<dyn Error>> {
    let prompt = engine.synthetic_prompt(prompt, seed)?;
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    let request = Request { prompt, max_tokens, sampling, ignore_eos: true };
    engine.forget()?;
    let start = busy();
    engine.generate(&request)?;
    Ok(busy() - start)
}

/// Seconds of processor time that this process has used.
fn busy() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// `llama-bench` goes by the wall clock; its processor time is that of two repetitions more.
fn peer_rates(peer: &str, model: &str) -> Result<Rates, Box<dyn Error>> {
    const MORE: u32 = 2;
    let threads = candle_core::utils::get_num_threads().to_string();
    let spent = |prompt: u32, generated: u32, repetitions: u32| -> Result<f64, Box<dyn Error>> {
        let [prompt, generated, repetitions] =
            [prompt, generated, repetitions].map(|count| count.to_string());
        let before = busy_children()?;
        let output = Command::new(peer)
            .args(["-m", model, "-t", &threads, "-p", &prompt, "-n", &generated, "-r", &repetitions])
            .output()?;
        if !output.status.success() {
            return Err(format!("{peer}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(busy_children()? - before)
    };
    let rate = |prompt: u32, generated: u32| -> Result<f64, Box<dyn Error>> {
        let seconds = spent(prompt, generated, 1 + MORE)? - spent(prompt, generated, 1)?;
        Ok(f64::from(MORE * (prompt + generated)) / seconds)
    };
    Ok([rate(PROMPT, 0)?, rate(0, GENERATED)?])
}

/// Seconds of processor time of the children that have ended (`cutime` and `cstime`, see proc(5)).
fn busy_children() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 = fields.iter().skip(13).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    // `USER_HZ` is 100 on every Linux that matters here
    Ok(ticks / 100.0)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
