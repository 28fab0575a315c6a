//! Looks up many positions in a table file, and decodes each block once.

use std::ops::Range;

use rayon::prelude::*;
use syzygy_tables::batch::Failure;

use super::index::{Entry, PAGE_BLOCKS, Page};
use super::reader::TableFile;
use super::{BLOCK_SLOTS, FileError};
use crate::storage::{ROW_BITS, row_of};
use crate::table::slots::{RowSlots, Slot};
use crate::table::value::Value;

/// How many bytes that nobody wants are read between two blocks, rather than asking the system twice.
const GAP: u64 = 1 << 14;

/// The block of a slot that is wanted.
const fn block_of(wanted: u64) -> usize {
    (wanted >> ROW_BITS) as usize / BLOCK_SLOTS
}

impl TableFile {
    /// Finds the slots of rows with these pieces, which must be those of the file, perhaps with colours exchanged.
    pub(crate) fn row_slots(&self, pieces: &[tbindex::Piece]) -> RowSlots<'_> {
        RowSlots::new(&self.header.shape, pieces)
    }

    /// The number of a slot, with like men in order, in the order of the file's blocks.
    pub(crate) fn place(&self, slot: Slot) -> u64 {
        let slots = BLOCK_SLOTS as u64;
        self.block_of(slot) as u64 * slots + slot.at.offset % slots
    }

    /// The values of many places, each of which is followed in `wanted` by the number of a row: these numbers with the values, on
    /// the threads of the current rayon pool.
    pub(crate) fn values_of(
        &self,
        wanted: &mut [u64],
        failed: impl Fn(FileError) -> Failure + Sync,
    ) -> Vec<(u32, Result<Value, Failure>)> {
        wanted.par_sort_unstable();
        let page = |wanted: &u64| block_of(*wanted) / PAGE_BLOCKS;
        let pages = wanted.par_chunk_by(|a, b| page(a) == page(b));
        let found = pages.flat_map_iter(|wanted| {
            let mut found = Vec::with_capacity(wanted.len());
            let mut buffer = Vec::new();
            match self.page(page(&wanted[0]), &mut buffer) {
                Ok(page) => self.values_in_page(&page, wanted, &failed, &mut found),
                Err(error) => fail(failed(error), wanted, &mut found),
            }
            found
        });
        found.collect()
    }

    fn values_in_page(
        &self,
        page: &Page<'_>,
        wanted: &[u64],
        failed: &impl Fn(FileError) -> Failure,
        found: &mut Vec<(u32, Result<Value, Failure>)>,
    ) {
        let first = page.blocks().start;
        // Where each block ends.
        let mut ends = [0; PAGE_BLOCKS];
        let mut end = 0;
        for (place, entry) in ends.iter_mut().zip(page.entries.iter().map(Entry::decode)) {
            end += u64::from(entry.length);
            *place = end;
        }
        let is_near = |a: &u64, b: &u64| {
            let [a, b] = [a, b].map(|wanted| block_of(*wanted) - first);
            b <= a + 1 || ends[b - 1] - ends[a] <= GAP
        };
        for together in wanted.chunk_by(is_near) {
            let [start, last] = [together.first(), together.last()]
                .map(|wanted| wanted.map_or(0, |&wanted| block_of(wanted)));
            let mut rest = together;
            let read = self.read_blocks(page, start..last + 1, &mut |number, entry, bytes| {
                let count = rest.partition_point(|&wanted| block_of(wanted) == number);
                let (here, others) = rest.split_at(count);
                rest = others;
                if here.is_empty() {
                    return Ok(());
                }
                match self.decode(number, entry, bytes) {
                    Ok(codes) => self.values_in_block(number, &codes, here, failed, found),
                    Err(error) => fail(failed(error), here, found),
                }
                Ok(())
            });
            if let Err(error) = read {
                fail(failed(error), rest, found);
            }
        }
    }

    fn values_in_block(
        &self,
        number: usize,
        codes: &[u8],
        wanted: &[u64],
        failed: &impl Fn(FileError) -> Failure,
        found: &mut Vec<(u32, Result<Value, Failure>)>,
    ) {
        let side = self.header.side_of(number);
        let Range { start, .. } = self.words(number);
        let (mut word, mut before) = (start, 0);
        found.extend(wanted.iter().map(|&wanted| {
            let within = (wanted >> ROW_BITS) as usize % BLOCK_SLOTS;
            let own = start + within / 64;
            before += self.kept.count(word..own);
            word = own;
            let last = self.kept.word(own) & ((1 << (within % 64)) - 1);
            let code = self.code_in(side, codes, before + last.count_ones() as usize);
            let value = self.value_of(side, code).map_err(failed);
            (row_of(wanted), value)
        }));
    }
}

/// Rows that have no value.
fn fail(error: Failure, wanted: &[u64], found: &mut Vec<(u32, Result<Value, Failure>)>) {
    found.extend(wanted.iter().map(|&wanted| (row_of(wanted), Err(error))));
}
