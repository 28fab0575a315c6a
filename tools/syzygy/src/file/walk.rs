//! Looking up one place in a block.

use super::bytes::damaged;
use super::head::STRIDE_BITS;
use super::{Coded, TableFile};
use crate::error::Error;

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
