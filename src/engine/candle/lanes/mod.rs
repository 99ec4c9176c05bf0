//! Eight numbers at a time: the few operations that the kernels of matrices and of attention are made of, in vector
//! instructions where the build is for a machine that has them, and in plain Rust everywhere.

#![allow(clippy::inline_always)] // an operation is worth nothing unless it becomes an instruction in a kernel's loop

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma", target_feature = "f16c"))]
mod avx2;
mod operations;
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
mod tile;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    target_feature = "f16c"
))]
pub(super) use avx2::Avx2 as Machine;
pub(super) use operations::Lanes;
#[cfg(test)]
pub(super) use portable::Portable;
#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    target_feature = "f16c"
)))]
pub(super) use portable::Portable as Machine;
pub(super) use tile::{TILE, accumulate, even};
