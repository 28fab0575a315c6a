//! The solution of a part of a table, ply by ply.
//!
//! White's wins are found first and then black's; the two halves are independent. In each half one side is
//! the winner and the other the loser. Positions in which the loser is checkmated are lost in 0 plies. A
//! position is won in n plies if the winner has a move to a position lost in n − 1 plies, and it was not
//! won before. A position is lost in n plies if all moves of the loser lead to positions won in n − 1 plies
//! or fewer. Conversions, which are captures and the moves of pawns, lead to solved positions. They are seeds: in the ply
//! of its value, one into a loss of the other side is a win, and one into a win of the other side does not hold a position
//! of the loser any more. By the distance to zeroing these plies are 1 and 101.
//!
//! Helpmates of a victim are the half in which the other side wins, with one move in place of all: a position with the victim
//! to move counts as lost as soon as any move leads to one that is won. Positions of several solutions are in sets of their own.

mod begin;
mod losses;
mod pass;
mod recorder;
mod seeds;
mod sweep;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tbindex::Color;
use tbindex::bitbase::{Bitbase, Domain};

use crate::chess::pawns::may_have_passed;
use crate::distributed::Team;
use crate::distributed::partition::Partition;
use crate::solve::options::{Options, Residence};
use crate::solve::schedule::Walk;
use crate::solve::working_set::WorkingSet;
use crate::storage::checkpoint::{Checkpoint, Place};
use crate::subtables::library::{SolveError, heed_stop};
use crate::subtables::solved::Solved;
use crate::table::planes::Planes;
use crate::table::solved::Part;
use crate::table::temp_file::TempFile;
use crate::table::value::{Metric, Value};
use pass::Pass;
use recorder::Recorder;

/// A part that is to be solved, and how.
pub(crate) struct PartSolver<'a> {
    solved: &'a Solved<'a>,
    number: usize,
    domain: Domain,
    options: Options<'a>,
    /// A file for what is put aside until the part is solved, if there is to be one.
    aside: Option<Arc<TempFile>>,
    /// A flag that stops the work at any time when it is set.
    stop: &'a AtomicBool,
    /// The slices that are solved here in the half in which each side wins.
    mine: [Vec<usize>; 2],
}

impl<'a> PartSolver<'a> {
    /// Solves a part from what it leads to, with its checkpoint if there is to be one; of several processes each solves some of
    /// its slices. Returns with the part the stalemates that are wanted of each side.
    ///
    /// # Panics
    /// If there are several processes, and the part has pawns or free kings, or distances are not to zeroing.
    pub(crate) fn solve(
        number: usize,
        solved: &'a Solved<'a>,
        options: Options<'a>,
        checkpoint: Option<Arc<Checkpoint>>,
        team: Team<'_>,
    ) -> Result<(Part, [Option<Bitbase>; 2]), SolveError> {
        let shape = solved.shape;
        let domain = shape.domain(number);
        let victim = options.metric.victim();
        let mut stalemates = [None, None];
        for side in Color::ALL {
            // A stalemate has no helpmate but by a capture en passant.
            if victim.is_none() && may_have_passed(shape.pawns(number), !side) {
                stalemates[side as usize] = Some(Bitbase::try_new(&domain)?);
            }
        }
        let alone = team.processes() == 1;
        assert!(alone || options.metric == Metric::Dtz, "slices to deal out");
        let partition = Partition::new(&domain, team.processes());
        let mine = Color::ALL.map(|winner| partition.slices_of(team.number(), winner));
        let mut solver = PartSolver {
            solved,
            number,
            options,
            aside: None,
            stop: team.stop_at_once(options.stop),
            mine,
            domain,
        };
        let mut recorder = Recorder {
            solved,
            checkpoint,
            values: [(); 2].map(|()| Arc::new(vec![Value::DRAW])),
        };
        let mut planes = [(); 2].map(|()| vec![Planes::default(); solver.domain.slices()]);
        // A half that a checkpoint has in full needs no moves, but for stalemates, which it has not.
        let wanted = |winner: &Color| {
            let all = recorder.reached(*winner).is_some_and(Place::ends_half);
            let is_half = victim != Some(*winner) && shape.can_win(*winner);
            is_half && !(all && stalemates[!*winner as usize].is_none())
        };
        let winners: Vec<Color> = Color::ALL.into_iter().filter(wanted).collect();
        if !winners.is_empty() {
            if solver.puts_aside() {
                let beside = options.temp_file.map(|file| TempFile::new(&file.folder));
                let beside = beside.transpose()?;
                solver.aside = beside.map(Arc::new);
            }
            // A half goes on with what the other one had, if that had the same slices.
            let [of_white, of_black] = &solver.mine;
            let (same, mut last) = (of_white == of_black, None);
            for winner in winners {
                let (mut sets, seeds) = match last.take().filter(|_| same) {
                    Some(last) => last,
                    None => {
                        let mine = solver.mine(winner);
                        let sets = WorkingSet::new(&solver.domain, &options, mine)?;
                        let seeds = |side| solver.make_seeds(side, mine, &sets.threads);
                        let [white, black] = Color::ALL.map(seeds);
                        (sets, [white?, black?])
                    }
                };
                let stalemates = stalemates[!winner as usize].as_mut();
                let pass = Pass {
                    part: &solver,
                    winner,
                    loser: !winner,
                    walk: &solver.walk(winner),
                    sets: &mut sets,
                    recorder: &mut recorder,
                    planes: &mut planes,
                    seeds,
                    team,
                    partition: &partition,
                };
                let seeds = pass.run(stalemates)?;
                last = Some((sets, seeds));
            }
        }
        if let Some(checkpoint) = &recorder.checkpoint {
            team.tell(checkpoint)?;
        }
        Ok((recorder.part(solver.domain, planes)?, stalemates))
    }

    /// The walk through the slices in the half in which this side wins.
    fn walk(&self, winner: Color) -> Walk {
        let mine = self.mine(winner);
        match self.options.residence {
            Residence::Memory => Walk::at_once(mine.to_vec()),
            Residence::Disk { group, .. } => Walk::in_groups(&self.domain, !winner, mine, group),
        }
    }

    /// The slices that are solved here in the half in which this side wins.
    fn mine(&self, winner: Color) -> &[usize] {
        &self.mine[winner as usize]
    }

    /// Ends the work if it is to stop at any time. It may also stop after a ply.
    fn heed_stop(&self) -> Result<(), SolveError> {
        heed_stop(self.stop)
    }
}
