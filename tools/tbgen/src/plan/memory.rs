//! The memory of a process, computed from what it allocates.

use std::collections::HashSet;

use syzygy_tables::writer::Layout;
use tbindex::bitbase::{Domain, Row};
use tbindex::{Color, Conversion, Material, Piece, PieceType};

use crate::chess::pawn_moves::may_have_passed;
use crate::chess::pawns::Placements;
use crate::chess::piece_set::Endgame;
use crate::solve::levels::Limits;
use crate::storage::table_file::{BLOCK_SLOTS, KEPT_BYTES, blocks_at_once};
use crate::subtables::seen::most_planes;
use crate::syzygy::source::MADE_FROM;
use crate::table::shape::{Shape, WORTH_PACKING};
use crate::table::value::Metric;

/// The memory that the program has before it does anything, and its small allocations.
const PROGRAM: u64 = 20 << 20;

/// The stack of a thread, as far as it is used, and what the allocator keeps for it.
const THREAD: u64 = 256 << 10;

/// The slices of a table without pawns.
const KINGS: usize = 462;

/// What is noted of each part of a table: its pieces, and where its slices are.
pub(super) const PART: u64 = 1280;

/// What is noted of a slice of a solved part with a side to move: where it is in its file, twice.
pub(super) const SLICE: usize = 160;

/// What is due by the distance to mate, in sets, where most is. Measured.
pub(super) const DUE_SETS: u64 = 12;

/// The memory, in bytes, of a process with the threads of the current rayon pool, whatever it does.
#[must_use]
pub fn process_memory() -> u64 {
    PROGRAM + threads_of(THREAD)
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

/// The pawns of each side.
pub(super) fn pawns(material: &Material) -> [usize; 2] {
    Color::ALL.map(|color| material.count(Piece::new(color, PieceType::Pawn)))
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

/// The bytes on disk of what is due by the distance to mate, if it is put aside: of each part that is in work.
pub(super) fn dues(shape: &Shape, metric: Metric, on_disk: bool) -> u64 {
    let in_work = match shape.any_domain().slices() {
        1 => threads_of(1),
        _ => 1,
    };
    match metric {
        _ if on_disk || shape.has_large_sets() => in_work * DUE_SETS * set_bytes(shape),
        _ => 0,
    }
}

/// The bytes of the sets that captures lead to from so many slices, up to four for each captured piece, and of what they are
/// made from. Measured.
pub(super) fn exits(domain: &Domain, slices: usize) -> u64 {
    let captured = Color::ALL.map(|side| domain.captured_by(side).count());
    let sets = 8 * (captured[0] + captured[1]) as u64 + 12;
    sets * slice_bytes(domain) * slices.min(domain.slices()) as u64 / 64
}

/// What a plan for a table without pawns and with a checkpoint has besides sets: notes, what is kept of smaller tables, and
/// the working memory of threads, which is what is gathered in a slice and the places of captured pieces there.
pub(super) fn for_each_plan(shape: &Shape, metric: Metric) -> u64 {
    let domain = shape.any_domain();
    // Three frontiers note what they have: nine bits for each slab.
    let notes = 3 * domain.slices() * (domain.slabs() + 8 * domain.slabs().div_ceil(64));
    let work = notes as u64 + kept(shape, metric) + threads_of(24 * slice_bytes(domain));
    work.max(writing(shape, metric))
}

/// The bytes in which a table is written: the planes of the slices that are open, with a set of what is illegal, and the blocks
/// that are made at the same time, which take no more than their codes, of two bytes where there may be mates in more than 127
/// moves.
fn writing(shape: &Shape, metric: Metric) -> u64 {
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

/// The bytes that a solved table of so many slots takes in memory: its planes, compressed if it is large.
fn solved(slots: u64, metric: Metric) -> u64 {
    match slots > WORTH_PACKING {
        true => 2 * slots / 3,
        false => 2 * planes(metric) * slots / 8,
    }
}

/// A table as others see it: how many parts it has at most, mirror images of pawns counted once, and the bytes of a set
/// of one of them.
pub(super) struct Source {
    parts: u64,
    pub(super) set: u64,
    pub(super) pieces: usize,
    pawns: usize,
}

impl Source {
    pub(super) fn of(endgame: Endgame) -> Source {
        let material = &endgame.material;
        let pawns = pawns(material).iter().sum();
        let pieces = material.piece_count();
        let men = 64u64.pow((pieces - pawns - 2) as u32);
        let any_kings = 64 * 64;
        let kings = match (pawns, endgame.piece_set.is_chess()) {
            (0, true) => 462,
            // Short-range pieces may have fewer symmetries.
            (0, false) => Shape::of_endgame(endgame)
                .map_or(any_kings, |shape| shape.any_domain().slices() as u64),
            _ => any_kings,
        };
        // Those that are their own mirror images are fewer than half.
        let parts = Placements::count(material) * 5 / 8 + 1;
        Source {
            parts: if pawns == 0 { 1 } else { parts },
            set: kings * men / 8,
            pieces,
            pawns,
        }
    }

    /// The slices of a set, if it has any.
    pub(super) fn slices(&self) -> u64 {
        match self.pawns {
            0 => KINGS as u64,
            _ => 64 * 64,
        }
    }

    /// The most slots that it has with a side to move.
    fn slots(&self) -> u64 {
        8 * self.parts * self.set
    }

    /// The bytes of the codes of a part with a side to move.
    fn codes(&self, metric: Metric) -> u64 {
        self.set * most_planes(metric)
    }
}

/// The bytes that a solved table takes in memory for larger ones: if there are files, large ones are in one, and those with
/// pawns are read from theirs.
fn kept_memory(endgame: Endgame, metric: Metric, files: bool) -> u64 {
    let source = Source::of(endgame);
    let slots = source.slots();
    match files && (source.pawns > 0 || slots > WORTH_PACKING) {
        true => 0,
        false => solved(slots, metric),
    }
}

/// The bytes that solved tables take in memory for larger ones, without files: by the distance to zeroing, their outcomes.
pub(super) fn kept_in_memory(tables: impl IntoIterator<Item = Endgame>, metric: Metric) -> u64 {
    let slots = tables
        .into_iter()
        .map(|endgame| Source::of(endgame).slots());
    let each = slots.map(|slots| match metric {
        Metric::Dtz => outcomes(slots),
        _ => solved(slots, metric),
    });
    each.sum()
}

/// The bytes that the outcomes of a table of so many slots take in memory: two or three planes of each side, compressed if
/// the table is large.
fn outcomes(slots: u64) -> u64 {
    match slots > WORTH_PACKING {
        true => slots / 8,
        false => 6 * slots / 8,
    }
}

/// The bytes of the tables that moves lead to.
pub(super) fn smaller(shape: &Shape, metric: Metric, files: bool) -> u64 {
    let smaller = shape.endgame().led_to().into_iter();
    (smaller.map(|endgame| kept_memory(endgame, metric, files))).sum()
}

/// The bytes of the codes of solved parts that are kept for others.
fn kept(shape: &Shape, metric: Metric) -> u64 {
    let (endgame, limit) = (shape.endgame(), Limits::new(shape).recent);
    let material = endgame.material;
    // Tables that moves lead to, each with the side that is to move there.
    let others = (material.conversions().into_iter()).map(|(conversion, after)| {
        let mover = match conversion {
            Conversion::Capture { captured } => captured.color,
            Conversion::Promotion { by, .. } => !by,
        };
        let mover = if after.is_normal() { mover } else { !mover };
        let material = after.normal();
        (
            Endgame {
                material,
                ..endgame
            },
            mover,
        )
    });
    let own = Color::ALL.into_iter().zip(pawns(&material));
    let own = own.filter(|(_, pawns)| *pawns > 0);
    let own = own.map(|(color, _)| (endgame, !color));
    let all: HashSet<(Endgame, Color)> = others.chain(own).collect();
    let sources = || all.iter().map(|&(endgame, _)| Source::of(endgame));
    let small = sources().filter(|source| source.codes(metric) <= limit / 4);
    let small: u64 = small
        .map(|source| source.parts * source.codes(metric))
        .sum();
    // By the distance to mate, those of the positions, and of moves to them.
    let times = match metric {
        Metric::Dtz => 1,
        _ => 2,
    };
    // What promotions to parts with pawns lead to, for all files.
    let promoted = sources()
        .filter(|source| source.pawns > 0 && source.pieces == material.piece_count())
        .map(|source| source.parts * 8 * most_planes(metric) * set_bytes(shape));
    (times * small + promoted.sum::<u64>()).min(limit)
}

/// The bytes of the codes that each thread makes of a part that a promotion leads to.
fn promoted(shape: &Shape, metric: Metric, files: bool) -> u64 {
    let promoted = (shape.endgame().led_to().into_iter().map(Source::of))
        .filter(|source| source.pieces == shape.material().piece_count());
    let each = promoted.map(|source| {
        let codes = match source.codes(metric) {
            codes if codes <= Limits::new(shape).recent / 4 => 0,
            // A few slices at a time.
            codes if source.pawns == 0 => {
                let slice = source.set / 462;
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
        false => shape.kept_memory(metric),
    };
    let dues = match files {
        true => 0,
        false => dues(shape, metric, false),
    };
    let part = (40 * set).max(20 * set + each);
    let work = working * part + kept(shape, metric) + dues;
    // And of each part its pieces, where its slices are and, where pawns may pass others, stalemates: of half of the sides.
    let noted = shape.parts() as u64 * PART + stalemates(shape);
    solved + noted + work.max(writing(shape, metric))
}

impl Shape {
    /// The memory, in bytes, in which the table is solved and written, with temporary files or without. The process itself
    /// and smaller tables come on top.
    ///
    /// Without pawns and by the distance to zeroing, there are at the peak five sets of positions and thirteen planes;
    /// or, late in a solution, when few positions are new in a ply, fewer sets and fourteen planes, which are the
    /// seven bits of a value for both sides. By the distance to mate, there is what captures bring, as
    /// long as it is due, and up to eight planes for each side: 27 sets together for KRRvKQ.
    #[must_use]
    pub fn work_memory(&self, metric: Metric, files: bool) -> u64 {
        if self.material().has_pawns() {
            return parts_memory(self, metric, self.parts_at_once(), files);
        }
        let sets = match metric {
            Metric::Dtz => 18,
            // Small slices take more, as an allocator gives them.
            _ if self.material().piece_count() < 5 => 40,
            _ => 29,
        };
        sets * set_bytes(self) + for_each_plan(self, metric)
    }

    /// The memory, in bytes, of a table that is asked something, in its file or solved without files, and of what is kept of
    /// others, if they are asked, too. In files, those without pawns are kept compressed.
    #[must_use]
    pub fn asked_memory(&self, metric: Metric, from_files: bool, with_others: bool) -> u64 {
        let (pawns, noted) = (self.material().has_pawns(), self.parts() as u64 * PART);
        let table = match from_files {
            true => KEPT_BYTES + 2 * noted,
            false if pawns => solved(self.slots(), metric) + noted,
            false => 2 * planes(metric) * set_bytes(self),
        };
        if !with_others {
            return table;
        }
        let led_to = self.endgame().led_to().into_iter();
        let without_pawns = led_to.filter(|endgame| from_files && !endgame.material.has_pawns());
        let others: u64 = (without_pawns.map(|endgame| kept_memory(endgame, metric, false))).sum();
        table + others + kept(self, metric) + stalemates(self)
    }

    /// The memory, in bytes, that the solved table takes while larger ones are, without files.
    #[must_use]
    pub fn kept_memory(&self, metric: Metric) -> u64 {
        solved(self.slots(), metric)
    }

    /// The memory, in bytes, of a process that counts the positions of the table in its file by their values.
    #[must_use]
    pub fn stats_memory(&self) -> u64 {
        // Each thread decodes a slice.
        let slots = self.any_domain().slice_slots();
        let eighths = if self.material().piece_count() > 5 {
            44
        } else {
            25
        };
        look_up_memory([self.endgame()].into_iter()) + threads_of(slots * eighths / 8)
    }

    /// The memory, in bytes, that the table's outcomes take while larger tables are solved, with a temporary file or without.
    #[must_use]
    pub fn outcomes_memory(&self, files: bool) -> u64 {
        match self.is_worth_packing() {
            true if files => 0,
            _ => outcomes(self.slots()),
        }
    }

    /// The memory, in bytes, of a process that writes the table's Syzygy files, with the table itself, which may be in a
    /// temporary file if it is large, and the smaller ones.
    #[must_use]
    pub fn export_memory(&self, files: bool) -> u64 {
        let table = match files && self.is_worth_packing() {
            true => 0,
            false => self.kept_memory(Metric::Dtz),
        };
        let smaller = match files {
            true => 0,
            false => smaller(self, Metric::Dtz, false),
        };
        // The counts of pairs, and the samples of orders.
        let pairs = pairs_memory();
        process_memory() + table + smaller + self.entries_memory(pairs)
    }

    /// The memory, in bytes, of a process that packs the table, whose file is in a folder with those of the smaller ones.
    #[must_use]
    pub fn pack_memory(&self) -> u64 {
        // Two bytes of every slot of a side, and a byte of what captures bring, with what is kept of smaller tables; or two
        // for each place of a sub-table, and what is compressed.
        let slots = self.slots();
        process_memory() + 2 * slots + (slots + (64 << 20)).max(3 * slots + pairs_memory())
    }

    /// The memory, in bytes, of the entries of Syzygy files: a byte of every slot for each side, and either what they are made
    /// from, or a byte of every slot of a layout and two for each place of a sub-table, with some bytes more.
    pub(crate) fn entries_memory(&self, more: u64) -> u64 {
        let material = self.material();
        let sides = if material == material.swap_colors() {
            1
        } else {
            2
        };
        let domain = self.any_domain();
        let made_from = MADE_FROM + threads_of(exits(domain, domain.slices()));
        let name: Result<syzygy_tables::Material, _> = material.to_string().parse();
        let layouts = name.into_iter().flat_map(Layout::any_of_each_file);
        let layouts = layouts.map(|layout| layout.size() + 2 * layout.places());
        sides * self.slots() + made_from.max(layouts.max().unwrap_or(0) + more)
    }
}

/// The counts of pairs of symbols, of a writer of sub-tables.
fn pairs_memory() -> u64 {
    threads_of(4 << 20) + (64 << 20)
}

/// The memory, in bytes, of a process in which these tables are looked up position by position in their files, and in which
/// sets say which slots of a slice count.
#[must_use]
pub fn look_up_memory(tables: impl Iterator<Item = Endgame>) -> u64 {
    let (mut parts, mut slice) = (0, 0);
    for source in tables.map(Source::of) {
        parts += source.parts;
        let slices = if source.pawns == 0 { 462 } else { 1 };
        slice = slice.max(source.set / slices);
    }
    process_memory() + KEPT_BYTES + 2 * PART * parts + 2 * slice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::testing::with_threads;

    /// One pawn has up to four placements that are solved at the same time.
    #[test]
    fn memory_is_charged_for_threads_that_have_work() {
        let shape = Shape::new("KRPvKR".parse().unwrap()).unwrap();
        assert_eq!(shape.parts_at_once(), 4);
        let [one, four, many] = [1, 4, 64]
            .map(|threads| with_threads(threads, || Plan::in_memory(&shape, Metric::Dtz).memory));
        assert!(four > 2 * one, "{one} {four}");
        assert_eq!(many, four + 60 * THREAD);
    }
}
