//! The moves out of the part, where those of all slices together would take too much memory: they are made a few slices at
//! a time, gathered, and put aside.

use rayon::prelude::*;
use tbindex::bitbase::{Domain, Slice};
use tbindex::{Color, Group, KingDistance, KingPairs};

use super::PartSolver;
use crate::solve::schedule::Walk;
use crate::solve::working_set::Threads;
use crate::subtables::conversions::{Conversions, Role};
use crate::subtables::library::SolveError;
use crate::table::planes::Stored;

impl PartSolver<'_> {
    /// Whether moves out of the part are put aside.
    pub(super) fn stores_conversions(&self) -> bool {
        self.options.residence.is_disk()
            || self.domain.slices() > 1 && !self.domain.fixed().is_empty()
    }

    /// The moves of a side out of some slices of the part, as far as they matter to a role, put aside.
    pub(super) fn stored_conversions(
        &self,
        side: Color,
        role: Role,
        slices: &[usize],
        threads: &Threads,
    ) -> Result<Conversions, SolveError> {
        let mut all = Conversions::default();
        for group in self.groups(slices) {
            self.heed_stop()?;
            let some = (self.solved).doors(self.part, side, role, Some(&group), &|_| true)?;
            self.store(&some, &group, threads, &mut all)?;
        }
        Ok(all)
    }

    /// Puts moves out of some slices aside, to those out of others.
    pub(super) fn store(
        &self,
        some: &Conversions,
        slices: &[usize],
        threads: &Threads,
        all: &mut Conversions,
    ) -> Result<(), SolveError> {
        let stored = slices.par_iter().map_init(
            || threads.lend(),
            |lent, &slice| {
                let gathered = &mut lent.get().gathered;
                let mut kinds = [const { None }; 5];
                for (stored, exits) in kinds.iter_mut().zip(some.kinds()) {
                    exits.gather(&Slice::new(&self.domain, slice), gathered)?;
                    if gathered.rows().iter().any(|row| !row.is_empty()) {
                        *stored = Some(Stored::of(gathered.rows(), self.aside.as_ref())?);
                    }
                    gathered.clear();
                }
                Ok::<_, SolveError>((slice, kinds))
            },
        );
        let stored: Vec<_> = stored.collect::<Result<_, _>>()?;
        for (slice, kinds) in stored {
            all.store(slice, kinds, some.not_cursed.is_some())?;
        }
        Ok(())
    }

    /// Slices in groups, each of which has few bytes and slices close together.
    pub(super) fn groups(&self, slices: &[usize]) -> Vec<Vec<usize>> {
        let group = self.options.residence.promised_at_once(&self.domain);
        if group >= slices.len() {
            return vec![slices.to_vec()];
        }
        if self.domain.fixed().is_empty() {
            let walk = Walk::in_groups(&self.domain, Color::White, slices, group);
            return walk.steps.into_iter().map(|step| step.losses).collect();
        }
        let slices = with_images_together(&self.domain, slices);
        slices.chunks(group).map(<[usize]>::to_vec).collect()
    }
}

/// Slices of a domain without symmetries, so that images of each other come one after the other: promotions of the last pawn
/// lead from them to the same slices.
fn with_images_together(domain: &Domain, slices: &[usize]) -> Vec<usize> {
    let pairs = domain.king_pairs().expect("slices of kings");
    let images = KingPairs::new(Group::D4, KingDistance::Apart);
    let mut slices = slices.to_vec();
    slices.sort_by_key(|&slice| {
        let [white, black] = pairs.all()[slice];
        images.find(white, black).map(|(image, _)| image)
    });
    slices
}
