//! The two kings' squares up to symmetry.

use std::sync::OnceLock;

use super::king_moves::{KingMove, KingMoves};
use super::leading::{LeadingPlacements, on_diagonal};
use crate::board::{Bitboard, Color, Group, Piece, PieceType, Square, Symmetry, attacks};
use crate::debug::debug_by;

/// The least distance of the two kings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KingDistance {
    /// Any squares, one and the same included.
    Any,
    /// Two squares.
    Distinct,
    /// Two squares that don't touch, as the rules of chess have it.
    Apart,
}

impl KingDistance {
    /// Whether two kings may stand on these squares.
    fn admits(self, white: Square, black: Square) -> bool {
        let king = Piece::new(Color::White, PieceType::King);
        match self {
            KingDistance::Any => true,
            KingDistance::Distinct => white != black,
            KingDistance::Apart => {
                white != black && !attacks(king, white, Bitboard::EMPTY).contains(black)
            }
        }
    }
}

/// The pairs of squares of the white and the black king up to the symmetries of a group, numbered.
///
/// With the kings apart there are 462 under D4 and 1806 under the file mirror. Each class is stood
/// for by one pair:
///
/// - **D4**: the white king is in the a1–d1–d4 triangle, and if it is on the diagonal, the black
///   king is not above it. Pairs come in the order of the white king's squares b1 c1 d1 c2 d2 d3 a1
///   b2 c3 d4 and of the black king's squares by number, except that the pairs with *both* kings on
///   the diagonal come last. This is the order of the Syzygy tables. These last pairs, 21 of the 462, leave the mirror
///   along the diagonal; the others leave no symmetry to choose from.
/// - **File mirror**: the white king is on the files a to d; ordered by its square's number, then by
///   the black king's. No order of these is established.
/// - **Trivial**: all pairs in the order of the two numbers.
///
/// ```
/// use tbindex::{Group, KingDistance, KingPairs, Square, Symmetry};
/// let pairs = KingPairs::new(Group::D4, KingDistance::Apart);
/// assert_eq!(pairs.all().len(), 462);
/// let (white, black): (Square, Square) = ("g8".parse()?, "e6".parse()?);
/// let (id, symmetry) = pairs.find(white, black).expect("the kings don't touch");
/// assert_eq!(pairs.all()[id], [symmetry.apply(white), symmetry.apply(black)]);
/// assert_eq!(pairs.all()[id].map(|s| s.to_string()), ["b1", "d3"]);
/// # Ok::<(), tbindex::NameError>(())
/// ```
#[derive(Clone)]
pub struct KingPairs {
    pub(super) leading: LeadingPlacements<2>,
    /// The moves between pairs, once somebody asks for them.
    moves: OnceLock<KingMoves>,
}

impl KingPairs {
    /// The pairs of squares under a group that are far enough from each other.
    ///
    /// ```
    /// # use tbindex::{Group, KingDistance, KingPairs};
    /// let count = |group| KingPairs::new(group, KingDistance::Apart).all().len();
    /// assert_eq!(Group::ALL.map(count), [3612, 1806, 462]);
    /// ```
    #[must_use]
    pub fn new(group: Group, distance: KingDistance) -> KingPairs {
        let leading = LeadingPlacements::new(group, |white| {
            let folded = group == Group::D4 && on_diagonal(white);
            Square::all()
                .filter(move |&black| distance.admits(white, black))
                .filter(move |black| !folded || black.rank() as u8 <= black.file() as u8)
                .map(move |black| [white, black])
        });
        KingPairs {
            leading,
            moves: OnceLock::new(),
        }
    }

    /// The group of symmetries.
    pub(crate) const fn group(&self) -> Group {
        self.leading.group
    }

    /// The number of the first pair with both kings on the diagonal, which the mirror along it keeps
    /// where they are. Without the eight symmetries there is none, and this is the number of pairs.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn diagonal_from(&self) -> usize {
        self.leading.diagonal_from
    }

    /// The squares of the white and of the black king of all pairs, by the pairs' numbers. There are 528, 518 or 462 under
    /// D4, and 2048, 2016 or 1806 under the file mirror.
    ///
    /// ```
    /// # use tbindex::{Group, KingDistance, KingPairs};
    /// let pairs = KingPairs::new(Group::D4, KingDistance::Apart);
    /// assert_eq!(pairs.all()[0].map(|square| square.to_string()), ["b1", "d1"]);
    /// ```
    #[must_use]
    #[inline]
    pub fn all(&self) -> &[[Square; 2]] {
        &self.leading.all
    }

    /// The number of the pair that kings on these squares belong to, and the symmetry that takes
    /// them there (of two, the one with the smaller code); `None` if they are too close.
    ///
    /// ```
    /// # use tbindex::{Group, KingDistance, KingPairs, Square, Symmetry};
    /// let pairs = KingPairs::new(Group::D4, KingDistance::Apart);
    /// let [e1, g1, e2] = [0o04, 0o06, 0o14].map(Square::new);
    /// assert_eq!(pairs.find(g1, e1), Some((0, Symmetry::FlipHorizontal)));
    /// assert_eq!(pairs.find(e1, e2), None);
    /// ```
    #[must_use]
    #[inline]
    pub fn find(&self, white: Square, black: Square) -> Option<(usize, Symmetry)> {
        self.leading.find([white, black])
    }
    /// The pairs that a move of one side's king leads to from a pair, ascending, each once; moves go both ways, so they are also
    /// those that it leads from. The pair itself may be among them.
    ///
    /// ```
    /// use tbindex::{Color, Group, KingDistance, KingPairs, Square};
    /// let pairs = KingPairs::new(Group::D4, KingDistance::Apart);
    /// let slice = |white: Square, black: Square| pairs.find(white, black).expect("apart").0;
    /// let (from, to) = (slice(Square::new(1), Square::new(63)), slice(Square::new(8), Square::new(63)));
    /// assert!(pairs.neighbours(from, Color::White).contains(&to));
    /// ```
    ///
    /// # Panics
    /// If `number` is not that of a pair.
    #[must_use]
    pub fn neighbours(&self, number: usize, color: Color) -> &[usize] {
        self.king_moves().neighbours(number, color)
    }

    /// The moves of one side's king from a pair, in the order of the squares it goes to.
    #[inline]
    pub(crate) fn moves(&self, number: usize, color: Color) -> &[KingMove] {
        self.king_moves().of(number, color)
    }

    #[inline]
    fn king_moves(&self) -> &KingMoves {
        self.moves.get_or_init(|| KingMoves::new(&self.leading))
    }
}

impl PartialEq for KingPairs {
    fn eq(&self, other: &KingPairs) -> bool {
        self.leading == other.leading
    }
}

impl Eq for KingPairs {}

debug_by!([] KingPairs: leading);
