//! The full check of a file.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{Part, StoreError, go_on};
use super::format::{Block, ENTRY_BYTES, HEADER_BYTES};
use super::reader::{BlockBuffer, IndexFile};
use super::storage::Storage;
use super::writer::{check_canonical, check_order};
use crate::batch::BatchWord;
use crate::index::{Equivalence, Word};
use crate::with_word;

/// What a full check has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many indices were checked.
    pub count: u64,
    /// How many blocks.
    pub blocks: u64,
    /// How many bytes, all of the file.
    pub bytes: u64,
    /// The smallest and the largest index, unless there is none.
    pub range: Option<(u64, u64)>,
}

/// What is known of a block after it was checked.
#[derive(Clone, Copy)]
struct Seen<W> {
    first: W,
    last: W,
    smallest: W,
    largest: W,
}

impl<D: Storage> IndexFile<D> {
    /// Reads every byte and checks every claim: all checksums, the block table, the padding, every
    /// index in range, and sorted, distinct and canonical where the header says so.
    ///
    /// `progress` is told from time to time how many bytes are checked.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn verify(&self, mut progress: impl FnMut(u64)) -> Result<Report, StoreError> {
        self.verify_watched(|bytes| {
            progress(bytes);
            ControlFlow::Continue(())
        })
    }

    /// The same, but `watch` can end it by `ControlFlow::Break`.
    ///
    /// # Errors
    /// As for [`verify`](IndexFile::verify), and if the watch ended the work.
    pub fn verify_watched(
        &self,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Report, StoreError> {
        let mut go_on = |bytes| go_on(watch(bytes));
        with_word!(self.header().word_bits, W => self.verify_words::<W>(&mut go_on))
    }

    /// The same by several threads. Of several things that are wrong, the first is reported.
    ///
    /// # Errors
    /// As for [`verify`](IndexFile::verify).
    pub fn verify_parallel(
        &self,
        threads: usize,
        progress: impl Fn(u64) + Sync,
    ) -> Result<Report, StoreError>
    where
        D: Sync,
    {
        with_word!(
            self.header().word_bits,
            W => self.verify_words_parallel::<W>(threads, &progress)
        )
    }

    fn verify_words<W: BatchWord>(
        &self,
        go_on: &mut dyn FnMut(u64) -> Result<(), StoreError>,
    ) -> Result<Report, StoreError> {
        let mut check = Check::<W, D>::new(self)?;
        let mut seen = Vec::new();
        for number in 0..self.header().block_count {
            let block = check.block(number)?;
            go_on(block.0.offset + u64::from(block.0.bytes))?;
            seen.push(block);
        }
        let report = self.together(&seen)?;
        go_on(report.bytes)?;
        Ok(report)
    }

    fn verify_words_parallel<W: BatchWord>(
        &self,
        threads: usize,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Report, StoreError>
    where
        D: Sync,
    {
        Check::<W, D>::new(self)?;
        let blocks = self.header().block_count;
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(HEADER_BYTES as u64));
        // Blocks after the first bad one need not be looked at.
        let end = AtomicU64::new(blocks);
        let outcomes = Mutex::new(Vec::new());
        let work = || {
            let mut check = match Check::<W, D>::new_unchecked(self) {
                Ok(check) => check,
                Err(error) => return outcomes.lock().expect("no panic").push((0, Err(error))),
            };
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end.load(Ordering::Relaxed) {
                    return;
                }
                let outcome = check.block(number);
                match &outcome {
                    Ok((block, _)) => {
                        let bytes = u64::from(block.bytes);
                        progress(done.fetch_add(bytes, Ordering::Relaxed) + bytes);
                    }
                    Err(_) => {
                        end.fetch_min(number, Ordering::Relaxed);
                    }
                }
                outcomes.lock().expect("no panic").push((number, outcome));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.max(1) {
                scope.spawn(work);
            }
            work();
        });
        let mut outcomes = outcomes.into_inner().expect("no panic");
        outcomes.sort_unstable_by_key(|&(number, _)| number);
        let mut seen = Vec::with_capacity(outcomes.len());
        for (_, outcome) in outcomes {
            match outcome {
                Ok(block) => seen.push(block),
                // What is wrong between the blocks before it comes first.
                Err(error) => return self.together(&seen).and(Err(error)),
            }
        }
        let report = self.together(&seen)?;
        progress(report.bytes);
        Ok(report)
    }

    /// What is to be checked from block to block: that they lie side by side, and their order.
    fn together<W: Word>(&self, seen: &[(Block, Seen<W>)]) -> Result<Report, StoreError> {
        let header = self.header();
        let mut offset = HEADER_BYTES as u64;
        let mut last = None;
        let mut range: Option<(W, W)> = None;
        for (number, (block, seen)) in (0..).zip(seen) {
            if block.offset != offset {
                let part = Part::Entry(number);
                let (path, found) = (self.name(), block.offset);
                return Err(StoreError::field(path, part, "offset", found, offset));
            }
            offset += u64::from(block.bytes);
            let before = header.items_before(number);
            check_order(self.name(), &header.contents(), before, last, &[seen.first])?;
            last = Some(seen.last);
            let (smallest, largest) = range.unwrap_or((seen.smallest, seen.largest));
            range = Some((smallest.min(seen.smallest), largest.max(seen.largest)));
        }
        let end = HEADER_BYTES as u64 + header.payload_bytes;
        if seen.len() as u64 == header.block_count && offset != end {
            let found = header.payload_bytes;
            let expected = format!(
                "{}, what the blocks add up to",
                offset - HEADER_BYTES as u64
            );
            let part = Part::Header;
            return Err(StoreError::field(
                self.name(),
                part,
                "payload length",
                found,
                expected,
            ));
        }
        Ok(Report {
            count: header.count,
            blocks: header.block_count,
            bytes: header.file_bytes(),
            range: range.map(|(smallest, largest)| (smallest.to_u64(), largest.to_u64())),
        })
    }

    /// The padding and the table's checksum; the header was checked when the file was opened.
    fn verify_outside_payload(&self) -> Result<(), StoreError> {
        let header = self.header();
        let mut buffer = Vec::new();
        let (start, end) = (
            HEADER_BYTES as u64 + header.payload_bytes,
            header.table_offset(),
        );
        let padding = self.bytes_at(start, (end - start) as usize, &mut buffer)?;
        if let Some(at) = padding.iter().position(|&byte| byte != 0) {
            return Err(StoreError::Padding {
                path: self.name().to_owned(),
                offset: start + at as u64,
                found: padding[at],
            });
        }
        self.check_table()
    }

    /// The checksum of the block table.
    pub(super) fn check_table(&self) -> Result<(), StoreError> {
        let header = self.header();
        let mut buffer = Vec::new();
        let mut checksum = crc32fast::Hasher::new();
        let mut rest = header.block_count;
        while rest > 0 {
            let some = rest.min(1 << 12);
            let offset = header.file_bytes() - rest * ENTRY_BYTES as u64;
            checksum.update(self.bytes_at(offset, some as usize * ENTRY_BYTES, &mut buffer)?);
            rest -= some;
        }
        let checksum = checksum.finalize();
        if checksum != header.table_checksum {
            return Err(StoreError::Checksum {
                path: self.name().to_owned(),
                part: Part::Table,
                start: header.table_offset(),
                end: header.file_bytes(),
                found: checksum,
                expected: header.table_checksum,
            });
        }
        Ok(())
    }
}

/// One thread's check of blocks.
struct Check<'a, W, D> {
    file: &'a IndexFile<D>,
    same: Equivalence<W>,
    buffer: BlockBuffer<W>,
}

impl<'a, W: BatchWord, D: Storage> Check<'a, W, D> {
    /// Begins a check with all that is not in the payload.
    fn new(file: &'a IndexFile<D>) -> Result<Check<'a, W, D>, StoreError> {
        file.verify_outside_payload()?;
        Check::new_unchecked(file)
    }

    fn new_unchecked(file: &'a IndexFile<D>) -> Result<Check<'a, W, D>, StoreError> {
        file.check_word::<W>()?;
        let header = file.header();
        Ok(Check {
            file,
            same: Equivalence::of_material(header.material, header.numbering)
                .expect("the header's word is that of its material"),
            buffer: BlockBuffer::new(),
        })
    }

    /// Checks a block by itself: its checksum, and that its indices are what entry and header say.
    fn block(&mut self, number: u64) -> Result<(Block, Seen<W>), StoreError> {
        let (path, header) = (self.file.name(), self.file.header());
        let (mut before, mut canonical) = (header.items_before(number), Ok(()));
        let mut look = |some: &[W]| {
            if header.canonical && canonical.is_ok() {
                canonical = check_canonical(path, &self.same, before, some);
            }
            before += some.len() as u64;
        };
        let (entry, block) = self
            .file
            .read_ordered_block(number, &mut self.buffer, &mut look)?;
        canonical?;
        let (first, last) = (block[0], block[block.len() - 1]);
        let (smallest, largest) = match header.sorted {
            true => (first, last),
            false => block.iter().fold((first, first), |(least, most), &x| {
                (Ord::min(least, x), Ord::max(most, x))
            }),
        };
        let seen = Seen {
            first,
            last,
            smallest,
            largest,
        };
        Ok((entry, seen))
    }
}
