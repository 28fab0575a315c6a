//! The solution of a part of a table, ply by ply.
//!
//! White's wins are found first and then black's; the two halves are independent. In each half one side is
//! the winner and the other the loser. Positions in which the loser is checkmated are lost in 0 plies. A
//! position is won in n plies if the winner has a move to a position lost in n − 1 plies, and it was not
//! won before. A position is lost in n plies if all moves of the loser lead to positions won in n − 1 plies
//! or fewer. Conversions, which are captures and the moves of pawns, lead to solved positions. They are seeds: in the ply
//! of its value, one into a loss of the other side is a win, and one into a win of the other side does not hold a position
//! of the loser any more. By the distance to zeroing these plies are 1 and 101.

mod begin;
mod crossing;
mod half;
mod seeds;
mod sweep;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tbindex::Color;
use tbindex::bitbase::{Bitbase, Domain};

use crate::chess::pawn_moves::may_have_passed;
use crate::distributed::partition::Partition;
use crate::distributed::transport::Transport;
use crate::solve::options::{Crossed, Options, Progress, Residence};
use crate::solve::schedule::Walk;
use crate::solve::working_set::{Threads, WorkingSet};
use crate::storage::checkpoint::{Checkpoint, CheckpointSide, Found};
use crate::subtables::library::SolveError;
use crate::subtables::seeds::Seeds;
use crate::subtables::solved::Solved;
use crate::table::codes::MOST_CODES;
use crate::table::planes::{PlaneSource, Planes};
use crate::table::solved::{Part, Side};
use crate::table::temp_file::TempFile;
use crate::table::value::{Metric, Value};
use half::Half;

/// The solution of one part.
pub(crate) struct PartSolver<'a> {
    solved: &'a Solved<'a>,
    part: usize,
    domain: Domain,
    options: Options<'a>,
    /// A file for what is put aside until the part is solved, if there is to be one.
    aside: Option<Arc<TempFile>>,
    /// The slices that this process has.
    partition: Partition,
    /// The seeds of each side to move, if this process has all slices.
    seeds: Option<[Seeds; 2]>,
    sides: [Side; 2],
    /// For each side to move whether its stalemates are wanted, and these.
    stalemates: [Option<Bitbase>; 2],
    parts: (usize, usize),
}

impl<'a> PartSolver<'a> {
    /// The walk through the slices in the half in which this side loses.
    fn walk(&self, loser: Color) -> Walk {
        let mine = self.mine(!loser);
        match self.options.residence {
            Residence::Memory => Walk::at_once(mine),
            Residence::Disk { group, .. } => Walk::in_groups(&self.domain, loser, &mine, group),
        }
    }

    /// The slices of this process in the half in which this side wins.
    fn mine(&self, winner: Color) -> Vec<usize> {
        self.partition.mine(winner, self.domain.slices())
    }

    /// The seeds of each side to move in the half in which this side wins.
    fn seeds_for(&mut self, winner: Color, threads: &Threads) -> Result<[Seeds; 2], SolveError> {
        if let Some(seeds) = self.seeds.take() {
            return Ok(seeds);
        }
        let mine = self.mine(winner);
        let [white, black] = Color::ALL.map(|side| self.make_seeds(side, &mine, threads));
        Ok([white?, black?])
    }

    /// Ends the work if it is to stop. Several processes with slices of the same part stop together, after a ply.
    fn heed_stop(&self) -> Result<(), SolveError> {
        self.heed().stop()
    }

    /// The same for loops that have the solver's slices.
    fn heed(&self) -> Heed<'a> {
        Heed(self.partition.is_alone().then_some(self.options.stop))
    }

    fn solve_half(
        &mut self,
        winner: Color,
        working_set: &mut WorkingSet,
        checkpoint: Option<&Checkpoint>,
        transport: &impl Transport,
    ) -> Result<(), SolveError> {
        let loser = !winner;
        let reached = checkpoint.and_then(|checkpoint| checkpoint.reached(winner));
        let known = reached.is_some_and(|reached| reached.all);
        if known && self.stalemates[loser as usize].is_none() {
            return Ok(());
        }
        let mut seeds = self.seeds_for(winner, &working_set.threads)?;
        let half = Half {
            winner,
            loser,
            walk: self.walk(loser),
            reached: reached.map(|reached| reached.plies),
        };
        let metric = self.options.metric;
        if checkpoint.is_none() && metric == Metric::Dtz {
            // Of a side that can't be mated, the codes are not used.
            for plies in 0..2 {
                self.push_value(loser, true, metric.loss(plies))?;
            }
        }
        let mut plies = half.reached.unwrap_or(0);
        self.begin_all(&half, working_set, checkpoint, &seeds[loser as usize])?;
        if metric == Metric::Dtm {
            self.push_value(loser, !working_set.lost_now.is_empty(), metric.loss(0))?;
        }
        let seeded = self.seeded(&seeds, winner, transport)?;
        if known {
            // A checkpoint has no stalemates.
            self.seeds = Some(seeds).filter(|_| self.partition.is_alone());
            return Ok(());
        }
        // Whether any of these are found by any process: their ply follows that of all others.
        let any = |[a, b]: [bool; 2]| {
            let sums = transport.sum([u64::from(a), u64::from(b), 0, 0, 0, 0]);
            [sums[0] > 0, sums[1] > 0]
        };
        // Whether any are lost in the last complete ply and in the one after it.
        let mut lost = [true; 2];
        if let Some(checkpoint) = checkpoint {
            match reached {
                Some(_) => self.restore(&half, working_set, checkpoint, plies)?,
                None => checkpoint.complete(winner, 0, false)?,
            }
            lost = any([plies, plies + 1].map(|plies| {
                let ply = half.lost(plies);
                (0..self.domain.slices()).any(|slice| checkpoint.place(ply, slice).is_some())
            }));
        }
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
            self.heed_stop()?;
            let crossing = self.cross(&half, working_set, checkpoint, plies - 1, transport)?;
            let swept = self.sweep(&half, working_set, checkpoint, &seeds, plies)?;
            seeds[winner as usize].forget(winner, plies);
            seeds[loser as usize].forget(winner, plies + 1);
            let stop = !self.partition.is_alone() && self.options.stop.load(Ordering::Relaxed);
            let [found, stopped, new, sent, frontier, checkpoint_bytes] = transport.sum([
                u64::from(swept.lost),
                u64::from(stop),
                swept.positions,
                crossing.sent,
                crossing.frontier,
                checkpoint.map_or(0, Checkpoint::bytes),
            ]);
            lost = [lost[1], found > 0];
            positions += new;
            crossed.sent += sent;
            crossed.frontier += frontier;
            if let Some(checkpoint) = checkpoint {
                checkpoint.complete(winner, plies, false)?;
            }
            let [read, written] = working_set.traffic();
            (self.options.progress)(Progress {
                winner,
                plies,
                parts: self.parts,
                positions,
                read,
                written,
                checkpoint: checkpoint_bytes,
                crossed,
            });
            if stopped > 0 {
                return Err(SolveError::Interrupted);
            }
        }
        if let Some(checkpoint) = checkpoint {
            checkpoint.complete(winner, plies, true)?;
        }
        self.seeds = Some(seeds).filter(|_| self.partition.is_alone());
        Ok(())
    }

    /// The plies of the half in which this side wins that have seeds of any process: wins in them, and losses in the next
    /// ones.
    fn seeded(
        &self,
        seeds: &[Seeds; 2],
        winner: Color,
        transport: &impl Transport,
    ) -> Result<BTreeSet<u16>, SolveError> {
        let mut plies = seeds[winner as usize].plies(winner);
        let losses = seeds[!winner as usize].plies(winner);
        plies.extend(losses.into_iter().map(|plies| plies - 1));
        if self.partition.is_alone() {
            return Ok(plies);
        }
        let own: Vec<u8> = plies.iter().flat_map(|ply| ply.to_le_bytes()).collect();
        let all = transport.share(own).concat();
        let plies = all.as_chunks().0.iter();
        Ok(plies.map(|&ply| u16::from_le_bytes(ply)).collect())
    }

    /// The values of the sides, and their slices, as a checkpoint has them.
    fn read_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), SolveError> {
        let metric = self.options.metric;
        for side in Color::ALL {
            let wins = checkpoint.plies(side, Found::Won).into_iter();
            let losses = checkpoint.plies(!side, Found::Lost).into_iter();
            let mut values = vec![Value::DRAW];
            values.extend(wins.map(|plies| metric.win(plies)));
            // As without a checkpoint.
            let always = match metric {
                Metric::Dtz if self.solved.shape.can_win(!side) => 2,
                _ => 0,
            };
            values.extend((0..always).map(|plies| metric.loss(plies)));
            let later = losses.filter(|&plies| plies >= always);
            values.extend(later.map(|plies| metric.loss(plies)));
            if values.len() > MOST_CODES {
                return Err(self.solved.too_many());
            }
            let values = Arc::new(values);
            let recorded = Arc::new(CheckpointSide {
                checkpoint: checkpoint.clone(),
                side,
                values: Arc::clone(&values),
                rows: self.domain.rows(),
            });
            let slices = (0..self.domain.slices()).map(|slice| {
                Planes::elsewhere(Arc::clone(&recorded) as Arc<dyn PlaneSource>, slice)
            });
            self.sides[side as usize] = Side {
                values,
                slices: slices.collect(),
            };
        }
        Ok(())
    }
}

impl<'a> PartSolver<'a> {
    /// Solves a part from what it leads to, with its checkpoint if there is to be one. Together with other
    /// processes, this one has some of its slices.
    pub(crate) fn solve(
        part: usize,
        solved: &'a Solved<'a>,
        options: Options<'a>,
        checkpoint: Option<&Checkpoint>,
        transport: &impl Transport,
    ) -> Result<(Part, [Option<Bitbase>; 2]), SolveError> {
        let shape = solved.shape;
        let domain = shape.domain(part);
        let side = Side {
            values: Arc::new(vec![Value::DRAW]),
            slices: vec![Planes::default(); domain.slices()],
        };
        let mut stalemates = [None, None];
        for side in Color::ALL {
            if may_have_passed(shape.pawns(part), !side) {
                stalemates[side as usize] = Some(Bitbase::new(&domain)?);
            }
        }
        let known = |winner: Color| {
            let reached = checkpoint.and_then(|checkpoint| checkpoint.reached(winner));
            !shape.can_win(winner) || reached.is_some_and(|reached| reached.all)
        };
        // What a checkpoint has in full needs no moves, but for stalemates.
        let known = Color::ALL.into_iter().all(known) && stalemates.iter().all(Option::is_none);
        let alone = alone(transport);
        let partition = match alone {
            true => Partition::alone(),
            false => Partition::new(&domain, transport.processes(), transport.number()),
        };
        let mut solver = PartSolver {
            solved,
            part,
            partition,
            seeds: None,
            options,
            aside: None,
            sides: [side.clone(), side],
            stalemates,
            parts: (solved.parts.len(), shape.parts()),
            domain,
        };
        if !known {
            let folder = match options.residence {
                Residence::Memory => None,
                Residence::Disk { folder, .. } => Some(folder),
            };
            let domain = solver.domain.clone();
            let new_room = || WorkingSet::new(&domain, options.backend, folder, !alone);
            let mut working_set = new_room()?;
            if solver.puts_aside() {
                let beside = options.temp_file.map(|file| file.beside()).transpose()?;
                solver.aside = beside.map(Arc::new);
            }
            for winner in Color::ALL {
                if shape.can_win(winner) {
                    solver.solve_half(winner, &mut working_set, checkpoint, transport)?;
                    if !alone {
                        // The other half has other slices.
                        working_set = new_room()?;
                    }
                }
            }
        }
        if let Some(checkpoint) = checkpoint {
            if !alone {
                checkpoint.share_places(transport)?;
            }
            solver.read_checkpoint(checkpoint)?;
        }
        let part = Part {
            domain: solver.domain,
            sides: solver.sides,
        };
        Ok((part, solver.stalemates))
    }
}

/// Ends the work when a flag is set, if there is one.
#[derive(Clone, Copy)]
struct Heed<'a>(Option<&'a AtomicBool>);

impl Heed<'_> {
    fn stop(self) -> Result<(), SolveError> {
        match self.0.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            true => Err(SolveError::Interrupted),
            false => Ok(()),
        }
    }
}

/// Whether there never are other processes.
fn alone<C: Transport>(_: &C) -> bool {
    C::ALONE
}
