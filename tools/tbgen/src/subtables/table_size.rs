//! How large solved tables are for those that lead to them, and how much of them is kept at hand.

use std::collections::HashSet;

use tbindex::{Color, Conversion, Piece, PieceType};

use crate::chess::pawn_moves::steps;
use crate::chess::pawns::Placements;
use crate::chess::piece_set::Endgame;
use crate::subtables::cache::CacheSize;
use crate::subtables::seen::most_planes;
use crate::subtables::solved::{after_en_passant, captures};
use crate::table::shape::{SLICED_MEN, Shape, table_of};
use crate::table::value::Metric;

/// The slices of a table without pawns.
const KINGS: u64 = 462;

/// A table as others see it: how many parts it has at most, mirror images of pawns counted once, and the bytes of a set
/// of one of them.
pub(crate) struct TableSize {
    pub(crate) parts: u64,
    pub(crate) set: u64,
    pub(crate) pieces: usize,
    pub(crate) pawns: usize,
}

impl TableSize {
    pub(crate) fn of(endgame: Endgame) -> TableSize {
        let material = &endgame.material;
        let pawns = Color::ALL.map(|color| material.count(Piece::new(color, PieceType::Pawn)));
        let pawns = pawns[0] + pawns[1];
        let pieces = material.piece_count();
        let men = 64u64.pow((pieces - pawns - 2) as u32);
        let any_kings = 64 * 64;
        let kings = match (pawns, endgame.piece_set.is_chess()) {
            (0, true) => KINGS,
            // Short-range pieces may have fewer symmetries.
            (0, false) => Shape::of_endgame(endgame)
                .map_or(any_kings, |shape| shape.any_domain().slices() as u64),
            _ => any_kings,
        };
        // Those that are their own mirror images are fewer than half.
        let parts = Placements::count(material) * 5 / 8 + 1;
        TableSize {
            parts: if pawns == 0 { 1 } else { parts },
            set: kings * men / 8,
            pieces,
            pawns,
        }
    }

    /// The slices of a set: the pairs of kings, unless there are pawns and too few men.
    pub(crate) fn slices(&self) -> u64 {
        match self.pawns {
            0 => KINGS,
            pawns if self.pieces - pawns - 2 < SLICED_MEN => 1,
            _ => 64 * 64,
        }
    }

    /// The most slots that it has with a side to move.
    pub(crate) fn slots(&self) -> u64 {
        8 * self.parts * self.set
    }

    /// The bytes of the codes of a part with a side to move.
    pub(crate) fn codes(&self, metric: Metric) -> u64 {
        self.set * most_planes(metric)
    }
}

impl CacheSize {
    /// What is kept while a table is solved: no more than there can be.
    pub(crate) fn of(shape: &Shape, metric: Metric) -> CacheSize {
        let domain = shape.any_domain();
        let size = CacheSize::new(match (shape.material().has_pawns(), domain.slices()) {
            // The slices of a part look at the same parts of smaller tables.
            (true, 2..) => 128 << 20,
            // Where parts are small, those that promotions lead to are large, and several parts share them.
            _ if domain.bytes() <= 64 << 10 => 48 << 20,
            _ => 24 << 20,
        });
        let there = match (shape.material().has_pawns(), domain.slices()) {
            (true, 2..) => (0..shape.parts())
                .map(|part| codes_from(shape, part, metric, size.largest))
                .max(),
            _ => Some(all_codes(shape, metric, size.largest)),
        };
        CacheSize {
            all: size.all.min(there.unwrap_or(0)),
            ..size
        }
    }
}

/// The bytes of the codes that the conversions out of a part lead to, of parts that have at most so many.
fn codes_from(shape: &Shape, part: usize, metric: Metric, most: u64) -> u64 {
    let (material, pawns) = (shape.material(), shape.pawns(part));
    let mut seen = HashSet::new();
    for side in Color::ALL {
        let captures = captures(shape, part, side).into_iter();
        let captures = captures.map(|(_, material, pawns)| (material, pawns, !side, true));
        let moves = steps(&material, pawns, side).into_iter().flat_map(|step| {
            let after = after_en_passant(&material, &step, side).into_iter();
            let after = after.map(|(material, pawns)| (material, pawns, side, false));
            after.chain([(step.material, step.pawns, !side, false)])
        });
        for (material, pawns, mover, moved) in captures.chain(moves) {
            let (name, swapped) = table_of(&material);
            let pawns = if swapped { pawns.turned() } else { pawns };
            // By the distance to zeroing, moves have the codes of positions.
            let moved = moved && metric != Metric::Dtz;
            seen.insert((name, pawns.canonical(), mover, swapped, moved));
        }
    }
    let each = seen.iter().filter(|(name, ..)| name.piece_count() > 2);
    let each = each.map(|&(name, ..)| TableSize::of(name.into()).codes(metric));
    each.filter(|&codes| codes <= most).sum()
}

/// The bytes of all codes that conversions out of a table lead to, of parts that have at most so many.
fn all_codes(shape: &Shape, metric: Metric, most: u64) -> u64 {
    let endgame = shape.endgame();
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
    let own = Color::ALL.into_iter().filter_map(|color| {
        let pawn = Piece::new(color, PieceType::Pawn);
        (material.count(pawn) > 0).then_some((endgame, !color))
    });
    let all: HashSet<(Endgame, Color)> = others.chain(own).collect();
    let sizes = || all.iter().map(|&(endgame, _)| TableSize::of(endgame));
    let small = sizes().filter(|size| size.codes(metric) <= most);
    let small: u64 = small.map(|size| size.parts * size.codes(metric)).sum();
    // By the distance to mate, those of moves to positions, and where pawns move, of positions.
    let times = match metric {
        _ if !material.has_pawns() => 1,
        Metric::Dtz => 1,
        _ => 2,
    };
    // What promotions to parts with pawns lead to, for all files.
    let promoted = sizes()
        .filter(|size| size.pawns > 0 && size.pieces == material.piece_count())
        .map(|size| size.parts * 8 * most_planes(metric) * shape.any_domain().bytes());
    times * small + promoted.sum::<u64>()
}
