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
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::{Bitbase, Domain, FrontierSlice, Gathered, Row, Slice, Way};

use crate::doors::{Doors, Exits};
use crate::due::{Due, Improvement};
use crate::library::SolveError;
use crate::options::{Options, Progress};
use crate::planes::{Codes, Planes};
use crate::promises::Promise;
use crate::room::Room;
use crate::solved::Solved;
use crate::steps::may_have_passed;
use crate::table::{Part, Side};
use crate::value::{Metric, Outcome, Value};

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
struct First<'a> {
    done: &'a mut [Row],
    planes: &'a mut Planes,
    mated: FrontierSlice<'a>,
    forced: FrontierSlice<'a>,
    /// The codes of the two.
    codes: [u8; 2],
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
        first: First<'_>,
    ) {
        let First {
            done,
            planes,
            mut mated,
            mut forced,
            codes,
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
        planes.record(&mated, rows, codes[0]);
        if self.options.metric == Metric::Dtz {
            forced.fill(|at| stuck[at] & any[at] & !safe[at]);
            planes.record(&forced, rows, codes[1]);
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
    fn next_code(&self, side: Color, ahead: usize) -> Result<u8, SolveError> {
        u8::try_from(self.sides[side as usize].values.len() + ahead)
            .map_err(|_| SolveError::TooManyValues(self.solved.shape.material()))
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
    fn due(&self, dues: &[Vec<Due>; 2], side: Color, value: Value) -> Option<u8> {
        let values = &self.sides[side as usize].values;
        let code = values.iter().position(|&there| there == value)?;
        let code = u8::try_from(code).expect("at most 256 codes");
        (dues[side as usize].iter().any(|due| due.has(code))).then_some(code)
    }

    /// Whether anything is due later than in this ply.
    fn is_due_after(&self, dues: &[Vec<Due>; 2], plies: u16) -> bool {
        Color::ALL.into_iter().any(|side| {
            let values = &self.sides[side as usize].values;
            dues[side as usize].iter().any(|due| {
                let mut codes = (0..values.len()).filter(|&code| due.has(code as u8));
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

    fn solve_half(&mut self, winner: Color, room: &mut Room) -> Result<(), SolveError> {
        let loser = !winner;
        let domain = &self.domain.clone();
        let backend = self.options.backend;
        let rows = domain.rows();
        let doors = std::mem::take(&mut self.doors);
        let (wins, escapes) = (&doors[winner as usize], &doors[loser as usize]);
        let cursed = !wins.blessed.is_empty() || escapes.not_cursed.is_some();
        let metric = self.options.metric;

        let Room {
            won,
            done,
            won_new,
            lost_new,
            lost_next,
            threads,
        } = room;
        won.par_slices_mut().enumerate().for_each(|(number, won)| {
            Slice::new(domain, number).illegal_into(winner, won, backend);
        });
        won_new.clear();

        let codes = [self.next_code(loser, 0)?, self.next_code(loser, 1)?];
        let mut planes = std::mem::take(&mut self.sides[loser as usize].slices);
        let mut stalemates = self.stalemates[loser as usize].take();
        let mut of_slices: Vec<Option<&mut [Row]>> = match &mut stalemates {
            Some(set) => set.slices_mut().map(Some).collect(),
            None => (0..domain.slices()).map(|_| None).collect(),
        };
        done.par_slices_mut()
            .zip(&mut planes)
            .zip(lost_new.par_slices_mut().zip(lost_next.par_slices_mut()))
            .zip(&mut of_slices)
            .enumerate()
            .for_each_init(
                || threads.lend(),
                |lent, (number, (((done, planes), (mated, forced)), stalemates))| {
                    let gathered = lent.get();
                    let slice = Slice::new(domain, number);
                    let first = First {
                        done,
                        planes,
                        mated,
                        forced,
                        codes,
                        stalemates: stalemates.take(),
                    };
                    self.begin(&slice, loser, won, escapes, gathered, first);
                },
            );
        self.stalemates[loser as usize] = stalemates;
        self.sides[loser as usize].slices = planes;
        let first = [Value::loss(0), Value::loss(1)];
        let count = if metric == Metric::Dtz { 2 } else { 1 };
        Arc::make_mut(&mut self.sides[loser as usize].values).extend(&first[..count]);
        let mut dues = [Vec::new(), Vec::new()];
        if metric == Metric::Dtm {
            dues[winner as usize] = self.promise(winner, true, won)?;
            dues[loser as usize] = self.promise(loser, false, done)?;
        }

        let nowhere = Exits::default();
        let mut exits = match metric {
            Metric::Dtz => &wins.lost,
            Metric::Dtm => &nowhere,
        };
        let mut plies = 1;
        loop {
            if self.options.stop.load(Ordering::Relaxed) {
                return Err(SolveError::Interrupted);
            }
            let turning = plies == RULE + 1 && metric == Metric::Dtz;
            let reopened = (escapes.not_cursed.as_ref()).filter(|_| turning);
            if turning {
                exits = &wins.blessed;
            }
            let short = self
                .sides
                .iter()
                .any(|side| side.values.len() >= MANY_VALUES);
            if short && plies > 1 {
                lost_next.shrink()?;
            }

            // Finds the positions lost in this ply. Those of the first ply are in `lost_next` from the
            // start.
            let due = self.due(&dues, loser, metric.loss(plies));
            if plies > 1 && (reopened.is_some() || due.is_some() || !won_new.is_empty()) {
                let code = match due {
                    Some(code) => code,
                    None => self.next_code(loser, 0)?,
                };
                let due_slices = &dues[loser as usize];
                let mut planes = std::mem::take(&mut self.sides[loser as usize].slices);
                done.par_slices_mut()
                    .zip(&mut planes)
                    .zip(lost_next.par_slices_mut())
                    .enumerate()
                    .for_each_init(
                        || threads.lend(),
                        |lent, (number, ((done, planes), mut out))| {
                            let gathered = lent.get();
                            let slice = Slice::new(domain, number);
                            if let Some(now) = reopened {
                                let doors = [&escapes.not_won, now];
                                self.reopen(&slice, loser, doors, gathered, done);
                            }
                            if due.is_some() {
                                for (slab, these) in due_slices[number].slabs(code, planes) {
                                    gathered.add_slab(slab, &these);
                                    for (done, these) in done[slab * 8..].iter_mut().zip(these) {
                                        *done &= !these;
                                    }
                                }
                            }
                            gathered.moves(&slice, loser, Way::Back, &*won_new);
                            gathered.take_confined(&slice, loser, won, done, &mut out);
                            match metric {
                                Metric::Dtz => planes.record(&out, rows, code),
                                Metric::Dtm => planes.replace_all(&out, rows, code),
                            }
                        },
                    );
                self.sides[loser as usize].slices = planes;
                if due.is_none() && !lost_next.is_empty() {
                    let values = Arc::make_mut(&mut self.sides[loser as usize].values);
                    values.push(metric.loss(plies));
                }
            } else if plies > 1 {
                lost_next.clear();
            }

            // Finds the positions won in this ply.
            if short {
                won_new.shrink()?;
            }
            let due = self.due(&dues, winner, metric.win(plies));
            if !exits.is_empty() || due.is_some() || !lost_new.is_empty() {
                let code = match due {
                    Some(code) => code,
                    None => self.next_code(winner, 0)?,
                };
                let due_slices = &dues[winner as usize];
                won.par_slices_mut()
                    .zip(&mut self.sides[winner as usize].slices)
                    .zip(won_new.par_slices_mut())
                    .enumerate()
                    .for_each_init(
                        || threads.lend(),
                        |lent, (number, ((won, planes), mut out))| {
                            let gathered = lent.get();
                            let slice = Slice::new(domain, number);
                            gathered.moves(&slice, winner, Way::Back, &*lost_new);
                            exits.gather(&slice, gathered);
                            if due.is_some() {
                                for (slab, these) in due_slices[number].slabs(code, planes) {
                                    gathered.add_slab(slab, &these);
                                }
                            }
                            gathered.take_new(won, &mut out);
                            match metric {
                                Metric::Dtz => planes.record(&out, rows, code),
                                Metric::Dtm => planes.replace_all(&out, rows, code),
                            }
                        },
                    );
                if due.is_none() && !won_new.is_empty() {
                    let values = Arc::make_mut(&mut self.sides[winner as usize].values);
                    values.push(metric.win(plies));
                }
            } else {
                won_new.clear();
            }
            exits = &nowhere;
            std::mem::swap(lost_new, lost_next);
            (self.options.progress)(Progress {
                winner,
                plies,
                parts: self.parts,
            });
            if won_new.is_empty() && lost_new.is_empty() {
                let more = match metric {
                    Metric::Dtz => plies <= RULE && cursed,
                    Metric::Dtm => self.is_due_after(&dues, plies),
                };
                if !more {
                    self.doors = doors;
                    if metric == Metric::Dtm {
                        self.forget_promises(loser, &dues[loser as usize], done);
                    }
                    return Ok(());
                }
                if metric == Metric::Dtz {
                    plies = RULE;
                }
            }
            plies += 1;
        }
    }
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
        let mut room = Room::new(&solver.domain, options.backend)?;
        for winner in Color::ALL {
            if shape.can_win(winner) {
                solver.solve_half(winner, &mut room)?;
            }
        }
        let part = Part {
            domain: solver.domain,
            sides: solver.sides,
        };
        Ok((part, solver.stalemates))
    }
}

/// The codes of losses.
fn losses(values: &[Value]) -> Codes {
    Codes::of(values, |value| value.outcome < Outcome::Draw)
}
