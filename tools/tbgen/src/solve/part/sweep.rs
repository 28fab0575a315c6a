//! A sweep over the slices, which finds what is won in a ply and what is lost in the next: load, work, record, release.

use rayon::prelude::*;
use tbindex::bitbase::Slice;

use super::pass::Pass;
use crate::solve::schedule::Step;
use crate::solve::working_set::{Work, WorkingSet};
use crate::subtables::library::SolveError;
use crate::table::slices::{among, chosen};

/// Whether any positions are found, and how many if there is a checkpoint.
type New = (bool, u64);

fn both(a: New, b: New) -> New {
    (a.0 | b.0, a.1 + b.1)
}

impl Pass<'_, '_> {
    /// Finds the positions won in a ply and those lost in the next one, from those lost in the ply before. Returns whether any
    /// are lost and, if there is a checkpoint, how many are won or lost.
    pub(super) fn sweep(&mut self, plies: u16) -> Result<(bool, u64), SolveError> {
        let sources = self.sources(plies - 1);
        if self.recorder.is_short() {
            self.sets.won_new.shrink()?;
        } else if !sources.contains(&true) {
            self.sets.won_new.clear();
        }
        let (mut won, mut lost) = (New::default(), New::default());
        for step in &self.walk.steps {
            self.part.heed_stop()?;
            won = both(won, self.find_won(step, plies, &sources)?);
            lost = both(lost, self.find_lost(step, plies + 1, won.0)?);
            self.sets.leave(&step.leave)?;
        }
        self.load_lost(plies - 1, &[])?;
        if won.0 {
            self.recorder.found(self.won(plies))?;
        }
        if lost.0 {
            self.recorder.found(self.lost(plies + 1))?;
        }
        Ok((lost.0, won.1 + lost.1))
    }

    /// Finds what is won in a ply in the slices of a step. The `sources` are slices in which positions may have been lost in
    /// the ply before.
    fn find_won(&mut self, step: &Step, plies: u16, sources: &[bool]) -> Result<New, SolveError> {
        let (part, walk, winner) = (self.part, self.walk, self.winner);
        let domain = &part.domain;
        let ply = self.won(plies);
        let has = |slice: usize| self.seeds[winner as usize].has(winner, plies, slice);
        let active: Vec<usize> = (step.wins.iter().copied())
            .filter(|&slice| {
                has(slice) || walk.around(&[slice], winner).iter().any(|&at| sources[at])
            })
            .collect();
        let mut all = New::default();
        for active in active.chunks(walk.wins_at_once) {
            self.load_lost(plies - 1, &walk.around(active, winner))?;
            self.sets.load_won(active)?;
            let planes = &mut self.planes[winner as usize];
            let (recorder, seeds) = (&*self.recorder, &self.seeds[winner as usize]);
            let WorkingSet {
                won,
                won_new,
                lost_now,
                threads,
                ..
            } = &mut *self.sets;
            let lost_now = &*lost_now;
            let slices = won.slices_mut().zip(won_new.slices_mut()).zip(planes);
            let wanted = chosen(domain, active);
            let found = among(slices, Some(&wanted)).map_init(
                || threads.lend(),
                |lent, (number, ((won, mut new), planes))| {
                    part.heed_stop()?;
                    let Work { gathered, buffer } = lent.get();
                    let slice = Slice::new(domain, number);
                    gathered.moves(&slice, winner, lost_now);
                    seeds.wins(&slice, plies, gathered)?;
                    gathered.take_new(won, &mut new);
                    match new.all.is_empty() {
                        true => Ok::<New, SolveError>(New::default()),
                        false => Ok((true, recorder.record(ply, number, &new, planes, buffer)?)),
                    }
                },
            );
            all = both(all, found.try_reduce(New::default, |a, b| Ok(both(a, b)))?);
            self.sets.note_won(active);
        }
        Ok(all)
    }

    /// Finds what is lost in a ply in the slices of a step. If sets are in memory, `any_won` tells
    /// whether positions were won in the ply before.
    fn find_lost(&mut self, step: &Step, plies: u16, any_won: bool) -> Result<New, SolveError> {
        let (part, walk, winner, loser) = (self.part, self.walk, self.winner, self.loser);
        let (domain, backend) = (&part.domain, part.options.backend);
        let ply = self.lost(plies);
        let opens = |slice: usize| self.seeds[loser as usize].has(winner, plies, slice);
        let on_disk = self.sets.disk.is_some();
        let news = |slice: usize| match on_disk {
            true => !self.sets.won_new.all.is_empty_slice(slice),
            false => any_won,
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
            return Ok(New::default());
        }
        if part.options.metric.victim().is_none() {
            // All moves have to lead there; of helpmates one is enough.
            self.sets.load_won(&walk.around(&active, loser))?;
        }
        let planes = &mut self.planes[loser as usize];
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
        let slices = done.slices_mut().zip(lost_after.slices_mut()).zip(planes);
        let wanted = chosen(domain, &active);
        let found = among(slices, Some(&wanted)).map_init(
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
                let any = !new.all.is_empty();
                let positions = match any {
                    true => recorder.record(ply, number, &new, planes, buffer)?,
                    false => 0,
                };
                // Positions that were held are open from now on, lost or not.
                if let Some(disk) = disk.filter(|_| opens(number) || any) {
                    disk.done.write(number, done)?;
                }
                Ok::<New, SolveError>((any, positions))
            },
        );
        let found = found.try_reduce(New::default, |a, b| Ok(both(a, b)))?;
        self.sets.release_losses(&active);
        Ok(found)
    }
}
