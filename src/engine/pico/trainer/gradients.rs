//! Data-parallel gradients.

use std::thread;

use candle_core::{Result, Tensor, bail};

use super::batches::{Batch, Share};
use super::model::Model;
use super::parameters::Parameters;

/// Mean weighted loss (nats a token) of a batch and its gradient for every parameter, in their order.
///
/// Each worker takes its part of the batch; the gradients are summed in worker order, so that the result
/// does not depend on which thread ends first.
pub(super) fn gradients(
    model: &Model,
    parameters: &Parameters,
    batch: &Batch,
    workers: usize,
) -> Result<(f64, Vec<Tensor>)> {
    let scale = 1.0 / batch.weight();
    let results = thread::scope(|scope| {
        let threads: Vec<_> = batch
            .shares(workers)
            .into_iter()
            .map(|share| scope.spawn(move || share_gradients(model, parameters, share)))
            .collect();
        threads.into_iter().map(|thread| thread.join().ok()).collect::<Vec<_>>()
    });
    let (mut loss, mut sum): (f64, Vec<Tensor>) = (0.0, Vec::new());
    for result in results {
        let Some(result) = result else { bail!("a gradient thread ended early") };
        let (part_loss, part) = result?;
        loss += part_loss;
        sum = if sum.is_empty() { part } else { add(&sum, &part)? };
    }
    let scaled = sum.iter().map(|gradient| gradient * scale).collect::<Result<_>>()?;
    Ok((loss * scale, scaled))
}

fn share_gradients(model: &Model, parameters: &Parameters, share: Share) -> Result<(f64, Vec<Tensor>)> {
    let loss = model.loss(&share.ids, share.sequences, &share.rows, share.loss)?;
    let store = loss.backward()?;
    let gradients = parameters.list().iter().map(|parameter| match store.get(&parameter.var) {
        Some(gradient) => gradient.contiguous(),
        None => bail!("no gradient reached {}", parameter.name),
    });
    Ok((f64::from(loss.to_scalar::<f32>()?), gradients.collect::<Result<_>>()?))
}

fn add(a: &[Tensor], b: &[Tensor]) -> Result<Vec<Tensor>> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
