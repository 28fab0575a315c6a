//! The values of many positions of a material by a packed file, which has one side to move, and leaves entries open where a
//! capture or a promotion decides.

use std::cmp::Reverse;

use rayon::prelude::*;
use syzygy_tables::batch::rows::{self, Children, Placed, Position};

use super::{FEW, FileProber, Reply, better};
use crate::chess::cozy::color_of;
use crate::storage::packed::PackedFile;
use crate::storage::table_file::FileError;
use crate::table::value::Value;

/// A packed file, and what it is asked about.
struct Packed<'a> {
    prober: &'a FileProber<'a>,
    file: &'a PackedFile,
    pieces: &'a rows::Endgame,
}

impl FileProber<'_> {
    /// The values of positions without the right to capture en passant.
    pub(super) fn in_packed(
        &self,
        file: &PackedFile,
        pieces: &rows::Endgame,
        rows: &[Placed],
    ) -> Vec<Reply> {
        let packed = Packed {
            prober: self,
            file,
            pieces,
        };
        let has = |&row: &usize| color_of(rows[row].side()) == file.side();
        let (here, others): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(has);
        let some =
            |numbers: &[usize]| -> Vec<Placed> { numbers.iter().map(|&k| rows[k]).collect() };
        let rows_here = some(&here);
        let mut found = packed.stored(&rows_here);
        packed.add_conversions(&rows_here, &mut found);
        found.extend(packed.by_moves(&some(&others)));
        let mut all = vec![Ok(Value::DRAW); rows.len()];
        for (row, value) in [here, others].concat().into_iter().zip(found) {
            all[row] = value;
        }
        all
    }
}

/// Moves from the position of a number that are still to be looked at, the most promising first.
struct Open {
    row: usize,
    moves: std::vec::IntoIter<usize>,
}

impl Packed<'_> {
    /// The file's values for positions with its side to move.
    fn stored(&self, rows: &[Placed]) -> Vec<Reply> {
        let wanted = rows.par_iter().enumerate().with_min_len(FEW);
        let wanted = wanted.map(|(row, placed)| self.file.wanted_by(&placed.squares(), row));
        let mut wanted: Vec<u64> = wanted.collect();
        let failed = |error: FileError| self.prober.failures.number(error.into());
        let mut all = vec![Ok(Value::DRAW); rows.len()];
        for (row, value) in self.file.stored_at(&mut wanted, failed) {
            all[row as usize] = value;
        }
        all
    }

    /// Takes captures and promotions into the values that the file has for positions.
    fn add_conversions(&self, rows: &[Placed], found: &mut [Reply]) {
        let metric = self.file.metric();
        let mut children = Children::default();
        for (row, &placed) in rows.iter().enumerate() {
            // Nothing is better than a win in one.
            if found[row].is_err() || found[row] == Ok(metric.win(1)) {
                continue;
            }
            let position = Position::new(self.pieces, placed);
            position.captures(|child, after| children.push(child, after, row));
            position.promotions(|child, after| children.push(child, after, row));
            if children.count() > self.prober.together() {
                (self.prober).add_children(metric, self.pieces, &children, found);
                children = Children::default();
            }
        }
        (self.prober).add_children(metric, self.pieces, &children, found);
    }

    /// The values of positions with the other side to move.
    fn by_moves(&self, rows: &[Placed]) -> Vec<Reply> {
        let metric = self.file.metric();
        // Checkmates, until there are moves.
        let mut found: Vec<Reply> = vec![Ok(metric.loss(0)); rows.len()];
        let mut numbers = (0..rows.len()).peekable();
        while numbers.peek().is_some() {
            let mut children = Children::default();
            let (mut passing, mut passing_rows) = (Vec::new(), Vec::new());
            let (mut after, mut zeroing, mut open) = (Vec::new(), Vec::new(), Vec::new());
            let has_room = |count: usize| count <= self.prober.together();
            while let Some(row) = numbers.next_if(|_| has_room(after.len() + children.count())) {
                let position = Position::new(self.pieces, rows[row]);
                position.captures(|child, after| children.push(child, after, row));
                position.promotions(|child, after| children.push(child, after, row));
                let start = after.len();
                position.quiet_moves(|placed| after.push(placed));
                zeroing.resize(after.len(), false);
                position.pawn_moves(|placed| match placed.en_passant() {
                    None => after.push(placed),
                    Some(_) => {
                        passing.push(placed);
                        passing_rows.push(row);
                    }
                });
                zeroing.resize(after.len(), true);
                open.push((row, start..after.len()));
                if !position.in_check() && !position.can_move() {
                    found[row] = Ok(Value::DRAW);
                }
            }
            (self.prober).add_children(metric, self.pieces, &children, &mut found);
            let values = self.prober.values(metric, self.pieces, &passing);
            for (row, value) in passing_rows.into_iter().zip(values) {
                let worth = value.map(|value| metric.after_move(value, true));
                found[row] = better(found[row], worth);
            }
            self.add_moves(&after, &zeroing, open, &mut found);
        }
        found
    }

    /// Takes moves to positions of the file into the values before them: of the positions with some numbers, those to a range
    /// of `after`. A position after a move may be better for the other side than what is stored of it, so a move is worth at
    /// most what follows from that, and the most promising one of each position is looked at first.
    fn add_moves(
        &self,
        after: &[Placed],
        zeroing: &[bool],
        open: Vec<(usize, std::ops::Range<usize>)>,
        found: &mut [Reply],
    ) {
        let metric = self.file.metric();
        let stored = self.stored(after);
        let worth = |k: usize, value: Value| metric.after_move(value, zeroing[k]);
        let most = |k: usize| stored[k].map_or(i32::MAX, |value| worth(k, value).preference());
        let open = open.into_iter().map(|(row, range)| {
            let mut moves: Vec<usize> = range.collect();
            moves.sort_by_key(|&k| Reverse(most(k)));
            let moves = moves.into_iter();
            Open { row, moves }
        });
        let mut open: Vec<Open> = open.collect();
        // A move whose worth is not known matters if it may be the best.
        let mut failed = Vec::new();
        while !open.is_empty() {
            let mut asked = Vec::new();
            open.retain_mut(|Open { row, moves }| {
                let best = found[*row].map_or(i32::MAX, Value::preference);
                let next = moves.next().filter(|&k| most(k) > best);
                asked.extend(next.map(|k| (*row, k)));
                next.is_some()
            });
            let rows: Vec<Placed> = asked.iter().map(|&(_, k)| after[k]).collect();
            let mut values: Vec<Reply> = asked.iter().map(|&(_, k)| stored[k]).collect();
            self.add_conversions(&rows, &mut values);
            for ((row, k), value) in asked.into_iter().zip(values) {
                match value {
                    Ok(value) => found[row] = better(found[row], Ok(worth(k, value))),
                    Err(failure) => failed.push((row, most(k), failure)),
                }
            }
        }
        for (row, most, failure) in failed {
            if found[row].is_ok_and(|best| best.preference() < most) {
                found[row] = Err(failure);
            }
        }
    }
}
