//! Looking up many places of a sub-table in ascending order.

use std::hint::black_box;

use super::blocks::{Expansions, Lane, read_blocks};
use super::head::Code;
use super::{Coded, Content, SubTable, TableFile};
use crate::error::Error;

/// How many blocks are found before they are read.
const FOUND: usize = 512;
/// For fewer places times bytes of a block, a [`Reader`] takes longer to make than it saves.
const FEW: usize = 1 << 17;
/// How many bits of a block are looked at together.
const BITS: u32 = 14;

/// The state that many look-ups share.
struct Reader {
    expansions: Expansions,
    /// For the next bits the first code's symbol, and above it the bits of the code, which are 0 if it is longer.
    firsts: Vec<u16>,
    /// For the next bits the values of all whole codes, and below them the bits of these.
    strides: Vec<u32>,
}

const SYMBOL_BITS: u32 = 12;

impl Reader {
    fn new(code: &Code) -> Reader {
        let bits = |row: usize| (row as u64) << (64 - BITS);
        let first = |row| match code.next(bits(row)) {
            Some((symbol, len)) if len <= BITS => symbol | (len as u16) << SYMBOL_BITS,
            _ => 0,
        };
        let firsts: Vec<u16> = (0..1 << BITS).map(first).collect();
        let stride = |row: usize| {
            let (mut used, mut values) = (0, 0);
            loop {
                let first = firsts[row << used & ((1 << BITS) - 1)];
                let len = u32::from(first >> SYMBOL_BITS);
                if len == 0 || used + len > BITS {
                    return used | values << 8;
                }
                used += len;
                values += u32::from(code.values[usize::from(first & ((1 << SYMBOL_BITS) - 1))]);
            }
        };
        Reader {
            strides: (0..1 << BITS).map(stride).collect(),
            expansions: Expansions::new(code),
            firsts,
        }
    }

    /// The symbol that the next bits begin with, and the length of its code.
    #[inline]
    fn next(&self, code: &Code, bits: u64) -> Option<(u16, u32)> {
        let first = self.firsts[(bits >> (64 - BITS)) as usize];
        match first >> SYMBOL_BITS {
            0 => code.next(bits),
            len => Some((first & ((1 << SYMBOL_BITS) - 1), len.into())),
        }
    }
}

impl TableFile {
    /// Calls a function with each place and its number, or why it has none. The places must ascend and be of the
    /// sub-table; the function is called in any order.
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
        let reader =
            (wanted.len() << coded.head.block_bits >= FEW).then(|| Reader::new(&coded.head.code));
        let mut offsets = Vec::with_capacity(FOUND.min(wanted.len()));
        for wanted in wanted.chunks(FOUND) {
            offsets.clear();
            // The blocks come into the cache together; one after the other, each would be waited for.
            let mut touched = 0;
            for &wanted in wanted {
                match self.find_block(coded, place(wanted)) {
                    Ok(at) => {
                        touched ^= self.bytes[coded.start(at.0)];
                        offsets.push((wanted, at));
                    }
                    Err(error) => found(wanted, Err(error)),
                }
            }
            black_box(touched);
            match &reader {
                Some(reader) => {
                    let step = |lane: &mut Lane| self.step(coded, reader, lane);
                    self.read_blocks(coded, &offsets, step, &mut found);
                }
                None => {
                    let (code, block_bytes) = (&coded.head.code, 1 << coded.head.block_bits);
                    let step = |lane: &mut Lane| code.step(&self.bytes, block_bytes, lane);
                    self.read_blocks(coded, &offsets, step, &mut found);
                }
            }
        }
    }

    /// Looks up places that have these blocks and offsets in them.
    fn read_blocks<P: Copy>(
        &self,
        coded: &Coded,
        offsets: &[(P, (u64, u32))],
        step: impl Fn(&mut Lane) -> Option<Option<u16>>,
        found: &mut impl FnMut(P, Result<u16, Error>),
    ) {
        read_blocks(
            offsets,
            |&(_, at)| at,
            |block| coded.start(block),
            step,
            |number, value| {
                let (wanted, (block, offset)) = offsets[number];
                let value = value.ok_or_else(|| self.ends_early(coded, block, offset));
                found(wanted, value);
            },
        );
    }

    /// Goes on in a block. The result is the number at the place, or `None` in it if the block ends before.
    #[inline(always)]
    fn step(&self, coded: &Coded, reader: &Reader, lane: &mut Lane) -> Option<Option<u16>> {
        let end = 8u32 << coded.head.block_bits;
        // A checksum follows the data, so there are always eight bytes.
        let at = lane.start + (lane.bit >> 3) as usize;
        let word = u64::from_be_bytes(self.bytes[at..at + 8].try_into().expect("eight bytes"));
        let bits = word << (lane.bit & 7);
        let stride = reader.strides[(bits >> (64 - BITS)) as usize];
        let (used, values) = (stride & 0xff, stride >> 8);
        if lane.rest >= values && used > 0 {
            lane.rest -= values;
            lane.bit += used;
        } else {
            let Some((symbol, len)) = reader.next(&coded.head.code, bits) else {
                return Some(None);
            };
            let values = u32::from(coded.head.code.values[usize::from(symbol)]);
            if lane.rest < values {
                let value = reader.expansions.of(symbol)[lane.rest as usize];
                return Some((lane.bit + len <= end).then_some(value));
            }
            lane.rest -= values;
            lane.bit += len;
        }
        (lane.bit >= end).then_some(None)
    }
}
