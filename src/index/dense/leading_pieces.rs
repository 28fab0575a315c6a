//! The classical schemes: the squares of the leading pieces up to symmetry, then every other piece anywhere.

use super::digits::{Others, apply_code};
use super::leading::LeadingPlacements;
use super::{Dense, KingDistance, KingPairs, Layout, Sliced, Word};
use crate::board::{Group, Square};
use crate::checks::check_below;
use crate::debug::debug_by;
use crate::index::Numbering;

/// A numbering by `N` leading pieces, all pieces told apart: [`Triangle`] or [`Kings`].
///
/// A slot is (number of the leading pieces' squares up to symmetry) · 64ⁿ⁻ᴺ + the squares of the other pieces, that with the
/// highest number first, as the digits of a number in base 64. With all leading pieces on the diagonal, a position and its
/// mirror image both have a slot.
///
/// The scheme computes in the natural numbering; it converts an index of the alternate one first.
#[derive(Clone)]
pub struct LeadingPieces<W, const N: usize> {
    /// The layout of the indices that callers give and get.
    layout: Layout<W>,
    others: Others<W>,
    leading: LeadingPlacements<N>,
    /// The index of each placement of the leading pieces with all others on a1. There are so many entries that a batch may
    /// look up any twelve bits.
    indices: Box<[W; 4096]>,
}

/// The oldest scheme, by one leading piece in the a1–d1–d4 triangle, shared squares included: 10 · 64ⁿ⁻¹ slots under D4,
/// 32 · 64ⁿ⁻¹ under the file mirror.
///
/// Leading squares are numbered b1 c1 d1 c2 d2 d3 a1 b2 c3 d4, the order of the Syzygy tables; under the file mirror, those of
/// the files a to d are numbered in the order of their own numbers.
///
/// ```
/// use tbindex::{Dense, Group, Layout, Numbering, Triangle};
/// let layout = Layout::<u32>::new(3, Numbering::Natural);
/// assert_eq!(Triangle::new(layout, Group::D4).size(), 10 * 64 * 64);
/// assert_eq!(Triangle::new(layout, Group::FileMirror).size(), 32 * 64 * 64);
/// ```
pub type Triangle<W> = LeadingPieces<W, 1>;

/// The classical scheme of generators, by the [pair of kings](KingPairs), shared squares included except between the kings:
/// 462 · 64ⁿ⁻² slots under D4, 1806 · 64ⁿ⁻² under the file mirror.
///
/// The kings lead: piece n−1 is the white king, n−2 the black one, as in every material's index.
///
/// ```
/// use tbindex::{Dense, Group, Kings, Layout, Numbering};
/// let layout = Layout::<u32>::new(4, Numbering::Natural);
/// assert_eq!(Kings::new(layout, Group::D4).size(), 462 * 64 * 64);
/// assert_eq!(Kings::new(layout, Group::FileMirror).size(), 1806 * 64 * 64);
/// ```
pub type Kings<W> = LeadingPieces<W, 2>;

impl<W: Word> Triangle<W> {
    /// The numbering of a layout's indices under a group.
    ///
    /// ```
    /// # use tbindex::{Dense, Group, Layout, Numbering, Triangle};
    /// let triangle = Triangle::new(Layout::<u32>::new(1, Numbering::Natural), Group::D4);
    /// // The ten leading squares: b1 c1 d1 c2 d2 d3 a1 b2 c3 d4.
    /// let squares: Vec<u32> = (0..10).map(|slot| triangle.unrank(slot)).collect();
    /// assert_eq!(squares, [0o01, 0o02, 0o03, 0o12, 0o13, 0o23, 0o00, 0o11, 0o22, 0o33]);
    /// ```
    #[must_use]
    pub fn new(layout: Layout<W>, group: Group) -> Triangle<W> {
        LeadingPieces::of(layout, LeadingPlacements::new(group, |lead| [[lead]]))
    }
}

impl<W: Word> Kings<W> {
    /// The numbering of a layout's indices under a group.
    ///
    /// ```
    /// # use tbindex::{Dense, Group, Kings, Layout, Numbering};
    /// let kings = Kings::new(Layout::<u64>::new(7, Numbering::Natural), Group::D4);
    /// assert_eq!(kings.size(), 462 << 30);
    /// ```
    ///
    /// # Panics
    /// If the layout has fewer than two pieces.
    #[must_use]
    pub fn new(layout: Layout<W>, group: Group) -> Kings<W> {
        assert!(layout.pieces() >= 2, "kings lead at least two pieces");
        LeadingPieces::of(layout, KingPairs::new(group, KingDistance::Apart).leading)
    }
}

impl<W: Word, const N: usize> LeadingPieces<W, N> {
    fn of(layout: Layout<W>, leading: LeadingPlacements<N>) -> LeadingPieces<W, N> {
        LeadingPieces {
            layout,
            others: Others::new(layout, layout.pieces() - N),
            indices: leading.indices(layout),
            leading,
        }
    }

    /// The slot of a natural index, or all bits set, without branches: a loop over a slice becomes vector
    /// code where the processor has it.
    #[inline(always)]
    pub(crate) fn rank_or_no_slot(&self, index: W) -> W {
        let natural = self.layout.natural();
        let entry = self.leading.entry(natural, index);
        let folded = apply_code(natural, entry as u8 & 7, index);
        let id = W::truncate(u128::from(entry >> 3 & 0xfff));
        let none = W::spread(W::truncate(u128::from(entry >> 15)));
        none | id << self.others.bits | self.others.concatenate(folded)
    }

    /// The natural index of a slot that is below the size, without branches as well.
    #[inline(always)]
    pub(crate) fn unrank_valid(&self, slot: W) -> W {
        let id: u128 = (slot >> self.others.bits).into();
        // A mask would say no less, but lets the compiler pack to 16 bits, which takes a tenth longer.
        self.indices[(id as usize).min(0xfff)] | self.others.interleave(slot)
    }

    #[inline]
    fn first(&self, id: usize) -> W {
        W::truncate(id as u128) << self.others.bits
    }
}

impl<W: Word, const N: usize> Dense<W> for LeadingPieces<W, N> {
    #[inline]
    fn layout(&self) -> Layout<W> {
        self.layout
    }

    #[inline]
    fn size(&self) -> W {
        self.first(self.leading.all.len())
    }

    #[inline]
    fn rank(&self, index: W) -> Option<W> {
        let slot = self.rank_or_no_slot(self.layout.convert(Numbering::Natural, index));
        (slot != W::NO_SLOT).then_some(slot)
    }

    // In a loop the compiler would call it, which takes a quarter longer.
    #[inline(always)]
    fn unrank(&self, slot: W) -> W {
        check_below("unrank", "slot", slot, self.size());
        let natural = self.layout.natural();
        natural.convert(self.layout.numbering(), self.unrank_valid(slot))
    }

    fn weight(&self, slot: W) -> u32 {
        if self.slice_of(slot) >= self.leading.diagonal_from {
            4
        } else {
            self.leading.group.order()
        }
    }

    fn twin(&self, slot: W) -> Option<W> {
        if self.slice_of(slot) < self.leading.diagonal_from {
            return None;
        }
        self.rank(self.layout.flip_diagonal(self.unrank(slot)))
            .filter(|&twin| twin != slot)
    }
}

impl<W: Word, const N: usize> Sliced<W> for LeadingPieces<W, N> {
    fn slice_count(&self) -> usize {
        self.leading.all.len()
    }

    fn slice(&self, id: usize) -> std::ops::Range<W> {
        check_below("slice", "slice", id, self.slice_count());
        self.first(id)..self.first(id + 1)
    }

    #[inline]
    fn slice_of(&self, slot: W) -> usize {
        check_below("slice_of", "slot", slot, self.size());
        let id: u128 = (slot >> self.others.bits).into();
        id as usize
    }

    fn leading_squares(&self, id: usize) -> &[Square] {
        &self.leading.all[id]
    }
}

debug_by!([W: std::fmt::Debug, const N: usize] LeadingPieces<W, N>: layout, leading);
