//! A weight matrix in one of the formats, and its product with activations. The weights stand in panels of eight rows, and
//! a token's numbers do not depend on what it is multiplied together with (`docs/decisions/weight-formats.md`).

#![allow(clippy::inline_always)] // a kernel is worth nothing unless its operations become instructions in its loop

mod activations;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma", target_feature = "f16c"))]
mod avx2;
mod blocks;
mod bytes;
mod floats;
mod format;
mod lanes;
mod nibbles;
mod panels;
#[cfg(any(
    test,
    not(all(
        target_arch = "x86_64",
        target_feature = "avx2",
        target_feature = "fma",
        target_feature = "f16c"
    ))
))]
mod portable;
mod quads;
mod storage;
mod stored_superblock;
mod superblocks;
#[cfg(test)]
mod tests;
mod weight_matrix;

pub(super) use weight_matrix::Matrix;
