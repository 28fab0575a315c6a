//! A compact numbering as a [`Dense`] scheme that falls into slices.

use std::ops::Range;

use super::Compact;
use super::mirror::mirrored;
use crate::board::Square;
use crate::checks::check_below;
use crate::index::Numbering;
use crate::index::dense::digits::apply_code;
use crate::index::dense::{Dense, Layout, Sliced, Word};

impl<W: Word> Dense<W> for Compact<W> {
    #[inline]
    fn layout(&self) -> Layout<W> {
        self.layout
    }

    #[inline]
    fn size(&self) -> W {
        Self::word(self.tables.first(self.pairs.all().len()))
    }

    #[inline]
    fn rank(&self, index: W) -> Option<W> {
        self.rank_natural(self.layout.convert(Numbering::Natural, index))
    }

    #[inline]
    fn unrank(&self, slot: W) -> W {
        let natural = self.layout.natural();
        natural.convert(self.layout.numbering(), self.unrank_natural(slot))
    }

    fn weight(&self, slot: W) -> u32 {
        let id = self.slice_of(slot);
        if id < self.pairs.diagonal_from() {
            return self.pairs.group().order();
        }
        match self.mirror(id) {
            // A position that is not its own mirror image has a slot for both.
            Some(_) if !self.decode(id, slot).1 => 8,
            _ => 4,
        }
    }

    fn twin(&self, slot: W) -> Option<W> {
        let id = self.slice_of(slot);
        if id < self.pairs.diagonal_from() || self.mirror(id).is_some() {
            return None;
        }
        let (squares, _) = self.decode(id, slot);
        self.rank_in_slice(id, &squares.map(mirrored))
            .filter(|&twin| twin != slot)
    }
}

impl<W: Word> Compact<W> {
    /// [`rank`](Dense::rank) of a natural index.
    #[inline]
    pub(crate) fn rank_natural(&self, index: W) -> Option<W> {
        let entry = self.pairs.leading.entry(self.layout, index);
        if entry >> 15 != 0 {
            return None;
        }
        let folded = apply_code(self.layout.natural(), entry as u8 & 7, index);
        self.rank_in_slice((entry >> 3) as usize, &self.squares(folded))
    }

    /// [`unrank`](Dense::unrank) to a natural index.
    #[inline]
    pub(crate) fn unrank_natural(&self, slot: W) -> W {
        let id = self.slice_of(slot);
        let (squares, _) = self.decode(id, slot);
        self.index(id, &squares)
    }
}

impl<W: Word> Sliced<W> for Compact<W> {
    fn slice_count(&self) -> usize {
        self.pairs.all().len()
    }

    fn slice(&self, id: usize) -> Range<W> {
        check_below("slice", "slice", id, self.slice_count());
        self.tables.firsts[id]..self.tables.firsts[id + 1]
    }

    #[inline]
    fn slice_of(&self, slot: W) -> usize {
        check_below("unrank", "slot", slot, self.size());
        self.tables.find(slot)
    }

    fn leading_squares(&self, id: usize) -> &[Square] {
        &self.pairs.all()[id]
    }
}
