//! The memory in which a table whose kings have slices is solved, part by part, with a checkpoint in a file.

use std::collections::HashSet;
use std::path::Path;

use tbindex::bitbase::Domain;
use tbindex::{Color, Group, KingDistance, KingPairs};

use super::allocations::{
    DUE_SETS, PART, SLICE, beside_sets, exits, places, planes, set_bytes, sets_of_frontier,
    slice_bytes, stalemates, threads_of, writing,
};
use super::disk::conversions;
use crate::solve::options::Residence;
use crate::solve::schedule::{Walk, seed_groups};
use crate::subtables::seen::{most_planes, slices_at_once};
use crate::subtables::solved::slices_after;
use crate::subtables::table_size::TableSize;
use crate::table::shape::Shape;
use crate::table::sparse::Stored;
use crate::table::value::Metric;

/// The moves to mate in which anything is due in a slice of up to five pieces, or of more, and the bytes of its place in a
/// file. Measured.
const DUE_MOVES: [usize; 2] = [64, 128];
const DUE_PLACE: usize = size_of::<Stored>();

/// The most slices that are in memory while the losses of a side are found in these slices, so many at a time, with so many sets
/// of what a ply finds; and the most that captures lead to at the same time.
pub(super) fn slices_on_disk(
    domain: &Domain,
    loser: Color,
    slices: &[usize],
    group: usize,
    frontier: usize,
) -> [usize; 2] {
    let walk = Walk::in_groups(domain, loser, slices, group);
    let around = walk.most_around(!loser);
    let group = group.min(slices.len());
    [
        // Wins, old and new; what is lost around them; the losses, old and new.
        (1 + frontier) * (walk.peak() + group) + frontier * around,
        // The losses with those that moves of the king lead to.
        around.max(9 * group).min(domain.slices()),
    ]
}

/// The bytes in which a table whose kings have slices is solved with a checkpoint in a file, and written: with the dense
/// sets of a part in memory, or on disk with the losses of so many slices found at the same time.
pub(super) fn sliced_memory(shape: &Shape, metric: Metric, group: Option<usize>) -> u64 {
    let domain = shape.any_domain();
    let all = domain.slices();
    let pawns = shape.material().has_pawns();
    let frontier = sets_of_frontier(metric) as usize;
    let slices = match group {
        None => (2 + 3 * frontier) * all,
        Some(group) => {
            let slices: Vec<usize> = (0..all).collect();
            let most = |loser| slices_on_disk(domain, loser, &slices, group, frontier)[0];
            most(Color::White).max(most(Color::Black))
        }
    };
    let (mut of_pawns, mut noted) = (0, 0);
    if pawns {
        of_pawns = moves_of_pawns(shape, metric, group);
        // The parts, their stalemates, where each solved slice is, and where the plies of the part in work are.
        let solved = shape.parts() * (PART as usize + 2 * all * SLICE);
        noted = solved as u64 + places(shape, metric) + stalemates(shape);
    }
    let mut sets = slices as u64 * slice_bytes(domain);
    if metric == Metric::Dtz && group.is_none() && !pawns {
        // Captures stay until the part is solved.
        sets += exits(domain, all);
    }
    let due = match (metric, conversions(shape, metric, group.is_some())) {
        (Metric::Dtz, _) => 0,
        (_, 0) => DUE_SETS * set_bytes(shape),
        // Where it is in its file.
        _ => {
            let is_large = shape.material().piece_count() > 5;
            (4 * all * DUE_MOVES[usize::from(is_large)] * DUE_PLACE) as u64
        }
    };
    // Seeds, and what pawns bring to them, are put aside before the sets are written to, and all is gone when the table is
    // written.
    let seeds = seeds(shape, metric, group) + of_pawns;
    let solving = sets.max(seeds) + due + beside_sets(shape, metric);
    noted + solving.max(writing(shape, metric))
}

/// The bytes of what pawns bring to the seeds of parts in slices, which are made of some slices at the same time: first
/// captures of pawns, which leave as many men, and then moves of pawns, with the slices of solved parts that are read.
fn moves_of_pawns(shape: &Shape, metric: Metric, group: Option<usize>) -> u64 {
    let domain = shape.any_domain();
    let pairs = domain.king_pairs().expect("slices of kings");
    let all: Vec<usize> = (0..domain.slices()).collect();
    let groups = seed_groups(domain, &Residence::new(group, Path::new("")), &all);
    let images = KingPairs::new(Group::D4, KingDistance::Apart);
    let last_pawn = shape.pawns(0).occupied().len() == 1;
    // The slices in which captures of pawns end, and those of the part that these lead to.
    let has_pawns = |color: &Color| !shape.pawns(0).of(!*color).is_empty();
    let capturers: Vec<Color> = Color::ALL.into_iter().filter(has_pawns).collect();
    let (mut ends, mut there) = (0, 0);
    let each = (groups.iter()).flat_map(|group| capturers.iter().map(move |&side| (group, side)));
    for (group, side) in each {
        let after = slices_after(domain, side, group);
        let after = all.iter().filter(|&&slice| after[slice]);
        let image = |&slice: &usize| match pairs.all()[slice] {
            [white, black] if last_pawn => images.find(white, black).map(|(image, _)| image),
            _ => Some(slice),
        };
        ends = ends.max(after.clone().count());
        there = there.max(after.map(image).collect::<HashSet<_>>().len());
    }
    let here = groups.iter().map(Vec::len).max().unwrap_or(0);
    let most = most_planes(metric) as usize;
    // The legal positions, the codes, and the sets made of these: five outcomes, or a set of what is safe beside the codes.
    let made = match metric {
        Metric::Dtz => 5,
        _ => 1 + most,
    };
    let captures = (1 + most + made) * there + made * ends;
    let moves = (1 + most + made) * here + made * ends;
    let promoted = (shape.endgame().led_to().into_iter().map(TableSize::of))
        .filter(|source| source.pieces == shape.material().piece_count());
    let read = promoted.map(|source| read_at_once(source.set / source.slices(), metric));
    let read = read.fold(read_at_once(slice_bytes(domain), metric), u64::max);
    let [captures, moves] = [captures, moves].map(|sets| sets as u64 * slice_bytes(domain));
    captures.max(moves + read)
}

/// The bytes in which seeds of some slices are made, before any sets are needed: what captures lead to, and by the distance to mate
/// the planes of the slices, and what is due.
fn seeds(shape: &Shape, metric: Metric, group: Option<usize>) -> u64 {
    let domain = shape.any_domain();
    let residence = Residence::new(group, Path::new(""));
    let slices = residence.seeded_at_once(domain).min(domain.slices());
    match metric {
        Metric::Dtz if group.is_none() && !shape.material().has_pawns() => {
            exits(domain, domain.slices())
        }
        Metric::Dtz => exits(domain, 9 * slices),
        _ => {
            // Each thread makes the set that is put aside of a slice.
            let due = match conversions(shape, metric, group.is_some()) {
                0 => 0,
                _ => threads_of(DUE_SETS),
            };
            (10 * slices as u64 + due) * slice_bytes(domain) + exits(domain, 9 * slices)
        }
    }
}

/// The bytes of slices of so many bytes of a solved part that are read at the same time: their codes; and for each thread the
/// planes from which it makes these, compressed, decompressed and in parts.
fn read_at_once(slice: u64, metric: Metric) -> u64 {
    let codes = slices_at_once(slice as usize, metric) as u64 * most_planes(metric);
    (codes + threads_of(3 * planes(metric) + 1)) * slice
}
