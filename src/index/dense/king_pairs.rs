//! The two kings' squares up to symmetry.

use super::triangle::TRIANGLE;
use super::{Layout, Word};
use crate::board::{Bitboard, Color, Group, Piece, PieceType, Square, Symmetry, attacks};
use crate::index::Numbering;

/// How far apart two kings have to be to count.
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
///   the diagonal come last. This is the order of the Syzygy tables. The pairs up to
///   [`diagonal_from`](KingPairs::diagonal_from) leave no symmetry to choose from; the others, 21 of
///   the 462, leave the mirror along the diagonal.
/// - **File mirror**: the white king is on the files a to d; ordered by its square's number, then by
///   the black king's. No order of these is established.
/// - **Trivial**: all pairs in the order of the two numbers.
///
/// ```
/// use tbindex::{Group, KingDistance, KingPairs, Square, Symmetry};
/// let pairs = KingPairs::new(Group::D4, KingDistance::Apart);
/// assert_eq!((pairs.all().len(), pairs.diagonal_from()), (462, 441));
/// let (white, black): (Square, Square) = ("g8".parse()?, "e6".parse()?);
/// let (id, symmetry) = pairs.find(white, black).expect("the kings don't touch");
/// assert_eq!(pairs.all()[id], [symmetry.apply(white), symmetry.apply(black)]);
/// assert_eq!(pairs.all()[id].map(|s| s.to_string()), ["b1", "d3"]);
/// # Ok::<(), tbindex::SquareError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KingPairs {
    group: Group,
    pairs: Vec<[Square; 2]>,
    diagonal_from: usize,
    /// By the kings' own natural index, white leading: 8 · number + code of the symmetry that leads to
    /// the pair, or `NONE`.
    lookup: Box<[u32; 4096]>,
}

/// Bits 15 and up say that there is no pair; numbers are below 4096.
const NONE: u32 = 0xffff;

/// The natural index of the two kings alone, white leading.
fn index_of(white: Square, black: Square) -> u16 {
    Layout::<u32>::new(2, Numbering::Natural).encode(&[black, white]) as u16
}

fn on_diagonal(square: Square) -> bool {
    square.file() as u8 == square.rank() as u8
}

fn above_diagonal(square: Square) -> bool {
    square.rank() as u8 > square.file() as u8
}

impl KingPairs {
    /// The pairs of squares under a group that are far enough from each other.
    #[must_use]
    pub fn new(group: Group, distance: KingDistance) -> KingPairs {
        let leads: Vec<Square> = match group {
            Group::D4 => TRIANGLE.map(Square::new).to_vec(),
            Group::FileMirror => Square::all().filter(|s| s.number() & 4 == 0).collect(),
            Group::Trivial => Square::all().collect(),
        };
        let (diagonal, mut pairs): (Vec<_>, Vec<_>) = leads
            .iter()
            .flat_map(|&white| Square::all().map(move |black| [white, black]))
            .filter(|&[white, black]| distance.admits(white, black))
            .filter(|&[white, black]| {
                group != Group::D4 || !on_diagonal(white) || !above_diagonal(black)
            })
            .partition(|&[white, black]| {
                group == Group::D4 && on_diagonal(white) && on_diagonal(black)
            });
        let diagonal_from = pairs.len();
        pairs.extend(diagonal);

        let mut lookup = Box::new([NONE; 4096]);
        for (id, &[white, black]) in pairs.iter().enumerate() {
            for code in (0..8).rev() {
                let image = Symmetry::from_code(code);
                if group.contains(image) {
                    let back = image.inverse();
                    let (white, black) = (back.apply(white), back.apply(black));
                    let entry = &mut lookup[usize::from(index_of(white, black))];
                    // A pair on the diagonal is reached twice; the smaller code stays.
                    *entry = (8 * id as u32) | u32::from(code);
                }
            }
        }
        KingPairs {
            group,
            pairs,
            diagonal_from,
            lookup,
        }
    }

    /// The group of symmetries.
    pub(crate) const fn group(&self) -> Group {
        self.group
    }

    /// The number of the first pair with both kings on the diagonal, which the mirror along it keeps
    /// where they are. Without the eight symmetries there is none, and this is the number of pairs.
    #[must_use]
    #[inline]
    pub const fn diagonal_from(&self) -> usize {
        self.diagonal_from
    }

    /// The squares of the white and of the black king of all pairs, by the pairs' numbers. There are 528, 518 or 462 under
    /// D4, and 2048, 2016 or 1806 under the file mirror.
    #[must_use]
    #[inline]
    pub fn all(&self) -> &[[Square; 2]] {
        &self.pairs
    }

    /// The number of the pair that kings on these squares belong to, and the symmetry that takes
    /// them there (of two, the one with the smaller code); `None` if they are too close.
    #[must_use]
    #[inline]
    pub fn find(&self, white: Square, black: Square) -> Option<(usize, Symmetry)> {
        let entry = self.lookup[usize::from(index_of(white, black))];
        (entry != NONE).then(|| {
            let id = (entry >> 3) as usize;
            (id, Symmetry::from_code(entry as u8))
        })
    }

    /// 8 · number of the pair + code of the symmetry for the two leading pieces of a natural index;
    /// bit 15 is set if they are too close.
    #[inline(always)]
    pub(crate) fn leading_entry<W: Word>(&self, layout: Layout<W>, index: W) -> u32 {
        let half = layout.half();
        let digits = |at: u32| {
            let bits: u128 = (index >> at).into();
            bits as usize & 63
        };
        self.lookup[digits(2 * half - 6) << 6 | digits(half - 6)]
    }

    /// [`find`](KingPairs::find) for the two leading pieces of a natural index, with the symmetry's
    /// code.
    #[inline(always)]
    pub(super) fn find_leading<W: Word>(&self, layout: Layout<W>, index: W) -> Option<(usize, u8)> {
        let entry = self.leading_entry(layout, index);
        (entry != NONE).then_some(((entry >> 3) as usize, entry as u8 & 7))
    }

    /// For each pair the natural index with the two leading pieces on its squares, all others on a1;
    /// zeros after the last.
    pub(super) fn leading_indices<W: Word>(&self, layout: Layout<W>) -> Box<[W; 4096]> {
        let place = |king: Square, k: usize| layout.place(king.number(), k as u32);
        let n = layout.pieces();
        let mut indices = Box::new([W::ZERO; 4096]);
        for (index, &[white, black]) in indices.iter_mut().zip(&self.pairs) {
            *index = place(white, n - 1) | place(black, n - 2);
        }
        indices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_squares_leads_to_the_pair_of_its_class() {
        for group in Group::ALL {
            for distance in [
                KingDistance::Any,
                KingDistance::Distinct,
                KingDistance::Apart,
            ] {
                let pairs = KingPairs::new(group, distance);
                for white in Square::all() {
                    for black in Square::all() {
                        let found = pairs.find(white, black);
                        assert_eq!(found.is_some(), distance.admits(white, black));
                        let Some((id, symmetry)) = found else {
                            continue;
                        };
                        assert!(group.contains(symmetry));
                        let image = [symmetry.apply(white), symmetry.apply(black)];
                        assert_eq!(pairs.all()[id], image);
                        for &other in group.members() {
                            let (white, black) = (other.apply(white), other.apply(black));
                            assert_eq!(pairs.find(white, black).map(|f| f.0), Some(id));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn pairs_on_the_diagonal_come_last() {
        for (distance, on) in [
            (KingDistance::Any, 32),
            (KingDistance::Distinct, 28),
            (KingDistance::Apart, 21),
        ] {
            let pairs = KingPairs::new(Group::D4, distance);
            assert_eq!(pairs.all().len() - pairs.diagonal_from(), on);
            for (id, &[white, black]) in pairs.all().iter().enumerate() {
                let fixed = on_diagonal(white) && on_diagonal(black);
                assert_eq!(fixed, id >= pairs.diagonal_from());
            }
        }
    }
}
