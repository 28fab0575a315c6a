//! A sweep over the slices, which finds what is won in a ply and what is lost in the next: load, work, record, release.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use tbindex::bitbase::Slice;

use super::pass::Pass;
use crate::solve::schedule::Step;
use crate::solve::working_set::{Work, WorkingSet};
use crate::subtables::library::SolveError;
use crate::table::slices::{among, chosen};

/// The findings of a sweep.
#[derive(Default)]
pub(super) struct Swept {
    won: AtomicBool,
    lost: AtomicBool,
    positions: AtomicU64,
}

impl Swept {
    /// Whether any position is lost.
    pub(super) fn lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// The number of positions, if there is a checkpoint.
    pub(super) fn positions(&self) -> u64 {
        self.positions.load(Ordering::Relaxed)
    }

    fn note(&self, found: &AtomicBool, positions: u64) {
        found.store(true, Ordering::Relaxed);
        self.positions.fetch_add(positions, Ordering::Relaxed);
    }
}

impl Pass<'_, '_> {
    /// Finds the positions won in a ply and those lost in the next one, from those lost in the ply before.
    pub(super) fn sweep(&mut self, plies: u16) -> Result<Swept, SolveError> {
        let sources = self.sources(plies - 1);
        if self.recorder.is_short() {
            self.sets.won_new.shrink()?;
        } else if !sources.contains(&true) {
            self.sets.won_new.clear();
        }
        let swept = Swept::default();
        for step in &self.walk.steps {
            self.part.heed_stop()?;
            self.find_won(step, plies, &sources, &swept)?;
            self.find_lost(step, plies + 1, &swept)?;
            self.sets.leave(&step.leave)?;
        }
        self.load_lost(plies - 1, &[])?;
        if swept.won.load(Ordering::Relaxed) {
            self.recorder.found(self.won(plies))?;
        }
        if swept.lost() {
            self.recorder.found(self.lost(plies + 1))?;
        }
        Ok(swept)
    }

    /// Finds what is won in a ply in the slices of a step. The `sources` are slices in which positions may have been lost in
    /// the ply before.
    fn find_won(
        &mut self,
        step: &Step,
        plies: u16,
        sources: &[bool],
        swept: &Swept,
    ) -> Result<(), SolveError> {
        let (part, walk, winner) = (self.part, self.walk, self.winner);
        let domain = &part.domain;
        let ply = self.won(plies);
        let has = |slice: usize| self.seeds[winner as usize].has(winner, plies, slice);
        let active: Vec<usize> = (step.wins.iter().copied())
            .filter(|&slice| {
                has(slice) || walk.around(&[slice], winner).iter().any(|&at| sources[at])
            })
            .collect();
        for active in active.chunks(walk.wins_at_once) {
            self.load_lost(plies - 1, &walk.around(active, winner))?;
            self.sets.load_won(active)?;
            let mut planes = self.recorder.take_planes(winner);
            let (recorder, seeds) = (&*self.recorder, &self.seeds[winner as usize]);
            let WorkingSet {
                won,
                won_new,
                lost_now,
                threads,
                ..
            } = &mut *self.sets;
            let lost_now = &*lost_now;
            let slices = won.slices_mut().zip(won_new.slices_mut()).zip(&mut planes);
            among(slices, Some(&chosen(domain, active))).try_for_each_init(
                || threads.lend(),
                |lent, (number, ((won, mut new), planes))| {
                    part.heed_stop()?;
                    let Work { gathered, buffer } = lent.get();
                    let slice = Slice::new(domain, number);
                    gathered.moves(&slice, winner, lost_now);
                    seeds.wins(&slice, plies, gathered)?;
                    gathered.take_new(won, &mut new);
                    if !new.all.is_empty() {
                        let positions = recorder.record(ply, number, &new, planes, buffer)?;
                        swept.note(&swept.won, positions);
                    }
                    Ok::<(), SolveError>(())
                },
            )?;
            self.recorder.put_planes(winner, planes);
            self.sets.note_won(active);
        }
        Ok(())
    }

    /// Finds what is lost in a ply in the slices of a step.
    fn find_lost(&mut self, step: &Step, plies: u16, swept: &Swept) -> Result<(), SolveError> {
        let (part, walk, winner, loser) = (self.part, self.walk, self.winner, self.loser);
        let (domain, backend) = (&part.domain, part.options.backend);
        let ply = self.lost(plies);
        let opens = |slice: usize| self.seeds[loser as usize].has(winner, plies, slice);
        let on_disk = self.sets.disk.is_some();
        let any = swept.won.load(Ordering::Relaxed);
        let news = |slice: usize| match on_disk {
            true => !self.sets.won_new.all.is_empty_slice(slice),
            false => any,
        };
        let active: Vec<usize> = (step.losses.iter().copied())
            .filter(|&slice| opens(slice) || walk.around(&[slice], loser).into_iter().any(news))
            .collect();
        if !on_disk {
            // All slices are in memory, and all wins of the ply are found. The lost positions go where these came from.
            let all = active.len() == step.losses.len();
            self.sets.turn(self.recorder.is_short(), all)?;
        }
        if active.is_empty() {
            return Ok(());
        }
        if part.options.metric.victim().is_none() {
            // All moves have to lead there; of helpmates one is enough.
            self.sets.load_won(&walk.around(&active, loser))?;
        }
        let mut planes = self.recorder.take_planes(loser);
        let (recorder, seeds) = (&*self.recorder, &self.seeds[loser as usize]);
        let WorkingSet {
            won,
            done,
            won_new,
            lost_after,
            threads,
            disk,
            ..
        } = &mut *self.sets;
        let (won, won_new, disk) = (&*won, &*won_new, disk.as_ref());
        let slices = done
            .slices_mut()
            .zip(lost_after.slices_mut())
            .zip(&mut planes);
        among(slices, Some(&chosen(domain, &active))).try_for_each_init(
            || threads.lend(),
            |lent, (number, ((done, mut new), planes))| {
                part.heed_stop()?;
                let Work { gathered, buffer } = lent.get();
                let slice = Slice::new(domain, number);
                if let Some(disk) = disk {
                    disk.done.read(number, done)?;
                }
                seeds.open(&slice, plies, backend, gathered, done)?;
                gathered.moves(&slice, loser, won_new);
                gathered.take_lost(&slice, loser, won, done, &mut new);
                if !new.all.is_empty() {
                    let positions = recorder.record(ply, number, &new, planes, buffer)?;
                    swept.note(&swept.lost, positions);
                }
                // Positions that were held are open from now on, lost or not.
                if let Some(disk) = disk.filter(|_| opens(number) || !new.all.is_empty()) {
                    disk.done.write(number, done)?;
                }
                Ok::<_, SolveError>(())
            },
        )?;
        self.recorder.put_planes(loser, planes);
        self.sets.release_losses(&active);
        Ok(())
    }
}
