//! The slices that one king move connects.

use super::KingPairs;
use crate::board::{Bitboard, Color, Piece, PieceType, Square, Symmetry, attacks};
use crate::debug::debug_by;

/// A king's move from the squares of a king pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KingMove {
    /// The side whose king moves.
    pub(crate) color: Color,
    /// The square that it goes to, before the symmetry.
    pub(crate) to: Square,
    /// The pair that the kings then are, up to symmetry.
    pub(crate) slice: usize,
    /// The symmetry that takes them to that pair's squares, and all other pieces along.
    pub(crate) symmetry: Symmetry,
}

/// For each king pair the pairs that one king move leads to.
///
/// King moves go both ways, so the slices that a move leads *from* are the same ones. The lists of
/// all pairs stand in one array behind each other.
///
/// ```
/// use tbindex::{Color, Group, KingDistance, KingMoves, KingPairs, Square};
/// let pairs = KingPairs::new(Group::D4, KingDistance::Apart);
/// let moves = KingMoves::new(&pairs);
/// let slice = |white: Square, black: Square| pairs.find(white, black).expect("apart").0;
/// let (from, to) = (slice(Square::new(1), Square::new(63)), slice(Square::new(8), Square::new(63)));
/// assert!(moves.neighbours(from, Color::White).contains(&to));
/// ```
#[derive(Clone)]
pub struct KingMoves {
    moves: Vec<KingMove>,
    neighbours: Vec<usize>,
    /// Where the lists of pair `id` start: at `2 * id` white's, at `2 * id + 1` black's.
    move_firsts: Vec<u32>,
    neighbour_firsts: Vec<u32>,
}

impl KingMoves {
    /// The king moves between pairs.
    #[must_use]
    pub fn new(pairs: &KingPairs) -> KingMoves {
        let king = Piece::new(Color::White, PieceType::King);
        let mut all = KingMoves {
            moves: Vec::new(),
            neighbours: Vec::new(),
            move_firsts: vec![0],
            neighbour_firsts: vec![0],
        };
        for &[white, black] in pairs.all() {
            for color in Color::ALL {
                let from = match color {
                    Color::White => white,
                    Color::Black => black,
                };
                let begin = all.moves.len();
                for to in attacks(king, from, Bitboard::EMPTY) {
                    let found = match color {
                        Color::White => pairs.find(to, black),
                        Color::Black => pairs.find(white, to),
                    };
                    if let Some((slice, symmetry)) = found {
                        all.moves.push(KingMove {
                            color,
                            to,
                            slice,
                            symmetry,
                        });
                    }
                }
                let mut slices: Vec<usize> = all.moves[begin..].iter().map(|m| m.slice).collect();
                slices.sort_unstable();
                slices.dedup();
                all.neighbours.extend(slices);
                all.move_firsts.push(all.moves.len() as u32);
                all.neighbour_firsts.push(all.neighbours.len() as u32);
            }
        }
        all
    }

    /// The moves of one side's king from a pair, in the order of the squares it goes to.
    #[inline]
    pub(crate) fn of(&self, slice: usize, color: Color) -> &[KingMove] {
        &self.moves[list(&self.move_firsts, slice, color)]
    }

    /// The pairs that one side's king leads to from a pair, ascending, each once. The pair itself may
    /// be among them.
    ///
    /// # Panics
    /// If `slice` is not the number of a pair.
    #[must_use]
    #[inline]
    pub fn neighbours(&self, slice: usize, color: Color) -> &[usize] {
        &self.neighbours[list(&self.neighbour_firsts, slice, color)]
    }
}

#[inline]
fn list(firsts: &[u32], slice: usize, color: Color) -> std::ops::Range<usize> {
    let at = 2 * slice + color as usize;
    firsts[at] as usize..firsts[at + 1] as usize
}

debug_by!([] KingMoves:);
