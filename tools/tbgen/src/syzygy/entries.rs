//! From bit planes to a byte for each slot.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Row, Slice};

use crate::subtables::conversions::Exits;
use crate::subtables::library::SolveError;
use crate::table::solved::Part;

/// Bit k of a byte as byte k of a word.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte] |= 1 << (8 * bit);
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Of 64 positions the bits of each word as a byte: bit k is that of word k. There are at most eight words.
fn transpose(words: impl Iterator<Item = u64>) -> [u8; 64] {
    let mut bytes = [0u64; 8];
    for (bit, word) in words.enumerate().filter(|(_, word)| *word != 0) {
        for (eight, byte) in bytes.iter_mut().zip(word.to_le_bytes()) {
            *eight |= SPREAD[usize::from(byte)] << bit;
        }
    }
    let mut all = [0; 64];
    for (all, bytes) in all.chunks_exact_mut(8).zip(bytes) {
        all.copy_from_slice(&bytes.to_le_bytes());
    }
    all
}

/// Writes an entry for each slot of a part with a side to move. The function makes it of a code and of a byte, in which
/// bit k is set if the position has a move through the k-th of these exits, and the bit after these if it is illegal.
///
/// # Panics
/// If the part has more than 256 values on the side.
pub(crate) fn entries_of<T: Send>(
    part: &Part,
    side: Color,
    exits: &[&Exits],
    backend: Backend,
    out: &mut [T],
    entry: impl Fn(u8, u8) -> T + Sync,
) -> Result<(), SolveError> {
    let domain = &part.domain;
    let slots = domain.slice_slots() as usize;
    let rows = domain.rows();
    let room = || {
        let sets = vec![vec![Row::EMPTY; rows]; exits.len() + 1];
        (Accumulator::new(domain, backend), sets)
    };
    let write = |(gathered, sets): &mut (Accumulator, Vec<Vec<Row>>), number, out: &mut [T]| {
        let slice = Slice::new(domain, number);
        for (set, exits) in sets.iter_mut().zip(exits) {
            if !exits.is_empty() {
                exits.gather(&slice, gathered);
                set.copy_from_slice(gathered.rows());
                gathered.clear();
            }
        }
        slice.illegal_into(side, &mut sets[exits.len()], backend);
        let planes = part.sides[side as usize].slices[number].open()?;
        let count = planes.count();
        assert!(count <= 8, "codes of a byte");
        for (word, out) in out.chunks_exact_mut(64).enumerate() {
            let (row, lane) = (word / 8, word % 8);
            let codes = transpose(planes.words(word)[..count].iter().copied());
            let moves = transpose(sets.iter().map(|set| set[row].0[lane]));
            for ((out, code), moves) in out.iter_mut().zip(codes).zip(moves) {
                *out = entry(code, moves);
            }
        }
        Ok(())
    };
    if domain.slices() == 1 {
        return write(&mut room(), 0, out);
    }
    out.par_chunks_mut(slots)
        .enumerate()
        .map_init(room, |room, (number, out)| write(room, number, out))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_bytes() {
        let words: Vec<u64> = (1..=8u64)
            .map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let bytes = transpose(words.iter().copied());
        for (square, byte) in bytes.into_iter().enumerate() {
            let bits = words.iter().enumerate();
            let expected = bits.fold(0, |byte, (k, word)| byte | (word >> square & 1) << k);
            assert_eq!(u64::from(byte), expected);
        }
    }
}
