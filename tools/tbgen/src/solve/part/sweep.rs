//! A sweep over the slices, which finds what is won in a ply and what is lost in the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::{Direction, FrontierSlice, Row, Slice};

use super::PartSolver;
use super::crossing::unpack;
use super::half::{Half, Swept};
use crate::solve::working_set::{Work, WorkingSet};
use crate::storage::checkpoint::{Checkpoint, Ply};
use crate::subtables::library::SolveError;
use crate::subtables::seeds::Seeds;
use crate::table::codes::{MOST_CODES, code_of_mate};
use crate::table::slices::{among, chosen};
use crate::table::value::{Metric, Value};

/// The number of values from which a side needs its seventh plane. From there on, memory gets ever shorter.
const MANY_VALUES: usize = 64;

impl PartSolver<'_> {
    /// Finds the positions won in a ply and those lost in the next one, from those lost in the ply before.
    /// Returns whether any are lost.
    pub(super) fn sweep(
        &mut self,
        half: &Half,
        working_set: &mut WorkingSet,
        checkpoint: Option<&Checkpoint>,
        seeds: &[Seeds; 2],
        plies: u16,
    ) -> Result<Swept, SolveError> {
        let Half { winner, loser, .. } = *half;
        let [wins, losses] = [winner, loser].map(|side| &seeds[side as usize]);
        let domain = &self.domain.clone();
        let rows = domain.rows();
        let (metric, backend) = (self.options.metric, self.options.backend);
        let win_code = self.code_for(checkpoint, winner, metric.win(plies))?;
        let loss_code = self.code_for(checkpoint, loser, metric.loss(plies + 1))?;
        let short = checkpoint.is_some()
            || (self.sides.iter()).any(|side| side.values.len() >= MANY_VALUES);
        // What has positions, as far as sets on disk are concerned, whose slices may be left out.
        let received: Vec<usize> = working_set.received().collect();
        let on_disk = working_set.disk.is_some();
        let nothing_lost = !on_disk && working_set.lost_now.is_empty();
        let sourced = |slice: usize| match checkpoint {
            Some(checkpoint) if on_disk => {
                let place = checkpoint.place(half.lost(plies - 1), slice);
                place.is_some() || received.binary_search(&slice).is_ok()
            }
            _ => !nothing_lost,
        };
        let opens = |slice: usize| losses.has(winner, plies + 1, slice);
        let (found_win, found_loss) = (AtomicBool::new(false), AtomicBool::new(false));
        let positions = AtomicU64::new(0);
        let note = |ply: Ply, number: usize, new: &FrontierSlice<'_>, buffer: &mut Vec<u8>| {
            let Some(checkpoint) = checkpoint else {
                return Ok(());
            };
            positions.fetch_add(
                checkpoint.append(ply, number, new, buffer)?,
                Ordering::Relaxed,
            );
            Ok::<(), SolveError>(())
        };

        if short {
            working_set.won_new.shrink()?;
        } else if nothing_lost {
            working_set.won_new.clear();
        }
        let heed = self.heed();
        let mut cleared = false;
        for step in &half.walk.steps {
            self.heed_stop()?;
            let active: Vec<usize> = (step.wins.iter().copied())
                .filter(|&slice| {
                    wins.has(winner, plies, slice)
                        || half.walk.around(&[slice], winner).into_iter().any(sourced)
                })
                .collect();
            for active in active.chunks(half.walk.wins_at_once) {
                let around = half.walk.around(active, winner);
                self.bring_sources(half, working_set, checkpoint, plies - 1, &around)?;
                working_set.bring_won(active)?;
                let wanted = chosen(domain, active);
                let WorkingSet {
                    won,
                    won_new,
                    lost_now,
                    threads,
                    disk,
                    ..
                } = &mut *working_set;
                let lost_now = &*lost_now;
                let slices = won
                    .slices_mut()
                    .zip(&mut self.sides[winner as usize].slices)
                    .zip(won_new.slices_mut());
                among(slices, &wanted).try_for_each_init(
                    || threads.lend(),
                    |lent, (number, ((won, planes), mut out))| {
                        heed.stop()?;
                        let Work { gathered, buffer } = lent.get();
                        let slice = Slice::new(domain, number);
                        gathered.moves(&slice, winner, Direction::Backward, lost_now);
                        wins.wins(&slice, plies, gathered)?;
                        gathered.take_new(won, &mut out);
                        if out.is_empty() {
                            return Ok(());
                        }
                        found_win.store(true, Ordering::Relaxed);
                        note(half.won(plies), number, &out, buffer)?;
                        if checkpoint.is_none() {
                            planes.record(&out, rows, win_code, backend);
                        }
                        Ok::<(), SolveError>(())
                    },
                )?;
                if let Some(disk) = disk {
                    for &slice in active {
                        disk.changed[slice] |= !won_new.is_empty_slice(slice);
                    }
                }
            }

            // What is lost goes where sources were read from, whose turn is over if all are in memory.
            let won_new = &working_set.won_new;
            let active: Vec<usize> = if on_disk {
                let news = |&slice: &usize| !won_new.is_empty_slice(slice);
                (step.losses.iter().copied())
                    .filter(|&slice| {
                        opens(slice) || half.walk.around(&[slice], loser).iter().any(news)
                    })
                    .collect()
            } else if found_win.load(Ordering::Relaxed) {
                step.losses.clone()
            } else {
                let losses = step.losses.iter().copied();
                losses.filter(|&slice| opens(slice)).collect()
            };
            if !on_disk {
                std::mem::swap(&mut working_set.lost_now, &mut working_set.lost_after);
                if short {
                    working_set.lost_after.shrink()?;
                } else if active.len() < step.losses.len() {
                    working_set.lost_after.clear();
                }
                cleared = true;
            }
            if !active.is_empty() {
                working_set.bring_won(&half.walk.around(&active, loser))?;
                let wanted = chosen(domain, &active);
                let WorkingSet {
                    won,
                    done,
                    won_new,
                    lost_after,
                    threads,
                    disk,
                    ..
                } = &mut *working_set;
                let (won, won_new, disk) = (&*won, &*won_new, disk.as_ref());
                let mut planes = std::mem::take(&mut self.sides[loser as usize].slices);
                let slices = (done.slices_mut())
                    .zip(&mut planes)
                    .zip(lost_after.slices_mut());
                let result = among(slices, &wanted).try_for_each_init(
                    || threads.lend(),
                    |lent, (number, ((done, planes), mut out))| {
                        heed.stop()?;
                        let Work { gathered, buffer } = lent.get();
                        let slice = Slice::new(domain, number);
                        if let Some(disk) = disk {
                            disk.done.read(number, done).map_err(|e| disk.reading(e))?;
                        }
                        losses.open(&slice, plies + 1, backend, gathered, done)?;
                        gathered.moves(&slice, loser, Direction::Backward, won_new);
                        gathered.take_confined(&slice, loser, won, done, &mut out);
                        if !out.is_empty() {
                            found_loss.store(true, Ordering::Relaxed);
                            note(half.lost(plies + 1), number, &out, buffer)?;
                        }
                        if checkpoint.is_none() {
                            planes.record(&out, rows, loss_code, backend);
                        }
                        // Positions that were held are open from now on, lost or not.
                        if let Some(disk) = disk
                            && (opens(number) || !out.is_empty())
                        {
                            disk.done.write(number, done).map_err(|e| disk.writing(e))?;
                        }
                        Ok::<(), SolveError>(())
                    },
                );
                self.sides[loser as usize].slices = planes;
                result?;
                if on_disk {
                    for &slice in &active {
                        working_set.done.release_slice(slice);
                        working_set.lost_after.release_slice(slice);
                    }
                }
            }
            working_set.leave(&step.leave)?;
        }
        self.bring_sources(half, working_set, checkpoint, plies - 1, &[])?;
        debug_assert!(cleared || on_disk);
        let (found_win, found_loss) = (found_win.into_inner(), found_loss.into_inner());
        let found = [
            (winner, found_win, metric.win(plies)),
            (loser, found_loss, metric.loss(plies + 1)),
        ];
        for (side, found, value) in found {
            match (checkpoint, metric) {
                (None, _) => self.push_value(side, found, value)?,
                // A checkpoint could say it, but larger tables, which have codes, could not be built upon it.
                (Some(_), Metric::Dtm) if found => _ = self.code_of(side, value)?,
                _ => {}
            }
        }
        Ok(Swept {
            lost: found_loss,
            positions: positions.into_inner(),
        })
    }

    /// Brings what was lost in a ply in the slices around some, where sets are on disk: from what other processes have
    /// sent, or from the checkpoint.
    fn bring_sources(
        &self,
        half: &Half,
        working_set: &mut WorkingSet,
        checkpoint: Option<&Checkpoint>,
        plies: u16,
        around: &[usize],
    ) -> Result<(), SolveError> {
        let (Some(disk), Some(checkpoint)) = (&mut working_set.disk, checkpoint) else {
            return Ok(());
        };
        let mut wanted = chosen(&self.domain, around);
        for (slice, here) in disk.sources.iter_mut().enumerate() {
            if *here && !wanted[slice] {
                working_set.lost_now.release_slice(slice);
                *here = false;
            }
        }
        for (wanted, here) in wanted.iter_mut().zip(&disk.sources) {
            *wanted &= !here;
        }
        let slabs = self.domain.slabs();
        let received = &disk.received;
        among(working_set.lost_now.slices_mut(), &wanted).try_for_each(|(slice, mut out)| {
            let put = |slab, rows: &[Row; 8]| out.put_slab(slab, rows);
            if let Some(entry) = received.get(&slice) {
                return unpack(entry, slabs, put);
            }
            match checkpoint.place(half.lost(plies), slice) {
                Some(place) => Ok(checkpoint.slabs(place, slabs, put)?),
                None => Ok(()),
            }
        })?;
        for &slice in around {
            disk.sources[slice] = true;
        }
        Ok(())
    }

    /// Gives a value its code, if it was found and has none.
    pub(super) fn push_value(
        &mut self,
        side: Color,
        found: bool,
        value: Value,
    ) -> Result<(), SolveError> {
        if !found {
            return Ok(());
        }
        let code = usize::from(self.code_of(side, value)?);
        let values = &mut self.sides[side as usize].values;
        if values.get(code) != Some(&value) {
            let values = Arc::make_mut(values);
            values.resize(values.len().max(code + 1), Value::DRAW);
            values[code] = value;
        }
        Ok(())
    }

    /// The code of a value, or the one that it will get.
    pub(super) fn code_of(&self, side: Color, value: Value) -> Result<u16, SolveError> {
        let code = match self.options.metric {
            Metric::Dtz => {
                let values = &self.sides[side as usize].values;
                let code = values.iter().position(|&there| there == value);
                let code = code.unwrap_or(values.len());
                (code < MOST_CODES).then_some(code as u16)
            }
            Metric::Dtm => code_of_mate(value, side),
        };
        code.ok_or_else(|| self.solved.too_many())
    }

    /// The code of a value where it is recorded at once: a checkpoint gives it at the end. By the distance to mate, a value may
    /// have none; then it is an error if it is found.
    fn code_for(
        &self,
        checkpoint: Option<&Checkpoint>,
        side: Color,
        value: Value,
    ) -> Result<u16, SolveError> {
        match (checkpoint, self.options.metric) {
            (Some(_), _) => Ok(0),
            (None, Metric::Dtz) => self.code_of(side, value),
            (None, Metric::Dtm) => Ok(code_of_mate(value, side).unwrap_or(0)),
        }
    }
}
