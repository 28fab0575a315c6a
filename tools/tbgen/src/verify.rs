//! Checks tables by an independent move generator, position by position.
//!
//! The solver plays moves of whole sets of positions backwards. Here each position is set up on the board
//! of a chess crate, its legal moves are played forwards, and its value must be the one that the values
//! after the moves imply. If this is so everywhere, all values are true: checkmates are recognised by
//! themselves, and from them the wins and losses in 1, 2, 3, … plies follow one after the other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use tbindex::bitbase;
use tbindex::{CastlingRights, Color, Position};

use crate::chess::board::{Board, Men};
use crate::chess::cozy::{color_of, men_of, to_cozy};
use crate::chess::error::ProbeError;
use crate::chess::piece_set::Letters;
use crate::storage::table_file::is_damage;
use crate::subtables::library::{Library, SolveError, heed_stop};
use crate::table::en_passant::best_with;
use crate::table::slots::Slot;
use crate::table::solved::Table;
use crate::table::stats::{Counting, representatives};
use crate::table::value::Value;

/// A choice of positions to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// All positions, by one of each class of equivalents.
    All,
    /// One position of so many, evenly spread over all slots.
    OneIn(u64),
}

/// Which positions to check, whom to tell how far it is, and who may stop it.
#[derive(Clone, Copy)]
pub struct Check<'a> {
    /// The positions.
    pub sample: Sample,
    /// Called on any thread with how many parts of the table are done, and how many it has.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    /// The check ends with an error when this is set.
    pub stop: Option<&'a AtomicBool>,
}

impl Check<'_> {
    /// Ends the check if it is to stop.
    pub(crate) fn heed_stop(&self) -> Result<(), VerifyError> {
        Ok(self.stop.map_or(Ok(()), heed_stop)?)
    }
}

impl std::fmt::Debug for Check<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Check").field(&self.sample).finish()
    }
}

impl From<Sample> for Check<'_> {
    fn from(sample: Sample) -> Self {
        Check {
            sample,
            progress: None,
            stop: None,
        }
    }
}

/// The error of a table that is wrong or can't be checked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum VerifyError {
    /// A value differs from the one that the moves imply.
    #[error("{position}: the table says {found}, {source_name} says {expected}")]
    Value {
        /// The position, as a FEN.
        position: String,
        /// The table's value.
        found: String,
        /// The other source's value.
        expected: String,
        /// The name of the other source.
        source_name: &'static str,
    },
    /// An illegal position has a value.
    #[error("{0}: the table has a value for it, but it is not a legal position")]
    IllegalValue(String),
    /// A Syzygy file can't be read, or is damaged.
    #[error(transparent)]
    Syzygy(#[from] syzygy_tables::Error),
    /// A value can't be looked up.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The values that Syzygy files may have can't be found, or the check was stopped.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl VerifyError {
    /// Whether a table is wrong or a file damaged, as [`FileError::is_damage`](crate::FileError::is_damage) has it.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            VerifyError::Value { .. } | VerifyError::IllegalValue(_) => true,
            VerifyError::Syzygy(error) => matches!(error, syzygy_tables::Error::Damaged { .. }),
            VerifyError::Probe(ProbeError::File(error)) => is_damage(error),
            VerifyError::Probe(_) => false,
            VerifyError::Solve(error) => error.is_damage(),
        }
    }
}

/// Calls a function for the positions of a table, on all threads, and returns their number, in which two that are mirror images
/// of each other count once.
pub(crate) fn for_each_position(
    table: &Table,
    check: Check<'_>,
    is_legal: impl Fn(Slot, &Position) -> Result<bool, VerifyError> + Sync,
) -> Result<u64, VerifyError> {
    let shape = &table.shape;
    let masks = representatives(shape, Counting::Unordered);
    let (checked, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let domain = shape.any_domain();
    let (slices, slice_slots) = (domain.slices(), domain.rows() as u64 * 512);
    let works = 2 * shape.parts() * slices;
    (0..works).into_par_iter().try_for_each(|work| {
        let (side, number) = (Color::ALL[work % 2], work / 2);
        let (part, slice) = (number / slices, number % slices);
        // A probe looks either of two twins up.
        let words = |twins: bool| masks[usize::from(twins)].iter().flat_map(|row| row.0);
        let counted = words(domain.has_twins(slice));
        let mut count = 0;
        for ((word, counted), word_number) in words(false).zip(counted).zip(0..) {
            check.heed_stop()?;
            for square in tbindex::Bitboard(word) {
                let offset = 64 * word_number + square.index() as u64;
                let at = bitbase::Slot { slice, offset };
                if let Sample::OneIn(n) = check.sample {
                    let number = number as u64 * slice_slots + offset;
                    // Fibonacci hashing spreads evenly and has no pattern of its own.
                    let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
                    if !hash.is_multiple_of(n) {
                        continue;
                    }
                }
                let slot = Slot { side, part, at };
                if let Some(position) = shape.position(slot) {
                    let is_counted = counted >> square.index() & 1 != 0;
                    count += u64::from(is_legal(slot, &position)? && is_counted);
                }
            }
        }
        checked.fetch_add(count, Ordering::Relaxed);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = check.progress {
            progress(done, works as u64);
        }
        Ok::<(), VerifyError>(())
    })?;
    Ok(checked.into_inner())
}

/// Checks that every value of a table is the one that the position's legal moves imply, and that no illegal
/// position has a value. Returns the number of legal positions that were checked. With short-range pieces, the smaller tables
/// in the library are in the letters of the table's piece_set.
///
/// # Errors
/// If a value is wrong (the error has one such position), or if a table is missing to which captures or promotions lead.
pub fn verify_moves<'a>(
    table: &Table,
    library: &Library,
    check: impl Into<Check<'a>>,
) -> Result<u64, VerifyError> {
    let (check, metric, piece_set) = (check.into(), table.metric(), table.shape().piece_set());
    let letters = Letters::for_leapers(&table.shape().endgame().leapers());
    let fen = |position: &Position| letters.fen(position, piece_set);
    if !piece_set.is_chess() {
        let board =
            |position: &Position| Board::new(position, None, CastlingRights::default(), piece_set);
        return verify(table, check, fen, board, |board| {
            let worths = board.moves().map(|step| {
                let value = library.value_of(step.after.men(), step.after.side(), table);
                value.map(|value| metric.after_move(value, step.zeroing()))
            });
            metric.of_moves(board.side(), board.in_check(), worths)
        });
    }
    let board = |position: &Position| to_cozy(position);
    verify(table, check, fen, board, |board| {
        let mut worths = Vec::with_capacity(64);
        board.generate_moves(|moves| {
            for step in moves {
                let zeroing =
                    moves.piece == cozy_chess::Piece::Pawn || board.occupied().has(step.to);
                let mut after = board.clone();
                after.play_unchecked(step);
                let value = value_on(library, &after, table);
                worths.push(value.map(|value| metric.after_move(value, zeroing)));
            }
            false
        });
        let (side, in_check) = (color_of(board.side_to_move()), !board.checkers().is_empty());
        metric.of_moves(side, in_check, worths)
    })
}

/// The value of a board that a move from a position of `likely` leads to.
fn value_on(
    library: &Library,
    board: &cozy_chess::Board,
    likely: &Table,
) -> Result<Value, ProbeError> {
    let value = |board: &cozy_chess::Board| {
        let men = Men::of(men_of(board)).expect("the men of a table");
        library.value_of(men.as_slice(), color_of(board.side_to_move()), likely)
    };
    let stored = value(board)?;
    if board.en_passant().is_none() {
        return Ok(stored);
    }
    let (mut captures, mut others) = (Vec::new(), false);
    board.generate_moves(|moves| {
        for step in moves {
            let sideways = step.from.file() != step.to.file();
            let pawn = moves.piece == cozy_chess::Piece::Pawn;
            if pawn && sideways && !board.occupied().has(step.to) {
                let mut after = board.clone();
                after.play_unchecked(step);
                captures.push(after);
            } else {
                others = true;
            }
        }
        false
    });
    best_with(likely.metric(), stored, others, captures.iter().map(value))
}

/// Checks the values of a table against those that the moves from its positions imply. Illegal positions have no board. Errors
/// have positions as the first function writes them.
fn verify<B>(
    table: &Table,
    check: Check<'_>,
    fen: impl Fn(&Position) -> String + Sync,
    board: impl Fn(&Position) -> Option<B> + Sync,
    by_moves: impl Fn(&B) -> Result<Value, ProbeError> + Sync,
) -> Result<u64, VerifyError> {
    for_each_position(table, check, |slot, position| {
        let Some(board) = board(position) else {
            return match table.knows_illegal(slot)? {
                true => Err(VerifyError::IllegalValue(fen(position))),
                false => Ok(false),
            };
        };
        let expected = by_moves(&board)?;
        let found = table.value_at(slot).map_err(ProbeError::from)?;
        if expected == found {
            return Ok(true);
        }
        Err(VerifyError::Value {
            position: fen(position),
            found: table.metric().text(found),
            expected: table.metric().text(expected),
            source_name: "what its moves lead to",
        })
    })
}
