//! Going through all places in order, without computing each from its index.

use super::{Numbering, raise, uncombine};
use crate::material::MOST_PIECES;

/// The squares of up to seven pieces: byte k is the square of piece k in the order of the material's name, a1 = 0 to
/// h8 = 63. Like pieces are in any order.
pub type PackedSquares = u64;

/// The square of a piece, counted in the order of the material's name.
#[must_use]
#[inline]
pub const fn square_of(position: PackedSquares, piece: usize) -> u8 {
    (position >> (8 * piece)) as u8
}

/// The positions of a range of places, in order.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    numbering: &'a Numbering,
    /// How many places are left.
    left: u64,
    /// Of each piece of the sub-table, by how much its square is shifted in the result.
    shifts: [u8; MOST_PIECES],
    /// The number of each group.
    digits: [u64; MOST_PIECES],
    /// Of each group the squares, not yet raised except those of the leading group.
    sets: [u8; MOST_PIECES],
    /// If the last group is the fastest: the squares that others leave to it.
    free: [u8; 64],
    /// And the others.
    others: PackedSquares,
    last_is_fastest: bool,
}

impl Numbering {
    /// For each place of a piece in the sub-table's order, its place in the order of the name. Like pieces are taken
    /// in turn.
    pub(crate) fn slots(&self) -> [u8; MOST_PIECES] {
        let mut slots = [0; MOST_PIECES];
        let mut taken = [false; MOST_PIECES];
        for (own, out) in self.pieces().zip(&mut slots) {
            let mut all = self.material.pieces().enumerate();
            let slot = all.position(|(slot, piece)| piece == own && !taken[slot]);
            let slot = slot.expect("the pieces are the material's");
            taken[slot] = true;
            *out = slot as u8;
        }
        slots
    }

    /// The positions from `start` to the end.
    ///
    /// # Panics
    /// If `start` is past the end.
    #[must_use]
    pub fn positions(&self, start: u64) -> Positions<'_> {
        assert!(start <= self.size, "place {start} of {}", self.size);
        let shifts = self.slots().map(|slot| 8 * slot);
        let fastest = self.by_place[0];
        let mut positions = Positions {
            numbering: self,
            left: self.size - start,
            shifts,
            digits: [0; MOST_PIECES],
            sets: [0; MOST_PIECES],
            free: [0; 64],
            others: 0,
            last_is_fastest: usize::from(fastest) == self.group_count - 1 && self.group_count > 1,
        };
        for number in 0..self.group_count {
            let group = self.groups[number];
            positions.digits[number] = start / group.factor % group.size;
            positions.set_digit(number);
        }
        positions.place_others();
        positions
    }
}

impl Positions<'_> {
    /// Computes the squares of a group's number.
    fn set_digit(&mut self, number: usize) {
        let group = self.numbering.groups[number];
        let start = usize::from(group.start);
        let set = &mut self.sets[start..start + usize::from(group.len)];
        let digit = self.digits[number] as u32;
        match number {
            0 => self.numbering.leading_squares(digit, set),
            _ => uncombine(digit, set),
        }
    }

    /// Puts down the groups up to one, and returns the squares and those that are occupied.
    #[inline]
    fn place_groups(&self, count: usize) -> (PackedSquares, u64) {
        let (mut packed, mut occupied) = (0, 0);
        for (number, group) in self.numbering.groups()[..count].iter().enumerate() {
            let start = usize::from(group.start);
            let before = occupied;
            for piece in start..start + usize::from(group.len) {
                let mut square = self.sets[piece];
                if number > 0 {
                    square = raise(square + group.lowest, before);
                }
                occupied |= 1 << square;
                packed |= u64::from(square) << self.shifts[piece];
            }
        }
        (packed, occupied)
    }

    /// Prepares for the fastest group, if nothing but its own number moves its squares.
    fn place_others(&mut self) {
        if !self.last_is_fastest {
            return;
        }
        let last = self.numbering.group_count - 1;
        let (others, occupied) = self.place_groups(last);
        self.others = others;
        let lowest = self.numbering.groups[last].lowest;
        let free = (lowest..64).filter(|&square| occupied >> square & 1 == 0);
        for (slot, square) in self.free.iter_mut().zip(free) {
            *slot = square;
        }
    }

    #[inline]
    fn current(&self) -> PackedSquares {
        if !self.last_is_fastest {
            return self.place_groups(self.numbering.group_count).0;
        }
        let group = self.numbering.groups[self.numbering.group_count - 1];
        let start = usize::from(group.start);
        (start..start + usize::from(group.len)).fold(self.others, |packed, piece| {
            packed | u64::from(self.free[usize::from(self.sets[piece] & 63)]) << self.shifts[piece]
        })
    }

    /// Goes one place on.
    #[inline]
    fn advance(&mut self) {
        for place in 0..self.numbering.group_count {
            let number = usize::from(self.numbering.by_place[place]);
            let group = self.numbering.groups[number];
            self.digits[number] += 1;
            let wrapped = self.digits[number] == group.size;
            if wrapped {
                self.digits[number] = 0;
            }
            if number == 0 || wrapped {
                self.set_digit(number);
            } else {
                let start = usize::from(group.start);
                next_set(&mut self.sets[start..start + usize::from(group.len)]);
            }
            if !wrapped {
                if place > 0 {
                    self.place_others();
                }
                return;
            }
        }
    }

    /// Writes the next positions, as many as fit and are left, and returns how many.
    pub fn fill(&mut self, out: &mut [PackedSquares]) -> usize {
        let count = self.left.min(out.len() as u64) as usize;
        let mut out = &mut out[..count];
        self.left -= count as u64;
        let last = self.numbering.groups[self.numbering.group_count - 1];
        while !out.is_empty() {
            if self.last_is_fastest && last.len == 1 {
                // A whole row at once.
                let piece = usize::from(last.start);
                let from = usize::from(self.sets[piece]);
                let row = (last.size as usize - from).min(out.len());
                let (now, rest) = out.split_at_mut(row);
                for (slot, &square) in now.iter_mut().zip(&self.free[from..]) {
                    *slot = self.others | u64::from(square) << self.shifts[piece];
                }
                out = rest;
                let number = self.numbering.group_count - 1;
                let to = from + row - 1;
                self.digits[number] = to as u64;
                self.sets[piece] = to as u8;
            } else {
                out[0] = self.current();
                out = &mut out[1..];
            }
            self.advance();
        }
        count
    }
}

impl Iterator for Positions<'_> {
    type Item = PackedSquares;

    fn next(&mut self) -> Option<PackedSquares> {
        let mut one = [0];
        (self.fill(&mut one) == 1).then_some(one[0])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

/// The next set of that many numbers, in the order of the numbering.
#[inline]
fn next_set(set: &mut [u8]) {
    let len = set.len();
    for i in 0..len {
        if i + 1 == len || set[i] + 1 < set[i + 1] {
            set[i] += 1;
            for (j, number) in set[..i].iter_mut().enumerate() {
                *number = j as u8;
            }
            return;
        }
    }
}
