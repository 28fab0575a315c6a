//! Canonical form, orbit and class.
//!
//! The canonical index of a position is the smallest index among all its equivalents: its images
//! under a group of symmetries, each with its like pieces in any order. That is the definition, for
//! both numberings and every piece list; the following steps find it without trying them all.
//!
//! **The leading piece folds the board.** If the leading piece has no twin, then in either numbering
//! one bit of the index decides about mirroring the files and one about mirroring the ranks:
//!
//! | | mirror the files if set | mirror the ranks if set |
//! |---|---|---|
//! | natural | bit 3n−1, the leading file's highest | bit 6n−1, the leading rank's highest |
//! | alternate | bit 3n−2, the leading piece in the right half | bit 3n−1, in the upper half |
//!
//! For an index is compared from its highest bit, and everything above the deciding bit is the same
//! for both choices. Natural: bit 6n−1 is the highest there is; mirroring the files leaves the high
//! half alone, and the arrangement of like pieces is chosen by the high digits first, so the high
//! halves of the two choices agree after sorting, too. Alternate: no symmetry changes a high digit,
//! so the sorted high halves all agree, and the leading low digit is the first that differs.
//!
//! **The exchange of file and rank is tried.** It keeps a folded leading piece folded, so only two
//! candidates remain: the folded index and its diagonal flip, each with its like pieces sorted; the
//! smaller one wins. This is where the position with its leading pieces on a diagonal is decided.
//!
//! **A leading piece with a twin** decides nothing before the twins are sorted. There all images are
//! tried, eight or two.

use super::kernels::{
    Alternate, ByteKernel, Comparator, Kernel, Natural, OrbitSize, with_canonical_kernel,
};
use super::{Layout, LayoutError, LikePieces, Numbering, Word};
use crate::board::{Group, Material, Symmetry};

/// An equivalence of positions: a layout, a group of symmetries, and sets of like pieces.
///
/// ```
/// use tbindex::{Equivalence, Material, Numbering, Symmetry};
/// let material: Material = "KRRvK".parse()?;
/// let same = Equivalence::<u32>::try_new(material, Numbering::Natural)?;
/// let (canonical, by) = same.canonical_with_symmetry(0o7700_7700);
/// assert_eq!((canonical, by), (0o0077_0077, Symmetry::Rotate180));
/// assert_eq!(same.canonical(canonical), canonical);
/// assert_eq!(same.orbit_size(canonical), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Equivalence<W> {
    layout: Layout<W>,
    group: Group,
    like: LikePieces,
    leads_twins: bool,
    network: Box<[Comparator<W>]>,
}

impl<W: Word> Equivalence<W> {
    /// The equivalence under a group and the exchange of like pieces.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Group, Layout, LikePieces, Numbering};
    /// // Castling rights leave no symmetry, but like pieces are exchangeable.
    /// let layout = Layout::<u32>::new(4, Numbering::Natural);
    /// let same = Equivalence::new(layout, Group::Trivial, LikePieces::try_new(&[0b0011], 4)?);
    /// assert_eq!(same.canonical(0o7700_7700), 0o7700_7700);
    /// assert_eq!(same.canonical(0o7710_7700), 0o7701_7700);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `like` has a piece that the layout does not have.
    #[must_use]
    #[track_caller]
    pub fn new(layout: Layout<W>, group: Group, like: LikePieces) -> Equivalence<W> {
        assert!(
            (layout.pieces()..32).all(|piece| !like.has_twin(piece)),
            "Equivalence::new: {like:?} of {} pieces",
            layout.pieces()
        );
        Equivalence {
            layout,
            group,
            leads_twins: like.has_twin(layout.pieces() - 1),
            network: (like.network())
                .map(|pair| Comparator::new(&layout, pair))
                .collect(),
            like,
        }
    }

    /// The equivalence of a material's positions.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Group, Numbering};
    /// let same = Equivalence::<u32>::try_new("KPPvK".parse()?, Numbering::Natural)?;
    /// assert_eq!(same.group(), Group::FileMirror);
    /// assert_eq!(same.like().sets(), [0b0011]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the material has more pieces than the word holds.
    pub fn try_new(
        material: Material,
        numbering: Numbering,
    ) -> Result<Equivalence<W>, LayoutError> {
        let layout = Layout::try_new(material.piece_count(), numbering)?;
        Ok(Equivalence::new(layout, material.group(), material.into()))
    }

    /// Where the digits are.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KRRvK".parse()?, Numbering::Natural)?;
    /// assert_eq!(same.layout().index_count(), 1 << 24);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn layout(&self) -> Layout<W> {
        self.layout
    }

    /// The group of symmetries.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Group, Numbering};
    /// let groups = ["KRvK", "KPvK"].map(|name| {
    ///     let same = Equivalence::<u32>::try_new(name.parse().unwrap(), Numbering::Natural);
    ///     same.unwrap().group()
    /// });
    /// assert_eq!(groups, [Group::D4, Group::FileMirror]);
    /// ```
    #[must_use]
    #[inline]
    pub const fn group(&self) -> Group {
        self.group
    }

    /// The sets of like pieces.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u64>::try_new("KRRBBvKN".parse()?, Numbering::Natural)?;
    /// assert_eq!(same.like().sets().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn like(&self) -> &LikePieces {
        &self.like
    }

    /// Whether another piece is like the leading one.
    #[inline]
    pub(crate) const fn leads_twins(&self) -> bool {
        self.leads_twins
    }

    /// The network that sorts like pieces.
    #[inline]
    pub(crate) fn network(&self) -> &[Comparator<W>] {
        &self.network
    }

    /// The index with the pieces of each like set in their smallest order, no symmetry applied.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KRRvK".parse()?, Numbering::Natural)?;
    /// // The rooks are pieces 1 and 0, and the one with the greater number gets the lesser square.
    /// assert_eq!(same.sort_like(0o7060_7050), 0o7006_7005);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn sort_like(&self, index: W) -> W {
        self.network().map((), index)
    }

    /// The canonical index: the smallest among all equivalents.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Numbering, Symmetry};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let images = Symmetry::ALL.map(|symmetry| same.layout().flip(symmetry, 0o123_456));
    /// assert_eq!(images.map(|image| same.canonical(image)), [0o123_321; 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn canonical(&self, index: W) -> W {
        with_canonical_kernel!(&self.layout, self, self.network(), kernel => kernel.map((), index))
    }

    /// The canonical index and a symmetry that leads there (like pieces are then still to be
    /// sorted). Where several do, it is the one with the smallest [code](Symmetry).
    ///
    /// ```
    /// # use tbindex::{Equivalence, Numbering, Symmetry};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let (canonical, by) = same.canonical_with_symmetry(0o123_456);
    /// assert_eq!((canonical, by), (0o123_321, Symmetry::FlipHorizontal));
    /// assert_eq!(same.layout().flip(by, 0o123_456), canonical);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn canonical_with_symmetry(&self, index: W) -> (W, Symmetry) {
        let (canonical, by) = with_canonical_kernel!(
            &self.layout, self, self.network(), kernel => kernel.map_with_byte((), index)
        );
        (canonical, Symmetry::from_code(by.low_byte()))
    }

    /// The number of different images of this index under the group, like pieces told apart: the
    /// order of the group divided by that of the stabiliser, the symmetries that leave the index as it is. 8 or 4 under D4, 2
    /// under the file mirror, 1 under the trivial group: only the two diagonal mirrors ever fix a square, and no square is on
    /// both diagonals.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// assert_eq!(same.orbit_size(0o125_126), 8);
    /// // All pieces are on the diagonal a1–h8.
    /// assert_eq!(same.orbit_size(0o125_125), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn orbit_size(&self, index: W) -> u32 {
        if self.group != Group::D4 {
            return self.group.order();
        }
        let layout = &self.layout;
        let (_, size) = match layout.numbering() {
            Numbering::Natural => OrbitSize::<_, Natural<_>>::new(layout).map_with_byte((), index),
            Numbering::Alternate => {
                OrbitSize::<_, Alternate<_>>::new(layout).map_with_byte((), index)
            }
        };
        size.low_byte().into()
    }

    /// The number of indices that have the same canonical index as this one: all images under the group, with
    /// the like pieces in every order. The class sizes of all canonical indices add up to 64ⁿ.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KRRvK".parse()?, Numbering::Natural)?;
    /// // Eight images, each with the rooks in two orders; with all pieces on a diagonal, four.
    /// assert_eq!(same.class_size(0o0421_1432), 16);
    /// assert_eq!(same.class_size(0o0421_0421), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn class_size(&self, index: W) -> u128 {
        let mut images: Vec<W> = self
            .group
            .members()
            .iter()
            .map(|&symmetry| self.sort_like(self.layout.flip(symmetry, index)))
            .collect();
        images.sort_unstable();
        images.dedup();
        let arrangements: u128 = self
            .like
            .sets()
            .iter()
            .map(|&set| self.arrangements(index, set))
            .product();
        images.len() as u128 * arrangements
    }

    /// The number of orders in which a like set can have its squares: m! divided by the factorials of the
    /// numbers of pieces that share a square.
    fn arrangements(&self, index: W, set: u32) -> u128 {
        let mut count = 1u128;
        let mut seen: Vec<u8> = Vec::new();
        for k in (0..self.layout.pieces()).filter(|&k| set >> k & 1 != 0) {
            let code = self.layout.code(index, k);
            seen.push(code);
            let same = seen.iter().filter(|&&other| other == code).count();
            // The running value is a multinomial coefficient, so the division is exact.
            count = count * seen.len() as u128 / same as u128;
        }
        count
    }
}
