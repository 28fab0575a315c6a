//! Distances to mate that moves out of a part bring in, and the plies in which they are due.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::{Bitbase, Row, Slice};
use tbindex::dispatch;

use super::Solver;
use crate::codes::{BITS, MATED, code_of_mate, mate_of_code};
use crate::doors::Doors;
use crate::due::Due;
use crate::library::SolveError;
use crate::mates::improved;
use crate::planes::{Planes, Slab};
use crate::promises::Promise;
use crate::room::Threads;
use crate::value::Value;

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

/// Gives positions of a slab these codes, where they are better than what is there, and the position is not `shut`. Losses
/// and wins are given if they are `possible`.
#[inline(always)]
fn improve(planes: &mut Planes, slab: usize, codes: &[Slab], shut: &[Row], possible: [bool; 2]) {
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
        *these = improved(&new[..codes.len()], &old[..count]) & open;
        any |= !these.is_empty();
    }
    if any {
        planes.replace_by(slab, &these, codes, shut.len());
    }
}

impl Solver<'_> {
    /// Gives each legal position of a side the best value that its moves out of the part bring, and finds these moves.
    /// What `illegal` had is overwritten.
    pub(super) fn promise(
        &mut self,
        side: Color,
        threads: &Threads,
        illegal: &mut Bitbase,
    ) -> Result<Doors, SolveError> {
        let mut slices = std::mem::take(&mut self.sides[side as usize].slices);
        let domain = &self.domain;
        let slabs = domain.slabs();
        let backend = self.options.backend;
        // A file that lies may say that a bare king mates. Who never wins here has no plies, in which that would be found.
        let possible = [!side, side].map(|winner| self.solved.shape.can_win(winner));
        (illegal.par_slices_mut().enumerate()).for_each(|(number, rows)| {
            Slice::new(domain, number).illegal_into(side, rows, backend);
        });
        let illegal = &*illegal;
        let doors = (self.solved).promises(self.part, side, &mut |promise| match promise {
            Promise::Captures(captured, captures) => {
                slices.par_iter_mut().enumerate().for_each_init(
                    || (threads.lend(), Brought::default()),
                    |(lent, brought), (number, planes)| {
                        let gathered = &mut lent.get().gathered;
                        let slice = Slice::new(domain, number);
                        for by in domain.capturers(captured) {
                            for (bit, captures) in captures.iter().enumerate() {
                                gathered.captures_by(&slice, by, captures);
                                gathered.drain(|slab, these| brought.put(bit, slab, these, slabs));
                            }
                            let illegal = illegal.slice(number);
                            dispatch!(backend, _ => brought.drain(
                                #[inline(always)]
                                |slab, codes| improve(planes, slab, codes, illegal, possible)
                            ));
                        }
                    },
                );
            }
            Promise::Moves(sets) => {
                for (number, planes) in slices.iter_mut().enumerate() {
                    let illegal = illegal.slice(number);
                    let sets: Vec<&[Row]> = sets.iter().map(|set| set.slice(number)).collect();
                    dispatch!(backend, _ => {
                        for slab in 0..slabs {
                            let rows = slab * 8..slab * 8 + 8;
                            let mut codes = [[Row::EMPTY; 8]; BITS];
                            for (codes, set) in codes.iter_mut().zip(&sets) {
                                codes.copy_from_slice(&set[rows.clone()]);
                            }
                            improve(planes, slab, &codes[..sets.len()], illegal, possible);
                        }
                    });
                }
            }
        })?;
        self.sides[side as usize].slices = slices;
        Ok(doors)
    }

    /// Notes in which slabs which codes are due, of the wins or of the losses that a side is promised. Losses that are in
    /// `shut`, as there are moves that save, are forgotten; the others are shut from then on.
    pub(super) fn note_dues(&mut self, side: Color, wins: bool, shut: &mut Bitbase) -> Vec<Due> {
        let slabs = self.domain.slabs();
        let backend = self.options.backend;
        let slices = &mut self.sides[side as usize].slices;
        (slices.par_iter_mut().zip(shut.par_slices_mut()))
            .map(|(planes, shut)| {
                if wins {
                    return Due::note(planes, slabs, wins, backend);
                }
                for slab in 0..slabs {
                    let lost = lost_in(planes, slab);
                    let mut saved: Slab = std::array::from_fn(|r| lost[r] & shut[slab * 8 + r]);
                    if saved.iter().any(|row| !row.is_empty()) {
                        // Checkmates are shut, too, and promise nothing.
                        for (saved, mated) in saved.iter_mut().zip(planes.slab_with(slab, MATED)) {
                            *saved &= !mated;
                        }
                        planes.replace(slab, &saved, shut.len(), 0);
                    }
                    for (r, lost) in lost.into_iter().enumerate() {
                        shut[slab * 8 + r] |= lost;
                    }
                }
                Due::note(planes, slabs, wins, backend)
            })
            .collect()
    }

    /// The code of a value, if it is due anywhere.
    pub(super) fn due(&self, dues: &[Vec<Due>; 2], side: Color, value: Value) -> Option<u16> {
        let code = code_of_mate(value)?;
        (dues[side as usize].iter().any(|due| due.has(code))).then_some(code)
    }

    /// Whether anything is due later than in this ply.
    pub(super) fn is_due_after(&self, dues: &[Vec<Due>; 2], plies: u16) -> bool {
        let mut last = dues.iter().flatten().filter_map(Due::last);
        last.any(|code| mate_of_code(code).plies > plies)
    }

    /// Takes the codes of losses from positions that are not lost after all.
    pub(super) fn forget_promises(&mut self, loser: Color, dues: &[Due], done: &Bitbase) {
        let slices = &mut self.sides[loser as usize].slices;
        for (number, (planes, due)) in slices.iter_mut().zip(dues).enumerate() {
            let done = done.slice(number);
            for slab in due.all() {
                let lost = lost_in(planes, slab);
                let not = std::array::from_fn(|r| lost[r] & !done[slab * 8 + r]);
                planes.replace(slab, &not, done.len(), 0);
            }
        }
    }
}

/// The positions of a slab with codes of losses.
fn lost_in(planes: &Planes, slab: usize) -> Slab {
    let count = planes.count();
    std::array::from_fn(|r| {
        let rows = planes.rows_at(slab * 8 + r);
        let mut any = Row::EMPTY;
        for &row in &rows[1..count.max(1)] {
            any |= row;
        }
        any & !rows[0]
    })
}
