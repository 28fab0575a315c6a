//! What crosses between the processes that have the slices: where positions were lost, for the winner's king moves.

use rayon::prelude::*;

use super::Solver;
use super::half::Half;
use crate::carrier::Carrier;
use crate::library::SolveError;
use crate::log::{BadEntry, Message, Place, PlyLog};
use crate::options::Crossed;
use crate::room::Room;

impl Solver<'_> {
    /// Sends what was lost in a ply to the processes whose slices the winner's king can come from, adds what they send
    /// to what is lost now, and returns how much it was.
    ///
    /// A message is, for each slice with such positions, the slice's number in four bytes and its entry of the log.
    pub(super) fn cross(
        &self,
        half: &Half<'_>,
        room: &mut Room,
        log: Option<&PlyLog>,
        plies: u16,
        carrier: &impl Carrier,
    ) -> Result<Crossed, SolveError> {
        let Some(log) = log.filter(|_| !self.owners.is_alone()) else {
            return Ok(Crossed::default());
        };
        let mut messages = vec![Vec::new(); carrier.processes()];
        let mut crossed = Crossed::default();
        let mut message = Vec::new();
        for slice in self.mine(half.winner) {
            let readers = self.owners.readers(half.winner, slice);
            let place = log.place(half.lost(plies), slice);
            crossed.frontier += place.map_or(0, Place::bytes);
            if let Some(place) = place.filter(|_| !readers.is_empty()) {
                message.clear();
                message.extend_from_slice(&(slice as u32).to_le_bytes());
                log.message(place, &mut message)?;
                for &reader in readers {
                    messages[reader].extend_from_slice(&message);
                }
            }
        }
        crossed.sent = messages.iter().map(|message| message.len() as u64).sum();
        let messages = carrier.exchange(messages);

        let mut new: Vec<Option<Message<'_>>> = vec![None; self.domain.slices()];
        for mut rest in messages.iter().map(|message| &message[..]) {
            while let Some((slice, entry)) = rest.split_first_chunk() {
                let slice = u32::from_le_bytes(*slice) as usize;
                let (entry, after) = Message::split(entry).map_err(damaged)?;
                *new.get_mut(slice).ok_or_else(|| damaged(BadEntry))? = Some(entry);
                rest = after;
            }
        }
        let slabs = self.domain.slabs();
        (room.lost_now.par_slices_mut().zip(&new))
            .try_for_each(|(mut slice, new)| match new {
                Some(entry) => {
                    slice.clear();
                    entry.slabs(slabs, |slab, rows| slice.put_slab(slab, rows))
                }
                None => Ok(()),
            })
            .map_err(damaged)?;
        Ok(crossed)
    }
}

fn damaged(error: BadEntry) -> SolveError {
    SolveError::Message(error.to_string())
}
