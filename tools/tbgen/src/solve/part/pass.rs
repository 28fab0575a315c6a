//! A retrograde pass: the positions that one side wins, ply by ply.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use tbindex::Color;
use tbindex::bitbase::Bitbase;

use super::PartSolver;
use super::recorder::Recorder;
use crate::distributed::Team;
use crate::distributed::crossing::Crossed;
use crate::distributed::partition::Partition;
use crate::solve::options::Progress;
use crate::solve::schedule::Walk;
use crate::solve::working_set::WorkingSet;
use crate::storage::checkpoint::{Checkpoint, Found, Place, Ply};
use crate::subtables::library::SolveError;
use crate::subtables::seeds::Seeds;
use crate::table::planes::Planes;

/// A retrograde pass over a part: one half of its solution.
pub(super) struct Pass<'p, 's> {
    pub(super) part: &'p PartSolver<'s>,
    pub(super) winner: Color,
    pub(super) loser: Color,
    pub(super) walk: &'p Walk,
    pub(super) sets: &'p mut WorkingSet,
    pub(super) recorder: &'p mut Recorder<'s>,
    /// The planes of the codes in the slices with each side to move, unless there is a checkpoint.
    pub(super) planes: &'p mut [Vec<Planes>; 2],
    /// The seeds of each side to move.
    pub(super) seeds: [Seeds; 2],
    pub(super) team: Team<'p>,
    pub(super) partition: &'p Partition,
}

impl Pass<'_, '_> {
    /// Goes through the plies, from that on which a checkpoint has reached, and returns the seeds. The loser's stalemates
    /// are put into a set, if there is one.
    pub(super) fn run(
        mut self,
        stalemates: Option<&mut Bitbase>,
    ) -> Result<[Seeds; 2], SolveError> {
        let reached = self.recorder.reached(self.winner);
        let mut plies = reached.map_or(0, |reached| reached.ply.plies);
        self.begin(reached.map(|reached| reached.ply.plies), stalemates)?;
        if reached.is_some_and(Place::ends_half) {
            return Ok(self.seeds);
        }
        let seeded = self.seeded()?;
        match self.recorder.checkpoint.clone() {
            Some(checkpoint) if reached.is_some() => self.restore(&checkpoint, plies)?,
            _ => self.recorder.complete(self.winner, 0, false)?,
        }
        // Whether any process has positions that are lost in the last complete ply and in the one after it.
        let [now, after] = [plies, plies + 1].map(|plies| u64::from(self.any_lost(plies)));
        let mut lost = self.team.sum([now, after])?.map(|processes| processes > 0);
        let (mut positions, mut crossed) = (0, Crossed::default());
        loop {
            if lost == [false; 2] {
                // Until a seed is due, nothing is found.
                let Some(next) = seeded.range(plies + 1..).next() else {
                    break;
                };
                plies = next - 1;
            }
            plies += 1;
            self.part.heed_stop()?;
            let here = self.cross(plies - 1)?;
            let (any_lost, found) = self.sweep(plies)?;
            self.seeds[self.winner as usize].forget(self.winner, plies);
            self.seeds[self.loser as usize].forget(self.winner, plies + 1);
            let options = &self.part.options;
            let checkpoint = self.recorder.checkpoint.as_deref();
            let [any_lost, stopped, new, sent, frontier, bytes] = self.team.sum([
                u64::from(any_lost),
                u64::from(options.stop.load(Ordering::Relaxed)),
                found,
                here.sent,
                here.frontier,
                checkpoint.map_or(0, Checkpoint::bytes),
            ])?;
            lost = [lost[1], any_lost > 0];
            positions += new;
            crossed.sent += sent;
            crossed.frontier += frontier;
            self.recorder.complete(self.winner, plies, false)?;
            let [read, written] = self.sets.traffic();
            (options.progress)(Progress {
                winner: self.winner,
                plies,
                parts: (self.part.solved.parts.len(), self.part.solved.shape.parts()),
                positions,
                read,
                written,
                checkpoint: bytes,
                crossed,
            });
            if stopped > 0 {
                return Err(SolveError::Interrupted);
            }
        }
        self.recorder.complete(self.winner, plies, true)?;
        Ok(self.seeds)
    }

    /// The plies that have seeds of any process: wins in them, and losses in the next ones.
    fn seeded(&self) -> Result<BTreeSet<u16>, SolveError> {
        let [wins, losses] = [self.winner, self.loser].map(|side| &self.seeds[side as usize]);
        let mut plies = wins.plies(self.winner);
        let losses = losses.plies(self.winner).into_iter();
        plies.extend(losses.map(|plies| plies - 1));
        Ok(self.team.share(plies)?.into_iter().flatten().collect())
    }

    /// Whether this process has positions that are lost in a ply, which is the last complete one or the one after it.
    fn any_lost(&self, plies: u16) -> bool {
        let ply = self.lost(plies);
        match &self.recorder.checkpoint {
            Some(checkpoint) => {
                let mut slices = 0..self.part.domain.slices();
                slices.any(|slice| checkpoint.place(ply, slice).is_some())
            }
            None if plies == 0 => !self.sets.lost_now.all.is_empty(),
            None => !self.sets.lost_after.all.is_empty(),
        }
    }

    /// The positions that are won in a ply.
    pub(super) fn won(&self, plies: u16) -> Ply {
        Ply {
            winner: self.winner,
            found: Found::Won,
            plies,
        }
    }

    /// The positions that are lost in a ply; of helpmates those with the victim to move.
    pub(super) fn lost(&self, plies: u16) -> Ply {
        let ply = self.won(plies);
        match self.part.options.metric.victim() {
            None => Ply {
                found: Found::Lost,
                ..ply
            },
            Some(winner) => Ply { winner, ..ply },
        }
    }
}
