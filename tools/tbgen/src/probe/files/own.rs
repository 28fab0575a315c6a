//! The values of many positions of a material by own files.

use rayon::prelude::*;
use syzygy_tables::batch::rows::{self, Children, Placed, Position};
use tbindex::{Material, Piece};

use super::failures::{Cause, Failure, Failures};
use super::folders::{Files, Own};
use crate::chess::board::{color_of, piece_of};
use crate::chess::piece_set::Endgame;
use crate::probe::answer::TablesError;
use crate::storage::ROW_BITS;
use crate::storage::table_file::TableFile;
use crate::table::value::{Metric, Value};

/// The value of a position, or why there is none.
pub(super) type Found = Result<Value, Failure>;

/// Fewer positions are answered by the calling thread alone, which takes less time than to wake others.
pub(in crate::probe) const FEW: usize = 256;

/// No position has as many moves.
pub(super) const MOST_MOVES: usize = 256;

/// The most positions that are looked up together: their numbers have these bits beside a place.
pub(super) const MOST_TOGETHER: usize = 1 << ROW_BITS;

/// The better of two for the side to move. A failure stays.
pub(super) fn better(one: Found, other: Found) -> Found {
    Ok(one?.better(other?))
}

/// Own files, as batches read them.
#[derive(Clone, Copy)]
pub(super) struct OwnFiles<'a> {
    pub(super) files: &'a Files,
    pub(super) failures: &'a Failures,
    /// How many positions after moves are looked up together, up to [`MOST_TOGETHER`] less [`MOST_MOVES`].
    pub(super) together: usize,
}

/// A material as own tables call it.
pub(super) fn endgame_of(pieces: &rows::Endgame) -> Endgame {
    let material = pieces.material();
    let men = Material::from_pieces(material.pieces().map(piece_of));
    Endgame::from(men.expect("one king a side"))
}

impl OwnFiles<'_> {
    /// Why there are no values of a material, if it has no file, or one that can't be opened.
    pub(super) fn fault(&self, metric: Metric, pieces: &rows::Endgame) -> Option<Failure> {
        let endgame = endgame_of(pieces);
        let error = self.files.own(metric, endgame).err()?;
        Some(self.failed(metric, endgame, error))
    }

    pub(super) fn failed(
        &self,
        metric: Metric,
        endgame: Endgame,
        error: impl Into<TablesError>,
    ) -> Failure {
        let cause = Cause::Own(endgame, metric);
        self.failures.number(cause, || error.into())
    }

    /// The values of up to [`MOST_TOGETHER`] positions, which are legal, with the right to capture en passant.
    pub(super) fn values(
        &self,
        metric: Metric,
        pieces: &rows::Endgame,
        rows: &[Placed],
    ) -> Vec<Found> {
        let endgame = endgame_of(pieces);
        let mut found = match self.files.own(metric, endgame) {
            Ok(Own::Table(file)) => self.in_table(file, pieces, endgame, rows),
            Ok(Own::Packed(file)) => self.in_packed(file, pieces, endgame, rows),
            Err(error) => vec![Err(self.failed(metric, endgame, error)); rows.len()],
        };
        self.add_en_passant(metric, pieces, rows, &mut found);
        found
    }

    fn in_table(
        &self,
        file: &TableFile,
        pieces: &rows::Endgame,
        endgame: Endgame,
        rows: &[Placed],
    ) -> Vec<Found> {
        let material = pieces.material();
        let men: Vec<Piece> = material.pieces().map(piece_of).collect();
        let slots = file.row_slots(&men);
        let failed = |error| self.failed(file.metric(), endgame, error);
        if rows.len() < FEW {
            let values = rows.iter().map(|placed| {
                let slot = slots.slot(&placed.squares()[..men.len()], color_of(placed.side()));
                let slot = slot.ok_or_else(|| self.illegal("it is in no table"))?;
                file.value_at(slot).map_err(failed)
            });
            return values.collect();
        }
        let wanted = rows.par_iter().enumerate();
        let wanted = wanted.map(|(row, placed)| {
            let side = color_of(placed.side());
            let slot = slots.slot(&placed.squares()[..men.len()], side)?;
            Some(file.place(slot) << ROW_BITS | row as u64)
        });
        // A legal position has a slot.
        let mut wanted: Vec<u64> = wanted.flatten().collect();
        let mut all = vec![Err(self.illegal("it is in no table")); rows.len()];
        for (row, value) in file.values_of(&mut wanted, failed) {
            all[row as usize] = value;
        }
        all
    }

    pub(super) fn illegal(&self, fault: &'static str) -> Failure {
        let error = || TablesError::Illegal(fault.to_owned());
        self.failures.number(Cause::Illegal(fault), error)
    }

    /// Of positions with the right to capture en passant, takes the captures into their values.
    fn add_en_passant(
        &self,
        metric: Metric,
        pieces: &rows::Endgame,
        rows: &[Placed],
        found: &mut [Found],
    ) {
        let mut children = Children::default();
        // The positions with no other moves, whose captures alone count.
        let mut forced = Vec::new();
        for (row, &placed) in rows.iter().enumerate() {
            if placed.en_passant().is_none() {
                continue;
            }
            let position = Position::new(pieces, placed);
            let mut any = false;
            position.captures_en_passant(|child, after| {
                children.push(child, after, row);
                any = true;
            });
            if any && !position.can_move() {
                forced.push(row);
            }
        }
        for row in forced {
            found[row] = found[row].map(|_| metric.loss(0));
        }
        self.add_children(metric, pieces, &children, found);
    }

    /// Takes captures and promotions into the values of the positions before them.
    pub(super) fn add_children(
        &self,
        metric: Metric,
        pieces: &rows::Endgame,
        children: &Children,
        found: &mut [Found],
    ) {
        let mut improve = |parent: u32, worth: Found| {
            let found = &mut found[parent as usize];
            *found = better(*found, worth);
        };
        for &parent in children.drawn() {
            improve(parent, Ok(Value::DRAW));
        }
        for (material, rows, parents) in children.of(pieces) {
            let child = self.files.endgames.get(material);
            let parts = (rows.chunks(MOST_TOGETHER)).zip(parents.chunks(MOST_TOGETHER));
            for (rows, parents) in parts {
                let values = self.values(metric, &child, rows);
                for (&parent, value) in parents.iter().zip(values) {
                    improve(parent, value.map(|value| metric.after_move(value, true)));
                }
            }
        }
    }
}
