//! Which parameter is updated how: Muon for hidden matrices, `AdamW` for embedding and norms.

use std::thread;

use candle_core::{Result, Tensor, bail};

use super::adamw::AdamW;
use super::muon::Muon;
use super::parameters::{Parameter, Parameters};
use super::schedule::Rates;

enum Slot {
    Muon(Muon),
    AdamW(AdamW),
}

/// State of both optimizers, in the order of the parameters.
pub(super) struct Optimizer {
    slots: Vec<Slot>,
}

impl Optimizer {
    /// Fresh state.
    pub(super) fn new(parameters: &Parameters) -> Result<Self> {
        let slots = parameters.list().iter().map(|parameter| {
            Ok(if parameter.is_hidden_matrix() {
                Slot::Muon(Muon::new(&parameter.var)?)
            } else {
                Slot::AdamW(AdamW::new(&parameter.var)?)
            })
        });
        Ok(Self { slots: slots.collect::<Result<_>>()? })
    }

    /// Applies one gradient per parameter, on `workers` threads. `step` counts from 1.
    pub(super) fn step(
        &mut self,
        parameters: &Parameters,
        gradients: &[Tensor],
        rates: Rates,
        step: usize,
        workers: usize,
    ) -> Result<()> {
        let mut shares: Vec<Vec<(&mut Slot, &Parameter, &Tensor)>> =
            (0..workers).map(|_| Vec::new()).collect();
        let jobs = self.slots.iter_mut().zip(parameters.list()).zip(gradients);
        for (n, ((slot, parameter), gradient)) in jobs.enumerate() {
            shares[n % workers].push((slot, parameter, gradient));
        }
        thread::scope(|scope| {
            let threads: Vec<_> = shares
                .into_iter()
                .map(|share| {
                    scope.spawn(move || {
                        share.into_iter().try_for_each(|(slot, parameter, gradient)| match slot {
                            Slot::Muon(muon) => muon.step(&parameter.var, gradient, rates.muon),
                            Slot::AdamW(adamw) => adamw.step(&parameter.var, gradient, rates.adamw, step),
                        })
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(_) => bail!("an optimizer thread ended early"),
            })
        })
    }

    /// Every state tensor with the name that a checkpoint keeps it under.
    pub(super) fn state<'a>(
        &'a self,
        parameters: &'a Parameters,
    ) -> impl Iterator<Item = (String, &'a Tensor)> {
        self.slots.iter().zip(parameters.list()).flat_map(|(slot, parameter)| match slot {
            Slot::Muon(muon) => vec![(format!("muon.{}", parameter.name), &muon.momentum)],
            Slot::AdamW(adamw) => vec![
                (format!("adamw.mean.{}", parameter.name), &adamw.mean),
                (format!("adamw.square.{}", parameter.name), &adamw.square),
            ],
        })
    }

    /// Puts the state tensors back that `take` finds by name.
    pub(super) fn restore(
        &mut self,
        parameters: &Parameters,
        mut take: impl FnMut(&str) -> Result<Tensor>,
    ) -> Result<()> {
        for (slot, parameter) in self.slots.iter_mut().zip(parameters.list()) {
            let name = &parameter.name;
            match slot {
                Slot::Muon(muon) => muon.momentum = take(&format!("muon.{name}"))?,
                Slot::AdamW(adamw) => {
                    adamw.mean = take(&format!("adamw.mean.{name}"))?;
                    adamw.square = take(&format!("adamw.square.{name}"))?;
                }
            }
        }
        Ok(())
    }
}
