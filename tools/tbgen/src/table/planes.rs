//! The values of a slice, bit by bit.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;

use tbindex::batch::Backend;
use tbindex::bitbase::{Domain, FrontierSlice, Row};
use tbindex::dispatch;

use crate::table::code_sets::CodeSets;
use crate::table::codes::{BITS, at_least};
use crate::table::slab::{Slab, any};
use crate::table::sparse::Stored;
use crate::table::temp_file::TempFile;

/// The number of rows that are kept together: those of a slice of three men.
const CHUNK: usize = 512;

/// The values of a slice in bit planes: bit b of a position's code is in plane b.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    /// By bits. All planes have the same chunks of rows, of which empty ones may be left out.
    planes: Vec<Vec<Vec<Row>>>,
    /// The planes elsewhere; then there is nothing in `planes`.
    packed: Option<Packed>,
}

/// Where the planes of a slice come from when they are wanted.
#[derive(Clone, Debug)]
enum Packed {
    /// Planes of so many rows, stored one by one.
    Planes(usize, Vec<Stored>),
    /// A slice of something that has planes.
    Elsewhere(Arc<dyn PlaneSource>, usize),
}

/// Something from which the planes of slices can be made.
pub(crate) trait PlaneSource: fmt::Debug + Send + Sync {
    /// The planes of a slice.
    fn planes(&self, slice: usize) -> io::Result<Planes>;

    /// The code of one slot of a slice, if it can be had without all others. That of an illegal position means nothing.
    fn code(&self, _slice: usize, _offset: u64) -> Option<io::Result<u16>> {
        None
    }
}

impl Planes {
    /// The rows of a chunk of the plane of a bit, made if they are not there.
    fn chunk(&mut self, bit: usize, chunk: usize, rows: usize) -> &mut [Row] {
        while self.planes.len() <= bit {
            self.planes.push(vec![Vec::new(); rows.div_ceil(CHUNK)]);
        }
        let made = &mut self.planes[bit][chunk];
        if made.is_empty() {
            *made = vec![Row::EMPTY; rows.min(CHUNK)];
        }
        made
    }

    /// The planes of a slice that are made when they are wanted.
    pub(crate) fn elsewhere(origin: Arc<dyn PlaneSource>, slice: usize) -> Planes {
        Planes {
            planes: Vec::new(),
            packed: Some(Packed::Elsewhere(origin, slice)),
        }
    }

    /// Records a code for positions of a slab of a slice of so many rows that had none, or one whose bits are among its own.
    pub fn add(&mut self, slab: usize, these: &Slab, rows: usize, code: u16) {
        let at = slab * 8;
        for bit in (0..BITS).filter(|bit| code >> bit & 1 != 0) {
            let chunk = &mut self.chunk(bit, at / CHUNK, rows)[at % CHUNK..][..8];
            for (mine, these) in chunk.iter_mut().zip(these) {
                *mine |= *these;
            }
        }
    }

    /// Records a code for the positions of a frontier's slice of so many rows, which had none, or one whose bits are among its
    /// own.
    pub(crate) fn record(
        &mut self,
        new: &FrontierSlice<'_>,
        rows: usize,
        code: u16,
        backend: Backend,
    ) {
        // First the chunks are made that there are not yet.
        let mut last = None;
        new.for_each_slab(|slab, _, _| {
            let chunk = slab * 8 / CHUNK;
            if last.replace(chunk) != Some(chunk) {
                for bit in (0..BITS).filter(|bit| code >> bit & 1 != 0) {
                    self.chunk(bit, chunk, rows);
                }
            }
        });
        dispatch!(backend, _ => self.put_all(new, code));
    }

    #[inline(always)]
    fn put_all(&mut self, new: &FrontierSlice<'_>, code: u16) {
        new.for_each_slab(
            #[inline(always)]
            |slab, active, these| {
                let at = slab * 8;
                let planes = self.planes.iter_mut().enumerate();
                for (_, plane) in planes.filter(|(bit, _)| code >> bit & 1 != 0) {
                    let mine = &mut plane[at / CHUNK][at % CHUNK..];
                    let mine: &mut Slab = mine.first_chunk_mut().expect("eight");
                    let mut left = active;
                    while left != 0 {
                        let r = left.trailing_zeros() as usize & 7;
                        left &= left - 1;
                        mine[r] |= these[r];
                    }
                }
            },
        );
    }

    /// The rows of a slab in the plane of a bit, if the plane has anything there.
    #[inline(always)]
    fn slab_of(&self, bit: usize, slab: usize) -> Option<&Slab> {
        let chunk = &self.planes.get(bit)?[slab * 8 / CHUNK];
        chunk.get(slab * 8 % CHUNK..)?.first_chunk()
    }

    /// The rows of a slab in each plane, and how many planes there are.
    #[inline(always)]
    pub(crate) fn slabs_at(&self, slab: usize) -> ([&Slab; BITS], usize) {
        // Written out: what an array is made by might not be inlined.
        let mut all: [&Slab; BITS] = [&[Row::EMPTY; 8]; BITS];
        for (bit, rows) in all.iter_mut().enumerate() {
            *rows = self.slab_of(bit, slab).unwrap_or(rows);
        }
        (all, self.planes.len())
    }

    /// A row of each plane.
    pub(crate) fn rows_at(&self, row: usize) -> [Row; BITS] {
        std::array::from_fn(|bit| self.row(bit, row))
    }

    /// Gives positions of a slab of a slice of so many rows the codes in these planes, in place of what they had.
    #[inline(always)]
    pub(crate) fn replace_by(&mut self, slab: usize, these: &Slab, codes: &[Slab], rows: usize) {
        let at = slab * 8;
        for bit in 0..self.planes.len().max(codes.len()) {
            let new = codes.get(bit).unwrap_or(&[Row::EMPTY; 8]);
            if self.slab_of(bit, slab).is_none() && (0..8).all(|r| (new[r] & these[r]).is_empty()) {
                continue;
            }
            let chunk = &mut self.chunk(bit, at / CHUNK, rows)[at % CHUNK..][..8];
            for (r, mine) in chunk.iter_mut().enumerate() {
                *mine = (*mine & !these[r]) | (new[r] & these[r]);
            }
        }
    }

    /// Puts a slab with positions into the plane of a bit of a slice of so many rows.
    pub(crate) fn put_slab(&mut self, bit: usize, slab: usize, rows: usize, these: &Slab) {
        if any(these) {
            let at = slab * 8;
            self.chunk(bit, at / CHUNK, rows)[at % CHUNK..][..8].copy_from_slice(these);
        }
    }

    /// The number of planes, of planes that are not packed.
    pub(crate) fn count(&self) -> usize {
        self.planes.len()
    }

    /// A row of the plane of a bit.
    pub(crate) fn row(&self, bit: usize, row: usize) -> Row {
        let rows = self.planes.get(bit).map(|plane| &plane[row / CHUNK]);
        *rows
            .and_then(|rows| rows.get(row % CHUNK))
            .unwrap_or(&Row::EMPTY)
    }

    /// Whether no position has a code from `end` on, of planes that are not packed and have so many rows.
    pub(crate) fn are_below(&self, end: usize, rows: usize) -> bool {
        let count = self.planes.len();
        let is_below = |row| at_least(&self.rows_at(row)[..count], end).is_empty();
        count <= BITS && (end >> count != 0 || (0..rows).all(is_below))
    }

    /// The code of a slot. In a file, that of an illegal position means nothing.
    pub(crate) fn code_at(&self, offset: u64) -> io::Result<u16> {
        let word_number = (offset >> 6) as usize;
        let mut words = [0; BITS];
        match &self.packed {
            None => words = self.words(word_number),
            Some(Packed::Elsewhere(origin, slice)) => match origin.code(*slice, offset) {
                Some(code) => return code,
                None => words = origin.planes(*slice)?.words(word_number),
            },
            Some(Packed::Planes(rows, planes)) => {
                for (word, plane) in words.iter_mut().zip(planes) {
                    plane.for_each_slab(rows / 8, |slab, these| {
                        if slab == word_number / 64 {
                            *word = these[word_number / 8 % 8].0[word_number % 8];
                        }
                    })?;
                }
            }
        }
        let bits = words.iter().enumerate();
        Ok(bits.fold(0, |code, (bit, word)| {
            code | ((word >> (offset & 63) & 1) as u16) << bit
        }))
    }

    /// Bit b of the codes of 64 positions, for each b.
    pub(crate) fn words(&self, word_number: usize) -> [u64; BITS] {
        std::array::from_fn(|bit| self.word(bit, word_number))
    }

    /// A bit of the codes of 64 positions.
    pub(crate) fn word(&self, bit: usize, word_number: usize) -> u64 {
        self.row(bit, word_number / 8).0[word_number % 8]
    }

    /// Compresses the planes of a slice of so many rows; or, if there is a file, puts them there without their empty words.
    pub(crate) fn pack(
        &mut self,
        rows: usize,
        temp_file: Option<&Arc<TempFile>>,
    ) -> io::Result<()> {
        if self.packed.is_some() {
            return Ok(());
        }
        let planes = std::mem::take(&mut self.planes).into_iter();
        let packed = planes.map(|plane| aside(&plane, temp_file));
        let packed = packed.collect::<io::Result<_>>()?;
        self.packed = Some(Packed::Planes(rows, packed));
        Ok(())
    }

    /// The planes of a slice, stored one by one in memory.
    pub(crate) fn stored(&self) -> io::Result<Vec<Stored>> {
        let open = self.open()?;
        open.planes.iter().map(|plane| aside(plane, None)).collect()
    }

    /// The planes of a slice of so many rows that were [stored](Planes::stored).
    pub(crate) fn of_stored(rows: usize, planes: Vec<Stored>) -> Planes {
        Planes {
            planes: Vec::new(),
            packed: Some(Packed::Planes(rows, planes)),
        }
    }

    /// Whether the planes are made when they are wanted.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(self.packed, Some(Packed::Elsewhere(..)))
    }

    /// Whether the planes are in memory, and not compressed.
    pub(crate) fn is_at_hand(&self) -> bool {
        self.packed.is_none()
    }

    /// Puts the planes into a slice of sets of a domain that have nothing there. Where there are more planes than sets, sets
    /// are added. Only a file, or memory, can fail.
    pub(crate) fn open_into(
        &self,
        sets: &mut CodeSets,
        domain: &Domain,
        slice: usize,
    ) -> io::Result<()> {
        let rows = domain.rows();
        let mut put = |bit: usize, fill: &dyn Fn(&mut [Row]) -> io::Result<()>| {
            while sets.planes().len() <= bit {
                sets.push(domain)?;
            }
            let set = &mut sets.planes_mut()[bit];
            fill(&mut set.rows_mut()[slice * rows..(slice + 1) * rows])
        };
        if let Some(Packed::Planes(_, planes)) = &self.packed {
            for (bit, plane) in planes.iter().enumerate() {
                put(bit, &|here| {
                    plane.for_each_slab(rows / 8, |slab, these| {
                        here[slab * 8..slab * 8 + 8].copy_from_slice(these);
                    })
                })?;
            }
            return Ok(());
        }
        for (bit, plane) in self.open()?.planes.iter().enumerate() {
            put(bit, &|rows| {
                for (rows, chunk) in rows.chunks_mut(CHUNK).zip(plane) {
                    if !chunk.is_empty() {
                        rows.copy_from_slice(chunk);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The planes, as they were before they were packed. Only a file can fail.
    pub(crate) fn open(&self) -> io::Result<Cow<'_, Planes>> {
        let (rows, planes) = match &self.packed {
            None => return Ok(Cow::Borrowed(self)),
            Some(Packed::Elsewhere(origin, slice)) => return origin.planes(*slice).map(Cow::Owned),
            Some(Packed::Planes(rows, planes)) => (rows, planes),
        };
        let mut open = Planes::default();
        for (bit, plane) in planes.iter().enumerate() {
            plane.for_each_slab(rows / 8, |slab, these| {
                open.put_slab(bit, slab, *rows, these);
            })?;
        }
        Ok(Cow::Owned(open))
    }
}

/// A plane, put aside.
fn aside(plane: &[Vec<Row>], temp_file: Option<&Arc<TempFile>>) -> io::Result<Stored> {
    Stored::aside(plane.iter().map(Vec::as_slice), CHUNK / 8, temp_file)
}
