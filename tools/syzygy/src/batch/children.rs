//! Positions after moves.

use super::endgame::{Child, Endgame, Endgames, KINGS};
use super::placed::Placed;

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

    /// Adds a position of the material with this place in [`Endgame::materials`].
    #[inline]
    pub(super) fn push_to(&mut self, number: usize, placed: Placed, parent: usize) {
        if number >= self.queues.len() {
            self.queues.resize_with(number + 1, Default::default);
        }
        let (rows, parents) = &mut self.queues[number];
        rows.push(placed);
        parents.push(parent as u32);
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        let queues = self.queues.iter().map(|(rows, _)| rows.len());
        queues.sum::<usize>() + self.drawn.len()
    }

    /// Calls a function with the number of the position before each move and the value after it: that of two kings, which is
    /// `drawn`, or one that is looked up with those of up to so many other positions of its material. `parent` is the material
    /// before the moves.
    pub fn for_each<V: Clone>(
        &self,
        (parent, endgames): (&Endgame, &Endgames),
        most: usize,
        drawn: V,
        look_up: impl Fn(&Endgame, &[Placed]) -> Vec<V>,
        mut each: impl FnMut(usize, V),
    ) {
        for &parent in &self.drawn {
            each(parent as usize, drawn.clone());
        }
        for (&material, (rows, parents)) in parent.materials.iter().zip(&self.queues) {
            for (rows, parents) in rows.chunks(most).zip(parents.chunks(most)) {
                let values = look_up(&endgames.get(material), rows);
                for (&parent, value) in parents.iter().zip(values) {
                    each(parent as usize, value);
                }
            }
        }
    }
}
