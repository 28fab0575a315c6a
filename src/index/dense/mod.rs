//! Dense numbers: from index to array slot and back, without holes.
//!
//! The interleaved index is the form to compute in; a table is an array. A *scheme* numbers the
//! positions that it has room for 0 … N−1:
//!
//! | scheme | positions it has slots for | size for n pieces without pawns |
//! |---|---|---|
//! | [`Orbit`] | all squares, pieces told apart; exact | 2^(6n−3) + 2^(3n−2) |
//! | [`Triangle`] | all squares, pieces told apart | 10 · 64ⁿ⁻¹ |
//! | [`Kings`] | kings apart, pieces told apart | 462 · 64ⁿ⁻² |
//! | [`Compact`] | as its [`Rules`] say; like pieces exchangeable | 462 · 62 · 61 …, binomials, or exact |
//!
//! The classical schemes count a position twice where its leading pieces stand on the diagonal: the
//! position and its mirror image both get a slot, and are told to be [twins](Dense::twin). [`Orbit`]
//! and [`Compact`] under [`Diagonal::Exact`] have exactly one slot for every class.
//!
//! Every scheme is a [`Dense`]: it ranks and unranks (whole slices, too: see
//! [`DenseBatch`](crate::batch::DenseBatch)), and knows how many positions a slot stands for. It is made for a layout
//! or a material; a [`PlacementCodec`](crate::PlacementCodec) gives the indices of positions. [`KingPairs`] says which
//! pairs of kings one king move connects.

mod binomial;
mod compact;
mod digits;
mod estimate;
mod king_moves;
mod king_pairs;
mod leading;
mod leading_pieces;
mod orbit;

pub(crate) use binomial::choose;
pub(crate) use compact::{BLOCK, BlockRow};
pub use compact::{Compact, Diagonal, Rules, WideDivision};
pub use estimate::Estimate;
pub(crate) use king_moves::KingMove;
pub use king_pairs::{KingDistance, KingPairs};
pub use leading_pieces::{Kings, LeadingPieces, Triangle};
pub use orbit::Orbit;

use std::ops::Range;

use super::{Layout, Word};
use crate::board::Square;

/// A bijection between the positions that a scheme has room for, up to the symmetries that it
/// knows, and the slots 0 … [`size`](Dense::size)−1.
///
/// # Number KRPvKR without gaps
///
/// ```
/// use tbindex::{Compact, Dense, Diagonal, Fen, Numbering, PlacementCodec, Rules};
/// let (material, natural) = ("KRPvKR".parse()?, Numbering::Natural);
/// let scheme = Compact::<u32>::try_new(material, natural, Rules::KingsApart, Diagonal::Exact)?;
/// assert_eq!(scheme.size(), 307_483_920);
/// // Lucena's position. Its mirror image has the same slot.
/// let fen: Fen = "6K1/4k1P1/8/8/8/8/7r/5R2 w - -".parse()?;
/// let codec = PlacementCodec::<u32>::try_new(material, natural)?;
/// let slot = scheme.rank(codec.encode(&fen.position)?).expect("the kings are apart");
/// assert_eq!(slot, 285_846_127);
/// let image = codec.decode(scheme.unrank(slot), fen.position.side)?;
/// assert_eq!(image.placement(), "1K6/1P1k4/8/8/8/8/r7/2R5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Indices are valid ones of the [`layout`](Dense::layout), as [`Backend::check_indices`](crate::batch::Backend::check_indices)
/// checks; the slot of any other word is unspecified. Slots are words of the same type. A
/// scheme computes in one of the two numberings, and converts from and to the other one.
///
/// For every slot, `rank(unrank(slot)) == Some(slot)`. For every index that the scheme has room for,
/// `unrank(rank(index))` is an equivalent of the index.
pub trait Dense<W: Word> {
    /// The layout of the indices that are ranked and unranked, the one that the scheme was made for:
    /// how many pieces, and under which numbering of the squares.
    ///
    /// ```
    /// # use tbindex::{Compact, Dense, Diagonal, Numbering, Rules};
    /// let (apart, exact) = (Rules::KingsApart, Diagonal::Exact);
    /// let scheme = Compact::<u32>::try_new("KQvKR".parse()?, Numbering::Alternate, apart, exact)?;
    /// // It computes in the natural numbering, but takes and gives what it was made for.
    /// assert_eq!(scheme.layout().numbering(), Numbering::Alternate);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn layout(&self) -> Layout<W>;

    /// The number of slots.
    ///
    /// ```
    /// # use tbindex::{Compact, Dense, Diagonal, Numbering, Rules};
    /// let (apart, exact) = (Rules::KingsApart, Diagonal::Exact);
    /// let scheme = Compact::<u32>::try_new("KRvK".parse()?, Numbering::Natural, apart, exact)?;
    /// assert_eq!(scheme.size(), 28_056);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn size(&self) -> W;

    /// The slot of the position, or `None` if the scheme has no room for it: kings that touch where
    /// it wants them apart, a shared square where it wants none, a pawn on the first or last rank
    /// where it keeps pawns off them.
    ///
    /// ```
    /// # use tbindex::{Dense, Group, Kings, Layout, Numbering};
    /// let kings = Kings::new(Layout::<u32>::new(3, Numbering::Natural), Group::D4);
    /// // K on b1, k on d1 and R on h8: the first pair of kings, and the last square.
    /// assert_eq!(kings.rank(0o007_137), Some(63));
    /// // K on b1 and k on c1 touch.
    /// assert_eq!(kings.rank(0o007_127), None);
    /// ```
    fn rank(&self, index: W) -> Option<W>;

    /// The position of a slot. Its index need not be the canonical one of its class; that of [`Orbit`] is.
    ///
    /// ```
    /// # use tbindex::{Dense, Group, Kings, Layout, Numbering};
    /// let kings = Kings::new(Layout::<u32>::new(3, Numbering::Natural), Group::D4);
    /// assert_eq!(kings.unrank(63), 0o007_137);
    /// ```
    ///
    /// # Panics
    /// If `slot` is not below [`size`](Dense::size).
    fn unrank(&self, slot: W) -> W;

    /// The number of positions that the slot stands for: 8 or 4 under D4, 2 under the file mirror, 1 under the trivial
    /// group. Where the scheme
    /// does not tell like pieces apart, they are not told apart here either. Where twins have a slot
    /// each, each slot stands for its half. So a sum over slots, each times its weight, is a sum over all
    /// positions.
    ///
    /// ```
    /// # use tbindex::{Compact, Dense, Diagonal, Numbering, Rules};
    /// let (apart, exact) = (Rules::KingsApart, Diagonal::Exact);
    /// let scheme = Compact::<u32>::try_new("KRvK".parse()?, Numbering::Natural, apart, exact)?;
    /// // All placements of three pieces on squares of their own, with the kings apart.
    /// let placements: u32 = (0..scheme.size()).map(|slot| scheme.weight(slot)).sum();
    /// assert_eq!(placements, 3612 * 62);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `slot` is not below [`size`](Dense::size).
    fn weight(&self, slot: W) -> u32;

    /// The other slot of the same class, if it has two: that of the mirror image of a position whose
    /// leading pieces are on the diagonal. A table may fill either and copy.
    ///
    /// ```
    /// # use tbindex::{Dense, Group, Kings, Layout, Numbering};
    /// let kings = Kings::new(Layout::<u32>::new(3, Numbering::Natural), Group::D4);
    /// // K on a1, k on h8 and R on b1 or, mirrored along the diagonal, on a2.
    /// let slots = [0o070_071, 0o071_070].map(|index| kings.rank(index).expect("kings apart"));
    /// assert_eq!(kings.twin(slots[0]), Some(slots[1]));
    /// // Without both kings on the diagonal there is no twin.
    /// assert_eq!(kings.twin(63), None);
    /// ```
    ///
    /// # Panics
    /// If `slot` is not below [`size`](Dense::size).
    fn twin(&self, slot: W) -> Option<W>;
}

/// A scheme that falls into slices of consecutive slots, one for each placement of its leading
/// pieces.
pub trait Sliced<W: Word>: Dense<W> {
    /// The number of slices.
    fn slice_count(&self) -> usize;

    /// The slots of a slice.
    ///
    /// # Panics
    /// If `id` is not below [`slice_count`](Sliced::slice_count).
    fn slice(&self, id: usize) -> Range<W>;

    /// The slice of a slot.
    ///
    /// # Panics
    /// If `slot` is not below [`size`](Dense::size).
    fn slice_of(&self, slot: W) -> usize;

    /// The squares of the leading pieces that all positions of a slice share, the leading piece
    /// (number n−1) first.
    ///
    /// # Panics
    /// If `id` is not below [`slice_count`](Sliced::slice_count).
    fn leading_squares(&self, id: usize) -> &[Square];
}
