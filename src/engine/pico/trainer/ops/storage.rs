//! Access to the f32 values behind contiguous tensors.

use candle_core::{CpuStorage, Device, Layout, Result, Shape, Storage, Tensor, bail};

/// The values of a contiguous f32 storage.
pub(super) fn values<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    let Some((start, end)) = layout.contiguous_offsets() else { bail!("a contiguous tensor is needed") };
    Ok(&storage.as_slice::<f32>()?[start..end])
}

/// Calls `f` on the values of a tensor, made contiguous first.
pub(super) fn with_values<T>(tensor: &Tensor, f: impl FnOnce(&[f32]) -> T) -> Result<T> {
    let tensor = tensor.contiguous()?;
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(storage) => Ok(f(values(storage, layout)?)),
        _ => bail!("the trainer runs on the CPU only"),
    }
}

/// A result of a forward pass.
pub(super) fn output(values: Vec<f32>, shape: impl Into<Shape>) -> (CpuStorage, Shape) {
    (CpuStorage::F32(values), shape.into())
}

/// A gradient in the shape of `like`.
pub(super) fn gradient(values: Vec<f32>, like: &Tensor) -> Result<Tensor> {
    Tensor::from_vec(values, like.shape(), &Device::Cpu)
}
