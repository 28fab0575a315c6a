//! The blocks of an index file: their entries in the block table, their words, and the checks of both.

use super::super::checks::{check_order, check_range, scan};
use super::super::elias_fano::{CompactBlock, Fault};
use super::super::error::{Part, StoreError, StoreErrorKind};
use super::super::format::{Block, ENTRY_BYTES, HEADER_BYTES};
use super::super::storage::Storage;
use super::file::IndexFile;
use crate::index::{Layout, Word};

/// The bytes of a block that all checks see before the next part: what the nearest cache holds.
const AT_ONCE_BYTES: usize = 1 << 14;

/// Room for one block, to be used again from block to block.
#[derive(Clone, Debug, Default)]
pub struct BlockBuffer<W> {
    bytes: Vec<u64>,
    words: Vec<W>,
}

impl<W> BlockBuffer<W> {
    /// A buffer that holds nothing yet.
    #[must_use]
    pub const fn new() -> BlockBuffer<W> {
        BlockBuffer {
            bytes: Vec::new(),
            words: Vec::new(),
        }
    }
}

impl<D: Storage> IndexFile<D> {
    /// The entry of a block in the block table. What it says about the block's place and size is checked;
    /// the rest can be checked only against the payload.
    ///
    /// # Errors
    /// If the entry is impossible, or the file can't be read.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn block(&self, number: u64) -> Result<Block, StoreError> {
        assert!(
            number < self.header().block_count,
            "there is no block {number}"
        );
        let mut buffer = Vec::new();
        let offset = self.header().table_offset() + number * ENTRY_BYTES as u64;
        let bytes = self.bytes_at(offset, ENTRY_BYTES, &mut buffer)?;
        let block = Block::decode(bytes.first_chunk().expect("that many were asked for"));
        self.check_entry(number, &block)?;
        Ok(block)
    }

    fn check_entry(&self, number: u64, block: &Block) -> Result<(), StoreError> {
        let wrong = |field: &'static str, found: u64, expected: String| {
            StoreError::field(self.name(), Part::Entry(number), field, found, expected)
        };
        let expect = |field: &'static str, found: u64, expected: u64| match found == expected {
            true => Ok(()),
            false => Err(wrong(field, found, expected.to_string())),
        };
        expect(
            "items",
            block.items.into(),
            self.header().items_in(number).into(),
        )?;
        if !self.header().compact {
            let expected = self.header().plain_block(number);
            expect("offset", block.offset, expected.offset)?;
            expect("length", block.bytes.into(), expected.bytes.into())?;
            return expect("parameter", block.parameter.into(), 0);
        }
        let (start, end) = (
            HEADER_BYTES as u64,
            HEADER_BYTES as u64 + self.header().payload_bytes,
        );
        if !block.offset.is_multiple_of(8) || !(start..=end).contains(&block.offset) {
            let expected = format!("a multiple of 8 from {start} to {end}");
            return Err(wrong("offset", block.offset, expected));
        }
        if !block.bytes.is_multiple_of(8) || u64::from(block.bytes) > end - block.offset {
            let expected = format!("a multiple of 8, at most {}", end - block.offset);
            return Err(wrong("length", block.bytes.into(), expected));
        }
        let bits = 6 * self.header().material.piece_count() as u32;
        match block.parameter <= bits {
            true => Ok(()),
            false => {
                let expected = format!("at most {bits}, the bits of an index");
                Err(wrong("parameter", block.parameter.into(), expected))
            }
        }
    }

    /// The indices of a block: where they lie, if they are plain words in memory, else in `buffer`. Their
    /// checksum is not checked; [`read_checked_block`](IndexFile::read_checked_block) does that.
    ///
    /// # Errors
    /// If `W` is not the file's word, if the block's table entry or the bits of a compact block are
    /// impossible, if the bytes are not aligned for words, or if the file can't be read.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn read_block<'a, W: Word>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
    ) -> Result<&'a [W], StoreError> {
        self.check_word::<W>()?;
        let block = self.block(number)?;
        let bytes = self.bytes_at(block.offset, block.bytes as usize, &mut buffer.bytes)?;
        if !self.header().compact {
            return self.cast(bytes);
        }
        self.decode(number, &block, bytes, &mut buffer.words)?;
        Ok(&buffer.words)
    }

    /// The indices of a block, checked: they are those that were written.
    ///
    /// # Errors
    /// As for [`read_block`](IndexFile::read_block), if the checksum of the block's bytes or its first
    /// index differs from the block table, and if an index has bits above its digits.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn read_checked_block<'a, W: Word>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
    ) -> Result<&'a [W], StoreError> {
        self.check_word::<W>()?;
        let block = self.block(number)?;
        let (words, _) = self.checked_words_of(number, &block, buffer, &mut |_| {})?;
        Ok(words)
    }

    /// The entry of a block and its indices, checked as by
    /// [`read_checked_block`](IndexFile::read_checked_block) and to be in the order that the header claims.
    /// `look` is shown them in parts that the nearest cache holds, before they are known to be good.
    pub(in crate::store) fn read_ordered_block<'a, W: Word>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
        look: &mut dyn FnMut(&[W]),
    ) -> Result<(Block, &'a [W]), StoreError> {
        self.check_word::<W>()?;
        let block = self.block(number)?;
        let (words, ascend) = self.checked_words_of(number, &block, buffer, look)?;
        let header = self.header();
        if header.sorted && !ascend {
            let before = header.items_before(number);
            check_order(self.name(), &header.contents(), before, None, words)?;
        }
        Ok((block, words))
    }

    /// The indices of a block, after all checks that concern single indices, and whether they ascend as the
    /// header claims. All of it is done in one pass, in parts that the nearest cache holds.
    fn checked_words_of<'a, W: Word>(
        &'a self,
        number: u64,
        block: &Block,
        buffer: &'a mut BlockBuffer<W>,
        look: &mut dyn FnMut(&[W]),
    ) -> Result<(&'a [W], bool), StoreError> {
        let bytes = self.bytes_at(block.offset, block.bytes as usize, &mut buffer.bytes)?;
        let header = self.header();
        let mut checksum = crc32fast::Hasher::new();
        let words = if header.compact {
            checksum.update(bytes);
            self.check_checksum(number, block, checksum.clone().finalize())?;
            // Decoding trusts the entry, which the block's own checksum does not cover.
            self.check_table_once()?;
            self.decode(number, block, bytes, &mut buffer.words)?;
            buffer.words.as_slice()
        } else {
            self.cast(bytes)?
        };
        let (mut bits, mut ascend, mut start) = (W::ZERO, true, 0);
        while start < words.len() {
            let end = words.len().min(start + AT_ONCE_BYTES / size_of::<W>());
            // The word before them is looked at again, so that every pair is.
            let scanned = scan(&words[start.saturating_sub(1)..end], header.distinct);
            bits |= scanned.0;
            ascend &= scanned.1;
            look(&words[start..end]);
            if !header.compact {
                checksum.update(bytemuck::cast_slice(&words[start..end]));
            }
            start = end;
        }
        self.check_checksum(number, block, checksum.finalize())?;
        let first = words[0].to_u64();
        if block.first != first {
            let (part, found) = (Part::Entry(number), block.first);
            return Err(StoreError::field(self.name(), part, "first", found, first));
        }
        let layout = Layout::of_material(header.material, header.numbering)
            .expect("the header's word holds its material");
        if !layout.is_valid(bits) {
            check_range(self.name(), layout, header.items_before(number), words)?;
        }
        Ok((words, ascend))
    }

    /// Checks the block table against its checksum.
    pub(in crate::store) fn check_table(&self) -> Result<(), StoreError> {
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
            return Err(StoreErrorKind::Checksum {
                part: Part::Table,
                start: header.table_offset(),
                end: header.file_bytes(),
                found: checksum,
                expected: header.table_checksum,
            }
            .at(self.name()));
        }
        Ok(())
    }

    /// Checks the block table, unless that was done.
    pub(in crate::store) fn check_table_once(&self) -> Result<(), StoreError> {
        if !self.table_is_good() {
            self.check_table()?;
            self.note_good_table();
        }
        Ok(())
    }

    fn check_checksum(&self, number: u64, block: &Block, found: u32) -> Result<(), StoreError> {
        if found == block.checksum {
            return Ok(());
        }
        Err(StoreErrorKind::Checksum {
            part: Part::Block(number),
            start: block.offset,
            end: block.offset + u64::from(block.bytes),
            found,
            expected: block.checksum,
        }
        .at(self.name()))
    }

    /// Decodes a compact block.
    fn decode<W: Word>(
        &self,
        number: u64,
        block: &Block,
        bytes: &[u8],
        words: &mut Vec<W>,
    ) -> Result<(), StoreError> {
        let end = 1 << (6 * self.header().material.piece_count());
        self.compact_block(number, block, bytes)?
            .decode(end, words)
            .map_err(|fault| self.undecodable(number, block, fault))
    }

    /// A compact block, whose table entry was checked before.
    pub(in crate::store) fn compact_block<'a>(
        &self,
        number: u64,
        block: &Block,
        bytes: &'a [u8],
    ) -> Result<CompactBlock<'a>, StoreError> {
        let words = self.cast::<u64>(bytes)?;
        CompactBlock::new(block.first, block.items as usize, block.parameter, words)
            .map_err(|fault| self.undecodable(number, block, fault))
    }

    fn undecodable(&self, number: u64, block: &Block, fault: Fault) -> StoreError {
        let items = block.items;
        StoreErrorKind::Undecodable {
            part: Part::Block(number),
            reason: match fault {
                Fault::TooShort => format!(
                    "its {} bytes have no room for {items} indices with {} low bits each",
                    block.bytes, block.parameter
                ),
                Fault::SetBits { found } => {
                    format!("{found} of its high bits are set, expected {items}, one an index")
                }
                Fault::TooLarge => "its last index is out of range".to_owned(),
                Fault::Excess => {
                    "bits that stand for nothing are set, or words are left over".to_owned()
                }
            },
        }
        .at(self.name())
    }
}
