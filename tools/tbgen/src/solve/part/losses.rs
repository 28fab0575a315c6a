//! The positions that were lost in a ply, for the winner's king moves: in memory, from a checkpoint or from other processes.

use rayon::prelude::*;

use super::pass::Pass;
use crate::distributed::crossing::Crossed;
use crate::storage::checkpoint::{Checkpoint, Ply};
use crate::subtables::gathered::FrontiersSlice;
use crate::subtables::library::SolveError;
use crate::table::slices::{among, chosen};
use crate::table::sparse::unpack;

impl Pass<'_, '_> {
    /// Sends what was lost in a ply to where the winner's king can come from, adds what comes from there to what is lost now, and
    /// returns how much was sent.
    pub(super) fn cross(&mut self, plies: u16) -> Result<Crossed, SolveError> {
        let (domain, ply) = (&self.part.domain, self.lost(plies));
        let Some(checkpoint) = self.recorder.checkpoint.as_deref() else {
            return Ok(Crossed::default());
        };
        if let Some(disk) = &mut self.sets.disk {
            // It makes room for what comes.
            disk.received.clear();
        }
        let (crossed, received) = self.team.cross(self.partition, (checkpoint, ply))?;
        if let Some(disk) = &mut self.sets.disk {
            disk.received = received;
            return Ok(crossed);
        }
        let slices: Vec<usize> = received.keys().copied().collect();
        let wanted = chosen(domain, &slices);
        among(self.sets.lost_now.slices_mut(), Some(&wanted)).try_for_each(
            |(slice, mut out)| {
                out.clear();
                put(&received[&slice], domain.slabs(), &mut out)
            },
        )?;
        Ok(crossed)
    }

    /// Where sets are on disk, brings what was lost in a ply in these slices into memory, from what was received or
    /// from the checkpoint, and gives back the memory of others.
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
                Some(packed) => put(packed, slabs, &mut out),
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

/// Puts what was received of a slice of so many slabs into frontiers that have nothing there.
fn put(packed: &[u8], slabs: usize, out: &mut FrontiersSlice<'_>) -> Result<(), SolveError> {
    unpack(packed, slabs, |slab, rows| out.all.put_slab(slab, rows))
        .map_err(|_| SolveError::Message("it has no positions"))
}
