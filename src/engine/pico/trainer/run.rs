//! The training loop.

use std::fs;
use std::path::PathBuf;

use thiserror::Error;
use tokenizers::Tokenizer;

use super::batches::Batches;
use super::checkpoint::{self, Progress};
use super::curve::{self, CurvePoint};
use super::evaluate::{FamilyScore, score};
use super::gradients::gradients;
use super::model::Model;
use super::optimizer::Optimizer;
use super::parameters::Parameters;
use super::schedule::{Rates, Schedule};
use crate::engine::pico::tasks::{TaskItem, TaskSetSpec, held_out_items};
use crate::engine::pico::{Encoder, Shape, build_tokenizer};

/// Longest training sequence that the rotary table covers.
const POSITIONS: usize = 4096;
/// Reply limit of the learning curve's held-out sample.
const CURVE_MAX_TOKENS: usize = 256;

/// What a training does. The same configuration and folder resume it from its last checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainConfig {
    /// Folder of the checkpoint, the tokenizer and the learning curve.
    pub folder: PathBuf,
    /// Seed of the initial weights and of all batches.
    pub seed: u64,
    /// Tokens to train on, without padding.
    pub budget: u64,
    /// Token at which the learning rates begin to fall.
    pub decay_from: u64,
    /// Tokens in a batch, with padding.
    pub batch_tokens: usize,
    /// Peak learning rate of Muon.
    pub muon_rate: f64,
    /// Peak learning rate of `AdamW`.
    pub adamw_rate: f64,
    /// Steps of warm-up.
    pub warm_up_steps: usize,
    /// Threads, each with its part of every batch.
    pub workers: usize,
    /// Steps between checkpoints.
    pub checkpoint_steps: usize,
    /// Tokens between rows of the learning curve.
    pub curve_tokens: u64,
    /// Held-out items of each family for a row of the learning curve.
    pub curve_items: usize,
}

/// Where a training stands after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainProgress {
    /// Steps done.
    pub step: usize,
    /// Tokens seen.
    pub tokens: u64,
    /// Mean loss of the step, nats a token.
    pub loss: f64,
    /// Share of the peak learning rates.
    pub rate_factor: f64,
    /// Held-out accuracy without and with thinking, when this step added a row to the learning curve.
    pub held_out: Option<[f64; 2]>,
}

/// Why a training, an evaluation or an export failed.
#[derive(Debug, Error)]
pub enum TrainError {
    /// A tensor operation or a weight file failed.
    #[error("tensor: {0}")]
    Tensor(#[from] candle_core::Error),
    /// The weights could not be put into the safetensors format.
    #[error("weights: {0}")]
    Weights(#[from] safetensors::SafeTensorError),
    /// The tokenizer failed.
    #[error("tokenizer: {0}")]
    Tokenizer(#[from] tokenizers::Error),
    /// A file could not be read or written.
    #[error("file: {0}")]
    File(#[from] std::io::Error),
    /// The tokenizer lacks a token that the format needs.
    #[error("the tokenizer has no token {0}; delete tokenizer.json in the training folder and train again")]
    MissingToken(&'static str),
    /// candle's own threads would compete with the workers.
    #[error("each worker needs single-threaded matrix products: set RAYON_NUM_THREADS=1 and run again")]
    CandleThreads,
}

/// Trains until the token budget is used up, and calls `on_progress` after every step.
pub fn train(config: &TrainConfig, mut on_progress: impl FnMut(&TrainProgress)) -> Result<(), TrainError> {
    if candle_core::utils::get_num_threads() != 1 {
        return Err(TrainError::CandleThreads);
    }
    fs::create_dir_all(&config.folder)?;
    let encoder = Encoder::new(tokenizer(config)?);
    let mut session = Session::open(config)?;
    let mut batches = Batches::new(&encoder, config.seed, config.batch_tokens, session.progress.position);
    let sample = curve_sample(config);
    let mut curve = CurveState { next: session.progress.tokens + config.curve_tokens, losses: Vec::new() };
    while session.progress.tokens < config.budget {
        let mut report = session.step(config, &mut batches)?;
        curve.losses.push(report.loss);
        let is_last = report.tokens >= config.budget;
        if is_last || report.tokens >= curve.next {
            report.held_out = Some(curve.add_row(config, &session.model, &encoder, &sample, &report)?);
        }
        if is_last || report.step.is_multiple_of(config.checkpoint_steps) {
            session.save(config)?;
        }
        on_progress(&report);
    }
    Ok(())
}

/// The tokenizer of the training folder, built on the first run.
fn tokenizer(config: &TrainConfig) -> Result<Tokenizer, TrainError> {
    let file = config.folder.join("tokenizer.json");
    if !file.exists() {
        build_tokenizer(Shape::PICO.vocabulary, config.seed)?.save(&file, true)?;
    }
    Ok(Tokenizer::from_file(file)?)
}

/// A held-out sample of its own, so that the checked-in task sets play no part in the training.
fn curve_sample(config: &TrainConfig) -> Vec<TaskItem> {
    held_out_items(&TaskSetSpec { file: "", per_family: config.curve_items, seed: 100, longest_prompt: None })
}

struct Session {
    parameters: Parameters,
    optimizer: Optimizer,
    model: Model,
    progress: Progress,
}

impl Session {
    /// Continues from the folder's checkpoint, or begins.
    fn open(config: &TrainConfig) -> Result<Self, TrainError> {
        let shape = Shape::PICO;
        let file = config.folder.join("checkpoint.safetensors");
        let (parameters, optimizer, progress) = if file.exists() {
            checkpoint::load(&file, &shape)?
        } else {
            let parameters = Parameters::init(&shape, config.seed)?;
            let optimizer = Optimizer::new(&parameters)?;
            (parameters, optimizer, Progress::default())
        };
        let model = Model::new(shape, &parameters, POSITIONS)?;
        Ok(Self { parameters, optimizer, model, progress })
    }

    fn step(&mut self, config: &TrainConfig, batches: &mut Batches) -> Result<TrainProgress, TrainError> {
        let batch = batches.next()?;
        let (loss, gradients) = gradients(&self.model, &self.parameters, &batch, config.workers)?;
        let Progress { step, tokens, .. } = self.progress;
        let (step, schedule) = (step + 1, schedule(config));
        let rates = schedule.rates(step, tokens);
        self.optimizer.step(&self.parameters, &gradients, rates, step, config.workers)?;
        let rate_factor = schedule.factor(step, tokens);
        let tokens = tokens + batch.tokens();
        self.progress = Progress { step, tokens, position: batches.position() };
        Ok(TrainProgress { step, tokens, loss, rate_factor, held_out: None })
    }

    fn save(&self, config: &TrainConfig) -> Result<(), TrainError> {
        let file = config.folder.join("checkpoint.safetensors");
        Ok(checkpoint::save(&file, &self.parameters, &self.optimizer, self.progress)?)
    }
}

fn schedule(config: &TrainConfig) -> Schedule {
    Schedule {
        peak: Rates { muon: config.muon_rate, adamw: config.adamw_rate },
        warm_up_steps: config.warm_up_steps,
        decay_from: config.decay_from,
        budget: config.budget,
    }
}

struct CurveState {
    next: u64,
    losses: Vec<f64>,
}

impl CurveState {
    fn add_row(
        &mut self,
        config: &TrainConfig,
        model: &Model,
        encoder: &Encoder,
        sample: &[TaskItem],
        report: &TrainProgress,
    ) -> Result<[f64; 2], TrainError> {
        let scores = score(model, encoder, sample, CURVE_MAX_TOKENS)?;
        let [direct, thinking] = [0, 1].map(|mode| accuracy(&scores, mode));
        let loss = self.losses.iter().sum::<f64>() / self.losses.len() as f64;
        let TrainProgress { step, tokens, .. } = *report;
        let point = CurvePoint { step, tokens, loss, direct, thinking };
        curve::append(&config.folder.join("curve.csv"), &point)?;
        self.next = tokens + config.curve_tokens;
        self.losses.clear();
        Ok([direct, thinking])
    }
}

fn accuracy(scores: &[FamilyScore], mode: usize) -> f64 {
    let right: usize = scores.iter().map(|score| score.right[mode]).sum();
    let asked: usize = scores.iter().map(|score| score.asked).sum();
    right as f64 / asked.max(1) as f64
}
