//! Answers for positions of one material, which are given by squares and may be illegal.

use cozy_chess::Color;
use rayon::prelude::*;

use super::answer::{Cell, Failure};
use super::endgame::Endgame;
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
    /// probed once, where memory allows it.
    pub(super) fn probe_squares<C: Cell>(
        &self,
        material: Material,
        side: Color,
        positions: &[PackedSquares],
    ) -> Vec<Result<C::Answer, Failure>> {
        let endgame = self.endgames.get(material);
        let placements = Placements::new(material);
        let all = placements.len();
        let worth = positions.len() / WORTH >= all && self.memory / 2 / size_of::<C>() >= all;
        let parts = positions.par_chunks(MOST_TOGETHER);
        if worth {
            let parts = (0..all).into_par_iter().step_by(MOST_TOGETHER);
            let cells = parts.flat_map_iter(|first| {
                let some = first..all.min(first + MOST_TOGETHER);
                let some: Vec<_> = some.map(|number| placements.squares(number)).collect();
                self.probe_some::<C>(&endgame, side, &some)
            });
            let cells: Vec<C> = cells.collect();
            let outside = Err(self.illegal(OUTSIDE));
            let beyond = pieces_mask(placements.pieces) & (0xc0 * EACH);
            let cell = |position: u64| cells[placements.number(position)].answer();
            (positions.par_iter())
                .map(|&position| {
                    if position & beyond == 0 {
                        cell(position)
                    } else {
                        outside
                    }
                })
                .collect()
        } else {
            let cells = parts.flat_map_iter(|some| self.probe_some::<C>(&endgame, side, some));
            cells.map(C::answer).collect()
        }
    }

    fn illegal(&self, fault: &'static str) -> Failure {
        Failure(self.failures.number(Error::Illegal(fault)))
    }

    fn probe_some<C: Cell>(
        &self,
        endgame: &Endgame,
        side: Color,
        positions: &[PackedSquares],
    ) -> Vec<C> {
        let squares = pieces_mask(endgame.len());
        let mut rows = Vec::with_capacity(positions.len());
        let mut faults = Vec::new();
        for (number, &position) in positions.iter().enumerate() {
            let placed = Placed::new(position & squares, side);
            match Position::new(endgame, placed).fault() {
                None => rows.push(endgame.normal(placed)),
                Some(fault) => faults.push((number, fault)),
            }
        }
        let cells = C::find(self, endgame, &rows);
        if faults.is_empty() {
            return cells;
        }
        let mut known: Vec<(&str, C)> = Vec::new();
        let mut failed = |fault: &'static str| {
            if let Some(&(_, cell)) = known.iter().find(|(other, _)| *other == fault) {
                return cell;
            }
            let cell = C::failed(self.illegal(fault).0);
            known.push((fault, cell));
            cell
        };
        let (mut cells, mut faults) = (cells.into_iter(), faults.into_iter().peekable());
        (0..positions.len())
            .filter_map(
                |number| match faults.next_if(|&(other, _)| other == number) {
                    Some((_, fault)) => Some(failed(fault)),
                    None => cells.next(),
                },
            )
            .collect()
    }
}
