//! The move of a range of slots, tile by tile.

use super::exact::Exact;
use super::numbering::Order;
use super::plan::{Choice, Reindexing, Words};
use super::rows::{CONSECUTIVE, Plane, RowShape, Runs};
use super::squares::{IMAGES, MOST_PIECES, Squares, below};
use super::tile::{BOARD, Tile};
use crate::batch::{Backend, Portable};
use crate::simd::{Isa, permute};

/// The rows of a tile.
#[derive(Debug)]
pub(super) struct TileRows {
    from: Plane,
    to: Plane,
    /// The squares that were chosen, by the target's pieces.
    squares: Squares,
    /// Whether there is a tile.
    is_some: bool,
}

impl TileRows {
    pub(super) const EMPTY: TileRows = TileRows {
        from: Plane::EMPTY,
        to: Plane::EMPTY,
        squares: [0; MOST_PIECES],
        is_some: false,
    };

    /// Finds the rows of the tile of these squares, and returns whether entries are to be moved there.
    fn find(&mut self, backend: Backend, plan: &Reindexing<'_>, chosen: Squares) -> bool {
        crate::dispatch!(backend, _ => {
            self.to.fill(plan.to, &chosen, plan.along, plan.across);
            // The images of positions are written otherwise.
            let is_written = self.to.code.is_none_or(|code| code == 0);
            if is_written {
                let squares = plan.squares_of_source(&chosen);
                let [along, across] = plan.rows_of_source();
                self.from.fill(plan.from, &squares, along, across);
                (self.squares, self.is_some) = (chosen, true);
            }
            is_written
        })
    }
}

/// The move of a range of slots.
pub(super) struct Mover<'a, T> {
    pub(super) plan: &'a Reindexing<'a>,
    pub(super) backend: Backend,
    pub(super) source: &'a [T],
    pub(super) fill: T,
    /// The first slot of the target.
    pub(super) first: i64,
    pub(super) target: &'a mut [T],
    /// The squares that were chosen, by the target's pieces.
    pub(super) squares: Squares,
    /// The tile that was chosen last, whose entries have not moved yet, and room for the rows of the one after it.
    pub(super) current: TileRows,
    pub(super) next: TileRows,
    /// The rows of the source, and those of the target.
    pub(super) read: Tile<T>,
    pub(super) turned: Tile<T>,
}

impl<T: bytemuck::Pod> Mover<'_, T> {
    /// Goes through all squares of a choice and the ones after it. The shares of the ones before add up to something in
    /// `between`. `placement` is that of the leading men, or 0.
    pub(super) fn choose(
        &mut self,
        depth: usize,
        occupied: u64,
        placement: usize,
        between: (i64, i64),
    ) {
        let (plan, to) = (self.plan, self.plan.to);
        let Some(&choice) = plan.choices.get(depth) else {
            return self.take_tile();
        };
        let rest = plan.rest[depth + 1];
        let (first, end) = (self.first, self.first + self.target.len() as i64);
        let meets = |low: i64, high: i64| {
            between.0 + rest.0 + low < end && between.1 + rest.1 + high >= first
        };
        let known = plan.choices[..=depth]
            .iter()
            .filter_map(|choice| match *choice {
                Choice::Piece(piece) => Some(piece),
                Choice::Leading => None,
            });
        match choice {
            Choice::Leading => {
                for (squares, starts, number) in &plan.groups {
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
                    for piece in (0..to.leading).filter(|&k| k != plan.along && k != plan.across) {
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
                for square in plan.squares[piece] {
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
                    if !there || !plan.is_in_order(&self.squares, piece, depth) {
                        continue;
                    }
                    let between = (between.0 + low, between.1 + high);
                    self.choose(depth + 1, occupied | bit, placement, between);
                }
            }
        }
    }

    /// Finds the rows of the tile of the squares that were chosen, and moves the entries of the tile before it, as the
    /// lines of this one are on their plan then.
    fn take_tile(&mut self) {
        if self.next.find(self.backend, self.plan, self.squares) {
            self.move_current();
            std::mem::swap(&mut self.current, &mut self.next);
        }
    }

    /// Moves the entries of the tile that was chosen last.
    pub(super) fn move_current(&mut self) {
        // Larger entries have no instructions of their own.
        if const { size_of::<T>() <= 2 } {
            crate::dispatch!(self.backend, isa => self.move_entries(isa));
        } else {
            self.move_entries(Portable);
        }
    }

    /// Moves the entries of a tile, and asks for those of the next one, as the processor does not foresee where they are.
    #[inline(always)]
    fn move_entries<I: Isa>(&mut self, isa: I) {
        let (plan, entries, fill) = (self.plan, self.source, self.fill);
        if !self.current.is_some {
            return;
        }
        self.current.is_some = false;
        let (from, to) = (&self.current.from, &self.current.to);
        let is_turned = (from.code, to.code) != (Some(0), Some(0));
        if plan.same_run && !is_turned && self.copy_rows(to.even, from.even) {
            return;
        }
        let [along, across] = plan.rows_of_source();
        let [source, next_source] = [&self.current, &self.next]
            .map(|tile| Side::new(plan.from, &tile.from, along, &plan.words[0]));
        let [target, next_target] = [&self.current, &self.next]
            .map(|tile| Side::new(plan.to, &tile.to, plan.along, &plan.words[1]));
        let mut chosen = self.current.squares;
        let mut squares = plan.squares_of_source(&chosen);
        if !plan.same_run {
            for &square in &plan.squares[plan.along] {
                next_source.prefetch(isa, entries, 0, square);
                squares[across] = square;
                let row = &mut self.read.rows[usize::from(square)];
                row.fill(fill);
                source.read(isa, entries, square, &mut squares, row);
            }
            self.turned.transpose(&self.read);
        }
        let all = if plan.across == plan.along { 1 } else { BOARD };
        for &square in &plan.squares[plan.across][..all] {
            next_target.prefetch(isa, self.target, self.first, square);
            chosen[plan.across] = square;
            let in_order = || plan.is_in_order(&chosen, plan.across, plan.choices.len());
            if matches!(target.known(square), RowShape::None) || plan.has_order && !in_order() {
                continue;
            }
            let mut own = [fill; BOARD];
            let row = if plan.same_run {
                next_source.prefetch(isa, entries, 0, square);
                squares[across] = square;
                source.read(isa, entries, square, &mut squares, &mut own);
                &own
            } else {
                &self.turned.rows[usize::from(square)]
            };
            target.write(isa, self.target, self.first, square, &chosen, row);
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
}

/// The rows of a tile on one side.
struct Side<'a> {
    order: &'a Order,
    /// The man who moves in a row, and whether there are like ones.
    along: usize,
    has_like: bool,
    words: Option<&'a Words>,
    rows: &'a [RowShape; BOARD],
    runs: &'a [Runs],
    /// The places of rows by squares.
    places: &'a [u8; BOARD],
}

impl<'a> Side<'a> {
    #[inline(always)]
    fn new(order: &'a Order, plane: &'a Plane, along: usize, words: &'a Option<Words>) -> Side<'a> {
        let set = order.sets.get(usize::from(order.set_of[along]));
        Side {
            order,
            along,
            has_like: set.is_some_and(|set| set.count > 1),
            words: words.as_ref(),
            rows: &plane.rows,
            runs: plane.runs(),
            places: &IMAGES[usize::from(plane.code.unwrap_or(0) & 7)],
        }
    }

    #[inline(always)]
    fn at(&self, square: u8) -> usize {
        usize::from(self.places[usize::from(square & 63)] & 63)
    }

    /// The shape of the row with the man who is moved on a square.
    #[inline(always)]
    fn known(&self, square: u8) -> RowShape {
        self.rows[self.at(square)]
    }

    /// Asks for entries of a row among those from the first on.
    #[inline(always)]
    fn prefetch<I: Isa, T>(&self, isa: I, entries: &[T], first: i64, square: u8) {
        if let Some(runs) = self.runs.first() {
            // Of the rows that have words in the same lines, each asks for another word.
            let word =
                |words: &Words| words.at[usize::from(words.codes[usize::from(square & 63)] & 7)];
            let address = runs.addresses[self.at(square)] + self.words.map_or(0, word);
            isa.prefetch(entries.as_ptr().wrapping_offset((address - first) as isize));
        }
    }

    /// Reads the entries of a row. Entries without a slot stay.
    #[inline(always)]
    fn read<I: Isa, T: bytemuck::Pod>(
        &self,
        isa: I,
        source: &[T],
        square: u8,
        squares: &mut Squares,
        entries: &mut [T; BOARD],
    ) {
        let at = self.at(square);
        let code = match self.rows[at] {
            RowShape::None => return,
            RowShape::Each => {
                for (square, entry) in entries.iter_mut().enumerate() {
                    squares[self.along] = square as u8;
                    if let Some((slot, _)) = self.order.locate(squares) {
                        *entry = source[slot as usize];
                    }
                }
                return;
            }
            RowShape::Turned(code) => code,
        };
        for runs in self.runs {
            let (set, address, terms) = (runs.squares[at], runs.addresses[at], runs.terms[at]);
            if set == 0 {
                continue;
            }
            if terms.0 == CONSECUTIVE {
                isa.expand(&source[address as usize..], set, entries);
            } else if let Some(words) = self.words {
                let mut own = [[T::zeroed(); 8]; 8];
                for (k, own) in own.iter_mut().enumerate() {
                    let at = (address + words.at[k]) as usize;
                    own.copy_from_slice(&source[at..at + 8]);
                }
                *entries = permute(isa, bytemuck::cast_ref(&own), &words.codes);
            } else {
                for (k, square) in squares_of(set).enumerate() {
                    let slot = self.order.address(self.along, address, terms, k);
                    entries[square] = source[slot as usize];
                }
            }
        }
        if code != 0 {
            *entries = permute(isa, entries, &IMAGES[usize::from(code & 7)]);
        }
    }

    /// Writes a row to those of its slots that the target has, which begins with the first.
    #[inline(always)]
    fn write<I: Isa, T: bytemuck::Pod>(
        &self,
        isa: I,
        target: &mut [T],
        first: i64,
        square: u8,
        squares: &Squares,
        entries: &[T; BOARD],
    ) {
        let at = self.at(square);
        let allowed = if self.has_like {
            self.in_order(squares)
        } else {
            !0
        };
        match self.rows[at] {
            RowShape::Each => {
                let mut squares = *squares;
                for square in squares_of(allowed) {
                    squares[self.along] = square as u8;
                    if let Some((slot, true)) = self.order.locate(&squares)
                        && let Some(entry) = target.get_mut((slot - first) as usize)
                    {
                        *entry = entries[square];
                    }
                }
                return;
            }
            RowShape::Turned(0) => {}
            // The image of a position that is written otherwise.
            RowShape::None | RowShape::Turned(_) => return,
        }
        for runs in self.runs {
            let set = runs.squares[at] & allowed;
            // The squares that are not allowed are the first or the last ones.
            let skipped = runs.squares[at] & (set & set.wrapping_neg()).wrapping_sub(1);
            let skipped = skipped.count_ones() as usize;
            let (address, terms) = (runs.addresses[at] - first, runs.terms[at]);
            if terms.0 == CONSECUTIVE {
                let start = (address + skipped as i64) as usize;
                let end = start.wrapping_add(set.count_ones() as usize);
                if let Some(room) = target.get_mut(start..end) {
                    isa.compress(entries, set, room);
                    continue;
                }
            } else if let Some(words) = self.words
                && let end = target.len().saturating_sub(7)
                && words.ends.iter().all(|at| ((address + at) as usize) < end)
            {
                let own = permute(isa, entries, &words.squares);
                let own: &[[T; 8]; 8] = bytemuck::cast_ref(&own);
                for (k, own) in own.iter().enumerate() {
                    let at = (address + words.at[k]) as usize;
                    target[at..at + 8].copy_from_slice(own);
                }
                continue;
            }
            for (k, square) in squares_of(set).enumerate() {
                let slot = self.order.address(self.along, address, terms, skipped + k);
                if let Some(entry) = target.get_mut(slot as usize) {
                    *entry = entries[square];
                }
            }
        }
    }

    /// The squares on which the man who moves is in order with like ones of his digit.
    #[inline(always)]
    fn in_order(&self, squares: &Squares) -> u64 {
        let Some(set) = self
            .order
            .sets
            .get(usize::from(self.order.set_of[self.along]))
        else {
            return !0;
        };
        let others = set.pieces().filter(|&piece| piece != self.along);
        others.fold(!0, |all, piece| {
            let (low, own) = (below(squares[piece]), 1 << squares[piece]);
            let apart = if piece < self.along {
                !(low | own)
            } else {
                low
            };
            all & (apart | if set.repeated { own } else { 0 })
        })
    }
}

/// The squares of a set.
#[inline(always)]
fn squares_of(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (square < BOARD).then_some(square)
    })
}
