//! The legal placements of a slice, and the placements in which a king is in check.

use super::add_moves::man_moves;
use super::captures::share_a_square;
use super::eight_boards::{EightBoards, HasBoards};
use super::man::Direction;
use super::notes::{Scratch, Sink};
use super::row::Row;
use super::slice::{SPREAD, Slice, invert, store_slab};
use crate::batch::Backend;
use crate::board::{Bitboard, Color, Square, attacks, between};
use crate::checks::check_length;
use crate::dispatch;

impl Slice<'_> {
    /// Writes the illegal placements of the slice with `side` to move: two pieces share a square, or the king
    /// of the other side is in check. In a domain of less than two men, the words that no slot is in are
    /// full, too.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Domain, Row, Slice};
    /// # use tbindex::Color;
    /// let domain = Domain::try_new("KQvKR".parse()?, &[])?;
    /// let mut rows = [Row::EMPTY; 8];
    /// // K on d4 and k on h8: Q or r shares a square, or Q gives check.
    /// Slice::new(&domain, 461).illegal_into(Color::White, &mut rows, Backend::detect());
    /// assert_eq!(rows.iter().map(Row::len).sum::<u32>(), 64 * 64 - 2790);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are not as many rows as in a slice.
    #[track_caller]
    pub fn illegal_into(&self, side: Color, out: &mut [Row], backend: Backend) {
        check_length("illegal_into", out.len(), self.slabs * 8);
        dispatch!(backend, token => illegal_into(token, self, side, out));
        if self.king(0, !side).is_none() {
            self.add_checks_within(backend, side, out);
        }
    }
}

#[inline(always)]
fn illegal_into<T: HasBoards>(isa: T, slice: &Slice<'_>, side: Color, out: &mut [Row]) {
    for slab in 0..slice.slabs {
        let here = slice.slab(slab);
        let mut illegal: [T::Boards; 8] = invert(isa, &here.distinct(isa));
        if let Some(king) = slice.king(slab, !side)
            && !here.dead
        {
            slice.add_checks(isa, slab, side, king, &mut illegal);
        }
        store_slab(&illegal, &mut out[slab * 8..slab * 8 + 8]);
    }
}

impl Slice<'_> {
    /// Adds the placements in which `side` attacks the other side's king, if that is one of the last two men.
    ///
    /// A check is the capture of a king. So an attacker is put on the king's square and moved away from there.
    fn add_checks_within(&self, backend: Backend, side: Color, out: &mut [Row]) {
        let king = !side as usize;
        let all = vec![!0; self.slabs];
        let mut on_king = Scratch::new(self.slabs);
        let dirty = &mut vec![0; self.slabs];
        for k in 0..self.men {
            if self.parts.men[k].color == side {
                share_a_square(self.men, king, k, &all, &mut on_king);
                let sink = Sink {
                    rows: out,
                    several: &mut [],
                    dirty,
                };
                man_moves(
                    backend,
                    self,
                    k,
                    Direction::Backward,
                    on_king.source(),
                    sink,
                );
                on_king.clear();
            }
        }
        for &(piece, from) in &self.parts.fixed {
            if piece.color != side {
                continue;
            }
            for square in attacks(piece, from, Bitboard::EMPTY) {
                let between = between(from, square).0;
                dispatch!(backend, token => self.add_king_on(token, king, square, between, out));
            }
        }
    }

    /// Adds the placements in which a king, who is one of the last two men, is on a square, and no piece is on
    /// the squares `between`.
    #[inline(always)]
    fn add_king_on<T: HasBoards>(
        &self,
        isa: T,
        king: usize,
        on: Square,
        between: u64,
        out: &mut [Row],
    ) {
        if between & self.blocked != 0 {
            return;
        }
        let last = king + 1 == self.men;
        let words = T::Boards::splat(isa, if last { 1 << on.number() } else { !between });
        let lanes = if last { !between } else { 1 << on.number() };
        for slab in 0..self.slabs {
            if between & self.slab(slab).occupied != 0 {
                continue;
            }
            for (r, row) in out[slab * 8..slab * 8 + 8].iter_mut().enumerate() {
                let open = T::Boards::load(isa, &SPREAD[usize::from((lanes >> (8 * r)) as u8)]);
                T::Boards::load(isa, row).or_and(open, words).store(row);
            }
        }
    }
}
