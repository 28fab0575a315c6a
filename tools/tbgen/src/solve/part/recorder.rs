//! Where the values of positions go as they are found: into bit planes in memory, or into a checkpoint.

use std::sync::Arc;

use tbindex::Color;
use tbindex::bitbase::{Domain, FrontierSlice};

use crate::storage::checkpoint::{Checkpoint, CheckpointSide, Found, Place, Ply};
use crate::subtables::gathered::FrontiersSlice;
use crate::subtables::library::SolveError;
use crate::subtables::solved::Solved;
use crate::table::codes::{MOST_CODES, code_of};
use crate::table::planes::{PlaneSource, Planes};
use crate::table::solved::{Part, Side};
use crate::table::value::{Metric, Value};

/// The number of values from which a side needs its seventh plane. From there on, memory gets ever shorter.
const MANY_VALUES: usize = 64;

/// The values of a part as they are found.
pub(super) struct Recorder<'a> {
    pub(super) solved: &'a Solved<'a>,
    pub(super) checkpoint: Option<Arc<Checkpoint>>,
    /// The values of the codes with each side to move.
    pub(super) values: [Arc<Vec<Value>>; 2],
}

impl Recorder<'_> {
    /// How far the half in which this side wins was when the work was begun before.
    pub(super) fn reached(&self, winner: Color) -> Option<Place> {
        self.checkpoint.as_ref()?.reached(winner)
    }

    /// Whether memory is so short that sets give theirs back as soon as they can.
    pub(super) fn is_short(&self) -> bool {
        let many = |values: &Arc<Vec<Value>>| values.len() >= MANY_VALUES;
        self.checkpoint.is_some() || self.values.iter().any(many)
    }

    /// Gives the values that are found first their codes.
    pub(super) fn begin(&mut self, loser: Color) -> Result<(), SolveError> {
        let metric = self.solved.metric;
        match metric {
            // Of a side that can't be mated, the codes are not used.
            Metric::Dtz if self.checkpoint.is_none() => {
                (0..2).try_for_each(|plies| self.push(loser, metric.loss(plies)))
            }
            _ => Ok(()),
        }
    }

    /// Records the positions of a slice that a ply found, into the planes of the slice or a checkpoint, and returns their number
    /// if there is one.
    pub(super) fn record(
        &self,
        ply: Ply,
        slice: usize,
        new: &FrontiersSlice<'_>,
        planes: &mut Planes,
        buffer: &mut Vec<u8>,
    ) -> Result<u64, SolveError> {
        // All positions of the ply have the code of one solution, and then some get that of several.
        let positions = self.record_all(ply, slice, &new.all, planes, buffer)?;
        if let Some(several) = &new.several {
            self.record_all(ply.several(), slice, several, planes, buffer)?;
        }
        Ok(positions)
    }

    fn record_all(
        &self,
        ply: Ply,
        slice: usize,
        new: &FrontierSlice<'_>,
        planes: &mut Planes,
        buffer: &mut Vec<u8>,
    ) -> Result<u64, SolveError> {
        if let Some(checkpoint) = &self.checkpoint {
            return Ok(checkpoint.append(ply, slice, new, buffer)?);
        }
        if !new.is_empty() {
            let code = self.code_of(ply.side(), ply.value(self.solved.metric))?;
            let rows = self.solved.shape.any_domain().rows();
            planes.record(new, rows, code, self.solved.backend);
        }
        Ok(0)
    }

    /// Notes that a ply found anything.
    pub(super) fn found(&mut self, ply: Ply) -> Result<(), SolveError> {
        let (side, metric) = (ply.side(), self.solved.metric);
        let kinds = 1 + usize::from(metric.victim().is_some());
        for ply in [ply, ply.several()].into_iter().take(kinds) {
            let value = ply.value(metric);
            match self.checkpoint {
                None => self.push(side, value)?,
                // A checkpoint could say it, but larger tables, which have codes, could not be built upon it.
                Some(_) if metric != Metric::Dtz => self.code_of(side, value).map(|_| ())?,
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Notes that a ply is complete, or with it a half.
    pub(super) fn complete(&self, winner: Color, plies: u16, all: bool) -> Result<(), SolveError> {
        match &self.checkpoint {
            Some(checkpoint) => Ok(checkpoint.complete(winner, plies, all)?),
            None => Ok(()),
        }
    }

    /// The part of a domain with these planes, unless a checkpoint makes them when they are asked for.
    pub(super) fn part(
        mut self,
        domain: Domain,
        mut planes: [Vec<Planes>; 2],
    ) -> Result<Part, SolveError> {
        if let Some(checkpoint) = self.checkpoint.take() {
            for side in Color::ALL {
                planes[side as usize] = self.take_side(&checkpoint, &domain, side)?;
            }
        }
        // Of many parts, these lists are the most that is kept.
        for values in &mut self.values {
            if let Some(values) = Arc::get_mut(values) {
                values.shrink_to_fit();
            }
        }
        let ([white, black], [of_white, of_black]) = (self.values, planes);
        let sides = [(white, of_white), (black, of_black)];
        Ok(Part {
            domain,
            sides: sides.map(|(values, slices)| Side { values, slices }),
        })
    }

    /// Takes the values of a side as a checkpoint has them, and returns the planes that it makes of them.
    fn take_side(
        &mut self,
        checkpoint: &Arc<Checkpoint>,
        domain: &Domain,
        side: Color,
    ) -> Result<Vec<Planes>, SolveError> {
        let metric = self.solved.metric;
        let wins = checkpoint.plies(side, Found::Won).into_iter();
        let found: Vec<Value> = match metric {
            // Positions with several solutions are among all of the ply, so their codes have the bits of both.
            Metric::HelpWhite | Metric::HelpBlack => wins
                .flat_map(|plies| [true, false].map(|one| Value::help(plies, one)))
                .collect(),
            Metric::Dtz | Metric::Dtm => {
                // As planes have them.
                let always = match metric == Metric::Dtz && self.solved.shape.can_win(!side) {
                    true => 2,
                    false => 0,
                };
                let losses = checkpoint.plies(!side, Found::Lost).into_iter();
                let losses = (0..always).chain(losses.filter(|&plies| plies >= always));
                let losses = losses.map(|plies| metric.loss(plies));
                wins.map(|plies| metric.win(plies)).chain(losses).collect()
            }
        };
        for value in found {
            // Where a damaged checkpoint has a ply without a code, its planes say so.
            if metric == Metric::Dtz || code_of(metric, value, side).is_some() {
                self.push(side, value)?;
            }
        }
        let source: Arc<dyn PlaneSource> = Arc::new(CheckpointSide {
            checkpoint: Arc::clone(checkpoint),
            side,
            values: Arc::clone(&self.values[side as usize]),
            rows: domain.rows(),
        });
        let slices = 0..domain.slices();
        let slices = slices.map(|slice| Planes::elsewhere(Arc::clone(&source), slice));
        Ok(slices.collect())
    }

    /// Gives a value its code, if it has none.
    fn push(&mut self, side: Color, value: Value) -> Result<(), SolveError> {
        let code = usize::from(self.code_of(side, value)?);
        let values = &mut self.values[side as usize];
        if values.get(code) != Some(&value) {
            let values = Arc::make_mut(values);
            values.resize(values.len().max(code + 1), Value::DRAW);
            values[code] = value;
        }
        Ok(())
    }

    /// The code of a value, or the one that it will get.
    fn code_of(&self, side: Color, value: Value) -> Result<u16, SolveError> {
        let code = match self.solved.metric {
            Metric::Dtz => {
                let values = &self.values[side as usize];
                let code = values.iter().position(|&there| there == value);
                let code = code.unwrap_or(values.len());
                (code < MOST_CODES).then_some(code as u16)
            }
            metric => code_of(metric, value, side),
        };
        code.ok_or_else(|| self.solved.too_many())
    }
}
