//! Sets of positions of a slice without the words that have none, and their bytes.
//!
//! Which words there are is *noted*: for each slab that has positions there are its number, less that of the one before
//! and one more, in a varint of seven bits a byte, the lowest first; a byte with a bit for each of its eight rows; and for
//! each row with positions a byte with a bit for each of its eight words. The words themselves are kept apart from this.
//!
//! The bytes of a set are four with the length of the notes, the notes, and the words, all little-endian. The entry of what a
//! ply found in a slice has these bytes, and none if that is nothing. Where they are compressed by LZ4, their length is before
//! them.

use std::cell::Cell;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use lz4_flex::block::{compress_prepend_size, decompress_into};
use serde::{Deserialize, Serialize};
use tbindex::bitbase::{FrontierSlice, Row};

use crate::table::slab::{Slab, any};
use crate::table::temp_file::TempFile;

/// The fault of the bytes of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not what a ply found in a slice")]
pub struct BadEntry;

/// A set of positions of a slice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    notes: Vec<u8>,
    words: Vec<u8>,
    /// The number after the last slab's.
    next: usize,
}

impl Sparse {
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds a slab with positions. Its number has to be greater than that of the last.
    #[inline(always)]
    pub(crate) fn add(&mut self, slab: usize, rows: &Slab) {
        let mut active = 0;
        for (r, row) in rows.iter().enumerate() {
            active |= u8::from(!row.is_empty()) << r;
        }
        self.add_rows(slab, active, rows);
    }

    /// Adds a slab, of which these rows have positions.
    #[inline(always)]
    fn add_rows(&mut self, slab: usize, active: u8, rows: &Slab) {
        let mut ahead = slab - self.next;
        self.next = slab + 1;
        while ahead > 0x7f {
            self.notes.push(0x80 | (ahead & 0x7f) as u8);
            ahead >>= 7;
        }
        self.notes.extend_from_slice(&[ahead as u8, active]);
        for (r, row) in rows.iter().enumerate() {
            if active >> r & 1 == 0 {
                continue;
            }
            let (mut words, mut count, mut mask) = ([0; 8], 0, 0);
            for (k, &word) in row.0.iter().enumerate() {
                words[count & 7] = word.to_le();
                count += usize::from(word != 0);
                mask |= u8::from(word != 0) << k;
            }
            self.words
                .extend_from_slice(bytemuck::cast_slice(&words[..count]));
            self.notes.push(mask);
        }
    }

    /// Hands over the slabs with positions, in order.
    #[inline(always)]
    pub(crate) fn for_each_slab(&self, each: impl FnMut(usize, &Slab)) {
        read(&self.notes, &self.words, self.next, each).expect("notes of its own");
    }

    /// Makes bytes those of the set.
    fn write_into(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(&(self.notes.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.notes);
        bytes.extend_from_slice(&self.words);
    }
}

/// The most bytes of a buffer that a thread keeps: those of a set of a slice of six men, or of five with a pawn, and its notes.
const MOST_SPARE: usize = 4 << 20;

/// Lends a set without positions and bytes, which are to be overwritten. Each thread keeps them for the next time, because fresh
/// memory costs more than what is emptied.
fn lend<R>(work: impl FnOnce(&mut Sparse, &mut Vec<u8>) -> R) -> R {
    thread_local!(static SPARE: Cell<(Sparse, Vec<u8>)> = Cell::default());
    let (mut set, mut bytes) = SPARE.take();
    let result = work(&mut set, &mut bytes);
    for buffer in [&mut set.notes, &mut set.words, &mut bytes] {
        if buffer.capacity() > MOST_SPARE {
            *buffer = Vec::new();
        }
    }
    set.notes.clear();
    set.words.clear();
    set.next = 0;
    SPARE.set((set, bytes));
    result
}

/// A set of positions of a slice to which nothing more is added, in memory or put aside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Stored {
    /// Its bytes, compressed, which is slow, but memory is dearer than files.
    Compressed(#[serde(with = "serde_bytes")] Vec<u8>),
    #[serde(skip)]
    Memory(Sparse),
    /// The place of its bytes in a file.
    #[serde(skip)]
    File(Arc<TempFile>, Range<u64>),
}

impl Stored {
    pub(crate) fn of(mut set: Sparse) -> Stored {
        set.notes.shrink_to_fit();
        set.words.shrink_to_fit();
        Stored::Memory(set)
    }

    /// The set of rows, which are in order in chunks of so many slabs at most, empty ones among them, put aside: in a file if there
    /// is one, or else compressed.
    pub(crate) fn aside<'a>(
        chunks: impl IntoIterator<Item = &'a [Row]>,
        slabs: usize,
        temp_file: Option<&Arc<TempFile>>,
    ) -> io::Result<Stored> {
        lend(|set, bytes| {
            for (number, chunk) in chunks.into_iter().enumerate() {
                for (slab, rows) in (number * slabs..).zip(chunk.as_chunks().0) {
                    if any(rows) {
                        set.add(slab, rows);
                    }
                }
            }
            set.write_into(bytes);
            Ok(match temp_file {
                Some(temp_file) => Stored::File(Arc::clone(temp_file), temp_file.append(bytes)?),
                None => Stored::Compressed(compress_prepend_size(bytes)),
            })
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Stored::Memory(set) if set.is_empty())
    }

    /// Puts the set into a file, if it has positions and is in memory.
    pub(crate) fn put_aside(&mut self, temp_file: &Arc<TempFile>) -> io::Result<()> {
        if let Stored::Memory(set) = self
            && !set.is_empty()
        {
            let set = std::mem::take(set);
            let place = lend(|_, bytes| {
                set.write_into(bytes);
                temp_file.append(bytes)
            });
            *self = Stored::File(Arc::clone(temp_file), place?);
        }
        Ok(())
    }

    /// Hands over the slabs with positions, of a slice of so many slabs, in order. Only what is not in memory can fail.
    pub(crate) fn for_each_slab(
        &self,
        slabs: usize,
        each: impl FnMut(usize, &Slab),
    ) -> io::Result<()> {
        match self {
            Stored::Memory(set) => {
                set.for_each_slab(each);
                Ok(())
            }
            Stored::Compressed(packed) => unpack(packed, slabs, each).map_err(io::Error::other),
            Stored::File(temp_file, place) => lend(|_, bytes| {
                bytes.resize((place.end - place.start) as usize, 0);
                temp_file.read_at(bytes, place.start)?;
                decode(bytes, slabs, each).map_err(io::Error::other)
            }),
        }
    }
}

/// Makes the entry of a frontier's slice, empty if it has no position, and returns the number of positions.
pub fn encode(slice: &FrontierSlice<'_>, into: &mut Vec<u8>) -> u64 {
    if slice.is_empty() {
        into.clear();
        return 0;
    }
    lend(|set, _| {
        slice.for_each_slab(|slab, active, rows| set.add_rows(slab, active, rows));
        set.write_into(into);
        let words = set.words.as_chunks().0.iter();
        words
            .map(|word| u64::from(u64::from_le_bytes(*word).count_ones()))
            .sum()
    })
}

/// Hands over the slabs of a set's bytes, compressed by LZ4, as [`decode`] does.
pub(crate) fn unpack(
    packed: &[u8],
    slabs: usize,
    each: impl FnMut(usize, &Slab),
) -> Result<(), BadEntry> {
    let (length, compressed) = packed.split_first_chunk().ok_or(BadEntry)?;
    let length = u32::from_le_bytes(*length) as usize;
    // LZ4 makes nothing shorter by more than this, and what is damaged may claim 4 GiB.
    if length / 256 > packed.len() {
        return Err(BadEntry);
    }
    lend(|_, bytes| {
        bytes.resize(length, 0);
        let length = decompress_into(compressed, bytes).map_err(|_| BadEntry)?;
        decode(&bytes[..length], slabs, each)
    })
}

/// Hands over the slabs of a set's bytes, of a slice of so many slabs, in order.
///
/// # Errors
/// If the bytes are not those of a set.
pub fn decode(bytes: &[u8], slabs: usize, each: impl FnMut(usize, &Slab)) -> Result<(), BadEntry> {
    let (length, rest) = bytes.split_first_chunk().ok_or(BadEntry)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (notes, words) = rest.split_at_checked(length).ok_or(BadEntry)?;
    read(notes, words, slabs, each)
}

/// Hands over the slabs of which there are notes and words, of a slice of so many slabs, in order.
#[inline(always)]
fn read(
    mut notes: &[u8],
    mut words: &[u8],
    slabs: usize,
    mut each: impl FnMut(usize, &Slab),
) -> Result<(), BadEntry> {
    let mut next = 0;
    while let Some(&first) = notes.split_off_first() {
        let (mut byte, mut ahead, mut shift) = (first, usize::from(first & 0x7f), 7);
        while byte & 0x80 != 0 {
            if shift >= 56 {
                return Err(BadEntry);
            }
            byte = *notes.split_off_first().ok_or(BadEntry)?;
            ahead |= usize::from(byte & 0x7f) << shift;
            shift += 7;
        }
        let slab = next + ahead;
        if slab >= slabs {
            return Err(BadEntry);
        }
        next = slab + 1;
        let mut rows = [Row::EMPTY; 8];
        let mut active = *notes.split_off_first().ok_or(BadEntry)?;
        while active != 0 {
            let row = &mut rows[active.trailing_zeros() as usize];
            active &= active - 1;
            let mut mask = *notes.split_off_first().ok_or(BadEntry)?;
            if mask == 0xff {
                let (all, rest) = words.as_chunks().0.split_first_chunk().ok_or(BadEntry)?;
                row.0 = all.map(u64::from_le_bytes);
                words = rest.as_flattened();
                continue;
            }
            while mask != 0 {
                let (word, rest) = words.split_first_chunk().ok_or(BadEntry)?;
                row.0[mask.trailing_zeros() as usize] = u64::from_le_bytes(*word);
                words = rest;
                mask &= mask - 1;
            }
        }
        each(slab, &rows);
    }
    match words {
        [] => Ok(()),
        _ => Err(BadEntry),
    }
}
