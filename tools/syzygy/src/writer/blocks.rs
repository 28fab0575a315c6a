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

/// The receiver of codes and of the ends of blocks, as they are cut.
trait Sink {
    fn code(&mut self, code: u32, bits: u32);
    fn end(&mut self, values: u32);
}

/// Counts blocks.
#[derive(Default)]
struct Count(u64);

impl Sink for Count {
    fn code(&mut self, _: u32, _: u32) {}

    fn end(&mut self, _: u32) {
        self.0 += 1;
    }
}

/// Writes blocks.
struct Write {
    blocks: Blocks,
    word: u64,
    filled: u32,
}

impl Sink for Write {
    fn code(&mut self, code: u32, bits: u32) {
        self.word |= u64::from(code) << (64 - self.filled - bits);
        self.filled += bits;
        while self.filled >= 32 {
            let bytes = ((self.word >> 32) as u32).to_be_bytes();
            self.blocks.data.extend(bytes);
            self.word <<= 32;
            self.filled -= 32;
        }
    }

    fn end(&mut self, values: u32) {
        let bytes = self.word.to_be_bytes();
        self.blocks
            .data
            .extend(&bytes[..self.filled.div_ceil(8) as usize]);
        (self.word, self.filled) = (0, 0);
        self.blocks.lengths.push(values);
        self.blocks
            .data
            .resize(self.blocks.lengths.len() << self.blocks.bits, 0);
    }
}

fn cut(chunks: &[Vec<u16>], code: &FinalCode, block_bits: u8, sink: &mut impl Sink) {
    let capacity = 8u32 << block_bits;
    let (mut used, mut values) = (0, 0);
    for &symbol in chunks.iter().flatten() {
        let symbol = usize::from(symbol);
        let (bits, own) = (u32::from(code.bits[symbol]), u32::from(code.values[symbol]));
        if used + bits > capacity || values + own > LONGEST_BLOCK {
            sink.end(values);
            (used, values) = (0, 0);
        }
        sink.code(code.codes[symbol], bits);
        used += bits;
        values += own;
    }
    if values > 0 {
        sink.end(values);
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
            let mut count = Count::default();
            cut(chunks, code, bits, &mut count);
            let entries = size.div_ceil(1 << span_bits(size, count.0));
            (count.0 << bits) + 2 * count.0 + 6 * entries
        };
        let sizes = (5..=largest)
            .into_par_iter()
            .map(|bits| (total(bits), std::cmp::Reverse(bits)));
        let (_, std::cmp::Reverse(bits)) = sizes.min().unwrap_or((0, std::cmp::Reverse(largest)));
        let mut write = Write {
            blocks: Blocks {
                bits,
                lengths: Vec::new(),
                data: Vec::new(),
            },
            word: 0,
            filled: 0,
        };
        cut(chunks, code, bits, &mut write);
        write.blocks
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
