//! Moves of all pieces of a side as operations on a slice.

use super::eight_boards::{EightBoards, HasBoards};
use super::frontier::{View, noted};
use super::image::Image;
use super::man::{Gait, Way};
use super::moves::{ALL_BUT_FILE, in_slab, in_word};
use super::row::Row;
use super::slice::{Slice, bits, load_slab};
use crate::board::{Bitboard, Color};
use crate::index::KingMove;

/// Positions of one slice that have notes of where they are.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) rows: &'a [Row],
    /// For each slab the rows that may have positions.
    pub(super) active: &'a [u8],
    /// The slabs that may have positions, 64 to a word.
    pub(super) groups: &'a [u64],
}

/// The rows of a slice that positions are added to.
pub(super) struct Sink<'a> {
    pub(super) rows: &'a mut [Row],
    /// For each slab the rows that may have positions.
    pub(super) dirty: &'a mut [u8],
}

impl Sink<'_> {
    #[inline(always)]
    pub(super) fn add<L: EightBoards>(&mut self, isa: L::Isa, slab: usize, r: usize, x: L) {
        let row = &mut self.rows[slab * 8 + r];
        (L::load(isa, row) | x).store(row);
        self.dirty[slab] |= 1 << r;
    }
}

impl<'a> View<'a> {
    #[inline(always)]
    pub(super) fn slice(self, slice: usize, slabs: usize) -> Source<'a> {
        let groups = slabs.div_ceil(64);
        Source {
            rows: &self.rows[slice * slabs * 8..(slice + 1) * slabs * 8],
            active: &self.active[slice * self.active_stride..][..slabs],
            groups: &self.groups[slice * self.groups_stride..][..groups],
        }
    }
}

impl Slice<'_> {
    /// Adds the positions that moves of a man lead to from given positions of this slice.
    #[inline(always)]
    pub(super) fn add_man_moves<L: EightBoards>(
        &self,
        isa: L::Isa,
        k: usize,
        way: Way,
        from: Source<'_>,
        into: &mut Sink<'_>,
    ) {
        let gait = &self.parts.gaits[k];
        if k + 1 == self.men {
            for g in 0..from.groups.len() {
                for slab in bits(from.groups[g]) {
                    let slab = g * 64 + slab;
                    let here = self.slab(slab);
                    for r in bits(u64::from(from.active[slab])) {
                        let x = L::load(isa, &from.rows[slab * 8 + r]);
                        into.add(isa, slab, r, in_word(isa, gait, way, x, here.free(isa, r)));
                    }
                }
            }
        } else if k + 2 == self.men {
            for slab in noted(from.groups) {
                let x: [L; 8] = load_slab(isa, &from.rows[slab * 8..slab * 8 + 8]);
                let pass = self.slab(slab).distinct(isa);
                let rows = &mut into.rows[slab * 8..slab * 8 + 8];
                let mut out: [L; 8] = load_slab(isa, rows);
                in_slab(isa, gait, way, &x, &pass, &mut out);
                for r in 0..8 {
                    out[r].store(&mut rows[r]);
                }
                into.dirty[slab] = 0xff;
            }
        } else {
            self.add_outer_moves::<L>(isa, k, gait, way, from, into);
        }
    }

    #[inline(always)]
    fn add_outer_moves<L: EightBoards>(
        &self,
        isa: L::Isa,
        k: usize,
        gait: &Gait,
        way: Way,
        from: Source<'_>,
        into: &mut Sink<'_>,
    ) {
        let shift = 6 * (self.outer - 1 - k);
        if gait.leaps_over() {
            let leaps = gait.leaps(way);
            let mut rows = 0;
            for slab in noted(from.groups) {
                rows += from.active[slab].count_ones() as usize;
            }
            if rows >= 6 * self.slabs {
                self.pull_leaps::<L>(isa, shift, gait.leaps(way.opposite()), from, into);
                return;
            }
            for slab in noted(from.groups) {
                let base = slab & !(63 << shift);
                for to in bits(leaps[slab >> shift & 63].0) {
                    for r in bits(u64::from(from.active[slab])) {
                        into.add(
                            isa,
                            base | to << shift,
                            r,
                            L::load(isa, &from.rows[slab * 8 + r]),
                        );
                    }
                }
            }
            return;
        }
        let ways = match (gait.straight, gait.diagonal) {
            (true, true) => 0..2,
            (true, _) => 0..1,
            (_, _) => 1..2,
        };
        // The slabs on which this man is on a1, for all squares of the others that count slabs.
        for low in 0..1 << shift {
            for high in 0..self.slabs >> (shift + 6) {
                let base = high << (shift + 6) | low;
                let blocked = self.blocked | self.others(base, k);
                for way in ways.clone() {
                    for squares in &self.ways.lines[way] {
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
                        moved = moved | L::load(isa, &from.rows[slab * 8 + r]);
                    }
                }
                into.add(isa, to, r, moved);
            }
        }
    }

    /// The squares of the men that count slabs, but for one of them.
    #[inline(always)]
    fn others(&self, slab: usize, but: usize) -> u64 {
        let mut bits = 0;
        for k in 0..self.outer {
            if k != but {
                bits |= 1 << self.digit(slab, k);
            }
        }
        bits
    }

    /// Adds the positions that king moves lead to.
    #[inline(always)]
    fn add_king_moves<L: EightBoards>(
        &self,
        isa: L::Isa,
        side: Color,
        from: View<'_>,
        into: &mut Sink<'_>,
    ) {
        let groups = self.slabs.div_ceil(64);
        for &KingMove {
            slice, symmetry, ..
        } in self.king_moves(side)
        {
            let noted = &from.groups[slice * from.groups_stride..][..groups];
            let mut image = None;
            for (g, &slabs) in noted.iter().enumerate() {
                for k in bits(slabs) {
                    let there = g * 64 + k;
                    let image = *image.get_or_insert_with(|| Image::new(symmetry, self.men));
                    let here = image.here(there, self.outer);
                    let at = slice * self.slabs + there;
                    let slab = &from.rows[at * 8..at * 8 + 8];
                    let active = from.active[slice * from.active_stride + there];
                    for r in bits(u64::from(image.rows_here(active))) {
                        into.add(isa, here, r, image.row::<L>(isa, slab, r));
                    }
                }
            }
        }
    }

    /// Adds all positions that moves of a side without captures lead to.
    #[inline(always)]
    pub(super) fn add_moves<L: EightBoards>(
        &self,
        isa: L::Isa,
        side: Color,
        way: Way,
        from: View<'_>,
        into: &mut Sink<'_>,
    ) {
        let own = from.slice(self.number, self.slabs);
        // Without a slab the notes of rows may be those of earlier plies.
        if own.groups.iter().any(|&slabs| slabs != 0) {
            for k in 0..self.men {
                if self.parts.men[k].color == side {
                    self.add_man_moves::<L>(isa, k, way, own, into);
                }
            }
        }
        self.add_king_moves::<L>(isa, side, from, into);
    }
}

/// A line of up to eight squares on which a man moves whose squares count slabs, with the others on their
/// squares. What is beyond its end is blocked.
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
/// positions gathered so far move on. Those that the square blocks are removed, and those that start there join
/// them. They may start on a blocked square, too: a piece that captures is taken back from that of its prey.
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
            start[k] = L::load(isa, &from.rows[line.slabs[k] * 8 + r]);
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

/// Adds the moves of one man, in the lanes of a token.
#[inline(always)]
pub(super) fn add_man_moves<T: HasBoards>(
    isa: T,
    slice: &Slice<'_>,
    man: usize,
    way: Way,
    from: View<'_>,
    sink: &mut Sink<'_>,
) {
    let own = from.slice(slice.number, slice.slabs);
    if own.groups.iter().any(|&slabs| slabs != 0) {
        slice.add_man_moves::<T::Boards>(isa, man, way, own, sink);
    }
}
