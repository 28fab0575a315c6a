//! Values by packed files, which have one side to move, and leave entries open where a capture or a promotion decides.

use std::cmp::Reverse;

use cozy_chess::{Board, Piece, Rank};
use tbindex::Material;

use super::files::{Files, Own};
use super::verify::value_with_en_passant;
use crate::chess::board::{men_of, position_of};
use crate::chess::error::ProbeError;
use crate::probe::answer::TablesError;
use crate::storage::packed::{PackedFile, Place};
use crate::table::value::{Metric, Value};

/// The legal moves, each with whether it is a capture or a promotion and whether it is one of these or a pawn's, and with the
/// board after it; all, or captures and promotions alone. Nothing can be captured en passant.
fn moves(board: &Board, conversions_alone: bool) -> Vec<(bool, bool, Board)> {
    let theirs = board.colors(!board.side_to_move());
    let last = Rank::Eighth.bitboard() | Rank::First.bitboard();
    let mut all = Vec::new();
    board.generate_moves(|mut moves| {
        let pawn = moves.piece == Piece::Pawn;
        let conversions = if pawn { theirs | last } else { theirs };
        if conversions_alone {
            moves.to &= conversions;
        }
        for step in moves {
            let mut after = board.clone();
            after.play_unchecked(step);
            let conversion = conversions.has(step.to);
            all.push((conversion, conversion || pawn, after));
        }
        false
    });
    all
}

fn better(best: Option<Value>, value: Value) -> Option<Value> {
    Some(best.map_or(value, |best| best.better(value)))
}

impl Files {
    /// The value of a board whose table is in this file, without the right to capture en passant.
    pub(super) fn packed_value(
        &self,
        metric: Metric,
        file: &PackedFile,
        board: &Board,
    ) -> Result<Value, TablesError> {
        if let Some(place) = file.place(board) {
            let stored = file.look_up(&[place])?[0];
            return self.with_conversions(metric, board, stored);
        }
        let mut best = None;
        // The moves that lead to positions that the file has, with the places of these.
        let mut others = Vec::new();
        for (conversion, zeroing, after) in moves(board, false) {
            let place = match conversion || after.en_passant().is_some() {
                true => None,
                false => file.place(&after),
            };
            match place {
                Some(place) => others.push((place, zeroing, after)),
                None => {
                    let value = value_with_en_passant(metric, &after, &mut |board| {
                        self.own_value(metric, board)
                    })?;
                    best = better(best, metric.after_move(value, zeroing));
                }
            }
        }
        others.sort_unstable_by_key(|other| other.0);
        let places: Vec<Place> = others.iter().map(|other| other.0).collect();
        // What they are worth at most, as their positions may be better for the other side than what is stored.
        let stored = file.look_up(&places)?.into_iter();
        let mut others: Vec<_> = (stored.zip(&others))
            .map(|(stored, (_, zeroing, after))| {
                (metric.after_move(stored, *zeroing), stored, *zeroing, after)
            })
            .collect();
        others.sort_by_key(|other| Reverse(other.0.preference()));
        for (most, stored, zeroing, after) in others {
            if best.is_some_and(|best: Value| best.preference() >= most.preference()) {
                break;
            }
            let value = self.with_conversions(metric, after, stored)?;
            best = better(best, metric.after_move(value, zeroing));
        }
        let mated = !board.checkers().is_empty();
        Ok(best.unwrap_or(if mated { metric.loss(0) } else { Value::DRAW }))
    }

    /// The value of a board for which a file has this.
    fn with_conversions(
        &self,
        metric: Metric,
        board: &Board,
        stored: Value,
    ) -> Result<Value, TablesError> {
        let mut best = stored;
        if best == metric.win(1) {
            return Ok(best);
        }
        for (_, zeroing, after) in moves(board, true) {
            let value = self.own_value(metric, &after)?;
            best = best.better(metric.after_move(value, zeroing));
        }
        Ok(best)
    }

    /// The value of a board without the right to capture en passant, by own files.
    pub(super) fn own_value(&self, metric: Metric, board: &Board) -> Result<Value, TablesError> {
        if board.occupied().len() == 2 {
            return Ok(Value::DRAW);
        }
        let men = men_of(board);
        let pieces = men.as_slice().iter().map(|man| man.0);
        let material = Material::from_pieces(pieces).map_err(ProbeError::from)?;
        match self.own(metric, material.into())? {
            Own::Packed(file) => self.packed_value(metric, file, board),
            Own::Table(file) => Ok(file.value(&position_of(board))?),
        }
    }
}
