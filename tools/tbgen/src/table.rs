//! A solved table in memory, with every position's value in bit planes.

use std::{fmt, io};

use rayon::prelude::*;
use tbindex::bitbase::{self, Bitbase, Man, Row};
use tbindex::{Color, Material, MaterialError, Piece, PieceType, Position, Square};

use crate::planes::Planes;
use crate::shape::{Shape, table_of};

/// The outcome for the side to move, under the fifty-move rule and with the counter at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Outcome {
    /// The opponent wins.
    Loss = -2,
    /// The opponent would win if there were no fifty-move rule.
    BlessedLoss = -1,
    /// Nobody can win.
    Draw = 0,
    /// The side to move would win if there were no fifty-move rule.
    CursedWin = 1,
    /// The side to move wins.
    Win = 2,
}

/// The value of a position for the side to move.
///
/// The distance is the number of plies to the next capture or mate when the winner hurries and the loser
/// delays, and neither gives away the outcome. It is 1 if the winner can at once mate or capture into a
/// position lost for the other side, and 0 if the side to move is checkmated. Above 100 the fifty-move rule
/// interferes, and the win is cursed. A capture into a cursed win counts as 101.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// The outcome.
    pub outcome: Outcome,
    /// The plies to the next capture or mate, or 0 for a draw.
    pub plies: u16,
}

impl Value {
    /// A drawn position.
    pub const DRAW: Value = Value {
        outcome: Outcome::Draw,
        plies: 0,
    };

    /// A position won in that many plies.
    #[must_use]
    pub const fn win(plies: u16) -> Value {
        let outcome = if plies > 100 {
            Outcome::CursedWin
        } else {
            Outcome::Win
        };
        Value { outcome, plies }
    }

    /// A position lost in that many plies.
    #[must_use]
    pub const fn loss(plies: u16) -> Value {
        let outcome = if plies > 100 {
            Outcome::BlessedLoss
        } else {
            Outcome::Loss
        };
        Value { outcome, plies }
    }
}

/// `win in 5`, `cursed win in 103`, `draw`, `blessed loss in 104`, `loss in 6`, `checkmate`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.outcome, self.plies) {
            (Outcome::Draw, _) => f.write_str("draw"),
            (Outcome::Loss, 0) => f.write_str("checkmate"),
            (Outcome::Win, plies) => write!(f, "win in {plies}"),
            (Outcome::CursedWin, plies) => write!(f, "cursed win in {plies}"),
            (Outcome::BlessedLoss, plies) => write!(f, "blessed loss in {plies}"),
            (Outcome::Loss, plies) => write!(f, "loss in {plies}"),
        }
    }
}

/// One side to move of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// The value of each code. Code 0 is a draw, or no legal position.
    pub(crate) values: Vec<Value>,
    pub(crate) slices: Vec<Planes>,
}

/// The place of a position in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) side: Color,
    pub(crate) at: bitbase::Slot,
}

/// The reason why a position isn't in a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// The position has other pieces.
    #[error("the position has the material {found}, the table is of {expected}")]
    Material {
        /// The table's material.
        expected: Material,
        /// The position's material.
        found: Material,
    },
    /// The position has no material at all.
    #[error(transparent)]
    NoMaterial(#[from] MaterialError),
    /// The table is not among those that are there.
    #[error("the table of {0} is not there")]
    Missing(Material),
    /// The kings touch.
    #[error("the kings on {} and {} touch", .0[0], .0[1])]
    Kings([Square; 2]),
}

/// All values of a material, for both sides to move.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) shape: Shape,
    pub(crate) sides: [Side; 2],
}

impl Shape {
    /// The place of a position in this shape's tables. Its colours may be exchanged.
    pub(crate) fn slot(&self, position: &Position) -> Result<Slot, ProbeError> {
        let found = position.material()?;
        let (material, swapped) = table_of(&found);
        if material != self.material() {
            return Err(ProbeError::Material {
                expected: self.material(),
                found,
            });
        }
        self.slot_of(position.occupied(), position.side, swapped)
    }

    /// The place in this shape's tables of pieces on squares. They must be those of its material, after an
    /// exchange of colours if `swapped`.
    pub(crate) fn slot_of(
        &self,
        men: impl Iterator<Item = (Piece, Square)>,
        side: Color,
        swapped: bool,
    ) -> Result<Slot, ProbeError> {
        let mut kings = [Square::A1; 2];
        let own = self.domain().men();
        let mut squares: [Option<Square>; bitbase::MOST_PIECES] = [None; bitbase::MOST_PIECES];
        for (piece, square) in men {
            let piece = if swapped { piece.swap_color() } else { piece };
            if piece.kind == PieceType::King {
                kings[piece.color as usize] = square;
                continue;
            }
            let man = Man::from(piece);
            let free = (0..own.len()).find(|&k| own[k] == man && squares[k].is_none());
            if let Some(k) = free {
                squares[k] = Some(square);
            }
        }
        let squares = squares.map(|square| square.unwrap_or(Square::A1));
        let (at, _) = self
            .domain()
            .slot_of_squares(kings, &squares[..own.len()])
            .ok_or(ProbeError::Kings(kings))?;
        let side = if swapped { !side } else { side };
        Ok(Slot { side, at })
    }

    /// The position of a slot, whether legal or not, or `None` if two pieces share a square.
    pub(crate) fn position(&self, slot: Slot) -> Option<Position> {
        let position = self.domain().position(slot.at, slot.side);
        position.expect("all are pieces of chess")
    }
}

impl Table {
    /// The table's material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.shape.material()
    }

    /// The shape, by which the table's positions are numbered.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn code(&self, slot: Slot) -> u8 {
        let planes = &self.sides[slot.side as usize].slices[slot.at.slice];
        let (word, square) = ((slot.at.offset >> 6) as usize, slot.at.offset & 63);
        let words = planes.words(word);
        (0..8).fold(0, |code, bit| {
            code | ((words[bit] >> square & 1) as u8) << bit
        })
    }

    pub(crate) fn value_at(&self, slot: Slot) -> Value {
        self.sides[slot.side as usize].values[usize::from(self.code(slot))]
    }

    /// The value of a position of this material, or of the material with exchanged colours. The position
    /// must be legal; the value of an illegal one means nothing.
    ///
    /// # Errors
    /// If the position has other pieces, or the kings touch.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        Ok(self.value_at(self.shape.slot(position)?))
    }

    /// The positions whose value passes a test. Draws and illegal positions are left out.
    pub(crate) fn positions_with(
        &self,
        side: Color,
        test: impl Fn(Value) -> bool,
    ) -> io::Result<Bitbase> {
        let side = &self.sides[side as usize];
        let codes: Vec<usize> = (1..side.values.len())
            .filter(|&code| test(side.values[code]))
            .collect();
        let mut all = Bitbase::new(self.shape.domain())?;
        let slices = all.par_slices_mut().zip(&side.slices);
        slices.for_each(|(all, planes)| {
            let count = planes.0.len();
            for (row, out) in all.iter_mut().enumerate() {
                if planes.0.iter().all(|plane| plane[row].is_empty()) {
                    continue;
                }
                for &code in &codes {
                    // A code with a bit beyond the planes of this slice doesn't occur in the slice.
                    if code >> count != 0 {
                        continue;
                    }
                    let mut equal = Row::FULL;
                    for (bit, plane) in planes.0.iter().enumerate() {
                        equal &= if code >> bit & 1 != 0 {
                            plane[row]
                        } else {
                            !plane[row]
                        };
                    }
                    *out |= equal;
                }
            }
        });
        Ok(all)
    }
}
