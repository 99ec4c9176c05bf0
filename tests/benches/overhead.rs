//! What planrun's driver costs: tokens per second of a run through it over those of the bare generation loop, on the same
//! model, alternating. `cargo bench --bench overhead`.

#![allow(clippy::print_stdout)] // the ratio is what a bench is for

use planrun::condition::{Isolation, Mode, Settings, Stated, Workload};
use planrun::engine::{Engine, open};
use planrun::generation::{Request, Sampling};
use planrun::workload::{Job, drive};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

const PROMPT: u32 = 64;
const REPLY: u32 = 64;
const PASSES: u32 = 4;
const ROUNDS: usize = 21;

fn main() -> Result<(), Box<dyn Error>> {
    let settings = settings();
    let mut engine = open(&settings, Path::new(""), None)?;
    bare(engine.as_mut())?;
    driven(engine.as_mut(), &settings)?;
    let (mut of_loop, mut of_driver) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // Mirrored, so that drift cancels.
        if round % 2 == 0 {
            of_loop.push(bare(engine.as_mut())?);
            of_driver.push(driven(engine.as_mut(), &settings)?);
        } else {
            of_driver.push(driven(engine.as_mut(), &settings)?);
            of_loop.push(bare(engine.as_mut())?);
        }
    }
    let ratio = median(&mut of_driver) / median(&mut of_loop);
    println!(
        "bare loop {:.1} tok/s, through planrun {:.1} tok/s, ratio {ratio:.4}",
        median(&mut of_loop),
        median(&mut of_driver)
    );
    Ok(())
}

fn settings() -> Settings {
    Settings {
        model: "pico".to_owned().into(),
        quantization: "q8_0".to_owned().into(),
        threads: 1.into(),
        warmup: 0.into(),
        temperature: 0.0.into(),
        thinking: Stated::Unset,
        ..Settings::default()
    }
}

/// Generated tokens per second of whole requests, as a program without planrun would make them.
fn bare(engine: &mut dyn Engine) -> Result<f64, Box<dyn Error>> {
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    let start = Instant::now();
    let prompt = engine.synthetic_prompt(PROMPT, 0)?;
    let request = Request { prompt, max_tokens: REPLY, sampling, ignore_eos: true };
    for _ in 0..PASSES {
        engine.forget()?;
        engine.generate(&request)?;
    }
    Ok(f64::from(REPLY * PASSES) / start.elapsed().as_secs_f64())
}

/// The same requests through the driver, with everything it does around them.
fn driven(engine: &mut dyn Engine, settings: &Settings) -> Result<f64, Box<dyn Error>> {
    let workload = Workload {
        name: "timing".into(),
        mode: Mode::Single,
        tasks: None,
        prompt_tokens: Some(PROMPT),
        gen_tokens: Some(REPLY),
        passes: PASSES,
        quality: false,
        timing: true,
        isolation: Isolation::Run,
    };
    let job = Job { settings, workload: &workload, tasks: None, examples: None };
    let start = Instant::now();
    let driven = drive(engine, &job, &mut |_| {})?;
    assert_eq!(driven.items.len(), PASSES as usize);
    Ok(f64::from(REPLY * PASSES) / start.elapsed().as_secs_f64())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
