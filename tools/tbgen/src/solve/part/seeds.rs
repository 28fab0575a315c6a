//! The seeds of a part: its conversions, made before its plies are gone through, a few slices at a time where those of all
//! slices together would take too much memory.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::Slice;

use super::PartSolver;
use crate::solve::schedule::seed_groups;
use crate::solve::working_set::Threads;
use crate::subtables::due::Due;
use crate::subtables::library::SolveError;
use crate::subtables::seeds::{By, ByOutcome, Exits, Seeds};
use crate::table::sparse::Stored;
use crate::table::value::Metric;

impl PartSolver<'_> {
    /// The seeds of a side to move in some slices.
    pub(super) fn make_seeds(
        &self,
        side: Color,
        slices: &[usize],
        threads: &Threads,
    ) -> Result<Seeds, SolveError> {
        let metric = self.options.metric;
        let by = match metric {
            Metric::Dtz => By::Zeroing(self.exits(side, slices, threads)?),
            _ => By::Mate(self.due(side, threads)?),
        };
        Ok(Seeds { side, metric, by })
    }

    /// The conversions of a side out of some slices by the distance to zeroing.
    fn exits(
        &self,
        side: Color,
        slices: &[usize],
        threads: &Threads,
    ) -> Result<ByOutcome, SolveError> {
        if !self.stores_exits() {
            let slices = (slices.len() < self.domain.slices()).then_some(slices);
            return (self.solved).exits(self.number, side, slices, &|_| true);
        }
        let mut stored = ByOutcome::default();
        for group in seed_groups(&self.domain, &self.options.residence, slices) {
            self.heed_stop()?;
            let exits = (self.solved).exits(self.number, side, Some(&group), &|_| true)?;
            for (exits, all) in exits.iter().zip(stored.iter_mut()) {
                self.store(exits, &group, threads, all)?;
            }
        }
        Ok(stored)
    }

    /// Whether positions that have conversions are put aside, slice by slice.
    fn stores_exits(&self) -> bool {
        self.options.residence.is_disk()
            || self.domain.slices() > 1 && !self.domain.fixed().is_empty()
    }

    /// Whether anything is put aside, into a file if there is one.
    pub(super) fn puts_aside(&self) -> bool {
        self.solved.shape.has_large_sets() || self.stores_exits()
    }

    /// Puts the positions of some slices that have conversions aside, to those of others.
    fn store(
        &self,
        exits: &Exits,
        slices: &[usize],
        threads: &Threads,
        all: &mut Exits,
    ) -> Result<(), SolveError> {
        if exits.is_empty() {
            return Ok(());
        }
        let stored = slices.par_iter().map_init(
            || threads.lend(),
            |lent, &slice| {
                let gathered = &mut lent.get().gathered.all;
                exits.gather(&Slice::new(&self.domain, slice), gathered)?;
                let any = gathered.rows().iter().any(|row| !row.is_empty());
                let stored = any.then(|| Stored::aside([gathered.rows()], 0, self.aside.as_ref()));
                gathered.clear();
                Ok(stored.transpose()?.map(|stored| (slice, stored)))
            },
        );
        let stored = stored.collect::<Result<Vec<_>, SolveError>>()?;
        all.stored.extend(stored.into_iter().flatten());
        Ok(())
    }

    /// The effect of a side's conversions by the distance to mate or of helpmates: in which plies they are due, for each slice.
    fn due(&self, side: Color, threads: &Threads) -> Result<Vec<[Due; 2]>, SolveError> {
        let (metric, all) = (self.options.metric, self.domain.slices());
        let mut dues: Vec<Option<[Due; 2]>> = vec![None; all];
        let slices: Vec<usize> = (0..all).collect();
        for group in seed_groups(&self.domain, &self.options.residence, &slices) {
            self.heed_stop()?;
            let chosen = (group.len() < all).then_some(&group[..]);
            let lend = || threads.lend();
            let best = (self.solved).best(self.number, side, chosen, &|_| true, lend)?;
            let made = best.into_par_iter().map(|best| {
                let mut due = Due::of(metric, side, &best, self.options.backend);
                if let Some(temp_file) = &self.aside {
                    for due in &mut due {
                        due.put_aside(temp_file)?;
                    }
                }
                Ok::<_, SolveError>((best.slice, due))
            });
            for (slice, due) in made.collect::<Result<Vec<_>, _>>()? {
                dues[slice] = Some(due);
            }
        }
        let dues = dues.into_iter().map(|due| due.expect("of each slice"));
        Ok(dues.collect())
    }
}
