//! 32 columns of eight rows with integers of 4, 5 or 6 bits, as quads.

use super::format::ROWS;
use crate::engine::candle::lanes::Lanes;
use std::array::from_fn;

/// Quads of 32 columns.
pub(super) const QUADS: usize = 8;

/// Quads of unsigned integers of `4 + HIGH` bits.
///
/// Four times 32 bytes have the low nibbles of quads 0 to 3, and as high nibbles those of quads 4 to 7. Then come the
/// higher bits: of 5, 32 bytes with quad `i` at bit `i`; of 6, twice 32 bytes, each of four quads at two bits.
pub(super) struct Quads<const HIGH: usize>;

impl<const HIGH: usize> Quads<HIGH> {
    /// Bytes of the quads.
    pub(super) const BYTES: usize = (4 + HIGH) * 32;

    /// The middle of the integers.
    pub(super) const MIDDLE: u8 = 8 << HIGH;

    /// Plane and bit where the higher bits of a quad stand.
    fn high(quad: usize) -> (usize, u32) {
        (4 + quad * HIGH / 8, (quad * HIGH % 8) as u32)
    }

    /// Puts an integer to its place in bytes that are zero there.
    pub(super) fn put(bytes: &mut [u8], row: usize, column: usize, integer: u8) {
        let (quad, byte) = (column / 4, row * 4 + column % 4);
        bytes[quad % 4 * 32 + byte] |= (integer & 15) << (quad / 4 * 4);
        if HIGH > 0 {
            let (plane, bit) = Self::high(quad);
            bytes[plane * 32 + byte] |= (integer >> 4) << bit;
        }
    }

    /// Finds an integer again.
    pub(super) fn get(bytes: &[u8], row: usize, column: usize) -> u8 {
        let (quad, byte) = (column / 4, row * 4 + column % 4);
        let low = bytes[quad % 4 * 32 + byte] >> (quad / 4 * 4) & 15;
        if HIGH == 0 {
            return low;
        }
        let (plane, bit) = Self::high(quad);
        low | (bytes[plane * 32 + byte] >> bit & ((1 << HIGH) - 1)) << 4
    }

    /// Reads the quads.
    #[inline(always)]
    pub(super) fn read<L: Lanes>(bytes: &[u8]) -> [L::Bytes; QUADS] {
        let planes = bytes.as_chunks::<{ 4 * ROWS }>().0;
        from_fn(|quad| {
            let plane = L::bytes(&planes[quad % 4]);
            let low = if quad < 4 { L::low_nibbles(plane) } else { L::high_nibbles(plane) };
            if HIGH == 0 {
                return low;
            }
            let (plane, bit) = Self::high(quad);
            L::higher_bits(low, L::bytes(&planes[plane]), bit, HIGH as u32)
        })
    }

    /// Reads the quads with both sides of zero, so that they can be the signed factors of products.
    #[inline(always)]
    pub(super) fn read_lowered<L: Lanes>(bytes: &[u8]) -> [L::Bytes; QUADS] {
        Self::read::<L>(bytes).map(|quad| L::lower(quad, Self::MIDDLE))
    }

    /// Sums of the products of the quads, times a factor for quads 0 to 3 and one for the others; integers of 4 bits go
    /// by the first factor alone.
    ///
    /// As many products are added in 16 bits as there is room for. Of 4 bits that is all eight: 0 to 15 times -127 to 127
    /// makes 8 * 2 * 15 * 127 = 30,480 at most, and -8 to 7 times 1 to 255 makes 8 * 2 * 8 * 255 = 32,640. A bit more
    /// doubles the products, so half as many are added.
    #[inline(always)]
    pub(super) fn sum<L: Lanes>(product: impl Fn(usize) -> L::Shorts, factors: [L::Shorts; 2]) -> L::Ints {
        let two = |quad: usize| L::add_shorts(product(quad), product(quad + 1));
        let four = |quad: usize| L::add_shorts(two(quad), two(quad + 2));
        match HIGH {
            0 => L::pairs(L::add_shorts(four(0), four(4)), factors[0]),
            1 => L::add(L::pairs(four(0), factors[0]), L::pairs(four(4), factors[1])),
            _ => {
                let pair = |quad: usize| {
                    L::add(L::pairs(two(quad), factors[quad / 4]), L::pairs(two(quad + 2), factors[quad / 4]))
                };
                L::add(pair(0), pair(4))
            }
        }
    }
}

/// Activations of 32 columns, as signed factors.
#[inline(always)]
pub(super) fn signed<L: Lanes>(x: &[i32]) -> [L::Bytes; QUADS] {
    from_fn(|quad| L::splat_quad(x[quad]))
}

/// The same raised by 128, as unsigned factors.
#[inline(always)]
pub(super) fn raised<L: Lanes>(x: &[i32]) -> [L::Bytes; QUADS] {
    signed::<L>(x).map(|quad| L::lower(quad, 128))
}
