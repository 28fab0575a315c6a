//! What crosses between the processes that have the slices: where positions were lost, for the winner's king moves.

use std::collections::BTreeMap;

use rayon::prelude::*;
use tbindex::bitbase::Row;

use super::PartSolver;
use super::half::Half;
use crate::distributed::transport::Transport;
use crate::solve::options::Crossed;
use crate::solve::working_set::WorkingSet;
use crate::storage::checkpoint::{BadEntry, Checkpoint, Message, Place, damaged_message};
use crate::subtables::library::SolveError;

impl PartSolver<'_> {
    /// Sends what was lost in a ply to the processes whose slices the winner's king can come from, adds what they send
    /// to what is lost now, and returns how much it was.
    ///
    /// A message is, for each slice with such positions, the slice's number in four bytes and its entry of the checkpoint.
    pub(super) fn cross(
        &self,
        half: &Half,
        working_set: &mut WorkingSet,
        checkpoint: Option<&Checkpoint>,
        plies: u16,
        transport: &impl Transport,
    ) -> Result<Crossed, SolveError> {
        let Some(checkpoint) = checkpoint.filter(|_| !self.partition.is_alone()) else {
            return Ok(Crossed::default());
        };
        let mut messages = vec![Vec::new(); transport.processes()];
        let mut crossed = Crossed::default();
        let mut message = Vec::new();
        for slice in self.mine(half.winner) {
            let readers = self.partition.readers(half.winner, slice);
            let place = checkpoint.place(half.lost(plies), slice);
            crossed.frontier += place.map_or(0, Place::bytes);
            if let Some(place) = place.filter(|_| !readers.is_empty()) {
                message.clear();
                message.extend_from_slice(&(slice as u32).to_le_bytes());
                checkpoint.message(place, &mut message)?;
                for &reader in readers {
                    messages[reader].extend_from_slice(&message);
                }
            }
        }
        if let Some(disk) = &mut working_set.disk {
            // It makes working_set for what comes.
            disk.received.clear();
        }
        crossed.sent = messages.iter().map(|message| message.len() as u64).sum();
        let messages = transport.exchange(messages);

        let mut new: BTreeMap<usize, &[u8]> = BTreeMap::new();
        for mut rest in messages.iter().map(|message| &message[..]) {
            while let Some((slice, entry)) = rest.split_first_chunk() {
                let slice = u32::from_le_bytes(*slice) as usize;
                if slice >= self.domain.slices() {
                    return Err(damaged(BadEntry));
                }
                let (_, after) = Message::split(entry).map_err(damaged)?;
                new.insert(slice, &entry[..entry.len() - after.len()]);
                rest = after;
            }
        }
        if let Some(disk) = &mut working_set.disk {
            let owned = new.iter().map(|(&slice, entry)| (slice, entry.to_vec()));
            disk.received = owned.collect();
            return Ok(crossed);
        }
        let slabs = self.domain.slabs();
        let slices: Vec<_> = working_set.lost_now.slices_mut().enumerate().collect();
        slices.into_par_iter().try_for_each(|(number, mut slice)| {
            let Some(entry) = new.get(&number) else {
                return Ok(());
            };
            slice.clear();
            unpack(entry, slabs, |slab, rows| slice.put_slab(slab, rows))
        })?;
        Ok(crossed)
    }
}

/// Hands over the slabs of an entry that another process has sent, of a slice of so many slabs.
pub(super) fn unpack(
    entry: &[u8],
    slabs: usize,
    each: impl FnMut(usize, &[Row; 8]),
) -> Result<(), SolveError> {
    let (entry, _) = Message::split(entry).map_err(damaged)?;
    entry.slabs(slabs, each).map_err(damaged)
}

fn damaged(error: BadEntry) -> SolveError {
    damaged_message(&error.to_string()).into()
}
