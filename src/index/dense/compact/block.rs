//! Many positions at once: plain loops over rows of numbers, which become vector code.
//!
//! A row has one number for each position of a block. The scalar code goes piece by piece; this code
//! goes row by row: places are counted by comparisons instead of bit counts, sets are sorted by
//! exchanges of rows, and nothing branches. Only positions in the slices that are numbered up to the
//! mirror, one in twenty, are done one by one afterwards.

use super::Compact;
use super::rows::{
    BLOCK, BlockRow, FEW, Zone, add_choose, by_kings, exchange, greatest_row, kings_among_pawns,
    kings_rows, where_at_least,
};
use super::tables::{ENTRIES, WideDivision};
use crate::index::Word;
use crate::index::dense::digits::apply_code;

impl<W: Word> Compact<W> {
    /// Whether [`rank_block`](Compact::rank_block) can be used: squares are not shared.
    pub(crate) fn ranks_blocks(&self) -> bool {
        !self.shared
    }

    /// Whether [`unrank_block`](Compact::unrank_block) can be used.
    pub(crate) fn unranks_blocks(&self) -> bool {
        !self.shared && self.tables.divisions.is_some()
    }

    /// Replaces every index of a block by its slot, or by all bits set.
    #[inline(always)]
    pub(crate) fn rank_block(&self, block: &mut BlockRow<W>) {
        if W::BITS == 32 {
            self.rank_block_of::<{ Compact::<u32>::MAX_PIECES }>(block);
        } else {
            self.rank_block_of::<{ Compact::<u64>::MAX_PIECES }>(block);
        }
    }

    /// [`rank_block`](Compact::rank_block) for up to `N` pieces.
    #[inline(always)]
    fn rank_block_of<const N: usize>(&self, block: &mut BlockRow<W>) {
        let mut ids = BlockRow::all(0u32);
        let mut bad = BlockRow::all(0u32);
        for i in 0..BLOCK {
            let entry = self.pairs.leading.entry(self.layout, block[i]);
            block[i] = apply_code(self.layout.natural(), entry as u8 & 7, block[i]);
            ids[i] = entry >> 3 & 0xfff;
            bad[i] = entry >> 15;
        }
        // The squares of all pieces: the kings' and then set by set.
        let mut rows = [BlockRow::all(0); N];
        kings_rows(self.layout.half(), block, &mut rows[..2]);
        let mut digits = BlockRow::all(W::ZERO);
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
            let mut last = BlockRow::all(0);
            let squares = places.map(|place| (place.squares as u32).wrapping_sub(1));
            by_kings(squares, among.as_ref(), &mut last);
            let mut choice = BlockRow::all(0);
            for (j, row) in own.iter().enumerate() {
                let mut place = BlockRow::all(0);
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
            let mut weight = BlockRow::all(W::ZERO);
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
                    let squares = Self::squares_of(digits[i]);
                    block[i] = self
                        .rank_in_slice(ids[i] as usize, &squares)
                        .unwrap_or(W::NO_SLOT);
                }
            }
        }
        for (slot, &bad) in block.iter_mut().zip(&bad) {
            *slot |= W::spread(W::from((bad & 1) as u8));
        }
    }

    /// Replaces every slot of a block, all below the size, by its index.
    #[inline(always)]
    pub(crate) fn unrank_block(&self, block: &mut BlockRow<W>) {
        if W::BITS == 32 {
            self.unrank_block_of::<{ Compact::<u32>::MAX_PIECES }, false>(block);
        } else {
            self.unrank_block_of::<{ Compact::<u64>::MAX_PIECES }, true>(block);
        }
    }

    /// [`unrank_block`](Compact::unrank_block) for up to `N` pieces. `WIDE` says whether there may be sets
    /// with a wide division.
    #[inline(always)]
    fn unrank_block_of<const N: usize, const WIDE: bool>(&self, block: &mut BlockRow<W>) {
        let tables = &self.tables;
        let Some(divisions) = &tables.divisions else {
            return;
        };
        let mut ids = BlockRow::all(0u32);
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
        let mut rest = BlockRow::all(0u32);
        let mut wide_rest = BlockRow::all(0u64);
        let mut indices = BlockRow::all(W::ZERO);
        for i in 0..BLOCK {
            let id = ids[i] as usize & (ENTRIES - 1);
            let number: u128 = (block[i] - tables.firsts[id]).into();
            rest[i] = number as u32;
            if WIDE {
                wide_rest[i] = number as u64;
            }
            indices[i] = self.leading[id];
        }
        // The squares that are taken, in ascending order.
        let mut rows = [BlockRow::all(0); N];
        kings_rows(self.layout.half(), &indices, &mut rows[..2]);
        let among = self
            .material
            .has_pawns()
            .then(|| kings_among_pawns(&rows[..2]));
        exchange(&mut rows, 0);
        let mut digits = BlockRow::all(W::ZERO);
        let mut len = 2;
        for (s, set) in self.sets.iter().enumerate() {
            let zone = Zone::of(set.zone);
            let mut choice = BlockRow::all(0);
            let narrow = s.checked_sub(tables.wide.len());
            if let Some(division) = narrow.and_then(|narrow| divisions.get(narrow)) {
                let (mut reciprocal, mut divisor) = (BlockRow::all(0), BlockRow::all(0));
                by_kings(division.reciprocals, among.as_ref(), &mut reciprocal);
                by_kings(division.divisors, among.as_ref(), &mut divisor);
                for i in 0..BLOCK {
                    let product = u64::from(rest[i]) * reciprocal[i];
                    choice[i] = (product >> division.shift) as u32;
                    rest[i] = rest[i].wrapping_sub(choice[i].wrapping_mul(divisor[i]));
                }
            } else if WIDE && let Some(division) = tables.wide.get(s) {
                let (mut reciprocal, mut divisor) = (BlockRow::all(0.0), BlockRow::all(0));
                by_kings(division.reciprocals, among.as_ref(), &mut reciprocal);
                by_kings(division.divisors, among.as_ref(), &mut divisor);
                for i in 0..BLOCK {
                    let (quotient, remainder) =
                        WideDivision::divide(wide_rest[i], reciprocal[i], divisor[i]);
                    choice[i] = quotient as u32;
                    wide_rest[i] = remainder;
                    // The first narrow division begins with the last of these.
                    rest[i] = remainder as u32;
                }
            }
            let places = [0, 1, 2, 0].map(|kings: usize| self.places[kings][s]);
            let mut last = BlockRow::all(0);
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
                    let mut share = BlockRow::all(0);
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
                let id = ids[i] as usize;
                let (squares, _) = self.decode(id, slots[i]);
                block[i] = self.index(id, &squares);
            }
        }
    }
}
