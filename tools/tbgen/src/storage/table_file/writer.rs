//! Writes tables: rounds of blocks, one after the other, and the pages of the index that have them. The codes of blocks are taken
//! out of planes and compressed.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use lz4_flex::block::{compress_into, get_maximum_output_size};
use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::Row;

use super::header::Header;
use super::index::{Entry, PAGE_BLOCKS, Page, index_bytes, payload_bytes};
use super::stored_slots::StoredSlots;
use super::{BLOCK_SLOTS, FileError, values};
use crate::chess::piece_set::Endgame;
use crate::table::codes::MOST_CODES;
use crate::table::planes::Planes;
use crate::table::revision::REVISION;
use crate::table::shape::Shape;
use crate::table::slices::illegal_in;
use crate::table::solved::Table;
use crate::table::temp_file::write_at;
use crate::table::transpose::codes_of;
use crate::table::value::{Metric, Value};

/// The number of blocks that are made at the same time: for each of up to four threads those of a slice of up to four men
/// besides the kings' slices, or as many of a larger one.
pub(crate) fn blocks_at_once(shape: &Shape) -> usize {
    /// The most blocks for a thread.
    const OF_THREAD: usize = 4096;
    let of_thread = OF_THREAD.min(shape.any_domain().slabs());
    let blocks = of_thread * rayon::current_num_threads().next_power_of_two();
    blocks.clamp(256, 4 * OF_THREAD)
}

impl Table {
    /// The path of an endgame's table in a folder.
    #[must_use]
    pub fn path(folder: &Path, endgame: impl Into<Endgame>, metric: Metric) -> PathBuf {
        let endgame = endgame.into().normal();
        folder.join(format!("{endgame}.{}", metric.extension()))
    }

    /// Writes the blocks of one of some writers of a file: in each round those of its number. The first writes the index, too.
    /// Returns the bytes that the file begins with, which make it whole when all have written. `share` sends all writers the same
    /// bytes and returns those of all, by their numbers; `heed_stop` ends all of them together.
    ///
    /// # Errors
    /// If there are too many values, the system refuses, or as of `heed_stop`.
    pub(crate) fn write_share(
        &self,
        (path, file): (&Path, &File),
        (number, writers): (usize, usize),
        share: impl Fn(Vec<u8>) -> Vec<Vec<u8>>,
        heed_stop: impl Fn() -> Result<(), FileError>,
    ) -> Result<Vec<u8>, FileError> {
        let io = FileError::io(path, "write to the file");
        let values = Color::ALL.map(|side| self.values(side));
        let counts = values.each_ref().map(Vec::len);
        for side in Color::ALL {
            let values = counts[side as usize];
            if values > MOST_CODES {
                let path = path.to_owned();
                return Err(FileError::Values { path, side, values });
            }
        }
        let list = values::encode(values.iter().flatten());
        let mut header = Header {
            shape: self.shape.in_letters(self.shape.endgame().own()),
            metric: self.metric,
            values: counts,
            payload_bytes: 0,
            values_checksum: crc32fast::hash(&list),
            index_checksum: 0,
            revision: REVISION,
        };
        let mut index = crc32fast::Hasher::new();
        let blocks = header.blocks();
        // Writers may have other numbers of threads.
        let at_once = share(blocks_at_once(&self.shape).to_le_bytes().to_vec()).into_iter();
        let at_once =
            at_once.map(|bytes| usize::from_le_bytes(bytes.try_into().expect("a number")));
        let at_once = at_once.min().expect("a writer");
        let mut made = Blocks::new(self, &values, header.block_slots());
        for round in (0..blocks).step_by(at_once * writers) {
            let begin = blocks.min(round + at_once * number);
            let mine = made.make(begin..blocks.min(begin + at_once)).map_err(io)?;
            let entries = mine.iter().map(|block| Entry::of(block).encode());
            let shared = share(entries.flatten().collect());
            let before = shared[..number].concat();
            let mut at = header.payload_offset()
                + header.payload_bytes
                + payload_bytes(before.as_chunks().0);
            for blocks in mine.chunks(PAGE_BLOCKS).map(<[Vec<u8>]>::concat) {
                write_at(file, &blocks, at).map_err(io)?;
                at += blocks.len() as u64;
            }
            let entries = shared.concat();
            let pages = entries.as_chunks().0.chunks(PAGE_BLOCKS);
            for (entries, page) in pages.zip(round / PAGE_BLOCKS..) {
                let at = header.index_offset() + index_bytes(page * PAGE_BLOCKS);
                let page = Page {
                    number: page,
                    offset: header.payload_bytes,
                    entries,
                };
                index.update(&page.checksum().to_le_bytes());
                if number == 0 {
                    write_at(file, &page.encode(), at).map_err(io)?;
                }
                header.payload_bytes += payload_bytes(entries);
            }
            tbindex::fail_point!("tbgen::blocks_written");
            heed_stop()?;
        }
        header.index_checksum = index.finalize();
        Ok([&header.encode()[..], &list].concat())
    }
}

/// Makes the blocks of a table.
struct Blocks<'t> {
    table: &'t Table,
    /// The file's values of each side.
    values: &'t [Vec<Value>; 2],
    /// The words of a block.
    words: usize,
    kept: StoredSlots,
    /// The slices that are open, and their numbers.
    open: (Range<usize>, Vec<OpenSlice<'t>>),
}

/// A slice with a side to move, of which blocks are made.
struct OpenSlice<'t> {
    planes: Cow<'t, Planes>,
    illegal: Vec<Row>,
    /// The file's code for each code of the part.
    codes: Vec<u16>,
    two_bytes: bool,
}

impl<'t> Blocks<'t> {
    fn new(table: &'t Table, values: &'t [Vec<Value>; 2], block_slots: usize) -> Blocks<'t> {
        Blocks {
            table,
            values,
            words: block_slots / 64,
            kept: StoredSlots::new(table.shape.any_domain().men()),
            open: (0..0, Vec::new()),
        }
    }

    /// Blocks by their numbers, compressed by the threads of the current rayon pool. Their slices stay open for those that are
    /// made next.
    fn make(&mut self, numbers: Range<usize>) -> io::Result<Vec<Vec<u8>>> {
        let slabs = self.table.shape.any_domain().slabs();
        let slices = numbers.start / slabs..numbers.end.div_ceil(slabs);
        if slices != self.open.0 {
            self.open.1.clear();
            let open = (slices.clone().into_par_iter()).map(|slice| self.open_slice(slice));
            self.open = (slices, open.collect::<io::Result<_>>()?);
        }
        let (slices, open) = &self.open;
        let block = |[codes, packed]: &mut [Vec<u8>; 2], number: usize| {
            let first = number % slabs * 64;
            let slice = &open[number / slabs - slices.start];
            slice.codes_into(first..first + self.words, &self.kept, codes);
            packed.resize(get_maximum_output_size(codes.len()), 0);
            let length = compress_into(codes, packed).expect("room for all");
            match length < codes.len() {
                true => packed[..length].to_vec(),
                false => codes.clone(),
            }
        };
        Ok(numbers
            .into_par_iter()
            .map_init(Default::default, block)
            .collect())
    }

    /// Opens a slice. White's slices come first.
    fn open_slice(&self, number: usize) -> io::Result<OpenSlice<'t>> {
        let slices = self.table.shape.any_domain().slices();
        let (part, slice) = (number / slices, number % slices);
        let (side, part) = (part / self.table.parts.len(), part % self.table.parts.len());
        let part = &self.table.parts[part];
        let values = &self.values[side];
        let codes = part.sides[side].values.iter().map(|value| {
            let code = values.iter().position(|there| there == value);
            code.expect("all values are there") as u16
        });
        Ok(OpenSlice {
            planes: part.sides[side].slices[slice].open()?,
            illegal: illegal_in(&part.domain, slice, Color::ALL[side], Backend::detect()),
            codes: codes.collect(),
            two_bytes: values.len() > 256,
        })
    }
}

impl OpenSlice<'_> {
    /// Makes bytes those of the codes of the slots in some words that are kept: the low bytes, and behind them the high ones, if
    /// there are any. An illegal position has the code of the one before it, which compresses best.
    fn codes_into(&self, words: Range<usize>, kept: &StoredSlots, bytes: &mut Vec<u8>) {
        let mut all = [0; BLOCK_SLOTS];
        let (mut count, mut last) = (0, 0);
        for word in words {
            let kept = kept.word(word);
            let legal = kept & !self.illegal[word / 8].0[word % 8];
            if legal == 0 {
                let end = count + kept.count_ones() as usize;
                all[count..end].fill(last);
                count = end;
                continue;
            }
            // A part may have more codes than the table has values.
            let codes = codes_of(&self.planes.words(word));
            for (square, code) in codes.into_iter().enumerate() {
                if legal >> square & 1 != 0 {
                    last = self.codes[usize::from(code)];
                }
                if kept >> square & 1 != 0 {
                    all[count] = last;
                    count += 1;
                }
            }
        }
        bytes.clear();
        bytes.extend(all[..count].iter().map(|&code| code as u8));
        if self.two_bytes {
            bytes.extend(all[..count].iter().map(|&code| (code >> 8) as u8));
        }
    }
}
