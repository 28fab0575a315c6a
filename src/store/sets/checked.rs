//! The files of an operation. Their blocks are checked when they are first used.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::super::StoredWord;
use super::super::blocks::BlockBuffer;
use super::super::checks::check_order;
use super::super::error::StoreError;
use super::super::file::IndexReader;

/// A sorted and distinct file, and which of its blocks were found good.
pub(super) struct Checked<'a, W> {
    pub(super) file: &'a IndexReader<W>,
    /// The first index of each block.
    pub(super) firsts: Vec<u64>,
    good: Vec<AtomicBool>,
}

/// The indices from one to before another; `None` stands for either end of the space.
#[derive(Clone, Copy)]
pub(super) struct Interval(pub(super) Option<u64>, pub(super) Option<u64>);

impl<'a, W: StoredWord> Checked<'a, W> {
    /// The file. Its block table, by which intervals are chosen, is checked at once.
    pub(super) fn new(file: &'a IndexReader<W>) -> Result<Checked<'a, W>, StoreError> {
        file.check_table()?;
        // The table lies in the file, so there are no more blocks than the file has bytes for.
        let firsts = (0..file.header.block_count)
            .map(|number| Ok(file.block(number)?.first))
            .collect::<Result<Vec<_>, StoreError>>()?;
        let checked = Checked {
            file,
            good: firsts.iter().map(|_| AtomicBool::new(false)).collect(),
            firsts,
        };
        if let Some(wrong) = checked.firsts.windows(2).position(|two| two[0] >= two[1]) {
            // At least one of the two blocks is damaged; checking them says which.
            let mut buffer = BlockBuffer::default();
            for number in wrong..=wrong + 1 {
                checked.block(number, &mut buffer)?;
            }
        }
        Ok(checked)
    }

    /// The indices of a block, checked: they are in range and ascend, and the next block begins beyond them.
    pub(super) fn block<'b>(
        &'b self,
        number: usize,
        buffer: &'b mut BlockBuffer<W>,
    ) -> Result<&'b [W], StoreError> {
        let number_in_file = number as u64;
        if self.good[number].load(Relaxed) {
            return self.file.read_block(number_in_file, buffer);
        }
        let file = self.file;
        let (_, words) = file.read_ordered_block(number_in_file, buffer, &mut |_| {})?;
        if let Some(&next) = self.firsts.get(number + 1) {
            let before = file.header.items_before(number_in_file + 1);
            let next = [W::truncate(next.into())];
            let (contents, last) = (&file.header.contents, words.last().copied());
            check_order(&file.name, contents, before, last, &next)?;
        }
        self.good[number].store(true, Relaxed);
        Ok(words)
    }

    /// The blocks that may have indices of an interval.
    pub(super) fn blocks(&self, Interval(start, end): Interval) -> Range<usize> {
        let from = |start| self.firsts.partition_point(|&first| first <= start);
        let until = |end| self.firsts.partition_point(|&first| first < end);
        let first = start.map_or(0, |start| from(start).saturating_sub(1));
        first..end.map_or(self.firsts.len(), until).max(first)
    }

    /// The number of indices that the blocks of an interval have.
    pub(super) fn items(&self, interval: Interval) -> u64 {
        let (blocks, header) = (self.blocks(interval), &self.file.header);
        header.items_before(blocks.end as u64) - header.items_before(blocks.start as u64)
    }

    /// All indices of an interval: where they lie, if they are plain words in memory, else in the beginning of `room`. The
    /// rest of `room` comes back, too.
    pub(super) fn words<'b>(
        &'b self,
        interval: Interval,
        buffer: &mut BlockBuffer<W>,
        room: &'b mut [W],
    ) -> Result<(&'b [W], &'b mut [W]), StoreError> {
        let blocks = self.blocks(interval);
        let header = &self.file.header;
        let (words, room): (&[W], _) = if let Some(all) = self.file.words_in_memory() {
            for number in blocks.clone() {
                if !self.good[number].load(Relaxed) {
                    self.block(number, buffer)?;
                }
            }
            let place = |block: usize| header.items_before(block as u64) as usize;
            (&all[place(blocks.start)..place(blocks.end)], room)
        } else {
            let (words, rest) = room.split_at_mut(self.items(interval) as usize);
            let mut free = &mut words[..];
            for number in blocks {
                let block = self.block(number, buffer)?;
                let (to, after) = free.split_at_mut(block.len());
                to.copy_from_slice(block);
                free = after;
            }
            (words, rest)
        };
        let Interval(start, end) = interval;
        let place = |key: u64| words.partition_point(|&x| x.to_u64() < key);
        let words = &words[start.map_or(0, place)..end.map_or(words.len(), place)];
        Ok((words, room))
    }
}
