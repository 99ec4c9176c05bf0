//! Log-probabilities of the in-process engine beside llama.cpp's, on the same GGUF file and the same tokens:
//! `cargo bench --bench logits_beside_llama -- MODEL.gguf BASE.kld`, where `BASE.kld` comes from
//! `llama-perplexity -m MODEL.gguf -f TEXT -c 512 --chunks 10 --kl-divergence-base BASE.kld`. Instead of the model, a second
//! file of the same kind may be named: then llama.cpp is compared with itself under other options.
//!
//! In the file, the log-probabilities that follow a token stand in 16 bits: in 65,535 equal steps between the largest one
//! and the smallest, or what is 16 below the largest; lower ones are cut off at that. A step is at most 16 / 65,535 =
//! 0.00024, so half of that, 0.00012, is the most by which a log-probability is rounded.

#![allow(clippy::print_stdout)] // the table is what a bench is for

use planrun::condition::{Settings, Stated};
use planrun::engine::CandleEngine;
use planrun::engine::gguf::Gguf;
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let [compared, base] = arguments.as_slice() else {
        println!("name a GGUF file and the file that `llama-perplexity --kl-divergence-base` made of it");
        return Ok(());
    };
    let mut base = Base::open(base)?;
    let mut compared = Compared::open(compared, &base)?;
    let mut figures = Figures::default();
    for chunk in base.chunks.clone() {
        compared.read(&chunk, &mut |next, log_prob, logits| {
            figures.add(logits, log_prob, &base.row()?, next);
            Ok(())
        })?;
    }
    figures.print();
    Ok(())
}

/// What llama.cpp wrote, row by row.
struct Base {
    file: BufReader<File>,
    vocabulary: usize,
    /// Tokens of the text, cut into contexts of one length.
    chunks: Vec<Vec<u32>>,
}

/// Log-probabilities of the tokens that may follow, in steps.
struct Row {
    step: f32,
    least: f32,
    codes: Vec<u16>,
}

impl Base {
    fn open(path: &str) -> Outcome<Self> {
        let mut file = BufReader::new(File::open(path).map_err(|error| format!("{path}: {error}"))?);
        if bytes(&mut file, 8)? != b"_logits_" {
            return Err(format!("{path} does not hold the logits of `llama-perplexity`").into());
        }
        let header = words(&mut file, 3)?;
        let [context, vocabulary, chunks] = [0, 1, 2].map(|at| header[at] as usize);
        let tokens = words(&mut file, context * chunks)?;
        let chunks = tokens.chunks_exact(context).map(<[u32]>::to_vec).collect();
        Ok(Self { file, vocabulary, chunks })
    }

    fn row(&mut self) -> Outcome<Row> {
        let floats = words(&mut self.file, 2)?;
        let [step, least] = [0, 1].map(|at| f32::from_bits(floats[at]));
        let codes = bytes(&mut self.file, 2 * self.vocabulary.next_multiple_of(2))?;
        let codes = codes.as_chunks::<2>().0.iter().map(|two| u16::from_le_bytes(*two));
        Ok(Row { step, least, codes: codes.take(self.vocabulary).collect() })
    }
}

fn bytes(file: &mut impl Read, count: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn words(file: &mut impl Read, count: usize) -> std::io::Result<Vec<u32>> {
    let bytes = bytes(file, 4 * count)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect())
}

impl Row {
    fn log_prob(&self, token: usize) -> f64 {
        f64::from(self.least) + f64::from(self.step) * f64::from(self.codes[token])
    }

    /// Tokens that are not cut off.
    fn kept(&self) -> impl Iterator<Item = usize> + Clone {
        self.codes.iter().enumerate().filter(|(_, code)| **code > 0).map(|(token, _)| token)
    }
}

/// Takes a token that follows, its log-probability, and the logits of all tokens.
type Visit<'a> = dyn FnMut(usize, f64, &[f32]) -> Outcome<()> + 'a;

/// What is compared with the base.
enum Compared {
    /// The engine, and what it puts in the place of the first token of each chunk, as llama.cpp does.
    Engine(Box<CandleEngine>, Option<u32>),
    /// Another run of llama.cpp.
    Base(Base),
}

impl Compared {
    fn open(path: &str, base: &Base) -> Outcome<Self> {
        if Path::new(path).extension().is_some_and(|extension| extension == "kld") {
            return Base::open(path).map(Self::Base);
        }
        let settings = Settings { model: Stated::Set(path.to_owned()), ..Settings::default() };
        let engine = CandleEngine::open(&settings, Path::new("."))?;
        let bos = Gguf::open(Path::new(path))?.metadata().unsigned("tokenizer.ggml.bos_token_id")?;
        // llama.cpp repeats it for every chunk if the text as a whole begins with it.
        let bos =
            bos.map(|id| id as u32).filter(|id| base.chunks.first().is_some_and(|chunk| chunk[0] == *id));
        Ok(Self::Engine(Box::new(engine), bos))
    }

    /// Shows `visit`, for each token of the second half of a chunk but the last, which one follows it, the log-probability
    /// of that, and the logits of all.
    fn read(&mut self, chunk: &[u32], visit: &mut Visit<'_>) -> Outcome<()> {
        let scored = chunk.len() / 2..chunk.len() - 1;
        match self {
            Self::Base(other) => {
                for at in scored {
                    let row = other.row()?;
                    let logits: Vec<f32> =
                        (0..row.codes.len()).map(|token| row.log_prob(token) as f32).collect();
                    let next = chunk[at + 1] as usize;
                    visit(next, row.log_prob(next), &logits)?;
                }
                Ok(())
            }
            Self::Engine(engine, bos) => {
                let mut outcome = Ok(());
                let prompt = [&[bos.unwrap_or(chunk[0])], &chunk[1..]].concat();
                engine.logits_after_each(&prompt, |at, logits| {
                    if scored.contains(&at) && outcome.is_ok() {
                        let next = chunk[at + 1] as usize;
                        let all = log_sum(logits.iter().map(|logit| f64::from(*logit)));
                        outcome = visit(next, f64::from(logits[next]) - all, logits);
                    }
                })?;
                outcome
            }
        }
    }
}

/// Sums over the tokens.
#[derive(Default)]
struct Figures {
    tokens: f64,
    /// Tokens that follow and that the base does not cut off.
    known: f64,
    gap: f64,
    largest_gap: f64,
    divergence: f64,
    largest_divergence: f64,
    same_top: f64,
    surprise: [f64; 2],
    widest_step: f32,
}

impl Figures {
    fn add(&mut self, logits: &[f32], ours: f64, base: &Row, next: usize) {
        self.tokens += 1.0;
        if base.codes[next] > 0 {
            let theirs = base.log_prob(next);
            self.known += 1.0;
            self.gap += (ours - theirs).abs();
            self.largest_gap = self.largest_gap.max((ours - theirs).abs());
            self.surprise[0] -= ours;
            self.surprise[1] -= theirs;
        }
        let divergence = divergence(logits, base);
        self.divergence += divergence;
        self.largest_divergence = self.largest_divergence.max(divergence);
        // Several tokens may share the highest step.
        let top = (0..logits.len()).max_by(|a, b| logits[*a].total_cmp(&logits[*b])).unwrap_or(0);
        self.same_top += f64::from(u8::from(base.codes[top] == u16::MAX));
        self.widest_step = self.widest_step.max(base.step);
    }

    fn print(&self) {
        let mean = |sum: f64| sum / self.tokens;
        println!("tokens scored                        {}", self.tokens);
        println!("log-probability of the next token, where the base does not cut it off ({}):", self.known);
        println!("  mean absolute difference           {:.6}", self.gap / self.known);
        println!("  largest difference                 {:.6}", self.largest_gap);
        let [ours, base] = self.surprise.map(|sum| (sum / self.known).exp());
        println!("  perplexity, base                   {ours:.4}, {base:.4}");
        println!("KL divergence, mean                  {:.2e}", mean(self.divergence));
        println!("KL divergence, largest               {:.2e}", self.largest_divergence);
        println!(
            "same likeliest token                 {} of {} ({:.2} %)",
            self.same_top,
            self.tokens,
            100.0 * mean(self.same_top)
        );
        println!("rounding of the base's log-probabilities: at most {:.6}", self.widest_step / 2.0);
    }
}

/// `sum p log(p / q)` of the base and the engine, both over the tokens that the base does not cut off.
fn divergence(logits: &[f32], base: &Row) -> f64 {
    let p_norm = log_sum(base.kept().map(|token| base.log_prob(token)));
    let q_norm = log_sum(base.kept().map(|token| f64::from(logits[token])));
    base.kept()
        .map(|token| {
            let (p, q) = (base.log_prob(token) - p_norm, f64::from(logits[token]) - q_norm);
            p.exp() * (p - q)
        })
        .sum()
}

/// `log(sum(exp(x)))`.
fn log_sum(x: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = x.clone().fold(f64::NEG_INFINITY, f64::max);
    top + x.map(|x| (x - top).exp()).sum::<f64>().ln()
}
