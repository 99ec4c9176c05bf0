//! The hand-written backward passes against central differences of the forward passes.

use std::sync::Arc;

use candle_core::{Device, Tensor, Var};

use super::{CausalSoftmax, CrossEntropy, MergeHeads, RmsNorm, RotaryTable, SplitHeads, SwiGlu};

/// Values between -1 and 1 that follow no pattern.
fn values(count: usize, shift: f32) -> Vec<f32> {
    (0..count).map(|i| (12.9898 * (i as f32 + 1.0) + shift).sin()).collect()
}

fn var(dims: &[usize], shift: f32) -> Var {
    let values = values(dims.iter().product(), shift);
    Var::from_vec(values, dims, &Device::Cpu).unwrap()
}

/// A scalar that weighs every output differently.
fn weighed(output: &Tensor) -> Tensor {
    let weights = Tensor::from_vec(values(output.elem_count(), 0.5), output.dims(), &Device::Cpu).unwrap();
    (output * weights).unwrap().sum_all().unwrap()
}

/// Asserts that the gradient of `f` agrees with differences in every input value.
fn assert_gradient(inputs: &[Var], f: impl Fn() -> Tensor) {
    let gradients = f().backward().unwrap();
    for input in inputs {
        let gradient = gradients.get(input).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
        let start = input.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        for (i, found) in gradient.iter().enumerate() {
            let moved = |step: f32| {
                let mut values = start.clone();
                values[i] += step;
                input.set(&Tensor::from_vec(values, input.dims(), &Device::Cpu).unwrap()).unwrap();
                f().to_scalar::<f32>().unwrap()
            };
            let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            moved(0.0);
            assert!((found - expected).abs() < 5e-3, "value {i}: {found} is not {expected}");
        }
    }
}

#[test]
fn rms_norm_has_the_right_gradient() {
    let (x, weight) = (var(&[3, 4], 0.0), var(&[4], 1.0));
    assert_gradient(&[x.clone(), weight.clone()], || {
        weighed(&x.apply_op2(&weight, RmsNorm { eps: 1e-6 }).unwrap())
    });
}

#[test]
fn swiglu_has_the_right_gradient() {
    let (gate, up) = (var(&[2, 5], 0.0), var(&[2, 5], 2.0));
    assert_gradient(&[gate.clone(), up.clone()], || weighed(&gate.apply_op2(&up, SwiGlu).unwrap()));
}

#[test]
fn causal_softmax_has_the_right_gradient_and_sees_no_later_key() {
    let scores = var(&[1, 4, 5], 0.0);
    let softmax = || scores.apply_op1(CausalSoftmax { scale: 0.5, queries: 2, offset: 3 }).unwrap();
    assert_gradient(std::slice::from_ref(&scores), || weighed(&softmax()));
    let rows = softmax().squeeze(0).unwrap().to_vec2::<f32>().unwrap();
    for (row, sees_last) in rows.iter().zip([false, true, false, true]) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(row[4] > 0.0, sees_last);
    }
}

#[test]
fn cross_entropy_has_the_right_gradient_and_value() {
    let logits = var(&[2, 4], 0.0);
    let loss = || {
        let loss = CrossEntropy { targets: vec![1, 3], weights: vec![1.0, 3.0] };
        logits.apply_op1(loss).unwrap()
    };
    assert_gradient(std::slice::from_ref(&logits), loss);
    logits.set(&Tensor::zeros((2, 4), candle_core::DType::F32, &Device::Cpu).unwrap()).unwrap();
    assert!((loss().to_scalar::<f32>().unwrap() - 4.0 * 4f32.ln()).abs() < 1e-5);
}

#[test]
fn rotated_heads_have_the_right_gradient() {
    let x = var(&[6, 8], 0.0);
    let rotary = Arc::new(RotaryTable::new(4, 1e4, 8));
    assert_gradient(std::slice::from_ref(&x), || {
        let split = SplitHeads { batch: 2, heads: 2, rotary: Some(rotary.clone()), offset: 1 };
        weighed(&x.apply_op1(split).unwrap())
    });
}

#[test]
fn merging_undoes_splitting_without_rotation() {
    let x = var(&[6, 8], 0.0);
    let split = SplitHeads { batch: 2, heads: 2, rotary: None, offset: 0 };
    let back = x.apply_op1(split).unwrap().apply_op1(MergeHeads).unwrap();
    assert_eq!(back.to_vec2::<f32>().unwrap(), x.to_vec2::<f32>().unwrap());
    assert_gradient(std::slice::from_ref(&x), || {
        let split = SplitHeads { batch: 2, heads: 2, rotary: None, offset: 0 };
        weighed(&x.apply_op1(split).unwrap().apply_op1(MergeHeads).unwrap())
    });
}
