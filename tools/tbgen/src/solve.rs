//! The solution of a table, ply by ply.
//!
//! White's wins are found first and then black's; the two halves are independent. In each half one side is
//! the winner and the other the loser. Positions in which the loser is checkmated are lost in 0 plies. A
//! position is won in n plies if the winner has a move to a position lost in n − 1 plies, and it was not
//! won before. A position is lost in n plies if all moves of the loser lead to positions won in n − 1 plies
//! or fewer. Captures lead to the smaller tables: winning ones are wins in 1, and a loser with a capture
//! into safety never loses. Beyond 100 plies the wins are cursed, and from then on captures into cursed
//! wins count, too.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captures, Frontier, FrontierSlice, Gathered, Row, Slice, Way};
use tbindex::{Color, Material};

use crate::doors::Doors;
use crate::library::{Library, SolveError};
use crate::planes::Planes;
use crate::shape::{Shape, table_of};
use crate::table::{Side, Table, Value};

/// The last ply in which a win is not cursed.
const RULE: u16 = 100;

/// The number of values from which a side needs its seventh plane. From there on, memory gets ever shorter.
const MANY_VALUES: usize = 64;

/// A report on the state of the work, for a progress bar.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The side whose wins are being found.
    pub winner: Color,
    /// The ply just finished.
    pub plies: u16,
}

/// Options for solving a table.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The instructions to use.
    pub backend: Backend,
    /// A function that is called after every ply.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// A flag that stops the work when it is set.
    pub stop: &'a AtomicBool,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}

/// The materials of all tables that a material needs, its own last. Each comes after those that it needs
/// itself.
#[must_use]
pub fn needed_by(material: &Material) -> Vec<Material> {
    let mut all = material.below();
    all.retain(|smaller| smaller.piece_count() > 2);
    all.push(material.normal());
    all
}

/// The memory in which one half of the solution works. The second half takes it over from the first,
/// because fresh memory costs more than cleaning up.
struct Room {
    /// The positions that the winner has won, and those that are no positions with the winner to move.
    won: Bitbase,
    /// The positions that the loser can't lose or has lost, and those that are no positions.
    done: Bitbase,
    won_new: Frontier,
    lost_new: Frontier,
    lost_next: Frontier,
}

impl Room {
    fn new(shape: &Shape) -> Result<Room, SolveError> {
        let domain = shape.domain();
        Ok(Room {
            won: Bitbase::new(domain)?,
            done: Bitbase::new(domain)?,
            won_new: Frontier::new(domain)?,
            lost_new: Frontier::new(domain)?,
            lost_next: Frontier::new(domain)?,
        })
    }
}

struct Solver<'a> {
    shape: Shape,
    options: Options<'a>,
    library: &'a Library,
    sides: [Side; 2],
}

/// Where the loser's first losses go: a slice of each.
struct First<'a> {
    done: &'a mut [Row],
    planes: &'a mut Planes,
    mated: FrontierSlice<'a>,
    forced: FrontierSlice<'a>,
    /// The codes of the two.
    codes: [u8; 2],
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
        } = first;
        let rows = done.len();
        gathered.clear();
        gathered.captures(slice, &escapes.any);
        let any = gathered.rows().to_vec();
        gathered.clear();
        gathered.captures(slice, &escapes.not_won);

        // The positions from which no move but a capture is left.
        slice.illegal_into(loser, done, self.options.backend);
        let mut stuck: Vec<Row> = done.iter().map(|&row| !row).collect();
        slice.confine(loser, illegal, &mut stuck, self.options.backend);
        // A side is in check exactly where it would be illegal for the other side to be to move.
        let check = illegal.slice(slice.number());
        let safe = gathered.rows();
        mated.fill(|at| stuck[at] & !any[at] & check[at]);
        planes.record(&mated, rows, codes[0]);
        forced.fill(|at| stuck[at] & any[at] & !safe[at]);
        planes.record(&forced, rows, codes[1]);
        for at in 0..rows {
            done[at] |= safe[at] | (stuck[at] & (!any[at] | !safe[at]));
        }
        gathered.clear();
    }

    /// Gathers what is saved no longer in a slice once the loser's captures into `before` are safe only if they
    /// lead into `now`, and takes it out of what is done.
    fn reopen(
        &self,
        slice: &Slice<'_>,
        loser: Color,
        [before, now]: [&[Captures]; 2],
        gathered: &mut Gathered,
        done: &mut [Row],
    ) {
        gathered.captures(slice, now);
        let now = gathered.rows().to_vec();
        gathered.clear();
        gathered.captures(slice, before);
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
            .map_err(|_| SolveError::TooManyValues(self.shape.material()))
    }

    fn solve_half(&mut self, winner: Color, room: &mut Room) -> Result<(), SolveError> {
        let loser = !winner;
        let shape = self.shape.clone();
        let domain = shape.domain();
        let backend = self.options.backend;
        let rows = shape.rows();
        let wins = Doors::new(&shape, winner, self.library, backend)?;
        let escapes = Doors::new(&shape, loser, self.library, backend)?;
        let cursed = !wins.blessed.is_empty() || !escapes.not_cursed.is_empty();

        let Room {
            won,
            done,
            won_new,
            lost_new,
            lost_next,
        } = room;
        won.par_slices_mut().enumerate().for_each(|(number, won)| {
            Slice::new(domain, number).illegal_into(winner, won, backend);
        });
        won_new.clear();

        let codes = [self.next_code(loser, 0)?, self.next_code(loser, 1)?];
        let mut planes = std::mem::take(&mut self.sides[loser as usize].slices);
        done.par_slices_mut()
            .zip(&mut planes)
            .zip(lost_new.par_slices_mut().zip(lost_next.par_slices_mut()))
            .enumerate()
            .for_each_init(
                || Gathered::new(domain, backend),
                |gathered, (number, ((done, planes), (mated, forced)))| {
                    let slice = Slice::new(domain, number);
                    let first = First {
                        done,
                        planes,
                        mated,
                        forced,
                        codes,
                    };
                    self.begin(&slice, loser, won, &escapes, gathered, first);
                },
            );
        self.sides[loser as usize].slices = planes;
        self.sides[loser as usize]
            .values
            .extend([Value::loss(0), Value::loss(1)]);

        let mut captures = &wins.lost[..];
        let mut plies = 1;
        loop {
            if self.options.stop.load(Ordering::Relaxed) {
                return Err(SolveError::Interrupted);
            }
            let turning = plies == RULE + 1;
            let changed = turning && !escapes.not_cursed.is_empty();
            if turning {
                captures = &wins.blessed;
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
            if plies > 1 && (changed || !won_new.is_empty()) {
                let code = self.next_code(loser, 0)?;
                let mut planes = std::mem::take(&mut self.sides[loser as usize].slices);
                done.par_slices_mut()
                    .zip(&mut planes)
                    .zip(lost_next.par_slices_mut())
                    .enumerate()
                    .for_each_init(
                        || Gathered::new(domain, backend),
                        |gathered, (number, ((done, planes), mut out))| {
                            let slice = Slice::new(domain, number);
                            if changed {
                                let doors = [&escapes.not_won[..], &escapes.not_cursed[..]];
                                self.reopen(&slice, loser, doors, gathered, done);
                            }
                            gathered.moves(&slice, loser, Way::Back, &*won_new);
                            gathered.take_confined(&slice, loser, won, done, &mut out);
                            planes.record(&out, rows, code);
                        },
                    );
                self.sides[loser as usize].slices = planes;
                if !lost_next.is_empty() {
                    self.sides[loser as usize].values.push(Value::loss(plies));
                }
            } else if plies > 1 {
                lost_next.clear();
            }

            // Finds the positions won in this ply.
            if short {
                won_new.shrink()?;
            }
            if !captures.is_empty() || !lost_new.is_empty() {
                let code = self.next_code(winner, 0)?;
                won.par_slices_mut()
                    .zip(&mut self.sides[winner as usize].slices)
                    .zip(won_new.par_slices_mut())
                    .enumerate()
                    .for_each_init(
                        || Gathered::new(domain, backend),
                        |gathered, (number, ((won, planes), mut out))| {
                            let slice = Slice::new(domain, number);
                            gathered.moves(&slice, winner, Way::Back, &*lost_new);
                            gathered.captures(&slice, captures);
                            gathered.take_new(won, &mut out);
                            planes.record(&out, rows, code);
                        },
                    );
                if !won_new.is_empty() {
                    self.sides[winner as usize].values.push(Value::win(plies));
                }
            } else {
                won_new.clear();
            }
            captures = &[];
            std::mem::swap(lost_new, lost_next);
            (self.options.progress)(Progress { winner, plies });
            if won_new.is_empty() && lost_new.is_empty() {
                if plies > RULE || !cursed {
                    return Ok(());
                }
                plies = RULE;
            }
            plies += 1;
        }
    }
}

/// Solves the table of a material from the tables that its captures lead to. It runs on the threads
/// of the current rayon pool.
///
/// # Errors
/// If the material has pawns or not 3 to 5 pieces, if a table is missing in the library, or if the caller
/// stops the work.
pub fn solve(
    material: &Material,
    library: &Library,
    options: Options<'_>,
) -> Result<Table, SolveError> {
    let shape = Shape::new(table_of(material).0)?;
    let side = Side {
        values: vec![Value::DRAW],
        slices: vec![Planes::default(); shape.slices()],
    };
    let mut solver = Solver {
        shape,
        options,
        library,
        sides: [side.clone(), side],
    };
    let mut room = Room::new(&solver.shape)?;
    for winner in Color::ALL {
        if solver.shape.can_win(winner) {
            solver.solve_half(winner, &mut room)?;
        }
    }
    Ok(Table {
        shape: solver.shape,
        sides: solver.sides,
    })
}
