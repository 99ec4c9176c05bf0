//! Rates that planrun reports through `llama-server`, beside `llama-bench` of the same build, on the same file with one thread, in
//! turns: `cargo bench --bench server_beside_llama -- MODEL.gguf path/to/llama-server path/to/llama-bench`.
//!
//! 256 prompt tokens are read and 64 generated, the key/value cache in f16. Of the server three rates are told: reading by its own
//! clock (`prefill_tok_s`), generating by its own clock (`engine_decode_tok_s`), and generating as the reader saw it
//! (`decode_tok_s`). `llama-bench` generates behind as many tokens, without sampling and text.

#![allow(clippy::print_stdout)] // the table is what a bench is for

use planrun::abilities::EngineKind;
use planrun::condition::Settings;
use planrun::engine::http::Client;
use planrun::engine::{Endpoint, Engine, launch, open};
use planrun::generation::{Request, Sampling};
use planrun::measure::Times;
use std::error::Error;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PROMPT: u32 = 256;
/// As many, for `llama-bench` to generate behind: attention costs more with each token that is there.
const DEPTH: &str = "256";
const GENERATED: u32 = 64;
const ROUNDS: u64 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let [model, server, bench] = arguments.as_slice() else {
        println!("name a GGUF file, llama-server and llama-bench");
        return Ok(());
    };
    let settings = Settings {
        model: model.clone().into(),
        engine: EngineKind::LlamaCpp.into(),
        program: server.clone().into(),
        kv_cache_dtype: "f16".to_owned().into(),
        context_length: 512.into(),
        threads: 1.into(),
        ..Settings::default()
    };
    let (mut child, mut engine) = start(&settings)?;
    let rounds = (0..ROUNDS).map(|round| measure(engine.as_mut(), round, bench, model)).collect();
    child.kill()?;
    child.wait()?;
    show(rounds)
}

/// One round: reading, generating by the server's clock, generating as seen; then `llama-bench`'s two.
fn measure(
    engine: &mut dyn Engine,
    round: u64,
    bench: &str,
    model: &str,
) -> Result<[f64; 5], Box<dyn Error>> {
    let prompt = engine.synthetic_prompt(PROMPT, round)?;
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    let request = Request { prompt, max_tokens: GENERATED, sampling, ignore_eos: true };
    engine.forget()?;
    let reply = engine.generate(&request)?;
    let times = Times::of(&reply);
    let compute = reply.times.compute.ok_or("the server gave no times")?;
    let seen = f64::from(times.decode_tokens.unwrap_or(0)) / times.decode.unwrap_or(f64::NAN);
    let read = f64::from(PROMPT) / reply.times.prefill.ok_or("the server gave no time for the prompt")?;
    let [peer_read, peer_generated] = [peer(bench, model, PROMPT, 0)?, peer(bench, model, 0, GENERATED)?];
    let row = [read, f64::from(compute.steps) / compute.seconds, seen, peer_read, peer_generated];
    println!("round {}: {}", round + 1, row.map(|rate| format!("{rate:.1}")).join("  "));
    Ok(row)
}

fn show(rounds: Result<Vec<[f64; 5]>, Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    let rounds = rounds?;
    for (name, ours, theirs) in
        [("prefill_tok_s", 0, 3), ("engine_decode_tok_s", 1, 4), ("decode_tok_s", 2, 4)]
    {
        let column = |index: usize| rounds.iter().map(|row| row[index]).collect::<Vec<f64>>();
        let ratios: Vec<f64> = rounds.iter().map(|row| row[ours] / row[theirs]).collect();
        let all = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect::<Vec<_>>().join(", ");
        println!(
            "{name}: {:.1} tokens/s; llama-bench {:.1}; ratio {:.3} (rounds: {all})",
            median(column(ours)),
            median(column(theirs)),
            median(ratios.clone())
        );
    }
    Ok(())
}

fn start(settings: &Settings) -> Result<(Child, Box<dyn Engine>), Box<dyn Error>> {
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let how = launch(settings, Path::new(""), port)?.ok_or("this engine is no server")?;
    let mut command = Command::new(&how.program);
    let child = command.args(&how.arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let url = format!("http://127.0.0.1:{port}");
    let client = Client::new(&url, None);
    while client.get(how.ready).is_err() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let endpoint = Endpoint { url, process: child.id(), binary: None, load_s: Some(0.0) };
    let engine = open(settings, Path::new(""), Some(&endpoint))?;
    Ok((child, engine))
}

/// Tokens per second of `llama-bench`, one repetition after its own warm-up.
fn peer(bench: &str, model: &str, prompt: u32, generated: u32) -> Result<f64, Box<dyn Error>> {
    let counts = [prompt, generated].map(|count| count.to_string());
    let output = Command::new(bench)
        .args(["-m", model, "-t", "1", "-r", "1", "-o", "json", "-p", &counts[0], "-n", &counts[1]])
        .args(["-d", if generated > 0 { DEPTH } else { "0" }])
        .output()?;
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    rows[0]["avg_ts"].as_f64().ok_or_else(|| format!("{bench} gave no rate").into())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
