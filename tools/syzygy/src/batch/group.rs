//! Positions of any materials, by material.

use std::collections::HashMap;
use std::sync::Arc;

use super::board::PackedBoard;
use super::endgame::{Endgame, Endgames};
use super::placed::Placed;
use crate::material::Material;

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
        /// Of two kings; the numbers of all materials are far below it.
        const NONE: u16 = u16::MAX;
        const RECENT_BITS: u32 = 10;
        let mut materials = Vec::new();
        let mut by_material = HashMap::new();
        // Of all counts that were met, twice the group's number, and one more where colours are exchanged.
        let mut known: HashMap<u64, u16> = HashMap::new();
        let mut sizes = Vec::new();
        // Those that were met last, by some of their bits.
        let mut recent = [(0, NONE); 1 << RECENT_BITS];
        let mut kind_of = |board: &PackedBoard| {
            let counts = board.counts();
            let hash = counts.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let recent = &mut recent[(hash >> (64 - RECENT_BITS)) as usize];
            if counts != recent.0 {
                let kind = *known.entry(counts).or_insert_with(|| {
                    let Some((material, exchanged)) = Material::of_pieces(board.pieces()) else {
                        return NONE;
                    };
                    let group = *by_material.entry(material).or_insert_with(|| {
                        materials.push(material);
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
        };
        let kinds: Vec<u16> = boards.iter().map(&mut kind_of).collect();
        let groups = materials
            .iter()
            .zip(&sizes)
            .map(|(&material, &size)| Group {
                endgame: endgames.get(material),
                rows: Vec::with_capacity(size),
                numbers: Vec::with_capacity(size),
            });
        let mut groups: Vec<Group> = groups.collect();
        for ((number, board), kind) in (0..).zip(boards).zip(kinds) {
            if let Some(group) = groups.get_mut(usize::from(kind >> 1)) {
                group.rows.push(board.place(&group.endgame, kind & 1 != 0));
                group.numbers.push(number);
            }
        }
        groups
    }
}
