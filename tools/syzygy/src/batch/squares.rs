//! Answers for positions of one material, which are given by squares and may be illegal.

use cozy_chess::Color;
use rayon::prelude::*;

use super::answer::{Answers, Asked, for_parts};
use super::endgame::Endgame;
use super::failures::Failure;
use super::moves::{OUTSIDE, Position};
use super::numbers::MOST_TOGETHER;
use super::placed::Placed;
use super::sources::Sources;
use crate::error::Error;
use crate::material::Material;
use crate::numbering::PackedSquares;

/// The bits of a square.
const SQUARE_BITS: usize = 6;
const EACH: u64 = 0x0001_0101_0101_0101;

/// How many positions must be wanted for each placement, so that probing every placement costs less.
const WORTH: usize = 3;

/// The placements of pieces up to symmetry, numbered without gaps between squares. Where the first piece stands on a
/// diagonal, some are counted twice.
struct Placements {
    pieces: usize,
    pawns: bool,
    /// The squares of the first piece, and the number of each.
    firsts: Vec<u8>,
    numbers: [u8; 64],
}

impl Placements {
    fn new(material: Material) -> Placements {
        let pawns = material.has_pawns();
        let first = |&square: &u8| fold(square.into(), pawns) == square.into();
        let firsts: Vec<u8> = (0..64).filter(first).collect();
        let mut numbers = [0; 64];
        for (number, &square) in (0..).zip(&firsts) {
            numbers[usize::from(square)] = number;
        }
        Placements {
            pieces: material.len(),
            pawns,
            firsts,
            numbers,
        }
    }

    /// How many there are, or the most that a number can be.
    fn len(&self) -> usize {
        let others = 1usize.checked_shl((SQUARE_BITS * (self.pieces - 1)) as u32);
        others.map_or(usize::MAX, |others| {
            self.firsts.len().saturating_mul(others)
        })
    }

    /// The squares of a placement.
    fn squares(&self, number: usize) -> PackedSquares {
        let others = self.pieces - 1;
        let first = self.firsts[number >> (SQUARE_BITS * others)];
        (0..others).fold(first.into(), |squares, piece| {
            squares | ((number >> (SQUARE_BITS * piece) & 63) as u64) << (8 * piece + 8)
        })
    }

    /// The number of squares, of which the first one is below 64.
    #[inline]
    fn number(&self, squares: PackedSquares) -> usize {
        let squares = fold(squares, self.pawns);
        let others = self.pieces - 1;
        let first = usize::from(self.numbers[(squares & 63) as usize]) << (SQUARE_BITS * others);
        (0..others).fold(first, |number, piece| {
            number | ((squares >> (8 * piece + 8) & 63) as usize) << (SQUARE_BITS * piece)
        })
    }
}

/// The bytes of so many pieces.
const fn pieces_mask(pieces: usize) -> PackedSquares {
    (1 << (8 * pieces)) - 1
}

/// The image of squares whose first one is on the files a to d, and without pawns in the triangle a1–d1–d4.
#[inline]
fn fold(squares: PackedSquares, pawns: bool) -> PackedSquares {
    let mut x = squares ^ ((squares >> 2 & 1) * (7 * EACH));
    if !pawns {
        x ^= (x >> 5 & 1) * (56 * EACH);
        let exchanged = (x >> 3 & (7 * EACH)) | (x & (7 * EACH)) << 3;
        x = if x & 63 > exchanged & 63 {
            exchanged
        } else {
            x
        };
    }
    x
}

impl Sources<'_> {
    /// Answers for positions of a material. If there are many more of them than placements of its pieces, every placement is
    /// probed once, where so many bytes of memory allow it.
    pub(super) fn squares<A: Asked>(
        self,
        memory: usize,
        (material, side): (Material, Color),
        positions: &[PackedSquares],
    ) -> Answers<A> {
        let endgame = self.tables.endgames.get(material);
        let placements = Placements::new(material);
        let all = placements.len();
        if positions.len() / WORTH < all || memory / size_of::<A::Cell>() < all {
            let parts: Vec<_> = positions.chunks(MOST_TOGETHER).collect();
            let answers = for_parts(positions.len(), &parts, |some| {
                A::answers(self.legal_squares::<A>(&endgame, side, some.iter().copied()))
            });
            return answers.concat();
        }
        let parts: Vec<_> = (0..all).step_by(MOST_TOGETHER).collect();
        let cells = for_parts(all, &parts, |&first| {
            let some = first..all.min(first + MOST_TOGETHER);
            self.legal_squares::<A>(
                &endgame,
                side,
                some.map(|number| placements.squares(number)),
            )
        });
        let cells = cells.concat();
        let outside = Err(self.illegal(OUTSIDE));
        let beyond = pieces_mask(placements.pieces) & (0xc0 * EACH);
        let answers = positions
            .par_iter()
            .map(|&position| match position & beyond {
                0 => A::answer(cells[placements.number(position)]),
                _ => outside,
            });
        answers.collect()
    }

    fn illegal(self, fault: &'static str) -> Failure {
        Failure(self.failures.number(Error::Illegal(fault)))
    }

    /// Probes those of up to [`MOST_TOGETHER`] positions that are legal.
    fn legal_squares<A: Asked>(
        self,
        endgame: &Endgame,
        side: Color,
        positions: impl Iterator<Item = PackedSquares>,
    ) -> Vec<A::Cell> {
        let squares = pieces_mask(endgame.len());
        let mut known: Vec<(&str, Failure)> = Vec::new();
        let mut rows = Vec::new();
        let failures = positions.map(|position| {
            let placed = Placed::new(position & squares, side);
            let Some(fault) = Position::new(endgame, placed).fault() else {
                rows.push(endgame.normal(placed));
                return None;
            };
            let found = known.iter().find(|(other, _)| *other == fault);
            let failure = found.map_or_else(|| self.illegal(fault), |&(_, failure)| failure);
            if found.is_none() {
                known.push((fault, failure));
            }
            Some(failure)
        });
        let failures: Vec<Option<Failure>> = failures.collect();
        let mut found = A::find(self, endgame, &rows).into_iter();
        let cells = failures.into_iter();
        let cells = cells.filter_map(|failure| {
            failure.map_or_else(|| found.next(), |failure| Some(A::failed(failure)))
        });
        cells.collect()
    }
}
