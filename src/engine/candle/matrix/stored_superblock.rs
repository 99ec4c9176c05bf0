//! A row's superblock as GGUF files store it.

/// Columns of a superblock.
pub(super) const WIDTH: usize = 256;

/// Parts of 32 columns.
pub(super) const PARTS: usize = 8;

/// The numbers of a `q4_k`, `q5_k` or `q6_k` block, in order.
pub(super) struct StoredSuperblock<'file> {
    /// Unsigned integers, one for each column.
    pub(super) integers: [u8; WIDTH],
    /// Of 4 and 5 bits the scales of the parts, then their minima; of 6 bits the (signed) scales of all half parts.
    pub(super) scales: [u8; 2 * PARTS],
    /// Of 4 and 5 bits what the scales and the minima are multiplied with; of 6 bits the former, twice. `f16`.
    pub(super) floats: [&'file [u8]; 2],
}

impl<'file> StoredSuperblock<'file> {
    /// Bytes of a block with integers of `4 + high` bits.
    pub(super) const fn bytes(high: usize) -> usize {
        match high {
            0 => 144,
            1 => 176,
            _ => 210,
        }
    }

    /// Reads a block of so many bytes.
    pub(super) fn read(bytes: &'file [u8], high: usize) -> Self {
        if high == 2 { Self::of_6_bits(bytes) } else { Self::with_minima(bytes, high) }
    }

    /// Two floats, 12 bytes of scales and minima, perhaps 32 bytes of fifth bits, 128 bytes of nibbles.
    fn with_minima(bytes: &'file [u8], high: usize) -> Self {
        let (floats, rest) = bytes.split_at(4);
        let (scales, rest) = rest.split_at(12);
        let (fifths, nibbles) = rest.split_at(32 * high);
        let mut integers = [0; WIDTH];
        for (column, integer) in integers.iter_mut().enumerate() {
            let (part, within) = (column / 32, column % 32);
            *integer = nibbles[part / 2 * 32 + within] >> (part % 2 * 4) & 15;
            if high > 0 {
                *integer |= (fifths[within] >> part & 1) << 4;
            }
        }
        let scales = std::array::from_fn(|at| six_bits(scales, at));
        Self { integers, scales, floats: [&floats[..2], &floats[2..]] }
    }

    /// 128 bytes of nibbles, 64 bytes of higher bits, 16 scales, a float. Each half of the columns has four rows of 32
    /// integers, whose nibbles share 64 bytes and whose higher bits share 32.
    fn of_6_bits(bytes: &'file [u8]) -> Self {
        let (nibbles, rest) = bytes.split_at(128);
        let (high, rest) = rest.split_at(64);
        let (scales, float) = rest.split_at(16);
        let integers = std::array::from_fn(|column| {
            let (half, row, within) = (column / 128, column / 32 % 4, column % 32);
            let nibble = nibbles[half * 64 + row % 2 * 32 + within] >> (row / 2 * 4) & 15;
            nibble | (high[half * 32 + within] >> (row * 2) & 3) << 4
        });
        Self { integers, scales: std::array::from_fn(|at| scales[at]), floats: [float; 2] }
    }
}

/// The scales of the parts (0 to 7), then their minima (8 to 15). The first four of each have the low six bits of a byte;
/// of the others the low four bits stand in the last four bytes, the high two above those first ones.
fn six_bits(bytes: &[u8], at: usize) -> u8 {
    let (kind, part) = (at / PARTS, at % PARTS);
    if part < 4 {
        return bytes[kind * 4 + part] & 63;
    }
    bytes[4 + part] >> (kind * 4) & 15 | bytes[kind * 4 + part - 4] >> 6 << 4
}
