//! Moves of all pieces of a side as operations on a slice.

use super::counts::dispatch_sums;
use super::domain::Domain;
use super::eight_boards::{EightBoards, HasBoards};
use super::frontier::Frontier;
use super::image::Image;
use super::man::{Direction, Movement};
use super::moves::{ALL_BUT_FILE, in_slab, in_word};
use super::notes::{Sink, Source, noted};
use super::set::Bitbase;
use super::slice::{Slice, load_slab};
use crate::batch::Backend;
use crate::board::{Bitboard, Color, bits};
use crate::index::KingMove;

/// A set of positions from which moves are played, dense or sparse.
#[derive(Clone, Copy, Debug)]
pub enum Positions<'a> {
    /// A dense set.
    Dense(&'a Bitbase),
    /// A sparse set.
    Sparse(&'a Frontier),
}

impl<'a> From<&'a Bitbase> for Positions<'a> {
    fn from(set: &'a Bitbase) -> Positions<'a> {
        Positions::Dense(set)
    }
}

impl<'a> From<&'a Frontier> for Positions<'a> {
    fn from(set: &'a Frontier) -> Positions<'a> {
        Positions::Sparse(set)
    }
}

impl<'a> Positions<'a> {
    /// The domain.
    pub(super) fn domain(self) -> &'a Domain {
        match self {
            Positions::Dense(set) => set.domain(),
            Positions::Sparse(set) => set.domain(),
        }
    }

    #[inline(always)]
    pub(super) fn slice(self, number: usize) -> Source<'a> {
        match self {
            Positions::Dense(set) => set.source(number),
            Positions::Sparse(set) => set.source(number),
        }
    }
}

impl Slice<'_> {
    #[inline(always)]
    fn add_outer_moves<L: EightBoards>(
        &self,
        isa: L::Isa,
        k: usize,
        movement: &Movement,
        direction: Direction,
        from: Source<'_>,
        into: &mut Sink<'_>,
    ) {
        let shift = 6 * (self.outer - 1 - k);
        if movement.leaps_over() {
            let leaps = &movement.leaps[direction as usize];
            let mut rows = 0;
            for slab in noted(from.groups) {
                rows += from.active[slab].count_ones() as usize;
            }
            if rows >= 6 * self.slabs {
                self.pull_leaps::<L>(
                    isa,
                    shift,
                    &movement.leaps[1 - direction as usize],
                    from,
                    into,
                );
                return;
            }
            for slab in noted(from.groups) {
                let base = slab & !(63 << shift);
                for to in bits(leaps[slab >> shift & 63].0) {
                    for r in bits(u64::from(from.active[slab])) {
                        let x = L::load(isa, &from.rows[slab * 8 + r]).once(isa);
                        into.add(isa, base | to << shift, r, x);
                    }
                }
            }
            return;
        }
        // The slabs on which this man is on a1, for all squares of the others that count slabs.
        for low in 0..1 << shift {
            for high in 0..self.slabs >> (shift + 6) {
                let base = high << (shift + 6) | low;
                let blocked = self.blocked | self.others(base, k);
                for squares in self.lines.whole[movement.axes()].iter().flatten() {
                    let line = Line::new(squares, base, shift, blocked);
                    let mut needed = 0;
                    for k in 0..8 {
                        needed |= from.active[line.slabs[k]];
                    }
                    for r in bits(u64::from(needed)) {
                        along::<L>(isa, &line, r, from, into);
                    }
                }
            }
        }
    }

    /// Adds the leaps of a man who counts slabs by `shift`, each slab from all that leaps lead from to it:
    /// fewer loads and stores than from each slab to all others, if most rows have positions.
    #[inline(always)]
    fn pull_leaps<L: EightBoards>(
        &self,
        isa: L::Isa,
        shift: usize,
        sources: &[Bitboard; 64],
        from: Source<'_>,
        into: &mut Sink<'_>,
    ) {
        for to in 0..self.slabs {
            let base = to & !(63 << shift);
            let sources = sources[to >> shift & 63].0;
            let mut needed = 0;
            for square in bits(sources) {
                needed |= from.active[base | square << shift];
            }
            for r in bits(u64::from(needed)) {
                let mut moved = L::zero(isa);
                for square in bits(sources) {
                    let slab = base | square << shift;
                    if from.active[slab] >> r & 1 != 0 {
                        moved = moved | L::load(isa, &from.rows[slab * 8 + r]).once(isa);
                    }
                }
                into.add(isa, to, r, moved);
            }
        }
    }
}

/// Adds the positions of a slice that moves of a side's king lead to.
#[inline(always)]
pub fn add_king_moves<T: HasBoards>(
    isa: T,
    slice: &Slice<'_>,
    side: Color,
    from: Positions<'_>,
    into: &mut Sink<'_>,
) {
    for &KingMove {
        slice: number,
        symmetry,
        ..
    } in slice.king_moves(side)
    {
        let from = from.slice(number);
        if from.is_empty() {
            continue;
        }
        let image = Image::new(symmetry, slice.men);
        for there in noted(from.groups) {
            let here = image.here(there, slice.outer);
            let slab = &from.rows[there * 8..there * 8 + 8];
            for r in bits(u64::from(image.rows_here(from.active[there]))) {
                into.add(isa, here, r, image.row::<T::Boards>(isa, slab, r).once(isa));
            }
        }
    }
}

/// Adds the positions of a slice that moves of one man lead to from given positions of it, with the instructions of a
/// backend. Positions that are added several times are told apart if the sink has rows for them.
pub(super) fn man_moves(
    backend: Backend,
    slice: &Slice<'_>,
    man: usize,
    direction: Direction,
    from: Source<'_>,
    into: Sink<'_>,
) {
    // The slices are part of the closure: behind a reference they would be loaded again after each store.
    let Sink {
        rows,
        several,
        dirty,
    } = into;
    let counts = !several.is_empty();
    dispatch_sums!(backend, counts, token => {
        let into = &mut Sink {
            rows,
            several,
            dirty,
        };
        add_man_moves(token, slice, man, direction, from, into);
    });
}

/// Does this with the instructions of a token.
#[inline(always)]
pub fn add_man_moves<T: HasBoards>(
    isa: T,
    slice: &Slice<'_>,
    man: usize,
    direction: Direction,
    from: Source<'_>,
    into: &mut Sink<'_>,
) {
    // Without a slab the notes of rows may come from earlier plies.
    if from.is_empty() {
        return;
    }
    let movement = &slice.parts.movements[man];
    if man < slice.outer {
        slice.add_outer_moves::<T::Boards>(isa, man, movement, direction, from, into);
    } else if man + 1 == slice.men {
        for slab in noted(from.groups) {
            let here = slice.slab(slab);
            for r in bits(u64::from(from.active[slab])) {
                let x = T::Boards::load(isa, &from.rows[slab * 8 + r]).once(isa);
                into.add(
                    isa,
                    slab,
                    r,
                    in_word(isa, movement, direction, x, here.free(isa, r)),
                );
            }
        }
    } else {
        for slab in noted(from.groups) {
            let mut x: [T::Boards; 8] = load_slab(isa, &from.rows[slab * 8..slab * 8 + 8]);
            for row in &mut x {
                *row = row.once(isa);
            }
            let pass = slice.slab(slab).distinct(isa);
            let mut out = [T::Boards::zero(isa); 8];
            in_slab(isa, movement, direction, &x, &pass, &mut out);
            for (r, out) in out.into_iter().enumerate() {
                into.add(isa, slab, r, out);
            }
        }
    }
}

/// A line of up to eight squares on which a man moves whose squares count slabs, with the others on their
/// squares. Squares beyond its end are blocked.
struct Line {
    squares: usize,
    /// The slabs of the squares, the last one's again beyond the end.
    slabs: [usize; 8],
    /// For each square the squares of the last man that leave it free: none if it is blocked.
    open: [u64; 8],
    /// For each square its rank, which is the row in which it is one of the man before the last, and its file.
    places: [(usize, usize); 8],
}

impl Line {
    #[inline(always)]
    fn new(squares: &[u8], base: usize, shift: usize, blocked: u64) -> Line {
        let mut line = Line {
            squares: squares.len(),
            slabs: [0; 8],
            open: [0; 8],
            places: [(8, 0); 8],
        };
        for k in 0..8 {
            let square = usize::from(squares[k.min(squares.len() - 1)]);
            line.slabs[k] = base | square << shift;
            if k < squares.len() {
                let bit = 1 << square;
                line.open[k] = if blocked & bit == 0 { !bit } else { 0 };
                line.places[k] = (square / 8, square % 8);
            }
        }
        line
    }
}

/// Adds moves along one line in both directions, for one row of the last two men's squares. At each square the
/// positions accumulated so far move on. Positions that the square blocks are removed, and positions that start there
/// are added. They may start on a blocked square, too: a capture is taken back from the captured piece's square.
#[inline(always)]
fn along<L: EightBoards>(
    isa: L::Isa,
    line: &Line,
    r: usize,
    from: Source<'_>,
    into: &mut Sink<'_>,
) {
    let (mut start, mut pass) = ([L::zero(isa); 8], [L::zero(isa); 8]);
    for k in 0..8 {
        if k < line.squares && from.active[line.slabs[k]] >> r & 1 != 0 {
            start[k] = L::load(isa, &from.rows[line.slabs[k] * 8 + r]).once(isa);
        }
        pass[k] = L::splat(isa, line.open[k]);
        let (rank, file) = line.places[k];
        if rank == r {
            pass[k] = pass[k] & L::load(isa, &ALL_BUT_FILE[file]);
        }
    }
    let mut moved = [L::zero(isa); 8];
    let (mut up, mut down) = (L::zero(isa), L::zero(isa));
    for k in 0..7 {
        up = (up | start[k]) & pass[k + 1];
        moved[k + 1] = moved[k + 1] | up;
        down = (down | start[7 - k]) & pass[6 - k];
        moved[6 - k] = moved[6 - k] | down;
    }
    for (&slab, moved) in line.slabs.iter().zip(moved) {
        if !moved.is_zero() {
            into.add(isa, slab, r, moved);
        }
    }
}
