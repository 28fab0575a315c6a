//! The classes of what is allocated while a table is solved and written, and how many bytes each takes.

use tbindex::Color;
use tbindex::bitbase::{Domain, Row};

use crate::chess::pawns::may_have_passed;
use crate::storage::table_file::{BLOCK_SLOTS, blocks_at_once};
use crate::subtables::cache::CacheSize;
use crate::table::shape::Shape;
use crate::table::value::Metric;

/// The program's code as far as it runs, and its small allocations. Measured with a copy of the program, of which the system may
/// map longer pieces than of one that was linked in its place.
const PROGRAM: u64 = if cfg!(debug_assertions) { 18 } else { 14 } << 20;

/// The stack of a thread, as far as it is used, and what the allocator keeps for it.
const THREAD: u64 = 256 << 10;

/// The memory that the allocator keeps for a thread that solves tables. Measured with one to sixteen threads.
const SOLVING_THREAD: u64 = 7 << 19;

/// The memory that the allocator keeps for a thread that solves parts with pawns, each of which is solved by a thread that is free.
/// Measured with one to sixteen threads.
const PARTS_THREAD: u64 = 5 << 19;

/// The notes on each part of a table: its pieces, and where its slices are.
pub(super) const PART: u64 = 1280;

/// The notes on a slice of a solved part with a side to move: where it is in its file, twice.
pub(super) const SLICE: usize = 160;

/// The plies of a half of a part in which anything is found in a slice, by metrics, and the bytes of the place of what one of them
/// finds. Measured with pawns.
const PLIES: [usize; 4] = [40, 100, 100, 100];
const PLACE: usize = 32;

/// The sets of what a ply finds: all of it and, of helpmates, that with several solutions.
pub(super) fn sets_of_frontier(metric: Metric) -> u64 {
    1 + u64::from(metric.victim().is_some())
}

/// The most positions that are due by the distance to mate, in sets. Measured.
pub(super) const DUE_SETS: u64 = 12;

/// The memory, in bytes, of a process with the threads of the current rayon pool, whatever it does.
#[must_use]
pub fn process_memory() -> u64 {
    PROGRAM + threads_of(THREAD)
}

/// The memory, in bytes, of a process that solves tables one after the other, besides the tables: the allocator keeps what its
/// threads compressed.
pub(crate) fn solver_memory() -> u64 {
    process_memory() + threads_of(SOLVING_THREAD)
}

/// The memory, in bytes, of a process that solves the table of a shape and ends, besides sets and tables.
#[must_use]
pub fn one_table_memory(shape: &Shape) -> u64 {
    match shape.material().has_pawns() {
        true => process_memory() + threads_of(PARTS_THREAD),
        false => process_memory(),
    }
}

/// The bytes that all threads take together, if each takes so many.
pub(super) fn threads_of(bytes: u64) -> u64 {
    rayon::current_num_threads() as u64 * bytes
}

/// The bytes of a slice of a dense set.
pub(super) fn slice_bytes(domain: &Domain) -> u64 {
    (domain.rows() * size_of::<Row>()) as u64
}

/// The bytes of a dense set.
pub(super) fn set_bytes(shape: &Shape) -> u64 {
    shape.any_domain().bytes()
}

/// The bytes of the stalemates of parts in which a pawn may have passed another: those of the solved parts, and those of the
/// part in work, as they are seen from another part.
pub(super) fn stalemates(shape: &Shape) -> u64 {
    let may_have = |part: usize, side: Color| may_have_passed(shape.pawns(part), side);
    let parts = (0..shape.parts()).flat_map(|part| Color::ALL.map(|side| may_have(part, side)));
    match parts.filter(|&may_have| may_have).count() as u64 {
        0 => 0,
        count => (count + 2) * set_bytes(shape),
    }
}

/// The bytes of the sets that captures lead to from so many slices, up to four for each captured piece, and of what they are
/// made from. Measured.
pub(super) fn exits(domain: &Domain, slices: usize) -> u64 {
    let captured = Color::ALL.map(|side| domain.captured_by(side).count());
    let sets = 8 * (captured[0] + captured[1]) as u64 + 12;
    sets * slice_bytes(domain) * slices.min(domain.slices()) as u64 / 64
}

/// The memory besides sets while a part in slices, or without pawns, is solved: notes, what is kept of smaller tables, and the
/// working memory of threads, which is what is gathered in a slice and the places of captured pieces there.
pub(super) fn beside_sets(shape: &Shape, metric: Metric) -> u64 {
    let domain = shape.any_domain();
    // Three frontiers note what they have: nine bits for each slab.
    let notes = 3 * domain.slices() * (domain.slabs() + 8 * domain.slabs().div_ceil(64));
    let notes = notes as u64 * sets_of_frontier(metric);
    let work = threads_of((22 + 2 * sets_of_frontier(metric)) * slice_bytes(domain));
    notes + CacheSize::of(shape, metric).all + work
}

/// The bytes in which a table is written: the planes of the slices that are open, with a set of what is illegal, and the blocks
/// that are made at the same time, which take no more than their codes, of two bytes where there may be mates in more than 127
/// moves.
pub(super) fn writing(shape: &Shape, metric: Metric) -> u64 {
    let domain = shape.any_domain();
    let slots = (BLOCK_SLOTS * blocks_at_once(shape)) as u64;
    let [code_bytes, planes] = match metric == Metric::Dtm && shape.material().piece_count() > 5 {
        true => [2, 11],
        false => [1, 8],
    };
    let all = 2 * shape.slots();
    let open = slots.max(domain.slice_slots()).min(all);
    open * (planes + 1) / 8 + slots.min(all) * code_bytes
}

/// The number of planes of a side: no table of up to five pieces has more than 127 values of a side by the distance to
/// zeroing, or a mate in more than 127 moves.
pub(super) fn planes(metric: Metric) -> u64 {
    match metric {
        Metric::Dtz => 7,
        _ => 8,
    }
}

/// The bytes of the places of the plies of a part.
pub(super) fn places(shape: &Shape, metric: Metric) -> u64 {
    (shape.slices() * 4 * PLIES[metric as usize] * PLACE) as u64
}
