//! Which prompts belong to the held-out pool.

/// One prompt in this many is held out.
const POOL_MODULUS: u32 = 16;

/// True when a user prompt is in the held-out pool: its CRC-32 (IEEE) is 0 modulo 16.
///
/// Such a prompt is never trained on, whatever system prompt or thinking mode it would come with.
pub fn is_held_out(user: &str) -> bool {
    crc32fast::hash(user.as_bytes()).is_multiple_of(POOL_MODULUS)
}
