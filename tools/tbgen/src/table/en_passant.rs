//! Values of positions with the right to capture en passant, which no table has.

use crate::chess::board::Board;
use crate::table::value::{Metric, Value};

/// The value of a board from those of boards without the right to capture en passant.
pub(crate) fn value_with_en_passant<E>(
    metric: Metric,
    board: &Board,
    value: &mut impl FnMut(&Board) -> Result<Value, E>,
) -> Result<Value, E> {
    let stored = value(board)?;
    let (captures, others) = board.en_passant_moves();
    best_with(metric, stored, others, captures.iter().map(value))
}

/// The better of a stored value and those of the positions after captures en passant, which alone count if there is no other move.
pub(crate) fn best_with<E>(
    metric: Metric,
    stored: Value,
    others: bool,
    captures: impl Iterator<Item = Result<Value, E>>,
) -> Result<Value, E> {
    let mut best = others.then_some(stored);
    for value in captures {
        let capture = metric.after_move(value?, true);
        best = Some(best.map_or(capture, |best| metric.better(best, capture)));
    }
    Ok(best.unwrap_or(stored))
}
