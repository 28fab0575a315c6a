//! One slice of a table, with the moves of its pieces as operations on rows.

mod confine;
mod image;
mod ways;

use tbindex::{Bitboard, Color, KingMove, PieceType, Square, attacks, between};

use crate::kings::Kings;
use crate::lanes::{Lanes, Row};
use crate::moves::{ALL_BUT_FILE, OWN_SQUARE, in_slab, in_word};
use crate::sets::{Frontier, Scratch};
use crate::shape::Shape;

pub(crate) use image::Image;
use ways::Ways;

/// Lane k of row `byte` is full where bit k of the byte is set.
pub(crate) static SPREAD: [Row; 256] = {
    let mut rows = [Row::ZERO; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut lane = 0;
        while lane < 8 {
            if byte >> lane & 1 != 0 {
                rows[byte].0[lane] = !0;
            }
            lane += 1;
        }
        byte += 1;
    }
    rows
};

/// A slice, with the pieces and squares that it stands for.
#[derive(Clone, Copy)]
pub(crate) struct Slice<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) kings: &'static Kings,
    pub(crate) ways: &'static Ways,
    pub(crate) number: usize,
    squares: [Square; 2],
    king_bits: u64,
    inner: bool,
    slabs: usize,
}

/// Adds positions to a row of a slice.
#[inline(always)]
fn add<L: Lanes>(rows: &mut [Row], dirty: &mut [u8; 64], slab: usize, r: usize, x: L) {
    let row = &mut rows[slab * 8 + r];
    (L::load(row) | x).store(row);
    dirty[slab & 63] |= 1 << r;
}

#[inline(always)]
// No closure may touch a register. A closure that is compiled as a function of its own would not have the
// instructions of the entry point, and each operation would be a call.
pub(crate) fn load_slab<L: Lanes>(rows: &[Row]) -> [L; 8] {
    let rows: &[Row; 8] = rows.try_into().expect("a slab has eight rows");
    let mut slab = [L::zero(); 8];
    for r in 0..8 {
        slab[r] = L::load(&rows[r]);
    }
    slab
}

/// The positions that are not in a slab.
#[inline(always)]
pub(crate) fn invert<L: Lanes>(slab: &[L; 8]) -> [L; 8] {
    let all = L::splat(!0);
    let mut inverted = [L::zero(); 8];
    for r in 0..8 {
        inverted[r] = all.without(slab[r]);
    }
    inverted
}

/// Whether a slab is empty.
#[inline(always)]
pub(crate) fn is_empty<L: Lanes>(slab: &[L; 8]) -> bool {
    let mut any = L::zero();
    for &row in slab {
        any = any | row;
    }
    any.is_zero()
}

#[inline(always)]
pub(crate) fn bits(set: u64) -> impl Iterator<Item = usize> {
    Bitboard(set).iter().map(Square::index)
}

impl<'a> Slice<'a> {
    #[inline(always)]
    pub(crate) fn new(shape: &'a Shape, number: usize) -> Slice<'a> {
        let kings = Kings::get();
        let squares = kings.squares(number);
        Slice {
            shape,
            kings,
            ways: Ways::get(),
            number,
            squares,
            king_bits: 1 << squares[0].number() | 1 << squares[1].number(),
            inner: shape.pieces()[1].is_some(),
            slabs: shape.slabs(),
        }
    }

    #[inline(always)]
    fn outer_bit(&self, slab: usize) -> u64 {
        if self.slabs == 64 { 1 << slab } else { 0 }
    }

    #[inline(always)]
    fn is_king(&self, square: usize) -> bool {
        self.king_bits >> square & 1 != 0
    }

    /// The squares on which the last piece may stand or which it may pass, for a row of inner squares.
    #[inline(always)]
    fn free<L: Lanes>(&self, slab: usize, r: usize) -> L {
        let free = L::splat(!(self.king_bits | self.outer_bit(slab)));
        if self.inner {
            free.without(L::load(&OWN_SQUARE[r]))
        } else {
            free
        }
    }

    /// The placements of a row in which no two pieces share a square.
    #[inline(always)]
    fn distinct<L: Lanes>(&self, slab: usize, r: usize) -> L {
        if self.slabs == 64 && self.is_king(slab) {
            return L::zero();
        }
        let free: L = self.free(slab, r);
        if !self.inner {
            let used = if r == 0 { 1 } else { 0 };
            return free & L::load(&SPREAD[used]);
        }
        let occupied = self.king_bits | self.outer_bit(slab);
        free & L::load(&SPREAD[usize::from(!(occupied >> (8 * r)) as u8)])
    }

    #[inline(always)]
    pub(crate) fn distinct_slab<L: Lanes>(&self, slab: usize) -> [L; 8] {
        let mut rows = [L::zero(); 8];
        for (r, row) in rows.iter_mut().enumerate() {
            *row = self.distinct(slab, r);
        }
        rows
    }

    /// The illegal positions of a slab: two pieces share a square, or the king of the side that is not to
    /// move is in check.
    #[inline(always)]
    pub(crate) fn illegal<L: Lanes>(&self, slab: usize, side: Color) -> [L; 8] {
        let distinct: [L; 8] = self.distinct_slab(slab);
        if self.slabs == 64 && self.is_king(slab) {
            return [L::splat(!0); 8];
        }
        let king = self.squares[!side as usize];
        let own_king = 1u64 << self.squares[side as usize].number();
        let [outer, inner, last] = self.shape.pieces();
        let mut illegal = invert(&distinct);

        if let Some(piece) = outer.filter(|piece| piece.color == side) {
            let from = Square::from_low_bits(slab as u8);
            let way = between(from, king).0;
            if attacks(piece, from, Bitboard::EMPTY).contains(king) && way & own_king == 0 {
                for (r, row) in illegal.iter_mut().enumerate() {
                    let open = SPREAD[usize::from(!(way >> (8 * r)) as u8)];
                    *row = row.or_and(L::load(&open), L::splat(!way));
                }
            }
        }
        if let Some(piece) = inner.filter(|piece| piece.color == side) {
            let blockers = own_king | self.outer_bit(slab);
            let mut attacked = [Row::ZERO; 8];
            for from in attacks(piece, king, Bitboard(blockers)) {
                attacked[from.index() / 8].0[from.index() % 8] = !between(from, king).0;
            }
            for (row, attacked) in illegal.iter_mut().zip(&attacked) {
                *row = *row | L::load(attacked);
            }
        }
        if let Some(piece) = last.filter(|piece| piece.color == side) {
            let target = L::splat(1 << king.number());
            for (r, row) in illegal.iter_mut().enumerate() {
                *row = *row | in_word(piece.kind, target, self.free(slab, r));
            }
        }
        illegal
    }

    /// Adds the positions that moves of the last, inner or outer piece reach from given positions of this
    /// slice.
    #[inline(always)]
    pub(crate) fn piece_moves<L: Lanes>(
        &self,
        role: usize,
        from: &[Row],
        active: &[u8],
        slabs: u64,
        rows: &mut [Row],
        dirty: &mut [u8; 64],
    ) {
        let Some(piece) = self.shape.pieces()[role] else {
            return;
        };
        match role {
            2 => {
                for slab in bits(slabs) {
                    for r in bits(u64::from(active[slab])) {
                        let x = L::load(&from[slab * 8 + r]);
                        let moved = in_word(piece.kind, x, self.free(slab, r));
                        add(rows, dirty, slab, r, moved);
                    }
                }
            }
            1 => {
                for slab in bits(slabs) {
                    let x: [L; 8] = load_slab(&from[slab * 8..slab * 8 + 8]);
                    let pass = self.distinct_slab(slab);
                    let mut out: [L; 8] = load_slab(&rows[slab * 8..slab * 8 + 8]);
                    in_slab(piece.kind, &x, &pass, &mut out);
                    for (r, out) in out.into_iter().enumerate() {
                        out.store(&mut rows[slab * 8 + r]);
                    }
                    dirty[slab & 63] = 0xff;
                }
            }
            _ => self.outer_moves::<L>(piece.kind, from, active, slabs, rows, dirty),
        }
    }

    #[inline(always)]
    fn outer_moves<L: Lanes>(
        &self,
        kind: PieceType,
        from: &[Row],
        active: &[u8],
        slabs: u64,
        rows: &mut [Row],
        dirty: &mut [u8; 64],
    ) {
        if kind == PieceType::Knight {
            for slab in bits(slabs) {
                for &to in &self.ways.leaps[slab] {
                    let to = usize::from(to);
                    for r in bits(u64::from(active[slab])) {
                        add(rows, dirty, to, r, L::load(&from[slab * 8 + r]));
                    }
                }
            }
            return;
        }
        let ways = match kind {
            PieceType::Rook => 0..1,
            PieceType::Bishop => 1..2,
            _ => 0..2,
        };
        for way in ways {
            for line in &self.ways.lines[way] {
                let mut needed = 0;
                for &square in line {
                    needed |= active[usize::from(square)];
                }
                for r in bits(u64::from(needed)) {
                    self.along::<L>(line.iter(), r, from, active, rows, dirty);
                    self.along::<L>(line.iter().rev(), r, from, active, rows, dirty);
                }
            }
        }
    }

    /// Adds the outer piece's moves along one line in one direction, for one row of the inner piece's
    /// squares. At each square the positions gathered so far move on. Those that the square blocks are
    /// removed, and those that start there join them.
    #[inline(always)]
    fn along<'b, L: Lanes>(
        &self,
        line: impl Iterator<Item = &'b u8>,
        r: usize,
        from: &[Row],
        active: &[u8],
        rows: &mut [Row],
        dirty: &mut [u8; 64],
    ) {
        let mut moving = L::zero();
        let mut any = false;
        for &square in line {
            let square = usize::from(square);
            if self.is_king(square) {
                moving = L::zero();
                any = false;
                continue;
            }
            if any {
                moving = moving & L::splat(!(1 << square));
                if square / 8 == r {
                    moving = moving & L::load(&ALL_BUT_FILE[square % 8]);
                }
                add(rows, dirty, square, r, moving);
            }
            if active[square] >> r & 1 != 0 {
                moving = moving | L::load(&from[square * 8 + r]);
                any = true;
            }
        }
    }

    /// Adds the positions that king moves reach from those of a frontier.
    #[inline(always)]
    pub(crate) fn king_moves<L: Lanes>(
        &self,
        side: Color,
        from: &Frontier,
        rows: &mut [Row],
        dirty: &mut [u8; 64],
    ) {
        for &KingMove {
            slice, symmetry, ..
        } in self.kings.moves(self.number, side)
        {
            let slabs = from.slabs[slice];
            if slabs == 0 {
                continue;
            }
            let image = Image::new(symmetry);
            for there in bits(slabs) {
                let here = if self.slabs == 64 {
                    image.square_here(there)
                } else {
                    0
                };
                let at = slice * self.slabs + there;
                let slab = &from.rows[at * 8..at * 8 + 8];
                let active = from.active[at];
                let active = if !self.inner {
                    1
                } else if image.exchange {
                    0xff
                } else if image.ranks {
                    active.reverse_bits()
                } else {
                    active
                };
                for r in bits(u64::from(active)) {
                    add(rows, dirty, here, r, image.row::<L>(slab, r, self.inner));
                }
            }
        }
    }

    /// Adds all positions from which a side moves into a frontier without a capture.
    #[inline(always)]
    pub(crate) fn side_moves<L: Lanes>(&self, side: Color, from: &Frontier, scratch: &mut Scratch) {
        let Scratch { rows, dirty, .. } = scratch;
        let slabs = from.slabs[self.number];
        if slabs != 0 {
            let first = self.number * self.slabs;
            let own = &from.rows[first * 8..(first + self.slabs) * 8];
            let active = &from.active[first..first + self.slabs];
            for role in 0..3 {
                if self.shape.pieces()[role].is_some_and(|piece| piece.color == side) {
                    self.piece_moves::<L>(role, own, active, slabs, rows, dirty);
                }
            }
        }
        self.king_moves::<L>(side, from, rows, dirty);
    }
}
