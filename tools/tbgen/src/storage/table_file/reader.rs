//! Looks up positions in a table file, block by block.

use std::array::from_fn;
use std::iter::repeat;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crc32fast::Hasher;
use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::Row;
use tbindex::store::{FileReads, Storage};
use tbindex::{Bitboard, Color, Material, Position};

use super::header::Header;
use super::index::{Entry, PAGE_BLOCKS, Page, index_bytes, payload_bytes};
use super::stored_slots::StoredSlots;
use super::{BLOCK_SLOTS, FileError, HEADER_BYTES, VALUE_BYTES, check, heed_stop, values};
use crate::chess::piece_set::Endgame;
use crate::storage::header::is_of;
use crate::table::slices::illegal_in;
use crate::table::slots::{Slot, in_order};
use crate::table::value::{Metric, Value};

/// The action that fails if a part of a file can't be read.
const READING: &str = "read the file";

fn read<'a>(
    path: &Path,
    data: &'a FileReads,
    offset: u64,
    length: usize,
    buffer: &'a mut Vec<u64>,
) -> Result<&'a [u8], FileError> {
    let bytes = data.bytes(offset, length, buffer);
    bytes.map_err(FileError::io(path, READING))
}

/// A mapped table file. A probe decodes one block.
#[derive(Debug)]
pub struct TableFile {
    /// Another for each file that was opened.
    number: u64,
    pub(super) path: PathBuf,
    pub(super) header: Header,
    /// The values of the codes that a table in memory has, and these codes by those of the file.
    pub(super) values: [Arc<Vec<Value>>; 2],
    codes: [Vec<u16>; 2],
    /// The slots of a slice that are in the file.
    pub(super) kept: StoredSlots,
    data: FileReads,
}

/// The decoded blocks that the process keeps, of up to 4096 codes each: two to the power of so many.
const KEPT_BITS: u32 = 10;

/// The most bytes that the process keeps of decoded blocks.
pub(crate) const KEPT_BYTES: u64 = (2 * 4096) << KEPT_BITS;

/// A block of which slots were looked up lately, by the number of its file and its own.
struct Decoded {
    block: Option<(u64, usize)>,
    codes: Vec<u8>,
}

/// The blocks that all threads have decoded. Whoever decodes a block holds its place, so that no other thread decodes it, too.
static DECODED: [Mutex<Decoded>; 1 << KEPT_BITS] = [const {
    Mutex::new(Decoded {
        block: None,
        codes: Vec::new(),
    })
}; 1 << KEPT_BITS];

impl TableFile {
    /// Opens a table file, and checks its header and values. The pages of its index and its blocks are read and checked when
    /// they are used, so it takes as long whatever the size of the file.
    ///
    /// # Errors
    /// If the system refuses, or if the file is damaged or is no table file.
    pub fn open(path: &Path) -> Result<TableFile, FileError> {
        let data = FileReads::open(path)?;
        let mut buffer = Vec::new();
        let length = (data.byte_count()).map_err(FileError::io(path, READING))?;
        let begins = (HEADER_BYTES as u64).min(length) as usize;
        let bytes = read(path, &data, 0, begins, &mut buffer)?;
        let header = Header::decode(path, bytes, length)?;

        let count = header.values.iter().sum::<usize>() * VALUE_BYTES;
        let (at, end) = (HEADER_BYTES as u64, header.index_offset());
        let bytes = read(path, &data, at, (end - at) as usize, &mut buffer)?;
        let (bytes, padding) = bytes.split_at(count);
        if let Some(found) = padding.iter().find(|&&byte| byte != 0) {
            let what = "a byte between the values and the index";
            return Err(FileError::field(path, what, found, 0));
        }
        let found = crc32fast::hash(bytes);
        check(path, "the list of values", found, header.values_checksum)?;
        let (metric, before) = (header.metric, header.values[0]);
        let (white, black) = bytes.split_at(before * VALUE_BYTES);
        let (white, white_codes) = values::decode(path, (metric, Color::White), white, 0)?;
        let (black, black_codes) = values::decode(path, (metric, Color::Black), black, before)?;
        tbindex::fail_point!("tbgen::table_opened");
        static OPENED: AtomicU64 = AtomicU64::new(0);
        Ok(TableFile {
            number: OPENED.fetch_add(1, Ordering::Relaxed),
            path: path.to_owned(),
            kept: StoredSlots::new(header.shape.any_domain().men()),
            header,
            values: [Arc::new(white), Arc::new(black)],
            codes: [white_codes, black_codes],
            data,
        })
    }

    /// Opens the file of a table, as [`open`](TableFile::open) does.
    ///
    /// # Errors
    /// As of [`open`](TableFile::open), or if the file is of another endgame or metric.
    pub fn open_as(path: &Path, endgame: Endgame, metric: Metric) -> Result<TableFile, FileError> {
        let file = TableFile::open(path)?;
        is_of(path, (file.endgame(), file.metric()), (endgame, metric))?;
        Ok(file)
    }

    /// The table's material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.header.shape.material()
    }

    /// The table's material and what its letters stand for.
    #[must_use]
    pub fn endgame(&self) -> Endgame {
        self.header.shape.endgame()
    }

    /// The metric.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.header.metric
    }

    /// A checksum of the whole file, by the checksums that it has of its parts.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(&self.header.encode())
    }

    /// The same file, of whose values by the distance to zeroing a table has the outcomes alone, which are enough for those that
    /// lead to it.
    #[must_use]
    pub fn by_outcomes(mut self) -> TableFile {
        for (values, codes) in self.values.iter_mut().zip(&mut self.codes) {
            let code = |value: &Value| {
                let mut all = Value::OUTCOMES.iter();
                all.position(|of| of.outcome == value.outcome).unwrap_or(0) as u16
            };
            *codes = values.iter().map(code).collect();
            *values = Arc::new(Value::OUTCOMES.to_vec());
        }
        self
    }

    /// The words of a slice that a block has the codes of.
    pub(super) fn words(&self, block: usize) -> Range<usize> {
        let words = self.header.block_slots() / 64;
        let first = block % self.header.shape.any_domain().slabs() * 64;
        first..first + words
    }

    /// A page of the index, checked.
    pub(super) fn page<'a>(
        &'a self,
        number: usize,
        buffer: &'a mut Vec<u64>,
    ) -> Result<Page<'a>, FileError> {
        let begin = number * PAGE_BLOCKS;
        let end = self.header.blocks().min(begin + PAGE_BLOCKS);
        let [at, end] = [begin, end].map(index_bytes);
        let at_page = self.header.index_offset() + at;
        let bytes = read(&self.path, &self.data, at_page, (end - at) as usize, buffer)?;
        let (page, expected) = Page::decode(number, bytes);
        let part = format!("page {number} of the index");
        check(&self.path, &part, page.checksum(), expected)?;
        Ok(page)
    }

    /// Hands over blocks with their codes, low bytes first if they have two. The blocks of a page are read together.
    pub(super) fn blocks(
        &self,
        numbers: Range<usize>,
        mut each: impl FnMut(usize, Vec<u8>) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let mut buffer = Vec::new();
        let mut begin = numbers.start;
        while begin < numbers.end {
            let page = self.page(begin / PAGE_BLOCKS, &mut buffer)?;
            let end = numbers.end.min(page.blocks().end);
            self.read_blocks(&page, begin..end, &mut |number, entry, bytes| {
                each(number, self.decode(number, entry, bytes)?)
            })?;
            begin = end;
        }
        Ok(())
    }

    /// Reads some of the blocks of a page together, and hands over their bytes as they lie in the file.
    pub(super) fn read_blocks(
        &self,
        page: &Page<'_>,
        numbers: Range<usize>,
        each: &mut impl FnMut(usize, Entry, &[u8]) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let first = numbers.start - page.blocks().start;
        let (before, entries) = page.entries.split_at(first);
        let entries = &entries[..numbers.len()];
        let length = payload_bytes(entries);
        let offset = page.offset.checked_add(payload_bytes(before));
        let end = offset.and_then(|offset| offset.checked_add(length));
        let payload = self.header.payload_bytes;
        let Some(offset) = offset.filter(|_| end.is_some_and(|end| end <= payload)) else {
            let what = format!("the place of the blocks {numbers:?}");
            let found = format!("{} in the payload", page.offset);
            let expected = format!("one before its end at {payload}");
            return Err(FileError::field(&self.path, what, found, expected));
        };
        let mut buffer = Vec::new();
        let at = self.header.payload_offset() + offset;
        let mut bytes = read(&self.path, &self.data, at, length as usize, &mut buffer)?;
        for (number, entry) in numbers.zip(entries.iter().map(Entry::decode)) {
            let (block, rest) = bytes.split_at(usize::from(entry.length));
            bytes = rest;
            each(number, entry, block)?;
        }
        Ok(())
    }

    /// The codes of a block from its bytes.
    pub(super) fn decode(
        &self,
        number: usize,
        entry: Entry,
        bytes: &[u8],
    ) -> Result<Vec<u8>, FileError> {
        let part = format!("block {number}");
        check(&self.path, &part, crc32fast::hash(bytes), entry.checksum)?;
        let side = self.header.side_of(number);
        let items = self.kept.count(self.words(number)) * self.header.code_bytes(side);
        if bytes.len() == items {
            return Ok(bytes.to_vec());
        }
        let codes = lz4_flex::block::decompress(bytes, items).unwrap_or_default();
        if codes.len() == items && bytes.len() < items {
            Ok(codes)
        } else {
            let what = format!("the length of block {number}, decompressed,");
            Err(FileError::field(&self.path, what, codes.len(), items))
        }
    }

    /// The code that a table in memory has for one of the file.
    pub(super) fn own_code(&self, side: Color, code: u16) -> Result<u16, FileError> {
        let codes = &self.codes[side as usize];
        (codes.get(usize::from(code)).copied()).ok_or_else(|| {
            let what = format!("a code with {side} to move");
            let expected = format!("less than {}", codes.len());
            FileError::field(&self.path, what, code, expected)
        })
    }

    /// The value of a code of the file.
    pub(super) fn value_of(&self, side: Color, code: u16) -> Result<Value, FileError> {
        let code = self.own_code(side, code)?;
        Ok(self.values[side as usize][usize::from(code)])
    }

    /// The low and the high bytes of the codes that a table in memory has, from a block of the file. There may be no high
    /// ones.
    pub(super) fn own_codes(&self, side: Color, block: &[u8]) -> Result<[Vec<u8>; 2], FileError> {
        let [low, high] = self.bytes_of_codes(side, block)?;
        let codes = &self.codes[side as usize];
        if high.is_empty() && self.values[side as usize].len() <= 256 {
            let codes: [u8; 256] = from_fn(|code| codes.get(code).map_or(0, |&own| own as u8));
            let own = low.iter().map(|&code| codes[usize::from(code)]);
            return Ok([own.collect(), Vec::new()]);
        }
        let high = high.iter().copied().chain(repeat(0));
        let all = low.iter().zip(high).map(|(&low, high)| {
            let [low, high] = codes[usize::from(u16::from_le_bytes([low, high]))].to_le_bytes();
            (low, high)
        });
        let (low, high) = all.unzip();
        Ok([low, high])
    }

    /// The number of the block of a slot with like men in order.
    pub(super) fn block_of(&self, Slot { side, part, at }: Slot) -> usize {
        let domain = self.header.shape.any_domain();
        let part = side as usize * self.header.shape.parts() + part;
        (part * domain.slices() + at.slice) * domain.slabs() + at.offset as usize / BLOCK_SLOTS
    }

    /// The value of a legal position of this material, or of the material with exchanged colours.
    ///
    /// # Errors
    /// If the position has other pieces, or the file is damaged.
    pub fn value(&self, position: &Position) -> Result<Value, FileError> {
        self.value_at(self.header.shape.slot(position)?)
    }

    /// The value of a slot. The block that it decodes is kept for a while.
    pub(crate) fn value_at(&self, slot: Slot) -> Result<Value, FileError> {
        self.value_of(slot.side, self.code_at(slot)?)
    }

    /// The file's code of a slot. That of an illegal position means nothing.
    pub(super) fn code_at(&self, mut slot: Slot) -> Result<u16, FileError> {
        slot.at.offset = in_order(self.header.shape.any_domain().men(), slot.at.offset);
        let number = self.block_of(slot);
        let word = slot.at.offset as usize / 64;
        let before = self.kept.count(self.words(number).start..word);
        let last = self.kept.word(word) & ((1 << (slot.at.offset % 64)) - 1);
        let at = before + last.count_ones() as usize;
        // Neighbours in a file, and the same slots of other slices, are in other places.
        let hash = (number as u64 ^ self.number << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let decoded = &DECODED[(hash >> (64 - KEPT_BITS)) as usize];
        // A thread that panics leaves a whole block.
        let mut decoded = decoded.lock().unwrap_or_else(PoisonError::into_inner);
        let block = Some((self.number, number));
        if decoded.block != block {
            self.blocks(number..number + 1, |_, codes| {
                self.bytes_of_codes(slot.side, &codes)?;
                *decoded = Decoded { block, codes };
                Ok(())
            })?;
        }
        Ok(self.code_in(slot.side, &decoded.codes, at))
    }

    /// The code at a place of a block with those of a side to move.
    pub(super) fn code_in(&self, side: Color, codes: &[u8], at: usize) -> u16 {
        match self.header.code_bytes(side) {
            1 => codes[at].into(),
            _ => u16::from_le_bytes([codes[at], codes[codes.len() / 2 + at]]),
        }
    }

    /// Checks the index, and decodes and checks all blocks, on the threads of the current rayon pool, a page at a time for each, unless
    /// a flag stops it.
    ///
    /// # Errors
    /// If the file is damaged, or the flag is set.
    pub fn check(&self, stop: Option<&AtomicBool>) -> Result<(), FileError> {
        let pages = 0..self.header.blocks().div_ceil(PAGE_BLOCKS);
        let (mut checksums, mut end, mut buffer) = (Hasher::new(), 0, Vec::new());
        let follows = |found: u64, expected: u64| {
            let what = "the place in the payload behind some blocks";
            let wrong = || FileError::field(&self.path, what, found, expected);
            (found == expected).then_some(()).ok_or_else(wrong)
        };
        for number in pages.clone() {
            let page = self.page(number, &mut buffer)?;
            follows(page.offset, end)?;
            end += payload_bytes(page.entries);
            checksums.update(&page.checksum().to_le_bytes());
        }
        let (found, expected) = (checksums.finalize(), self.header.index_checksum);
        check(&self.path, "the index", found, expected)?;
        follows(self.header.payload_bytes, end)?;
        pages.into_par_iter().try_for_each_init(
            || (Vec::new(), (None, Vec::new())),
            |(buffer, illegal), number| {
                heed_stop(stop)?;
                let page = self.page(number, buffer)?;
                self.read_blocks(&page, page.blocks(), &mut |number, entry, bytes| {
                    let block = self.decode(number, entry, bytes)?;
                    self.bytes_of_codes(self.header.side_of(number), &block)?;
                    self.check_illegal(number, &block, illegal)
                })
            },
        )
    }

    /// Checks that each illegal position of a block has the code of the one before it. Of slices with more than four men besides
    /// the kings, the illegal positions would take too much memory.
    fn check_illegal(
        &self,
        number: usize,
        block: &[u8],
        (slice, illegal): &mut (Option<usize>, Vec<Row>),
    ) -> Result<(), FileError> {
        let any = self.header.shape.any_domain();
        if any.men().len() > 4 {
            return Ok(());
        }
        let (side, of_block) = (self.header.side_of(number), number / any.slabs());
        if slice.replace(of_block) != Some(of_block) {
            let part = of_block / any.slices() % self.header.shape.parts();
            let domain = self.header.shape.domain(part);
            *illegal = illegal_in(&domain, of_block % any.slices(), side, Backend::detect());
        }
        let mut before = 0;
        for word in self.words(number) {
            let kept = self.kept.word(word);
            for square in Bitboard(kept & illegal[word / 8].0[word % 8]) {
                let at = before + (kept & ((1 << square.index()) - 1)).count_ones() as usize;
                let found = self.code_in(side, block, at);
                let expected = at
                    .checked_sub(1)
                    .map_or(0, |at| self.code_in(side, block, at));
                if found != expected {
                    let what = format!("code {at} of block {number}, of an illegal position,");
                    return Err(FileError::field(&self.path, what, found, expected));
                }
            }
            before += kept.count_ones() as usize;
        }
        Ok(())
    }

    /// The low and the high bytes of the codes of a block, which are checked. There may be no high ones.
    pub(super) fn bytes_of_codes<'b>(
        &self,
        side: Color,
        block: &'b [u8],
    ) -> Result<[&'b [u8]; 2], FileError> {
        let (low, more) = block.split_at(block.len() / self.header.code_bytes(side));
        // Folded, bytes are compared many at a time.
        let greatest = match more {
            [] => u16::from(low.iter().fold(0, |most, &low| low.max(most))),
            _ => (low.iter().zip(more)).fold(0, |most, (&low, &high)| {
                most.max(u16::from_le_bytes([low, high]))
            }),
        };
        if !low.is_empty() {
            self.own_code(side, greatest)?;
        }
        Ok([low, more])
    }
}
