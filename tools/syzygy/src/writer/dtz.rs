//! The sub-tables of a DTZ file.

use cozy_chess::Color;
use rayon::prelude::*;

use super::gaps::{FREE, LongGaps, close_dtz};
use super::orders::{self, Finalists};
use super::runs::{fewest_runs, runs};
use super::source::{DtzEntry, Source, numbers, of_numbers};
use super::sub_table::Parts;
use super::watch::{Step, Watch};
use super::{CHUNK, Distances};
use crate::file::head::{LOSSES_EXACT, MAPPED, SIDE_BLACK, WINS_EXACT};
use crate::kind::Kind;
use crate::numbering::Numbering;
use crate::value::Wdl;

/// The largest blocks that are tried.
const LARGEST_BLOCK: u8 = 10;
/// How much smaller the estimate of a side must be so that the other isn't tried.
const CLEARLY: f64 = 0.95;

/// How often each distance of each outcome occurs.
struct Histogram(Vec<u64>);

const ROW: usize = DtzEntry::MOST_PLIES as usize + 1;

impl Histogram {
    /// The histogram: so many entries of each number.
    fn of(counts: &[u64; 256], distances: &[DtzEntry; 256]) -> Histogram {
        let mut histogram = Histogram(vec![0; 4 * ROW]);
        for (entry, count) in distances.iter().zip(counts) {
            if let Some((class, plies)) = entry.get() {
                histogram.0[class * ROW + usize::from(plies)] += count;
            }
        }
        histogram
    }

    fn has(&self, outcome: Wdl, plies: usize) -> bool {
        let map = outcome.map();
        map.is_some_and(|map| self.0[map * ROW + plies] > 0)
    }
}

/// How distances become numbers.
struct Ranks {
    /// For each outcome the raw numbers that occur, the most frequent first.
    lists: [Vec<u16>; 4],
    /// The rank of each outcome and distance.
    ranks: Vec<u16>,
}

/// The raw number of a distance.
fn raw(outcome: Wdl, plies: u16, flags: u8) -> u16 {
    match outcome {
        Wdl::Win if flags & WINS_EXACT != 0 => plies.saturating_sub(1),
        Wdl::Loss if flags & LOSSES_EXACT != 0 => plies.saturating_sub(1),
        _ if outcome.is_cursed() => (plies - 101) / 2,
        _ => plies.saturating_sub(1) / 2,
    }
}

impl Ranks {
    fn new(histogram: &Histogram, flags: u8) -> Ranks {
        let mut ranks = vec![0; 4 * ROW];
        let lists = [0, 1, 2, 3].map(|map| {
            let (outcome, own) = (Wdl::DECIDED[map], &histogram.0[map * ROW..][..ROW]);
            let mut counts = vec![0u64; ROW];
            let present = || own.iter().enumerate().filter(|(_, count)| **count > 0);
            for (plies, &count) in present() {
                counts[usize::from(raw(outcome, plies as u16, flags))] += count;
            }
            let mut list: Vec<u16> = (0..ROW as u16)
                .filter(|&raw| counts[usize::from(raw)] > 0)
                .collect();
            list.sort_by_key(|&raw| (std::cmp::Reverse(counts[usize::from(raw)]), raw));
            for (plies, _) in present() {
                let raw = raw(outcome, plies as u16, flags);
                let rank = list.iter().position(|&listed| listed == raw).unwrap_or(0);
                ranks[map * ROW + plies] = rank as u16;
            }
            list
        });
        Ranks { lists, ranks }
    }

    /// The ranks of the entries of all numbers.
    fn of_numbers(&self, distances: &[DtzEntry; 256]) -> [u8; 256] {
        distances.map(|entry| match entry.get() {
            None => FREE,
            Some((class, plies)) => {
                let rank = self.ranks[class * ROW + usize::from(plies)];
                assert!(rank < u16::from(FREE), "255 distances at most");
                rank as u8
            }
        })
    }

    /// Whether one list says all, so that leaves can have the raw numbers themselves.
    fn needs_maps(&self) -> bool {
        self.lists.iter().filter(|list| !list.is_empty()).count() > 1
    }

    /// Whether the only raw number is 0.
    fn only_zero(&self) -> bool {
        self.lists.iter().flatten().all(|&raw| raw == 0)
    }

    /// The values of the leaves, by ranks.
    fn leaves(&self) -> Vec<u16> {
        if self.needs_maps() {
            let longest = self.lists.iter().map(Vec::len).max().unwrap_or(0);
            (0..longest as u16).collect()
        } else {
            self.lists.iter().flatten().copied().collect()
        }
    }
}

/// A sub-table of a DTZ file.
pub(crate) struct DtzParts {
    pub(crate) numbering: Numbering,
    pub(crate) parts: Parts,
    /// The flags of the head, but for the width of maps.
    pub(crate) flags: u8,
    /// The maps, if there are any.
    pub(crate) maps: Option<[Vec<u16>; 4]>,
}

impl DtzParts {
    fn len(&self) -> usize {
        let maps = self.maps.iter().flatten();
        self.parts.len() + maps.map(|list| list.len() + 1).sum::<usize>()
    }
}

/// The ranks of some places and the gaps between them closed, as symbols.
fn symbols(numbers: &mut [u8], ranks: &[u8; 256], gaps: LongGaps) -> Vec<u16> {
    for number in &mut *numbers {
        *number = ranks[usize::from(*number)];
    }
    close_dtz(numbers, gaps);
    runs(numbers)
}

/// An order for a side to move.
struct Candidate {
    side: Color,
    numbering: Numbering,
    gaps: LongGaps,
    /// The estimate in bits a value.
    rate: f64,
    histogram: Histogram,
}

/// The best order for a side to move. Finalists are as in a WDL file.
fn best_order(
    source: &dyn Source,
    watch: &Watch<'_>,
    side: Color,
    file: Option<u8>,
    flags: u8,
    finalists: &mut Finalists,
) -> Candidate {
    watch.step(Step::Orders);
    let numberings = orders::candidates(source.material(), file, finalists);
    let distances = of_numbers(source.distances(side), DtzEntry::ANY);
    let histogram = Histogram::of(&source.counts(Kind::Dtz, side, file), &distances);
    let ranks = Ranks::new(&histogram, flags);
    let (ranks_of, leaves) = (ranks.of_numbers(&distances), ranks.leaves());
    let gaps = [LongGaps::AsBeside, LongGaps::Frequent];
    let symbols = |numbering: &Numbering, (start, length), gaps| {
        let of = (Kind::Dtz, side);
        let mut numbers = numbers(source, watch, of, numbering, start, length);
        symbols(&mut numbers, &ranks_of, gaps)
    };
    let (found, gaps) = orders::find(numberings, finalists, &leaves, gaps, watch, symbols);
    let rate = found.rate();
    *finalists = found.finalists;
    Candidate {
        side,
        numbering: found.numbering,
        gaps,
        rate,
        histogram,
    }
}

/// The sub-table of a file of the leading pawn, or the only one, for the side to move that compresses better.
pub(crate) fn sub_table(
    source: &dyn Source,
    watch: &Watch<'_>,
    file: Option<u8>,
    distances: Distances,
    finalists: &mut [Finalists; 2],
) -> DtzParts {
    let guess = match distances {
        Distances::Exact => WINS_EXACT | LOSSES_EXACT,
        Distances::Rounded => 0,
    };
    let sides = source.material().sides_to_move();
    let mut candidates: Vec<Candidate> = sides
        .iter()
        .map(|&side| {
            let finalists = &mut finalists[side as usize];
            best_order(source, watch, side, file, guess, finalists)
        })
        .collect();
    let rates = candidates.iter().map(|candidate| candidate.rate);
    let best = rates.fold(f64::INFINITY, f64::min);
    let flags = match distances {
        Distances::Exact => [guess; 2],
        Distances::Rounded => [Color::White, Color::Black].map(|side| rounding(side, &candidates)),
    };
    candidates.retain(|candidate| best >= CLEARLY * candidate.rate);
    let tried = candidates.into_iter().map(|candidate| {
        let flags = flags[candidate.side as usize];
        compress(source, watch, candidate, flags)
    });
    tried.min_by_key(DtzParts::len).expect("there is a side")
}

fn compress(source: &dyn Source, watch: &Watch<'_>, candidate: Candidate, flags: u8) -> DtzParts {
    let Candidate {
        side,
        numbering,
        gaps,
        histogram,
        ..
    } = candidate;
    watch.step(Step::Values);
    let ranks = Ranks::new(&histogram, flags);
    let side_flag = if side == Color::Black { SIDE_BLACK } else { 0 };
    if ranks.only_zero() {
        return DtzParts {
            numbering,
            parts: Parts::single(0),
            flags: flags | side_flag,
            maps: None,
        };
    }
    let distances = of_numbers(source.distances(side), DtzEntry::ANY);
    let ranks_of = ranks.of_numbers(&distances);
    let size = numbering.len();
    let of = (Kind::Dtz, side);
    let mut all = numbers(source, watch, of, &numbering, 0, size as usize);
    let chunks = all.par_chunks_mut(CHUNK);
    let chunks = chunks.map(|numbers| symbols(numbers, &ranks_of, gaps));
    let chunks: Vec<Vec<u16>> = chunks.collect();
    drop(all);
    let fewest = fewest_runs(&chunks);
    let parts = Parts::compress(chunks, &ranks.leaves(), fewest, size, LARGEST_BLOCK, watch);
    let mapped = ranks.needs_maps();
    DtzParts {
        numbering,
        parts,
        flags: flags | side_flag | if mapped { MAPPED } else { 0 },
        maps: mapped.then_some(ranks.lists),
    }
}

/// The flags of the published convention for a side to move: its wins and the other's losses are exact if one of them is
/// exactly 100 plies away, and else rounded.
fn rounding(side: Color, candidates: &[Candidate]) -> u8 {
    let has = |outcome: Wdl, of_side: bool| {
        let of =
            |candidate: &&Candidate| candidates.len() == 1 || (candidate.side == side) == of_side;
        let mut histograms = candidates.iter().filter(of);
        histograms.any(|candidate| candidate.histogram.has(outcome, 100))
    };
    let wins = has(Wdl::Win, true) || has(Wdl::Loss, false);
    let losses = has(Wdl::Loss, true) || has(Wdl::Win, false);
    (if wins { WINS_EXACT } else { 0 }) | (if losses { LOSSES_EXACT } else { 0 })
}
