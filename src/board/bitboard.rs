//! Sets of squares.

use std::fmt;
use std::ops::Not;

use super::{Rank, Square};

/// A set of squares as 64 bits: bit `s` stands for the square with number `s`, a1 is the least
/// significant.
///
/// `&`, `|`, `^`, `!` and `-` are the operators of sets.
///
/// ```
/// use tbindex::Bitboard;
/// let corners = Bitboard(0x8100_0000_0000_0081);
/// assert_eq!(corners.len(), 4);
/// assert!(corners.into_iter().map(|s| s.to_string()).eq(["a1", "h1", "a8", "h8"]));
/// assert_eq!(
///     Bitboard(0xff00).to_string(),
///     "8| . . . . . . . .\n\
///      7| . . . . . . . .\n\
///      6| . . . . . . . .\n\
///      5| . . . . . . . .\n\
///      4| . . . . . . . .\n\
///      3| . . . . . . . .\n\
///      2| X X X X X X X X\n\
///      1| . . . . . . . .\n\
///      \x20  a b c d e f g h\n"
/// );
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 64 squares.
    pub(crate) const ALL: Bitboard = Bitboard(!0);

    /// The eight squares of a rank.
    #[must_use]
    #[inline]
    pub(crate) const fn from_rank(rank: Rank) -> Bitboard {
        Bitboard(0xff << (8 * rank as u8))
    }

    /// Whether there is no square in the set.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of squares in the set.
    #[must_use]
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the square is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.number() & 1 != 0
    }

    /// The set with `square` in it.
    #[must_use]
    #[inline]
    pub const fn with(self, square: Square) -> Bitboard {
        Bitboard(self.0 | 1 << square.number())
    }

    /// The set without `square`.
    #[must_use]
    #[inline]
    pub(crate) const fn without(self, square: Square) -> Bitboard {
        Bitboard(self.0 & !(1 << square.number()))
    }

    /// The square with the lowest number, or `None` if the set is empty.
    #[must_use]
    #[inline]
    pub(crate) const fn first(self) -> Option<Square> {
        Square::from_number(self.0.trailing_zeros() as u8)
    }

    /// The square with the highest number, or `None` if the set is empty.
    #[inline]
    pub(super) const fn last(self) -> Option<Square> {
        if self.is_empty() {
            None
        } else {
            Square::from_number(63 - self.0.leading_zeros() as u8)
        }
    }

    /// The set mirrored left to right, a ↔ h.
    #[must_use]
    #[inline]
    pub(crate) const fn flip_horizontal(self) -> Bitboard {
        // All bits in reverse, with the ranks back in their places.
        Bitboard(self.0.reverse_bits().swap_bytes())
    }

    /// The set mirrored top to bottom, 1 ↔ 8.
    #[must_use]
    #[inline]
    pub(crate) const fn flip_vertical(self) -> Bitboard {
        Bitboard(self.0.swap_bytes())
    }

    /// The set mirrored along the a1–h8 diagonal.
    #[must_use]
    #[inline]
    pub(crate) const fn flip_diagonal(self) -> Bitboard {
        // An 8×8 bit matrix transposed: swap the off-diagonal 4×4 blocks, then the 2×2 blocks
        // within them, then single bits. Square (f, r) and its image differ by 7·(f − r).
        const fn swap(x: u64, distance: u32, mask: u64) -> u64 {
            let t = (x ^ x >> distance) & mask;
            x ^ t ^ t << distance
        }
        let x = swap(self.0, 28, 0x0000_0000_f0f0_f0f0);
        let x = swap(x, 14, 0x0000_cccc_0000_cccc);
        let x = swap(x, 7, 0x00aa_00aa_00aa_00aa);
        Bitboard(x)
    }
}

/// The numbers of the bits that are set in a word, in order.
#[inline(always)]
pub fn bits(set: u64) -> impl Iterator<Item = usize> {
    Bitboard(set).into_iter().map(Square::index)
}

/// The squares of a [`Bitboard`] in the order of their numbers.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len() as usize;
        (len, Some(len))
    }
}

impl DoubleEndedIterator for Squares {
    fn next_back(&mut self) -> Option<Square> {
        let square = self.0.last()?;
        self.0 = self.0.without(square);
        Some(square)
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Bitboard {
        Bitboard(1 << square.number())
    }
}

super::set_operators!(Bitboard);

impl Not for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

/// The board with rank 8 on top, `X` for a square in the set and `.` for the others.
impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |square| if self.contains(square) { "X" } else { "." };
        f.write_str(&super::drawing(|square| mark(square).to_owned()))
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitboard({:#018x})", self.0)
    }
}
