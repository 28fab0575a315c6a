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
        let mut groups: Vec<Group> = Vec::new();
        let mut by_material = HashMap::new();
        // Of all counts that were met, the group and whether colours are exchanged.
        let mut known: HashMap<u64, Option<(usize, bool)>> = HashMap::new();
        let mut last = (0, None);
        for (number, board) in boards.iter().enumerate() {
            let counts = board.counts();
            if counts != last.0 {
                let found = *known.entry(counts).or_insert_with(|| {
                    let (material, exchanged) = Material::of_pieces(board.pieces())?;
                    let group = *by_material.entry(material).or_insert_with(|| {
                        groups.push(Group {
                            endgame: endgames.get(material),
                            rows: Vec::new(),
                            numbers: Vec::new(),
                        });
                        groups.len() - 1
                    });
                    Some((group, exchanged))
                });
                last = (counts, found);
            }
            if let Some((group, exchanged)) = last.1 {
                let group = &mut groups[group];
                group.rows.push(board.place(&group.endgame, exchanged));
                group.numbers.push(number as u32);
            }
        }
        groups
    }
}
