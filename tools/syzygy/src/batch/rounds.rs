//! Batches of any positions, as look-ups of positions of one material.

use std::ops::Range;
use std::sync::Arc;

use cozy_chess::Color;
use rayon::prelude::*;

use super::answer::{FEW, for_parts};
use super::board::PackedBoard;
use super::endgame::Endgame;
use super::failures::Failure;
use super::moves::{OUTSIDE, Position};
use super::placed::Placed;
use super::placements::{EACH, Placements, pieces_mask};
use super::positions::Positions;
use super::sources::Sources;
use crate::error::Error;
use crate::material::{Material, MaterialMap};
use crate::numbering::PackedSquares;

/// How many positions must be wanted for each placement, so that probing every placement costs less.
const WORTH: usize = 3;

/// How positions are answered together, by what is found of each, which takes a few bytes. Several threads share the work.
#[derive(Clone, Copy, Debug)]
pub struct Rounds<'a, F> {
    /// The materials with their moves, and the reasons why there is no answer.
    pub sources: Sources<'a>,
    /// The most positions of a round. Rounds come one after the other.
    pub most: usize,
    /// The most positions of a material that are looked up together.
    pub together: usize,
    /// The bytes that what is found of all placements of a material may take.
    pub memory: usize,
    /// The number that stands for a reason.
    pub failed: fn(Failure) -> F,
}

/// Positions by their materials, as their tables see them, each with its number; those of two kings are left out.
fn by_material(boards: &[PackedBoard]) -> MaterialMap<(Vec<Placed>, Vec<u32>)> {
    let mut sizes = MaterialMap::<usize>::default();
    for board in boards.iter().filter(|board| board.len() > 2) {
        *sizes.entry(board.material()).or_default() += 1;
    }
    let room = |size| (Vec::with_capacity(size), Vec::with_capacity(size));
    let groups = sizes
        .into_iter()
        .map(|(material, size)| (material, room(size)));
    let mut groups: MaterialMap<(Vec<Placed>, Vec<u32>)> = groups.collect();
    for (number, board) in (0..).zip(boards) {
        if let Some((rows, numbers)) = groups.get_mut(&board.material()) {
            rows.push(board.placed());
            numbers.push(number);
        }
    }
    groups
}

impl<F: Copy + Send + Sync> Rounds<'_, F> {
    /// The answers for positions, by functions that look positions of a material up, and that have the answer of what was
    /// found. Two kings alone have the answer `of_kings`.
    pub fn answers<A: Copy + Send + Sync>(
        self,
        positions: Positions<'_>,
        of_kings: A,
        find: impl Fn(&Endgame, &[Placed]) -> Vec<F> + Sync,
        answer: impl Fn(F) -> Result<A, Failure> + Sync,
    ) -> Vec<Result<A, Failure>> {
        match positions {
            Positions::Boards(boards) => {
                let mut answers = vec![Ok(of_kings); boards.len()];
                let rounds = boards.chunks(self.most).zip(answers.chunks_mut(self.most));
                rounds.for_each(|(boards, answers)| self.boards(boards, &find, &answer, answers));
                answers
            }
            Positions::Squares(material, side, squares) => {
                self.squares((material, side), squares, find, answer)
            }
        }
    }

    /// Answers for the positions of a round, of any materials.
    fn boards<A>(
        self,
        boards: &[PackedBoard],
        find: &(impl Fn(&Endgame, &[Placed]) -> Vec<F> + Sync),
        answer: &impl Fn(F) -> Result<A, Failure>,
        answers: &mut [Result<A, Failure>],
    ) {
        let groups = by_material(boards);
        let parts = groups.iter().flat_map(|(&material, (rows, numbers))| {
            let endgame = self.sources.tables.endgames.get(material);
            let parts = rows
                .chunks(self.together)
                .zip(numbers.chunks(self.together));
            parts.map(move |(rows, numbers)| (Arc::clone(&endgame), rows, numbers))
        });
        let parts: Vec<_> = parts.collect();
        let found = for_parts(boards.len(), &parts, |(endgame, rows, _)| {
            find(endgame, rows)
        });
        for ((_, _, numbers), found) in parts.into_iter().zip(found) {
            for (&number, found) in numbers.iter().zip(found) {
                answers[number as usize] = answer(found);
            }
        }
    }

    /// The findings of a function for so many positions, given the numbers of some at a time.
    fn in_parts<T: Copy + Send>(
        self,
        count: usize,
        find: impl Fn(Range<usize>) -> Vec<T> + Sync,
    ) -> Vec<T> {
        let mut all = Vec::with_capacity(count);
        for begin in (0..count).step_by(self.most) {
            let end = count.min(begin + self.most);
            let parts: Vec<usize> = (begin..end).step_by(self.together).collect();
            let found = for_parts(end - begin, &parts, |&part| {
                find(part..end.min(part + self.together))
            });
            found.iter().for_each(|found| all.extend_from_slice(found));
        }
        all
    }

    /// Answers for positions of a material, which may be illegal. If there are many more of them than placements of its pieces,
    /// every placement is looked up once, where the memory allows it.
    fn squares<A: Copy + Send + Sync>(
        self,
        (material, side): (Material, Color),
        positions: &[PackedSquares],
        find: impl Fn(&Endgame, &[Placed]) -> Vec<F> + Sync,
        answer: impl Fn(F) -> Result<A, Failure> + Sync,
    ) -> Vec<Result<A, Failure>> {
        let endgame = &*self.sources.tables.endgames.get(material);
        let placements = Placements::new(material);
        let all = placements.len();
        if positions.len() / WORTH < all || self.memory / size_of::<F>() < all {
            return self.in_parts(positions.len(), |part| {
                let squares = positions[part].par_iter().copied();
                let found = self.legal(endgame, side, squares, &find).into_iter();
                found.map(&answer).collect()
            });
        }
        let of_placements = self.in_parts(all, |part| {
            let squares = part.into_par_iter();
            let squares = squares.map(|number| placements.squares(number));
            self.legal(endgame, side, squares, &find)
        });
        let outside = self.illegal(OUTSIDE);
        let beyond = pieces_mask(material.len()) & (0xc0 * EACH);
        let answers = positions.par_iter().map(|&position| {
            answer(match position & beyond {
                0 => of_placements[placements.number(position)],
                _ => outside,
            })
        });
        answers.collect()
    }

    fn illegal(self, fault: &'static str) -> F {
        (self.failed)(self.sources.reasons.failed(Error::Illegal(fault)))
    }

    /// The findings for positions, of which those are looked up that are legal.
    fn legal(
        self,
        endgame: &Endgame,
        side: Color,
        squares: impl IndexedParallelIterator<Item = PackedSquares>,
        find: &impl Fn(&Endgame, &[Placed]) -> Vec<F>,
    ) -> Vec<F> {
        let pieces = pieces_mask(endgame.len());
        let rows = squares.with_min_len(FEW).map(|squares| {
            let placed = Placed::new(squares & pieces, side);
            let fault = Position::new(endgame, placed).fault();
            fault.map_or_else(|| Ok(endgame.normal(placed)), Err)
        });
        let rows: Vec<Result<Placed, &'static str>> = rows.collect();
        let legal: Vec<Placed> = rows.iter().filter_map(|row| row.ok()).collect();
        let mut found = find(endgame, &legal).into_iter();
        let mut faults: Vec<(&str, F)> = Vec::new();
        let all = rows.into_iter().filter_map(|row| match row {
            Ok(_) => found.next(),
            Err(fault) => {
                let known = faults.iter().position(|(other, _)| *other == fault);
                let known = known.unwrap_or_else(|| {
                    faults.push((fault, self.illegal(fault)));
                    faults.len() - 1
                });
                Some(faults[known].1)
            }
        });
        all.collect()
    }
}
