//! A side of a table, as a log of plies has it.

use std::io;
use std::sync::Arc;

use tbindex::Color;

use super::{Found, PlyLog};
use crate::planes::{HasPlanes, Planes, Slab};
use crate::value::{Outcome, Value};

/// The log of a part's plies, as it is seen from a side to move.
#[derive(Debug)]
pub(crate) struct Logged {
    pub(crate) log: PlyLog,
    pub(crate) side: Color,
    /// The value of each code.
    pub(crate) values: Arc<Vec<Value>>,
    /// The number of rows of a slice.
    pub(crate) rows: usize,
}

impl HasPlanes for Logged {
    fn planes(&self, slice: usize) -> io::Result<Planes> {
        let mut planes = Planes::default();
        for found in [Found::Won, Found::Lost] {
            let (winner, wins) = match found {
                Found::Won => (self.side, true),
                Found::Lost => (!self.side, false),
            };
            for place in self.log.places(winner, found, slice) {
                let code = self.values.iter().position(|value| {
                    value.plies == place.plies
                        && value.outcome != Outcome::Draw
                        && (value.outcome > Outcome::Draw) == wins
                });
                let code = code.ok_or_else(|| io::Error::other("a ply without a value"))? as u16;
                let add = |slab: usize, these: &Slab| planes.add(slab, these, self.rows, code);
                (self.log.slabs(place, self.rows / 8, add)).map_err(io::Error::other)?;
            }
        }
        Ok(planes)
    }
}
