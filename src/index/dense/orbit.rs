//! The exact numbering of distinct pieces, by bit operations alone.
//!
//! # The board's eight symmetries
//!
//! In the alternate numbering no symmetry changes a high digit, so it is the low digits that have to
//! be numbered up to symmetry. Mirroring files and ranks until the leading piece is in the lower
//! left quarter leaves it with a low digit of 0 or 1, call it d, and leaves one symmetry: the
//! exchange τ of file and rank. An *arrangement* is an index folded like this: 3 bits for the leading
//! high digit, d, and 6 bits for each other piece, 6n − 2 bits in all. τ pairs arrangements up, and
//! the scheme needs one number for each pair {x, τx}.
//!
//! Drop d, and 6n − 3 bits remain: the *word* of an arrangement. τ acts on words, too.
//!
//! - **The leading piece is not on the diagonal.** τ toggles d, so one of x and τx has d = 0. The
//!   word of that one is the slot. Every word with a leading piece off the diagonal is one slot.
//! - **The leading piece is on the diagonal, and τx ≠ x.** τ keeps d; the words of x and of τx
//!   differ, so there are two words for the pair, and two pairs that own them: one with d = 0
//!   and one with d = 1. The pair with d = 0 takes the smaller word, the pair with d = 1 the greater.
//! - **τx = x**: all pieces are on the diagonal. There is one word for two arrangements. The one with
//!   d = 0 takes it. The one with d = 1 gets a slot after all words: one of 4 leading squares was
//!   chosen by h = 6 or 7 and d, so it has one bit for h, and each of the others has 8 squares: h, d
//!   and the half of the board. That is 1 + 3(n − 1) = 3n − 2 bits.
//!
//! So the slots are 0 … 2^(6n−3) − 1 for the words and 2^(3n−2) more, which is the number of classes
//! by Burnside's lemma, (64ⁿ + 2·8ⁿ)/8: each has exactly one slot.
//!
//! The smaller of x and τx is the canonical index, for the leading low digit decides first, and
//! it is just d. So ranking is canonicalisation with a choice of the greater instead of the smaller
//! where d says so, and unranking yields the canonical index.
//!
//! # The file mirror
//!
//! One bit says in which half of the board the leading piece is; fold and drop it: 2^(6n−1) slots,
//! again exact.

use super::{Dense, Layout, Word};
use crate::board::Group;
use crate::checks::check_below;
use crate::index::Numbering;
use crate::index::kernels::{Alternate, Kernel, RankOrbit, UnrankOrbit};

/// The exact numbering of n distinct pieces, shared squares included: every class of equivalent
/// positions has exactly one slot.
///
/// The scheme computes in the alternate numbering; it converts an index of the natural one first.
/// Unranking yields the position of the class whose alternate index is canonical.
///
/// ```
/// use tbindex::{Dense, Group, Layout, Numbering, Orbit, Symmetry};
/// let orbit = Orbit::<u32>::new(Layout::new(3, Numbering::Alternate), Group::D4);
/// assert_eq!(orbit.size(), 32_896);
/// let slot = orbit.rank(0o614_273).expect("every position has a slot");
/// let canonical = orbit.unrank(slot);
/// let mirrored = orbit.layout().flip(Symmetry::Rotate90, 0o614_273);
/// assert_eq!(orbit.rank(mirrored), Some(slot));
/// assert!(canonical <= mirrored);
/// // The same position has the same slot under either numbering.
/// let natural = Orbit::<u32>::new(Layout::new(3, Numbering::Natural), Group::D4);
/// assert_eq!(natural.rank(orbit.layout().convert(Numbering::Natural, 0o614_273)), Some(slot));
/// let large = Orbit::<u64>::new(Layout::new(10, Numbering::Natural), Group::D4);
/// assert_eq!(large.size(), (1 << 57) + (1 << 28));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orbit<W> {
    /// The layout of the indices that callers give and get.
    layout: Layout<W>,
    pub(crate) group: Group,
}

impl<W: Word> Orbit<W> {
    /// The numbering of a layout's indices under a group, all pieces told apart.
    ///
    /// ```
    /// # use tbindex::{Dense, Group, Layout, Numbering, Orbit};
    /// let layout = Layout::<u32>::new(4, Numbering::Natural);
    /// assert_eq!(Orbit::new(layout, Group::D4).size(), (1 << 21) + (1 << 10));
    /// assert_eq!(Orbit::new(layout, Group::FileMirror).size(), 1 << 23);
    /// ```
    #[must_use]
    pub const fn new(layout: Layout<W>, group: Group) -> Orbit<W> {
        Orbit { layout, group }
    }

    /// The layout that the scheme computes in.
    #[inline(always)]
    pub(crate) const fn own_layout(&self) -> Layout<W> {
        self.layout.with_numbering(Numbering::Alternate)
    }

    /// Under the file mirror the bit that says "right half" is dropped.
    #[inline(always)]
    pub(crate) fn rank_file_mirror(&self, index: W) -> W {
        let bit = self.layout.half() - 2;
        // In loops over slices this is faster than to compare the bit with zero, as the fold of kernels does.
        let right = W::spread(index >> bit & W::ONE);
        let x = index ^ (right & self.own_layout().file_mirror());
        let below = (W::ONE << bit) - W::ONE;
        (x >> 1 & !below) | (x & below)
    }

    #[inline(always)]
    pub(crate) fn unrank_file_mirror(&self, slot: W) -> W {
        let below = (W::ONE << (self.layout.half() - 2)) - W::ONE;
        (slot & !below) << 1 | (slot & below)
    }
}

impl<W: Word> Dense<W> for Orbit<W> {
    #[inline]
    fn layout(&self) -> Layout<W> {
        self.layout
    }

    fn size(&self) -> W {
        let bits = 2 * self.layout.half();
        match self.group {
            Group::Trivial => W::ONE << bits,
            Group::FileMirror => W::ONE << (bits - 1),
            Group::D4 => (W::ONE << (bits - 3)) + (W::ONE << (bits / 2 - 2)),
        }
    }

    #[inline]
    fn rank(&self, index: W) -> Option<W> {
        let index = self.layout.convert(Numbering::Alternate, index);
        Some(match self.group {
            Group::Trivial => index,
            Group::FileMirror => self.rank_file_mirror(index),
            Group::D4 => RankOrbit::<_, Alternate<_>>::new(&self.own_layout()).map((), index),
        })
    }

    #[inline]
    fn unrank(&self, slot: W) -> W {
        check_below("unrank", "slot", slot, self.size());
        self.own_layout().convert(
            self.layout.numbering(),
            match self.group {
                Group::Trivial => slot,
                Group::FileMirror => self.unrank_file_mirror(slot),
                Group::D4 => UnrankOrbit::<_, Alternate<_>>::new(&self.own_layout()).map((), slot),
            },
        )
    }

    fn weight(&self, slot: W) -> u32 {
        let index = self.unrank(slot);
        match self.group {
            // The leading piece is folded, so of all symmetries only τ can keep the position.
            Group::D4 if index == self.layout.flip_diagonal(index) => 4,
            group => group.order(),
        }
    }

    fn twin(&self, slot: W) -> Option<W> {
        check_below("twin", "slot", slot, self.size());
        None
    }
}
