//! The endless, seeded stream of training batches.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::ops::CrossEntropy;
use crate::engine::pico::dialogue::{Dialogue, Encoded, Encoder};
use crate::engine::pico::tasks::Sample;

/// Dialogues drawn at a time; they are sorted by length, so that a batch needs little padding.
const BUFFER_SAMPLES: usize = 1024;
/// Share of the dialogues that think.
const THINKING_SHARE: f64 = 0.65;
/// Longer dialogues are left out.
const LONGEST: usize = 1536;

/// Position in the stream; each buffer has its own random stream, so this is all that a resume needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Position {
    /// Number of the buffer.
    pub(super) buffer: u64,
    /// Number of the next batch in it.
    pub(super) batch: usize,
}

/// Dialogues of similar length.
#[derive(Debug, Clone, Default)]
pub(super) struct Batch {
    dialogues: Vec<Encoded>,
}

/// One worker's part of a batch, padded on the right (causality keeps padding out of every loss).
pub(super) struct Share {
    /// Token ids, `(sequences, length)` row by row.
    pub(super) ids: Vec<u32>,
    /// Number of sequences.
    pub(super) sequences: usize,
    /// Flat positions whose next token is learned.
    pub(super) rows: Vec<u32>,
    /// The targets and their weights.
    pub(super) loss: CrossEntropy,
}

impl Batch {
    /// Tokens without padding.
    pub(super) fn tokens(&self) -> u64 {
        self.dialogues.iter().map(|dialogue| dialogue.ids.len() as u64).sum()
    }

    /// Sum of the weights of all learned tokens.
    pub(super) fn weight(&self) -> f64 {
        self.dialogues.iter().flat_map(|dialogue| &dialogue.weights).map(|&weight| f64::from(weight)).sum()
    }

    /// Every `workers`-th dialogue for each worker; a worker may get none.
    pub(super) fn shares(&self, workers: usize) -> Vec<Share> {
        (0..workers)
            .map(|worker| share(self.dialogues.iter().skip(worker).step_by(workers)))
            .filter(|share| share.sequences > 0)
            .collect()
    }
}

fn share<'a>(dialogues: impl Iterator<Item = &'a Encoded> + Clone) -> Share {
    let length = dialogues.clone().map(|dialogue| dialogue.ids.len()).max().unwrap_or(0);
    let (mut ids, mut rows, mut sequences) = (Vec::new(), Vec::new(), 0);
    let mut loss = CrossEntropy { targets: Vec::new(), weights: Vec::new() };
    for dialogue in dialogues {
        let start = ids.len();
        for (position, &weight) in dialogue.weights.iter().enumerate().skip(1).filter(|(_, w)| **w > 0.0) {
            rows.push((start + position - 1) as u32);
            loss.targets.push(dialogue.ids[position]);
            loss.weights.push(weight);
        }
        ids.extend(&dialogue.ids);
        ids.resize(start + length, 0);
        sequences += 1;
    }
    Share { ids, sequences, rows, loss }
}

/// The stream of batches of one seed.
pub(super) struct Batches<'a> {
    encoder: &'a Encoder,
    seed: u64,
    batch_tokens: usize,
    position: Position,
    buffer: Vec<Batch>,
}

impl<'a> Batches<'a> {
    /// A stream that continues at `position`; batches hold up to `batch_tokens` tokens with padding.
    pub(super) fn new(encoder: &'a Encoder, seed: u64, batch_tokens: usize, position: Position) -> Self {
        Self { encoder, seed, batch_tokens, position, buffer: Vec::new() }
    }

    /// Where the next batch stands.
    pub(super) fn position(&self) -> Position {
        self.position
    }

    /// The next batch.
    pub(super) fn next(&mut self) -> tokenizers::Result<Batch> {
        if self.buffer.is_empty() {
            self.buffer = self.draw_buffer()?;
        }
        if self.position.batch >= self.buffer.len() {
            self.position = Position { buffer: self.position.buffer + 1, batch: 0 };
            self.buffer = self.draw_buffer()?;
        }
        let batch = std::mem::take(&mut self.buffer[self.position.batch]);
        self.position.batch += 1;
        Ok(batch)
    }

    fn draw_buffer(&self) -> tokenizers::Result<Vec<Batch>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(self.position.buffer);
        let mut dialogues = Vec::with_capacity(BUFFER_SAMPLES);
        while dialogues.len() < BUFFER_SAMPLES {
            let sample = Sample::draw_for_training(&mut rng);
            let dialogue = Dialogue::new(&sample, rng.random_bool(THINKING_SHARE));
            let encoded = self.encoder.dialogue(&dialogue)?;
            if encoded.ids.len() <= LONGEST {
                dialogues.push(encoded);
            }
        }
        dialogues.sort_by_key(|dialogue| dialogue.ids.len());
        let mut batches = cut(dialogues, self.batch_tokens);
        batches.shuffle(&mut rng);
        Ok(batches)
    }
}

/// Cuts sorted dialogues into batches of at most `batch_tokens` padded tokens (or one dialogue).
fn cut(dialogues: Vec<Encoded>, batch_tokens: usize) -> Vec<Batch> {
    let mut batches = vec![Batch::default()];
    for dialogue in dialogues {
        let Some(last) = batches.last_mut() else { break };
        if !last.dialogues.is_empty() && (last.dialogues.len() + 1) * dialogue.ids.len() > batch_tokens {
            batches.push(Batch { dialogues: vec![dialogue] });
        } else {
            last.dialogues.push(dialogue);
        }
    }
    batches
}
