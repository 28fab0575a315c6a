//! A solved table in memory, with every position's value in bit planes.

use std::sync::Arc;
use std::{fmt, io};

use rayon::prelude::*;
use tbindex::bitbase::{Bitbase, Domain, Row};
use tbindex::{Color, Material, MaterialError, Position, Square};

use crate::planes::{Planes, rows_with};
use crate::shape::{Shape, Slot};

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

/// What the distance of a value counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// The plies to the next capture, move of a pawn, or mate, under the fifty-move rule.
    #[default]
    Dtz,
    /// The plies to mate, without the fifty-move rule.
    Dtm,
}

impl Metric {
    /// The name, `dtz` or `dtm`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Dtz => "dtz",
            Metric::Dtm => "dtm",
        }
    }

    /// A position won in that many plies.
    #[must_use]
    pub const fn win(self, plies: u16) -> Value {
        let cursed = matches!(self, Metric::Dtz) && plies > 100;
        let outcome = if cursed {
            Outcome::CursedWin
        } else {
            Outcome::Win
        };
        Value { outcome, plies }
    }

    /// A position lost in that many plies.
    #[must_use]
    pub const fn loss(self, plies: u16) -> Value {
        let cursed = matches!(self, Metric::Dtz) && plies > 100;
        let outcome = if cursed {
            Outcome::BlessedLoss
        } else {
            Outcome::Loss
        };
        Value { outcome, plies }
    }

    /// The worth of a move for the side that makes it, if it leads to a position with this value for the other
    /// side. A *zeroing* move is a capture or a move of a pawn; the distance to mate does not ask.
    #[must_use]
    pub const fn after_move(self, value: Value, zeroing: bool) -> Value {
        let counted = !zeroing || matches!(self, Metric::Dtm);
        match (value.outcome, counted) {
            (Outcome::Draw, _) => Value::DRAW,
            (Outcome::Loss, false) => Value::win(1),
            (Outcome::BlessedLoss, false) => Value::win(101),
            (Outcome::Loss | Outcome::BlessedLoss, true) => self.win(value.plies + 1),
            (Outcome::Win, false) => Value::loss(1),
            (Outcome::CursedWin, false) => Value::loss(101),
            (Outcome::Win | Outcome::CursedWin, true) => self.loss(value.plies + 1),
        }
    }
}

/// The value of a position for the side to move.
///
/// By the distance to zeroing, [`Metric::Dtz`]:

/// The distance is the number of plies to the next *zeroing* move, which is a capture or a move of a pawn, or to
/// mate, when the winner hurries and the loser delays, and neither gives away the outcome. It is 1 if the winner
/// can at once mate or zero into a position lost for the other side, and 0 if the side to move is checkmated.
/// Above 100 the fifty-move rule interferes, and the win is cursed. A zeroing move into a cursed win counts as
/// 101.
///
/// By the distance to mate, [`Metric::Dtm`], it is the number of plies to mate, whatever moves lead there, and no
/// win is cursed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value {
    /// The outcome.
    pub outcome: Outcome,
    /// The plies to the next zeroing move or mate, or 0 for a draw.
    pub plies: u16,
}

impl Value {
    /// A drawn position.
    pub const DRAW: Value = Value {
        outcome: Outcome::Draw,
        plies: 0,
    };

    /// A position won in that many plies, under the fifty-move rule.
    #[must_use]
    pub const fn win(plies: u16) -> Value {
        Metric::Dtz.win(plies)
    }

    /// A position lost in that many plies, under the fifty-move rule.
    #[must_use]
    pub const fn loss(plies: u16) -> Value {
        Metric::Dtz.loss(plies)
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

/// One side to move of a part of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// The value of each code. Code 0 is a draw, or no legal position.
    pub(crate) values: Arc<Vec<Value>>,
    pub(crate) slices: Vec<Planes>,
}

/// The positions of a table with the pawns on the same squares.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) domain: Domain,
    pub(crate) sides: [Side; 2],
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
    pub(crate) metric: Metric,
    pub(crate) parts: Vec<Part>,
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

    /// What the distances count.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Compresses the table in memory. What is looked up is decompressed each time, so it is for tables that are
    /// kept for larger ones.
    pub fn pack(&mut self) {
        self.parts.par_iter_mut().for_each(Part::pack);
    }

    /// Decompresses the table in memory, for many look-ups.
    pub fn unpack(&mut self) {
        self.parts.par_iter_mut().for_each(Part::unpack);
    }

    pub(crate) fn value_at(&self, slot: Slot) -> Value {
        let side = &self.parts[slot.part].sides[slot.side as usize];
        let planes = side.slices[slot.at.slice].open();
        let (word, square) = ((slot.at.offset >> 6) as usize, slot.at.offset & 63);
        let words = planes.words(word);
        let code = (0..8).fold(0, |code, bit| {
            code | ((words[bit] >> square & 1) as usize) << bit
        });
        side.values[code]
    }

    /// The value of a position of this material, or of the material with exchanged colours. The position
    /// must be legal; the value of an illegal one means nothing.
    ///
    /// # Errors
    /// If the position has other pieces, or the kings touch.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        Ok(self.value_at(self.shape.slot(position)?))
    }
}

/// The number of rows of a slice from which it is compressed in memory.
const WORTH_PACKING: usize = 512;

impl Part {
    /// Compresses the part in memory.
    pub(crate) fn pack(&mut self) {
        let rows = self.domain.rows();
        if rows < WORTH_PACKING {
            return;
        }
        let slices = self.sides.iter_mut().flat_map(|side| &mut side.slices);
        slices.for_each(|planes| planes.pack(rows));
    }

    fn unpack(&mut self) {
        let slices = self.sides.iter_mut().flat_map(|side| &mut side.slices);
        slices.for_each(|planes| *planes = planes.open().into_owned());
    }

    /// The planes of the codes with a side to move, as sets.
    pub(crate) fn planes(&self, side: Color) -> io::Result<Vec<Bitbase>> {
        let side = &self.sides[side as usize];
        let mut sets = Vec::new();
        let rows = self.domain.rows();
        for (number, planes) in side.slices.iter().enumerate() {
            let planes = planes.open();
            while sets.len() < planes.count() {
                sets.push(Bitbase::new(&self.domain)?);
            }
            for (bit, set) in sets.iter_mut().enumerate().take(planes.count()) {
                let slice = &mut set.rows_mut()[number * rows..(number + 1) * rows];
                for (at, out) in slice.iter_mut().enumerate() {
                    *out = planes.row(bit, at);
                }
            }
        }
        Ok(sets)
    }

    /// The positions whose value passes a test. Draws and illegal positions are left out.
    pub(crate) fn positions_with(
        &self,
        side: Color,
        test: impl Fn(Value) -> bool,
    ) -> io::Result<Bitbase> {
        let [all] = self.positions_by(side, [&test])?;
        Ok(all)
    }

    /// For each test the positions whose value passes it. Draws and illegal positions are left out.
    pub(crate) fn positions_by<const N: usize>(
        &self,
        side: Color,
        tests: [&dyn Fn(Value) -> bool; N],
    ) -> io::Result<[Bitbase; N]> {
        let side = &self.sides[side as usize];
        let codes = tests.map(|test| -> Vec<bool> {
            let values = side.values.iter().enumerate();
            values
                .map(|(code, &value)| code > 0 && test(value))
                .collect()
        });
        let mut sets = Vec::new();
        for _ in 0..N {
            sets.push(Bitbase::new(&self.domain)?);
        }
        let slices = self.domain.slices();
        let mut rows: Vec<Vec<&mut [Row]>> = (0..slices).map(|_| Vec::new()).collect();
        for set in &mut sets {
            for (rows, slice) in rows.iter_mut().zip(set.slices_mut()) {
                rows.push(slice);
            }
        }
        let fill = |out: &mut [&mut [Row]], planes: &Planes| {
            let planes = planes.open();
            let count = planes.count();
            for at in 0..self.domain.rows() {
                let rows: [Row; 8] = std::array::from_fn(|bit| planes.row(bit, at));
                if rows.iter().all(Row::is_empty) {
                    continue;
                }
                for (out, codes) in out.iter_mut().zip(&codes) {
                    out[at] = rows_with(&rows[..count], Row::FULL, codes);
                }
            }
        };
        if slices == 1 {
            fill(&mut rows[0], &side.slices[0]);
        } else {
            let slices = rows.par_iter_mut().zip(&side.slices);
            slices.for_each(|(out, planes)| fill(out, planes));
        }
        drop(rows);
        let sets: Result<[Bitbase; N], _> = sets.try_into();
        Ok(sets.expect("a set for each test"))
    }
}
