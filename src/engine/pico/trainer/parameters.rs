//! The named parameters of the decoder and their seeded initial values.

use std::collections::HashMap;

use candle_core::{DType, Device, Result, Tensor, Var, bail};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::pico::Shape;

/// One trained tensor under its Hugging Face name.
pub(super) struct Parameter {
    /// Name in `model.safetensors`.
    pub(super) name: String,
    /// The values, f32.
    pub(super) var: Var,
}

impl Parameter {
    /// True for the 2-D matrices inside the layers, which Muon updates.
    pub(super) fn is_hidden_matrix(&self) -> bool {
        self.var.rank() == 2 && self.name.starts_with("model.layers.")
    }
}

/// All parameters, in a fixed order.
pub(super) struct Parameters {
    list: Vec<Parameter>,
}

/// Names and sizes of every parameter; one-dimensional ones are norm weights.
fn layout(shape: &Shape) -> Vec<(String, Vec<usize>)> {
    let Shape { hidden, intermediate, head_dim, .. } = *shape;
    let (q, kv) = (shape.heads * head_dim, shape.kv_heads * head_dim);
    let mut list = vec![("model.embed_tokens.weight".to_owned(), vec![shape.vocabulary, hidden])];
    for n in 0..shape.layers {
        let parts: [(&str, Vec<usize>); 11] = [
            ("input_layernorm", vec![hidden]),
            ("self_attn.q_proj", vec![q, hidden]),
            ("self_attn.k_proj", vec![kv, hidden]),
            ("self_attn.v_proj", vec![kv, hidden]),
            ("self_attn.o_proj", vec![hidden, q]),
            ("self_attn.q_norm", vec![head_dim]),
            ("self_attn.k_norm", vec![head_dim]),
            ("post_attention_layernorm", vec![hidden]),
            ("mlp.gate_proj", vec![intermediate, hidden]),
            ("mlp.up_proj", vec![intermediate, hidden]),
            ("mlp.down_proj", vec![hidden, intermediate]),
        ];
        list.extend(parts.into_iter().map(|(name, dims)| (format!("model.layers.{n}.{name}.weight"), dims)));
    }
    list.push(("model.norm.weight".to_owned(), vec![hidden]));
    list
}

/// Initial values: norms 1, embedding of deviation 0.02, matrices uniform with deviation `1 / sqrt(inputs)`,
/// and the two that write into the residual stream smaller by `sqrt(2 * layers)`.
fn initial(name: &str, dims: &[usize], layers: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let count = dims.iter().product();
    let [_, inputs] = dims else { return vec![1.0; count] };
    let mut deviation = (*inputs as f32).sqrt().recip();
    if name.contains("embed_tokens") {
        deviation = 0.02;
    } else if name.contains("o_proj") || name.contains("down_proj") {
        deviation /= ((2 * layers) as f32).sqrt();
    }
    let bound = deviation * 3f32.sqrt();
    (0..count).map(|_| rng.random_range(-bound..bound)).collect()
}

impl Parameters {
    /// Fresh parameters.
    pub(super) fn init(shape: &Shape, seed: u64) -> Result<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Self::build(shape, |name, dims| {
            Tensor::from_vec(initial(name, dims, shape.layers, &mut rng), dims, &Device::Cpu)
        })
    }

    /// Parameters from tensors under their names, of any float type.
    pub(super) fn from_tensors(shape: &Shape, tensors: &HashMap<String, Tensor>) -> Result<Self> {
        Self::build(shape, |name, _| match tensors.get(name) {
            Some(tensor) => tensor.to_dtype(DType::F32),
            None => bail!("tensor {name} is missing"),
        })
    }

    fn build(shape: &Shape, mut make: impl FnMut(&str, &[usize]) -> Result<Tensor>) -> Result<Self> {
        let list = layout(shape).into_iter().map(|(name, dims)| {
            let tensor = make(&name, &dims)?;
            if tensor.dims() != dims {
                bail!("tensor {name} has shape {:?}, not {dims:?}", tensor.dims());
            }
            Ok(Parameter { name, var: Var::from_tensor(&tensor)? })
        });
        Ok(Self { list: list.collect::<Result<_>>()? })
    }

    /// The parameters in order.
    pub(super) fn list(&self) -> &[Parameter] {
        &self.list
    }

    /// The tensor of a name; it shares its storage with the parameter.
    pub(super) fn tensor(&self, name: &str) -> Result<Tensor> {
        match self.list.iter().find(|parameter| parameter.name == name) {
            Some(parameter) => Ok(parameter.var.as_tensor().clone()),
            None => bail!("there is no parameter {name}"),
        }
    }
}
