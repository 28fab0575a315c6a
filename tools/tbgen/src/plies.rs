//! The solution of a part of a table, ply by ply.
//!
//! White's wins are found first and then black's; the two halves are independent. In each half one side is
//! the winner and the other the loser. Positions in which the loser is checkmated are lost in 0 plies. A
//! position is won in n plies if the winner has a move to a position lost in n − 1 plies, and it was not
//! won before. A position is lost in n plies if all moves of the loser lead to positions won in n − 1 plies
//! or fewer. Captures and the moves of pawns lead to what is solved: winning ones are wins in 1, and a loser with
//! one into safety never loses. Beyond 100 plies the wins are cursed, and from then on those into cursed wins
//! count, too.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::{Bitbase, Domain, FrontierSlice, Gathered, Row, Slice, Way};

use crate::doors::{Doors, Exits};
use crate::due::{Due, Improvement};
use crate::library::SolveError;
use crate::log::{Found, Logged, Ply, PlyLog};
use crate::options::{Options, Progress, Residence};
use crate::planes::{Codes, HasPlanes, MOST_CODES, Planes};
use crate::promises::Promise;
use crate::room::{Room, Work};
use crate::shape::Shape;
use crate::solved::Solved;
use crate::steps::may_have_passed;
use crate::table::{Part, Side};
use crate::value::{Metric, Outcome, Value};
use crate::walk::Walk;

/// The last ply in which a win is not cursed.
const RULE: u16 = 100;

/// The number of values from which a side needs its seventh plane. From there on, memory gets ever shorter.
const MANY_VALUES: usize = 64;

/// The solution of one part.
pub(crate) struct Solver<'a> {
    solved: &'a Solved<'a>,
    part: usize,
    domain: Domain,
    options: Options<'a>,
    /// The moves of each side out of the part.
    doors: [Doors; 2],
    sides: [Side; 2],
    /// For each side to move whether its stalemates are wanted, and these.
    stalemates: [Option<Bitbase>; 2],
    parts: (usize, usize),
}

/// Where the loser's first losses go: a slice of each.
struct First<'a, 'f> {
    done: &'a mut [Row],
    mated: &'a mut FrontierSlice<'f>,
    forced: &'a mut FrontierSlice<'f>,
    stalemates: Option<&'a mut [Row]>,
}

impl Solver<'_> {
    /// Finds checkmates, stalemates, and positions that only the loser's captures decide, in one slice.
    fn begin(
        &self,
        slice: &Slice<'_>,
        loser: Color,
        illegal: &Bitbase,
        escapes: &Doors,
        gathered: &mut Gathered,
        first: First<'_, '_>,
    ) {
        let First {
            done,
            mated,
            forced,
            stalemates,
        } = first;
        let rows = done.len();
        gathered.clear();
        escapes.any.gather(slice, gathered);
        let any = gathered.rows().to_vec();
        gathered.clear();
        escapes.not_won.gather(slice, gathered);

        // The positions from which no move is left but those out of the part.
        slice.illegal_into(loser, done, self.options.backend);
        let mut stuck: Vec<Row> = done.iter().map(|&row| !row).collect();
        slice.confine(loser, illegal, &mut stuck, self.options.backend);
        // A side is in check exactly where it would be illegal for the other side to be to move.
        let check = illegal.slice(slice.number());
        let safe = gathered.rows();
        if let Some(stalemates) = stalemates {
            for (at, out) in stalemates.iter_mut().enumerate() {
                *out = stuck[at] & !any[at] & !check[at];
            }
        }
        mated.fill(|at| stuck[at] & !any[at] & check[at]);
        if self.options.metric == Metric::Dtz {
            forced.fill(|at| stuck[at] & any[at] & !safe[at]);
        } else {
            // They are lost later, by what their moves lead to.
            forced.clear();
        }
        let out = |at: usize| match self.options.metric {
            Metric::Dtz => stuck[at] & (!any[at] | !safe[at]),
            Metric::Dtm => stuck[at] & !any[at],
        };
        for at in 0..rows {
            done[at] |= safe[at] | out(at);
        }
        gathered.clear();
    }

    /// Gathers what is saved no longer in a slice once the loser's moves out of the part are safe only if they
    /// lead into `now` and no longer if they lead into `before`, and takes it out of what is done.
    fn reopen(
        &self,
        slice: &Slice<'_>,
        loser: Color,
        [before, now]: [&Exits; 2],
        gathered: &mut Gathered,
        done: &mut [Row],
    ) {
        now.gather(slice, gathered);
        let now = gathered.rows().to_vec();
        gathered.clear();
        before.gather(slice, gathered);
        let mut saved = vec![Row::EMPTY; done.len()];
        slice.illegal_into(loser, &mut saved, self.options.backend);
        for at in 0..done.len() {
            saved[at] = gathered.rows()[at] & !now[at] & !saved[at];
            done[at] &= !saved[at];
        }
        gathered.clear();
        gathered.add(&saved);
    }

    /// The next free code of a side's values.
    fn next_code(&self, side: Color) -> Result<u16, SolveError> {
        let code = self.sides[side as usize].values.len();
        if code < MOST_CODES {
            Ok(code as u16)
        } else {
            Err(SolveError::TooManyValues(self.solved.shape.material()))
        }
    }

    /// Gives each position of a side the best value that its moves out of the part bring, if it is not `shut`, and
    /// notes in which slabs which codes are due. What is promised to the loser is shut from then on.
    fn promise(
        &mut self,
        side: Color,
        wins: bool,
        shut: &mut Bitbase,
    ) -> Result<Vec<Due>, SolveError> {
        let mut this = std::mem::take(&mut self.sides[side as usize]);
        let domain = &self.domain;
        let backend = self.options.backend;
        let mut improvements: BTreeMap<Value, Improvement> = BTreeMap::new();
        let many = || SolveError::TooManyValues(self.solved.shape.material());
        (self.solved).promises(self.part, side, wins, &mut |promise| {
            match promise {
                Promise::Values(values) => {
                    let mine = |value| Metric::Dtm.after_move(value, true);
                    for &value in values {
                        this.code_of(mine(value)).ok_or_else(many)?;
                    }
                    for &value in values {
                        let improvement = Improvement::new(&mut this, mine(value));
                        improvements.insert(value, improvement.ok_or_else(many)?);
                    }
                }
                Promise::Captures(value, captures) => {
                    let improvement = &improvements[&value];
                    let shut = &*shut;
                    this.slices.par_iter_mut().enumerate().for_each_init(
                        || Gathered::new(domain, backend),
                        |gathered, (number, planes)| {
                            let slice = Slice::new(domain, number);
                            gathered.captures(&slice, [captures]);
                            gathered.drain(|slab, these| {
                                improvement.apply(planes, slab, these, shut.slice(number));
                            });
                        },
                    );
                }
                Promise::Slab(value, slab, these) => {
                    improvements[&value].apply(&mut this.slices[0], slab, these, shut.slice(0));
                }
            }
            Ok(())
        })?;
        let values = Arc::clone(&this.values);
        let dues = (this.slices.par_iter().zip(shut.par_slices_mut()))
            .map(|(planes, shut)| {
                let due = Due::note(planes, domain.slabs(), &values, wins, shut);
                if !wins {
                    let losses = losses(&values);
                    for slab in due.all() {
                        for (r, row) in planes.slab_with(slab, &losses).into_iter().enumerate() {
                            shut[slab * 8 + r] |= row;
                        }
                    }
                }
                due
            })
            .collect();
        self.sides[side as usize] = this;
        Ok(dues)
    }

    /// The code of a value, if it is due anywhere.
    fn due(&self, dues: &[Vec<Due>; 2], side: Color, value: Value) -> Option<u16> {
        let values = &self.sides[side as usize].values;
        let code = values.iter().position(|&there| there == value)?;
        let code = code as u16;
        (dues[side as usize].iter().any(|due| due.has(code))).then_some(code)
    }

    /// Whether anything is due later than in this ply.
    fn is_due_after(&self, dues: &[Vec<Due>; 2], plies: u16) -> bool {
        Color::ALL.into_iter().any(|side| {
            let values = &self.sides[side as usize].values;
            dues[side as usize].iter().any(|due| {
                let mut codes = (0..values.len()).filter(|&code| due.has(code as u16));
                codes.any(|code| values[code].plies > plies)
            })
        })
    }

    /// Takes the codes of losses from positions that are not lost after all.
    fn forget_promises(&mut self, loser: Color, dues: &[Due], done: &Bitbase) {
        let Side { values, slices } = &mut self.sides[loser as usize];
        let losses = losses(values);
        for (number, (planes, due)) in slices.iter_mut().zip(dues).enumerate() {
            let done = done.slice(number);
            for slab in due.all() {
                let lost = planes.slab_with(slab, &losses);
                let not = std::array::from_fn(|r| lost[r] & !done[slab * 8 + r]);
                planes.replace(slab, &not, done.len(), 0);
            }
        }
    }

    /// The walk through the slices in the half in which this side loses.
    fn walk(&self, loser: Color) -> Walk {
        match self.options.residence {
            Residence::Memory => Walk::at_once(self.domain.slices()),
            Residence::Disk { group, .. } => Walk::in_groups(&self.domain, loser, group),
        }
    }

    /// Fills the sets with what is won and lost at once, slice by slice.
    fn begin_all(
        &mut self,
        half: &Half<'_>,
        room: &mut Room,
        log: Option<&PlyLog>,
    ) -> Result<(), SolveError> {
        let Half { winner, loser, .. } = *half;
        let domain = &self.domain.clone();
        let backend = self.options.backend;
        room.won_new.clear();
        let mut planes = std::mem::take(&mut self.sides[loser as usize].slices);
        let mut stalemates = self.stalemates[loser as usize].take();
        let mut of_slices: Vec<Option<&mut [Row]>> = match &mut stalemates {
            Some(set) => set.slices_mut().map(Some).collect(),
            None => (0..domain.slices()).map(|_| None).collect(),
        };
        for step in &half.walk.steps {
            let wanted = chosen(domain, &step.wins);
            (room.won.par_slices_mut().enumerate())
                .filter(|(number, _)| wanted[*number])
                .for_each(|(number, won)| {
                    Slice::new(domain, number).illegal_into(winner, won, backend);
                });
            if let Some(disk) = &mut room.disk {
                for &slice in &step.wins {
                    (disk.here[slice], disk.changed[slice]) = (true, true);
                }
            }
            let wanted = chosen(domain, &step.losses);
            let Room {
                won,
                done,
                lost_now,
                lost_after,
                threads,
                disk,
                ..
            } = &mut *room;
            let (this, won, disk) = (&*self, &*won, disk.as_ref());
            done.par_slices_mut()
                .zip(&mut planes)
                .zip(lost_now.par_slices_mut().zip(lost_after.par_slices_mut()))
                .zip(&mut of_slices)
                .enumerate()
                .filter(|(number, _)| wanted[*number])
                .try_for_each_init(
                    || threads.lend(),
                    |lent, (number, (((done, planes), (mut mated, mut forced)), stalemates))| {
                        let Work { gathered, buffer } = lent.get();
                        let slice = Slice::new(domain, number);
                        let first = First {
                            done,
                            mated: &mut mated,
                            forced: &mut forced,
                            stalemates: stalemates.take(),
                        };
                        this.begin(&slice, loser, won, half.escapes, gathered, first);
                        for (plies, new) in [(0, &mated), (1, &forced)] {
                            match log {
                                Some(log) if half.begins => {
                                    log.append(half.lost(plies), number, new, buffer)?;
                                }
                                None if !new.is_empty() => {
                                    let value = this.options.metric.loss(plies);
                                    let code = this.code_there(loser, value);
                                    planes.record(new, domain.rows(), code);
                                }
                                _ => {}
                            }
                        }
                        match disk {
                            Some(disk) => {
                                disk.done.write(number, done).map_err(|e| disk.writing(e))
                            }
                            None => Ok(()),
                        }
                    },
                )?;
            if room.disk.is_some() {
                for &slice in &step.losses {
                    room.done.release_slice(slice);
                    room.lost_now.release_slice(slice);
                    room.lost_after.release_slice(slice);
                }
            }
            room.leave(&step.leave)?;
        }
        self.stalemates[loser as usize] = stalemates;
        self.sides[loser as usize].slices = planes;
        Ok(())
    }

    /// The code of a value that is there.
    fn code_there(&self, side: Color, value: Value) -> u16 {
        let values = &self.sides[side as usize].values;
        let code = values.iter().position(|&there| there == value);
        code.expect("a value that is there") as u16
    }

    /// Adds to the sets what a log has of this half, up to its last complete ply.
    fn restore(
        &self,
        half: &Half<'_>,
        room: &mut Room,
        log: &PlyLog,
        plies: u16,
    ) -> Result<(), SolveError> {
        let domain = &self.domain;
        let Half {
            winner,
            loser,
            escapes,
            ..
        } = *half;
        let unite = |found: Found, slice: usize, rows: &mut [Row]| {
            for place in log.places(winner, found, slice) {
                log.slabs(place, domain.slabs(), |slab, these| {
                    for (mine, these) in rows[slab * 8..].iter_mut().zip(these) {
                        *mine |= *these;
                    }
                })?;
            }
            Ok::<(), SolveError>(())
        };
        let all: Vec<usize> = (0..domain.slices()).collect();
        let at_once = match self.options.residence {
            Residence::Memory => all.len(),
            Residence::Disk { group, .. } => group,
        };
        for slices in all.chunks(at_once) {
            room.bring_won(slices)?;
            let wanted = chosen(domain, slices);
            (room.won.par_slices_mut().enumerate())
                .filter(|(number, _)| wanted[*number])
                .try_for_each(|(number, rows)| unite(Found::Won, number, rows))?;
            let Room {
                done,
                lost_now,
                lost_after,
                threads,
                disk,
                ..
            } = &mut *room;
            let disk = disk.as_ref();
            done.par_slices_mut()
                .zip(lost_now.par_slices_mut().zip(lost_after.par_slices_mut()))
                .enumerate()
                .filter(|(number, _)| wanted[*number])
                .try_for_each_init(
                    || threads.lend(),
                    |lent, (number, (rows, (mut now, mut after)))| {
                        if let Some(disk) = disk {
                            disk.done.read(number, rows).map_err(|e| disk.reading(e))?;
                        }
                        if plies >= RULE
                            && let Some(not_cursed) = &escapes.not_cursed
                        {
                            let gathered = &mut lent.get().gathered;
                            let slice = Slice::new(domain, number);
                            let doors = [&escapes.not_won, not_cursed];
                            self.reopen(&slice, loser, doors, gathered, rows);
                            gathered.clear();
                        }
                        unite(Found::Lost, number, rows)?;
                        if let Some(disk) = disk {
                            return disk.done.write(number, rows).map_err(|e| disk.writing(e));
                        }
                        for (frontier, plies) in [(&mut now, plies), (&mut after, plies + 1)] {
                            frontier.clear();
                            if let Some(place) = log.place(half.lost(plies), number) {
                                log.slabs(place, domain.slabs(), |slab, rows| {
                                    frontier.put_slab(slab, rows);
                                })?;
                            }
                        }
                        Ok(())
                    },
                )?;
            if let Some(disk) = &mut room.disk {
                for &slice in slices {
                    disk.changed[slice] = true;
                    room.done.release_slice(slice);
                }
                room.leave(slices)?;
            }
        }
        Ok(())
    }

    /// Reads what was lost in a ply in the slices around some from the log, where sets are on disk.
    fn bring_sources(
        &self,
        half: &Half<'_>,
        room: &mut Room,
        log: Option<&PlyLog>,
        plies: u16,
        around: &[usize],
    ) -> Result<(), SolveError> {
        let (Some(disk), Some(log)) = (&mut room.disk, log) else {
            return Ok(());
        };
        let wanted = chosen(&self.domain, around);
        for (slice, here) in disk.sources.iter_mut().enumerate() {
            if *here && !wanted[slice] {
                room.lost_now.release_slice(slice);
                *here = false;
            }
        }
        let slabs = self.domain.slabs();
        let sources = &disk.sources;
        (room.lost_now.par_slices_mut().enumerate())
            .filter(|(slice, _)| wanted[*slice] && !sources[*slice])
            .try_for_each(
                |(slice, mut out)| match log.place(half.lost(plies), slice) {
                    Some(place) => log.slabs(place, slabs, |slab, rows| out.put_slab(slab, rows)),
                    None => Ok(()),
                },
            )?;
        for &slice in around {
            disk.sources[slice] = true;
        }
        Ok(())
    }

    /// Finds the positions won in a ply and those lost in the next one, from those lost in the ply before.
    /// Returns whether any are lost.
    fn sweep(
        &mut self,
        half: &Half<'_>,
        room: &mut Room,
        log: Option<&PlyLog>,
        dues: &[Vec<Due>; 2],
        plies: u16,
    ) -> Result<Swept, SolveError> {
        let Half {
            winner,
            loser,
            wins,
            escapes,
            ..
        } = *half;
        let domain = &self.domain.clone();
        let rows = domain.rows();
        let metric = self.options.metric;
        let nowhere = Exits::default();
        let exits = match (metric, plies) {
            (Metric::Dtz, 1) => &wins.lost,
            (Metric::Dtz, n) if n == RULE + 1 => &wins.blessed,
            _ => &nowhere,
        };
        let reopens = metric == Metric::Dtz && plies == RULE;
        let reopened = (escapes.not_cursed.as_ref()).filter(|_| reopens);
        let win_due = self.due(dues, winner, metric.win(plies));
        let loss_due = self.due(dues, loser, metric.loss(plies + 1));
        let win_code = self.code_for(log, win_due, winner)?;
        let loss_code = self.code_for(log, loss_due, loser)?;
        let short =
            log.is_some() || (self.sides.iter()).any(|side| side.values.len() >= MANY_VALUES);
        // What has positions, as far as sets on disk are concerned, whose slices may be left out.
        let sourced = |slice: usize| match log {
            Some(log) if half.on_disk() => log.place(half.lost(plies - 1), slice).is_some(),
            _ => true,
        };
        let all_wins = !exits.is_empty() || win_due.is_some();
        let all_losses = reopened.is_some() || loss_due.is_some();
        let (found_win, found_loss) = (AtomicBool::new(false), AtomicBool::new(false));
        let positions = AtomicU64::new(0);
        let note = |ply: Ply, number: usize, new: &FrontierSlice<'_>, buffer: &mut Vec<u8>| {
            let Some(log) = log else {
                return Ok(());
            };
            positions.fetch_add(log.append(ply, number, new, buffer)?, Ordering::Relaxed);
            Ok::<(), SolveError>(())
        };

        let nothing_lost = room.disk.is_none() && room.lost_now.is_empty();
        if short {
            room.won_new.shrink()?;
        } else if nothing_lost {
            room.won_new.clear();
        }
        let mut cleared = false;
        for step in &half.walk.steps {
            if self.options.stop.load(Ordering::Relaxed) {
                return Err(SolveError::Interrupted);
            }
            let active: Vec<usize> = (step.wins.iter().copied())
                .filter(|&slice| {
                    all_wins || half.walk.around(&[slice], winner).into_iter().any(sourced)
                })
                .collect();
            if !(nothing_lost && !all_wins || active.is_empty()) {
                let around = half.walk.around(&active, winner);
                self.bring_sources(half, room, log, plies - 1, &around)?;
                room.bring_won(&active)?;
                let wanted = chosen(domain, &active);
                let Room {
                    won,
                    won_new,
                    lost_now,
                    threads,
                    disk,
                    ..
                } = &mut *room;
                let lost_now = &*lost_now;
                let due_slices = &dues[winner as usize];
                won.par_slices_mut()
                    .zip(&mut self.sides[winner as usize].slices)
                    .zip(won_new.par_slices_mut())
                    .enumerate()
                    .filter(|(number, _)| wanted[*number])
                    .try_for_each_init(
                        || threads.lend(),
                        |lent, (number, ((won, planes), mut out))| {
                            let Work { gathered, buffer } = lent.get();
                            let slice = Slice::new(domain, number);
                            gathered.moves(&slice, winner, Way::Back, lost_now);
                            exits.gather(&slice, gathered);
                            if let Some(code) = win_due {
                                for (slab, these) in due_slices[number].slabs(code, planes) {
                                    gathered.add_slab(slab, &these);
                                }
                            }
                            gathered.take_new(won, &mut out);
                            if out.is_empty() {
                                return Ok(());
                            }
                            found_win.store(true, Ordering::Relaxed);
                            note(half.won(plies), number, &out, buffer)?;
                            match (log, metric) {
                                (Some(_), _) => {}
                                (None, Metric::Dtz) => planes.record(&out, rows, win_code),
                                (None, Metric::Dtm) => planes.replace_all(&out, rows, win_code),
                            }
                            Ok::<(), SolveError>(())
                        },
                    )?;
                if let Some(disk) = disk {
                    for &slice in &active {
                        disk.changed[slice] |= !won_new.is_empty_slice(slice);
                    }
                }
            }

            // What is lost goes where sources were read from, whose turn is over if all are in memory.
            let on_disk = room.disk.is_some();
            let won_new = &room.won_new;
            let active: Vec<usize> = if on_disk {
                let news = |&slice: &usize| !won_new.is_empty_slice(slice);
                (step.losses.iter().copied())
                    .filter(|&slice| {
                        all_losses || half.walk.around(&[slice], loser).iter().any(news)
                    })
                    .collect()
            } else if all_losses || found_win.load(Ordering::Relaxed) {
                step.losses.clone()
            } else {
                Vec::new()
            };
            if !on_disk {
                std::mem::swap(&mut room.lost_now, &mut room.lost_after);
                if short {
                    room.lost_after.shrink()?;
                } else if active.is_empty() {
                    room.lost_after.clear();
                }
                cleared = true;
            }
            if !active.is_empty() {
                room.bring_won(&half.walk.around(&active, loser))?;
                let wanted = chosen(domain, &active);
                let Room {
                    won,
                    done,
                    won_new,
                    lost_after,
                    threads,
                    disk,
                    ..
                } = &mut *room;
                let (won, won_new, disk) = (&*won, &*won_new, disk.as_ref());
                let due_slices = &dues[loser as usize];
                let mut planes = std::mem::take(&mut self.sides[loser as usize].slices);
                let this = &*self;
                let result = done
                    .par_slices_mut()
                    .zip(&mut planes)
                    .zip(lost_after.par_slices_mut())
                    .enumerate()
                    .filter(|(number, _)| wanted[*number])
                    .try_for_each_init(
                        || threads.lend(),
                        |lent, (number, ((done, planes), mut out))| {
                            let Work { gathered, buffer } = lent.get();
                            let slice = Slice::new(domain, number);
                            if let Some(disk) = disk {
                                disk.done.read(number, done).map_err(|e| disk.reading(e))?;
                            }
                            if let Some(now) = reopened {
                                let doors = [&escapes.not_won, now];
                                this.reopen(&slice, loser, doors, gathered, done);
                            }
                            if let Some(code) = loss_due {
                                for (slab, these) in due_slices[number].slabs(code, planes) {
                                    gathered.add_slab(slab, &these);
                                    for (done, these) in done[slab * 8..].iter_mut().zip(these) {
                                        *done &= !these;
                                    }
                                }
                            }
                            gathered.moves(&slice, loser, Way::Back, won_new);
                            gathered.take_confined(&slice, loser, won, done, &mut out);
                            if !out.is_empty() {
                                found_loss.store(true, Ordering::Relaxed);
                                note(half.lost(plies + 1), number, &out, buffer)?;
                            }
                            match (log, metric) {
                                (Some(_), _) => {}
                                (None, Metric::Dtz) => planes.record(&out, rows, loss_code),
                                (None, Metric::Dtm) => planes.replace_all(&out, rows, loss_code),
                            }
                            if let Some(disk) = disk
                                && (reopened.is_some() || !out.is_empty())
                            {
                                disk.done.write(number, done).map_err(|e| disk.writing(e))?;
                            }
                            Ok::<(), SolveError>(())
                        },
                    );
                self.sides[loser as usize].slices = planes;
                result?;
                if room.disk.is_some() {
                    for &slice in &active {
                        room.done.release_slice(slice);
                        room.lost_after.release_slice(slice);
                    }
                }
            }
            room.leave(&step.leave)?;
        }
        self.bring_sources(half, room, log, plies - 1, &[])?;
        debug_assert!(cleared || room.disk.is_some());
        let (found_win, found_loss) = (found_win.into_inner(), found_loss.into_inner());
        if log.is_none() {
            self.push_value(winner, found_win && win_due.is_none(), metric.win(plies));
            self.push_value(
                loser,
                found_loss && loss_due.is_none(),
                metric.loss(plies + 1),
            );
        }
        Ok(Swept {
            lost: found_loss,
            positions: positions.into_inner(),
        })
    }

    fn push_value(&mut self, side: Color, found: bool, value: Value) {
        if found {
            Arc::make_mut(&mut self.sides[side as usize].values).push(value);
        }
    }

    /// The code of what a ply finds.
    fn code_for(
        &self,
        log: Option<&PlyLog>,
        due: Option<u16>,
        side: Color,
    ) -> Result<u16, SolveError> {
        match (log, due) {
            // It is given at the end.
            (Some(_), _) => Ok(0),
            (None, Some(code)) => Ok(code),
            (None, None) => self.next_code(side),
        }
    }

    fn solve_half(
        &mut self,
        winner: Color,
        room: &mut Room,
        log: Option<&PlyLog>,
    ) -> Result<(), SolveError> {
        let reached = log.and_then(|log| log.reached(winner));
        if reached.is_some_and(|reached| reached.all) {
            return Ok(());
        }
        let loser = !winner;
        let doors = std::mem::take(&mut self.doors);
        let half = Half {
            winner,
            loser,
            wins: &doors[winner as usize],
            escapes: &doors[loser as usize],
            walk: self.walk(loser),
            begins: reached.is_none(),
        };
        let cursed = !half.wins.blessed.is_empty() || half.escapes.not_cursed.is_some();
        let metric = self.options.metric;
        if log.is_none() {
            // Of a side that can't be mated, the codes are not used.
            let count = if metric == Metric::Dtz { 2 } else { 1 };
            for plies in 0..count {
                self.push_value(loser, true, metric.loss(plies));
            }
        }
        self.begin_all(&half, room, log)?;
        let mut dues = [Vec::new(), Vec::new()];
        if metric == Metric::Dtm {
            dues[winner as usize] = self.promise(winner, true, &mut room.won)?;
            dues[loser as usize] = self.promise(loser, false, &mut room.done)?;
        }
        let mut plies = 0;
        // Whether any are lost in the last complete ply and in the one after it.
        let mut lost = [true; 2];
        if let Some(log) = log {
            match reached {
                Some(reached) => {
                    plies = reached.plies;
                    self.restore(&half, room, log, plies)?;
                }
                None => log.complete(winner, 0, false)?,
            }
            lost = [plies, plies + 1].map(|plies| {
                let ply = half.lost(plies);
                (0..self.domain.slices()).any(|slice| log.place(ply, slice).is_some())
            });
        }
        let mut positions = 0;
        loop {
            if lost == [false; 2] {
                match metric {
                    Metric::Dtz if plies == 0 && !half.wins.lost.is_empty() => {}
                    Metric::Dtz if cursed && plies < RULE => plies = RULE - 1,
                    Metric::Dtz if cursed && plies == RULE => {}
                    Metric::Dtm if self.is_due_after(&dues, plies) => {}
                    _ => break,
                }
            }
            plies += 1;
            if self.options.stop.load(Ordering::Relaxed) {
                return Err(SolveError::Interrupted);
            }
            let swept = self.sweep(&half, room, log, &dues, plies)?;
            lost = [lost[1], swept.lost];
            positions += swept.positions;
            if let Some(log) = log {
                log.complete(winner, plies, false)?;
            }
            let [read, written] = room.traffic();
            (self.options.progress)(Progress {
                winner,
                plies,
                parts: self.parts,
                positions,
                read,
                written,
                log: log.map_or(0, PlyLog::bytes),
            });
        }
        if let Some(log) = log {
            log.complete(winner, plies, true)?;
        }
        if metric == Metric::Dtm {
            self.forget_promises(loser, &dues[loser as usize], &room.done);
        }
        self.doors = doors;
        Ok(())
    }

    /// The values of the sides, and their slices, as a log has them.
    fn read_log(&mut self, log: &Arc<PlyLog>) -> Result<(), SolveError> {
        let metric = self.options.metric;
        for side in Color::ALL {
            let wins = log.plies(side, Found::Won).into_iter();
            let losses = log.plies(!side, Found::Lost).into_iter();
            let mut values = vec![Value::DRAW];
            values.extend(wins.map(|plies| metric.win(plies)));
            if self.solved.shape.can_win(!side) {
                // As without a log.
                values.extend([metric.loss(0), metric.loss(1)]);
            }
            let later = losses.filter(|&plies| plies > 1);
            values.extend(later.map(|plies| metric.loss(plies)));
            if values.len() > MOST_CODES {
                return Err(SolveError::TooManyValues(self.solved.shape.material()));
            }
            let values = Arc::new(values);
            let logged = Arc::new(Logged {
                log: Arc::clone(log),
                side,
                values: Arc::clone(&values),
                rows: self.domain.rows(),
            });
            let slices = (0..self.domain.slices())
                .map(|slice| Planes::elsewhere(Arc::clone(&logged) as Arc<dyn HasPlanes>, slice));
            self.sides[side as usize] = Side {
                values,
                slices: slices.collect(),
            };
        }
        Ok(())
    }
}

/// One half of the solution: the wins of one side.
struct Half<'h> {
    winner: Color,
    loser: Color,
    /// The winner's moves out of the part.
    wins: &'h Doors,
    /// The loser's.
    escapes: &'h Doors,
    walk: Walk,
    /// Whether the half is begun anew, and not gone on with.
    begins: bool,
}

impl Half<'_> {
    fn won(&self, plies: u16) -> Ply {
        Ply {
            winner: self.winner,
            found: Found::Won,
            plies,
        }
    }

    fn lost(&self, plies: u16) -> Ply {
        Ply {
            winner: self.winner,
            found: Found::Lost,
            plies,
        }
    }

    fn on_disk(&self) -> bool {
        self.walk.steps.len() > 1
    }
}

/// What a sweep found.
struct Swept {
    /// Whether any position is lost.
    lost: bool,
    /// The number of positions, if there is a log.
    positions: u64,
}

/// For each slice of a domain whether it is one of these.
fn chosen(domain: &Domain, slices: &[usize]) -> Vec<bool> {
    let mut chosen = vec![false; domain.slices()];
    for &slice in slices {
        chosen[slice] = true;
    }
    chosen
}

impl<'a> Solver<'a> {
    /// Solves a part from what it leads to.
    pub(crate) fn solve(
        part: usize,
        solved: &'a Solved<'a>,
        options: Options<'a>,
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
        let [white, black] = Color::ALL.map(|side| solved.doors(part, side, |_| true));
        let mut solver = Solver {
            solved,
            part,
            doors: [white?, black?],
            options,
            sides: [side.clone(), side],
            stalemates,
            parts: (solved.parts.len(), shape.parts()),
            domain,
        };
        let folder = match options.residence {
            Residence::Memory => None,
            Residence::Disk { folder, .. } => Some(folder),
        };
        let log = log_for(shape, options, &solver.domain)?;
        let mut room = Room::new(&solver.domain, options.backend, folder)?;
        for winner in Color::ALL {
            if shape.can_win(winner) {
                solver.solve_half(winner, &mut room, log.as_deref())?;
            }
        }
        drop(room);
        if let Some(log) = &log {
            solver.read_log(log)?;
        }
        let part = Part {
            domain: solver.domain,
            sides: solver.sides,
        };
        Ok((part, solver.stalemates))
    }
}

/// The log of a part, if it needs one: where planes would take much memory. By the distance to mate, planes also
/// have what is promised, so there is none.
fn log_for(
    shape: &Shape,
    options: Options<'_>,
    domain: &Domain,
) -> Result<Option<Arc<PlyLog>>, SolveError> {
    let wanted = options.log.is_some() || matches!(options.residence, Residence::Disk { .. });
    if !(shape.is_logged(options.metric) || wanted && shape.may_be_logged(options.metric)) {
        return Ok(None);
    }
    let slices = domain.slices();
    Ok(Some(Arc::new(match options.log {
        Some((path, of)) => PlyLog::open(path, of, slices)?,
        None => PlyLog::in_memory(slices),
    })))
}

/// The codes of losses.
fn losses(values: &[Value]) -> Codes {
    Codes::of(values, |value| value.outcome < Outcome::Draw)
}
