//! Eight rows of a panel side by side: the few operations that the kernels are made of.

/// Operations on eight rows at once. Every implementation gives the same integers and does the same float operations in
/// the same order.
///
/// Weights come in *quads* (four consecutive columns of each of eight rows, as bytes) or *pairs* (two columns of each, as
/// shorts). Activations come as one `i32` of four `i8`, or of two `i16`, that meets the quad or pair of every row.
pub(crate) trait Lanes: 'static {
    /// 32 bytes.
    type Bytes: Copy;
    /// 16 times `i16`, two for each row.
    type Shorts: Copy;
    /// An `i32` for each row.
    type Ints: Copy;
    /// An `f32` for each row.
    type Floats: Copy;

    /// Asks for the memory that lies some way behind `part`, as much as that is.
    fn prefetch(part: &[u8]);
    /// Reads 32 bytes.
    fn bytes(from: &[u8; 32]) -> Self::Bytes;
    /// Four bytes, the same for each row.
    fn splat_quad(x: i32) -> Self::Bytes;
    /// The low four bits of each byte.
    fn low_nibbles(bytes: Self::Bytes) -> Self::Bytes;
    /// The high four bits of each byte, moved down.
    fn high_nibbles(bytes: Self::Bytes) -> Self::Bytes;
    /// `count` bits of each byte of `bits`, from bit `at` on, put behind the low four bits of the same byte of `low`.
    fn higher_bits(low: Self::Bytes, bits: Self::Bytes, at: u32, count: u32) -> Self::Bytes;
    /// Each byte less `x`, modulo 256.
    fn lower(bytes: Self::Bytes, x: u8) -> Self::Bytes;
    /// Reads 16 bytes as `i8`, widened.
    fn shorts(from: &[u8; 16]) -> Self::Shorts;
    /// Two shorts, the same for each row.
    fn splat_pair(x: i32) -> Self::Shorts;
    /// For each row the products of two quads, added in two pairs; the caller sees to it that they fit.
    fn quads(unsigned: Self::Bytes, signed: Self::Bytes) -> Self::Shorts;
    /// Sum; the caller sees to it that nothing overflows.
    fn add_shorts(a: Self::Shorts, b: Self::Shorts) -> Self::Shorts;
    /// The first of each row's shorts, twice.
    fn first(shorts: Self::Shorts) -> Self::Shorts;
    /// The second of each row's shorts, twice.
    fn second(shorts: Self::Shorts) -> Self::Shorts;
    /// Product, modulo 2^16.
    fn times_short(shorts: Self::Shorts, x: i16) -> Self::Shorts;
    /// For each row its pair times two `i16`, the products added.
    fn pairs(weights: Self::Shorts, x: Self::Shorts) -> Self::Ints;
    /// Sum.
    fn add(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Difference.
    fn less(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The same integer for each row.
    fn splat_int(x: i32) -> Self::Ints;
    /// As `f32`.
    fn float(ints: Self::Ints) -> Self::Floats;
    /// The same number for each row.
    fn splat(x: f32) -> Self::Floats;
    /// Reads eight `f32`.
    fn floats(from: &[f32; 8]) -> Self::Floats;
    /// Reads eight little-endian `f32`.
    fn f32s(from: &[u8; 32]) -> Self::Floats;
    /// Reads eight little-endian `f16`.
    fn f16s(from: &[u8; 16]) -> Self::Floats;
    /// Reads eight little-endian `bf16`.
    fn bf16s(from: &[u8; 16]) -> Self::Floats;
    /// The eight numbers.
    fn array(floats: Self::Floats) -> [f32; 8];
    /// Product.
    fn times(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `a * b + c`, rounded once where the machine can.
    fn fused(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
}
