//! The eight symmetries and the change of numbering, on all pieces at once.
//!
//! A symmetry is at most three steps, in this order: exchange file and rank, mirror the files,
//! mirror the ranks (see [`Symmetry`]).
//!
//! | step | natural numbering | alternate numbering |
//! |---|---|---|
//! | mirror the files | `x ^ LOW` | toggle bit 1 of every low digit |
//! | mirror the ranks | `x ^ HIGH` | toggle bit 2 of every low digit |
//! | exchange | swap the halves | exchange bits 1 and 2 of every low digit; toggle its bit 0 unless the high digit is 6 or 7 |
//!
//! The text that first described the natural index and the code beneath it disagree about which of
//! the two XORs is the flip around the horizontal axis. Ranks are the high digits, so the flip that
//! exchanges the ranks 1 and 8 is `x ^ HIGH`, as the text says; the code's labels are exchanged.

use super::kernels::{Alternate, Digits, Kernel, Mirror, Natural};
use super::planes::{alternate_to_natural, natural_to_alternate};
use super::{Layout, Numbering, Word};
use crate::board::Symmetry;

/// # Symmetries
///
/// Every method returns the index of the position's image; see [`Symmetry`] for the maps.
impl<W: Word> Layout<W> {
    /// The bits that mirroring the files toggles.
    #[inline(always)]
    pub(super) fn file_mirror(&self) -> W {
        match self.numbering() {
            Numbering::Natural => self.masks().low,
            Numbering::Alternate => self.masks().ones << 1,
        }
    }

    /// The bits that mirroring the ranks toggles.
    #[inline(always)]
    pub(super) fn rank_mirror(&self) -> W {
        match self.numbering() {
            Numbering::Natural => self.masks().high,
            Numbering::Alternate => self.masks().ones << 2,
        }
    }

    /// Mirrored along a1–h8.
    #[inline]
    pub(super) fn flip_diagonal(&self, x: W) -> W {
        match self.numbering() {
            Numbering::Natural => Natural::new(self).exchange((), x),
            Numbering::Alternate => Alternate::new(self).exchange((), x),
        }
    }

    /// The image under any symmetry.
    ///
    /// ```
    /// # use tbindex::{Layout, Numbering, Symmetry};
    /// // The exchange of ranks and files swaps the halves; the mirror of the files inverts one of them.
    /// let layout = Layout::<u32>::new(3, Numbering::Natural);
    /// assert_eq!(layout.flip(Symmetry::FlipDiagonal, 0o123_456), 0o456_123);
    /// assert_eq!(layout.flip(Symmetry::FlipHorizontal, 0o123_456), 0o123_321);
    /// ```
    #[must_use]
    #[inline]
    pub fn flip(&self, symmetry: Symmetry, index: W) -> W {
        let image = match symmetry.exchanges_file_and_rank() {
            true => self.flip_diagonal(index),
            false => index,
        };
        Mirror::of(self, symmetry).map((), image)
    }
}

/// # Numberings
///
/// A few dozen boolean operations convert all pieces at once.
impl<W: Word> Layout<W> {
    /// The same position's index under another numbering, from this layout's.
    ///
    /// ```
    /// # use tbindex::{Layout, Numbering};
    /// // The corner a1, and d4, of the same diagonal: no symmetry changes their high digits, 6 and 7.
    /// let layout = Layout::<u32>::new(1, Numbering::Natural);
    /// assert_eq!(layout.convert(Numbering::Alternate, 0o00), 0o60);
    /// assert_eq!(layout.convert(Numbering::Alternate, 0o33), 0o71);
    /// ```
    #[must_use]
    #[inline]
    pub fn convert(&self, to: Numbering, x: W) -> W {
        let (ones, half) = (self.masks().ones, self.half());
        match (self.numbering(), to) {
            (Numbering::Natural, Numbering::Alternate) => natural_to_alternate((), x, ones, half),
            (Numbering::Alternate, Numbering::Natural) => alternate_to_natural((), x, ones, half),
            _ => x,
        }
    }
}
