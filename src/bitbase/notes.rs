//! Slices with notes of the slabs and rows that may have positions, so that no others are visited.

use super::domain::Domain;
use super::eight_boards::EightBoards;
use super::row::Row;
use crate::board::bits;

/// The positions of a slice, to read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub(super) rows: &'a [Row],
    /// For each slab the rows that may have positions. They are right only if some slab is noted in `groups`.
    pub(super) active: &'a [u8],
    /// The slabs that may have positions, 64 to a word.
    pub(super) groups: &'a [u64],
}

impl<'a> Source<'a> {
    /// A slice of a domain with these rows, any of which may have positions.
    #[must_use]
    #[inline]
    pub fn full(domain: &'a Domain, rows: &'a [Row]) -> Source<'a> {
        let (active, groups) = domain.0.everywhere();
        Source {
            rows,
            active,
            groups,
        }
    }

    /// Whether no slab has positions.
    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.groups.iter().all(|&slabs| slabs == 0)
    }

    /// The rows that have positions, with their numbers.
    pub(super) fn active_rows(self) -> impl Iterator<Item = (usize, &'a Row)> {
        noted(self.groups).flat_map(move |slab| {
            let rows = bits(u64::from(self.active[slab]));
            rows.map(move |r| (slab * 8 + r, &self.rows[slab * 8 + r]))
        })
    }
}

/// The slabs that are noted in words.
#[inline(always)]
pub(super) fn noted(groups: &[u64]) -> impl Iterator<Item = usize> + '_ {
    (groups.iter().enumerate()).flat_map(|(g, &slabs)| bits(slabs).map(move |k| g * 64 + k))
}

/// The rows of a slice that positions are added to.
#[derive(Debug)]
pub struct Sink<'a> {
    /// The rows.
    pub rows: &'a mut [Row],
    /// The positions that were added more than once, if that is counted; else none.
    pub several: &'a mut [Row],
    /// For each slab the rows that may have positions.
    pub dirty: &'a mut [u8],
}

impl Sink<'_> {
    #[inline(always)]
    pub(super) fn add<L: EightBoards>(&mut self, isa: L::Isa, slab: usize, r: usize, x: L) {
        let at = slab * 8 + r;
        x.add_to(isa, &mut self.rows[at], self.several.get_mut(at));
        self.dirty[slab] |= 1 << r;
    }

    #[inline(always)]
    pub(super) fn add_word(&mut self, at: usize, word: u64) {
        let there = &mut self.rows[at / 8].0[at % 8];
        if let Some(several) = self.several.get_mut(at / 8) {
            several.0[at % 8] |= *there & word;
        }
        *there |= word;
        self.dirty[at / 64] |= 1 << (at / 8 % 8);
    }
}

/// A slice of its own that is written word by word.
pub(super) struct Scratch {
    rows: Vec<Row>,
    active: Vec<u8>,
    groups: Vec<u64>,
}

impl Scratch {
    /// An empty slice of so many slabs.
    #[inline(always)]
    pub(super) fn new(slabs: usize) -> Scratch {
        Scratch {
            rows: vec![Row::EMPTY; slabs * 8],
            active: vec![0; slabs],
            groups: vec![0; slabs.div_ceil(64)],
        }
    }

    #[inline(always)]
    pub(super) fn add_word(&mut self, at: usize, word: u64) {
        self.rows[at / 8].0[at % 8] |= word;
        let slab = at / 64;
        self.active[slab] |= 1 << (at / 8 % 8);
        self.groups[slab / 64] |= 1 << (slab % 64);
    }

    #[inline(always)]
    pub(super) fn source(&self) -> Source<'_> {
        Source {
            rows: &self.rows,
            active: &self.active,
            groups: &self.groups,
        }
    }

    /// Empties the slice.
    pub(super) fn clear(&mut self) {
        for slab in noted(&self.groups) {
            self.rows[slab * 8..slab * 8 + 8].fill(Row::EMPTY);
            self.active[slab] = 0;
        }
        self.groups.fill(0);
    }
}
