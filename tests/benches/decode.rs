//! Tokens per second of the in-process engine on the embedded model, beside candle-transformers' own decoders, in turns
//! in the same minutes: `cargo bench --bench decode -- [SCHEME...]`.
//!
//! Rates are tokens per second of processor time of the one thread, so that a busy machine disturbs the comparison less;
//! `wall` is by the wall clock: the bare generation loop, against which the overhead of a run is measured.

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
const ROUNDS: usize = 5;

/// Tokens per second: prefill and decode by processor time, decode by the wall clock.
type Rates = [f64; 3];

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!(
        "pico, {PROMPT} prompt tokens, {GENERATED} generated, {} thread(s), median of {ROUNDS}",
        threads()
    );
    let heads = ["prefill", "peer", "ratio", "decode", "peer", "ratio", "wall", "open ms"];
    println!("{:6} {}", "", heads.map(|head| format!("{head:>8}")).join(" "));
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
    let start = busy();
    let mut engine = open(&settings, Path::new("."), None)?;
    let opened = (busy() - start) * 1e3;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let prompt = engine.synthetic_prompt(PROMPT, round as u64)?;
        let ids = prompt.ids.clone().unwrap_or_default();
        let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
        let request = Request { prompt, max_tokens: GENERATED as u32, sampling, ignore_eos: true };
        ours.push(engine_rates(engine.as_mut(), &request)?);
        theirs.push(peer_rates(&mut peer, &ids)?);
    }
    let [prefill, decode, wall] = median(&ours);
    let [peer_prefill, peer_decode, _] = median(&theirs);
    let figures = [
        format!("{prefill:8.0} {peer_prefill:8.0} {:8.2}", prefill / peer_prefill),
        format!("{decode:8.0} {peer_decode:8.0} {:8.2}", decode / peer_decode),
    ];
    println!("{scheme:6} {} {wall:8.0} {opened:8.1}", figures.join(" "));
    Ok(())
}

/// Seconds of processor time that this thread has used.
fn busy() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn engine_rates(engine: &mut dyn Engine, request: &Request) -> Result<Rates, EngineError> {
    engine.forget()?;
    let start = busy();
    engine.generate(&Request { max_tokens: 1, ..request.clone() })?;
    let prefill = busy() - start;
    engine.forget()?;
    let start = busy();
    let reply = engine.generate(request)?;
    let decode = busy() - start - prefill;
    let times = &reply.times.deliveries;
    let span = times[times.len() - 1].at - times[0].at;
    Ok(rates(prefill, decode, span))
}

fn peer_rates(peer: &mut Peer, prompt: &[u32]) -> candle_core::Result<Rates> {
    peer.clear();
    let start = busy();
    let mut token = peer.next(prompt, 0)?;
    let prefill = busy() - start;
    let (start, clock) = (busy(), Stopwatch::real());
    for at in 0..GENERATED - 1 {
        token = peer.next(&[token], prompt.len() + at)?;
    }
    Ok(rates(prefill, busy() - start, clock.seconds()))
}

fn rates(prefill: f64, decode: f64, wall: f64) -> Rates {
    let steps = (GENERATED - 1) as f64;
    [f64::from(PROMPT) / prefill, steps / decode, steps / wall]
}

/// Medians, without the first (warm-up) round.
fn median(rates: &[Rates]) -> Rates {
    [0, 1, 2].map(|which| {
        let mut values: Vec<f64> = rates[1..].iter().map(|rates| rates[which]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    })
}
