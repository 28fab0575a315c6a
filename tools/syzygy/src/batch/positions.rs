//! The positions of a batch.

use cozy_chess::Color;

use super::board::PackedBoard;
use super::placed::Placed;
use crate::material::Material;
use crate::numbering::PackedSquares;

/// The positions of a batch. A slice of [`PackedBoard`]s is one.
#[derive(Clone, Copy, Debug)]
pub enum Positions<'p> {
    /// Positions of any materials.
    Boards(&'p [PackedBoard]),
    /// Squares of a material with this side to move. White is the first side of the material's name, and bytes past its
    /// pieces don't matter. Positions that aren't legal have no answer.
    Squares(Material, Color, &'p [PackedSquares]),
}

impl<'p, B: AsRef<[PackedBoard]> + ?Sized> From<&'p B> for Positions<'p> {
    fn from(boards: &'p B) -> Positions<'p> {
        Positions::Boards(boards.as_ref())
    }
}

impl Positions<'_> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Positions::Boards(boards) => boards.len(),
            Positions::Squares(_, _, squares) => squares.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The legal position of a number.
    ///
    /// # Panics
    /// If there is no position of this number.
    #[must_use]
    pub fn board(&self, number: usize) -> PackedBoard {
        match *self {
            Positions::Boards(boards) => boards[number],
            Positions::Squares(material, side, squares) => {
                PackedBoard::of(material, Placed::new(squares[number], side))
            }
        }
    }

    /// Asks about those of these numbers.
    ///
    /// # Panics
    /// If there is no position of a number.
    pub fn some<R>(&self, numbers: &[usize], ask: impl FnOnce(Positions<'_>) -> R) -> R {
        fn of<P: Copy>(all: &[P], numbers: &[usize]) -> Vec<P> {
            numbers.iter().map(|&number| all[number]).collect()
        }
        if numbers.len() == self.len() && numbers.is_sorted_by(|a, b| a < b) {
            return ask(*self);
        }
        match *self {
            Positions::Boards(boards) => ask(Positions::Boards(&of(boards, numbers))),
            Positions::Squares(material, side, squares) => {
                ask(Positions::Squares(material, side, &of(squares, numbers)))
            }
        }
    }
}
