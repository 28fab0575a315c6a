//! From the bits of words to bytes, and back; and matrices of bits.

use std::array::from_fn;

use tbindex::{Bitboard, Symmetry};

use crate::table::codes::BITS;

/// Eight bytes as the rows of a matrix of bits, transposed: bit k of byte j becomes bit j of byte k.
fn transpose(bytes: [u8; 8]) -> [u8; 8] {
    let bits = Bitboard(u64::from_le_bytes(bytes));
    Symmetry::FlipDiagonal.apply_to_set(bits).0.to_le_bytes()
}

/// Of 64 positions the bits of up to eight words as a byte: bit k is that of word k.
pub(crate) fn bytes_of(words: &[u64]) -> [u8; 64] {
    let words: [[u8; 8]; 8] = from_fn(|k| words.get(k).map_or([0; 8], |word| word.to_le_bytes()));
    let bytes: [[u8; 8]; 8] = from_fn(|group| transpose(from_fn(|k| words[k][group])));
    bytemuck::cast(bytes)
}

/// Of 64 positions the codes whose bits are in these words.
pub(crate) fn codes_of(words: &[u64; BITS]) -> [u16; 64] {
    let low = bytes_of(&words[..8]);
    let high = match words[8..] == [0; BITS - 8] {
        true => [0; 64],
        false => bytes_of(&words[8..]),
    };
    from_fn(|k| u16::from_le_bytes([low[k], high[k]]))
}

/// The words of the bits of 64 bytes: word k has bit k of each.
pub(crate) fn words_of(bytes: &[u8; 64]) -> [u64; 8] {
    let groups: [[u8; 8]; 8] = bytemuck::cast(*bytes);
    let groups = groups.map(transpose);
    from_fn(|k| u64::from_le_bytes(from_fn(|group| groups[group][k])))
}

/// Transposes a matrix of bits: bit k of word j becomes bit j of word k.
pub(crate) fn transpose_words(words: &mut [u64; 64]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_bytes_and_bits_again() {
        let words: [u64; 8] = from_fn(|k| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for count in [1, 5, 8] {
            let bytes = bytes_of(&words[..count]);
            for (square, &byte) in bytes.iter().enumerate() {
                let bits = words[..count].iter().enumerate();
                let expected = bits.fold(0, |byte, (k, word)| byte | (word >> square & 1) << k);
                assert_eq!(u64::from(byte), expected);
            }
            assert_eq!(words_of(&bytes)[..count], words[..count]);
            assert_eq!(words_of(&bytes)[count..], [0; 8][count..]);
        }
    }

    #[test]
    fn rows_of_a_matrix_become_columns() {
        let words: [u64; 64] = from_fn(|k| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut transposed = words;
        transpose_words(&mut transposed);
        for (j, column) in transposed.iter().enumerate() {
            for (k, row) in words.iter().enumerate() {
                assert_eq!(column >> k & 1, row >> j & 1);
            }
        }
    }
}
