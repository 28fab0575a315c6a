//! From the bits of words to bytes, and back; and matrices of bits.

use std::array::from_fn;

use tbindex::{Bitboard, Symmetry};

use crate::table::codes::BITS;

/// Eight bytes as the rows of a matrix of bits, transposed: bit k of byte j becomes bit j of byte k.
fn transpose(bytes: [u8; 8]) -> [u8; 8] {
    let bits = Bitboard(u64::from_le_bytes(bytes));
    Symmetry::FlipDiagonal.apply_to_set(bits).0.to_le_bytes()
}

/// The bits of 64 positions in up to eight words, a byte each: bit k is that of word k.
#[must_use]
pub fn bytes_of(words: &[u64]) -> [u8; 64] {
    let words: [[u8; 8]; 8] = from_fn(|k| words.get(k).map_or([0; 8], |word| word.to_le_bytes()));
    let bytes: [[u8; 8]; 8] = from_fn(|group| transpose(from_fn(|k| words[k][group])));
    bytemuck::cast(bytes)
}

/// The codes of 64 positions whose bits are in these words.
pub(crate) fn codes_of(words: &[u64; BITS]) -> [u16; 64] {
    let low = bytes_of(&words[..8]);
    let high = match words[8..] == [0; BITS - 8] {
        true => [0; 64],
        false => bytes_of(&words[8..]),
    };
    from_fn(|k| u16::from_le_bytes([low[k], high[k]]))
}

/// The words of the bits of 64 bytes: word k has bit k of each.
#[must_use]
pub fn words_of(bytes: &[u8; 64]) -> [u64; 8] {
    let groups: [[u8; 8]; 8] = bytemuck::cast(*bytes);
    let groups = groups.map(transpose);
    from_fn(|k| u64::from_le_bytes(from_fn(|group| groups[group][k])))
}

/// Transposes a matrix of bits: bit k of word j becomes bit j of word k.
pub fn transpose_words(words: &mut [u64; 64]) {
    // Halves of the matrix, then quarters, and so on, exchange what is above the diagonal and below it.
    let (mut size, mut mask) = (32, u64::MAX >> 32);
    while size > 0 {
        for k in (0..64).filter(|k| k & size == 0) {
            let exchanged = (words[k] >> size ^ words[k | size]) & mask;
            words[k] ^= exchanged << size;
            words[k | size] ^= exchanged;
        }
        size /= 2;
        mask ^= mask << size;
    }
}
