//! [`Lanes`] in plain Rust, for machines without the instructions, and to test those against.

use super::operations::Lanes;
use crate::engine::candle::kernels::multiply_add;
use half::{bf16, f16};
use std::array::from_fn;

/// Any machine.
pub(crate) struct Portable;

fn half_at(from: &[u8; 16], row: usize) -> u16 {
    u16::from_le_bytes([from[2 * row], from[2 * row + 1]])
}

impl Lanes for Portable {
    type Bytes = [u8; 32];
    type Shorts = [i16; 16];
    type Ints = [i32; 8];
    type Floats = [f32; 8];

    fn prefetch(_: &[u8]) {}

    fn bytes(from: &[u8; 32]) -> [u8; 32] {
        *from
    }

    fn splat_quad(x: i32) -> [u8; 32] {
        let x = x.to_le_bytes();
        from_fn(|at| x[at % 4])
    }

    fn low_nibbles(bytes: [u8; 32]) -> [u8; 32] {
        bytes.map(|byte| byte & 15)
    }

    fn high_nibbles(bytes: [u8; 32]) -> [u8; 32] {
        bytes.map(|byte| byte >> 4)
    }

    fn higher_bits(low: [u8; 32], bits: [u8; 32], at: u32, count: u32) -> [u8; 32] {
        from_fn(|byte| low[byte] | (bits[byte] >> at & ((1 << count) - 1)) << 4)
    }

    fn lower(bytes: [u8; 32], x: u8) -> [u8; 32] {
        bytes.map(|byte| byte.wrapping_sub(x))
    }

    fn shorts(from: &[u8; 16]) -> [i16; 16] {
        from.map(|byte| i16::from(byte.cast_signed()))
    }

    fn splat_pair(x: i32) -> [i16; 16] {
        from_fn(|at| if at % 2 == 0 { x as i16 } else { (x >> 16) as i16 })
    }

    fn quads(unsigned: [u8; 32], signed: [u8; 32]) -> [i16; 16] {
        let product = |at: usize| i16::from(unsigned[at]) * i16::from(signed[at].cast_signed());
        from_fn(|at| product(2 * at) + product(2 * at + 1))
    }

    fn add_shorts(a: [i16; 16], b: [i16; 16]) -> [i16; 16] {
        from_fn(|at| a[at] + b[at])
    }

    fn first(shorts: [i16; 16]) -> [i16; 16] {
        from_fn(|at| shorts[at & !1])
    }

    fn second(shorts: [i16; 16]) -> [i16; 16] {
        from_fn(|at| shorts[at | 1])
    }

    fn times_short(shorts: [i16; 16], x: i16) -> [i16; 16] {
        shorts.map(|short| short.wrapping_mul(x))
    }

    fn pairs(weights: [i16; 16], x: [i16; 16]) -> [i32; 8] {
        let product = |at: usize| i32::from(weights[at]) * i32::from(x[at]);
        from_fn(|row| product(2 * row) + product(2 * row + 1))
    }

    fn add(a: [i32; 8], b: [i32; 8]) -> [i32; 8] {
        from_fn(|row| a[row] + b[row])
    }

    fn less(a: [i32; 8], b: [i32; 8]) -> [i32; 8] {
        from_fn(|row| a[row] - b[row])
    }

    fn splat_int(x: i32) -> [i32; 8] {
        [x; 8]
    }

    fn float(ints: [i32; 8]) -> [f32; 8] {
        ints.map(|int| int as f32)
    }

    fn splat(x: f32) -> [f32; 8] {
        [x; 8]
    }

    fn floats(from: &[f32; 8]) -> [f32; 8] {
        *from
    }

    fn f32s(from: &[u8; 32]) -> [f32; 8] {
        from_fn(|row| f32::from_le_bytes(from_fn(|byte| from[4 * row + byte])))
    }

    fn f16s(from: &[u8; 16]) -> [f32; 8] {
        from_fn(|row| f16::from_bits(half_at(from, row)).to_f32())
    }

    fn bf16s(from: &[u8; 16]) -> [f32; 8] {
        from_fn(|row| bf16::from_bits(half_at(from, row)).to_f32())
    }

    fn array(floats: [f32; 8]) -> [f32; 8] {
        floats
    }

    fn times(a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|row| a[row] * b[row])
    }

    fn fused(a: [f32; 8], b: [f32; 8], c: [f32; 8]) -> [f32; 8] {
        from_fn(|row| multiply_add(a[row], b[row], c[row]))
    }
}
