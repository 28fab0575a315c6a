//! The seeds of a part: its conversions, made before its plies are gone through, a few slices at a time where those of all
//! slices together would take too much memory.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::Slice;

use super::PartSolver;
use crate::solve::schedule::seed_groups;
use crate::solve::working_set::Threads;
use crate::subtables::due::Due;
use crate::subtables::exits::Exits;
use crate::subtables::library::SolveError;
use crate::subtables::seeds::{ByOutcome, Seeds};
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
        if self.options.metric != Metric::Dtz {
            return self.due(side, threads);
        }
        let all = slices.len() == self.domain.slices();
        if !self.stores_exits() {
            let slices = (!all).then_some(slices);
            let exits = (self.solved).exits(self.number, side, slices, &|_| true)?;
            return Ok(Seeds::by_outcome(side, exits));
        }
        let mut stored = ByOutcome::default();
        for group in seed_groups(&self.domain, &self.options.residence, slices) {
            self.heed_stop()?;
            let exits = (self.solved).exits(self.number, side, Some(&group), &|_| true)?;
            for (exits, all) in exits.iter().zip(stored.iter_mut()) {
                self.store(exits, &group, threads, all)?;
            }
        }
        Ok(Seeds::by_outcome(side, stored))
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
                Ok::<_, SolveError>((slice, stored.transpose()?))
            },
        );
        for (slice, stored) in stored.collect::<Result<Vec<_>, _>>()? {
            if let Some(stored) = stored {
                all.store(slice, stored);
            }
        }
        Ok(())
    }

    /// The effect of a side's conversions by the distance to mate or of helpmates: in which plies they are due, for each slice.
    fn due(&self, side: Color, threads: &Threads) -> Result<Seeds, SolveError> {
        let (metric, slices) = (self.options.metric, self.domain.slices());
        let mut dues: Vec<Option<[Due; 2]>> = (0..slices).map(|_| None).collect();
        for group in seed_groups(
            &self.domain,
            &self.options.residence,
            &(0..slices).collect::<Vec<_>>(),
        ) {
            self.heed_stop()?;
            let chosen = (group.len() < slices).then_some(&group[..]);
            let lend = || threads.lend();
            let best = (self.solved).best(self.number, side, chosen, &|_| true, lend)?;
            let made = best.into_par_iter().map(|best| {
                let of_side = (side, &best.safe[..]);
                let mut due = Due::of(metric, &best.planes, of_side, self.options.backend);
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
        Ok(Seeds::due(metric, side, dues.collect()))
    }
}
