//! A side of a table, as a checkpoint has it.

use std::io;
use std::sync::Arc;

use tbindex::Color;

use super::{Checkpoint, Found};
use crate::table::planes::{PlaneSource, Planes};
use crate::table::slab::Slab;
use crate::table::value::Value;

/// The checkpoint of a part's plies, as it is seen from a side to move.
#[derive(Debug)]
pub(crate) struct CheckpointSide {
    pub(crate) checkpoint: Arc<Checkpoint>,
    pub(crate) side: Color,
    /// The value of each code.
    pub(crate) values: Arc<Vec<Value>>,
    /// The number of rows of a slice.
    pub(crate) rows: usize,
}

impl PlaneSource for CheckpointSide {
    fn planes(&self, slice: usize) -> io::Result<Planes> {
        let mut planes = Planes::default();
        let damaged = |place, what: &str| io::Error::other(self.checkpoint.damaged(place, what));
        let mut last = None;
        for (found, winner, kind) in [(Found::Won, self.side, 1), (Found::Lost, !self.side, 2)] {
            for place in self.checkpoint.places(winner, found, slice) {
                let mut values = self.values.iter();
                let code =
                    values.position(|own| (own.kind(), own.plies) == (kind, place.ply.plies));
                let code = code.ok_or_else(|| damaged(place, "no value has its plies"))? as u16;
                let add = |slab: usize, these: &Slab| planes.add(slab, these, self.rows, code);
                (self.checkpoint.slabs(place, self.rows / 8, add)).map_err(io::Error::other)?;
                last = Some(place);
            }
        }
        match last {
            // Codes of a position that is found twice are mixed.
            Some(place) if !planes.are_below(self.values.len(), self.rows) => {
                let what = "a position up to here is found in more than one ply";
                Err(damaged(place, what))
            }
            _ => Ok(planes),
        }
    }
}
