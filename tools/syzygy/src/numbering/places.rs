//! Going through all places in order, without computing each from its index.

use super::constants::{KING_SQUARES, THREES};
use super::{Leading, Numbering, mask, uncombine};
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
    /// The squares of the leading group in the result, and in ascending order.
    leading: PackedSquares,
    sorted: [u8; MOST_PIECES],
    /// The squares that the groups before the fastest one leave to it.
    free: [u8; 64],
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
        let mut positions = Positions {
            numbering: self,
            left: self.size - start,
            shifts: self.slots().map(|slot| 8 * slot),
            digits: [0; MOST_PIECES],
            sets: [0; MOST_PIECES],
            leading: 0,
            sorted: [0; MOST_PIECES],
            free: [0; 64],
        };
        for number in 0..self.group_count {
            let group = self.groups[number];
            positions.digits[number] = start / group.factor % group.size;
            positions.set_digit(number);
        }
        positions.find_free();
        positions
    }
}

/// Puts a square among others in ascending order.
#[inline(always)]
fn insert(sorted: &mut [u8; MOST_PIECES], count: usize, square: u8) {
    let mut carried = square;
    for other in &mut sorted[..count] {
        let (low, high) = (carried.min(*other), carried.max(*other));
        (*other, carried) = (low, high);
    }
    sorted[count] = carried;
}

impl Positions<'_> {
    /// Computes the squares of a group's number.
    #[inline]
    fn set_digit(&mut self, number: usize) {
        let digit = self.digits[number] as u32;
        if number == 0 {
            self.set_leading(digit);
            return;
        }
        let group = self.numbering.groups[number];
        if group.len == 1 {
            self.sets[usize::from(group.start)] = digit as u8;
        } else {
            let start = usize::from(group.start);
            uncombine(digit, &mut self.sets[start..start + usize::from(group.len)]);
        }
    }

    #[inline]
    fn set_leading(&mut self, digit: u32) {
        let len = usize::from(self.numbering.groups[0].len);
        self.numbering.leading_squares(digit, &mut self.sets[..len]);
        self.leading = 0;
        for piece in 0..len {
            let square = self.sets[piece];
            self.leading |= u64::from(square) << self.shifts[piece];
            insert(&mut self.sorted, piece, square);
        }
    }

    /// Puts down the groups up to one, and returns the squares, and in ascending order those that are occupied.
    #[inline(always)]
    fn place_groups(&self, count: usize) -> (PackedSquares, [u8; MOST_PIECES]) {
        let mut packed = self.leading;
        let mut sorted = self.sorted;
        for group in &self.numbering.groups[1..count] {
            let start = usize::from(group.start);
            let end = start + usize::from(group.len);
            let before = sorted;
            for piece in start..end {
                let mut square = self.sets[piece] + group.lowest;
                for &other in &before[..start] {
                    square += u8::from(square >= other);
                }
                packed |= u64::from(square) << self.shifts[piece];
                insert(&mut sorted, piece, square);
            }
        }
        (packed, sorted)
    }

    /// Lists the squares that are free for the fastest group.
    fn find_free(&mut self) {
        let fastest = usize::from(self.numbering.by_place[0]);
        if fastest == 0 {
            return;
        }
        let group = self.numbering.groups[fastest];
        let (_, sorted) = self.place_groups(fastest);
        let mut free = !mask(&sorted[..usize::from(group.start)]) >> group.lowest << group.lowest;
        for slot in &mut self.free {
            if free == 0 {
                break;
            }
            *slot = free.trailing_zeros() as u8;
            free &= free - 1;
        }
    }

    /// Goes one place on.
    #[inline]
    fn advance(&mut self) {
        for place in 0..self.numbering.group_count {
            let number = usize::from(self.numbering.by_place[place]);
            let group = &self.numbering.groups[number];
            self.digits[number] += 1;
            let wrapped = self.digits[number] == group.size;
            if wrapped {
                self.digits[number] = 0;
            }
            if number == 0 || wrapped {
                self.set_digit(number);
            } else if group.len == 1 {
                self.sets[usize::from(group.start)] += 1;
            } else {
                let start = usize::from(group.start);
                next_set(&mut self.sets[start..start + usize::from(group.len)]);
            }
            if !wrapped {
                if place > 0 {
                    self.find_free();
                }
                return;
            }
        }
    }

    /// Writes the next positions, as many as fit and are left, and returns how many.
    ///
    /// From a position to the next mostly one piece moves, upwards. All others stay where they are until it meets one
    /// of them; so whole rows of positions differ in one byte.
    pub fn fill(&mut self, out: &mut [PackedSquares]) -> usize {
        let count = self.left.min(out.len() as u64) as usize;
        let mut out = &mut out[..count];
        self.left -= count as u64;
        let fastest = usize::from(self.numbering.by_place[0]);
        let group = self.numbering.groups[fastest];
        while !out.is_empty() {
            let (packed, _) = self.place_groups(self.numbering.group_count);
            let moving = match (fastest, self.numbering.leading) {
                (0, Leading::Pawns { .. }) => None,
                (0, Leading::Three) => Some(2),
                (0, Leading::Kings) => Some(1),
                _ => Some(usize::from(group.start)),
            };
            let Some(moving) = moving else {
                out[0] = packed;
                out = &mut out[1..];
                self.advance();
                continue;
            };
            let shift = self.shifts[moving];
            let others = packed & !(0xff << shift);
            let met = self.mask_of(others, moving);
            let digit = self.digits[fastest] as usize;
            let most = out.len().min((group.size - self.digits[fastest]) as usize);
            let first = self.sets[moving];
            let mut row = 0;
            let mut reached = packed >> shift & 63;
            let mut emit = |square: u8| {
                // Leading pieces leave out squares; one that they leave out may be another's all the same.
                let passed = (2u64 << square).wrapping_sub(1 << reached);
                if met & passed != 0 {
                    return false;
                }
                reached = u64::from(square);
                out[row] = others | u64::from(square) << shift;
                row += 1;
                true
            };
            match (fastest, self.numbering.leading) {
                (0, Leading::Three) => {
                    let [a, b, _] = THREES[digit];
                    let same = THREES[digit..digit + most]
                        .iter()
                        .take_while(|three| three[..2] == [a, b]);
                    let _ = same.map(|three| three[2]).all(&mut emit);
                }
                (0, _) => {
                    let [a, _] = KING_SQUARES[digit];
                    let same = KING_SQUARES[digit..digit + most]
                        .iter()
                        .take_while(|pair| pair[0] == a);
                    let _ = same.map(|pair| pair[1]).all(&mut emit);
                }
                _ => {
                    // The lowest of like pieces moves up to the next.
                    let end = match group.len {
                        1 => group.size as usize,
                        _ => usize::from(self.sets[moving + 1]),
                    };
                    let from = usize::from(first);
                    let free = &self.free[from..end.min(from + most)];
                    let _ = free.iter().copied().all(&mut emit);
                }
            }
            // The last of the row becomes the current one, and then the next.
            self.digits[fastest] += row as u64 - 1;
            if fastest > 0 {
                self.sets[moving] = first + row as u8 - 1;
            }
            out = &mut out[row..];
            self.advance();
        }
        count
    }

    /// The squares of all pieces but one.
    fn mask_of(&self, packed: PackedSquares, but: usize) -> u64 {
        let pieces = (0..self.numbering.len).filter(|&piece| piece != but);
        pieces.fold(0, |mask, piece| {
            mask | 1 << (packed >> self.shifts[piece] & 63)
        })
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
