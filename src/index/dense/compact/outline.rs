//! The sizes of the parts of a compact numbering.

use super::mirror::DiagonalMirror;
use super::rules::{Diagonal, Rules};
use super::sets::{LikeSet, PAWN_SQUARES, SetDigit};
use crate::board::{Bitboard, Material, Square};
use crate::index::dense::KingPairs;
use crate::index::dense::binomial::choose_from;

/// The number of kings of a pair that stand where pawns may.
#[inline]
pub(super) fn kings_among_pawns(kings: [Square; 2]) -> usize {
    let among = |square: Square| usize::from(PAWN_SQUARES.contains(square));
    among(kings[0]) + among(kings[1])
}

/// The plan of a numbering, its sizes in 128 bits so that any material can be counted.
pub(super) struct Outline {
    pub(super) pairs: KingPairs,
    pub(super) sets: Vec<LikeSet>,
    shared: bool,
    /// The number of squares that each set chooses from, by how many kings stand on ranks 2 to 7.
    squares: [Vec<usize>; 3],
    /// Each set's number of possibilities, by the same.
    choices: [Vec<u128>; 3],
    pub(super) mirror: Option<DiagonalMirror>,
}

impl Outline {
    pub(super) fn new(material: Material, rules: Rules, diagonal: Diagonal) -> Outline {
        let pairs = KingPairs::new(material.group(), rules.kings());
        let shared = rules.shares();
        let sets = LikeSet::of_material(material);
        let squares = [0, 1, 2].map(|kings| {
            let mut taken = 0;
            let mut squares = Vec::new();
            for set in &sets {
                let kings = if set.zone == Bitboard::ALL { 2 } else { kings };
                let others = if shared { 0 } else { kings + taken };
                squares.push((set.zone.len() as usize).saturating_sub(others));
                taken += set.count;
            }
            squares
        });
        let choices: [Vec<u128>; 3] = squares.each_ref().map(|squares| {
            let sets = sets.iter().zip(squares);
            sets.map(|(set, &free)| choose_from(free, set.count, shared))
                .collect()
        });
        let tied = pairs.diagonal_from() < pairs.all().len() && diagonal == Diagonal::Exact;
        let mirror = tied.then(|| DiagonalMirror::new(&sets, &choices[0], shared));
        Outline {
            pairs,
            sets,
            shared,
            squares,
            choices,
            mirror,
        }
    }

    /// Where each set's number is in a slot, with so many kings on ranks 2 to 7; `None` if a weight
    /// does not fit.
    pub(super) fn places(&self, kings: usize) -> Option<Vec<SetDigit>> {
        let mut weight = 1u64;
        let mut places = Vec::new();
        let choices = self.choices[kings].iter().zip(&self.squares[kings]);
        for (set, (&count, &free)) in self.sets.iter().zip(choices).rev() {
            let repeats = if self.shared { set.count - 1 } else { 0 };
            places.push(SetDigit {
                weight,
                squares: free + repeats,
            });
            weight = weight.checked_mul(u64::try_from(count).ok()?)?;
        }
        places.reverse();
        Some(places)
    }

    pub(super) fn slice_sizes(&self) -> impl Iterator<Item = u128> + '_ {
        let usual = self.choices.each_ref().map(|c| c.iter().product::<u128>());
        let tied = self.mirror.as_ref().map(|mirror| mirror.size);
        self.pairs
            .all()
            .iter()
            .enumerate()
            .map(move |(id, &kings)| {
                tied.filter(|_| id >= self.pairs.diagonal_from())
                    .unwrap_or(usual[kings_among_pawns(kings)])
            })
    }
}
