//! Going through all places in order, without computing each from its index.

use std::ops::Range;

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

/// Positions that differ only in where one piece stands.
#[derive(Clone, Copy, Debug)]
pub struct PositionRow<'a> {
    /// The squares of all other pieces; the byte of the piece that moves is 0.
    pub others: PackedSquares,
    /// The place of the piece that moves in the order of the material's name.
    pub moving: usize,
    /// Its square in each of the positions.
    pub squares: &'a [u8],
}

impl PositionRow<'_> {
    /// The positions one by one.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = PackedSquares> + '_ {
        let (others, shift) = (self.others, 8 * self.moving);
        self.squares
            .iter()
            .map(move |&square| others | u64::from(square) << shift)
    }
}

/// The squares of some groups: in the result, and in ascending order.
#[derive(Clone, Copy, Debug, Default)]
struct Placed {
    packed: PackedSquares,
    sorted: [u8; MOST_PIECES],
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
    /// The squares of the leading group.
    leading: Placed,
    /// The squares of the groups before the fastest one.
    slower: Placed,
    /// The squares that the groups before the fastest one leave to it, or the row of the leading group.
    free: [u8; 64],
    /// The set of them.
    free_mask: u64,
    /// The length of the row that was given out last.
    row: usize,
}

impl Numbering {
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
            shifts: self.shifts,
            digits: [0; MOST_PIECES],
            sets: [0; MOST_PIECES],
            leading: Placed::default(),
            slower: Placed::default(),
            free: [0; 64],
            free_mask: 0,
            row: 0,
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
        self.leading.packed = 0;
        for piece in 0..len {
            let square = self.sets[piece];
            self.leading.packed |= u64::from(square) << self.shifts[piece];
            insert(&mut self.leading.sorted, piece, square);
        }
    }

    /// Puts down some groups where those before them stand.
    #[inline(always)]
    fn place_groups(&self, groups: Range<usize>, before: Placed) -> Placed {
        let Placed {
            mut packed,
            mut sorted,
        } = before;
        for group in &self.numbering.groups[groups] {
            let start = usize::from(group.start);
            let end = start + usize::from(group.len);
            let mut squares = [0; MOST_PIECES];
            for (piece, out) in squares.iter_mut().enumerate().take(end).skip(start) {
                let mut square = self.sets[piece] + group.lowest;
                for &other in &sorted[..start] {
                    square += u8::from(square >= other);
                }
                packed |= u64::from(square) << self.shifts[piece];
                *out = square;
            }
            // Like pieces don't stand aside for each other.
            for (piece, &square) in squares.iter().enumerate().take(end).skip(start) {
                insert(&mut sorted, piece, square);
            }
        }
        Placed { packed, sorted }
    }

    /// Lists the squares that are free for the fastest group.
    fn find_free(&mut self) {
        let fastest = usize::from(self.numbering.by_place[0]);
        if fastest == 0 {
            return;
        }
        let group = self.numbering.groups[fastest];
        self.slower = self.place_groups(1..fastest, self.leading);
        let mut free =
            !mask(&self.slower.sorted[..usize::from(group.start)]) >> group.lowest << group.lowest;
        self.free_mask = free;
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

    /// The next positions that differ in where one piece stands, but no more than so many, or `None` at the end. A row is
    /// never empty if `most` is not 0.
    ///
    /// From a position to the next mostly one piece moves, upwards. All others stay where they are until it meets one
    /// of them.
    #[inline]
    pub fn next_row(&mut self, most: usize) -> Option<PositionRow<'_>> {
        if self.left == 0 || most == 0 {
            return None;
        }
        let fastest = usize::from(self.numbering.by_place[0]);
        let group = &self.numbering.groups[fastest];
        let start = usize::from(group.start);
        if self.row > 0 {
            // The last of the row becomes the current one, and then the next.
            self.digits[fastest] += self.row as u64 - 1;
            if fastest > 0 {
                self.sets[start] += self.row as u8 - 1;
            }
            self.advance();
        }
        let most = most.min(self.left.min(64) as usize);
        let count = self.numbering.group_count;
        let Placed { packed, .. } = match fastest {
            0 => self.place_groups(1..count, self.leading),
            _ => self.place_groups(fastest..count, self.slower),
        };
        let digit = self.digits[fastest] as usize;
        let most = most.min(group.size as usize - digit);
        let (piece, from) = match (fastest, self.numbering.leading) {
            (0, leading) => (self.leading_row(leading, digit, most), 0),
            _ => (start, usize::from(self.sets[start])),
        };
        let shift = self.shifts[piece];
        let others = packed & !(0xff << shift);
        let first = packed >> shift & 63;
        // The pieces of later groups stand aside for the one that moves, so the row ends where it meets one.
        let later = self.numbering.groups[fastest + 1..self.numbering.group_count]
            .iter()
            .flat_map(|group| group.start..group.start + group.len);
        let met = later.fold(0u64, |met, piece| {
            met | 1 << (packed >> self.shifts[usize::from(piece)] & 63)
        });
        let limit = (met & !(2u64 << first).wrapping_sub(1)).trailing_zeros();
        let end = match (fastest, group.len) {
            (0, _) => self.row,
            (_, 1) => group.size as usize,
            // The lowest of like pieces moves up to the next.
            _ => usize::from(self.sets[start + 1]),
        };
        let below = 1u64.checked_shl(limit).map_or(u64::MAX, |bit| bit - 1);
        let end = end.min((self.free_mask & below).count_ones() as usize);
        let squares = &self.free[from..end.min(from + most)];
        let count = squares.len();
        self.row = count;
        self.left -= count as u64;
        Some(PositionRow {
            others,
            moving: usize::from(shift / 8),
            squares,
        })
    }

    /// Lists the squares of the leading piece that moves first, from the current one upwards, and sets the length of the
    /// row; returns the piece.
    fn leading_row(&mut self, leading: Leading, digit: usize, most: usize) -> usize {
        let (free, free_mask) = (&mut self.free, &mut self.free_mask);
        *free_mask = 0;
        let mut list = |squares: &mut dyn Iterator<Item = u8>| {
            let mut count = 0;
            for square in squares {
                if count > 0 && square <= free[count - 1] {
                    break;
                }
                free[count] = square;
                *free_mask |= 1 << square;
                count += 1;
            }
            self.row = count;
        };
        match leading {
            Leading::Three => {
                let [a, b, _] = THREES[digit];
                let all = THREES[digit..digit + most].iter();
                let of_row = all.take_while(|three| three[..2] == [a, b]);
                list(&mut of_row.map(|three| three[2]));
                2
            }
            Leading::Kings => {
                let [a, _] = KING_SQUARES[digit];
                let all = KING_SQUARES[digit..digit + most].iter();
                list(&mut all.take_while(|pair| pair[0] == a).map(|pair| pair[1]));
                1
            }
            Leading::Pawns { .. } => {
                let first = self.sets[0];
                match self.numbering.groups[0].len {
                    // A single pawn goes up its file.
                    1 => list(&mut (0..most as u8).map(|step| first + 8 * step)),
                    _ => list(&mut std::iter::once(first)),
                }
                0
            }
        }
    }

    /// Writes the next positions, as many as fit and are left, and returns how many.
    pub fn fill(&mut self, out: &mut [PackedSquares]) -> usize {
        let mut filled = 0;
        while let Some(row) = self.next_row(out.len() - filled) {
            for position in row.positions() {
                out[filled] = position;
                filled += 1;
            }
        }
        filled
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
