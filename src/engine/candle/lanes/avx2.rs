//! [`Lanes`] in AVX2, FMA and F16C instructions: a register holds a number of each of eight rows.
#![allow(unsafe_code)] // vector instructions and the loads that feed them have no safe form

use super::operations::Lanes;
#[allow(clippy::wildcard_imports)] // the names say where they come from
use std::arch::x86_64::*;

/// The vector unit of an x86-64 machine.
pub(crate) struct Avx2;

/// How far ahead memory is asked for: half a page, a few blocks of any format.
const AHEAD: usize = 2048;

/// What memory is fetched in.
const LINE: usize = 64;

/// One instruction, or several.
macro_rules! vector {
    ($instructions:expr) => {
        // SAFETY: this file is compiled only for machines that have AVX2, FMA and F16C. Loads and stores are
        // unaligned ones, each of the whole of an array behind a reference of exactly the register's width. Asking for
        // memory ahead of a slice reads nothing that the program sees, and cannot fault.
        unsafe { $instructions }
    };
}

impl Lanes for Avx2 {
    type Bytes = __m256i;
    type Shorts = __m256i;
    type Ints = __m256i;
    type Floats = __m256;

    #[inline(always)]
    fn prefetch(part: &[u8]) {
        for line in part.chunks(LINE) {
            vector!(_mm_prefetch::<_MM_HINT_T0>(line.as_ptr().wrapping_add(AHEAD).cast()));
        }
    }

    #[inline(always)]
    fn bytes(from: &[u8; 32]) -> __m256i {
        vector!(_mm256_loadu_si256(from.as_ptr().cast()))
    }

    #[inline(always)]
    fn splat_quad(x: i32) -> __m256i {
        vector!(_mm256_set1_epi32(x))
    }

    #[inline(always)]
    fn low_nibbles(bytes: __m256i) -> __m256i {
        vector!(_mm256_and_si256(bytes, _mm256_set1_epi8(15)))
    }

    #[inline(always)]
    fn high_nibbles(bytes: __m256i) -> __m256i {
        vector!(_mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(15)))
    }

    #[inline(always)]
    fn higher_bits(low: __m256i, bits: __m256i, at: u32, count: u32) -> __m256i {
        vector!({
            let up = _mm_cvtsi32_si128(4 - at.min(4).cast_signed());
            let down = _mm_cvtsi32_si128(at.max(4).cast_signed() - 4);
            let moved = _mm256_srl_epi16(_mm256_sll_epi16(bits, up), down);
            let mask = _mm256_set1_epi8(((1 << count) - 1) << 4);
            _mm256_or_si256(low, _mm256_and_si256(moved, mask))
        })
    }

    #[inline(always)]
    fn lower(bytes: __m256i, x: u8) -> __m256i {
        vector!(_mm256_sub_epi8(bytes, _mm256_set1_epi8(x.cast_signed())))
    }

    #[inline(always)]
    fn shorts(from: &[u8; 16]) -> __m256i {
        vector!(_mm256_cvtepi8_epi16(_mm_loadu_si128(from.as_ptr().cast())))
    }

    #[inline(always)]
    fn splat_pair(x: i32) -> __m256i {
        vector!(_mm256_set1_epi32(x))
    }

    #[inline(always)]
    fn quads(unsigned: __m256i, signed: __m256i) -> __m256i {
        vector!(_mm256_maddubs_epi16(unsigned, signed))
    }

    #[inline(always)]
    fn add_shorts(a: __m256i, b: __m256i) -> __m256i {
        vector!(_mm256_add_epi16(a, b))
    }

    #[inline(always)]
    fn first(shorts: __m256i) -> __m256i {
        vector!(_mm256_blend_epi16::<0b1010_1010>(shorts, _mm256_slli_epi32::<16>(shorts)))
    }

    #[inline(always)]
    fn second(shorts: __m256i) -> __m256i {
        vector!(_mm256_blend_epi16::<0b0101_0101>(shorts, _mm256_srli_epi32::<16>(shorts)))
    }

    #[inline(always)]
    fn times_short(shorts: __m256i, x: i16) -> __m256i {
        vector!(_mm256_mullo_epi16(shorts, _mm256_set1_epi16(x)))
    }

    #[inline(always)]
    fn pairs(weights: __m256i, x: __m256i) -> __m256i {
        vector!(_mm256_madd_epi16(weights, x))
    }

    #[inline(always)]
    fn add(a: __m256i, b: __m256i) -> __m256i {
        vector!(_mm256_add_epi32(a, b))
    }

    #[inline(always)]
    fn less(a: __m256i, b: __m256i) -> __m256i {
        vector!(_mm256_sub_epi32(a, b))
    }

    #[inline(always)]
    fn splat_int(x: i32) -> __m256i {
        vector!(_mm256_set1_epi32(x))
    }

    #[inline(always)]
    fn float(ints: __m256i) -> __m256 {
        vector!(_mm256_cvtepi32_ps(ints))
    }

    #[inline(always)]
    fn splat(x: f32) -> __m256 {
        vector!(_mm256_set1_ps(x))
    }

    #[inline(always)]
    fn floats(from: &[f32; 8]) -> __m256 {
        vector!(_mm256_loadu_ps(from.as_ptr()))
    }

    #[inline(always)]
    fn f32s(from: &[u8; 32]) -> __m256 {
        vector!(_mm256_loadu_ps(from.as_ptr().cast()))
    }

    #[inline(always)]
    fn f16s(from: &[u8; 16]) -> __m256 {
        vector!(_mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast())))
    }

    #[inline(always)]
    fn bf16s(from: &[u8; 16]) -> __m256 {
        vector!({
            let narrow = _mm256_cvtepu16_epi32(_mm_loadu_si128(from.as_ptr().cast()));
            _mm256_castsi256_ps(_mm256_slli_epi32::<16>(narrow))
        })
    }

    #[inline(always)]
    fn array(floats: __m256) -> [f32; 8] {
        let mut out = [0.0; 8];
        vector!(_mm256_storeu_ps(out.as_mut_ptr(), floats));
        out
    }

    #[inline(always)]
    fn times(a: __m256, b: __m256) -> __m256 {
        vector!(_mm256_mul_ps(a, b))
    }

    #[inline(always)]
    fn fused(a: __m256, b: __m256, c: __m256) -> __m256 {
        vector!(_mm256_fmadd_ps(a, b, c))
    }
}
