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

/// Adds C(n, k) for every n of a row.
#[inline(always)]
fn add_choose(row: &Row, k: usize, to: &mut Row) {
    let both = to.iter_mut().zip(row);
    match k {
        1 => both.for_each(|(to, &n)| *to = to.wrapping_add(n)),
        2 => both.for_each(|(to, &n)| {
            *to = to.wrapping_add(n.wrapping_mul(n.wrapping_sub(1)) >> 1);
        }),
        _ => {
            let table = &FEW[k];
            both.for_each(|(to, &n)| *to = to.wrapping_add(table[n as usize & 127]));
        }
    }
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

/// Puts the smaller of two neighbouring rows' numbers into the first.
#[inline(always)]
fn exchange(rows: &mut [Row], at: usize) {
    let (a, b) = rows.split_at_mut(at + 1);
    for (a, b) in a[at].iter_mut().zip(&mut b[0]) {
        (*a, *b) = ((*a).min(*b), (*a).max(*b));
    }
}

/// For each position the entry for its number of kings among the pawns' squares; of materials without
/// pawns the first.
#[inline(always)]
fn by_kings<T: Copy>(table: [T; 4], among: Option<&Row>, to: &mut [T; BLOCK]) {
    match among {
        None => to.fill(table[0]),
        Some(among) => {
            for (to, &among) in to.iter_mut().zip(among) {
                *to = table[among as usize & 3];
            }
        }
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

/// The squares of the two leading pieces of natural indices.
#[inline(always)]
fn kings_rows<W: Word>(half: u32, indices: &[W; BLOCK], rows: &mut [Row]) {
    for (row, lead) in rows.iter_mut().zip([3, 6]) {
        for (square, &index) in row.iter_mut().zip(indices) {
            let high = (index >> (2 * half - lead)).low_byte() & 7;
            let low = (index >> (half - lead)).low_byte() & 7;
            *square = u32::from(high << 3 | low);
        }
    }
}

/// How many kings stand where pawns may.
#[inline(always)]
fn kings_among_pawns(kings: &[Row]) -> Row {
    let zone = Zone::of(super::sets::PAWN_SQUARES);
    let mut among = [0; BLOCK];
    for row in kings {
        for (among, &square) in among.iter_mut().zip(row) {
            *among += u32::from(square >= zone.first && square <= zone.last);
        }
    }
    among
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
        if self.layout.pieces() <= 5 {
            self.rank_block_of::<5>(block);
        } else {
            self.rank_block_of::<{ Compact::<u64>::MAX_PIECES }>(block);
        }
    }

    /// [`rank_block`](Compact::rank_block) for up to `N` pieces.
    #[inline(always)]
    fn rank_block_of<const N: usize>(&self, block: &mut [W; BLOCK]) {
        let mut ids = [0u32; BLOCK];
        let mut bad = [0u32; BLOCK];
        for i in 0..BLOCK {
            let entry = self.pairs.leading_entry(self.layout, block[i]);
            block[i] = apply_code(self.layout, entry as u8 & 7, block[i]);
            ids[i] = entry >> 3 & 0xfff;
            bad[i] = entry >> 15;
        }
        // The squares of all pieces: the kings' and then set by set.
        let mut rows = [[0; BLOCK]; N];
        kings_rows(self.layout.half(), block, &mut rows[..2]);
        let mut digits = [W::ZERO; BLOCK];
        for (digits, &index) in digits.iter_mut().zip(&*block) {
            *digits = self.digits.concatenate(index);
        }
        let among = self
            .material
            .has_pawns()
            .then(|| kings_among_pawns(&rows[..2]));
        for (number, &id) in block.iter_mut().zip(&ids) {
            *number = self.tables.firsts[id as usize & (ENTRIES - 1)];
        }
        let mut len = 2;
        for (s, set) in self.sets.iter().enumerate() {
            let zone = Zone::of(set.zone);
            let (taken, own) = rows.split_at_mut(len);
            let own = &mut own[..set.count];
            len += set.count;
            for (j, row) in own.iter_mut().enumerate() {
                let at = 6 * (set.low + j) as u32;
                for (square, &digits) in row.iter_mut().zip(&digits) {
                    *square = u32::from((digits >> at).low_byte() & 63);
                }
            }
            for end in (1..own.len()).rev() {
                for at in 0..end {
                    exchange(own, at);
                }
            }
            let places = [0, 1, 2, 0].map(|kings: usize| self.places[kings][s]);
            let mut last = [0; BLOCK];
            let squares = places.map(|place| (place.squares as u32).wrapping_sub(1));
            by_kings(squares, among.as_ref(), &mut last);
            let mut choice = [0; BLOCK];
            for (j, row) in own.iter().enumerate() {
                let mut place = [0; BLOCK];
                for (place, &square) in place.iter_mut().zip(row) {
                    *place = square.wrapping_sub(zone.first);
                }
                for other in &*taken {
                    for i in 0..BLOCK {
                        let before = other[i] < row[i] && other[i] >= zone.first;
                        place[i] = place[i].wrapping_sub(u32::from(before));
                        bad[i] |= u32::from(other[i] == row[i]);
                    }
                }
                if j > 0 {
                    let other = &own[j - 1];
                    for i in 0..BLOCK {
                        bad[i] |= u32::from(other[i] == row[i]);
                    }
                }
                if among.is_some() {
                    for (bad, &square) in bad.iter_mut().zip(row) {
                        *bad |= u32::from(square < zone.first || square > zone.last);
                    }
                }
                if set.count == 1 {
                    choice = place;
                } else {
                    for (place, last) in place.iter_mut().zip(&last) {
                        *place = last.wrapping_sub(*place);
                    }
                    add_choose(&place, set.count - j, &mut choice);
                }
            }
            if set.count > 1 {
                let all = places.map(|place| FEW[set.count][place.squares & 127].wrapping_sub(1));
                by_kings(all, among.as_ref(), &mut last);
                for (choice, last) in choice.iter_mut().zip(&last) {
                    *choice = last.wrapping_sub(*choice);
                }
            }
            // A choice that is none may be anything; its sum is thrown away.
            let mut weight = [W::ZERO; BLOCK];
            let weights = places.map(|place| W::truncate(u128::from(place.weight)));
            by_kings(weights, among.as_ref(), &mut weight);
            for i in 0..BLOCK {
                block[i] = block[i].add_product(W::truncate(u128::from(choice[i])), weight[i]);
            }
        }
        if self.mirror.is_some() {
            let from = self.pairs.diagonal_from() as u32;
            for i in where_at_least(&ids, from) {
                if bad[i] == 0 {
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
        if self.layout.pieces() <= 5 {
            self.unrank_block_of::<5>(block);
        } else {
            self.unrank_block_of::<{ Compact::<u64>::MAX_PIECES }>(block);
        }
    }

    /// [`unrank_block`](Compact::unrank_block) for up to `N` pieces.
    #[inline(always)]
    fn unrank_block_of<const N: usize>(&self, block: &mut [W; BLOCK]) {
        let tables = &self.tables;
        let Some(divisions) = &tables.divisions else {
            return;
        };
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
        let mut indices = [W::ZERO; BLOCK];
        for i in 0..BLOCK {
            let id = ids[i] as usize & (ENTRIES - 1);
            let number: u128 = (block[i] - tables.firsts[id]).into();
            rest[i] = number as u32;
            indices[i] = self.leading[id];
        }
        // The squares that are taken, in ascending order.
        let mut rows = [[0; BLOCK]; N];
        kings_rows(self.layout.half(), &indices, &mut rows[..2]);
        let among = self
            .material
            .has_pawns()
            .then(|| kings_among_pawns(&rows[..2]));
        exchange(&mut rows, 0);
        let mut digits = [W::ZERO; BLOCK];
        let mut len = 2;
        for (s, (set, division)) in self.sets.iter().zip(divisions).enumerate() {
            let zone = Zone::of(set.zone);
            let (mut reciprocal, mut divisor) = ([0; BLOCK], [0; BLOCK]);
            by_kings(division.reciprocals, among.as_ref(), &mut reciprocal);
            by_kings(division.divisors, among.as_ref(), &mut divisor);
            let mut choice = [0; BLOCK];
            for i in 0..BLOCK {
                let product = u64::from(rest[i]) * reciprocal[i];
                choice[i] = (product >> division.shift) as u32;
                rest[i] = rest[i].wrapping_sub(choice[i].wrapping_mul(divisor[i]));
            }
            let places = [0, 1, 2, 0].map(|kings: usize| self.places[kings][s]);
            let mut last = [0; BLOCK];
            if set.count > 1 {
                let all = places.map(|place| FEW[set.count][place.squares & 127].wrapping_sub(1));
                by_kings(all, among.as_ref(), &mut last);
                for (choice, last) in choice.iter_mut().zip(&last) {
                    *choice = last.wrapping_sub(*choice);
                }
                let squares = places.map(|place| (place.squares as u32).wrapping_sub(1));
                by_kings(squares, among.as_ref(), &mut last);
            }
            let (taken, own) = rows.split_at_mut(len);
            let own = &mut own[..set.count];
            for (j, row) in own.iter_mut().enumerate() {
                if set.count == 1 {
                    *row = choice;
                } else {
                    let above = greatest_row(&choice, set.count - j);
                    let mut share = [0; BLOCK];
                    add_choose(&above, set.count - j, &mut share);
                    for i in 0..BLOCK {
                        choice[i] = choice[i].wrapping_sub(share[i]);
                        row[i] = last[i].wrapping_sub(above[i]);
                    }
                }
                for square in row.iter_mut() {
                    *square = square.wrapping_add(zone.first);
                }
                for other in &*taken {
                    for (square, &other) in row.iter_mut().zip(other) {
                        *square += u32::from(other <= *square && other >= zone.first);
                    }
                }
                let at = 6 * (set.low + set.count - 1 - j) as u32;
                for (digits, &square) in digits.iter_mut().zip(&*row) {
                    *digits |= W::from(square as u8 & 63) << at;
                }
            }
            // Nobody asks for the order after the last set.
            for new in len..len + set.count {
                if s + 1 < self.sets.len() {
                    for at in (0..new).rev() {
                        exchange(&mut rows, at);
                    }
                }
            }
            len += set.count;
        }
        let slots = *block;
        for i in 0..BLOCK {
            block[i] = indices[i] | self.digits.interleave(digits[i]);
        }
        if self.mirror.is_some() {
            let from = self.pairs.diagonal_from() as u32;
            for i in where_at_least(&ids, from) {
                let (id, squares, _) = self.decode_in(ids[i] as usize, slots[i]);
                block[i] = self.index(id, &squares);
            }
        }
    }
}

/// The positions whose number is not below `from`.
#[inline(always)]
fn where_at_least(row: &Row, from: u32) -> impl Iterator<Item = usize> + use<> {
    let mut bits = 0u64;
    for (i, &number) in row.iter().enumerate() {
        bits |= u64::from(number >= from) << i;
    }
    Bitboard(bits).iter().map(crate::board::Square::index)
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
