//! Positions after captures and promotions.

use super::endgame::{Child, Endgame};
use super::placed::Placed;
use crate::material::Material;

/// The positions after captures and promotions of many positions of a material, by their own materials, each with the number
/// of the position before the move.
#[derive(Debug)]
pub struct Children {
    /// For each child of the material.
    queues: Vec<(Vec<Placed>, Vec<u32>)>,
    /// The positions before moves that leave two kings.
    drawn: Vec<u32>,
}

impl Children {
    /// None yet, of this material.
    #[must_use]
    pub fn new(endgame: &Endgame) -> Children {
        Children {
            queues: vec![Default::default(); endgame.children.len()],
            drawn: Vec::new(),
        }
    }

    /// Adds a position after a move from the position of this number.
    #[inline]
    pub fn push(&mut self, child: Child, placed: Placed, parent: usize) {
        match self.queues.get_mut(usize::from(child.number)) {
            Some((rows, parents)) => {
                rows.push(placed);
                parents.push(parent as u32);
            }
            None => self.drawn.push(parent as u32),
        }
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

    /// The others, by the materials that `endgame`, for which they were made, leads to: positions as their tables see them,
    /// and the numbers of those before.
    pub fn of<'a>(
        &'a self,
        endgame: &'a Endgame,
    ) -> impl Iterator<Item = (Material, &'a [Placed], &'a [u32])> {
        let queues = endgame.children.iter().zip(&self.queues);
        queues
            .filter(|(_, (rows, _))| !rows.is_empty())
            .map(|(&material, (rows, parents))| (material, &rows[..], &parents[..]))
    }
}
