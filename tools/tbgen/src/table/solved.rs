//! A solved table in memory, with every position's value in bit planes.

use std::array::from_fn;
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use rayon::prelude::*;
use tbindex::bitbase::{Domain, Row};
use tbindex::{Color, Material, Position};

use crate::chess::error::ProbeError;
use crate::chess::piece_set::Endgame;
use crate::table::code_sets::CodeSets;
use crate::table::codes::Codes;
use crate::table::planes::Planes;
use crate::table::shape::Shape;
use crate::table::slab::{any, rows_of};
use crate::table::slices::{among, by_slices};
use crate::table::slots::Slot;
use crate::table::temp_file::TempFile;
use crate::table::value::{Metric, Value};

/// One side to move of a part of a table.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// The value of each code. Code 0 is a draw, or no legal position. By the distance to mate, codes that no position
    /// has may be there, as draws.
    pub values: Arc<Vec<Value>>,
    /// The codes of the slices.
    pub slices: Vec<Planes>,
}

impl Side {
    /// Keeps of each value the outcome.
    fn forget_distances(&mut self, rows: usize) -> io::Result<()> {
        let values = Value::OUTCOMES;
        let codes: [Codes; 4] =
            from_fn(|k| Codes::of(&self.values, |value| value.outcome == values[k + 1].outcome));
        self.slices.par_iter_mut().try_for_each(|planes| {
            let mut outcomes = Planes::default();
            let open = planes.open()?;
            for slab in 0..rows / 8 {
                let (found, count) = open.slabs_at(slab);
                for (code, codes) in (1..).zip(&codes).filter(|(_, c)| !c.is_empty()) {
                    let these = from_fn(|r| codes.among(&rows_of(&found, r)[..count]));
                    if any(&these) {
                        outcomes.add(slab, &these, rows, code);
                    }
                }
            }
            drop(open);
            *planes = outcomes;
            Ok::<(), io::Error>(())
        })?;
        self.values = Arc::new(values.to_vec());
        Ok(())
    }
}

/// The positions of a table with the pawns on the same squares.
#[derive(Clone, Debug)]
pub struct Part {
    /// The positions.
    pub domain: Domain,
    /// Both sides to move.
    pub sides: [Side; 2],
}

/// All values of a material, for both sides to move.
#[derive(Clone, Debug)]
pub struct Table {
    #[doc(hidden)]
    pub shape: Shape,
    #[doc(hidden)]
    pub metric: Metric,
    #[doc(hidden)]
    pub parts: Vec<Part>,
}

impl Table {
    /// The table's material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.shape.material()
    }

    /// The table with the letters of another piece_set, for an endgame of the same pieces. The tables that others lead to
    /// have to be in the letters of these.
    ///
    /// # Panics
    /// If the endgame has other pieces, or its colours are not normal.
    #[must_use]
    pub fn in_letters(self, endgame: Endgame) -> Table {
        assert_eq!(endgame.own(), self.shape.endgame().own(), "the same pieces");
        Table {
            shape: self.shape.in_letters(endgame),
            ..self
        }
    }

    /// The shape, by which the table's positions are numbered.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The metric.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// All values with a side to move, each once: a draw, wins, and losses, each by their plies.
    pub(crate) fn values(&self, side: Color) -> Vec<Value> {
        let parts = self.parts.iter();
        let all = parts.flat_map(|part| part.sides[side as usize].values.iter());
        let all: BTreeSet<_> = all.map(|own| (own.kind(), own.plies, *own)).collect();
        all.into_iter().map(|(.., value)| value).collect()
    }

    /// Puts the table, if it is large, into a file or, compressed, aside in memory; there, too, if it has thin slices. A value that is looked
    /// up is read and unpacked each time, so it is for tables that are kept for larger ones.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn pack(&mut self, temp_file: Option<&Arc<TempFile>>) -> io::Result<()> {
        if !self.shape.is_put_aside() {
            return Ok(());
        }
        let temp_file = temp_file.filter(|_| self.shape.is_worth_packing());
        let parts = self.parts.par_iter_mut();
        parts.try_for_each(|part| part.pack(temp_file, false))
    }

    #[doc(hidden)]
    pub fn value_at(&self, slot: Slot) -> io::Result<Value> {
        let side = &self.parts[slot.part].sides[slot.side as usize];
        let code = side.slices[slot.at.slice].code_at(slot.at.offset)?;
        Ok(side.values[usize::from(code)])
    }

    /// Calls a function with each number and the value of its slot. They are sorted, so that each slice is decoded once.
    pub(crate) fn each_value(
        &self,
        slots: &mut [(Slot, u32)],
        mut each: impl FnMut(u32, Value),
    ) -> io::Result<()> {
        let slice_of = |slot: Slot| (slot.part, slot.side as usize, slot.at.slice);
        slots.sort_unstable_by_key(|(slot, _)| (slice_of(*slot), slot.at.offset));
        for of_slice in slots.chunk_by(|a, b| slice_of(a.0) == slice_of(b.0)) {
            let (part, side, slice) = slice_of(of_slice[0].0);
            let side = &self.parts[part].sides[side];
            let planes = side.slices[slice].open()?;
            for &(slot, number) in of_slice {
                each(
                    number,
                    side.values[usize::from(planes.code_at(slot.at.offset)?)],
                );
            }
        }
        Ok(())
    }

    /// Whether the slot of an illegal position has a value. The number that a file has there means nothing.
    pub(crate) fn knows_illegal(&self, slot: Slot) -> Result<bool, ProbeError> {
        let side = &self.parts[slot.part].sides[slot.side as usize];
        let in_file = side.slices[slot.at.slice].is_elsewhere();
        Ok(!in_file && self.value_at(slot)? != Value::DRAW)
    }

    /// Forgets the distances. The rest takes less room, and is enough for the tables that lead to this one, of
    /// the distance to zeroing.
    ///
    /// # Errors
    /// If the table was put into a temporary file, and that can't be read.
    ///
    /// # Panics
    /// If the table has distances to mate.
    pub fn forget_distances(&mut self) -> io::Result<()> {
        assert_eq!(self.metric, Metric::Dtz, "distances to zeroing");
        let parts = self.parts.par_iter_mut();
        parts.try_for_each(|part| {
            let rows = part.domain.rows();
            let sides = part.sides.par_iter_mut();
            sides.try_for_each(|side| side.forget_distances(rows))
        })
    }

    /// The value of a position of this material, or of the material with exchanged colours. The position
    /// must be legal; the value of an illegal one means nothing.
    ///
    /// # Errors
    /// If the position has other pieces, or the kings touch.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        Ok(self.value_at(self.shape.slot(position)?)?)
    }
}

impl Part {
    /// Puts the part into a file or, compressed, aside in memory. Planes that are made when they are wanted stay, unless `all` are
    /// put aside: then they need what they come from no more.
    pub(crate) fn pack(&mut self, temp_file: Option<&Arc<TempFile>>, all: bool) -> io::Result<()> {
        let rows = self.domain.rows();
        let slices = (self.sides.par_iter_mut()).flat_map(|side| &mut side.slices);
        slices.try_for_each(|planes| {
            if all && planes.is_elsewhere() {
                *planes = planes.open()?.into_owned();
            }
            planes.pack(rows, temp_file)
        })
    }

    /// Makes sets those of the planes of the codes with a side to move, in the slices that are wanted.
    pub(crate) fn planes_into(
        &self,
        side: Color,
        sets: &mut CodeSets,
        wanted: impl Fn(usize) -> bool,
    ) -> io::Result<()> {
        sets.clear();
        let slices = self.sides[side as usize].slices.iter().enumerate();
        for (number, planes) in slices.filter(|(number, _)| wanted(*number)) {
            planes.open_into(sets, &self.domain, number)?;
        }
        Ok(())
    }

    /// Makes sets, for each test, the positions with a side to move whose value passes it, in the slices that are chosen, or
    /// in all if none are. Draws and illegal positions are left out.
    pub(crate) fn positions_by(
        &self,
        side: Color,
        chosen: Option<&[bool]>,
        tests: &[impl Fn(Value) -> bool],
        sets: &mut CodeSets,
    ) -> io::Result<()> {
        let side = &self.sides[side as usize];
        let codes: Vec<Codes> = (tests.iter())
            .map(|test| Codes::of(&side.values, test))
            .collect();
        sets.clear();
        for _ in tests {
            sets.push(&self.domain)?;
        }
        let slices = self.domain.slices();
        let mut rows = by_slices(sets.planes_mut(), slices);
        let fill = |out: &mut [&mut [Row]], planes: &Planes| -> io::Result<()> {
            let planes = planes.open()?;
            let count = planes.count();
            for at in 0..self.domain.rows() {
                let rows = planes.rows_at(at);
                for (out, codes) in out.iter_mut().zip(&codes).filter(|(_, c)| !c.is_empty()) {
                    out[at] = codes.among(&rows[..count]);
                }
            }
            Ok(())
        };
        if slices == 1 {
            return fill(&mut rows[0], &side.slices[0]);
        }
        among(rows.iter_mut().zip(&side.slices), chosen)
            .try_for_each(|(_, (out, planes))| fill(out, planes))
    }
}
