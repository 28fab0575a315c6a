//! Positions after moves.

use super::endgame::{Child, Endgame, KINGS};
use super::placed::Placed;
use crate::material::Material;

/// The positions after moves of many positions of a material, by their own materials, each with the number of the position
/// before the move.
#[derive(Debug, Default)]
pub struct Children {
    /// For each of the materials to which moves lead, as far as they are needed.
    queues: Vec<(Vec<Placed>, Vec<u32>)>,
    /// The positions before moves that leave two kings.
    drawn: Vec<u32>,
}

impl Children {
    /// Adds a position after a capture or promotion from the position of this number.
    #[inline]
    pub fn push(&mut self, child: Child, placed: Placed, parent: usize) {
        match child.number {
            KINGS => self.drawn.push(parent as u32),
            number => self.push_to(number.into(), placed, parent),
        }
    }

    /// Adds a position after a move that is neither a capture nor a promotion.
    #[inline]
    pub fn push_same(&mut self, placed: Placed, parent: usize) {
        self.push_to(0, placed, parent);
    }

    #[inline]
    fn push_to(&mut self, number: usize, placed: Placed, parent: usize) {
        if number >= self.queues.len() {
            self.queues.resize_with(number + 1, Default::default);
        }
        let (rows, parents) = &mut self.queues[number];
        rows.push(placed);
        parents.push(parent as u32);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        let queues = self.queues.iter().map(|(rows, _)| rows.len());
        queues.sum::<usize>() + self.drawn.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of the positions before moves that leave two kings.
    #[must_use]
    pub fn drawn(&self) -> &[u32] {
        &self.drawn
    }

    /// The others, which are after moves of `endgame`, by their materials: positions as their tables see them, and the numbers
    /// of those before.
    pub fn of<'a>(
        &'a self,
        endgame: &'a Endgame,
    ) -> impl Iterator<Item = (Material, &'a [Placed], &'a [u32])> {
        let queues = endgame.materials.iter().zip(&self.queues);
        queues
            .filter(|(_, (rows, _))| !rows.is_empty())
            .map(|(&material, (rows, parents))| (material, &rows[..], &parents[..]))
    }
}
