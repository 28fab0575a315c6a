//! The disk that tables take while they are solved and when they are written, computed from what is in files at the same time.
//!
//! Sets and planes are stored without empty words, and never take more than is stated here. Plies, solved parts in a checkpoint
//! and tables' files are compressed: each is stated by the largest share that was measured, and more.

use super::allocations::{DUE_SETS, planes, set_bytes, sets_of_frontier, threads_of};
use crate::chess::piece_set::Endgame;
use crate::table::codes::BITS;
use crate::table::shape::Shape;
use crate::table::sizes::LARGE_PART;
use crate::table::value::Metric;

/// The bytes in a checkpoint of the plies of a part, for each slot of a side. Measured: 1.13 for KRNvKN by the distance to
/// zeroing, 0.93 for KBBvKN by that to mate, 0.89 and more for KNNNvKN.
const PLIES_OF_SLOT: u64 = 2;

/// The bytes that what a ply finds in a slice takes in a checkpoint beside its positions.
const RECORD: u64 = 40;

/// The most plies of a half in which anything is found in a slice, of tables of so many pieces. Up to five pieces no
/// side needs more.
const fn most_plies(pieces: usize) -> u64 {
    match pieces {
        ..=3 => 64,
        4 => 128,
        5 => 256,
        _ => 1024,
    }
}

/// The bytes of what a solved slice with a side to move has in a checkpoint beside its planes: its values.
const VALUES: u64 = 1 << 10;

/// The most planes of a side of a table. No table of up to five pieces has a code that takes more than those of its metric.
fn most_planes(shape: &Shape, metric: Metric) -> u64 {
    match shape.material().piece_count() {
        ..=5 => planes(metric),
        _ => BITS as u64,
    }
}

/// The bytes of a set of a part that is put aside: with each slab, of 512, some ten say which of its words there are.
fn stored_set(shape: &Shape) -> u64 {
    set_bytes(shape) / 64 * 66
}

/// The bytes of so many planes of both sides of a table where they are put aside, if it is so large.
fn stored_planes(shape: &Shape, planes: u64) -> u64 {
    match shape.is_worth_packing() {
        true => 2 * planes * shape.parts() as u64 * stored_set(shape),
        false => 0,
    }
}

/// The bytes of the plies of a part in its checkpoint.
pub(super) fn plies(shape: &Shape, metric: Metric) -> u64 {
    let slots = shape.slots() / shape.parts() as u64;
    let plies = most_plies(shape.material().piece_count());
    let records = (2 * slots).min(2 * shape.slices() as u64 * plies);
    sets_of_frontier(metric) * (slots * PLIES_OF_SLOT + records * RECORD)
}

/// The bytes of the checkpoint of a table: its plies or, with pawns, its solved parts, and the plies of those in work if they are
/// large.
pub(super) fn checkpoint(shape: &Shape, metric: Metric) -> u64 {
    if !shape.material().has_pawns() {
        return plies(shape, metric);
    }
    let of_parts = match set_bytes(shape) >= LARGE_PART {
        true => threads_of(1).min(shape.parts_at_once() as u64) * plies(shape, metric),
        false => 0,
    };
    let records = 2 * (shape.parts() * shape.slices()) as u64;
    // Of four tables of six pieces, none took more than 0.58.
    shape.slots() + records * (VALUES + RECORD) + of_parts
}

/// The bytes of what moves out of a part lead to, where it is put aside: by the distance to zeroing five sets of each side, or
/// what is due until it is due.
pub(super) fn conversions(shape: &Shape, metric: Metric, on_disk: bool) -> u64 {
    let in_slices = shape.material().has_pawns() && shape.slices() > 1;
    match metric {
        Metric::Dtz if on_disk || in_slices => 2 * 5 * stored_set(shape),
        Metric::Dtz => 0,
        _ if on_disk || in_slices || shape.has_large_sets() => DUE_SETS * set_bytes(shape),
        _ => 0,
    }
}

/// The bytes of the planes of a table that is put aside for larger ones: by the distance to zeroing, of which three bits say the
/// outcomes, those alone.
fn put_aside(shape: &Shape, metric: Metric) -> u64 {
    let planes = match metric {
        Metric::Dtz => 3,
        _ => most_planes(shape, metric),
    };
    stored_planes(shape, planes)
}

/// The bytes of the smaller tables that are read into a file which is quick to read again: those without pawns, if they are
/// large, for distances to zeroing or to mate.
pub(super) fn smaller(shape: &Shape, metric: Metric) -> u64 {
    let smaller = shape.endgame().led_to().into_iter();
    let is_read = |endgame: &Endgame| !endgame.material.has_pawns() && metric.victim().is_none();
    let smaller = smaller.filter(is_read);
    let smaller = smaller.filter_map(|endgame| Shape::of_endgame(endgame).ok());
    smaller.map(|shape| put_aside(&shape, metric)).sum()
}

/// The bytes of the solved parts of a table with pawns that has no checkpoint, until it is written.
pub(super) fn parts(shape: &Shape, metric: Metric) -> u64 {
    match shape.material().has_pawns() && !shape.has_checkpoint() {
        true => stored_planes(shape, most_planes(shape, metric)),
        false => 0,
    }
}

/// The bytes on disk of a table that is solved with files: while it is in work, beside what [stays](solved).
pub(super) fn in_work(shape: &Shape, metric: Metric) -> u64 {
    let on_disk = shape.has_sets_in_files(metric);
    let pawns = shape.material().has_pawns();
    let sets = match on_disk {
        true if pawns => 2 * set_bytes(shape) + plies(shape, metric),
        true => 2 * set_bytes(shape),
        false => 0,
    };
    let distances = match metric == Metric::Dtz && pawns {
        true => stored_planes(shape, most_planes(shape, metric)),
        false => 0,
    };
    sets + conversions(shape, metric, on_disk) + distances
}

/// The bytes on disk of a table that is solved with files, as it stays for larger ones: its planes, or its plies if its sets were
/// in files.
pub(super) fn solved(shape: &Shape, metric: Metric) -> u64 {
    match shape.has_sets_in_files(metric) && !shape.material().has_pawns() {
        _ if !shape.has_mates(metric) => 0,
        true => plies(shape, metric),
        false => put_aside(shape, metric),
    }
}

/// The bytes of the table's file, and its share in those of many tables, by the largest shares of what files take without
/// compression. Of all tables of three pieces, none takes more than 0.74 (KRvK), and of those of four and five pieces
/// none more than 0.61 (KQvKR by the distance to mate), and all 145 together 0.34. Two tables of six pieces took 0.1.
fn of_file(shape: &Shape) -> [u64; 2] {
    let blocks = (shape.parts() * shape.slices() * shape.any_domain().slabs()) as u64;
    let bytes = 2 * shape.slots() + 32 * blocks + 4096;
    match shape.material().piece_count() {
        3 => [bytes / 4 * 3, bytes / 8 * 3],
        4 | 5 => [bytes / 8 * 5, bytes / 8 * 3],
        _ => [bytes / 3, bytes / 6],
    }
}

/// The most that the table's file takes, in bytes.
#[must_use]
pub fn file_bytes(shape: &Shape) -> u64 {
    of_file(shape)[0]
}

/// The most that the files of tables of these shapes take together, in bytes. A king alone checkmates nobody.
#[must_use]
pub fn files_bytes<'a>(tables: impl Iterator<Item = (&'a Shape, Metric)>) -> u64 {
    let (mut all, mut above) = (0, Vec::new());
    for (shape, _) in tables.filter(|(shape, metric)| shape.has_mates(*metric)) {
        let [most, mean] = of_file(shape);
        all += mean;
        above.push(most - mean);
    }
    // Several of few tables may take their most, as KQvKP and KQvKR do by the distance to mate.
    above.sort_unstable();
    all + above.iter().rev().take(3).sum::<u64>()
}

/// The most that Syzygy files of tables of these shapes take together, in bytes. That of one table of three to five pieces is
/// between nearly nothing and a sixth of its slots.
#[must_use]
pub fn syzygy_files_bytes<'a>(shapes: impl Iterator<Item = &'a Shape>) -> u64 {
    let (mut all, mut largest) = (0, 0);
    for slots in shapes.map(Shape::slots) {
        all += slots / 16 + 4096;
        largest = largest.max(slots);
    }
    all + largest / 10
}
