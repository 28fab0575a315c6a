//! The classical scheme of generators: a number for the pair of kings, then every other piece's square.

use super::digits::{Others, apply_code};
use super::{Dense, DenseError, KingDistance, KingPairs, Layout, Sliced, Word, check_slot};
use crate::board::{Group, Material, Square};
use crate::index::Numbering;

/// The classical numbering by king pairs, pieces told apart, shared squares included except between
/// the kings: 462 · 64ⁿ⁻² slots under D4, 1806 · 64ⁿ⁻² under the file mirror.
///
/// The kings lead: piece n−1 is the white king, n−2 the black one, as in every material's index. A slot
/// is (number of the [king pair](KingPairs)) · 64ⁿ⁻² + the squares of pieces n−3 … 0 as the digits of a
/// number in base 64. With both kings on the diagonal, a position and its mirror image both have a slot.
///
/// The scheme computes in the natural numbering; it converts an index of the alternate one first.
///
/// ```
/// use tbindex::{Dense, Group, Kings, Layout, Numbering};
/// let layout = Layout::<u32>::new(4, Numbering::Natural);
/// assert_eq!(Kings::new(layout, Group::D4).size(), 462 * 64 * 64);
/// assert_eq!(Kings::new(layout, Group::FileMirror).size(), 1806 * 64 * 64);
/// ```
#[derive(Clone, Debug)]
pub struct Kings<W> {
    /// The layout of the indices that callers give and get.
    layout: Layout<W>,
    others: Others<W>,
    pairs: KingPairs,
    /// The index of each pair with all other pieces on a1. There are so many entries that a batch may
    /// look up any twelve bits.
    leading: Box<[W; 4096]>,
}

impl<W: Word> Kings<W> {
    /// The numbering of a layout's indices under a group, all pieces told apart.
    ///
    /// # Panics
    /// If the layout has fewer than two pieces.
    #[must_use]
    pub fn new(layout: Layout<W>, group: Group) -> Kings<W> {
        let pieces = layout.pieces();
        assert!(pieces >= 2, "kings lead at least two pieces");
        let pairs = KingPairs::new(group, KingDistance::Apart);
        Kings {
            layout,
            others: Others::new(layout, pieces - 2),
            leading: pairs.leading_indices(layout),
            pairs,
        }
    }

    /// The numbering of a material's positions, like pieces told apart.
    ///
    /// # Errors
    /// If the material has more pieces than the word holds.
    pub fn try_new(material: Material, numbering: Numbering) -> Result<Kings<W>, DenseError> {
        let layout = Layout::try_new(material.piece_count(), numbering)?;
        Ok(Kings::new(layout, material.group()))
    }

    /// The natural layout, in which the scheme computes.
    #[inline(always)]
    const fn own_layout(&self) -> Layout<W> {
        self.layout.with_numbering(Numbering::Natural)
    }

    /// The slot of a natural index, or all bits set, without branches: a loop over a slice becomes vector
    /// code where the processor has it.
    #[inline(always)]
    pub(crate) fn rank_or_no_slot(&self, index: W) -> W {
        let entry = self.pairs.leading_entry(self.own_layout(), index);
        let folded = apply_code(self.own_layout(), entry as u8 & 7, index);
        let id = W::truncate(u128::from(entry >> 3 & 0xfff));
        let none = W::spread(W::truncate(u128::from(entry >> 15)));
        none | id << self.others.bits | self.others.concatenate(folded)
    }

    /// The natural index of a slot that is below the size, without branches as well.
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
    #[inline]
    fn layout(&self) -> Layout<W> {
        self.layout
    }

    fn group(&self) -> Group {
        self.pairs.group()
    }

    #[inline]
    fn size(&self) -> W {
        self.first(self.pairs.all().len())
    }

    #[inline]
    fn rank(&self, index: W) -> Option<W> {
        let slot = self.rank_or_no_slot(self.layout.convert(Numbering::Natural, index));
        (slot != W::NO_SLOT).then_some(slot)
    }

    #[inline]
    fn unrank(&self, slot: W) -> W {
        check_slot(slot, self.size());
        self.own_layout()
            .convert(self.layout.numbering(), self.unrank_valid(slot))
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
}

impl<W: Word> Sliced<W> for Kings<W> {
    fn slice_count(&self) -> usize {
        self.pairs.all().len()
    }

    fn slice(&self, id: usize) -> std::ops::Range<W> {
        assert!(id < self.pairs.all().len(), "no slice {id}");
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
