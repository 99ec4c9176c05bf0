//! Products against the definition, against each other, and in both sets of operations.

use super::bytes::Bytes;
use super::floats::Floats;
use super::format::Format;
use super::nibbles::Nibbles;
use super::panels::{Kept, Panels};
use super::superblocks::Superblocks;
use super::weight_matrix::Matrix;
use crate::engine::candle::lanes::{Machine, Portable};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use half::{bf16, f16};

const PANELS: [GgmlDType; 11] = [
    GgmlDType::F32,
    GgmlDType::F16,
    GgmlDType::BF16,
    GgmlDType::Q8_0,
    GgmlDType::Q4_0,
    GgmlDType::Q4_1,
    GgmlDType::Q5_0,
    GgmlDType::Q5_1,
    GgmlDType::Q4K,
    GgmlDType::Q5K,
    GgmlDType::Q6K,
];

/// Formats without panels.
const OTHERS: [GgmlDType; 2] = [GgmlDType::Q2K, GgmlDType::Q3K];

/// Rows that do and do not fill panels and groups, and columns of the models in use.
const SHAPES: [(usize, usize); 4] = [(100, 576), (3, 64), (192, 1536), (17, 256)];

/// Numbers between -0.5 and 0.5 that look random.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

fn matrix(rows: usize, columns: usize, dtype: GgmlDType) -> Matrix {
    Matrix::new(numbers(rows * columns, 1), columns, dtype).unwrap()
}

fn product(matrix: &Matrix, x: &[f32], columns: usize) -> Vec<f32> {
    let mut out = vec![f32::NAN; x.len() / columns * matrix.rows()];
    matrix.multiply(x, &mut out).unwrap();
    out
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn cases(dtypes: impl IntoIterator<Item = GgmlDType>) -> impl Iterator<Item = (usize, usize, GgmlDType)> {
    let fits = |(_, columns, dtype): &(usize, usize, GgmlDType)| columns.is_multiple_of(dtype.block_size());
    dtypes.into_iter().flat_map(|dtype| SHAPES.map(|(rows, columns)| (rows, columns, dtype))).filter(fits)
}

#[test]
fn a_tokens_numbers_do_not_depend_on_what_it_is_multiplied_together_with() {
    const TOKENS: usize = 70;
    for (rows, columns, dtype) in cases(PANELS.into_iter().chain(OTHERS)) {
        let matrix = matrix(rows, columns, dtype);
        let x = numbers(TOKENS * columns, 2);
        let whole = product(&matrix, &x, columns);
        for tokens in [1, 2, 7, 64] {
            let parts: Vec<f32> =
                x.chunks(tokens * columns).flat_map(|x| product(&matrix, x, columns)).collect();
            assert_eq!(bits(&parts), bits(&whole), "{matrix:?}, {tokens} at a time");
        }
    }
}

#[test]
fn a_product_is_that_of_the_widened_rows() {
    const TOKENS: usize = 9;
    for (rows, columns, dtype) in cases(PANELS) {
        let matrix = matrix(rows, columns, dtype);
        let x = numbers(TOKENS * columns, 3);
        let out = product(&matrix, &x, columns);
        // activations are rounded to one part in 254 of the largest of a block, unless the weights are floats
        let tolerance = if dtype.block_size() > 1 { 0.02 } else { 1e-5 };
        for row in 0..rows {
            let mut wide = vec![0.0; columns];
            matrix.row(row, &mut wide).unwrap();
            for (token, x) in x.chunks_exact(columns).enumerate() {
                let products = wide.iter().zip(x).map(|(w, x)| f64::from(*w) * f64::from(*x));
                let size = products.clone().map(|p| p * p).sum::<f64>().sqrt();
                let error = f64::from(out[token * rows + row]) - products.sum::<f64>();
                assert!(error.abs() <= tolerance * size, "{matrix:?} row {row} token {token}: {error}");
            }
        }
    }
}

#[test]
fn rows_of_panels_are_the_weights_of_the_format() {
    for (rows, columns, dtype) in cases(PANELS) {
        let values = numbers(rows * columns, 1);
        let tensor = Tensor::from_slice(&values, (rows, columns), &Device::Cpu).unwrap();
        let right = QTensor::quantize(&tensor, dtype).unwrap().dequantize(&Device::Cpu).unwrap();
        let right: Vec<f32> = right.flatten_all().unwrap().to_vec1().unwrap();
        let matrix = matrix(rows, columns, dtype);
        for (index, right) in right.chunks_exact(columns).enumerate() {
            let mut row = vec![0.0; columns];
            matrix.row(index, &mut row).unwrap();
            assert_eq!(row, right, "{matrix:?} row {index}");
        }
    }
}

#[test]
fn stacked_tensors_are_one_matrix() {
    let dtype = GgmlDType::Q4_1;
    let values = numbers(30 * 64, 4);
    let tensor = Tensor::from_slice(&values, (30, 64), &Device::Cpu).unwrap();
    let quantized = QTensor::quantize(&tensor, dtype).unwrap();
    let bytes = quantized.data().unwrap();
    let (first, second) = bytes.split_at(11 * 2 * dtype.type_size());
    let x = numbers(3 * 64, 5);
    let right = product(&Matrix::new(values, 64, dtype).unwrap(), &x, 64);
    let stacked = Matrix::from_blocks(&[first, second], 64, dtype).unwrap();
    assert_eq!(product(&stacked, &x, 64), right);
}

#[test]
fn settled_matrices_give_the_same_numbers() {
    let mut matrices =
        [matrix(100, 64, GgmlDType::Q4_1), matrix(9, 256, GgmlDType::Q3K), matrix(3, 64, GgmlDType::F16)];
    let x = numbers(4 * 64, 6);
    let before: Vec<_> = [0, 2].map(|at| product(&matrices[at], &x, 64)).into();
    Matrix::settle(&mut matrices);
    let after: Vec<_> = [0, 2].map(|at| product(&matrices[at], &x, 64)).into();
    assert_eq!(before, after);
}

#[test]
fn blocks_that_do_not_make_rows_are_refused() {
    assert!(Matrix::from_blocks(&[&[0; 18]], 48, GgmlDType::Q4_0).is_err());
    assert!(Matrix::from_blocks(&[&[0; 17]], 32, GgmlDType::Q4_0).is_err());
    assert!(Matrix::from_blocks(&[&[]], 0, GgmlDType::F32).is_err());
}

#[test]
fn several_threads_give_the_same_bits() {
    // more rows than two threads take in one wave
    const ROWS: usize = 1001;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for dtype in PANELS {
        let matrix = matrix(ROWS, 256, dtype);
        for tokens in [1, 9] {
            let x = numbers(tokens * 256, 9);
            let shared = pool.install(|| product(&matrix, &x, 256));
            assert_eq!(bits(&shared), bits(&product(&matrix, &x, 256)), "{dtype:?}, {tokens} tokens");
        }
    }
}

#[test]
fn what_is_no_number_spoils_the_product_and_not_the_other_tokens() {
    for dtype in PANELS {
        let matrix = matrix(17, 256, dtype);
        for spoilt in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut x = numbers(3 * 256, 10);
            x[256 + 77] = spoilt;
            let out = product(&matrix, &x, 256);
            let [first, second, third] = [0, 1, 2].map(|token| &out[token * 17..(token + 1) * 17]);
            assert!(second.iter().all(|value| !value.is_finite()), "{dtype:?} {spoilt}: {second:?}");
            assert!(first.iter().chain(third).all(|value| value.is_finite()), "{dtype:?} {spoilt}");
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma", target_feature = "f16c"))]
fn compare<F: Format>(dtype: GgmlDType)
where
    F::Activations: Kept,
{
    for (rows, columns) in SHAPES.into_iter().filter(|(_, columns)| columns.is_multiple_of(F::COLUMNS)) {
        let tensor = Tensor::from_vec(numbers(rows * columns, 7), (rows, columns), &Device::Cpu).unwrap();
        let quantized = QTensor::quantize(&tensor, dtype).unwrap();
        let bytes = quantized.data().unwrap();
        let blocks: Vec<&[u8]> = bytes.chunks_exact(bytes.len() / rows).collect();
        let panels = Panels::<F>::pack(&blocks, columns);
        for tokens in [1, 5, 50] {
            let x = numbers(tokens * columns, 8);
            let mut out = [vec![0.0; tokens * rows], vec![1.0; tokens * rows]];
            panels.product::<Machine>(&x, &mut out[0]);
            panels.product::<Portable>(&x, &mut out[1]);
            assert_eq!(bits(&out[0]), bits(&out[1]), "{dtype:?} {rows} x {columns}, {tokens} tokens");
        }
    }
}

/// Elsewhere plain Rust is all there is.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma", target_feature = "f16c"))]
#[test]
fn vector_instructions_and_plain_rust_give_the_same_bits() {
    compare::<Floats<f32>>(GgmlDType::F32);
    compare::<Floats<f16>>(GgmlDType::F16);
    compare::<Floats<bf16>>(GgmlDType::BF16);
    compare::<Bytes>(GgmlDType::Q8_0);
    compare::<Nibbles<0, false>>(GgmlDType::Q4_0);
    compare::<Nibbles<0, true>>(GgmlDType::Q4_1);
    compare::<Nibbles<1, false>>(GgmlDType::Q5_0);
    compare::<Nibbles<1, true>>(GgmlDType::Q5_1);
    compare::<Superblocks<0>>(GgmlDType::Q4K);
    compare::<Superblocks<1>>(GgmlDType::Q5K);
    compare::<Superblocks<2>>(GgmlDType::Q6K);
}
