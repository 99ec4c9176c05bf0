//! A weight matrix in one of the formats, and its product with activations. The weights stand in panels of eight rows, and
//! a token's numbers do not depend on what it is multiplied together with (`docs/decisions/weight-formats.md`).

#![allow(clippy::inline_always)] // the parts of a kernel are worth nothing unless they become one loop

mod activations;
mod blocks;
mod bytes;
mod floats;
mod format;
mod nibbles;
mod panels;
mod quads;
mod storage;
mod stored_superblock;
mod superblocks;
#[cfg(test)]
mod tests;
mod weight_matrix;

pub(super) use weight_matrix::Matrix;
