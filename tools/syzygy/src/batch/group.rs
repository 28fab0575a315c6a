//! Positions of any materials, by material.

use std::sync::Arc;

use super::board::PackedBoard;
use super::endgame::{Endgame, Endgames};
use super::placed::Placed;
use crate::material::{Material, MaterialMap};

/// Positions of one material, and their numbers in the batch.
#[derive(Debug)]
pub struct Group {
    /// The material.
    pub endgame: Arc<Endgame>,
    /// The positions as its table sees them.
    pub rows: Vec<Placed>,
    /// The number of each in the batch.
    pub numbers: Vec<u32>,
}

impl Group {
    /// Positions by material; those of two kings are left out.
    #[must_use]
    pub fn all(boards: &[PackedBoard], endgames: &Endgames) -> Vec<Group> {
        if let [board] = boards {
            let placed = board.placed(endgames).into_iter();
            let group = placed.map(|(endgame, placed)| Group {
                endgame,
                rows: vec![placed],
                numbers: vec![0],
            });
            return group.collect();
        }
        /// Of two kings; the numbers of all materials are far below it.
        const NONE: u16 = u16::MAX;
        const RECENT_BITS: u32 = 11;
        let mut groups: Vec<Group> = Vec::new();
        let mut sizes = Vec::new();
        let mut by_material = MaterialMap::default();
        // Of the counts that were met last, twice the group's number, and one more where colours are exchanged.
        let mut recent = [(0, NONE); 1 << RECENT_BITS];
        let kinds = boards.iter().map(|board| {
            let counts = board.counts();
            let hash = counts.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let recent = &mut recent[(hash >> (64 - RECENT_BITS)) as usize];
            if counts != recent.0 {
                let found = Material::of_pieces(board.pieces());
                let kind = found.map_or(NONE, |(material, exchanged)| {
                    let group = *by_material.entry(material).or_insert_with(|| {
                        groups.push(Group {
                            endgame: endgames.get(material),
                            rows: Vec::new(),
                            numbers: Vec::new(),
                        });
                        sizes.push(0);
                        sizes.len() - 1
                    });
                    (group << 1) as u16 | u16::from(exchanged)
                });
                *recent = (counts, kind);
            }
            if let Some(size) = sizes.get_mut(usize::from(recent.1 >> 1)) {
                *size += 1;
            }
            recent.1
        });
        let kinds: Vec<u16> = kinds.collect();
        for (group, size) in groups.iter_mut().zip(sizes) {
            group.rows.reserve_exact(size);
            group.numbers.reserve_exact(size);
        }
        for ((number, board), kind) in (0..).zip(boards).zip(kinds) {
            if let Some(group) = groups.get_mut(usize::from(kind >> 1)) {
                group.rows.push(board.place(&group.endgame, kind & 1 != 0));
                group.numbers.push(number);
            }
        }
        groups
    }
}
