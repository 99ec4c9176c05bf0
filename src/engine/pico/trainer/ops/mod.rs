//! Fused tensor operations with hand-written backward passes, for the places where plain tensor operations
//! have none (RMS norm, softmax) or would write many intermediate tensors.

mod causal_softmax;
mod cross_entropy;
mod exp;
mod heads;
mod rms_norm;
mod storage;
mod swiglu;
#[cfg(test)]
mod tests;

pub(super) use causal_softmax::CausalSoftmax;
pub(super) use cross_entropy::CrossEntropy;
pub(super) use heads::{MergeHeads, RotaryTable, SplitHeads};
pub(super) use rms_norm::RmsNorm;
pub(super) use swiglu::SwiGlu;
