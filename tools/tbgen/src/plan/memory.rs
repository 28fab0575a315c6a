//! The memory of a process, computed from what it allocates.

use syzygy_tables::writer::most_places;

use super::allocations::{
    PART, SLICE, beside_sets, exits, places, planes, process_memory, set_bytes, sets_of_frontier,
    stalemates, threads_of, writing,
};
use super::disk::{checkpoint, conversions};
use super::sliced::sliced_memory;
use crate::chess::cozy::syzygy_material;
use crate::chess::piece_set::Endgame;
use crate::solve::options::SLICES_IN_WORK;
use crate::storage::table_file::KEPT_BYTES;
use crate::subtables::cache::CacheSize;
use crate::subtables::seen::most_planes;
use crate::subtables::table_size::{TableSize, mate_planes};
use crate::table::planes::Planes;
use crate::table::shape::Shape;
use crate::table::sizes::WORTH_PACKING;
use crate::table::value::Metric;

/// The values of the codes of both sides of a part of up to five pieces, by the distance to mate, of which none has a mate in more
/// than 127 moves; and of a part of more pieces.
const MATES: [u64; 2] = [2 << 10, 8 << 10];

/// The notes on the planes of a slice with a side to move.
const PLANES: u64 = 512;

/// The bytes that the solved table of an endgame takes in memory whose sets take so many, in so many slices: its planes, compressed if
/// it is large or its slices are thin, and where they are.
fn solved(endgame: Endgame, set: u64, slices: u64, metric: Metric) -> u64 {
    let is_thin = endgame.material.piece_count() == 3 && !endgame.material.has_pawns();
    let (planes, noted) = match (mate_planes(endgame), metric) {
        (0, _) => (0, size_of::<Planes>() as u64),
        (planes, Metric::Dtz) => (planes - 1, PLANES),
        (planes, _) => (planes, PLANES),
    };
    let planes = match 8 * set > WORTH_PACKING {
        true => 16 * set / 3,
        false if is_thin => set.min(planes * set),
        false => 2 * planes * set,
    };
    planes + 2 * slices * noted
}

/// The bytes that a solved table takes in memory for larger ones: if there are files, large ones are in one, and those with
/// pawns are read from theirs.
fn kept_of(endgame: Endgame, metric: Metric, files: bool) -> u64 {
    let source = TableSize::of(endgame);
    let (set, slices) = (source.parts * source.set, source.parts * source.slices());
    match files && (source.pawns > 0 || source.slots > WORTH_PACKING) {
        true => 0,
        false => solved(endgame, set, slices, metric),
    }
}

/// The bytes of the tables that moves lead to.
pub(super) fn smaller(shape: &Shape, metric: Metric, files: bool) -> u64 {
    let smaller = shape.endgame().led_to().into_iter();
    let smaller = smaller.map(|endgame| kept_of(endgame, metric, files));
    smaller.sum::<u64>() * metric.of_smaller().len() as u64
}

/// The bytes of the codes that each thread makes of a part that a promotion leads to.
fn promoted(shape: &Shape, metric: Metric, files: bool) -> u64 {
    let at_hand = CacheSize::of(shape, metric).largest;
    let promoted = (shape.endgame().led_to().into_iter().map(TableSize::of))
        .filter(|source| source.pieces == shape.material().piece_count());
    let each = promoted.map(|source| {
        let codes = match source.codes(metric) {
            codes if codes <= at_hand => 0,
            // A few slices at a time.
            codes if source.pawns == 0 => {
                let slice = source.set / source.slices();
                codes.min((8 << 20) + (planes(metric) + 8 * most_planes(metric)) * slice)
            }
            codes => codes,
        };
        let read = match files && source.pawns > 0 {
            // The planes of the part, and the codes that are made of these.
            true => (8 + planes(metric) + 1 + most_planes(metric)) * source.set,
            false => 0,
        };
        codes.max(read)
    });
    each.max().unwrap_or(0)
}

/// The memory, in bytes, of a table's parts with pawns, of which so many are in work at a time, with files or without.
pub(super) fn parts_memory(shape: &Shape, metric: Metric, at_once: usize, files: bool) -> u64 {
    let set = set_bytes(shape);
    // Each thread solves a part, which has five sets, ten of what its moves lead to, and planes; and before there are planes
    // what is looked at to make these.
    let each = promoted(shape, metric, files);
    let working = rayon::current_num_threads().min(at_once) as u64;
    // Solved parts: where they are in their file, or planes, compressed if they are large.
    let solved = match files && (shape.has_checkpoint() || shape.is_worth_packing()) {
        true => (2 * shape.parts() * SLICE) as u64,
        false => kept_memory(shape, metric, false),
    };
    let dues = match files {
        true => 0,
        false => conversions(shape, metric, false),
    };
    let more = 3 * (sets_of_frontier(metric) - 1) * set;
    let part = (40 * set).max(20 * set + each) + more;
    let work = working * part + CacheSize::of(shape, metric).all + dues;
    // And of each part its pieces, where its slices are and, where pawns may pass others, stalemates: of half of the sides.
    let of_part = match metric {
        Metric::Dtz => PART,
        _ => PART + MATES[usize::from(shape.material().piece_count() > 5)],
    };
    let noted = shape.parts() as u64 * of_part + stalemates(shape);
    solved + noted + work.max(writing(shape, metric))
}

/// The bytes in which a table is solved with planes in memory, with so many parts in work at a time.
///
/// Without pawns and by the distance to zeroing, there are at the peak five sets of positions and thirteen planes;
/// or, late in a solution, when few positions are new in a ply, fewer sets and fourteen planes, which are the
/// seven bits of a value for both sides. By the distance to mate, there is what captures bring, as
/// long as it is due, and up to eight planes for each side: 27 sets together for KRRvKQ. Helpmates have three sets more.
pub(super) fn solving_memory(shape: &Shape, metric: Metric, files: bool, parts: usize) -> u64 {
    if shape.material().has_pawns() {
        return parts_memory(shape, metric, parts, files);
    }
    let sets = match metric {
        Metric::Dtz => 18,
        // Small slices take more, as an allocator gives them.
        _ if shape.material().piece_count() < 5 => 40,
        _ => 29,
    };
    let sets = sets + 3 * (sets_of_frontier(metric) - 1);
    // Planes are there while the table is written.
    sets * set_bytes(shape) + beside_sets(shape, metric).max(writing(shape, metric))
}

/// The memory, in bytes, in which the table is solved and written, with a folder for temporary files or without. The process
/// itself and smaller tables come on top.
#[must_use]
pub fn work_memory(shape: &Shape, metric: Metric, files: bool) -> u64 {
    if files && shape.has_sets_in_files(metric) {
        return sliced_memory(shape, metric, Some(SLICES_IN_WORK));
    }
    if shape.has_checkpoint_in_memory(metric) {
        let in_memory = checkpoint(shape, metric) + conversions(shape, metric, false);
        return sliced_memory(shape, metric, None) + in_memory;
    }
    solving_memory(shape, metric, files, shape.parts_at_once())
}

/// The memory, in bytes, of work that takes so many after or beside other work: the allocator keeps a part of what was given back,
/// and some of it for each thread. Measured with one to sixteen threads.
pub(crate) fn after_others(work: u64) -> u64 {
    work + work / 5 + threads_of(work / 256)
}

/// The memory, in bytes, of a table that is asked something, in its file or solved without files, and of what is kept of
/// others, if they are asked, too. In files, those without pawns are kept compressed.
#[must_use]
pub fn asked_memory(shape: &Shape, metric: Metric, from_files: bool, with_others: bool) -> u64 {
    let (pawns, noted) = (shape.material().has_pawns(), shape.parts() as u64 * PART);
    let table = match from_files {
        true => KEPT_BYTES + 2 * noted,
        false if pawns => kept_memory(shape, metric, false) + noted,
        false => 2 * planes(metric) * set_bytes(shape),
    };
    if !with_others {
        return table;
    }
    let others = match from_files {
        true => led_to_memory(shape, metric),
        false => 0,
    };
    table + others + CacheSize::of(shape, metric).all + stalemates(shape)
}

/// The memory, in bytes, of the tables that this one leads to, which were read from their files: those without pawns are kept
/// compressed.
#[must_use]
pub fn led_to_memory(shape: &Shape, metric: Metric) -> u64 {
    let led_to = shape.endgame().led_to().into_iter();
    let without_pawns = led_to.filter(|endgame| !endgame.material.has_pawns());
    (without_pawns.map(|endgame| kept_of(endgame, metric, false))).sum()
}

/// The bytes in which each slice is noted of a table.
fn noted(shape: &Shape) -> u64 {
    2 * PLANES * (shape.parts() * shape.slices()) as u64
}

/// The memory, in bytes, that the solved table takes while larger ones are, with temporary files or without.
pub(crate) fn kept_memory(shape: &Shape, metric: Metric, files: bool) -> u64 {
    if files && shape.is_worth_packing() {
        return noted(shape) + places(shape, metric);
    }
    let parts = shape.parts() as u64;
    let (set, slices) = (set_bytes(shape), shape.slices() as u64);
    solved(shape.endgame(), parts * set, parts * slices, metric)
}

/// The memory, in bytes, that the table takes which was solved for larger ones, with temporary files or without: by the distance
/// to zeroing its outcomes, and in a file where each slice is.
pub(super) fn stays(shape: &Shape, metric: Metric, files: bool) -> u64 {
    let (set, in_file) = (
        shape.parts() as u64 * set_bytes(shape),
        files && shape.is_worth_packing(),
    );
    match metric {
        // Two or three planes of each side.
        Metric::Dtz if !in_file && 8 * set > WORTH_PACKING => noted(shape) + set,
        Metric::Dtz if !in_file => noted(shape) + 6 * set,
        _ => kept_memory(shape, metric, files),
    }
}

/// The memory, in bytes, in which the positions of the table in its file are counted by their values. The process itself comes
/// on top.
#[must_use]
pub fn stats_memory(shape: &Shape) -> u64 {
    // Each thread decodes a slice.
    let slots = shape.any_domain().slice_slots();
    let eighths = match shape.material().piece_count() {
        ..=5 => 25,
        _ => 44,
    };
    2 * shape.parts() as u64 * PART + threads_of(slots * eighths / 8)
}

/// The memory, in bytes, in which the table's Syzygy files are written, with the table itself, which may be in a temporary file
/// if it is large, and the smaller ones. The process itself comes on top.
#[must_use]
pub fn export_memory(shape: &Shape, files: bool) -> u64 {
    let table = match files && shape.is_worth_packing() {
        true if shape.has_checkpoint_in_memory(Metric::Dtz) => checkpoint(shape, Metric::Dtz),
        true => 0,
        false => kept_memory(shape, Metric::Dtz, false),
    };
    let smaller = match files {
        true => 0,
        false => smaller(shape, Metric::Dtz, false),
    };
    // The counts of pairs, and the samples of orders.
    table + smaller + entries_memory(shape, pairs_memory())
}

/// The memory, in bytes, in which the table is packed that is in a file. The process itself and smaller tables come on top.
#[must_use]
pub fn pack_memory(shape: &Shape) -> u64 {
    // Two bytes of every slot of a side, and a byte of what captures bring, with what is kept of smaller tables; or two
    // for each place of a sub-table, and what is compressed.
    let slots = shape.slots();
    2 * slots + (slots + (64 << 20)).max(3 * slots + pairs_memory())
}

/// The memory, in bytes, in which the table, solved in memory, is compared with its packed file: two bytes of every slot of a
/// side, and one of what captures bring. The process itself comes on top.
#[must_use]
pub fn compare_memory(shape: &Shape, metric: Metric) -> u64 {
    let made_from = CacheSize::ENTRIES.all.min(4 * shape.slots());
    asked_memory(shape, metric, false, false) + 3 * shape.slots() + made_from
}

/// The memory, in bytes, of the entries of Syzygy files: a byte of every slot for each side, and either what they are made
/// from, or three bytes for each place of a sub-table, with some bytes more.
pub(crate) fn entries_memory(shape: &Shape, more: u64) -> u64 {
    let material = shape.material();
    let sides = 1 + u64::from(material != material.swap_colors());
    let domain = shape.any_domain();
    let made_from = CacheSize::ENTRIES.all + threads_of(exits(domain, domain.slices()));
    let places = syzygy_material(material).map_or(0, most_places);
    sides * shape.slots() + made_from.max(3 * places + more)
}

/// The counts of pairs of symbols, of a writer of sub-tables.
fn pairs_memory() -> u64 {
    threads_of(4 << 20) + (64 << 20)
}

/// The memory, in bytes, of a process in which these tables are looked up position by position in their files, and in which
/// sets say which slots of a slice count.
#[must_use]
pub fn look_up_memory(tables: impl Iterator<Item = Endgame>) -> u64 {
    let (mut parts, mut slice, mut decoded) = (0, 0, 0);
    for source in tables.map(TableSize::of) {
        parts += source.parts;
        // A byte of a slot, or two where there may be more than 256 values.
        decoded += 2 * source.slots * if source.pieces > 5 { 2 } else { 1 };
        slice = slice.max(source.set / source.slices());
    }
    // Each thread decodes blocks.
    let work = threads_of(1 << 20) + 2 * slice;
    process_memory() + decoded.min(KEPT_BYTES) + 2 * PART * parts + work
}
