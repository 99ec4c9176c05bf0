//! `planrun pico`: make the embedded model and its task sets.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, Subcommand};

use crate::engine::pico::tasks::TaskItem;
use crate::engine::pico::{
    FamilyScore, TrainConfig, TrainProgress, evaluate, export_assets, train, write_task_sets,
};
use crate::exit::Exit;

/// The sub-commands of `planrun pico`.
#[derive(Debug, Subcommand)]
pub(super) enum PicoCommand {
    /// Train the model, or resume its training
    Train(TrainArgs),
    /// Write the held-out task sets
    Tasks {
        /// Folder to write to
        #[arg(default_value = "plans/tasks")]
        folder: PathBuf,
    },
    /// Score the model on a task set, without and with thinking
    Eval {
        /// Task set (jsonl)
        #[arg(default_value = "plans/tasks/pico-large.jsonl")]
        tasks: PathBuf,
        /// Checkpoint of a training instead of the embedded model
        #[arg(long)]
        checkpoint: Option<PathBuf>,
        /// Most reply tokens
        #[arg(long, default_value_t = 256)]
        max_tokens: usize,
    },
    /// Write a training's model files
    Export {
        /// Folder of the training
        training: PathBuf,
        /// Folder to write to
        #[arg(default_value = "src/engine/pico/assets")]
        target: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(super) struct TrainArgs {
    /// Folder of checkpoint, tokenizer and learning curve
    #[arg(default_value = "target/pico")]
    folder: PathBuf,
    /// Seed of weights and batches
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Tokens to train on
    #[arg(long, default_value_t = 16_000_000)]
    budget: u64,
    /// Token at which the learning rates begin to fall (half of the budget if not given)
    #[arg(long)]
    decay_from: Option<u64>,
    /// Tokens in a batch
    #[arg(long, default_value_t = 4096)]
    batch_tokens: usize,
    /// Peak learning rate of Muon
    #[arg(long, default_value_t = 6e-3)]
    muon_rate: f64,
    /// Peak learning rate of `AdamW`
    #[arg(long, default_value_t = 3e-3)]
    adamw_rate: f64,
    /// Worker threads
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Steps between checkpoints
    #[arg(long, default_value_t = 100)]
    checkpoint_steps: usize,
    /// Tokens between rows of the learning curve
    #[arg(long, default_value_t = 1_000_000)]
    curve_tokens: u64,
    /// Held-out items of each family for such a row
    #[arg(long, default_value_t = 5)]
    curve_items: usize,
}

/// Makes or scores the embedded model.
pub(super) fn run(command: PicoCommand) -> Exit {
    match dispatch(command) {
        Ok(()) => Exit::Done,
        Err(error) => {
            // Nothing is left to do when stderr is closed.
            let _ = writeln!(io::stderr(), "planrun pico: {error}");
            Exit::Internal
        }
    }
}

fn dispatch(command: PicoCommand) -> Result<(), Box<dyn Error>> {
    match command {
        PicoCommand::Train(args) => run_training(args),
        PicoCommand::Tasks { folder } => Ok(write_task_sets(&folder)?),
        PicoCommand::Eval { tasks, checkpoint, max_tokens } => {
            let items = read_items(&tasks)?;
            print_scores(&evaluate(checkpoint.as_deref(), &items, max_tokens)?)
        }
        PicoCommand::Export { training, target } => Ok(export_assets(&training, &target)?),
    }
}

fn run_training(args: TrainArgs) -> Result<(), Box<dyn Error>> {
    let config = TrainConfig {
        folder: args.folder,
        seed: args.seed,
        budget: args.budget,
        decay_from: args.decay_from.unwrap_or(args.budget / 2),
        batch_tokens: args.batch_tokens,
        muon_rate: args.muon_rate,
        adamw_rate: args.adamw_rate,
        warm_up_steps: 60,
        workers: args.workers,
        checkpoint_steps: args.checkpoint_steps,
        curve_tokens: args.curve_tokens,
        curve_items: args.curve_items,
    };
    let begin = Instant::now();
    let mut first_token = None;
    train(&config, |progress| {
        let first = *first_token.get_or_insert(progress.tokens);
        if progress.step.is_multiple_of(20) || progress.held_out.is_some() {
            let seconds = begin.elapsed().as_secs_f64();
            print_progress(progress, (progress.tokens - first) as f64 / seconds);
        }
    })?;
    Ok(())
}

fn print_progress(progress: &TrainProgress, tokens_per_second: f64) {
    let TrainProgress { step, tokens, loss, rate_factor, held_out } = progress;
    let scores = held_out.map_or_else(String::new, |[direct, thinking]| {
        format!("  held out: direct {direct:.3} thinking {thinking:.3}")
    });
    let line = format!(
        "step {step}  tokens {tokens}  loss {loss:.4}  rate {rate_factor:.2}  {tokens_per_second:.0} tok/s{scores}"
    );
    // A closed stdout must not end a training of hours.
    let _ = writeln!(io::stdout(), "{line}");
}

fn read_items(path: &std::path::Path) -> Result<Vec<TaskItem>, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let parse = |(n, line)| {
        serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), n + 1).into())
    };
    text.lines().enumerate().map(parse).collect()
}

fn print_scores(scores: &[FamilyScore]) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{:14} {:>6} {:>8} {:>9} {:>12} {:>14} {:>15}",
        "family", "asked", "direct", "thinking", "tok direct", "tok thinking", "capped thinking"
    )?;
    for score in scores {
        let n = score.asked as f64;
        let [direct, thinking] = score.right.map(|right| 100.0 * right as f64 / n);
        let [direct_tokens, thinking_tokens] = score.reply_tokens.map(|tokens| tokens as f64 / n);
        writeln!(
            out,
            "{:14} {:>6} {direct:>7.1}% {thinking:>8.1}% {direct_tokens:>12.1} {thinking_tokens:>14.1} {:>15}",
            score.family, score.asked, score.capped[1]
        )?;
    }
    Ok(())
}
