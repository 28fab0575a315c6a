//! The solution of a table, part by part and ply by ply.
//!
//! Without pawns there is one part. With pawns there is one for each placement of the pawns, and the most advanced
//! are solved first, because the move of a pawn leads from a part to one that is more advanced.
//!
//! White's wins are found first and then black's; the two halves are independent. In each half one side is
//! the winner and the other the loser. Positions in which the loser is checkmated are lost in 0 plies. A
//! position is won in n plies if the winner has a move to a position lost in n − 1 plies, and it was not
//! won before. A position is lost in n plies if all moves of the loser lead to positions won in n − 1 plies
//! or fewer. Captures and the moves of pawns lead to what is solved: winning ones are wins in 1, and a loser with
//! one into safety never loses. Beyond 100 plies the wins are cursed, and from then on those into cursed wins
//! count, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Frontier, FrontierSlice, Gathered, Row, Slice, Way};
use tbindex::{Color, Material, Piece, PieceType};

use crate::doors::{Doors, Exits, Solved};
use crate::library::{Library, SolveError};
use crate::planes::Planes;
use crate::shape::{Shape, table_of};
use crate::steps::may_have_passed;
use crate::table::{Part, Side, Table, Value};

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
    /// The parts of the table that are solved, of all.
    pub parts: (usize, usize),
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
/// itself; those with fewer pieces come first and, of these, those with fewer pawns.
#[must_use]
pub fn needed_by(material: &Material) -> Vec<Material> {
    let mut all = material.below();
    all.retain(|smaller| smaller.piece_count() > 2);
    all.push(material.normal());
    in_order(&mut all);
    all
}

/// The materials of all tables of 3 to so many pieces. Each comes after those that it needs; those with fewer
/// pieces come first and, of these, those with fewer pawns.
#[must_use]
pub fn all_up_to(pieces: usize) -> Vec<Material> {
    let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
    let kinds = PieceType::ALL.into_iter().filter(|&kind| kind != PieceType::King);
    let kinds: Vec<PieceType> = kinds.collect();
    let free = kinds.iter().flat_map(|&kind| Color::ALL.map(|color| Piece::new(color, kind)));
    let free: Vec<Piece> = free.collect();
    // Each list of pieces once: in the order of `free`.
    let mut lists: Vec<(usize, Vec<Piece>)> = vec![(0, kings.to_vec())];
    let mut all = Vec::new();
    for _ in 2..pieces {
        lists = (lists.iter())
            .flat_map(|(first, list)| {
                (*first..free.len()).map(|k| {
                    let mut list = list.clone();
                    list.push(free[k]);
                    (k, list)
                })
            })
            .collect();
        let materials = lists.iter().filter_map(|(_, list)| {
            let material = Material::from_pieces(list.iter().copied()).ok()?;
            material.is_normal().then_some(material)
        });
        all.extend(materials);
    }
    in_order(&mut all);
    all
}

fn in_order(all: &mut [Material]) {
    let pawns = |material: &Material| {
        let pawns = Color::ALL.map(|color| material.count(Piece::new(color, PieceType::Pawn)));
        pawns[0] + pawns[1]
    };
    all.sort_by_key(|material| (material.piece_count(), pawns(material), material.to_string()));
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
    fn new(domain: &Domain) -> Result<Room, SolveError> {
        Ok(Room {
            won: Bitbase::new(domain)?,
            done: Bitbase::new(domain)?,
            won_new: Frontier::new(domain)?,
            lost_new: Frontier::new(domain)?,
            lost_next: Frontier::new(domain)?,
        })
    }
}

/// The solution of one part.
struct Solver<'a> {
    material: Material,
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
        forced.fill(|at| stuck[at] & any[at] & !safe[at]);
        planes.record(&forced, rows, codes[1]);
        for at in 0..rows {
            done[at] |= safe[at] | (stuck[at] & (!any[at] | !safe[at]));
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
            .map_err(|_| SolveError::TooManyValues(self.material))
    }

    fn solve_half(&mut self, winner: Color, room: &mut Room) -> Result<(), SolveError> {
        let loser = !winner;
        let domain = &self.domain.clone();
        let backend = self.options.backend;
        let rows = domain.rows();
        let doors = std::mem::take(&mut self.doors);
        let (wins, escapes) = (&doors[winner as usize], &doors[loser as usize]);
        let cursed = !wins.blessed.is_empty() || escapes.cursed;

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
                || Gathered::new(domain, backend),
                |gathered, (number, (((done, planes), (mated, forced)), stalemates))| {
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
        Arc::make_mut(&mut self.sides[loser as usize].values)
            .extend([Value::loss(0), Value::loss(1)]);

        let nowhere = Exits::default();
        let mut exits = &wins.lost;
        let mut plies = 1;
        loop {
            if self.options.stop.load(Ordering::Relaxed) {
                return Err(SolveError::Interrupted);
            }
            let turning = plies == RULE + 1;
            let changed = turning && escapes.cursed;
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
                                let doors = [&escapes.not_won, &escapes.not_cursed];
                                self.reopen(&slice, loser, doors, gathered, done);
                            }
                            gathered.moves(&slice, loser, Way::Back, &*won_new);
                            gathered.take_confined(&slice, loser, won, done, &mut out);
                            planes.record(&out, rows, code);
                        },
                    );
                self.sides[loser as usize].slices = planes;
                if !lost_next.is_empty() {
                    Arc::make_mut(&mut self.sides[loser as usize].values).push(Value::loss(plies));
                }
            } else if plies > 1 {
                lost_next.clear();
            }

            // Finds the positions won in this ply.
            if short {
                won_new.shrink()?;
            }
            if !exits.is_empty() || !lost_new.is_empty() {
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
                            exits.gather(&slice, gathered);
                            gathered.take_new(won, &mut out);
                            planes.record(&out, rows, code);
                        },
                    );
                if !won_new.is_empty() {
                    Arc::make_mut(&mut self.sides[winner as usize].values).push(Value::win(plies));
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
                if plies > RULE || !cursed {
                    self.doors = doors;
                    return Ok(());
                }
                plies = RULE;
            }
            plies += 1;
        }
    }
}

impl<'a> Solver<'a> {
    /// Solves a part from what it leads to.
    fn solve(
        part: usize,
        solved: &Solved<'_>,
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
        let [white, black] = Color::ALL.map(|side| solved.doors(part, side));
        let mut solver = Solver {
            material: shape.material(),
            doors: [white?, black?],
            options,
            sides: [side.clone(), side],
            stalemates,
            parts: (solved.parts.len(), shape.parts()),
            domain,
        };
        let mut room = Room::new(&solver.domain)?;
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

/// Solves the table of a material from the tables that its captures and promotions lead to. It runs on the
/// threads of the current rayon pool.
///
/// # Errors
/// If the material has not 3 to 5 pieces, if a table is missing in the library, or if the caller stops the work.
pub fn solve(
    material: &Material,
    library: &Library,
    options: Options<'_>,
) -> Result<Table, SolveError> {
    let shape = Shape::new(table_of(material).0)?;
    let (mut parts, mut stalemates) = (Vec::new(), Vec::new());
    for level in shape.placements().levels() {
        let solved = Solved {
            shape: &shape,
            library,
            parts: &parts,
            stalemates: &stalemates,
            backend: options.backend,
        };
        let of_level: Result<Vec<_>, SolveError> = (level.clone().into_par_iter())
            .map(|part| {
                let (mut part, stalemates) = Solver::solve(part, &solved, options)?;
                // Without pawns there is one part, and the caller decides.
                if shape.material().has_pawns() {
                    part.pack();
                }
                Ok((part, stalemates))
            })
            .collect();
        for (part, stuck) in of_level? {
            parts.push(part);
            stalemates.push(stuck);
        }
    }
    Ok(Table { shape, parts })
}
