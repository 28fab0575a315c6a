//! Distances to mate that moves out of a part bring in, and the plies in which they are due.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::{Captured, Captures, Row, Slice};
use tbindex::dispatch;

use super::PartSolver;
use crate::solve::working_set::Threads;
use crate::subtables::conversions::{Conversions, Role};
use crate::subtables::library::SolveError;
use crate::subtables::mate_conversions::{Moves, Promise};
use crate::subtables::mate_seeds::Due;
use crate::table::codes::{BITS, code_of_mate, mate_of_code, won_by};
use crate::table::mate_codes::{improved, move_to};
use crate::table::planes::{Planes, Slab};
use crate::table::value::Value;

/// What the positions of a slice are promised so far.
struct Promised {
    slice: usize,
    planes: Planes,
    /// The illegal placements.
    shut: Vec<Row>,
}

/// The planes of the codes that a capturing piece brings to the positions of a slice.
#[derive(Default)]
struct Brought {
    /// By bits, the rows of a slice. All are empty between two pieces.
    planes: Vec<Vec<Row>>,
    /// For each slab whether it has positions.
    touched: Vec<bool>,
}

impl Brought {
    /// Makes these positions of a slab those with a bit.
    fn put(&mut self, bit: usize, slab: usize, these: &Slab, slabs: usize) {
        self.touched.resize(slabs, false);
        while self.planes.len() <= bit {
            self.planes.push(vec![Row::EMPTY; slabs * 8]);
        }
        self.planes[bit][slab * 8..slab * 8 + 8].copy_from_slice(these);
        self.touched[slab] = true;
    }

    /// Hands over the codes of each slab that has any, and leaves nothing.
    #[inline(always)]
    fn drain(&mut self, mut each: impl FnMut(usize, &[Slab])) {
        for (slab, touched) in self.touched.iter_mut().enumerate() {
            if !std::mem::take(touched) {
                continue;
            }
            let mut codes = [[Row::EMPTY; 8]; BITS];
            for (codes, plane) in codes.iter_mut().zip(&mut self.planes) {
                let plane = &mut plane[slab * 8..slab * 8 + 8];
                codes.copy_from_slice(plane);
                plane.fill(Row::EMPTY);
            }
            each(slab, &codes[..self.planes.len()]);
        }
    }
}

/// Gives positions of a slab these codes, where they are better for the side to move than what is there, and the position is
/// not `shut`. Wins of white and of black are given if they are `possible`.
#[inline(always)]
fn improve(
    planes: &mut Planes,
    slab: usize,
    codes: &[Slab],
    side: Color,
    shut: &[Row],
    possible: [bool; 2],
) {
    let mut these = [Row::EMPTY; 8];
    let mut any = false;
    let (there, count) = planes.slabs_at(slab);
    for (r, these) in these.iter_mut().enumerate() {
        let (mut new, mut old) = ([Row::EMPTY; BITS], [Row::EMPTY; BITS]);
        for (new, codes) in new.iter_mut().zip(codes) {
            *new = codes[r];
        }
        for (old, there) in old.iter_mut().zip(&there[..count]) {
            *old = there[r];
        }
        let mut open = !shut[slab * 8 + r];
        for (row, possible) in [!new[0], new[0]].into_iter().zip(possible) {
            if !possible {
                open &= !row;
            }
        }
        *these = improved(&new[..codes.len()], &old[..count], side) & open;
        any |= !these.is_empty();
    }
    if any {
        planes.replace_by(slab, &these, codes, shut.len());
    }
}

/// Notes which positions of a slab have a move, and from which it leads to what the other side, which is to move there, has
/// not won. What the move does not lead to is taken out of the codes.
#[inline(always)]
fn note_exits(
    any: &Slab,
    codes: &mut [Slab; BITS],
    count: usize,
    side: Color,
    [all, not_won]: [&mut [Row]; 2],
) {
    for (r, &any) in any.iter().enumerate() {
        let mut rows = [Row::EMPTY; BITS];
        for (row, codes) in rows.iter_mut().zip(&mut codes[..count]) {
            codes[r] &= any;
            *row = codes[r];
        }
        all[r] |= any;
        not_won[r] |= any & !won_by(!side, &rows);
    }
}

impl PartSolver<'_> {
    /// Finds what moves out of the part promise to the positions of a side, a few slices at a time: for each winner and each
    /// slice what is due. If the sets are in memory, it also finds these moves, as far as they matter to a loser.
    pub(super) fn promise(
        &mut self,
        side: Color,
        threads: &Threads,
    ) -> Result<[Vec<Due>; 2], SolveError> {
        let solved = self.solved;
        // Where moves out of the part are put aside, those out of a group of slices are made with their promises.
        let mut doors = match self.stores_conversions() {
            true => Conversions::default(),
            false => solved.doors(self.part, side, Role::Loser, None, &|_| false)?,
        };
        let mut stored = Conversions::default();
        let slices = self.domain.slices();
        let mut dues: Vec<Option<[Due; 2]>> = (0..slices).map(|_| None).collect();
        for group in self.groups(&(0..slices).collect::<Vec<_>>()) {
            self.heed_stop()?;
            if self.stores_conversions() {
                doors = solved.doors(self.part, side, Role::Loser, Some(&group), &|_| false)?;
            }
            let mut slices: Vec<Promised> = group
                .iter()
                .map(|&slice| self.promised(slice, side))
                .collect();
            let chosen = (group.len() < self.domain.slices()).then_some(&group[..]);
            solved.promises(self.part, side, chosen, &mut |promise| match promise {
                Promise::Captures(captured, captures) => {
                    self.add_captures(captured, captures, side, threads, &mut slices);
                    Ok(())
                }
                Promise::Moves(moves) => self.add_moves(&moves, side, &mut doors, &mut slices),
            })?;
            if self.stores_conversions() {
                self.store(&doors, &group, threads, &mut stored)?;
            }
            let made: Result<Vec<_>, SolveError> = (slices.into_par_iter())
                .map_init(
                    || threads.lend(),
                    |lent, promised| {
                        let gathered = &mut lent.get().gathered;
                        let slice = Slice::new(&self.domain, promised.slice);
                        doors.not_won.gather(&slice, gathered)?;
                        let safe = (side, gathered.rows());
                        let mut due = Due::of(&promised.planes, safe, self.options.backend);
                        gathered.clear();
                        if let Some(temp_file) = &self.aside {
                            for due in &mut due {
                                due.put_aside(temp_file)?;
                            }
                        }
                        Ok((promised.slice, due))
                    },
                )
                .collect();
            for (slice, due) in made? {
                dues[slice] = Some(due);
            }
        }
        self.doors[side as usize] = match self.stores_conversions() {
            true => stored,
            false => doors,
        };
        let dues = dues.into_iter().map(|due| due.expect("of each slice"));
        let (white, black) = dues.map(<(Due, Due)>::from).unzip();
        Ok([white, black])
    }

    fn promised(&self, slice: usize, side: Color) -> Promised {
        let mut shut = vec![Row::EMPTY; self.domain.rows()];
        Slice::new(&self.domain, slice).illegal_into(side, &mut shut, self.options.backend);
        Promised {
            slice,
            planes: Planes::default(),
            shut,
        }
    }

    /// Whose wins are possible. A file that lies may say that a bare king mates. Who never wins here has no plies, in which
    /// that would be found.
    fn possible(&self) -> [bool; 2] {
        Color::ALL.map(|winner| self.solved.shape.can_win(winner))
    }

    /// Adds what captures of a piece promise.
    fn add_captures(
        &self,
        captured: Captured,
        captures: &[Captures],
        side: Color,
        threads: &Threads,
        slices: &mut [Promised],
    ) {
        let (domain, backend, possible) = (&self.domain, self.options.backend, self.possible());
        let slabs = domain.slabs();
        slices.par_iter_mut().for_each_init(
            || (threads.lend(), Brought::default()),
            |(lent, brought), promised| {
                let gathered = &mut lent.get().gathered;
                let slice = Slice::new(domain, promised.slice);
                for by in domain.capturers(captured) {
                    for (bit, captures) in captures.iter().enumerate() {
                        gathered.captures_by(&slice, by, captures);
                        gathered.drain(|slab, these| brought.put(bit, slab, these, slabs));
                    }
                    let Promised { planes, shut, .. } = &mut *promised;
                    dispatch!(backend, _ => brought.drain(
                        #[inline(always)]
                        |slab, codes| improve(planes, slab, codes, side, shut, possible)
                    ));
                }
            },
        );
    }

    /// Adds what a pawn's move promises, and notes it among the moves out of the part.
    fn add_moves(
        &self,
        moves: &Moves<'_>,
        side: Color,
        doors: &mut Conversions,
        slices: &mut [Promised],
    ) -> Result<(), SolveError> {
        let (backend, possible) = (self.options.backend, self.possible());
        let slabs = self.domain.slabs();
        let [all, not_won] = doors.moves_mut(&self.domain)?;
        let mut exits = [all.rows_mut(), not_won.rows_mut()];
        let (mut too_long, count) = (false, moves.codes.len());
        for view in moves.views(&self.domain) {
            for Promised {
                slice,
                planes,
                shut,
            } in &mut *slices
            {
                dispatch!(backend, _ => {
                    for slab in 0..slabs {
                        let mut codes = [[Row::EMPTY; 8]; BITS];
                        let Some(any) = view.slab((*slice, slab, slabs), &mut codes) else {
                            continue;
                        };
                        let at = (*slice * slabs + slab) * 8;
                        let [all, not_won] = &mut exits;
                        let exits = [&mut all[at..at + 8], &mut not_won[at..at + 8]];
                        note_exits(&any, &mut codes, count, side, exits);
                        too_long |= move_to(&mut codes, count + 1, !side);
                        let codes = &codes[..(count + 1).min(BITS)];
                        improve(planes, slab, codes, side, shut, possible);
                    }
                });
            }
        }
        match too_long {
            true => Err(self.solved.too_many()),
            false => Ok(()),
        }
    }

    /// The code of a value, if it is due anywhere.
    pub(super) fn due(&self, dues: &[Vec<Due>; 2], side: Color, value: Value) -> Option<u16> {
        let code = code_of_mate(value, side)?;
        (dues[side as usize].iter().any(|due| due.has(code))).then_some(code)
    }

    /// The next ply in which anything is due, as a win of `winner` in it or as a loss of the other side in the one after it,
    /// or `None` if nothing is left.
    pub(super) fn next_due(&self, dues: &[Vec<Due>; 2], winner: Color) -> Option<u16> {
        let next = (dues.iter().zip(Color::ALL)).filter_map(|(dues, side)| {
            let code = dues.iter().filter_map(Due::next).min()?;
            let plies = mate_of_code(code, side).plies;
            Some(plies - u16::from(side != winner))
        });
        next.min()
    }

    /// Forgets where a value was due.
    pub(super) fn forget_due(&self, dues: &mut [Vec<Due>; 2], side: Color, value: Value) {
        if let Some(code) = self.due(dues, side, value) {
            for due in &mut dues[side as usize] {
                due.forget(code);
            }
        }
    }
}
