//! The traffic between the processes that have the slices: where positions were lost, for the winner's king moves.

use std::collections::BTreeMap;

use rayon::prelude::*;
use tbindex::bitbase::Row;

use super::pass::Pass;
use crate::solve::options::Crossed;
use crate::storage::checkpoint::{Checkpoint, Message, Place, Ply, damaged_message};
use crate::subtables::gathered::FrontiersSlice;
use crate::subtables::library::SolveError;
use crate::table::slices::{among, chosen};
use crate::table::sparse::BadEntry;

impl Pass<'_, '_> {
    /// Sends what was lost in a ply to the processes whose slices the winner's king can come from, adds what they send
    /// to what is lost now, and returns how much it was.
    ///
    /// A message is, for each slice with such positions, the slice's number in four bytes and its entry of the checkpoint.
    pub(super) fn cross(&mut self, plies: u16) -> Result<Crossed, SolveError> {
        let (part, ply) = (self.part, self.lost(plies));
        let checkpoint = self.recorder.checkpoint.as_deref();
        let Some(checkpoint) = checkpoint.filter(|_| !part.partition.is_whole()) else {
            return Ok(Crossed::default());
        };
        let mut messages = vec![Vec::new(); self.transport.processes()];
        let mut crossed = Crossed::default();
        let mut message = Vec::new();
        for slice in part.mine(self.winner) {
            let readers = part.partition.readers(self.winner, slice);
            let place = checkpoint.place(ply, slice);
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
        if let Some(disk) = &mut self.sets.disk {
            // It makes room for what comes.
            disk.received.clear();
        }
        crossed.sent = messages.iter().map(|message| message.len() as u64).sum();
        let messages = self.transport.exchange(messages);

        let mut new: BTreeMap<usize, &[u8]> = BTreeMap::new();
        for mut rest in messages.iter().map(|message| &message[..]) {
            while let Some((slice, entry)) = rest.split_first_chunk() {
                let slice = u32::from_le_bytes(*slice) as usize;
                if slice >= part.domain.slices() {
                    return Err(damaged(BadEntry));
                }
                let (_, after) = Message::split(entry).map_err(damaged)?;
                new.insert(slice, &entry[..entry.len() - after.len()]);
                rest = after;
            }
        }
        if let Some(disk) = &mut self.sets.disk {
            let owned = new.iter().map(|(&slice, entry)| (slice, entry.to_vec()));
            disk.received = owned.collect();
            return Ok(crossed);
        }
        let slabs = part.domain.slabs();
        let slices: Vec<_> = self.sets.lost_now.slices_mut().enumerate().collect();
        slices.into_par_iter().try_for_each(|(number, mut slice)| {
            let Some(entry) = new.get(&number) else {
                return Ok(());
            };
            slice.clear();
            unpack(entry, slabs, |slab, rows| slice.all.put_slab(slab, rows))
        })?;
        Ok(crossed)
    }

    /// Where sets are on disk, brings what was lost in a ply in these slices into memory, from what other processes have
    /// sent or from the checkpoint, and gives back the memory of others.
    pub(super) fn load_lost(&mut self, plies: u16, slices: &[usize]) -> Result<(), SolveError> {
        let (domain, ply) = (&self.part.domain, self.lost(plies));
        let sets = &mut *self.sets;
        let (Some(disk), Some(checkpoint)) = (&mut sets.disk, &self.recorder.checkpoint) else {
            return Ok(());
        };
        let mut wanted = chosen(domain, slices);
        for (slice, here) in disk.sources.iter_mut().enumerate() {
            if *here && !wanted[slice] {
                sets.lost_now.release_slice(slice);
                *here = false;
            }
            wanted[slice] &= !*here;
        }
        let (slabs, received) = (domain.slabs(), &disk.received);
        among(sets.lost_now.slices_mut(), Some(&wanted)).try_for_each(|(slice, mut out)| {
            match received.get(&slice) {
                Some(entry) => unpack(entry, slabs, |slab, rows| out.all.put_slab(slab, rows)),
                None => read(checkpoint, ply, (slice, slabs), &mut out),
            }
        })?;
        for &slice in slices {
            disk.sources[slice] = true;
        }
        Ok(())
    }

    /// For each slice whether positions in it may have been lost in a ply.
    pub(super) fn sources(&self, plies: u16) -> Vec<bool> {
        let slices = 0..self.part.domain.slices();
        let ply = self.lost(plies);
        match (&self.sets.disk, &self.recorder.checkpoint) {
            (Some(disk), Some(checkpoint)) => {
                let lost = |slice| checkpoint.place(ply, slice).is_some();
                let received = |slice| disk.received.contains_key(&slice);
                slices.map(|slice| lost(slice) || received(slice)).collect()
            }
            _ => vec![!self.sets.lost_now.all.is_empty(); slices.len()],
        }
    }
}

/// Puts what a checkpoint has of a ply in a slice of so many slabs into frontiers that have nothing there.
pub(super) fn read(
    checkpoint: &Checkpoint,
    ply: Ply,
    (slice, slabs): (usize, usize),
    out: &mut FrontiersSlice<'_>,
) -> Result<(), SolveError> {
    let several = out.several.as_mut().map(|several| (ply.several(), several));
    for (ply, out) in [(ply, &mut out.all)].into_iter().chain(several) {
        if let Some(place) = checkpoint.place(ply, slice) {
            checkpoint.slabs(place, slabs, |slab, rows| out.put_slab(slab, rows))?;
        }
    }
    Ok(())
}

/// Hands over the slabs of an entry that another process has sent, of a slice of so many slabs.
fn unpack(
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
