//! The blocks of an index file: their entries in the block table, their words, and the checks of both.

use std::fmt::Display;

use super::StoredWord;
use super::checks::{check_order, out_of_range};
use super::elias_fano::CompactBlock;
use super::error::{Part, StoreError};
use super::file::IndexReader;
use super::format::{Block, ENTRY_BYTES, HEADER_BYTES};

/// The bytes of a block that all checks see before the next part: as many as the nearest cache holds.
const AT_ONCE_BYTES: usize = 1 << 14;

/// Room for one block, to be used again from block to block.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockBuffer<W> {
    bytes: Vec<u64>,
    words: Vec<W>,
}

impl<W: StoredWord> IndexReader<W> {
    /// Copies the indices from a position on to `out`, and checks the blocks that they are in.
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let mut last = [0u32; 2];
    /// file.reader()?.read_into(file.header().count - 2, &mut last)?;
    /// assert_eq!(last, [0o375_376, 0o376_376]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file can't be read, or if one of the blocks is damaged: the checksum of its bytes or its first index
    /// differs from the block table, a compressed block can't be decoded, or an index has bits above its digits.
    ///
    /// # Panics
    /// If the file has fewer indices from there on.
    pub fn read_into(&self, first: u64, out: &mut [W]) -> Result<(), StoreError> {
        W::read_into(self, first, out)
    }

    pub(super) fn read_words(&self, first: u64, out: &mut [W]) -> Result<(), StoreError> {
        let header = &self.header;
        let end = first.checked_add(out.len() as u64);
        assert!(
            end.is_some_and(|end| end <= header.count),
            "{} indices from position {first}: the file has {}",
            out.len(),
            header.count
        );
        let items = u64::from(header.block_items);
        let (mut position, mut rest, mut buffer) = (first, out, BlockBuffer::default());
        while !rest.is_empty() {
            let block = self.read_checked_block(position / items, &mut buffer)?;
            let block = &block[(position % items) as usize..];
            let (some, after) = rest.split_at_mut(block.len().min(rest.len()));
            some.copy_from_slice(&block[..some.len()]);
            position += some.len() as u64;
            rest = after;
        }
        Ok(())
    }

    /// All indices in their order, of a plain or of a compressed file. Each block is checked when the iterator comes to
    /// it, as by [`read_into`](IndexReader::read_into). After an error the iterator ends.
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let mut on_a1 = 0;
    /// for index in file.reader::<u32>()?.iter() {
    ///     on_a1 += u32::from(index? & 0o700_700 == 0);
    /// }
    /// // The positions with the white king on a1.
    /// assert_eq!(on_a1, 1464);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Result<W, StoreError>> {
        let mut numbers = 0..self.header.block_count;
        let mut block = Vec::new().into_iter();
        std::iter::from_fn(move || {
            loop {
                if let Some(index) = block.next() {
                    return Some(Ok(index));
                }
                match W::block(self, numbers.next()?) {
                    Ok(words) => block = words.into_iter(),
                    Err(error) => {
                        numbers = 0..0;
                        return Some(Err(error));
                    }
                }
            }
        })
    }

    /// The entry of a block in the block table. The block's place and size in it are checked;
    /// the rest can be checked only against the payload.
    ///
    /// # Panics
    /// If `number` is not below the number of blocks.
    pub(super) fn block(&self, number: u64) -> Result<Block, StoreError> {
        let header = &self.header;
        assert!(number < header.block_count, "there is no block {number}");
        let mut buffer = Vec::new();
        let offset = header.table_offset() + number * ENTRY_BYTES as u64;
        let bytes = self.bytes_at(offset, ENTRY_BYTES, &mut buffer)?;
        let block: Block = bytemuck::pod_read_unaligned(bytes);
        self.check_entry(number, &block)?;
        Ok(block)
    }

    fn check_entry(&self, number: u64, block: &Block) -> Result<(), StoreError> {
        let header = &self.header;
        let check = |is_right: bool, field: &str, found: u64, expected: &dyn Display| match is_right
        {
            true => Ok(()),
            false => {
                let part = Part::Entry(number);
                Err(StoreError::field(&self.name, part, field, found, expected))
            }
        };
        let expect =
            |field, found: u64, expected: u64| check(found == expected, field, found, &expected);
        let (bytes, parameter) = (block.bytes.into(), block.parameter.into());
        expect("items", block.items.into(), header.items_in(number).into())?;
        if !header.compact {
            let expected = header.plain_block(number);
            expect("offset", block.offset, expected.offset)?;
            expect("length", bytes, expected.bytes.into())?;
            return expect("parameter", parameter, 0);
        }
        let start = HEADER_BYTES as u64;
        let end = start + header.payload_bytes;
        let is_inside = block.offset.is_multiple_of(8) && (start..=end).contains(&block.offset);
        let expected = format!("a multiple of 8 from {start} to {end}");
        check(is_inside, "offset", block.offset, &expected)?;
        let most = end - block.offset;
        let expected = format!("a multiple of 8, at most {most}");
        let is_inside = bytes.is_multiple_of(8) && bytes <= most;
        check(is_inside, "length", bytes, &expected)?;
        let bits = 6 * header.contents.material.piece_count() as u64;
        let expected = format!("at most {bits}, the bits of an index");
        check(parameter <= bits, "parameter", parameter, &expected)
    }

    /// The indices of a block: where they lie, if they are plain words in memory, else in `buffer`. Their
    /// checksum is not checked.
    pub(super) fn read_block<'a>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
    ) -> Result<&'a [W], StoreError> {
        let block = self.block(number)?;
        let bytes = self.bytes_at(block.offset, block.bytes as usize, &mut buffer.bytes)?;
        if !self.header.compact {
            return self.cast(bytes);
        }
        self.decode(number, &block, bytes, &mut buffer.words)?;
        Ok(&buffer.words)
    }

    /// The indices of a block, checked.
    pub(super) fn read_checked_block<'a>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
    ) -> Result<&'a [W], StoreError> {
        let (_, words, _) = self.scan_block(number, buffer, &mut |_| {})?;
        Ok(words)
    }

    /// The entry of a block and its indices, checked as by `read_checked_block` and to be in the order that the header
    /// claims. `look` is shown them in parts that the nearest cache holds, before they are known to be good.
    pub(super) fn read_ordered_block<'a>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
        look: &mut dyn FnMut(&[W]),
    ) -> Result<(Block, &'a [W]), StoreError> {
        let (block, words, ascend) = self.scan_block(number, buffer, look)?;
        let header = &self.header;
        if header.contents.sorted && !ascend {
            let before = header.items_before(number);
            check_order(&self.name, &header.contents, before, None, words)?;
        }
        Ok((block, words))
    }

    /// The entry of a block, its indices, after all checks that concern single indices, and whether they ascend as the
    /// header claims. All of it is done in one pass, in parts that the nearest cache holds.
    fn scan_block<'a>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
        look: &mut dyn FnMut(&[W]),
    ) -> Result<(Block, &'a [W], bool), StoreError> {
        let block = self.block(number)?;
        let bytes = self.bytes_at(block.offset, block.bytes as usize, &mut buffer.bytes)?;
        let (header, backend) = (&self.header, self.backend);
        let check_sum = |found| {
            let bytes = block.offset..block.offset + u64::from(block.bytes);
            StoreError::check_sum(
                &self.name,
                Part::Block(number),
                bytes,
                found,
                block.checksum,
            )
        };
        let words = if header.compact {
            check_sum(crc32fast::hash(bytes))?;
            // Decoding trusts the entry, which the block's own checksum does not cover.
            self.check_table_once()?;
            self.decode(number, &block, bytes, &mut buffer.words)?;
            buffer.words.as_slice()
        } else {
            self.cast(bytes)?
        };
        let mut checksum = crc32fast::Hasher::new();
        let (mut bits, mut ascend, mut start) = (W::ZERO, true, 0);
        while start < words.len() {
            let end = words.len().min(start + AT_ONCE_BYTES / size_of::<W>());
            // The word before them is looked at again, so that every pair is.
            let scanned = W::scan(
                backend,
                &words[start.saturating_sub(1)..end],
                header.contents.distinct,
            );
            bits |= scanned.0;
            ascend &= scanned.1;
            look(&words[start..end]);
            if !header.compact {
                checksum.update(bytemuck::cast_slice(&words[start..end]));
            }
            start = end;
        }
        if !header.compact {
            check_sum(checksum.finalize())?;
        }
        let first = words[0].to_u64();
        if block.first != first {
            let (part, found) = (Part::Entry(number), block.first);
            return Err(StoreError::field(&self.name, part, "first", found, first));
        }
        let layout = self.same.layout();
        if !layout.is_valid(bits) {
            let before = header.items_before(number);
            return Err(out_of_range(&self.name, layout, before, words));
        }
        Ok((block, words, ascend))
    }

    /// Checks the block table against its checksum.
    pub(super) fn check_table(&self) -> Result<(), StoreError> {
        let header = &self.header;
        let mut buffer = Vec::new();
        let mut checksum = crc32fast::Hasher::new();
        let mut rest = header.block_count;
        while rest > 0 {
            let some = rest.min(1 << 12);
            let offset = header.file_bytes() - rest * ENTRY_BYTES as u64;
            checksum.update(self.bytes_at(offset, some as usize * ENTRY_BYTES, &mut buffer)?);
            rest -= some;
        }
        let (bytes, expected) = (
            header.table_offset()..header.file_bytes(),
            header.table_checksum,
        );
        StoreError::check_sum(
            &self.name,
            Part::Table,
            bytes,
            checksum.finalize(),
            expected,
        )
    }

    /// Checks the block table, unless that was done.
    pub(super) fn check_table_once(&self) -> Result<(), StoreError> {
        if self.table_is_good.get().is_none() {
            self.check_table()?;
            // Several threads may have found so at once.
            let _ = self.table_is_good.set(());
        }
        Ok(())
    }

    /// Decodes a compact block.
    fn decode(
        &self,
        number: u64,
        block: &Block,
        bytes: &[u8],
        words: &mut Vec<W>,
    ) -> Result<(), StoreError> {
        let end = 1 << (6 * self.header.contents.material.piece_count());
        self.compact_block(number, block, bytes)?
            .decode(end, words, self.backend)
            .map_err(|reason| self.undecodable(number, &reason))
    }

    /// A compact block, whose table entry was checked before.
    pub(super) fn compact_block<'a>(
        &self,
        number: u64,
        block: &Block,
        bytes: &'a [u8],
    ) -> Result<CompactBlock<'a>, StoreError> {
        let words = self.cast::<u64>(bytes)?;
        CompactBlock::new(block.first, block.items as usize, block.parameter, words)
            .map_err(|reason| self.undecodable(number, &reason))
    }

    fn undecodable(&self, number: u64, reason: &str) -> StoreError {
        let part = Part::Block(number);
        StoreError::damaged(&self.name, format!("{part} can't be decoded: {reason}")).in_part(part)
    }
}
