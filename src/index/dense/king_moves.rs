//! The slices that one king move connects.

use super::leading::LeadingPlacements;
use crate::board::{Bitboard, Color, Piece, PieceType, Square, Symmetry, attacks};

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

/// For each pair of kings the pairs that one king move leads to. The lists of all pairs stand in one array behind each other.
#[derive(Clone)]
pub(super) struct KingMoves {
    moves: Vec<KingMove>,
    neighbours: Vec<usize>,
    /// Where the lists of pair `id` start: at `2 * id` white's, at `2 * id + 1` black's.
    move_firsts: Vec<u32>,
    neighbour_firsts: Vec<u32>,
}

impl KingMoves {
    /// The king moves between pairs.
    pub(super) fn new(pairs: &LeadingPlacements<2>) -> KingMoves {
        let king = Piece::new(Color::White, PieceType::King);
        let mut all = KingMoves {
            moves: Vec::new(),
            neighbours: Vec::new(),
            move_firsts: vec![0],
            neighbour_firsts: vec![0],
        };
        for &[white, black] in &pairs.all {
            for color in Color::ALL {
                let from = match color {
                    Color::White => white,
                    Color::Black => black,
                };
                let begin = all.moves.len();
                for to in attacks(king, from, Bitboard::EMPTY) {
                    let found = match color {
                        Color::White => pairs.find([to, black]),
                        Color::Black => pairs.find([white, to]),
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
    pub(super) fn of(&self, slice: usize, color: Color) -> &[KingMove] {
        &self.moves[list(&self.move_firsts, slice, color)]
    }

    /// The pairs that these moves lead to, ascending, each once.
    #[inline]
    pub(super) fn neighbours(&self, slice: usize, color: Color) -> &[usize] {
        &self.neighbours[list(&self.neighbour_firsts, slice, color)]
    }
}

#[inline]
fn list(firsts: &[u32], slice: usize, color: Color) -> std::ops::Range<usize> {
    let at = 2 * slice + color as usize;
    firsts[at] as usize..firsts[at + 1] as usize
}
