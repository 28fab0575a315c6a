//! The begin of a half: what is won and lost at once. And what a checkpoint has of it, if it was begun before.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::{Accumulator, Bitbase, FrontierSlice, Row, Slice};

use super::PartSolver;
use super::half::Half;
use crate::solve::options::Residence;
use crate::solve::working_set::{Work, WorkingSet};
use crate::storage::checkpoint::{Checkpoint, Found};
use crate::subtables::library::SolveError;
use crate::subtables::seeds::Seeds;
use crate::table::slices::{among, chosen};

/// Where the loser's first losses go: a slice of each.
struct First<'a, 'f> {
    done: &'a mut [Row],
    mated: &'a mut FrontierSlice<'f>,
    forced: &'a mut FrontierSlice<'f>,
    stalemates: Option<&'a mut [Row]>,
}

impl PartSolver<'_> {
    /// Finds checkmates, stalemates, and positions that only the loser's conversions decide, in one slice. So many plies of the
    /// half are complete.
    fn begin(
        &self,
        slice: &Slice<'_>,
        (loser, plies): (Color, u16),
        illegal: &Bitbase,
        seeds: &Seeds,
        gathered: &mut Accumulator,
        first: First<'_, '_>,
    ) -> Result<(), SolveError> {
        let First {
            done,
            mated,
            forced,
            stalemates,
        } = first;
        gathered.clear();
        seeds.any(slice, gathered)?;
        let any = gathered.rows().to_vec();
        gathered.clear();
        seeds.held(slice, plies + 1, gathered)?;

        // The positions from which no move is left but conversions.
        slice.illegal_into(loser, done, self.options.backend);
        let mut stuck: Vec<Row> = done.iter().map(|&row| !row).collect();
        slice.confine(loser, illegal, &mut stuck, self.options.backend);
        // A side is in check exactly where it would be illegal for the other side to be to move.
        let check = illegal.slice(slice.number());
        let held = gathered.rows();
        if let Some(stalemates) = stalemates {
            for (at, out) in stalemates.iter_mut().enumerate() {
                *out = stuck[at] & !any[at] & !check[at];
            }
        }
        mated.fill(|at| stuck[at] & !any[at] & check[at]);
        forced.fill(|at| stuck[at] & any[at] & !held[at]);
        for (at, done) in done.iter_mut().enumerate() {
            *done |= held[at] | stuck[at];
        }
        gathered.clear();
        Ok(())
    }

    /// Fills the sets with what is won and lost at once, slice by slice. The seeds are
    /// those of the loser.
    pub(super) fn begin_all(
        &mut self,
        half: &Half,
        working_set: &mut WorkingSet,
        checkpoint: Option<&Checkpoint>,
        seeds: &Seeds,
    ) -> Result<(), SolveError> {
        let Half { winner, loser, .. } = *half;
        let plies = half.reached.unwrap_or(0);
        let domain = &self.domain.clone();
        let backend = self.options.backend;
        working_set.won_new.clear();
        let mut planes = std::mem::take(&mut self.sides[loser as usize].slices);
        let mut stalemates = self.stalemates[loser as usize].take();
        let mut of_slices: Vec<Option<&mut [Row]>> = match &mut stalemates {
            Some(set) => set.slices_mut().map(Some).collect(),
            None => (0..domain.slices()).map(|_| None).collect(),
        };
        for step in &half.walk.steps {
            self.heed_stop()?;
            let wanted = chosen(domain, &step.wins);
            among(working_set.won.slices_mut(), &wanted).for_each(|(number, won)| {
                Slice::new(domain, number).illegal_into(winner, won, backend);
            });
            if let Some(disk) = &mut working_set.disk {
                for &slice in &step.wins {
                    (disk.here[slice], disk.changed[slice]) = (true, true);
                }
            }
            let wanted = chosen(domain, &step.losses);
            let WorkingSet {
                won,
                done,
                lost_now,
                lost_after,
                threads,
                disk,
                ..
            } = &mut *working_set;
            let (this, won, disk) = (&*self, &*won, disk.as_ref());
            let slices = (done.slices_mut().zip(&mut planes))
                .zip(lost_now.slices_mut().zip(lost_after.slices_mut()))
                .zip(&mut of_slices);
            among(slices, &wanted).try_for_each_init(
                || threads.lend(),
                |lent, (number, (((done, planes), (mut mated, mut forced)), stalemates))| {
                    this.heed_stop()?;
                    let Work { gathered, buffer } = lent.get();
                    let slice = Slice::new(domain, number);
                    let first = First {
                        done: &mut *done,
                        mated: &mut mated,
                        forced: &mut forced,
                        stalemates: stalemates.take(),
                    };
                    this.begin(&slice, (loser, plies), won, seeds, gathered, first)?;
                    for (plies, new) in [(0, &mated), (1, &forced)] {
                        match checkpoint {
                            Some(checkpoint) if half.reached.is_none() => {
                                checkpoint.append(half.lost(plies), number, new, buffer)?;
                            }
                            None if !new.is_empty() => {
                                let value = this.options.metric.loss(plies);
                                let code = this.code_of(loser, value)?;
                                planes.record(new, domain.rows(), code, backend);
                            }
                            _ => {}
                        }
                    }
                    match disk {
                        Some(disk) => disk.done.write(number, done).map_err(|e| disk.writing(e)),
                        None => Ok(()),
                    }
                },
            )?;
            if working_set.disk.is_some() {
                for &slice in &step.losses {
                    working_set.done.release_slice(slice);
                    working_set.lost_now.release_slice(slice);
                    working_set.lost_after.release_slice(slice);
                }
            }
            working_set.leave(&step.leave)?;
        }
        self.stalemates[loser as usize] = stalemates;
        self.sides[loser as usize].slices = planes;
        Ok(())
    }

    /// Adds to the sets what a checkpoint has of this half, up to its last complete ply.
    pub(super) fn restore(
        &self,
        half: &Half,
        working_set: &mut WorkingSet,
        checkpoint: &Checkpoint,
        plies: u16,
    ) -> Result<(), SolveError> {
        let (domain, winner) = (&self.domain, half.winner);
        let unite = |found: Found, slice: usize, rows: &mut [Row]| {
            for place in checkpoint.places(winner, found, slice) {
                checkpoint.slabs(place, domain.slabs(), |slab, these| {
                    for (mine, these) in rows[slab * 8..].iter_mut().zip(these) {
                        *mine |= *these;
                    }
                })?;
            }
            Ok::<(), SolveError>(())
        };
        let all = self.mine(winner);
        let at_once = match self.options.residence {
            Residence::Memory => all.len().max(1),
            Residence::Disk { group, .. } => group,
        };
        for slices in all.chunks(at_once) {
            self.heed_stop()?;
            working_set.bring_won(slices)?;
            let wanted = chosen(domain, slices);
            among(working_set.won.slices_mut(), &wanted)
                .try_for_each(|(number, rows)| unite(Found::Won, number, rows))?;
            let WorkingSet {
                done,
                lost_now,
                lost_after,
                disk,
                ..
            } = &mut *working_set;
            let disk = disk.as_ref();
            let parts = (done.slices_mut()).zip(lost_now.slices_mut().zip(lost_after.slices_mut()));
            among(parts, &wanted).try_for_each(|(number, (rows, (mut now, mut after)))| {
                self.heed_stop()?;
                if let Some(disk) = disk {
                    disk.done.read(number, rows).map_err(|e| disk.reading(e))?;
                }
                unite(Found::Lost, number, rows)?;
                if let Some(disk) = disk {
                    return disk.done.write(number, rows).map_err(|e| disk.writing(e));
                }
                for (frontier, plies) in [(&mut now, plies), (&mut after, plies + 1)] {
                    frontier.clear();
                    if let Some(place) = checkpoint.place(half.lost(plies), number) {
                        checkpoint.slabs(place, domain.slabs(), |slab, rows| {
                            frontier.put_slab(slab, rows);
                        })?;
                    }
                }
                Ok(())
            })?;
            if let Some(disk) = &mut working_set.disk {
                for &slice in slices {
                    disk.changed[slice] = true;
                    working_set.done.release_slice(slice);
                }
                working_set.leave(slices)?;
            }
        }
        Ok(())
    }
}
