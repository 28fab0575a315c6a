//! The search for an order of pieces in which like values stand together.

use std::collections::BTreeMap;

use cozy_chess::{Color, Piece};
use rayon::prelude::*;

use crate::material::{ColoredPiece, Material, NAME_ORDER};
use crate::numbering::{Numbering, leading_lengths};

/// How many orders are tried in which the same three pieces count fastest. A stretch of a sample has hardly more than all
/// squares of two, so the orders of the others matter little.
const MOST_ALIKE: usize = 2;

/// Stretches of consecutive places, spread over a sub-table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) stretches: u64,
    pub(crate) length: u64,
}

/// How many orders come into the last round, and are tried for the next file of the leading pawn.
const FINALISTS: usize = 4;

/// A round of the search: how large the sample of each order is, which share of the sub-table it is at most, and
/// how many of the best orders are kept.
///
/// Where nearly all positions have the same value, the few others decide, and a sample has to be larger: until the best
/// order takes `enough` bits for it, or the sample is `greatest_share`.
struct Round {
    sample: Sample,
    share: u64,
    greatest_share: u64,
    enough: f64,
    keep: usize,
}

const ROUNDS: [Round; 3] = [
    Round {
        sample: Sample {
            stretches: 16,
            length: 2048,
        },
        share: 8,
        greatest_share: 8,
        enough: 16e3,
        keep: 10,
    },
    Round {
        sample: Sample {
            stretches: 64,
            length: 4096,
        },
        share: 8,
        greatest_share: 4,
        enough: 60e3,
        keep: FINALISTS,
    },
    Round {
        sample: Sample {
            stretches: 128,
            length: 8192,
        },
        share: 3,
        greatest_share: 3,
        enough: 100e3,
        keep: 1,
    },
];

/// The only round for the next file of the leading pawn.
const NEXT_FILE: [Round; 1] = [Round {
    sample: Sample {
        stretches: 64,
        length: 8192,
    },
    share: 4,
    greatest_share: 4,
    enough: 0.0,
    keep: 1,
}];

impl Sample {
    /// The part of the sample that is no more than a share of a sub-table, or all of a small one.
    fn of(self, size: u64, share: u64) -> Sample {
        const SMALL: u64 = 1 << 16;
        if size <= SMALL {
            return Sample {
                stretches: 1,
                length: size,
            };
        }
        Sample {
            stretches: self.stretches.min(size / share / self.length).max(1),
            length: self.length,
        }
    }

    /// The sample with more stretches: if this one took so many bits, the other takes enough of them. It is no more than
    /// a share of a sub-table.
    fn grown(self, bits: f64, enough: f64, size: u64, share: u64) -> Sample {
        let wanted = (self.stretches as f64 * enough / bits.max(1.0)).ceil() as u64;
        let most = size / share / self.length;
        Sample {
            stretches: wanted.min(most).max(self.stretches),
            length: self.length,
        }
    }

    /// How many places it has.
    pub(crate) fn places(self) -> u64 {
        self.stretches * self.length
    }

    /// Where the stretches begin, at random but always the same, and how long they are.
    pub(crate) fn starts(self, size: u64) -> Vec<(u64, usize)> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let length = self.length.min(size);
        let row = size / self.stretches;
        (0..self.stretches)
            .map(|i| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let shift = if row > length {
                    (state >> 33) % (row - length)
                } else {
                    0
                };
                ((i * row + shift).min(size - length), length as usize)
            })
            .collect()
    }
}

/// All numberings of a material, but of those in which the same three pieces count fastest only some, spread over all.
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
    let mut by_fastest: BTreeMap<[ColoredPiece; 3], Vec<Numbering>> = BTreeMap::new();
    for sequence in sequences {
        let pieces: Vec<ColoredPiece> = sequence
            .iter()
            .flat_map(|kind| std::iter::repeat_n(*kind, material.count(kind.color(), kind.piece())))
            .collect();
        // Of a pawn the few squares would make short rows, and files that are no smaller.
        let first = u8::from(file.is_some());
        for order in first..7 {
            let seconds = if second > 0 { 0..7 } else { 0..1 };
            for order2 in seconds {
                let Ok(numbering) = Numbering::try_new(&pieces, order, order2, file) else {
                    continue;
                };
                let places = numbering.places_by_weight();
                let fastest = [1, 2, 3].map(|k| pieces[places[places.len() - k]]);
                by_fastest.entry(fastest).or_default().push(numbering);
            }
        }
    }
    let some = by_fastest.into_values().flat_map(|alike| {
        let step = alike.len().div_ceil(MOST_ALIKE);
        alike.into_iter().step_by(step)
    });
    some.collect()
}

/// The number of places of a material's largest sub-table, whatever its order.
#[must_use]
pub fn most_places(material: Material) -> u64 {
    let sizes = (material.leading_files().into_iter()).map(|file| all(material, file)[0].len());
    sizes.max().unwrap_or(0)
}

/// The results of the search.
pub(crate) struct Best {
    pub(crate) numbering: Numbering,
    /// The last sample, and the bits that the numbering takes for it by the estimate.
    pub(crate) sample: Sample,
    pub(crate) bits: f64,
    /// The orders that came into the last round.
    pub(crate) finalists: Vec<Numbering>,
    /// The orders that are worth trying in full, the best one first.
    pub(crate) close: Vec<Numbering>,
}

/// A sub-table that takes fewer bytes by the estimate is compressed in several orders: the fewer, the less the estimate
/// is to be trusted.
const FEW_BYTES: f64 = 400e3;
/// Of estimates that differ by no more than this, either may be of the better order.
const CLOSE: f64 = 1.1;
/// How many orders are tried in full at most.
const MOST_CLOSE: usize = 3;

/// The orders to try for a sub-table: those that were best for the file before, or all.
pub(crate) fn candidates(
    material: Material,
    file: Option<u8>,
    finalists: &[Numbering],
) -> Vec<Numbering> {
    if finalists.is_empty() {
        return all(material, file);
    }
    let on_file = finalists.iter().map(|numbering| {
        let pieces: Vec<ColoredPiece> = numbering.pieces().collect();
        let (order, order2) = numbering.orders();
        Numbering::try_new(&pieces, order, order2, file).expect("it is one on another file")
    });
    on_file.collect()
}

/// The numbering with the smallest estimate.
pub(crate) fn best(
    numberings: Vec<Numbering>,
    estimate: impl Fn(&Numbering, Sample) -> f64 + Sync,
) -> Best {
    let mut left: Vec<(f64, Numbering)> = numberings
        .into_iter()
        .map(|numbering| (0.0, numbering))
        .collect();
    let size = left[0].1.len();
    let file = left[0].1.leading_file();
    let again = left.len() <= FINALISTS && file > Some(0);
    let rounds = if again { &NEXT_FILE[..] } else { &ROUNDS };
    let mut sample = rounds[0].sample;
    let mut finalists = Vec::new();
    let try_all = |left: &mut Vec<(f64, Numbering)>, sample: Sample| {
        left.par_iter_mut()
            .for_each(|(bits, numbering)| *bits = estimate(numbering, sample));
        left.sort_by(|a, b| a.0.total_cmp(&b.0));
    };
    // The bits of a place, once an order was tried.
    let mut rate: Option<f64> = None;
    for round in rounds {
        let last = round.keep == 1;
        if left.len() <= round.keep && !last {
            continue;
        }
        sample = round.sample.of(size, round.share);
        let all = sample.places() == size;
        // With pawns it takes twice the time, and gains nothing.
        let grows = !all && file.is_none();
        let grown = |bits: f64| match grows {
            true => sample.grown(bits, round.enough, size, round.greatest_share),
            false => sample,
        };
        let first = rate.map_or(sample, |rate| grown(rate * sample.places() as f64));
        try_all(&mut left, first);
        sample = first;
        // A third goes on with a sample three times as large, which takes as long, while there are many.
        while rate.is_none() && left[0].0 < round.enough && left.len() / 3 > round.keep {
            let larger = sample.grown(1.0, 3.0, size, round.greatest_share);
            if !grows || larger.places() == sample.places() {
                break;
            }
            sample = larger;
            left.truncate(left.len() / 3);
            try_all(&mut left, sample);
        }
        rate = Some(left[0].0 / sample.places() as f64);
        if last || all {
            finalists = left
                .iter()
                .take(FINALISTS)
                .map(|(_, numbering)| numbering.clone())
                .collect();
            break;
        }
        left.truncate(round.keep);
    }
    let (bits, numbering) = left[0].clone();
    let bytes = bits / sample.places() as f64 * size as f64 / 8.0;
    // With pawns there is an order for each file, and all would be tried again: that takes too long.
    let few = bytes < FEW_BYTES && file.is_none();
    left.retain(|(other, _)| *other <= bits * CLOSE);
    left.truncate(if few { MOST_CLOSE } else { 1 });
    Best {
        numbering,
        sample,
        bits,
        finalists,
        close: left.into_iter().map(|(_, numbering)| numbering).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_grow_until_what_is_rare_takes_enough_bits() {
        let sample = ROUNDS[0].sample;
        let stretches =
            |bits, enough, size, share| sample.grown(bits, enough, size, share).stretches;
        // A sixteenth of the bits that are enough takes sixteen times the places, in a table that is large enough.
        assert_eq!(stretches(1e3, 16e3, 1 << 30, 8), 16 * 16);
        // Never more than a share of the table, and never fewer than before.
        assert_eq!(stretches(1e3, 16e3, 1 << 21, 8), (1 << 21) / 8 / 2048);
        assert_eq!(stretches(1e3, 16e3, 1 << 10, 8), 16);
        assert_eq!(stretches(32e3, 16e3, 1 << 30, 8), 16);
        // A sample in which all values are the same takes no bits at all, and grows as far as it may.
        assert_eq!(stretches(0.0, 16e3, 1 << 24, 4), (1 << 24) / 4 / 2048);
    }
}
