//! The places of the digits of an index.

use super::{Masks, Numbering, Word};
use crate::board::Square;
use crate::checks::{check_below, check_length};

/// The layout of an index: how many pieces, under which numbering, in which word.
///
/// Pieces are numbered 0 … n−1; piece n−1, the leading piece, has the highest digit of each half.
/// An index is valid when its bits from 6n on are zero. Two pieces may share a square. All methods
/// take valid indices; the answer for an invalid one is unspecified, but there is no panic.
///
/// ```
/// use tbindex::{Layout, Numbering, Square, Symmetry};
/// // The published example: a rook on 0o52 and a king on 0o46, the king leading.
/// let layout = Layout::<u32>::new(2, Numbering::Natural);
/// let index = layout.encode(&[Square::new(0o52), Square::new(0o46)]);
/// assert_eq!(index, 0o4562);
/// assert_eq!(layout.square(index, 1), Square::new(0o46));
/// assert_eq!(layout.flip(Symmetry::FlipVertical, index), 0o3262);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout<W> {
    pieces: u32,
    numbering: Numbering,
    masks: Masks<W>,
}

/// The error that there is no index of so many pieces, or that sets of like ones do not divide them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// There are too many pieces for a word or for what is made of their indices, or there is no piece.
    #[error("{pieces} pieces in a word of {bits} bits: expected 1 to {max}")]
    Pieces {
        /// The number of pieces that were asked for.
        pieces: usize,
        /// The word's width.
        bits: u32,
        /// The most pieces that there may be: six bits of the word for each, unless a numbering or an enumeration takes fewer.
        max: usize,
    },
    /// A piece is in two sets of [like pieces](super::LikePieces).
    #[error("piece {piece} is in two sets of like pieces")]
    Overlap {
        /// The piece's number.
        piece: u32,
    },
    /// The number of a like piece is beyond the pieces of the index.
    #[error("a set of like pieces names piece {piece}: expected numbers below {pieces}")]
    OutOfRange {
        /// The piece's number.
        piece: u32,
        /// The number of pieces.
        pieces: usize,
    },
}

impl<W: Word> Layout<W> {
    /// The layout of `pieces` pieces under `numbering`.
    ///
    /// ```
    /// # use tbindex::{Layout, Numbering};
    /// let ten = Layout::<u64>::new(10, Numbering::Natural);
    /// assert_eq!(ten.index_count(), 1 << 60);
    /// ```
    ///
    /// # Panics
    /// If `pieces` is 0 or more than the word holds ([`Word::MAX_PIECES`]).
    #[must_use]
    pub const fn new(pieces: usize, numbering: Numbering) -> Layout<W> {
        assert!(
            pieces >= 1 && pieces <= W::MAX_PIECES,
            "a layout has 1 to MAX_PIECES pieces"
        );
        Layout {
            pieces: pieces as u32,
            numbering,
            masks: W::MASKS[pieces],
        }
    }

    /// The layout of `pieces` pieces under `numbering`.
    ///
    /// ```
    /// # use tbindex::{Layout, Numbering};
    /// let error = Layout::<u32>::try_new(6, Numbering::Natural).unwrap_err();
    /// assert_eq!(error.to_string(), "6 pieces in a word of 32 bits: expected 1 to 5");
    /// ```
    ///
    /// # Errors
    /// If `pieces` is 0 or more than the word holds.
    pub const fn try_new(pieces: usize, numbering: Numbering) -> Result<Layout<W>, LayoutError> {
        if pieces >= 1 && pieces <= W::MAX_PIECES {
            Ok(Layout::new(pieces, numbering))
        } else {
            Err(LayoutError::Pieces {
                pieces,
                bits: W::BITS,
                max: W::MAX_PIECES,
            })
        }
    }

    /// The number of pieces that an index holds, n.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u64>::try_new("KQRBNvKQRBN".parse()?, Numbering::Natural)?;
    /// assert_eq!(same.layout().pieces(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn pieces(&self) -> usize {
        self.pieces as usize
    }

    /// The numbering of the squares.
    ///
    /// ```
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Alternate)?;
    /// assert_eq!(same.layout().numbering(), Numbering::Alternate);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn numbering(&self) -> Numbering {
        self.numbering
    }

    /// The same layout under another numbering.
    pub(crate) const fn with_numbering(&self, numbering: Numbering) -> Layout<W> {
        Layout { numbering, ..*self }
    }

    /// The same layout under the natural numbering.
    #[inline(always)]
    pub(crate) const fn natural(&self) -> Layout<W> {
        self.with_numbering(Numbering::Natural)
    }

    /// The masks of this layout: bit 0 of all low digits, the low half, the high half.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn masks(&self) -> Masks<W> {
        self.masks
    }

    /// The width of a half in bits, 3n: the distance from a low digit to its high digit.
    #[inline]
    pub(crate) const fn half(&self) -> u32 {
        3 * self.pieces
    }

    /// The number of valid indices, 64ⁿ.
    ///
    /// ```
    /// # use tbindex::{Layout, Numbering};
    /// assert_eq!(Layout::<u32>::new(5, Numbering::Natural).index_count(), 1_073_741_824);
    /// ```
    #[must_use]
    pub const fn index_count(&self) -> u128 {
        1 << (6 * self.pieces)
    }

    /// Whether the bits above the digits are zero.
    ///
    /// ```
    /// # use tbindex::{Layout, Numbering};
    /// let layout = Layout::<u32>::new(2, Numbering::Natural);
    /// assert!(layout.is_valid(0o7777) && !layout.is_valid(0o1_0000));
    /// ```
    #[must_use]
    #[inline]
    pub fn is_valid(&self, index: W) -> bool {
        index >> (6 * self.pieces) == W::ZERO
    }

    /// A six-bit code put where piece `k` has its two digits, zeros elsewhere.
    #[inline(always)]
    pub(crate) fn place(&self, code: u8, k: u32) -> W {
        W::from(code >> 3) << (self.half() + 3 * k) | W::from(code & 7) << (3 * k)
    }

    /// The six-bit code of piece `k`, which must be below the number of pieces.
    #[inline]
    pub(crate) fn code(&self, index: W, k: usize) -> u8 {
        check_below("square", "piece", k, self.pieces());
        let k = k as u32;
        let high = (index >> (self.half() + 3 * k)).low_byte() & 7;
        let low = (index >> (3 * k)).low_byte() & 7;
        high << 3 | low
    }

    /// The square of piece `k`.
    ///
    /// ```
    /// # use tbindex::{Layout, Numbering};
    /// let layout = Layout::<u32>::new(2, Numbering::Natural);
    /// // The digits of piece 1 are the first of each half.
    /// assert_eq!(layout.square(0o4562, 1).to_string(), "g5");
    /// assert_eq!(layout.square(0o4562, 0).to_string(), "c6");
    /// ```
    ///
    /// # Panics
    /// If `k` is not below the number of pieces.
    #[must_use]
    #[inline]
    pub fn square(&self, index: W, k: usize) -> Square {
        self.numbering.square(self.code(index, k))
    }

    /// The index with piece `k` on `to`, wherever it stood.
    ///
    /// # Panics
    /// If `k` is not below the number of pieces.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn with_square(&self, index: W, k: usize, to: Square) -> W {
        let change = self.code(index, k) ^ self.numbering.code(to);
        index ^ self.place(change, k as u32)
    }

    /// The index after piece `k` has moved between `from` and `to`, by one XOR; the same call takes
    /// the move back. Piece `k` must stand on one of the two squares.
    ///
    /// The XOR does not depend on the other pieces.
    ///
    /// # Panics
    /// If `k` is not below the number of pieces.
    #[inline(always)]
    pub(crate) fn move_piece(&self, index: W, k: usize, from: Square, to: Square) -> W {
        check_below("move_piece", "piece", k, self.pieces());
        let change = self.numbering.code(from) ^ self.numbering.code(to);
        index ^ self.place(change, k as u32)
    }

    /// The index without piece `k`: its two digits cut out, the pieces above it renumbered. It is an
    /// index of the layout with one piece less.
    #[inline]
    pub(crate) fn without_piece(&self, index: W, k: usize) -> W {
        let below = |bit: u32| (W::ONE << bit) - W::ONE;
        // The low digit's place, and the high digit's after the low one is cut out.
        let (low, high) = (3 * k as u32, self.half() - 3 + 3 * k as u32);
        let cut = (index & below(low)) | (index >> 3 & !below(low));
        (cut & below(high)) | (cut >> 3 & !below(high))
    }

    /// The index of the pieces on these squares, `squares[k]` that of piece k.
    ///
    /// ```
    /// # use tbindex::{Layout, Numbering};
    /// let squares = ["c6".parse()?, "g5".parse()?];
    /// assert_eq!(Layout::<u32>::new(2, Numbering::Natural).encode(&squares), 0o4562);
    /// assert_eq!(Layout::<u32>::new(2, Numbering::Alternate).encode(&squares), 0o4774);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are not exactly as many squares as pieces.
    #[must_use]
    #[inline]
    pub fn encode(&self, squares: &[Square]) -> W {
        check_length("encode", squares.len(), self.pieces());
        // Natural codes are free, and one conversion serves all pieces.
        let natural = squares
            .iter()
            .zip(0..)
            .fold(W::ZERO, |x, (square, k)| x | self.place(square.number(), k));
        self.natural().convert(self.numbering, natural)
    }

    /// The squares of the pieces, piece 0 first.
    ///
    /// ```
    /// # use tbindex::{Layout, Numbering};
    /// let squares = Layout::<u32>::new(3, Numbering::Natural).decode(0o700_721);
    /// assert_eq!(squares.map(|square| square.to_string()).collect::<Vec<_>>(), ["b1", "c1", "h8"]);
    /// ```
    #[inline]
    pub fn decode(&self, index: W) -> impl ExactSizeIterator<Item = Square> + use<W> {
        let natural = self.natural();
        let index = self.convert(Numbering::Natural, index);
        (0..self.pieces()).map(move |k| natural.square(index, k))
    }
}
