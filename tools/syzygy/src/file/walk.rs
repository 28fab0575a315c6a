//! Looking up many places of a sub-table in ascending order: every block is read once, and no farther than needed.

use super::bytes::damaged;
use super::head::STRIDE_BITS;
use super::{Coded, Content, SubTable, TableFile};
use crate::error::Error;

/// How many blocks are found before the first of them is read, so that waits for memory overlap.
const AHEAD: usize = 16;

/// Where a reader stands in a block: before a symbol.
#[derive(Clone, Copy)]
pub(super) struct Stand {
    block: u64,
    bit: u32,
    /// The number of values before it.
    passed: u32,
}

impl Stand {
    /// At the beginning of a block.
    #[inline]
    pub(super) const fn at(block: u64) -> Stand {
        Stand {
            block,
            bit: 0,
            passed: 0,
        }
    }
}

impl TableFile {
    /// Calls a function with each place and its number, or why it has none. The places, of which there are some, must
    /// ascend, and be of the sub-table.
    pub(crate) fn values_of<P: Copy>(
        &self,
        sub_table: &SubTable,
        wanted: &[P],
        place: impl Fn(P) -> u64,
        mut found: impl FnMut(P, Result<u16, Error>),
    ) {
        let Content::Coded(coded) = &sub_table.content else {
            for &wanted in wanted {
                found(wanted, self.value(sub_table, place(wanted)));
            }
            return;
        };
        let mut stand = Stand::at(u64::MAX);
        let mut blocks = [const { Ok((0, 0)) }; AHEAD];
        for wanted in wanted.chunks(AHEAD) {
            let mut touched = 0;
            for (&wanted, block) in wanted.iter().zip(&mut blocks) {
                *block = self.find_block(coded, place(wanted));
                if let Ok((block, _)) = block {
                    touched ^= self.bytes[coded.data_at + ((*block as usize) << coded.block_bits)];
                }
            }
            std::hint::black_box(touched);
            for (&wanted, block) in wanted.iter().zip(&mut blocks) {
                let block = std::mem::replace(block, Ok((0, 0)));
                let value = block.and_then(|(block, offset)| {
                    if block != stand.block || offset < stand.passed {
                        stand = Stand::at(block);
                    }
                    self.walk(coded, &mut stand, offset)
                });
                found(wanted, value);
            }
        }
    }

    /// The number at a place of a block, which is not before the stand. That goes to the place's symbol.
    #[inline]
    pub(super) fn walk(&self, coded: &Coded, stand: &mut Stand, offset: u32) -> Result<u16, Error> {
        let bytes: &[u8] = &self.bytes;
        let start = coded.data_at + ((stand.block as usize) << coded.block_bits);
        let wrong = || {
            let block = stand.block;
            let what = format!("block {block} ends before its value {offset}");
            damaged(&self.name, start, what)
        };
        let end = 8u32 << coded.block_bits;
        let (mut bit, mut rest) = (stand.bit, offset - stand.passed);
        loop {
            // A checksum follows the data, so there are always eight bytes.
            let at = start + (bit >> 3) as usize;
            let word = u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
            let bits = word << (bit & 7);
            let stride = coded.code.strides[(bits >> (64 - STRIDE_BITS)) as usize];
            let (used, values) = (stride & 0xffff, stride >> 16);
            if rest >= values && used > 0 {
                rest -= values;
                bit += used;
            } else {
                let (symbol, len) = coded.code.next(bits).ok_or_else(wrong)?;
                let values = u32::from(coded.code.values[usize::from(symbol)]);
                if rest < values {
                    if bit + len > end {
                        return Err(wrong());
                    }
                    (stand.bit, stand.passed) = (bit, offset - rest);
                    return Ok(coded.code.leaf(symbol, rest));
                }
                bit += len;
                rest -= values;
            }
            if bit >= end {
                return Err(wrong());
            }
        }
    }
}
