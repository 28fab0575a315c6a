//! A prober of files, and the values of many positions of a material by own files.

use rayon::prelude::*;
use syzygy_tables::batch::Failure;
use syzygy_tables::batch::rows::{self, Cache, Children, Failures, Placed, Position};
use tbindex::{Material, Piece};

use super::folders::{Files, Own};
use crate::chess::cozy::{color_of, piece_of};
use crate::chess::piece_set::Endgame;
use crate::probe::answer::TablesError;
use crate::storage::ROW_BITS;
use crate::storage::table_file::{FileError, TableFile};
use crate::table::value::{Metric, Value};

/// The bytes that a position of a round takes besides its answer.
pub(super) const BYTES_PER_POSITION: usize = 48;

/// The value of a position, or why there is none.
pub(super) type Found = Result<Value, Failure>;

/// Fewer positions are answered by the calling thread alone, which takes less time than to wake others.
pub(in crate::probe) const FEW: usize = 256;

/// No position has as many moves.
const MOST_MOVES: usize = 256;

/// The most positions that are looked up together: their numbers have these bits beside a place.
pub(super) const MOST_TOGETHER: usize = 1 << ROW_BITS;

/// The better of two for the side to move. A failure stays.
pub(super) fn better(one: Found, other: Found) -> Found {
    Ok(one?.better(other?))
}

/// Files, as they answer for many positions.
#[derive(Clone, Copy, Debug)]
pub(in crate::probe) struct FileProber<'a> {
    pub(in crate::probe) files: &'a Files,
    /// The decoded sub-tables of Syzygy files, unless few positions are probed.
    pub(in crate::probe) cache: Option<&'a Cache>,
    pub(in crate::probe) failures: &'a Failures<TablesError>,
    /// The metrics whose tables are used.
    pub(in crate::probe) metrics: &'a [Metric],
    /// About so many bytes are taken, beside positions and answers.
    pub(in crate::probe) memory: usize,
}

/// A material as own tables call it.
pub(super) fn endgame_of(pieces: &rows::Endgame) -> Endgame {
    let material = pieces.material();
    let men = Material::from_pieces(material.pieces().map(piece_of));
    Endgame::from(men.expect("one king a side"))
}

impl FileProber<'_> {
    /// How many positions after moves are looked up together.
    pub(super) fn together(&self) -> usize {
        (self.memory / 8 / BYTES_PER_POSITION).clamp(MOST_MOVES, MOST_TOGETHER - MOST_MOVES)
    }

    /// The values of up to [`MOST_TOGETHER`] positions, which are legal, with the right to capture en passant.
    pub(super) fn values(
        &self,
        metric: Metric,
        pieces: &rows::Endgame,
        rows: &[Placed],
    ) -> Vec<Found> {
        let mut found = match self.files.own(metric, endgame_of(pieces)) {
            Ok(Own::Table(file)) => self.in_table(file, pieces, rows),
            Ok(Own::Packed(file)) => self.in_packed(file, pieces, rows),
            Err(error) => return vec![Err(self.failures.number(error)); rows.len()],
        };
        self.add_en_passant(metric, pieces, rows, &mut found);
        found
    }

    fn in_table(&self, file: &TableFile, pieces: &rows::Endgame, rows: &[Placed]) -> Vec<Found> {
        let material = pieces.material();
        let men: Vec<Piece> = material.pieces().map(piece_of).collect();
        let slots = file.row_slots(&men);
        // A legal position has a slot.
        let nowhere = || {
            let fault = "it is in no table".to_owned();
            self.failures.number(TablesError::Illegal(fault))
        };
        let failed = |error: FileError| self.failures.number(error.into());
        if rows.len() < FEW {
            let values = rows.iter().map(|placed| {
                let slot = slots.slot(&placed.squares()[..men.len()], color_of(placed.side()));
                file.value_at(slot.ok_or_else(nowhere)?).map_err(failed)
            });
            return values.collect();
        }
        let wanted = rows.par_iter().enumerate();
        let wanted = wanted.map(|(row, placed)| {
            let side = color_of(placed.side());
            let slot = slots.slot(&placed.squares()[..men.len()], side)?;
            Some(file.place(slot) << ROW_BITS | row as u64)
        });
        let mut wanted: Vec<u64> = wanted.flatten().collect();
        let mut all = vec![Err(nowhere()); rows.len()];
        for (row, value) in file.values_of(&mut wanted, failed) {
            all[row as usize] = value;
        }
        all
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
        let worths = |child: &rows::Endgame, rows: &[Placed]| {
            let values = self.values(metric, child, rows).into_iter();
            let worths = values.map(|value| Ok(metric.after_move(value?, true)));
            worths.collect()
        };
        let endgames = (pieces, &self.files.endgames);
        children.for_each(
            endgames,
            MOST_TOGETHER,
            Ok(Value::DRAW),
            worths,
            |parent, worth| {
                found[parent] = better(found[parent], worth);
            },
        );
    }
}
