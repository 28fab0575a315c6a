//! The classical scheme of generators: the kings' pair, then every other piece anywhere.

use super::digits::{Others, apply_code};
use super::triangle::{advance_digit, run_of_squares, with_digit};
use super::{Cursor, Dense, KingDistance, KingPairs, Layout, Run, Sliced, Word, check_slot};
use crate::board::{Group, Square};

/// The classical numbering by king pairs, pieces told apart, shared squares included except between
/// the kings: 462 · 64ⁿ⁻² slots under D4, 1806 · 64ⁿ⁻² under the file mirror.
///
/// Indices are of the natural numbering, with the kings leading: piece n−1 is the white king, n−2
/// the black one, as in every material's index. A slot is (number of the [king pair](KingPairs)) ·
/// 64ⁿ⁻² + the squares of pieces n−3 … 0 as the digits of a number in base 64. With both kings on
/// the diagonal, a position and its mirror image both have a slot.
///
/// ```
/// use tbindex::{Dense, Group, Kings};
/// assert_eq!(Kings::<u32>::new(4, Group::D4).size(), 462 * 64 * 64);
/// assert_eq!(Kings::<u32>::new(4, Group::FileMirror).size(), 1806 * 64 * 64);
/// ```
#[derive(Clone, Debug)]
pub struct Kings<W> {
    layout: Layout<W>,
    others: Others<W>,
    pairs: KingPairs,
    /// The index of each pair with all other pieces on a1; as many as a batch may look up without
    /// asking how many there are.
    leading: Box<[W; 4096]>,
}

impl<W: Word> Kings<W> {
    /// The numbering of `pieces` pieces, kings included, under a group.
    ///
    /// # Panics
    /// If `pieces` is less than 2 or more than the word holds.
    #[must_use]
    pub fn new(pieces: usize, group: Group) -> Kings<W> {
        assert!(pieces >= 2, "two kings are two pieces");
        let layout = Layout::natural(pieces);
        let pairs = KingPairs::new(group, KingDistance::Apart);
        Kings {
            layout,
            others: Others::new(layout, pieces - 2),
            leading: pairs.leading_indices(layout),
            pairs,
        }
    }

    /// The king pairs: slice `id` has the kings on `pairs().squares(id)`.
    #[must_use]
    pub const fn pairs(&self) -> &KingPairs {
        &self.pairs
    }

    /// The slot of an index, or all bits set, without branches: a loop over a slice becomes vector
    /// code where the processor has it.
    #[inline(always)]
    pub(crate) fn rank_or_no_slot(&self, index: W) -> W {
        let entry = self.pairs.leading_entry(self.layout, index);
        let folded = apply_code(self.layout, entry as u8 & 7, index);
        let id = W::truncate(u128::from(entry >> 3 & 0xfff));
        let none = W::spread(W::truncate(u128::from(entry >> 15)));
        none | id << self.others.bits | self.others.concatenate(folded)
    }

    /// The index of a slot that is below the size, without branches as well.
    #[inline(always)]
    pub(crate) fn unrank_valid(&self, slot: W) -> W {
        let id: u128 = (slot >> self.others.bits).into();
        self.leading[id as usize & 0xfff] | self.others.interleave(slot)
    }

    #[inline]
    fn first(&self, id: usize) -> W {
        W::truncate(id as u128) << self.others.bits
    }
}

impl<W: Word> Dense<W> for Kings<W> {
    fn layout(&self) -> Layout<W> {
        self.layout
    }

    #[inline]
    fn size(&self) -> W {
        self.first(self.pairs.len())
    }

    #[inline]
    fn rank(&self, index: W) -> Option<W> {
        let slot = self.rank_or_no_slot(index);
        (slot != W::NO_SLOT).then_some(slot)
    }

    #[inline]
    fn unrank(&self, slot: W) -> W {
        check_slot(slot, self.size());
        self.unrank_valid(slot)
    }

    fn weight(&self, slot: W) -> u32 {
        if self.slice_of(slot) >= self.pairs.diagonal_from() {
            4
        } else {
            self.pairs.group().order()
        }
    }

    fn twin(&self, slot: W) -> Option<W> {
        if self.slice_of(slot) < self.pairs.diagonal_from() {
            return None;
        }
        self.rank(self.layout.flip_diagonal(self.unrank(slot)))
            .filter(|&twin| twin != slot)
    }

    #[inline]
    fn rank_after_move(&self, slot: W, piece: usize, to: Square) -> Option<W> {
        if piece < self.layout.pieces() - 2 {
            check_slot(slot, self.size());
            return Some(with_digit(slot, piece, to));
        }
        self.rank(self.layout.with_square(self.unrank(slot), piece, to))
    }

    fn last_piece(&self) -> usize {
        0
    }

    #[inline]
    fn run_at(&self, mark: W) -> Option<(Run<W>, W)> {
        (mark < self.size()).then(|| run_of_squares(self, mark, self.others.bits == 0))
    }

    #[inline]
    fn advance(&self, cursor: &mut Cursor<W>) -> bool {
        advance_digit(self, cursor, self.others.bits == 0)
    }
}

impl<W: Word> Sliced<W> for Kings<W> {
    fn slice_count(&self) -> usize {
        self.pairs.len()
    }

    fn slice(&self, id: usize) -> std::ops::Range<W> {
        assert!(id < self.pairs.len(), "no slice {id}");
        self.first(id)..self.first(id + 1)
    }

    #[inline]
    fn slice_of(&self, slot: W) -> usize {
        check_slot(slot, self.size());
        let id: u128 = (slot >> self.others.bits).into();
        id as usize
    }

    fn leading_squares(&self, id: usize) -> &[Square] {
        &self.pairs.all()[id]
    }
}
