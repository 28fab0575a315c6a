//! Cutting the symbols into blocks, and the tables that find a block.

use super::code::FinalCode;

/// The most values of a block.
const LONGEST_BLOCK: u32 = 65536;

/// The blocks of a sub-table.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) bits: u8,
    /// The number of values of each block.
    pub(crate) lengths: Vec<u32>,
    pub(crate) data: Vec<u8>,
}

/// Calls a function with the number of symbols of each block, and of their values.
fn cut(chunks: &[Vec<u16>], code: &FinalCode, block_bits: u8, mut end: impl FnMut(usize, u32)) {
    let capacity = 8u32 << block_bits;
    let (mut symbols, mut used, mut values) = (0, 0, 0);
    for &symbol in chunks.iter().flatten() {
        let symbol = usize::from(symbol);
        let (bits, own) = (u32::from(code.bits[symbol]), u32::from(code.values[symbol]));
        if used + bits > capacity || values + own > LONGEST_BLOCK {
            end(symbols, values);
            (symbols, used, values) = (0, 0, 0);
        }
        symbols += 1;
        used += bits;
        values += own;
    }
    if values > 0 {
        end(symbols, values);
    }
}

/// The binary logarithm of the span of the index, for so many values in so many blocks.
pub(crate) fn span_bits(size: u64, blocks: u64) -> u8 {
    let mut bits = (u64::BITS - (size / blocks).leading_zeros() + 4).min(31);
    while bits > 1 && 1 << (bits - 1) > size {
        bits -= 1;
    }
    bits as u8
}

impl Blocks {
    /// Cuts symbols of their final numbers into blocks of the size that makes the file smallest.
    pub(crate) fn cut(chunks: &[Vec<u16>], code: &FinalCode, size: u64, largest: u8) -> Blocks {
        use rayon::prelude::*;
        let total = |bits: u8| {
            let mut count = 0u64;
            cut(chunks, code, bits, |_, _| count += 1);
            let entries = size.div_ceil(1 << span_bits(size, count));
            (count << bits) + 2 * count + 6 * entries
        };
        let sizes = (5..=largest)
            .into_par_iter()
            .map(|bits| (total(bits), std::cmp::Reverse(bits)));
        let (_, std::cmp::Reverse(bits)) = sizes.min().unwrap_or((0, std::cmp::Reverse(largest)));
        let (mut lengths, mut data) = (Vec::new(), Vec::new());
        let mut symbols = chunks.iter().flatten();
        cut(chunks, code, bits, |count, values| {
            let (mut word, mut filled) = (0u64, 0);
            for &symbol in symbols.by_ref().take(count) {
                let symbol = usize::from(symbol);
                let bits = u32::from(code.bits[symbol]);
                word |= u64::from(code.codes[symbol]) << (64 - filled - bits);
                filled += bits;
                while filled >= 32 {
                    data.extend(((word >> 32) as u32).to_be_bytes());
                    word <<= 32;
                    filled -= 32;
                }
            }
            data.extend(&word.to_be_bytes()[..filled.div_ceil(8) as usize]);
            lengths.push(values);
            data.resize(lengths.len() << bits, 0);
        });
        Blocks {
            bits,
            lengths,
            data,
        }
    }
}

/// The sparse index, and how many lengths of blocks without data it needs behind the others.
pub(crate) fn sparse_index(lengths: &[u32], size: u64, span_bits: u8) -> (Vec<u8>, u8) {
    let span = 1u64 << span_bits;
    let mut index = Vec::new();
    let (mut block, mut before) = (0usize, 0u64);
    let length = |block: usize| u64::from(lengths.get(block).copied().unwrap_or(LONGEST_BLOCK));
    for entry in 0..size.div_ceil(span) {
        let place = entry * span + span / 2;
        while before + length(block) <= place {
            before += length(block);
            block += 1;
        }
        index.extend((block as u32).to_le_bytes());
        index.extend(((place - before) as u16).to_le_bytes());
    }
    let padding = (block + 1).saturating_sub(lengths.len());
    (index, padding as u8)
}
