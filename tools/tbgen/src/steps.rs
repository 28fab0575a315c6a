//! The steps of a solution, each over one slice. They find the positions that become won or lost.

use tbindex::Color;

use crate::captures::Targets;
use crate::lanes::{Lanes, Row};
use crate::registers::HasLanes;
use crate::sets::{Frontier, FrontierSlice, Planes, Scratch};
use crate::shape::Shape;
use crate::slice::{Slice, invert, is_empty, load_slab};

/// Records a code for positions, bit by bit.
#[inline(always)]
fn record<L: Lanes>(planes: &mut Planes, rows: usize, at: usize, x: L, code: u8) {
    for bit in 0..8 {
        if code >> bit & 1 != 0 {
            while planes.0.len() <= bit {
                planes.0.push(vec![Row::ZERO; rows]);
            }
            let row = &mut planes.0[bit][at];
            (L::load(row) | x).store(row);
        }
    }
}

/// Writes a slab of the frontier, notes the rows that are not empty, and returns whether there are any.
#[inline(always)]
fn publish<L: Lanes>(out: &mut FrontierSlice<'_>, slab: usize, x: &[L; 8]) -> bool {
    let mut active = 0u8;
    for (r, x) in x.iter().enumerate() {
        active |= u8::from(!x.is_zero()) << r;
    }
    out.active[slab] = active;
    if active == 0 {
        return false;
    }
    for (r, x) in x.iter().enumerate() {
        x.store(&mut out.rows[slab * 8 + r]);
    }
    *out.slabs |= 1 << slab;
    true
}

/// The step that finds the positions that are illegal with `side` to move.
pub(crate) struct Illegal<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) number: usize,
    pub(crate) side: Color,
    pub(crate) out: &'a mut [Row],
}

impl Illegal<'_> {
    /// Does it in the lanes of a token.
    #[inline(always)]
    pub(crate) fn run<T: HasLanes>(self, _: T) {
        let slice = Slice::new(self.shape, self.number);
        for (slab, out) in self.out.chunks_exact_mut(8).enumerate() {
            for (x, out) in slice.illegal::<T::Lanes>(slab, self.side).iter().zip(out) {
                x.store(out);
            }
        }
    }
}

/// The first step. It finds checkmates, stalemates, and positions that only the loser's captures decide.
pub(crate) struct Begin<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) number: usize,
    /// The side that loses here.
    pub(crate) side: Color,
    /// All slices: the illegal positions with the winner to move.
    pub(crate) illegal: &'a [Row],
    /// Captures into any legal position.
    pub(crate) any: &'a [Targets],
    /// Captures into positions that are not lost for the capturing side.
    pub(crate) safe: &'a [Targets],
    pub(crate) scratch: &'a mut Scratch,
    /// Gets all positions that can't be lost or are lost already.
    pub(crate) done: &'a mut [Row],
    pub(crate) planes: &'a mut Planes,
    /// Gets the checkmates.
    pub(crate) mated: FrontierSlice<'a>,
    pub(crate) mated_code: u8,
    /// Gets the positions where every move is a capture that loses.
    pub(crate) forced: FrontierSlice<'a>,
    pub(crate) forced_code: u8,
}

impl Begin<'_> {
    /// Does it in the lanes of a token.
    #[inline(always)]
    pub(crate) fn run<T: HasLanes>(mut self, _: T) {
        let slice = Slice::new(self.shape, self.number);
        let rows = self.shape.rows();
        slice.captures::<T::Lanes>(self.side, self.any, self.scratch);
        let any = self.scratch.rows.clone();
        self.scratch.clear();
        slice.captures::<T::Lanes>(self.side, self.safe, self.scratch);
        *self.mated.slabs = 0;
        *self.forced.slabs = 0;
        for slab in 0..self.shape.slabs() {
            let at = slab * 8;
            let illegal: [T::Lanes; 8] = slice.illegal(slab, self.side);
            let any: [T::Lanes; 8] = load_slab(&any[at..at + 8]);
            let safe: [T::Lanes; 8] = load_slab(&self.scratch.rows[at..at + 8]);
            let mut stuck = invert(&illegal);
            slice.confine(self.side, self.illegal, slab, &mut stuck);
            // A side is in check exactly where it would be illegal for the other side to be to move.
            let first = self.number * rows + at;
            let check: [T::Lanes; 8] = load_slab(&self.illegal[first..first + 8]);
            let mut mated = [T::Lanes::zero(); 8];
            let mut forced = [T::Lanes::zero(); 8];
            for r in 0..8 {
                let final_move = stuck[r].without(any[r]);
                mated[r] = final_move & check[r];
                forced[r] = (stuck[r] & any[r]).without(safe[r]);
                (illegal[r] | safe[r] | final_move | forced[r]).store(&mut self.done[at + r]);
                if !mated[r].is_zero() {
                    record(self.planes, rows, at + r, mated[r], self.mated_code);
                }
                if !forced[r].is_zero() {
                    record(self.planes, rows, at + r, forced[r], self.forced_code);
                }
            }
            publish(&mut self.mated, slab, &mated);
            publish(&mut self.forced, slab, &forced);
        }
        self.scratch.clear();
    }
}

/// The step that finds the positions from which `side` moves into the positions just lost for the other
/// side.
pub(crate) struct Win<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) number: usize,
    pub(crate) side: Color,
    pub(crate) lost: &'a Frontier,
    /// Captures that win in this ply.
    pub(crate) captures: &'a [Targets],
    pub(crate) scratch: &'a mut Scratch,
    /// The positions won before, and the illegal ones.
    pub(crate) won: &'a mut [Row],
    pub(crate) planes: &'a mut Planes,
    pub(crate) code: u8,
    pub(crate) out: FrontierSlice<'a>,
}

impl Win<'_> {
    /// Does it in the lanes of a token.
    #[inline(always)]
    pub(crate) fn run<T: HasLanes>(mut self, _: T) {
        let slice = Slice::new(self.shape, self.number);
        let rows = self.shape.rows();
        slice.side_moves::<T::Lanes>(self.side, self.lost, self.scratch);
        slice.captures::<T::Lanes>(self.side, self.captures, self.scratch);
        *self.out.slabs = 0;
        for slab in 0..self.shape.slabs() {
            let at = slab * 8;
            if self.scratch.dirty[slab] == 0 {
                self.out.active[slab] = 0;
                continue;
            }
            self.scratch.dirty[slab] = 0;
            let reached: [T::Lanes; 8] = load_slab(&self.scratch.rows[at..at + 8]);
            let mut new = [T::Lanes::zero(); 8];
            for r in 0..8 {
                T::Lanes::zero().store(&mut self.scratch.rows[at + r]);
                let won = &mut self.won[at + r];
                new[r] = reached[r].without(T::Lanes::load(won));
                if !new[r].is_zero() {
                    (T::Lanes::load(won) | new[r]).store(won);
                    record(self.planes, rows, at + r, new[r], self.code);
                }
            }
            publish(&mut self.out, slab, &new);
        }
    }
}

/// The step that finds the positions in which every move leads to a position won for the other side.
pub(crate) struct Lose<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) number: usize,
    pub(crate) side: Color,
    /// The positions just won for the other side.
    pub(crate) won_new: &'a Frontier,
    /// All slices: the positions won for the other side, and the illegal ones.
    pub(crate) won: &'a [Row],
    /// The captures that were safe before this ply, and those that still are, or `None` if none changed.
    pub(crate) captures: Option<(&'a [Targets], &'a [Targets])>,
    pub(crate) scratch: &'a mut Scratch,
    /// The positions that can't be lost or are lost already.
    pub(crate) done: &'a mut [Row],
    pub(crate) planes: &'a mut Planes,
    pub(crate) code: u8,
    pub(crate) out: FrontierSlice<'a>,
}

impl Lose<'_> {
    /// Does it in the lanes of a token.
    #[inline(always)]
    pub(crate) fn run<T: HasLanes>(mut self, _: T) {
        let slice = Slice::new(self.shape, self.number);
        let rows = self.shape.rows();
        if let Some((before, now)) = self.captures {
            // Positions that only such captures saved may be lost from now on.
            slice.captures::<T::Lanes>(self.side, before, self.scratch);
            let before = self.scratch.rows.clone();
            self.scratch.clear();
            slice.captures::<T::Lanes>(self.side, now, self.scratch);
            for slab in 0..self.shape.slabs() {
                let illegal: [T::Lanes; 8] = slice.illegal(slab, self.side);
                for (r, illegal) in illegal.into_iter().enumerate() {
                    let at = slab * 8 + r;
                    let row = &mut self.scratch.rows[at];
                    let saved = T::Lanes::load(&before[at])
                        .without(T::Lanes::load(row))
                        .without(illegal);
                    saved.store(row);
                    let done = &mut self.done[at];
                    T::Lanes::load(done).without(saved).store(done);
                }
                self.scratch.dirty[slab] = 0xff;
            }
        }
        slice.side_moves::<T::Lanes>(self.side, self.won_new, self.scratch);
        *self.out.slabs = 0;
        for slab in 0..self.shape.slabs() {
            let at = slab * 8;
            if self.scratch.dirty[slab] == 0 {
                self.out.active[slab] = 0;
                continue;
            }
            self.scratch.dirty[slab] = 0;
            let mut new: [T::Lanes; 8] = load_slab(&self.scratch.rows[at..at + 8]);
            for (r, new) in new.iter_mut().enumerate() {
                T::Lanes::zero().store(&mut self.scratch.rows[at + r]);
                *new = new.without(T::Lanes::load(&self.done[at + r]));
            }
            if !is_empty(&new) {
                slice.confine(self.side, self.won, slab, &mut new);
            }
            for (r, &new) in new.iter().enumerate() {
                if !new.is_zero() {
                    let done = &mut self.done[at + r];
                    (T::Lanes::load(done) | new).store(done);
                    record(self.planes, rows, at + r, new, self.code);
                }
            }
            publish(&mut self.out, slab, &new);
        }
    }
}
