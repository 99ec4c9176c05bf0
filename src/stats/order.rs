//! The order of the arms inside one block (method, line 1).

use rand::RngCore;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A sub-block holds at most this many arms, so that its mirrored pair stays short against the drift.
pub const MAX_SUB_BLOCK: usize = 16;

/// A short stretch of one block: its arms run in this order and then in reverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubBlock {
    /// Arm numbers in the order of the forward pass.
    pub arms: Vec<u32>,
}

impl SubBlock {
    /// The order of the runs: forward, then reversed (A B C C B A). Twice as long as `arms`.
    pub fn mirrored(&self) -> impl Iterator<Item = u32> + '_ {
        self.arms.iter().chain(self.arms.iter().rev()).copied()
    }
}

/// The order of block `block` for `arms` arms: a fresh uniform permutation, cut into
/// `ceil(arms / 16)` sub-blocks whose sizes differ by at most one (longer ones first).
///
/// Depends on the seed and on the block number alone, so that a plan can be extended by blocks.
/// The stream is `ChaCha8` (Bernstein 2008) with the seed's eight little-endian bytes as its key, padded
/// with zeros, and the block number as its stream; the permutation is Durstenfeld's shuffle. Both are
/// spelled out here, so that an order stays the same whatever a library changes.
pub fn block_order(seed: u64, block: u32, arms: usize) -> Vec<SubBlock> {
    let mut random = generator(seed, u64::from(block));
    let mut order: Vec<u32> = (0..arms as u32).collect();
    shuffle(&mut order, &mut random);
    cut(&order)
}

/// A `ChaCha8` generator for a seed and a stream number.
pub(super) fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut random = ChaCha8Rng::from_seed(key);
    random.set_stream(stream);
    random
}

/// Durstenfeld's in-place shuffle: every permutation is equally likely.
pub(super) fn shuffle<T>(items: &mut [T], random: &mut impl RngCore) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last as u32 + 1, random));
    }
}

/// A uniform number below `limit`, without modulo bias: draws beyond the last whole multiple are repeated.
pub(super) fn below(limit: u32, random: &mut impl RngCore) -> usize {
    let whole = u32::MAX - u32::MAX % limit;
    loop {
        let draw = random.next_u32();
        if draw < whole {
            return (draw % limit) as usize;
        }
    }
}

fn cut(order: &[u32]) -> Vec<SubBlock> {
    let count = order.len().div_ceil(MAX_SUB_BLOCK);
    let mut rest = order;
    let mut sub_blocks = Vec::with_capacity(count);
    for remaining in (1..=count).rev() {
        let (head, tail) = rest.split_at(rest.len().div_ceil(remaining));
        sub_blocks.push(SubBlock { arms: head.to_vec() });
        rest = tail;
    }
    sub_blocks
}
