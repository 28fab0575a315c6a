//! The solution of a table, ply by ply.
//!
//! White's wins are found first and then black's; the two halves are independent. In each half one side is
//! the winner and the other the loser. Positions in which the loser is checkmated are lost in 0 plies. A
//! position is won in n plies if the winner has a move to a position lost in n − 1 plies, and it was not
//! won before. A position is lost in n plies if all moves of the loser lead to positions won in n − 1 plies
//! or fewer. Captures lead to the smaller tables: winning ones are wins in 1, and a loser with a capture
//! into safety never loses. Beyond 100 plies the wins are cursed, and from then on captures into cursed
//! wins count, too.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::{Color, Conversion, Material, Piece, dispatch};

use crate::captures::Targets;
use crate::kings::{Kings, SLICES};
use crate::lanes::Row;
use crate::sets::{Frontier, FrontierSlice, Planes, Rows, Scratch};
use crate::shape::{Shape, ShapeError, table_of};
use crate::slice::Image;
use crate::steps::{Begin, Illegal, Lose, Win};
use crate::table::{Outcome, Side, Table, Value};

/// The last ply in which a win is not cursed.
const RULE: u16 = 100;

/// The number of values from which a side needs its seventh plane. From there on, memory gets ever shorter.
const MANY_VALUES: usize = 64;

/// The reason why a table can't be solved.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SolveError {
    /// The material is out of reach.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A table to which a capture leads is missing.
    #[error("the table of {0} is needed, and it isn't there")]
    Missing(Material),
    /// There are more different values than a byte can tell apart.
    #[error("{0} has more than 255 different values for one side to move")]
    TooManyValues(Material),
    /// The system gives no memory.
    #[error("no memory for a set of positions: {0}")]
    Memory(#[source] Arc<io::Error>),
    /// The caller stopped the work.
    #[error("interrupted")]
    Interrupted,
}

impl From<io::Error> for SolveError {
    fn from(error: io::Error) -> SolveError {
        SolveError::Memory(Arc::new(error))
    }
}

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

/// Mirrors a 64 × 64 matrix of bits along its diagonal.
fn transpose(words: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, 0x0000_0000_ffff_ffffu64);
    while width > 0 {
        let mut k = 0;
        while k < 64 {
            let swap = (words[k] >> width ^ words[k + width]) & mask;
            words[k] ^= swap << width;
            words[k + width] ^= swap;
            k = (k + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// The solved tables to which captures lead.
#[derive(Debug, Default)]
pub struct Library(BTreeMap<String, Table>);

impl Library {
    /// Adds a table.
    pub fn insert(&mut self, table: Table) {
        self.0.insert(table.material().to_string(), table);
    }

    /// The table of a material, as [`table_of`] names it.
    #[must_use]
    pub fn get(&self, material: &Material) -> Option<&Table> {
        self.0.get(&material.to_string())
    }

    /// Takes a table out.
    pub fn remove(&mut self, material: &Material) -> Option<Table> {
        self.0.remove(&material.to_string())
    }

    /// All tables, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.0.values()
    }
}

/// The sets of positions to which captures by one side lead.
struct Doors {
    /// All legal positions.
    any: Vec<Targets>,
    /// Lost for the side to move, which is the captured one.
    lost: Vec<Targets>,
    blessed: Vec<Targets>,
    /// Not won for the side to move; not even a cursed win.
    not_won: Vec<Targets>,
    not_cursed: Vec<Targets>,
}

/// The memory in which one half of the solution works. The second half takes it over from the first,
/// because fresh memory costs more than cleaning up.
struct Room {
    won: Rows,
    done: Rows,
    won_new: Frontier,
    lost_new: Frontier,
    lost_next: Frontier,
}

impl Room {
    fn new(shape: &Shape) -> Result<Room, SolveError> {
        Ok(Room {
            won: Rows::new(shape)?,
            done: Rows::new(shape)?,
            won_new: Frontier::new(shape)?,
            lost_new: Frontier::new(shape)?,
            lost_next: Frontier::new(shape)?,
        })
    }
}

struct Solver<'a> {
    shape: Shape,
    options: Options<'a>,
    library: &'a Library,
    sides: [Side; 2],
}

impl Solver<'_> {
    /// The positions to which captures by `side` lead.
    fn doors(&self, side: Color) -> Result<Doors, SolveError> {
        let mut doors = Doors {
            any: Vec::new(),
            lost: Vec::new(),
            blessed: Vec::new(),
            not_won: Vec::new(),
            not_cursed: Vec::new(),
        };
        for (role, piece) in self.shape.pieces().into_iter().enumerate() {
            let Some(piece) = piece.filter(|piece| piece.color != side) else {
                continue;
            };
            let smaller = (self.shape.material())
                .after(Conversion::Capture { captured: piece })
                .expect("the piece is there");
            let (material, swapped) = table_of(&smaller);
            if material.piece_count() == 2 {
                let mut all = Targets::empty(&self.shape, role);
                all.words.fill(1);
                doors.any.push(all.clone());
                doors.not_won.push(all.clone());
                doors.not_cursed.push(all);
                continue;
            }
            let table = self
                .library
                .get(&material)
                .ok_or(SolveError::Missing(material))?;
            let mover = if swapped { side } else { !side };
            let legal = legal_positions(&table.shape, mover, self.options.backend);
            let with = |test: &dyn Fn(Value) -> bool| table.positions_with(mover, test);
            let but = |set: &[Row]| -> Vec<Row> {
                legal
                    .iter()
                    .zip(set)
                    .map(|(legal, set)| Row(std::array::from_fn(|k| legal.0[k] & !set.0[k])))
                    .collect()
            };
            let here = |set: &[Row]| self.project(role, table, swapped, set);
            let won = with(&|value| value.outcome == Outcome::Win);
            let cursed = with(&|value| value.outcome >= Outcome::CursedWin);
            doors.any.push(here(&legal));
            doors
                .lost
                .push(here(&with(&|v| v.outcome == Outcome::Loss)));
            doors
                .blessed
                .push(here(&with(&|v| v.outcome == Outcome::BlessedLoss)));
            doors.not_won.push(here(&but(&won)));
            doors.not_cursed.push(here(&but(&cursed)));
        }
        for set in [&mut doors.lost, &mut doors.blessed] {
            set.retain(|targets| targets.words.iter().any(|&word| word != 0));
        }
        if doors
            .not_won
            .iter()
            .zip(&doors.not_cursed)
            .all(|(a, b)| a.words == b.words)
        {
            doors.not_cursed.clear();
        }
        Ok(doors)
    }

    /// A set of positions of a smaller table in this table's order of pieces.
    fn project(&self, captured: usize, table: &Table, swapped: bool, set: &[Row]) -> Targets {
        let mut targets = Targets::empty(&self.shape, captured);
        let per_slice = Targets::words_per_slice(&self.shape);
        let rows = table.shape.rows();
        let turn = |piece: Piece| if swapped { piece.swap_color() } else { piece };
        let rest: Vec<Piece> = (0..3)
            .filter(|&role| role != captured)
            .filter_map(|role| self.shape.pieces()[role].map(turn))
            .collect();
        let crossed = rest.len() == 2 && table.shape.pieces()[1] != Some(rest[0]);
        let slices: Vec<[u64; 64]> = set
            .chunks_exact(rows)
            .map(|slab| {
                let mut words = std::array::from_fn(|k| slab[k / 8].0[k % 8]);
                if crossed {
                    transpose(&mut words);
                }
                words
            })
            .collect();
        let kings = Kings::get();
        for (number, out) in targets.words.chunks_exact_mut(per_slice).enumerate() {
            let [white, black] = kings.squares(number);
            let home = if swapped {
                kings.find(black, white)
            } else {
                kings.find(white, black)
            };
            let (slice, symmetry) = home.expect("the kings of a slice don't touch");
            let image = Image::new(symmetry);
            for (square, out) in out.iter_mut().enumerate() {
                let there = if rest.len() == 2 {
                    image.square_there(square)
                } else {
                    0
                };
                *out = image.word(slices[slice][there]);
            }
        }
        targets
    }

    /// The next free code of a side's values.
    fn next_code(&self, side: Color, ahead: usize) -> Result<u8, SolveError> {
        u8::try_from(self.sides[side as usize].values.len() + ahead)
            .map_err(|_| SolveError::TooManyValues(self.shape.material()))
    }

    fn solve_half(&mut self, winner: Color, room: &mut Room) -> Result<(), SolveError> {
        let loser = !winner;
        let shape = self.shape.clone();
        let backend = self.options.backend;
        let rows = shape.rows();
        let wins = self.doors(winner)?;
        let escapes = self.doors(loser)?;
        let cursed = !wins.blessed.is_empty() || !escapes.not_cursed.is_empty();

        let Room {
            won,
            done,
            won_new,
            lost_new,
            lost_next,
        } = room;
        illegal_positions(&shape, winner, backend, won);
        won_new.clear();

        let mated_code = self.next_code(loser, 0)?;
        let forced_code = self.next_code(loser, 1)?;
        done.par_chunks_exact_mut(rows)
            .zip(&mut self.sides[loser as usize].slices)
            .zip(lost_new.slices(&shape).zip(lost_next.slices(&shape)))
            .enumerate()
            .for_each_init(
                || Scratch::new(&shape),
                |scratch, (number, ((done, planes), (mated, forced)))| {
                    let step = Begin {
                        shape: &shape,
                        number,
                        side: loser,
                        illegal: won,
                        any: &escapes.any,
                        safe: &escapes.not_won,
                        scratch,
                        done,
                        planes,
                        mated,
                        mated_code,
                        forced,
                        forced_code,
                    };
                    dispatch!(backend, token => step.run(token));
                },
            );
        self.sides[loser as usize]
            .values
            .extend([Value::loss(0), Value::loss(1)]);

        let mut captures: &[Targets] = &wins.lost;
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
                lost_next.shrink(&shape)?;
            }

            // Finds the positions lost in this ply. Those of the first ply are in `lost_next` from the
            // start.
            if plies > 1 && (changed || !won_new.is_empty()) {
                let code = self.next_code(loser, 0)?;
                let change = changed.then_some((&escapes.not_won[..], &escapes.not_cursed[..]));
                done.par_chunks_exact_mut(rows)
                    .zip(&mut self.sides[loser as usize].slices)
                    .zip(lost_next.slices(&shape))
                    .enumerate()
                    .for_each_init(
                        || Scratch::new(&shape),
                        |scratch, (number, ((done, planes), out))| {
                            let step = Lose {
                                shape: &shape,
                                number,
                                side: loser,
                                won_new,
                                won,
                                captures: change,
                                scratch,
                                done,
                                planes,
                                code,
                                out,
                            };
                            dispatch!(backend, token => step.run(token));
                        },
                    );
                if !lost_next.is_empty() {
                    self.sides[loser as usize].values.push(Value::loss(plies));
                }
            } else if plies > 1 {
                lost_next.clear();
            }

            // Finds the positions won in this ply.
            if short {
                won_new.shrink(&shape)?;
            }
            if !captures.is_empty() || !lost_new.is_empty() {
                let code = self.next_code(winner, 0)?;
                won.par_chunks_exact_mut(rows)
                    .zip(&mut self.sides[winner as usize].slices)
                    .zip(won_new.slices(&shape))
                    .enumerate()
                    .for_each_init(
                        || Scratch::new(&shape),
                        |scratch, (number, ((won, planes), out))| {
                            let step = Win {
                                shape: &shape,
                                number,
                                side: winner,
                                lost: lost_new,
                                captures,
                                scratch,
                                won,
                                planes,
                                code,
                                out,
                            };
                            dispatch!(backend, token => step.run(token));
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

impl Frontier {
    /// The frontier in slices, for threads to work on.
    fn slices<'a>(
        &'a mut self,
        shape: &Shape,
    ) -> impl IndexedParallelIterator<Item = FrontierSlice<'a>> + use<'a> {
        self.rows
            .par_chunks_exact_mut(shape.rows())
            .zip(self.active.par_chunks_exact_mut(shape.slabs()))
            .zip(&mut self.slabs)
            .map(|((rows, active), slabs)| FrontierSlice {
                rows,
                active,
                slabs,
            })
    }
}

fn illegal_positions(shape: &Shape, side: Color, backend: Backend, out: &mut [Row]) {
    out.par_chunks_exact_mut(shape.rows())
        .enumerate()
        .for_each(|(number, out)| {
            let step = Illegal {
                shape,
                number,
                side,
                out,
            };
            dispatch!(backend, token => step.run(token));
        });
}

/// The legal positions of a shape with `side` to move, mirror twins included.
pub(crate) fn legal_positions(shape: &Shape, side: Color, backend: Backend) -> Vec<Row> {
    let mut all = vec![Row::ZERO; SLICES * shape.rows()];
    illegal_positions(shape, side, backend, &mut all);
    for row in &mut all {
        *row = Row(row.0.map(|word| !word));
    }
    all
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
        slices: vec![Planes::default(); SLICES],
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed_bits_exchange_row_and_column() {
        let mut words = [0u64; 64];
        for (k, word) in words.iter_mut().enumerate() {
            *word = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let before = words;
        transpose(&mut words);
        for (row, word) in words.iter().enumerate() {
            for (column, before) in before.iter().enumerate() {
                assert_eq!(word >> column & 1, before >> row & 1);
            }
        }
    }
}
