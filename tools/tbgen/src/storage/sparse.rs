//! Sets of positions of a slice without the words that have none.
//!
//! Which words there are is *noted*: for each slab that has positions there are its number, less that of the one before
//! and one more, in a varint of seven bits a byte, the lowest first; a byte with a bit for each of its eight rows; and for
//! each row with positions a byte with a bit for each of its eight words. The words themselves are kept apart from this.

use tbindex::bitbase::Row;

use crate::table::planes::Slab;

/// Notes a slab, of which these rows have positions, and hands over the words. `next` is the number after the last slab's.
#[inline(always)]
pub(crate) fn note(
    notes: &mut Vec<u8>,
    next: &mut usize,
    (slab, active, rows): (usize, u8, &Slab),
    mut word: impl FnMut(u64),
) {
    let mut ahead = slab - *next;
    *next = slab + 1;
    while ahead > 0x7f {
        notes.push(0x80 | (ahead & 0x7f) as u8);
        ahead >>= 7;
    }
    notes.extend_from_slice(&[ahead as u8, active]);
    for (r, row) in rows.iter().enumerate() {
        if active >> r & 1 == 0 {
            continue;
        }
        let mut mask = 0u8;
        for (k, &there) in row.0.iter().enumerate() {
            if there != 0 {
                mask |= 1 << k;
                word(there);
            }
        }
        notes.push(mask);
    }
}

/// Notes that are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadNotes;

/// Notes that are read, of a slice of so many slabs.
pub(crate) struct Notes<'a> {
    left: &'a [u8],
    next: usize,
    slabs: usize,
}

impl<'a> Notes<'a> {
    pub(crate) fn new(notes: &'a [u8], slabs: usize) -> Notes<'a> {
        Notes {
            left: notes,
            next: 0,
            slabs,
        }
    }

    fn byte(&mut self) -> Result<u8, BadNotes> {
        let (&byte, left) = self.left.split_first().ok_or(BadNotes)?;
        self.left = left;
        Ok(byte)
    }

    /// The next slab with positions, and hands over the number of each row and of each word in it, in order.
    #[inline(always)]
    pub(crate) fn next_slab(
        &mut self,
        mut each: impl FnMut(usize, usize) -> Result<(), BadNotes>,
    ) -> Result<Option<usize>, BadNotes> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let mut byte = self.byte()?;
        let (mut ahead, mut shift) = (usize::from(byte & 0x7f), 7);
        while byte & 0x80 != 0 {
            if shift >= 56 {
                return Err(BadNotes);
            }
            byte = self.byte()?;
            ahead |= usize::from(byte & 0x7f) << shift;
            shift += 7;
        }
        let slab = self.next + ahead;
        if slab >= self.slabs {
            return Err(BadNotes);
        }
        self.next = slab + 1;
        let mut active = self.byte()?;
        while active != 0 {
            let r = active.trailing_zeros() as usize;
            active &= active - 1;
            let mut mask = self.byte()?;
            while mask != 0 {
                each(r, mask.trailing_zeros() as usize)?;
                mask &= mask - 1;
            }
        }
        Ok(Some(slab))
    }
}

/// A set of positions of a slice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    notes: Vec<u8>,
    words: Vec<u64>,
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
        let words = &mut self.words;
        note(
            &mut self.notes,
            &mut self.next,
            (slab, active, rows),
            |word| {
                words.push(word);
            },
        );
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.notes.shrink_to_fit();
        self.words.shrink_to_fit();
    }

    fn notes(&self) -> Notes<'_> {
        Notes::new(&self.notes, self.next)
    }

    /// Hands over the slabs with positions, in order.
    #[inline(always)]
    pub(crate) fn for_each_slab(&self, mut each: impl FnMut(usize, &Slab)) {
        let mut words = self.words.iter();
        let mut notes = self.notes();
        loop {
            let mut rows = [Row::EMPTY; 8];
            let slab = notes.next_slab(|r, k| {
                rows[r].0[k] = *words.next().ok_or(BadNotes)?;
                Ok(())
            });
            match slab.expect("notes of its own") {
                Some(slab) => each(slab, &rows),
                None => return,
            }
        }
    }

    /// Adds the set to bytes: four with the length of the notes, the notes, and the words, all little-endian.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.notes.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.notes);
        for word in &self.words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
    }
}
