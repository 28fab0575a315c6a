//! One slice of a domain: the squares of its pieces, and its legal placements.

use std::fmt;

use super::domain::{Domain, DomainParts};
use super::eight_boards::EightBoards;
use super::lines::SquareLines;
use super::man::{Direction, Man};
use super::moves::{OWN_SQUARE, in_word};
use super::row::Row;
use super::slots::digit;
use crate::board::{Bitboard, Color, Square, attacks, between};
use crate::checks::check_below;
use crate::index::KingMove;

/// Lane k of row `byte` is full where bit k of the byte is set.
pub(super) static SPREAD: [Row; 256] = {
    let mut rows = [Row::EMPTY; 256];
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

/// A slice of a [`Domain`]: all placements with the kings on the same two squares. If the kings are
/// [free](Domain::with_free_kings), there is one slice, number 0, and it has all placements.
///
/// It belongs to no set. It has the data that operations on the slice's rows need, and costs nothing to make.
#[derive(Clone, Copy)]
pub struct Slice<'d> {
    pub(super) parts: &'d DomainParts,
    pub(super) lines: &'static SquareLines,
    pub(super) number: usize,
    /// The squares of the kings, unless they are free.
    pub(super) kings: Option<[Square; 2]>,
    /// The squares of the kings, unless they are free, and the fixed pieces.
    pub(super) blocked: u64,
    /// Whether a king is on the square of a fixed piece, so that no position is legal.
    dead: bool,
    /// The number of men.
    pub(super) men: usize,
    /// The number of men whose squares number the slabs.
    pub(super) outer: usize,
    pub(super) slabs: usize,
}

// No closure may touch a register. A closure that is compiled as a function of its own would not have the
// instructions of the entry point, and each operation would be a call.
#[inline(always)]
pub(super) fn load_slab<L: EightBoards>(isa: L::Isa, rows: &[Row]) -> [L; 8] {
    let rows: &[Row; 8] = rows.try_into().expect("a slab has eight rows");
    let mut slab = [L::zero(isa); 8];
    for r in 0..8 {
        slab[r] = L::load(isa, &rows[r]);
    }
    slab
}

#[inline(always)]
pub(super) fn store_slab<L: EightBoards>(slab: &[L; 8], rows: &mut [Row]) {
    for r in 0..8 {
        slab[r].store(&mut rows[r]);
    }
}

/// The positions that are not in a slab.
#[inline(always)]
pub(super) fn invert<L: EightBoards>(isa: L::Isa, slab: &[L; 8]) -> [L; 8] {
    let all = L::splat(isa, !0);
    let mut inverted = [L::zero(isa); 8];
    for r in 0..8 {
        inverted[r] = all.without(slab[r]);
    }
    inverted
}

/// Whether a slab is empty.
#[inline(always)]
pub(super) fn is_empty<L: EightBoards>(slab: &[L; 8]) -> bool {
    let [mut any, rest @ ..] = *slab;
    for row in rest {
        any = any | row;
    }
    any.is_zero()
}

/// The lanes of row `r` that are in use and are none of these squares of the last man but one: without one, the first lane of
/// the first row.
#[inline(always)]
fn lanes_but(men: usize, r: usize, squares: u64) -> &'static Row {
    let lanes = if men < 2 {
        u8::from(r == 0)
    } else {
        !(squares >> (8 * r)) as u8
    };
    &SPREAD[usize::from(lanes)]
}

impl<'d> Slice<'d> {
    /// The slice of a domain with this number, below [`Domain::slices`].
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Slice};
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let slices = (0..domain.slices()).map(|number| Slice::new(&domain, number));
    /// assert_eq!(slices.last().map(|slice| slice.number()), Some(461));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `number` is not below [`Domain::slices`].
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn new(domain: &'d Domain, number: usize) -> Slice<'d> {
        check_below("Slice::new", "slice", number, domain.slices());
        let parts = &*domain.0;
        let kings = parts.kings.map(|kings| kings.all()[number]);
        let king_bits = match kings {
            Some([white, black]) => 1 << white.number() | 1 << black.number(),
            None => 0,
        };
        let mut fixed = 0u64;
        for &(_, square) in &parts.fixed {
            fixed |= 1 << square.number();
        }
        Slice {
            parts,
            lines: SquareLines::get(),
            number,
            kings,
            blocked: king_bits | fixed,
            dead: king_bits & fixed != 0,
            men: parts.men.len(),
            outer: parts.men.len().saturating_sub(2),
            slabs: domain.slabs(),
        }
    }

    /// The slice's number in the domain.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Slice};
    /// # use tbindex::Square;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let (slot, _) = domain.slot_of_squares([Square::new(27), Square::new(63)], &[Square::A1]).expect("apart");
    /// // K on d4 and k on h8: the last pair.
    /// assert_eq!(Slice::new(&domain, slot.slice).number(), 461);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// The moves of a side's king to other slices, none if it is free.
    #[inline(always)]
    pub(super) fn king_moves(&self, side: Color) -> &'static [KingMove] {
        match self.parts.kings {
            Some(kings) => kings.moves(self.number, side),
            None => &[],
        }
    }

    /// The square of a side's king in a slab, or `None` if it is a digit within the slab.
    #[inline(always)]
    pub(super) fn king(&self, slab: usize, side: Color) -> Option<Square> {
        let k = side as usize;
        match self.kings {
            Some(kings) => Some(kings[k]),
            None if k < self.outer => Some(digit(slab as u64, self.outer, k)),
            None => None,
        }
    }

    /// The last man but one, whose squares are words, and the last one, whose squares are bits, if they are
    /// there and of a colour.
    #[inline(always)]
    pub(super) fn last_two(&self, color: Color) -> [Option<usize>; 2] {
        let of = |k: Option<usize>| k.filter(|&k| self.parts.men[k].color == color);
        [of(self.men.checked_sub(2)), of(self.men.checked_sub(1))]
    }

    #[inline(always)]
    pub(super) fn digit(&self, slab: usize, k: usize) -> usize {
        digit(slab as u64, self.outer, k).index()
    }

    /// The squares of the men that number the slabs, but for one of them.
    #[inline(always)]
    pub(super) fn others(&self, slab: usize, but: usize) -> u64 {
        let mut bits = 0;
        for k in 0..self.outer {
            if k != but {
                bits |= 1 << self.digit(slab, k);
            }
        }
        bits
    }

    /// The squares and masks that all rows of a slab have in common.
    #[inline(always)]
    pub(super) fn slab(&self, slab: usize) -> Slab {
        let mut occupied = self.blocked;
        let mut dead = self.dead;
        for k in 0..self.outer {
            let bit = 1 << self.digit(slab, k);
            dead |= occupied & bit != 0;
            occupied |= bit;
        }
        Slab {
            men: self.men,
            occupied,
            dead,
        }
    }

    /// Adds the placements of a slab in which `side` attacks the other side's king, which stands on this square in all of
    /// the slab, if no two pieces share a square.
    #[inline(always)]
    pub(super) fn add_checks<L: EightBoards>(
        &self,
        isa: L::Isa,
        slab: usize,
        side: Color,
        king: Square,
        out: &mut [L; 8],
    ) {
        let here = self.slab(slab);
        // The pieces that block lines to the king, wherever the last two men are.
        let blockers = here.occupied & !(1 << king.number());

        for &(piece, from) in &self.parts.fixed {
            if piece.color == side && attacks(piece, from, Bitboard::EMPTY).contains(king) {
                self.add_open(isa, between(from, king).0, blockers, out);
            }
        }
        for k in 0..self.outer {
            let man = self.parts.men[k];
            let from = digit(slab as u64, self.outer, k);
            if man.color == side && man.attacks(from, Bitboard::EMPTY).contains(king) {
                self.add_open(isa, squares_between(man, from, king), blockers, out);
            }
        }
        let [inner, last] = self.last_two(side);
        if let Some(k) = inner {
            let man = self.parts.men[k];
            let mut attacked = [Row::EMPTY; 8];
            for from in self.attackers(k, king, blockers) {
                attacked[from.index() / 8].0[from.index() % 8] = !squares_between(man, from, king);
            }
            for r in 0..8 {
                out[r] = out[r] | L::load(isa, &attacked[r]);
            }
        }
        if let Some(k) = last {
            let target = L::splat(isa, 1 << king.number());
            let movement = &self.parts.movements[k];
            for (r, out) in out.iter_mut().enumerate() {
                let free = here.free(isa, r);
                let attacked = in_word(isa, movement, Direction::Backward, target, free);
                *out = out.or_and(attacked, L::load(isa, lanes_but(self.men, r, 0)));
            }
        }
    }

    /// The squares from which a man attacks a king.
    #[inline(always)]
    fn attackers(&self, k: usize, king: Square, blockers: u64) -> Bitboard {
        let movement = &self.parts.movements[k];
        if movement.leaps_over() {
            movement.leaps[Direction::Backward as usize][king.index()]
        } else {
            // Sliders attack both ways.
            self.parts.men[k].attacks(king, Bitboard(blockers))
        }
    }

    /// Adds the placements of a slab in which the last two men are not on some squares, if no blocker is.
    #[inline(always)]
    fn add_open<L: EightBoards>(&self, isa: L::Isa, squares: u64, blockers: u64, out: &mut [L; 8]) {
        if squares & blockers != 0 {
            return;
        }
        // Without men there is one bit, which is no square.
        let open = L::splat(isa, if self.men == 0 { 1 } else { !squares });
        for (r, out) in out.iter_mut().enumerate() {
            *out = out.or_and(L::load(isa, lanes_but(self.men, r, squares)), open);
        }
    }
}

/// The squares between a man and a king that he attacks.
#[inline(always)]
fn squares_between(man: Man, from: Square, king: Square) -> u64 {
    if man.piece().is_some() {
        between(from, king).0
    } else {
        0
    }
}

/// A slab of a slice: the squares of all pieces but the last two men.
#[derive(Clone, Copy)]
pub(super) struct Slab {
    men: usize,
    /// The squares of these pieces.
    pub(super) occupied: u64,
    /// Whether two of them share a square, so that no position is legal.
    pub(super) dead: bool,
}

impl Slab {
    /// The squares on which the last man may stand or which he may pass, for a row; without men the one bit of a word that
    /// is in use.
    #[inline(always)]
    pub(super) fn free<L: EightBoards>(self, isa: L::Isa, r: usize) -> L {
        let free = L::splat(isa, if self.men == 0 { 1 } else { !self.occupied });
        if self.men >= 2 {
            free.without(L::load(isa, &OWN_SQUARE[r]))
        } else {
            free
        }
    }

    /// The placements in which no two pieces share a square.
    #[inline(always)]
    pub(super) fn distinct<L: EightBoards>(self, isa: L::Isa) -> [L; 8] {
        let mut rows = [L::zero(isa); 8];
        if self.dead {
            return rows;
        }
        for (r, row) in rows.iter_mut().enumerate() {
            let lanes = lanes_but(self.men, r, self.occupied);
            *row = self.free::<L>(isa, r) & L::load(isa, lanes);
        }
        rows
    }
}

impl fmt::Debug for Slice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slice")
            .field("number", &self.number)
            .field("kings", &self.kings)
            .finish_non_exhaustive()
    }
}
