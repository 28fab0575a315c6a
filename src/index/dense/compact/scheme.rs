//! A compact numbering as a [`Dense`] scheme that falls into slices.

use std::ops::Range;

use super::Compact;
use super::mirror::mirrored;
use crate::board::{Bitboard, Group, Material, Square};
use crate::index::dense::digits::apply_code;
use crate::index::dense::{Dense, DenseError, Layout, Run, Sliced, Word, check_slot};

impl<W: Word> Dense<W> for Compact<W> {
    #[expect(
        clippy::misnamed_getters,
        reason = "the layout of the caller's indices; the other is that of the scheme's own"
    )]
    #[inline]
    fn layout(&self) -> Layout<W> {
        self.given
    }

    fn group(&self) -> Group {
        self.pairs.group()
    }

    fn check_material(&self, material: Material) -> Result<(), DenseError> {
        if material == self.material {
            Ok(())
        } else {
            Err(DenseError::OtherMaterial {
                expected: self.material,
                found: material,
            })
        }
    }

    #[inline]
    fn size(&self) -> W {
        Self::word(self.firsts.of(self.pairs.len()))
    }

    #[inline]
    fn rank(&self, index: W) -> Option<W> {
        self.rank_natural(self.given.to_natural(index))
    }

    #[inline]
    fn unrank(&self, slot: W) -> W {
        self.given.from_natural(self.unrank_natural(slot))
    }

    fn weight(&self, slot: W) -> u32 {
        let id = self.slice_of(slot);
        if id < self.pairs.diagonal_from() {
            return self.pairs.group().order();
        }
        match self.mirror(id) {
            // A position that is not its own mirror image has a slot for both.
            Some(_) if !self.decode(slot).2 => 8,
            _ => 4,
        }
    }

    fn twin(&self, slot: W) -> Option<W> {
        let id = self.slice_of(slot);
        if id < self.pairs.diagonal_from() || self.mirror(id).is_some() {
            return None;
        }
        let (id, squares, _) = self.decode(slot);
        self.rank_in_slice(id, &squares.map(mirrored))
            .filter(|&twin| twin != slot)
    }

    fn last_piece(&self) -> usize {
        self.sets.last().map_or(0, |set| set.low)
    }

    fn run_at(&self, mark: W) -> Option<(Run<W>, W)> {
        if mark >= self.size() {
            return None;
        }
        let (id, squares, _) = self.decode(mark);
        let index = self.index(id, &squares);
        let piece = self.last_piece();
        let last = if self.sets.is_empty() {
            Bitboard::from_square(self.layout.square(index, piece))
        } else if self.mirror(id).is_none() {
            self.last_squares(id, &squares)
        } else {
            self.tied_run(mark, index, self.slice(id).end)
        };
        let run = Run {
            index: self.given.from_natural(index),
            piece,
            last,
            first: Some(mark),
        };
        Some((run, mark + W::from(last.len() as u8)))
    }
}

impl<W: Word> Compact<W> {
    /// [`rank`](Dense::rank) of a natural index.
    #[inline]
    pub(crate) fn rank_natural(&self, index: W) -> Option<W> {
        let (id, symmetry) = self.pairs.find_leading(self.layout, index)?;
        let folded = apply_code(self.layout, symmetry, index);
        self.rank_in_slice(id, &self.squares(folded))
    }

    /// [`unrank`](Dense::unrank) to a natural index.
    #[inline]
    pub(crate) fn unrank_natural(&self, slot: W) -> W {
        let (id, squares, _) = self.decode(slot);
        self.index(id, &squares)
    }

    /// The squares of the last piece in the slots from `first` on that follow each other in a slice
    /// numbered up to the mirror: there the order is that of the parts a set is taken apart into, so
    /// runs are found by looking, and are shorter.
    fn tied_run(&self, first: W, index: W, end: W) -> Bitboard {
        let piece = self.last_piece();
        let mut at = self.layout.square(index, piece);
        let mut last = Bitboard::from_square(at);
        let mut slot = first + W::ONE;
        while slot < end {
            let next = self.unrank_natural(slot);
            let to = self.layout.square(next, piece);
            if to <= at || self.layout.with_square(index, piece, to) != next {
                break;
            }
            (at, last, slot) = (to, last.with(to), slot + W::ONE);
        }
        last
    }
}

impl<W: Word> Sliced<W> for Compact<W> {
    fn slice_count(&self) -> usize {
        self.pairs.len()
    }

    fn slice(&self, id: usize) -> Range<W> {
        Self::word(self.firsts.of(id))..Self::word(self.firsts.of(id + 1))
    }

    #[inline]
    fn slice_of(&self, slot: W) -> usize {
        check_slot(slot, self.size());
        self.firsts.find(Self::number(slot))
    }

    fn leading_squares(&self, id: usize) -> &[Square] {
        &self.pairs.all()[id]
    }
}
