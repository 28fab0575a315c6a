//! Many positions at once: plain loops over rows of numbers, which become vector code.
//!
//! A row has one number for each position of a block. What the scalar code does piece by piece is
//! done here row by row: places are counted by comparisons instead of bit counts, sets are sorted by
//! exchanges of rows, and nothing branches. Only positions in the slices that are numbered up to the
//! mirror, one in twenty, are done one by one afterwards.

use super::{Compact, Squares};
use crate::board::Bitboard;
use crate::index::Word;
use crate::index::dense::binomial::{CHOOSE, MAX_LIKE};
use crate::index::dense::digits::apply_code;
use crate::index::dense::no_slot;

/// The positions of a block.
pub(crate) const BLOCK: usize = 64;

/// A number for each position.
type Row = [u32; BLOCK];

/// Entries of the tables, so many that no index of 12 bits is beyond them.
const ENTRIES: usize = 4096;

/// What blocks look up.
#[derive(Clone, Debug)]
pub(super) struct Tables<W> {
    /// Where each slice starts; after the last the number of slots.
    firsts: Box<[W; ENTRIES]>,
    /// For the highest bits of a slot the slice of the first slot with these bits.
    buckets: Box<[u32; ENTRIES]>,
    /// How many bits below those there are.
    shift: u32,
    /// The most slices after that one that start within a bucket.
    steps: usize,
    /// The division by each set's weight, if slots are few enough for it.
    divisions: Option<Vec<Division>>,
}

/// Division by one of a few numbers, chosen by how many kings stand where pawns may: a product with a
/// reciprocal of 30 bits more than the divisor has (Granlund and Montgomery, Division by invariant
/// integers using multiplication), exact for dividends below 2³⁰.
#[derive(Clone, Copy, Debug)]
struct Division {
    reciprocals: [u64; 4],
    divisors: [u32; 4],
    shift: u32,
}

impl Division {
    fn new(divisors: [u64; 3]) -> Option<Division> {
        let greatest = *divisors.iter().max()?;
        if greatest >= 1 << 30 {
            return None;
        }
        let shift = 30 + u64::BITS - greatest.leading_zeros();
        let all = [divisors[0], divisors[1], divisors[2], divisors[0]];
        // Divisors differ by the kings' squares alone, a little; a product has less than 64 bits.
        let least = *divisors.iter().min()?;
        let small = (1u128 << shift).div_ceil(u128::from(least)) < 1 << 34;
        small.then(|| Division {
            reciprocals: all.map(|divisor| (1u64 << shift).div_ceil(divisor)),
            divisors: all.map(|divisor| divisor as u32),
            shift,
        })
    }
}

impl<W: Word> Tables<W> {
    pub(super) fn new(firsts: &super::Starts, weights: &[[u64; 3]]) -> Tables<W> {
        let mut table = Box::new([W::ZERO; ENTRIES]);
        for (entry, &first) in table.iter_mut().zip(&firsts.firsts) {
            *entry = W::truncate(first.into());
        }
        let mut buckets = Box::new([0; ENTRIES]);
        for (entry, &id) in buckets.iter_mut().zip(&firsts.buckets) {
            *entry = id.into();
        }
        let within = firsts.buckets.windows(2).map(|pair| pair[1] - pair[0]);
        let end = firsts.firsts[firsts.firsts.len() - 1];
        Tables {
            firsts: table,
            buckets,
            shift: firsts.shift,
            steps: usize::from(within.max().unwrap_or(0)),
            divisions: if end < 1 << 30 {
                weights.iter().map(|&w| Division::new(w)).collect()
            } else {
                None
            },
        }
    }
}

/// `CHOOSE` in 32 bits, which up to eight of 62 squares fit, with room for any index of 7 bits.
static FEW: [[u32; 128]; MAX_LIKE + 1] = {
    let mut table = [[u32::MAX; 128]; MAX_LIKE + 1];
    let mut k = 0;
    while k <= MAX_LIKE {
        let mut n = 0;
        while n <= 62 {
            table[k][n] = CHOOSE[k][n] as u32;
            n += 1;
        }
        k += 1;
    }
    table
};

/// C(n, k) for every n of a row.
#[inline(always)]
fn choose_row(row: &Row, k: usize) -> Row {
    let mut out = [0; BLOCK];
    match k {
        1 => out = *row,
        2 => {
            for (out, &n) in out.iter_mut().zip(row) {
                *out = n.wrapping_mul(n.wrapping_sub(1)) >> 1;
            }
        }
        _ => {
            let table = &FEW[k];
            for (out, &n) in out.iter_mut().zip(row) {
                *out = table[n as usize & 127];
            }
        }
    }
    out
}

/// The greatest n with C(n, k) ≤ the number, for every number of a row.
#[inline(always)]
fn greatest_row(row: &Row, k: usize) -> Row {
    let mut out = [0; BLOCK];
    match k {
        1 => out = *row,
        2 => {
            for (out, &number) in out.iter_mut().zip(row) {
                // n(n − 1)/2 ≤ number; what is under the root has less than 24 bits.
                let root = ((8 * (number & 0xf_ffff) + 1) as f32).sqrt();
                *out = (root as i32 as u32 + 1) >> 1;
            }
        }
        _ => {
            let table = &FEW[k];
            for step in [32, 16, 8, 4, 2, 1] {
                for (n, &number) in out.iter_mut().zip(row) {
                    let more = table[(*n + step) as usize & 127] <= number;
                    *n += if more { step } else { 0 };
                }
            }
        }
    }
    out
}

/// Puts the smaller of two rows' numbers into the first.
#[inline(always)]
fn exchange(rows: &mut [Row], a: usize, b: usize) {
    let (x, y) = (rows[a], rows[b]);
    for i in 0..BLOCK {
        rows[a][i] = x[i].min(y[i]);
        rows[b][i] = x[i].max(y[i]);
    }
}

/// What a set of pieces chooses from, in numbers.
#[derive(Clone, Copy)]
struct Zone {
    first: u32,
    last: u32,
}

impl Zone {
    fn of(zone: Bitboard) -> Zone {
        if zone == Bitboard::ALL {
            Zone { first: 0, last: 63 }
        } else {
            Zone { first: 8, last: 55 }
        }
    }
}

/// The squares that are taken, by rows; the kings' first.
struct Taken {
    rows: [Row; Compact::<u64>::MAX_PIECES],
    len: usize,
}

impl Taken {
    #[inline(always)]
    fn kings<W: Word>(half: u32, indices: &[W; BLOCK]) -> Taken {
        let mut taken = Taken {
            rows: [[0; BLOCK]; Compact::<u64>::MAX_PIECES],
            len: 2,
        };
        for (row, lead) in taken.rows.iter_mut().zip([3, 6]) {
            for (square, &index) in row.iter_mut().zip(indices) {
                let high = (index >> (2 * half - lead)).low_byte() & 7;
                let low = (index >> (half - lead)).low_byte() & 7;
                *square = u32::from(high << 3 | low);
            }
        }
        taken
    }

    /// How many kings stand where pawns may.
    #[inline(always)]
    fn kings_among_pawns(&self) -> Row {
        let zone = Zone::of(super::sets::PAWN_SQUARES);
        let mut among = [0; BLOCK];
        for row in &self.rows[..2] {
            for (among, &square) in among.iter_mut().zip(row) {
                *among += u32::from(square >= zone.first && square <= zone.last);
            }
        }
        among
    }

    #[inline(always)]
    fn push(&mut self, row: &Row) {
        self.rows[self.len] = *row;
        self.len += 1;
    }

    /// Adds a row and keeps each position's squares in ascending order.
    #[inline(always)]
    fn insert(&mut self, row: &Row) {
        self.push(row);
        for at in (1..self.len).rev() {
            exchange(&mut self.rows, at - 1, at);
        }
    }
}

impl<W: Word> Compact<W> {
    /// Whether [`rank_block`](Compact::rank_block) can be used: squares are not shared.
    pub(crate) fn ranks_blocks(&self) -> bool {
        !self.rules.shared
    }

    /// Whether [`unrank_block`](Compact::unrank_block) can be used.
    pub(crate) fn unranks_blocks(&self) -> bool {
        !self.rules.shared && self.tables.divisions.is_some()
    }

    /// Replaces every index of a block by its slot, or by all bits set.
    #[inline(always)]
    pub(crate) fn rank_block(&self, block: &mut [W; BLOCK]) {
        let mut ids = [0u32; BLOCK];
        let mut bad = [0u32; BLOCK];
        for i in 0..BLOCK {
            let entry = self.pairs.leading_entry(self.layout, block[i]);
            block[i] = apply_code(self.layout, entry as u8 & 7, block[i]);
            ids[i] = entry >> 3 & 0xfff;
            bad[i] = entry >> 15;
        }
        let mut taken = Taken::kings(self.layout.half(), block);
        let digits: [W; BLOCK] = {
            let mut digits = [W::ZERO; BLOCK];
            for (digits, &index) in digits.iter_mut().zip(&*block) {
                *digits = self.digits.concatenate(index);
            }
            digits
        };
        let pawns = self.material.has_pawns();
        let among = if pawns {
            taken.kings_among_pawns()
        } else {
            [0; BLOCK]
        };
        for (number, &id) in block.iter_mut().zip(&ids) {
            *number = self.tables.firsts[id as usize & (ENTRIES - 1)];
        }
        for (s, set) in self.sets.iter().enumerate() {
            let zone = Zone::of(set.zone);
            let mut rows = [[0; BLOCK]; MAX_LIKE];
            let rows = &mut rows[..set.count];
            for (j, row) in rows.iter_mut().enumerate() {
                let at = 6 * (set.low + j) as u32;
                for (square, &digits) in row.iter_mut().zip(&digits) {
                    *square = u32::from((digits >> at).low_byte() & 63);
                }
            }
            for end in (1..rows.len()).rev() {
                for at in 0..end {
                    exchange(rows, at, at + 1);
                }
            }
            let places = [0, 1, 2, 0].map(|kings: usize| self.places[kings][s]);
            let squares = places.map(|place| place.squares as u32);
            let all = squares.map(|t| FEW[set.count][t as usize & 127]);
            let mut choice = [0; BLOCK];
            for j in 0..rows.len() {
                let row = rows[j];
                let mut place = [0; BLOCK];
                for (place, &square) in place.iter_mut().zip(&row) {
                    *place = square.wrapping_sub(zone.first);
                }
                for other in &taken.rows[..taken.len] {
                    for i in 0..BLOCK {
                        let before = other[i] < row[i] && other[i] >= zone.first;
                        place[i] = place[i].wrapping_sub(u32::from(before));
                        bad[i] |= u32::from(other[i] == row[i]);
                    }
                }
                if j > 0 {
                    for i in 0..BLOCK {
                        bad[i] |= u32::from(rows[j - 1][i] == row[i]);
                    }
                }
                if pawns {
                    for i in 0..BLOCK {
                        bad[i] |= u32::from(row[i] < zone.first || row[i] > zone.last);
                    }
                }
                if rows.len() == 1 {
                    choice = place;
                    continue;
                }
                for i in 0..BLOCK {
                    let t = squares[among[i] as usize & 3];
                    place[i] = t.wrapping_sub(1).wrapping_sub(place[i]);
                }
                let after = choose_row(&place, rows.len() - j);
                for (choice, after) in choice.iter_mut().zip(after) {
                    *choice = choice.wrapping_add(after);
                }
            }
            if rows.len() > 1 {
                for i in 0..BLOCK {
                    let all = all[among[i] as usize & 3];
                    choice[i] = all.wrapping_sub(1).wrapping_sub(choice[i]);
                }
            }
            for i in 0..BLOCK {
                let weight = places[if pawns { among[i] as usize & 3 } else { 0 }].weight;
                let share = u128::from(choice[i]) * u128::from(weight);
                // A choice that is none may be anything; its sum is thrown away.
                let sum: u128 = block[i].into();
                block[i] = W::truncate(sum.wrapping_add(share));
            }
            for row in rows.iter() {
                taken.push(row);
            }
        }
        if self.mirror.is_some() {
            let from = self.pairs.diagonal_from() as u32;
            for i in 0..BLOCK {
                if ids[i] >= from && bad[i] == 0 {
                    let squares = squares_of(digits[i]);
                    block[i] = self
                        .rank_in_slice(ids[i] as usize, &squares)
                        .unwrap_or(no_slot());
                }
            }
        }
        for (slot, &bad) in block.iter_mut().zip(&bad) {
            *slot |= W::spread(W::from((bad & 1) as u8));
        }
    }

    /// Replaces every slot of a block, all below the size, by its index.
    #[inline(always)]
    pub(crate) fn unrank_block(&self, block: &mut [W; BLOCK]) {
        let Some(divisions) = &self.tables.divisions else {
            return;
        };
        let tables = &self.tables;
        let mut ids = [0u32; BLOCK];
        for (id, &slot) in ids.iter_mut().zip(&*block) {
            let bucket: u128 = (slot >> tables.shift).into();
            *id = tables.buckets[bucket as usize & (ENTRIES - 1)];
        }
        for _ in 0..tables.steps {
            for (id, &slot) in ids.iter_mut().zip(&*block) {
                let next = tables.firsts[(*id as usize + 1) & (ENTRIES - 1)];
                *id += u32::from(next <= slot);
            }
        }
        let mut rest = [0u32; BLOCK];
        let mut leading = [W::ZERO; BLOCK];
        for i in 0..BLOCK {
            let id = ids[i] as usize & (ENTRIES - 1);
            let number: u128 = (block[i] - tables.firsts[id]).into();
            rest[i] = number as u32;
            leading[i] = self.leading[id];
        }
        let mut taken = Taken::kings(self.layout.half(), &leading);
        let among = if self.material.has_pawns() {
            taken.kings_among_pawns()
        } else {
            [0; BLOCK]
        };
        exchange(&mut taken.rows, 0, 1);
        let mut digits = [W::ZERO; BLOCK];
        for (s, set) in self.sets.iter().enumerate() {
            let zone = Zone::of(set.zone);
            let division = &divisions[s];
            let mut choice = [0; BLOCK];
            for i in 0..BLOCK {
                let kind = among[i] as usize & 3;
                let product = u64::from(rest[i]) * division.reciprocals[kind];
                choice[i] = (product >> division.shift) as u32;
                let whole = choice[i].wrapping_mul(division.divisors[kind]);
                rest[i] = rest[i].wrapping_sub(whole);
            }
            let squares = [0, 1, 2, 0].map(|kings: usize| self.places[kings][s].squares as u32);
            let all = squares.map(|t| FEW[set.count][t as usize & 127]);
            if set.count > 1 {
                for i in 0..BLOCK {
                    let all = all[among[i] as usize & 3];
                    choice[i] = all.wrapping_sub(1).wrapping_sub(choice[i]);
                }
            }
            let mut rows = [[0; BLOCK]; MAX_LIKE];
            let rows = &mut rows[..set.count];
            let count = set.count;
            for (j, row) in rows.iter_mut().enumerate() {
                if count == 1 {
                    *row = choice;
                } else {
                    let above = greatest_row(&choice, count - j);
                    let share = choose_row(&above, count - j);
                    for i in 0..BLOCK {
                        choice[i] = choice[i].wrapping_sub(share[i]);
                        let t = squares[among[i] as usize & 3];
                        row[i] = t.wrapping_sub(1).wrapping_sub(above[i]);
                    }
                }
                for square in row.iter_mut() {
                    *square = square.wrapping_add(zone.first);
                }
                for other in &taken.rows[..taken.len] {
                    for i in 0..BLOCK {
                        row[i] += u32::from(other[i] <= row[i] && other[i] >= zone.first);
                    }
                }
                let at = 6 * (set.low + count - 1 - j) as u32;
                for (digits, &square) in digits.iter_mut().zip(&*row) {
                    *digits |= W::from(square as u8 & 63) << at;
                }
            }
            if s + 1 < self.sets.len() {
                for row in rows.iter() {
                    taken.insert(row);
                }
            }
        }
        let slots = *block;
        for i in 0..BLOCK {
            block[i] = leading[i] | self.digits.interleave(digits[i]);
        }
        if self.mirror.is_some() {
            let from = self.pairs.diagonal_from() as u32;
            for i in 0..BLOCK {
                if ids[i] >= from {
                    let (id, squares, _) = self.decode_in(ids[i] as usize, slots[i]);
                    block[i] = self.index(id, &squares);
                }
            }
        }
    }
}

/// The squares in the digits of a slot, piece 0 lowest.
#[inline(always)]
fn squares_of<W: Word>(digits: W) -> Squares {
    let mut digits = Compact::<W>::number(digits);
    std::array::from_fn(|_| {
        let square = digits as u8 & 63;
        digits >>= 6;
        square
    })
}
