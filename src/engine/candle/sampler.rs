//! Choosing the next token from logits, the same way every time.

use super::kernels::largest;
use crate::generation::Sampling;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Chooses tokens for one generation.
#[derive(Debug)]
pub(super) struct Sampler {
    sampling: Sampling,
    rng: ChaCha8Rng,
    /// Token and logit (later: and probability) of the candidates; kept to be used again.
    candidates: Vec<(u32, f32)>,
}

impl Sampler {
    /// A sampler whose random numbers depend on the seed alone.
    pub(super) fn new(sampling: &Sampling) -> Self {
        Self {
            sampling: sampling.clone(),
            rng: ChaCha8Rng::seed_from_u64(sampling.seed),
            candidates: Vec::new(),
        }
    }

    /// The next token, or `None` if the logits are not numbers.
    pub(super) fn choose(&mut self, logits: &[f32]) -> Option<u32> {
        let top = largest(logits);
        if !top.is_finite() {
            return None;
        }
        if self.sampling.temperature <= 0.0 {
            return first_at(logits, top);
        }
        self.weigh(logits, top);
        self.keep_top_k();
        self.keep_top_p();
        Some(self.draw())
    }

    /// Fills the candidates with `exp((logit - top) / temperature)`.
    fn weigh(&mut self, logits: &[f32], top: f32) {
        let temperature = self.sampling.temperature;
        let weight = |logit: f32| (f64::from(logit - top) / temperature).exp() as f32;
        self.candidates.clear();
        self.candidates.extend((0u32..).zip(logits.iter().map(|&logit| weight(logit))));
    }

    /// Keeps the k likeliest; of equals, those with the lower token ids.
    fn keep_top_k(&mut self) {
        let Some(k) = self.sampling.top_k.map(|k| k.max(1) as usize) else { return };
        if k < self.candidates.len() {
            self.candidates.select_nth_unstable_by(k - 1, |a, b| likelier(*a, *b));
            self.candidates.truncate(k);
        }
    }

    /// Keeps the smallest set of the likeliest whose share of the probability reaches p (Holtzman et al. 2020).
    fn keep_top_p(&mut self) {
        self.candidates.sort_unstable_by(|a, b| likelier(*a, *b));
        let Some(p) = self.sampling.top_p.filter(|p| *p < 1.0) else { return };
        let target = p * total(&self.candidates);
        let mut reached = 0.0;
        let cut = self.candidates.iter().position(|(_, weight)| {
            reached += f64::from(*weight);
            reached >= target
        });
        if let Some(cut) = cut {
            self.candidates.truncate(cut + 1);
        }
    }

    fn draw(&mut self) -> u32 {
        let mut left = self.rng.random::<f64>() * total(&self.candidates);
        for (token, weight) in &self.candidates {
            left -= f64::from(*weight);
            if left < 0.0 {
                return *token;
            }
        }
        self.candidates.first().map_or(0, |(token, _)| *token)
    }
}

/// The first token whose logit is at least this.
pub(super) fn first_at(logits: &[f32], value: f32) -> Option<u32> {
    logits.iter().position(|logit| *logit >= value).map(|at| at as u32)
}

fn likelier(a: (u32, f32), b: (u32, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

fn total(candidates: &[(u32, f32)]) -> f64 {
    candidates.iter().map(|(_, weight)| f64::from(*weight)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampling(temperature: f64, top_k: Option<u32>, top_p: Option<f64>, seed: u64) -> Sampling {
        Sampling { temperature, top_k, top_p, seed }
    }

    fn draws(sampling: &Sampling, logits: &[f32], n: usize) -> Vec<u32> {
        let mut sampler = Sampler::new(sampling);
        (0..n).map(|_| sampler.choose(logits).unwrap()).collect()
    }

    #[test]
    fn greedy_takes_the_first_of_equals_and_refuses_what_is_no_number() {
        let mut greedy = Sampler::new(&sampling(0.0, None, None, 1));
        assert_eq!(greedy.choose(&[1.0, 3.0, 3.0, 2.0]), Some(1));
        assert_eq!(greedy.choose(&[f32::NAN, 3.0, 2.0]), Some(1));
        assert_eq!(greedy.choose(&[f32::NAN, f32::NAN]), None);
        assert_eq!(greedy.choose(&[0.0, f32::INFINITY]), None);
    }

    #[test]
    fn equal_seeds_draw_equal_tokens_and_others_differ() {
        let logits = [0.0; 50];
        let one = draws(&sampling(1.0, None, None, 7), &logits, 40);
        assert_eq!(one, draws(&sampling(1.0, None, None, 7), &logits, 40));
        assert_ne!(one, draws(&sampling(1.0, None, None, 8), &logits, 40));
    }

    #[test]
    fn top_k_and_top_p_leave_only_the_likeliest() {
        let logits = [0.0, 3.0, 1.0, 2.0];
        assert!(draws(&sampling(1.0, Some(2), None, 3), &logits, 200).iter().all(|t| [1, 3].contains(t)));
        // Probabilities .03, .64, .09, .24: .64 alone reaches .6, and .64 + .24 reaches .7.
        assert!(draws(&sampling(1.0, None, Some(0.6), 3), &logits, 200).iter().all(|t| *t == 1));
        let two = draws(&sampling(1.0, None, Some(0.7), 3), &logits, 200);
        assert!(two.iter().all(|t| [1, 3].contains(t)) && two.contains(&3));
    }

    #[test]
    fn frequencies_follow_the_softmax() {
        let logits = [0.0, 1.0];
        let ones = draws(&sampling(0.5, None, None, 11), &logits, 4000).iter().filter(|t| **t == 1).count();
        let right = 1.0 / (1.0 + (-2.0f64).exp());
        assert!((ones as f64 / 4000.0 - right).abs() < 0.02);
    }
}
