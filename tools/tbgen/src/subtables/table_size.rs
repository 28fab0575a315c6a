//! How large solved tables are for those that lead to them, and how much of them is kept at hand.

use std::collections::{HashMap, HashSet};

use tbindex::{Color, Piece, PieceType};

use crate::chess::dependencies::pawns;
use crate::chess::pawns::Placements;
use crate::chess::pawns::steps;
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
#[derive(Debug)]
pub struct TableSize {
    /// The most parts.
    pub parts: u64,
    /// The bytes of a set of a part.
    pub set: u64,
    /// The most slots with a side to move.
    pub slots: u64,
    pub(crate) pieces: usize,
    pub(crate) pawns: usize,
    mate_planes: u64,
}

/// The most planes of codes that say the distance to mate.
pub(crate) fn mate_planes(endgame: Endgame) -> u64 {
    let material = endgame.material;
    let is_minor = |of: Piece| matches!(of.kind, PieceType::Bishop | PieceType::Knight);
    match (endgame.piece_set.is_chess(), material.piece_count()) {
        (true, 3) if material.name_order().any(is_minor) => 0,
        // No mate takes more than 31 moves, or 63.
        (true, 3) => 6,
        (true, 4) => 7,
        _ => most_planes(Metric::Dtm),
    }
}

impl TableSize {
    /// The size of the table of an endgame.
    #[must_use]
    pub fn of(endgame: Endgame) -> TableSize {
        let material = &endgame.material;
        let pawns = pawns(material);
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
        // Placements that are their own mirror images are fewer than half.
        let parts = match pawns {
            0 => 1,
            _ => Placements::count(material) * 5 / 8 + 1,
        };
        TableSize {
            parts,
            set: match pawns {
                // A slice of one man takes as much as one of two.
                0 => kings * men.max(64 * 64) / 8,
                _ => kings * men / 8,
            },
            slots: parts * kings * men,
            pieces,
            pawns,
            mate_planes: mate_planes(endgame),
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

    /// The bytes of the codes of a part with a side to move.
    #[must_use]
    pub fn codes(&self, metric: Metric) -> u64 {
        self.set * most_planes(metric).min(self.mate_planes)
    }
}

impl CacheSize {
    /// The memory that is kept while a table is solved: no more than there can be.
    #[must_use]
    pub fn of(shape: &Shape, metric: Metric) -> CacheSize {
        let domain = shape.any_domain();
        let sliced = shape.material().has_pawns() && domain.slices() > 1;
        let size = CacheSize::new(match domain.bytes() {
            // The slices of a part look at the same parts of smaller tables.
            _ if sliced => 128 << 20,
            // Where parts are small, those that promotions lead to are large, and several parts share them.
            ..=65_536 => 48 << 20,
            _ => 24 << 20,
        });
        let all: Vec<usize> = (0..shape.parts()).collect();
        let together = if sliced { 1 } else { all.len() };
        let there = all
            .chunks(together)
            .map(|parts| size.of_parts(shape, parts, metric));
        CacheSize {
            all: there.max().unwrap_or(0),
            ..size
        }
    }

    /// The bytes of the codes that conversions out of some parts lead to, of those that are kept.
    fn of_parts(self, shape: &Shape, parts: &[usize], metric: Metric) -> u64 {
        let material = shape.material();
        let (mut seen, mut sizes) = (HashSet::new(), HashMap::new());
        let mut all = 0;
        for (&part, side) in parts
            .iter()
            .flat_map(|part| Color::ALL.map(|side| (part, side)))
        {
            if all >= self.all {
                break;
            }
            let captures = captures(shape, part, side).into_iter();
            let captures = captures.map(|(_, material, pawns)| (material, pawns, !side, true));
            let moves = steps(&material, shape.pawns(part), side).into_iter();
            let moves = moves.flat_map(|step| {
                let after = (step.passed.into_iter())
                    .flat_map(move |passed| after_en_passant(&material, step.pawns, passed, side));
                let after = after.map(|(material, pawns)| (material, pawns, side, false));
                after.chain([(step.material, step.pawns, !side, false)])
            });
            for (material, pawns, mover, moved) in captures.chain(moves) {
                let (name, swapped) = table_of(&material);
                let pawns = if swapped { pawns.turned() } else { pawns };
                // By the distance to zeroing, moves have the codes of positions.
                let moved = moved && metric != Metric::Dtz;
                if name.piece_count() > 2
                    && seen.insert((name, pawns.canonical(), mover, swapped, moved))
                {
                    let size = sizes.entry(name).or_insert_with(|| {
                        let endgame = Endgame {
                            material: name,
                            ..shape.endgame()
                        };
                        TableSize::of(endgame)
                    });
                    let promoted =
                        name != shape.material() && size.pieces == shape.material().piece_count();
                    let views = match promoted && size.pawns > 0 {
                        // The results of promotions to such a part, for all files.
                        true => 8 * most_planes(metric) * shape.any_domain().bytes(),
                        false => 0,
                    };
                    let kept = [size.codes(metric), views].into_iter();
                    all += kept.filter(|&bytes| bytes <= self.largest).sum::<u64>();
                }
            }
        }
        all.min(self.all)
    }
}
