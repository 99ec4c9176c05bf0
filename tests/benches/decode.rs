//! Tokens per second of the in-process engine on the embedded model, beside candle-transformers' own decoders, in turns
//! in the same minutes: `cargo bench --bench decode [SCHEME...]`.
//!
//! The engine's column is also the bare generation loop against which the overhead of a whole run is measured.

#![allow(clippy::print_stdout)] // the table is what a bench is for

#[path = "../peer.rs"]
mod peer;

use candle_core::DType;
use candle_core::quantized::GgmlDType;
use peer::Peer;
use planrun::condition::{Settings, Stated};
use planrun::engine::{Engine, EngineError, open};
use planrun::generation::{Request, Sampling, Stopwatch};
use std::error::Error;
use std::path::Path;

const PROMPT: u32 = 256;
const GENERATED: usize = 256;
const ROUNDS: usize = 7;

/// Prefill and decode, tokens per second.
type Rates = [f64; 2];

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!(
        "pico, {PROMPT} prompt tokens, {GENERATED} generated, {} thread(s), median of {ROUNDS}",
        threads()
    );
    println!(
        "{:6} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7}",
        "", "prefill", "peer", "ratio", "decode", "peer", "ratio"
    );
    for (scheme, peer) in PEERS {
        if asked.is_empty() || asked.iter().any(|word| word == scheme) {
            row(scheme, peer()?)?;
        }
    }
    Ok(())
}

/// Makes the peer that a scheme is measured beside.
type MakePeer = fn() -> candle_core::Result<Peer>;

const PEERS: [(&str, MakePeer); 9] = [
    ("f32", || Peer::float(DType::F32)),
    ("f16", || Peer::float(DType::F16)),
    ("bf16", || Peer::float(DType::BF16)),
    ("q8_0", || Peer::quantized(GgmlDType::Q8_0, GgmlDType::Q8_0)),
    ("q6_k", || Peer::quantized(GgmlDType::Q6K, GgmlDType::Q6K)),
    ("q5_k", || Peer::quantized(GgmlDType::Q5K, GgmlDType::Q6K)),
    ("q4_k", || Peer::quantized(GgmlDType::Q4K, GgmlDType::Q6K)),
    ("q4_0", || Peer::quantized(GgmlDType::Q4_0, GgmlDType::Q6K)),
    ("q2_k", || Peer::quantized(GgmlDType::Q2K, GgmlDType::Q6K)),
];

fn threads() -> usize {
    candle_core::utils::get_num_threads()
}

fn row(scheme: &str, mut peer: Peer) -> Result<(), Box<dyn Error>> {
    let settings = Settings {
        model: Stated::Set("pico".to_owned()),
        quantization: Stated::Set(scheme.to_owned()),
        ..Settings::default()
    };
    let mut engine = open(&settings, Path::new("."))?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let prompt = engine.synthetic_prompt(PROMPT, round as u64)?;
        let ids = prompt.ids.clone().unwrap_or_default();
        let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
        let request = Request { prompt, max_tokens: GENERATED as u32, sampling, ignore_eos: true };
        ours.push(engine_rates(engine.as_mut(), &request)?);
        theirs.push(peer_rates(&mut peer, &ids)?);
    }
    let [prefill, decode] = median(&ours);
    let [peer_prefill, peer_decode] = median(&theirs);
    println!(
        "{scheme:6} {prefill:9.0} {peer_prefill:9.0} {:7.2} {decode:9.0} {peer_decode:9.0} {:7.2}",
        prefill / peer_prefill,
        decode / peer_decode
    );
    Ok(())
}

fn engine_rates(engine: &mut dyn Engine, request: &Request) -> Result<Rates, EngineError> {
    engine.forget()?;
    let reply = engine.generate(request)?;
    let times = &reply.times.deliveries;
    let span = times[times.len() - 1].at - times[0].at;
    Ok([f64::from(PROMPT) / reply.times.prefill.unwrap_or(f64::NAN), (times.len() - 1) as f64 / span])
}

fn peer_rates(peer: &mut Peer, prompt: &[u32]) -> candle_core::Result<Rates> {
    peer.clear();
    let clock = Stopwatch::real();
    let mut token = peer.next(prompt, 0)?;
    let prefill = clock.seconds();
    for at in 0..GENERATED - 1 {
        token = peer.next(&[token], prompt.len() + at)?;
    }
    let span = clock.seconds() - prefill;
    Ok([f64::from(PROMPT) / prefill, (GENERATED - 1) as f64 / span])
}

/// Medians, without the first (warm-up) round.
fn median(rates: &[Rates]) -> Rates {
    [0, 1].map(|which| {
        let mut values: Vec<f64> = rates[1..].iter().map(|rates| rates[which]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    })
}
