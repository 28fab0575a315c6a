//! The search for an order of pieces in which like values stand together.

use std::collections::BTreeMap;

use cozy_chess::{Color, Piece};
use rayon::prelude::*;

use super::sub_table::estimate;
use super::watch::Watch;
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

/// A sample has no fewer stretches, as parts of a sub-table differ.
const LEAST_STRETCHES: u64 = 16;

/// How many orders come into the last round, and are tried for the next file of the leading pawn.
const FINALISTS: usize = 4;

/// A round of the search: how large the sample of each order is, which share of the sub-table it is at most, and
/// how many of the best orders are kept.
///
/// Where nearly all positions have the same value, the few others decide, and a sample has to be larger: until the best
/// order takes `enough` bits for it, or the sample is `greatest_share`. Where it takes more bits than [`PLENTY`] times as many, it
/// is smaller.
struct Round {
    sample: Sample,
    share: u64,
    greatest_share: u64,
    enough: f64,
    keep: usize,
}

const PLENTY: f64 = 6.0;

const ROUNDS: [Round; 3] = [
    Round {
        sample: Sample {
            stretches: 16,
            length: 2048,
        },
        share: 8,
        greatest_share: 8,
        enough: 16e3,
        keep: 6,
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
    enough: 60e3,
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

    /// The sample with more or fewer stretches: if a place takes so many bits, it takes enough of them, but no more than
    /// [`PLENTY`] times as many. It has no more than the most places, unless this one has.
    fn fitted(self, rate: f64, enough: f64, most: u64) -> Sample {
        let wanted = enough / (rate * self.length as f64).max(1e-9);
        let fewest = (wanted.ceil() as u64).min((most / self.length).max(self.stretches));
        let plenty = ((wanted * PLENTY) as u64).max(LEAST_STRETCHES);
        Sample {
            stretches: self.stretches.max(fewest).min(plenty.max(fewest)),
            length: self.length,
        }
    }

    /// The sample with so many times the stretches, but with no more than the most places.
    fn larger(self, times: u64, most: u64) -> Sample {
        Sample {
            stretches: (times * self.stretches)
                .min(most / self.length)
                .max(self.stretches),
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
    let colors = [Color::White, Color::Black].into_iter();
    let kinds = colors.flat_map(|color| NAME_ORDER.map(|piece| ColoredPiece::new(color, piece)));
    let count = |kind: ColoredPiece| material.count(kind.color(), kind.piece());
    let kinds: Vec<ColoredPiece> = kinds.filter(|&kind| count(kind) > 0).collect();
    let mut sequences: Vec<Vec<ColoredPiece>> = vec![Vec::new()];
    for length in 0..kinds.len() {
        let may_follow = |kind: ColoredPiece| match (file, length) {
            (Some(_), 0) => {
                kind.piece() == Piece::Pawn && Some(kind.color()) == material.leading_color()
            }
            (Some(_), 1) => second == 0 || kind.piece() == Piece::Pawn,
            (Some(_), _) => true,
            (None, _) if leading == 3 => length >= 3 || count(kind) == 1,
            (None, _) => length >= 2 || kind.piece() == Piece::King,
        };
        let next: Vec<ColoredPiece> = kinds
            .iter()
            .copied()
            .filter(|&kind| may_follow(kind))
            .collect();
        let longer = sequences.iter().flat_map(|sequence| {
            let free = next.iter().filter(|kind| !sequence.contains(kind));
            free.map(|&kind| [&sequence[..], &[kind]].concat())
        });
        sequences = longer.collect();
    }
    let mut by_fastest: BTreeMap<[ColoredPiece; 3], Vec<Numbering>> = BTreeMap::new();
    for sequence in sequences {
        let pieces: Vec<ColoredPiece> = sequence
            .iter()
            .flat_map(|&kind| std::iter::repeat_n(kind, count(kind)))
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

/// The orders that came into the last round, and the bits that the best one takes for a place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finalists {
    numberings: Vec<Numbering>,
    rate: f64,
}

/// The results of the search.
pub(crate) struct Best {
    pub(crate) numbering: Numbering,
    /// The last sample, and the bits that the numbering takes for it by the estimate.
    pub(crate) sample: Sample,
    pub(crate) bits: f64,
    pub(crate) finalists: Finalists,
    /// The orders that are worth trying in full, the best one first.
    pub(crate) close: Vec<Numbering>,
}

impl Best {
    /// The bits that a place takes, by the estimate.
    pub(crate) fn rate(&self) -> f64 {
        self.bits / self.sample.places() as f64
    }
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
    finalists: &Finalists,
) -> Vec<Numbering> {
    if finalists.numberings.is_empty() {
        return all(material, file);
    }
    let on_file = finalists.numberings.iter().map(|numbering| {
        let pieces: Vec<ColoredPiece> = numbering.pieces().collect();
        let (order, order2) = numbering.orders();
        Numbering::try_new(&pieces, order, order2, file).expect("it is one on another file")
    });
    on_file.collect()
}

/// The order that compresses best, and the better of two styles in which gaps are closed, neither of which is better for all tables.
/// `symbols` are the provisional ones of consecutive places, so many from a place on, and each leaf has a value. Finalists are as
/// of [`best`].
pub(crate) fn find<S: Copy + Sync>(
    numberings: Vec<Numbering>,
    before: &Finalists,
    leaves: &[u16],
    [first, second]: [S; 2],
    watch: &Watch<'_>,
    symbols: impl Fn(&Numbering, (u64, usize), S) -> Vec<u16> + Sync,
) -> (Best, S) {
    let bits = |numbering: &Numbering, sample: Sample, style| {
        let starts = sample.starts(numbering.len()).into_par_iter();
        let chunks = starts.map(|start| symbols(numbering, start, style));
        estimate(chunks.collect(), leaves, watch)
    };
    let estimate = |numbering: &Numbering, sample| bits(numbering, sample, first);
    let mut found = best(numberings, before, estimate);
    let other = bits(&found.numbering, found.sample, second);
    let style = if other < found.bits { second } else { first };
    found.bits = found.bits.min(other);
    (found, style)
}

/// The numbering with the smallest estimate. If there are finalists, those of the file before, the numberings must be theirs.
fn best(
    numberings: Vec<Numbering>,
    before: &Finalists,
    estimate: impl Fn(&Numbering, Sample) -> f64 + Sync,
) -> Best {
    let mut left: Vec<(f64, Numbering)> = numberings
        .into_iter()
        .map(|numbering| (0.0, numbering))
        .collect();
    let size = left[0].1.len();
    let file = left[0].1.leading_file();
    let again = !before.numberings.is_empty();
    let rounds = if again { &NEXT_FILE[..] } else { &ROUNDS };
    let mut sample = rounds[0].sample;
    let try_all = |left: &mut Vec<(f64, Numbering)>, sample: Sample| {
        left.par_iter_mut()
            .for_each(|(bits, numbering)| *bits = estimate(numbering, sample));
        left.sort_by(|a, b| a.0.total_cmp(&b.0));
    };
    // The bits of a place, once an order was tried.
    let mut rate = again.then_some(before.rate);
    for round in rounds {
        let last = round.keep == 1;
        if left.len() <= round.keep && !last {
            continue;
        }
        let own = round.sample.of(size, round.share);
        let all = own.places() == size;
        // With pawns a larger sample takes twice the time, and gains nothing.
        let most = if file.is_none() {
            size / round.greatest_share
        } else {
            0
        };
        let fitted = match rate {
            Some(rate) if !all => own.fitted(rate, round.enough, most),
            _ => own,
        };
        // One that is hardly larger than the one before says nothing new.
        if last && rate.is_some() && !again && !all && fitted.places() < 2 * sample.places() {
            break;
        }
        sample = fitted;
        try_all(&mut left, sample);
        // A third goes on with a sample three times as large, which takes as long, while there are many.
        while rate.is_none() && left[0].0 < round.enough && left.len() / 3 > round.keep {
            let larger = sample.larger(3, most);
            if all || larger.places() <= sample.places() {
                break;
            }
            sample = larger;
            left.truncate(left.len() / 3);
            try_all(&mut left, sample);
        }
        rate = Some(left[0].0 / sample.places() as f64);
        if last || all {
            break;
        }
        left.truncate(round.keep);
    }
    let finalists = Finalists {
        numberings: (left.iter().take(FINALISTS))
            .map(|(_, numbering)| numbering.clone())
            .collect(),
        rate: left[0].0 / sample.places() as f64,
    };
    let (bits, numbering) = left[0].clone();
    let bytes = finalists.rate * size as f64 / 8.0;
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
