//! The begin of a pass: what is won and lost at once. And what a checkpoint has of it, if it was begun before.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::{Accumulator, Bitbase, Row, Slice};

use super::PartSolver;
use super::losses::read;
use super::pass::Pass;
use crate::solve::options::Residence;
use crate::solve::working_set::{Work, WorkingSet};
use crate::storage::checkpoint::{Checkpoint, Ply};
use crate::subtables::gathered::FrontiersSlice;
use crate::subtables::library::SolveError;
use crate::subtables::seeds::Seeds;
use crate::table::slices::{among, chosen};

impl PartSolver<'_> {
    /// Finds checkmates, stalemates, and positions that only the loser's conversions decide, in one slice, of which these become
    /// what is done, what is lost in no ply and in one, and the stalemates if they are wanted. So many plies of the half are
    /// complete.
    fn first(
        &self,
        slice: &Slice<'_>,
        (loser, plies): (Color, u16),
        illegal: &Bitbase,
        seeds: &Seeds,
        gathered: &mut Accumulator,
        (done, [mated, forced], stalemates): (
            &mut [Row],
            [&mut FrontiersSlice<'_>; 2],
            Option<&mut [Row]>,
        ),
    ) -> Result<(), SolveError> {
        gathered.clear();
        seeds.any(slice, gathered)?;
        let any = gathered.rows().to_vec();
        gathered.clear();
        seeds.held(slice, plies + 1, gathered)?;

        // The positions from which no move is left but conversions.
        slice.illegal_into(loser, done, self.options.backend);
        let mut stuck: Vec<Row> = done.iter().map(|&row| !row).collect();
        slice.confine(loser, illegal, &mut stuck, self.options.backend);
        if self.options.metric.victim().is_some() {
            // A conversion is a move like others.
            for (stuck, any) in stuck.iter_mut().zip(&any) {
                *stuck &= !*any;
            }
        }
        // A side is in check exactly where it would be illegal for the other side to be to move.
        let check = illegal.slice(slice.number());
        let held = gathered.rows();
        if let Some(stalemates) = stalemates {
            for (at, out) in stalemates.iter_mut().enumerate() {
                *out = stuck[at] & !any[at] & !check[at];
            }
        }
        mated.clear();
        forced.clear();
        (mated.all).fill(|at| stuck[at] & !any[at] & check[at]);
        (forced.all).fill(|at| stuck[at] & any[at] & !held[at]);
        for (at, done) in done.iter_mut().enumerate() {
            *done |= held[at] | stuck[at];
        }
        gathered.clear();
        Ok(())
    }
}

impl Pass<'_, '_> {
    /// Fills the sets with what is won and lost at once, slice by slice. If the work was begun before, a checkpoint has
    /// `reached` a ply.
    pub(super) fn begin(
        &mut self,
        reached: Option<u16>,
        stalemates: Option<&mut Bitbase>,
    ) -> Result<(), SolveError> {
        let (part, loser) = (self.part, self.loser);
        let (domain, backend) = (&part.domain, part.options.backend);
        self.recorder.begin(loser)?;
        self.sets.won_new.clear();
        let mut of_slices: Vec<Option<&mut [Row]>> = match stalemates {
            Some(set) => set.slices_mut().map(Some).collect(),
            None => (0..domain.slices()).map(|_| None).collect(),
        };
        let (recorder, seeds) = (&*self.recorder, &self.seeds[loser as usize]);
        let [mated, forced] = [0, 1].map(|plies| self.lost(plies));
        let planes = &mut self.planes[loser as usize];
        for step in &self.walk.steps {
            part.heed_stop()?;
            let wanted = chosen(domain, &step.wins);
            among(self.sets.won.slices_mut(), Some(&wanted)).for_each(|(number, won)| {
                Slice::new(domain, number).illegal_into(self.winner, won, backend);
            });
            self.sets.made_won(&step.wins);
            let wanted = chosen(domain, &step.losses);
            let WorkingSet {
                won,
                done,
                lost_now,
                lost_after,
                threads,
                disk,
                ..
            } = &mut *self.sets;
            let (won, disk) = (&*won, disk.as_ref());
            let slices = (done.slices_mut().zip(&mut *planes))
                .zip(lost_now.slices_mut().zip(lost_after.slices_mut()))
                .zip(&mut of_slices);
            among(slices, Some(&wanted)).try_for_each_init(
                || threads.lend(),
                |lent, (number, (((done, planes), (mut now, mut after)), stalemates))| {
                    part.heed_stop()?;
                    let Work { gathered, buffer } = lent.get();
                    let slice = Slice::new(domain, number);
                    let first = (&mut *done, [&mut now, &mut after], stalemates.take());
                    let half = (loser, reached.unwrap_or(0));
                    part.first(&slice, half, won, seeds, &mut gathered.all, first)?;
                    if reached.is_none() {
                        for (ply, new) in [(mated, &now), (forced, &after)] {
                            recorder.record(ply, number, new, planes, buffer)?;
                        }
                    }
                    if let Some(disk) = disk {
                        disk.done.write(number, done)?;
                    }
                    Ok::<_, SolveError>(())
                },
            )?;
            self.sets.release_losses(&step.losses);
            self.sets.leave(&step.leave)?;
        }
        match self.sets.lost_now.all.is_empty() {
            true => Ok(()),
            false => self.recorder.found(self.lost(0)),
        }
    }

    /// Adds to the sets what a checkpoint has of this pass, up to its last complete ply.
    pub(super) fn restore(
        &mut self,
        checkpoint: &Checkpoint,
        plies: u16,
    ) -> Result<(), SolveError> {
        let (part, winner) = (self.part, self.winner);
        let domain = &part.domain;
        let unite = |found: Ply, slice: usize, rows: &mut [Row]| {
            for place in checkpoint.places(found.winner, found.found, slice) {
                checkpoint.slabs(place, domain.slabs(), |slab, these| {
                    for (mine, these) in rows[slab * 8..].iter_mut().zip(these) {
                        *mine |= *these;
                    }
                })?;
            }
            Ok::<(), SolveError>(())
        };
        let (won, [now, after]) = (
            self.won(0),
            [plies, plies + 1].map(|plies| self.lost(plies)),
        );
        let all = part.mine(winner);
        let at_once = match part.options.residence {
            Residence::Memory => all.len().max(1),
            Residence::Disk { group, .. } => group,
        };
        for slices in all.chunks(at_once) {
            part.heed_stop()?;
            self.sets.load_won(slices)?;
            let wanted = chosen(domain, slices);
            among(self.sets.won.slices_mut(), Some(&wanted))
                .try_for_each(|(number, rows)| unite(won, number, rows))?;
            self.sets.made_won(slices);
            let WorkingSet {
                done,
                lost_now,
                lost_after,
                disk,
                ..
            } = &mut *self.sets;
            let disk = disk.as_ref();
            let sets = (done.slices_mut()).zip(lost_now.slices_mut().zip(lost_after.slices_mut()));
            among(sets, Some(&wanted)).try_for_each(
                |(number, (rows, (mut in_now, mut in_after)))| {
                    part.heed_stop()?;
                    if let Some(disk) = disk {
                        disk.done.read(number, rows)?;
                        unite(now, number, rows)?;
                        disk.done.write(number, rows)?;
                        return Ok::<_, SolveError>(());
                    }
                    unite(now, number, rows)?;
                    for (frontiers, ply) in [(&mut in_now, now), (&mut in_after, after)] {
                        frontiers.clear();
                        read(checkpoint, ply, (number, domain.slabs()), frontiers)?;
                    }
                    Ok(())
                },
            )?;
            self.sets.release_losses(slices);
            self.sets.leave(slices)?;
        }
        Ok(())
    }
}
