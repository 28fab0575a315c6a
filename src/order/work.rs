//! The move of a range of slots, tile by tile.

use super::exact::Exact;
use super::rows::{Known, Plane};
use super::squares::{IMAGES, Squares, below};
use super::tile::{BOARD, Tile};
use super::way::{Choice, Reindexing};
use crate::batch::Backend;
use crate::simd::Isa;

/// Where the entries of a row are.
#[derive(Clone, Copy, Debug)]
enum Entries {
    /// In the source, from an address on.
    Source(usize),
    /// In a row of the tile that was read.
    Read(usize),
    /// In a row of the tile with rows and columns exchanged.
    Turned(usize),
}

/// The move of a range of slots.
pub(super) struct Work<'a, T> {
    pub(super) way: &'a Reindexing<'a>,
    pub(super) backend: Backend,
    pub(super) source: &'a [T],
    pub(super) fill: T,
    /// The first slot of the target.
    pub(super) first: i64,
    pub(super) target: &'a mut [T],
    /// The rows of the source, and those of the target.
    pub(super) read: Tile<T>,
    pub(super) turned: Tile<T>,
    /// The squares that were chosen, by the target's pieces.
    pub(super) squares: Squares,
}

impl<T: bytemuck::Pod> Work<'_, T> {
    /// Goes through all squares of a choice and the ones after it. The shares of the ones before add up to something in
    /// `between`. `placement` is that of the leading men, or 0.
    pub(super) fn choose(
        &mut self,
        depth: usize,
        occupied: u64,
        placement: usize,
        between: (i64, i64),
    ) {
        let (way, to) = (self.way, self.way.to);
        let Some(&choice) = way.choices.get(depth) else {
            return crate::dispatch!(self.backend, isa => self.move_tile(isa));
        };
        let rest = way.rest[depth + 1];
        let (first, end) = (self.first, self.first + self.target.len() as i64);
        let meets = |low: i64, high: i64| {
            between.0 + rest.0 + low < end && between.1 + rest.1 + high >= first
        };
        let known = way.choices[..=depth]
            .iter()
            .filter_map(|choice| match *choice {
                Choice::Piece(piece) => Some(piece),
                Choice::Leading => None,
            });
        match choice {
            Choice::Leading => {
                for (squares, starts, number) in &way.groups {
                    let exact = to.exact.as_ref().filter(|exact| exact.ties(*number));
                    let there = match exact.map(|exact| exact.span(*number)) {
                        Some(span) => span.start < end && span.end > first,
                        None => meets(starts.start, starts.end),
                    };
                    if !there {
                        continue;
                    }
                    let mut taken = occupied;
                    let mut free = true;
                    for piece in (0..to.leading).filter(|&k| k != way.along && k != way.across) {
                        self.squares[piece] = squares[piece];
                        let bit = 1u64 << squares[piece];
                        free &= !to.leaves_out || taken & bit == 0;
                        taken |= bit;
                    }
                    if free {
                        let between = (between.0 + starts.start, between.1 + starts.end);
                        self.choose(depth + 1, taken, *number, between);
                    }
                }
            }
            Choice::Piece(piece) => {
                let set = &to.sets[usize::from(to.set_of[piece])];
                let class = usize::from(to.classes[placement]);
                let terms = &set.terms[class * set.count + piece - set.first];
                let exact = to.exact.as_ref().filter(|exact| exact.ties(placement));
                let before = if to.leaves_out { set.first as u32 } else { 0 };
                for square in 0..64u8 {
                    let bit = 1u64 << square;
                    if set.zone & bit == 0 || to.leaves_out && occupied & bit != 0 {
                        continue;
                    }
                    self.squares[piece] = square;
                    let place = (set.zone & below(square)).count_ones();
                    let low = terms[place.saturating_sub(before) as usize];
                    let high = terms[place as usize];
                    let anywhere =
                        |exact: &Exact| exact.is_anywhere(to, &self.squares, known.clone());
                    let there = meets(low, high) || exact.is_some_and(anywhere);
                    if !there || !self.is_in_order(piece, depth) {
                        continue;
                    }
                    let between = (between.0 + low, between.1 + high);
                    self.choose(depth + 1, occupied | bit, placement, between);
                }
            }
        }
    }

    /// Whether a piece is in ascending order with the like pieces of its set that were chosen before.
    #[inline(always)]
    fn is_in_order(&self, piece: usize, depth: usize) -> bool {
        let to = self.way.to;
        let set = &to.sets[usize::from(to.set_of[piece])];
        self.way.choices[..depth]
            .iter()
            .all(|choice| match *choice {
                Choice::Piece(other) if set.pieces().contains(&other) => {
                    let (low, high) = (piece.min(other), piece.max(other));
                    let (low, high) = (self.squares[low], self.squares[high]);
                    low < high || set.repeated && low == high
                }
                _ => true,
            })
    }

    /// Moves the entries of all squares of the two pieces of a tile.
    #[inline(always)]
    fn move_tile<I: Isa>(&mut self, isa: I) {
        let Reindexing {
            from,
            to,
            along,
            across,
            ..
        } = *self.way;
        let mut squares = Squares::default();
        for (&square, &piece) in self.squares.iter().zip(&self.way.source[..from.men.len()]) {
            squares[piece] = square;
        }
        let [own_along, own_across] = [along, across].map(|piece| self.way.source[piece]);
        let mut target = Plane::new(to, &self.squares, along, across);
        if self.way.same_run {
            let mut source = Plane::new(from, &squares, own_along, own_across);
            let even = source.even();
            let is_turned = source.code() != Some(0) || target.code() != Some(0);
            if !is_turned && self.copy_rows(target.even(), even) {
                return;
            }
            if let Some((from, rise)) = even {
                // The rows are on as many pages, and the processor does not foresee them.
                let rows = self.source[from..].iter().step_by(rise).take(BOARD);
                rows.for_each(|row| isa.prefetch(row));
            }
            let all = if across == along { 1 } else { BOARD as u8 };
            for square in 0..all {
                squares[own_across] = square;
                let (row, found) = (target.row(square), source.row(square));
                let whole = match found {
                    Known::Row(found) if found.code == 0 => found.whole(),
                    _ => None,
                };
                if matches!(row, Known::None) {
                    continue;
                }
                let entries = match whole {
                    Some(address) => Entries::Source(address),
                    None => {
                        self.read_row(found, &mut squares, own_along, 0, true);
                        Entries::Read(0)
                    }
                };
                self.squares[across] = square;
                self.write_row(row, entries);
            }
            return;
        }
        let mut source = Plane::new(from, &squares, own_across, own_along);
        let code = source.code();
        // Rows without gaps are copied together: while the processor waits for one, it asks for the next ones.
        let mut whole = [None; BOARD];
        for square in 0..BOARD as u8 {
            squares[own_along] = square;
            let (found, row) = (source.row(square), usize::from(square));
            match found {
                Known::Row(known) if known.whole().is_some() => {
                    whole[row] = known.whole().map(|address| (address, known.code));
                }
                _ => self.read_row(found, &mut squares, own_across, row, code.is_none()),
            }
        }
        for (entries, whole) in self.read.rows.iter_mut().zip(&whole) {
            if let Some((address, _)) = *whole {
                entries.copy_from_slice(&self.source[address..address + BOARD]);
            }
        }
        for (entries, whole) in self.read.rows.iter_mut().zip(&whole) {
            if let Some((_, turn @ 1..)) = *whole
                && code.is_none()
            {
                let own = *entries;
                for (entry, &image) in entries.iter_mut().zip(&IMAGES[usize::from(turn & 7)]) {
                    *entry = own[usize::from(image & 63)];
                }
            }
        }
        self.turned.transpose(&self.read);
        // Where all rows are turned alike, columns are where the source has them.
        let images = &IMAGES[usize::from(code.unwrap_or(0))];
        for square in 0..BOARD as u8 {
            self.squares[across] = square;
            let row = target.row(square);
            self.write_row(row, Entries::Turned(images[usize::from(square)].into()));
        }
    }

    /// Copies whole rows that grow evenly, if both sides have such.
    #[inline(always)]
    fn copy_rows(&mut self, to: Option<(usize, usize)>, from: Option<(usize, usize)>) -> bool {
        let (Some((to, rise)), Some((from, rise_from))) = (to, from) else {
            return false;
        };
        let first = to.checked_sub(self.first as usize);
        let room = first.and_then(|first| {
            self.target
                .get_mut(first..first + rise * (BOARD - 1) + BOARD)
        });
        let Some(room) = room else { return false };
        let rows = &self.source[from..from + rise_from * (BOARD - 1) + BOARD];
        if (rise, rise_from) == (BOARD, BOARD) {
            room.copy_from_slice(rows);
            return true;
        }
        for (room, row) in room.chunks_mut(rise).zip(rows.chunks(rise_from)) {
            room[..BOARD].copy_from_slice(&row[..BOARD]);
        }
        true
    }

    /// Reads the entries of a row of the source for all squares of a piece, and turns them back if wanted.
    #[inline(always)]
    fn read_row(
        &mut self,
        known: Known<'_>,
        squares: &mut Squares,
        along: usize,
        row: usize,
        turn: bool,
    ) {
        let (from, source) = (self.way.from, self.source);
        let entries = &mut self.read.rows[row];
        match known {
            Known::None => entries.fill(self.fill),
            Known::Each => {
                for (square, entry) in entries.iter_mut().enumerate() {
                    squares[along] = square as u8;
                    let slot = from.locate(squares);
                    *entry = slot.map_or(self.fill, |(slot, _)| source[slot as usize]);
                }
            }
            Known::Row(found) => {
                // Each run is copied with what follows it, which the next ones overwrite.
                let mut own = [self.fill; 2 * BOARD];
                let mut end = 0;
                for run in found.runs() {
                    own[end..usize::from(run.start)].fill(self.fill);
                    let start = usize::from(run.start);
                    end = usize::from(run.end);
                    let address = run.address as usize;
                    if run.step != 1 {
                        for (k, own) in own[start..end].iter_mut().enumerate() {
                            *own = source[from.address(along, run, k) as usize];
                        }
                    } else if let Some(all) = source.get(address..address + BOARD) {
                        own[start..start + BOARD].copy_from_slice(all);
                    } else {
                        own[start..end].copy_from_slice(&source[address..address + end - start]);
                    }
                }
                own[end..BOARD].fill(self.fill);
                if turn && found.code != 0 {
                    let images = &IMAGES[usize::from(found.code)];
                    for (entry, &image) in entries.iter_mut().zip(images) {
                        *entry = own[usize::from(image & 63)];
                    }
                } else {
                    entries.copy_from_slice(&own[..BOARD]);
                }
            }
        }
    }

    /// Writes a row to the slots of all squares of the piece along which slots follow each other.
    #[inline(always)]
    fn write_row(&mut self, known: Known<'_>, entries: Entries) {
        let Reindexing {
            to, along, across, ..
        } = *self.way;
        if self.way.has_order && !self.is_in_order(across, self.way.choices.len()) {
            return;
        }
        let entries: &[T] = match entries {
            Entries::Source(address) => &self.source[address..address + BOARD],
            Entries::Read(row) => &self.read.rows[row],
            Entries::Turned(row) => &self.turned.rows[row],
        };
        let (mut first, mut end) = (0, BOARD as u8);
        if let Some(set) = to.sets.get(usize::from(to.set_of[along])) {
            // Like pieces are in ascending order.
            let repeated = u8::from(set.repeated);
            for piece in set.pieces() {
                if piece < along {
                    first = first.max(self.squares[piece] + 1 - repeated);
                } else if piece > along {
                    end = end.min(self.squares[piece] + repeated);
                }
            }
        }
        let range = self.first..self.first + self.target.len() as i64;
        match known {
            Known::None => {}
            Known::Each => {
                let mut squares = self.squares;
                for square in first..end {
                    squares[along] = square;
                    if let Some((slot, true)) = to.locate(&squares)
                        && range.contains(&slot)
                    {
                        self.target[(slot - range.start) as usize] = entries[usize::from(square)];
                    }
                }
            }
            // The image of a position that is written otherwise.
            Known::Row(found) if found.code != 0 => {}
            Known::Row(found) => {
                for run in found.runs() {
                    let start = run.start.max(first);
                    let entries = &entries[..usize::from(run.end.min(end))];
                    let Some(entries) = entries.get(usize::from(start)..) else {
                        continue;
                    };
                    let skipped = start - run.start;
                    let address = run.address + run.step * i64::from(skipped) - range.start;
                    let room = usize::try_from(address).ok().filter(|_| run.step == 1);
                    let room =
                        room.and_then(|from| self.target.get_mut(from..from + entries.len()));
                    if let Some(room) = room {
                        copy_few(entries, room);
                        continue;
                    }
                    for (k, &entry) in entries.iter().enumerate() {
                        let slot = to.address(along, run, usize::from(skipped) + k);
                        if range.contains(&slot) {
                            self.target[(slot - range.start) as usize] = entry;
                        }
                    }
                }
            }
        }
    }
}

/// Copies at most 64 entries, without a call.
#[inline(always)]
fn copy_few<T: Copy>(from: &[T], to: &mut [T]) {
    let count = from.len();
    macro_rules! by {
        ($size:literal) => {
            if count >= $size {
                let last = count - $size;
                let (head, tail): ([T; $size], [T; $size]) = (
                    from[..$size].try_into().expect("so many"),
                    from[last..].try_into().expect("so many"),
                );
                to[..$size].copy_from_slice(&head);
                to[last..].copy_from_slice(&tail);
                return;
            }
        };
    }
    by!(32);
    by!(16);
    by!(8);
    by!(4);
    for (to, &from) in to.iter_mut().zip(from) {
        *to = from;
    }
}
