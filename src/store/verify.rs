//! The full check of a file.

use std::cell::Cell;

use super::StoredWord;
use super::blocks::BlockBuffer;
use super::checks::{check_canonical, check_order};
use super::error::{Part, StoreError};
use super::file::{IndexFile, IndexReader, with_reader};
use super::format::{Block, HEADER_BYTES};
use super::ordered_jobs::run_in_order;
use super::watch::{Phase, Watch};

/// The facts about a block that a thread has found.
#[derive(Default)]
struct BlockFacts {
    entry: Block,
    last: u64,
    /// Its smallest and its largest index.
    range: (u64, u64),
}

impl IndexFile {
    /// Reads every byte and checks every claim: all checksums, the block table, the padding, every
    /// index in range, and sorted, distinct and canonical where the header says so. Returns the smallest and the
    /// largest index, unless there is none.
    ///
    /// `watch` is told of [`Phase::Checking`]; see [the module](super#long-operations).
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let ends = file.verify(2, &mut unwatched)?;
    /// assert_eq!(ends, Some((0o000_130, 0o376_376)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first fault in the file, with its place, and the errors of `watch`.
    pub fn verify(
        &self,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Option<(u64, u64)>, StoreError> {
        with_reader!(self, file => file.verify(threads, watch))
    }
}

impl<W: StoredWord> IndexReader<W> {
    fn verify(
        &self,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Option<(u64, u64)>, StoreError> {
        self.verify_outside_payload()?;
        let header = &self.header;
        let mut watch = |bytes| watch(Phase::Checking.progress(bytes, Some(header.file_bytes())));
        // Where the next block must begin.
        let offset = Cell::new(HEADER_BYTES as u64);
        let (mut last, mut range) = (None, None);
        run_in_order(
            threads,
            header.block_count,
            BlockBuffer::default,
            |buffer, number, facts| {
                *facts = self.verify_block(number, buffer)?;
                Ok(())
            },
            |number, facts: &BlockFacts| {
                let (path, expected) = (&*self.name, offset.get());
                if facts.entry.offset != expected {
                    let (part, found) = (Part::Entry(number), facts.entry.offset);
                    return Err(StoreError::field(path, part, "offset", found, expected));
                }
                offset.set(expected + u64::from(facts.entry.bytes));
                let (before, first) = (header.items_before(number), [facts.entry.first]);
                check_order(path, &header.contents, before, last, &first)?;
                last = Some(facts.last);
                let (smallest, largest) = range.unwrap_or(facts.range);
                range = Some((smallest.min(facts.range.0), largest.max(facts.range.1)));
                Ok(())
            },
            |_| watch(offset.get()),
        )?;
        let payload_bytes = offset.get() - HEADER_BYTES as u64;
        if header.payload_bytes != payload_bytes {
            let expected = format!("{payload_bytes}, what the blocks add up to");
            let (part, found) = (Part::Header, header.payload_bytes);
            let field = "payload length";
            return Err(StoreError::field(&self.name, part, field, found, expected));
        }
        watch(header.file_bytes())?;
        Ok(range)
    }

    /// Checks the padding and the block table. The header was checked when the file was opened.
    fn verify_outside_payload(&self) -> Result<(), StoreError> {
        let header = &self.header;
        let mut buffer = Vec::new();
        let (start, end) = (
            HEADER_BYTES as u64 + header.payload_bytes,
            header.table_offset(),
        );
        let padding = self.bytes_at(start, (end - start) as usize, &mut buffer)?;
        if let Some(at) = padding.iter().position(|&byte| byte != 0) {
            return Err(StoreError::padding(
                &self.name,
                start + at as u64,
                padding[at],
            ));
        }
        self.check_table()
    }

    /// Checks a block by itself: its checksum, and that its indices are as its entry and the header say.
    fn verify_block(
        &self,
        number: u64,
        buffer: &mut BlockBuffer<W>,
    ) -> Result<BlockFacts, StoreError> {
        let header = &self.header;
        let (mut before, mut canonical) = (header.items_before(number), Ok(()));
        let mut look = |some: &[W]| {
            if header.contents.canonical && canonical.is_ok() {
                canonical = check_canonical(&self.name, &self.same, before, some, self.backend);
            }
            before += some.len() as u64;
        };
        let (entry, block) = self.read_ordered_block(number, buffer, &mut look)?;
        canonical?;
        let (first, last) = (block[0], block[block.len() - 1]);
        let (smallest, largest) = match header.contents.sorted {
            true => (first, last),
            false => block.iter().fold((first, first), |(least, most), &x| {
                (Ord::min(least, x), Ord::max(most, x))
            }),
        };
        Ok(BlockFacts {
            entry,
            last: last.to_u64(),
            range: (smallest.to_u64(), largest.to_u64()),
        })
    }
}
