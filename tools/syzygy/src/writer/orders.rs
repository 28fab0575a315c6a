//! The search for an order of pieces in which like values stand together.

use cozy_chess::{Color, Piece};
use rayon::prelude::*;

use crate::material::{ColoredPiece, Material, NAME_ORDER};
use crate::numbering::{Numbering, leading_lengths};

/// The most orders that are tried.
const MOST_ORDERS: usize = 720;

/// Stretches of consecutive places, spread over a sub-table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) stretches: usize,
    pub(crate) length: usize,
}

/// The rounds of the search: each keeps so many of the best orders, by a sample that is larger than the one before.
const ROUNDS: [(Sample, usize); 3] = [
    (
        Sample {
            stretches: 20,
            length: 2048,
        },
        40,
    ),
    (
        Sample {
            stretches: 60,
            length: 4096,
        },
        8,
    ),
    (
        Sample {
            stretches: 200,
            length: 4096,
        },
        1,
    ),
];

impl Sample {
    /// Where the stretches begin and how long they are, at random but always the same. A sub-table that is not much
    /// larger than the sample is taken whole.
    pub(crate) fn starts(self, size: u64) -> Vec<(u64, usize)> {
        let length = self.length as u64;
        if self.is_all(size) {
            let starts = (0..size).step_by(self.length);
            return starts
                .map(|start| (start, length.min(size - start) as usize))
                .collect();
        }
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let row = size / self.stretches as u64;
        (0..self.stretches as u64)
            .map(|i| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (i * row + (state >> 33) % (row - length), self.length)
            })
            .collect()
    }

    /// Whether a sub-table of that size is taken whole.
    fn is_all(self, size: u64) -> bool {
        size <= 2 * (self.stretches * self.length) as u64
    }
}

/// All numberings of a material, or a part of them spread over all if there are too many.
pub(crate) fn all(material: Material, file: Option<u8>) -> Vec<Numbering> {
    let (leading, second) = leading_lengths(&material);
    let mut kinds: Vec<ColoredPiece> = Vec::new();
    for color in [Color::White, Color::Black] {
        for piece in NAME_ORDER {
            if material.count(color, piece) > 0 {
                kinds.push(ColoredPiece::new(color, piece));
            }
        }
    }
    let mut sequences: Vec<Vec<ColoredPiece>> = vec![Vec::new()];
    for length in 0..kinds.len() {
        sequences = sequences
            .into_iter()
            .flat_map(|sequence| {
                let free: Vec<_> = kinds
                    .iter()
                    .copied()
                    .filter(|kind| !sequence.contains(kind))
                    .collect();
                let unique = |kind: &ColoredPiece| material.count(kind.color(), kind.piece()) == 1;
                let free = free.into_iter().filter(move |kind| match (file, length) {
                    (Some(_), 0) => {
                        kind.piece() == Piece::Pawn
                            && Some(kind.color()) == material.leading_color()
                    }
                    (Some(_), 1) => second == 0 || kind.piece() == Piece::Pawn,
                    (Some(_), _) => true,
                    (None, _) if leading == 3 => length >= 3 || unique(kind),
                    (None, _) => length >= 2 || kind.piece() == Piece::King,
                });
                free.map(|kind| {
                    let mut longer = sequence.clone();
                    longer.push(kind);
                    longer
                })
                .collect::<Vec<_>>()
            })
            .collect();
    }
    let mut numberings = Vec::new();
    for sequence in sequences {
        let pieces: Vec<ColoredPiece> = sequence
            .iter()
            .flat_map(|kind| std::iter::repeat_n(*kind, material.count(kind.color(), kind.piece())))
            .collect();
        for order in 0..7 {
            let seconds = if second > 0 { 0..7 } else { 0..1 };
            for order2 in seconds {
                numberings.extend(Numbering::try_new(&pieces, order, order2, file));
            }
        }
    }
    let step = numberings.len().div_ceil(MOST_ORDERS);
    numberings.into_iter().step_by(step.max(1)).collect()
}

/// The numbering with the smallest estimate, and that estimate for the last round's sample, in bits a value.
pub(crate) fn best(
    numberings: Vec<Numbering>,
    estimate: impl Fn(&Numbering, Sample) -> f64 + Sync,
) -> (Numbering, f64) {
    let mut left: Vec<(f64, Numbering)> = numberings
        .into_iter()
        .map(|numbering| (0.0, numbering))
        .collect();
    let size = left[0].1.len();
    let mut values = 1;
    for (sample, keep) in ROUNDS {
        left.par_iter_mut()
            .for_each(|(bits, numbering)| *bits = estimate(numbering, sample));
        left.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = sample.is_all(size);
        left.truncate(if all { 1 } else { keep });
        values = if all {
            size
        } else {
            (sample.stretches * sample.length) as u64
        };
        if all {
            break;
        }
    }
    left[0].0 /= values as f64;
    let (bits, numbering) = left.swap_remove(0);
    (numbering, bits)
}
