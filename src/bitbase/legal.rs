//! Which placements of a slice are legal, and which are checks.

use super::add_moves::{Sink, Source};
use super::captures::{Noted, share_a_square};
use super::eight_boards::{EightBoards, HasBoards};
use super::man::Way;
use super::row::Row;
use super::slice::{SPREAD, Slice, invert, load_slab};
use crate::batch::Backend;
use crate::board::{Bitboard, Color, Square, attacks, between};
use crate::dispatch;

impl Slice<'_> {
    /// Writes the illegal placements of the slice with `side` to move: two pieces share a square, or the king
    /// of the other side is in check. In a domain of less than two men, the words that no slot is in are
    /// full, too.
    ///
    /// # Panics
    /// If there are not as many rows as in a slice.
    pub fn illegal_into(&self, side: Color, out: &mut [Row], backend: Backend) {
        assert_eq!(out.len(), self.slabs * 8, "the rows of a slice");
        dispatch!(backend, token => illegal_into(token, self, side, out));
    }

    /// Writes the placements of the slice in which the king of `side` is in check. If two pieces share a
    /// square, the placement may be written or not.
    ///
    /// # Panics
    /// If there are not as many rows as in a slice.
    pub fn checks_into(&self, side: Color, out: &mut [Row], backend: Backend) {
        assert_eq!(out.len(), self.slabs * 8, "the rows of a slice");
        dispatch!(backend, token => checks_into(token, self, side, out));
    }
}

#[inline(always)]
fn illegal_into<T: HasBoards>(isa: T, slice: &Slice<'_>, side: Color, out: &mut [Row]) {
    let by_slab = slice.knows_king_of(!side);
    for slab in 0..slice.slabs {
        let illegal: [T::Boards; 8] = if by_slab {
            slice.illegal_slab(isa, slab, side)
        } else {
            invert(isa, &slice.slab(slab).distinct(isa))
        };
        for r in 0..8 {
            illegal[r].store(&mut out[slab * 8 + r]);
        }
    }
    if !by_slab {
        slice.add_checks_within::<T::Boards>(isa, side, out);
    }
}

#[inline(always)]
fn checks_into<T: HasBoards>(isa: T, slice: &Slice<'_>, side: Color, out: &mut [Row]) {
    if !slice.knows_king_of(side) {
        out.fill(Row::EMPTY);
        slice.add_checks_within::<T::Boards>(isa, !side, out);
        return;
    }
    for slab in 0..slice.slabs {
        let mut checks = [T::Boards::zero(isa); 8];
        slice.add_checks(isa, slab, !side, &mut checks);
        for r in 0..8 {
            checks[r].store(&mut out[slab * 8 + r]);
        }
    }
}

impl Slice<'_> {
    /// Adds the placements in which `side` attacks the other side's king, if that is one of the last two men.
    ///
    /// A check is the capture of a king. So an attacker is put on the king's square and moved away from there.
    #[inline(always)]
    fn add_checks_within<L: EightBoards>(&self, isa: L::Isa, side: Color, out: &mut [Row]) {
        let king = !side as usize;
        let mut dirty = vec![0; self.slabs];
        let mut on_king = vec![Row::EMPTY; self.slabs * 8];
        let mut active = vec![0; self.slabs];
        let mut groups = vec![0; self.slabs.div_ceil(64)];
        let all = vec![!0; self.slabs];
        for k in 0..self.men {
            if self.parts.men[k].color != side {
                continue;
            }
            on_king.fill(Row::EMPTY);
            active.fill(0);
            groups.fill(0);
            let mut shared = Noted::new(&mut on_king, &mut active, &mut groups);
            share_a_square(self.men, king, k, &all, &mut shared);
            let from = Source {
                rows: &on_king,
                active: &active,
                groups: &groups,
            };
            let mut into = Sink {
                rows: out,
                dirty: &mut dirty,
            };
            self.add_man_moves::<L>(isa, k, Way::Back, from, &mut into);
        }
        for &(piece, from) in &self.parts.fixed {
            if piece.color != side {
                continue;
            }
            for square in attacks(piece, from, Bitboard::EMPTY) {
                self.add_king_on::<L>(isa, king, square, between(from, square).0, out);
            }
        }
    }

    /// Adds the placements in which a king, who is one of the last two men, is on a square, and no piece is on
    /// the squares of `way`.
    #[inline(always)]
    fn add_king_on<L: EightBoards>(
        &self,
        isa: L::Isa,
        king: usize,
        on: Square,
        way: u64,
        out: &mut [Row],
    ) {
        if way & self.blocked != 0 {
            return;
        }
        let last = king + 1 == self.men;
        let words = L::splat(isa, if last { 1 << on.number() } else { !way });
        let lanes = if last { !way } else { 1 << on.number() };
        for slab in 0..self.slabs {
            if way & self.outer_bits(slab) != 0 {
                continue;
            }
            let rows = &mut out[slab * 8..slab * 8 + 8];
            let here: [L; 8] = load_slab(isa, rows);
            for r in 0..8 {
                let open = L::load(isa, &SPREAD[usize::from((lanes >> (8 * r)) as u8)]);
                here[r].or_and(open, words).store(&mut rows[r]);
            }
        }
    }
}
