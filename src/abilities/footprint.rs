//! Memory that a model will need.

/// Memory of a model at work, foreseen from its sizes; bytes. The program, its vocabulary and its template are not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// The weights in the formats that they are held in.
    pub weights: u64,
    /// Keys and values, for each token of context that is used.
    pub cache_per_token: u64,
    /// Intermediate values, for each token that is read at once.
    pub scratch_per_token: u64,
    /// Intermediate values for each pair of tokens that are read at once; 0 where attention never holds all of them.
    pub scratch_per_pair: u64,
    /// Most tokens that are read at once.
    pub chunk: u64,
    /// What does not depend on the tokens: rotary tables, logits.
    pub fixed: u64,
}

impl Footprint {
    /// MiB in use when a sequence of so many tokens has been read and written, of which the prompt is `prompt`.
    pub fn mib(&self, prompt: u64, sequence: u64) -> f64 {
        let read = prompt.min(self.chunk);
        let scratch = self.scratch_per_token * read + self.scratch_per_pair * read * read;
        let bytes = self.weights + self.fixed + scratch + self.cache_per_token * sequence;
        bytes as f64 / f64::from(1 << 20)
    }
}
