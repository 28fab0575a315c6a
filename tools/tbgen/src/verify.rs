//! Checks tables by an independent move generator, position by position.
//!
//! The solver plays moves of whole sets of positions backwards. Here each position is set up on the board
//! of a chess crate, its legal moves are played forwards, and its value must be the one that the values
//! after the moves imply. If this is so everywhere, all values are true: checkmates are recognised by
//! themselves, and from them the wins and losses in 1, 2, 3, … plies follow one after the other.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use tbindex::bitbase;
use tbindex::{Color, Piece, PieceType, Position, Square};

use crate::error::ProbeError;
use crate::library::Library;
use crate::shape::{Slot, table_of};
use crate::stats::{Counting, representatives};
use crate::table::Table;
use crate::value::{Metric, Value};

/// A choice of positions to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// All positions, by one of each class of equivalents.
    All,
    /// One position of so many, evenly spread over all slots.
    OneIn(u64),
}

/// Which positions to check, and whom to tell how far it is.
#[derive(Clone, Copy)]
pub struct Check<'a> {
    /// The positions.
    pub sample: Sample,
    /// Called on any thread with how many parts of the table are done, and how many it has.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
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
        found: Value,
        /// The other source's value.
        expected: String,
        /// The name of the other source.
        source_name: &'static str,
    },
    /// An illegal position has a value.
    #[error("{0}: the table has a value for it, but it is not a legal position")]
    IllegalValue(String),
    /// A file can't be read, or is damaged.
    #[error("{0}")]
    File(String),
    /// A value can't be looked up.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A table or a prober failed.
    #[error("{position}: {message}")]
    Other {
        /// The position, as a FEN.
        position: String,
        /// The reason.
        message: String,
    },
}

/// The most pieces on a board here.
const MOST: usize = tbindex::bitbase::MOST_PIECES;

/// Pieces and their squares, without a board around them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Men {
    men: [(Piece, Square); MOST],
    count: usize,
}

impl Men {
    fn as_slice(&self) -> &[(Piece, Square)] {
        &self.men[..self.count]
    }
}

const KINDS: [(cozy_chess::Piece, PieceType); 6] = [
    (cozy_chess::Piece::King, PieceType::King),
    (cozy_chess::Piece::Queen, PieceType::Queen),
    (cozy_chess::Piece::Rook, PieceType::Rook),
    (cozy_chess::Piece::Bishop, PieceType::Bishop),
    (cozy_chess::Piece::Knight, PieceType::Knight),
    (cozy_chess::Piece::Pawn, PieceType::Pawn),
];

fn cozy_color(color: Color) -> cozy_chess::Color {
    match color {
        Color::White => cozy_chess::Color::White,
        Color::Black => cozy_chess::Color::Black,
    }
}

/// The position on the other crate's board, if it is legal.
pub(crate) fn to_cozy(
    position: &Position,
    en_passant: Option<Square>,
) -> Option<cozy_chess::Board> {
    let mut builder = cozy_chess::BoardBuilder::empty();
    builder.side_to_move = cozy_color(position.side);
    builder.en_passant = en_passant.map(|square| cozy_chess::Square::index(square.index()));
    for (piece, square) in position.occupied() {
        let kind = KINDS.iter().find(|kind| kind.1 == piece.kind)?.0;
        builder.board[square.index()] = Some((kind, cozy_color(piece.color)));
    }
    // The builder accepts kings that touch. That is a check by a king.
    builder.build().ok().filter(|board| {
        let near = cozy_chess::get_king_moves(board.king(cozy_chess::Color::White));
        !near.has(board.king(cozy_chess::Color::Black))
    })
}

fn side_of(board: &cozy_chess::Board) -> Color {
    match board.side_to_move() {
        cozy_chess::Color::White => Color::White,
        cozy_chess::Color::Black => Color::Black,
    }
}

fn men_of(board: &cozy_chess::Board) -> Men {
    let mut men = Men {
        men: [(Piece::new(Color::White, PieceType::King), Square::A1); MOST],
        count: 0,
    };
    for color in Color::ALL {
        for (kind, piece) in KINDS {
            for square in board.colored_pieces(cozy_color(color), kind) {
                let square = Square::from_low_bits(square as u8);
                men.men[men.count] = (Piece::new(color, piece), square);
                men.count += 1;
            }
        }
    }
    men
}

impl Library {
    /// The value of a position of up to five pieces. Two bare kings are drawn.
    ///
    /// # Errors
    /// If the table is missing, or the kings touch.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        let material = position.material()?;
        if material.piece_count() == 2 {
            return Ok(Value::DRAW);
        }
        self.get(&table_of(&material).0)
            .ok_or(ProbeError::Missing(table_of(&material).0))?
            .value(position)
    }
}

/// The value of a position that follows from the values after its moves.
///
/// `children` are these values, each for the side that is then to move, and each with whether the move was
/// *zeroing*: a capture or a move of a pawn.
pub(crate) fn implied(
    metric: Metric,
    in_check: bool,
    children: impl IntoIterator<Item = (Value, bool)>,
) -> Value {
    let mut best: Option<Value> = None;
    for (child, zeroing) in children {
        let value = metric.after_move(child, zeroing);
        if best.is_none_or(|best| value.preference() > best.preference()) {
            best = Some(value);
        }
    }
    best.unwrap_or(if in_check {
        Value::loss(0)
    } else {
        Value::DRAW
    })
}

/// Why a position is not legal that has one king of each side, and pawns on ranks 2 to 7 alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalReason {
    /// The kings are on neighbouring squares.
    #[error("the kings touch")]
    KingsTouch,
    /// The side that is not to move is in check.
    #[error("the side not to move is in check")]
    Check,
}

impl IllegalReason {
    /// The reason why a position is not legal. It must not be legal.
    #[must_use]
    pub fn of(position: &Position) -> IllegalReason {
        let kings = position
            .occupied()
            .filter(|(piece, _)| piece.kind == PieceType::King);
        let kings: Vec<Square> = kings.map(|(_, square)| square).collect();
        let touch = |a: Square, b: Square| {
            let files = (a.file() as i8 - b.file() as i8).abs();
            let ranks = (a.rank() as i8 - b.rank() as i8).abs();
            files.max(ranks) == 1
        };
        match kings[..] {
            [a, b] if touch(a, b) => IllegalReason::KingsTouch,
            _ => IllegalReason::Check,
        }
    }
}

/// A legal position on the board of a chess library that shares no code with the generator.
#[derive(Clone, Debug)]
pub struct Board {
    board: cozy_chess::Board,
}

/// A legal move.
#[derive(Clone, Debug)]
pub struct Move {
    /// The move as UCI engines write it, `a1b2`.
    pub name: String,
    /// Whether the move is a capture.
    pub capture: bool,
    /// Whether the move is a capture or a move of a pawn.
    pub zeroing: bool,
    /// The position after the move.
    pub after: Board,
}

impl Board {
    /// The position, if it is legal. A pawn that has just made two steps can be captured on the square
    /// `en_passant`, if that is given: it has to be the square that such a pawn has passed.
    #[must_use]
    pub fn new(position: &Position, en_passant: Option<Square>) -> Option<Board> {
        let board = to_cozy(position, en_passant)?;
        Some(Board { board })
    }

    pub(crate) fn cozy(&self) -> &cozy_chess::Board {
        &self.board
    }

    /// The position, without the right to capture en passant.
    #[must_use]
    pub fn position(&self) -> Position {
        let mut board = [None; 64];
        for &(piece, square) in men_of(&self.board).as_slice() {
            board[square.index()] = Some(piece);
        }
        Position {
            board,
            side: side_of(&self.board),
        }
    }

    /// The position as a FEN, with the square on which a pawn can be captured en passant, if any can.
    #[must_use]
    pub fn fen(&self) -> String {
        let able = en_passant_moves(&self.board).0.into_iter().next();
        let square = able.map_or_else(|| "-".to_owned(), |step| step.to.to_string());
        let position = self.position();
        let side = if position.side == Color::White {
            'w'
        } else {
            'b'
        };
        format!("{} {side} - {square} 0 1", position.placement())
    }

    /// All legal moves.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let mut all = Vec::new();
        self.board.generate_moves(|moves| {
            for step in moves {
                let mut after = self.board.clone();
                after.play_unchecked(step);
                let capture = after.occupied().len() < self.board.occupied().len();
                all.push(Move {
                    name: step.to_string(),
                    capture,
                    zeroing: capture || moves.piece == cozy_chess::Piece::Pawn,
                    after: Board { board: after },
                });
            }
            false
        });
        all
    }

    /// The value of the position, from those of positions without the right to capture en passant. If there is
    /// such a right, the value is the better of the position's without it and of these captures; and if there is
    /// no other move, these captures alone count.
    ///
    /// # Errors
    /// What `value` returns.
    pub fn value<E>(
        &self,
        metric: Metric,
        mut value: impl FnMut(&Position) -> Result<Value, E>,
    ) -> Result<Value, E> {
        value_with_en_passant(metric, &self.board, &mut |board| {
            value(
                &Board {
                    board: board.clone(),
                }
                .position(),
            )
        })
    }
}

/// The captures en passant, and whether there is another legal move.
fn en_passant_moves(board: &cozy_chess::Board) -> (Vec<cozy_chess::Move>, bool) {
    let (mut captures, mut others) = (Vec::new(), false);
    if board.en_passant().is_none() {
        return (captures, true);
    }
    board.generate_moves(|moves| {
        for step in moves {
            let sideways = step.from.file() != step.to.file();
            let pawn = moves.piece == cozy_chess::Piece::Pawn;
            if pawn && sideways && !board.occupied().has(step.to) {
                captures.push(step);
            } else {
                others = true;
            }
        }
        false
    });
    (captures, others)
}

/// The value of a board from those of boards without the right to capture en passant.
fn value_with_en_passant<E>(
    metric: Metric,
    board: &cozy_chess::Board,
    value: &mut impl FnMut(&cozy_chess::Board) -> Result<Value, E>,
) -> Result<Value, E> {
    let stored = value(board)?;
    let (captures, others) = en_passant_moves(board);
    let mut best = (others || captures.is_empty()).then_some(stored);
    for step in captures {
        let mut after = board.clone();
        after.play_unchecked(step);
        let capture = metric.after_move(value(&after)?, true);
        if best.is_none_or(|best| capture.preference() > best.preference()) {
            best = Some(capture);
        }
    }
    Ok(best.unwrap_or(stored))
}

/// Calls a function for the positions of a table, on all threads, and returns their number.
pub(crate) fn for_each_position(
    table: &Table,
    Check { sample, progress }: Check<'_>,
    check: impl Fn(Slot, &Position) -> Result<bool, VerifyError> + Sync,
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
        let mask = &masks[usize::from(domain.has_twins(slice))];
        let mut count = 0;
        for (row, words) in mask.iter().enumerate() {
            for (lane, &word) in words.0.iter().enumerate() {
                for square in tbindex::Bitboard(word) {
                    let offset = ((row * 8 + lane) * 64 + square.index()) as u64;
                    let at = bitbase::Slot { slice, offset };
                    if let Sample::OneIn(n) = sample {
                        let number = number as u64 * slice_slots + offset;
                        // Fibonacci hashing spreads evenly and has no pattern of its own.
                        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
                        if !hash.is_multiple_of(n) {
                            continue;
                        }
                    }
                    let slot = Slot { side, part, at };
                    if let Some(position) = shape.position(slot) {
                        count += u64::from(check(slot, &position)?);
                    }
                }
            }
        }
        checked.fetch_add(count, Ordering::Relaxed);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = progress {
            progress(done, works as u64);
        }
        Ok::<(), VerifyError>(())
    })?;
    Ok(checked.into_inner())
}

/// Checks that every value of a table is the one that the position's legal moves imply, and that no illegal
/// position has a value. Returns the number of legal positions that were checked.
///
/// # Errors
/// If a value is wrong (the error has one such position), or if a table is missing to which captures or promotions lead.
pub fn verify_moves<'a>(
    table: &Table,
    library: &Library,
    check: impl Into<Check<'a>>,
) -> Result<u64, VerifyError> {
    for_each_position(table, check.into(), |slot, position| {
        let Some(board) = to_cozy(position, None) else {
            return match table.knows_illegal(slot)? {
                true => Err(VerifyError::IllegalValue(position.to_string())),
                false => Ok(false),
            };
        };
        let found = table.value_at(slot).map_err(ProbeError::from)?;
        let mut children = Vec::with_capacity(64);
        let mut failed = None;
        board.generate_moves(|moves| {
            for step in moves {
                let zeroing =
                    moves.piece == cozy_chess::Piece::Pawn || board.occupied().has(step.to);
                let mut after = board.clone();
                after.play_unchecked(step);
                let value = value_with_en_passant(table.metric(), &after, &mut |board| {
                    library.value_of(men_of(board).as_slice(), side_of(board), table)
                });
                match value {
                    Ok(value) => children.push((value, zeroing)),
                    Err(error) => failed = Some(error),
                }
            }
            false
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        let expected = implied(table.metric(), !board.checkers().is_empty(), children);
        if expected == found {
            Ok(true)
        } else {
            Err(VerifyError::Value {
                position: position.to_string(),
                found,
                expected: expected.to_string(),
                source_name: "what its moves lead to",
            })
        }
    })
}

impl Library {
    /// The value of pieces on squares, looked for in `likely` first.
    fn value_of(
        &self,
        men: &[(Piece, Square)],
        side: Color,
        likely: &Table,
    ) -> Result<Value, ProbeError> {
        if men.len() == 2 {
            return Ok(Value::DRAW);
        }
        let pawns = |pieces: &[(Piece, Square)]| {
            let pawns = pieces
                .iter()
                .filter(|(piece, _)| piece.kind == PieceType::Pawn);
            pawns.count()
        };
        let fixed = likely.shape.any_domain().fixed();
        if men.len() == likely.material().piece_count() && pawns(men) == fixed.len() {
            return Ok(likely.value_at(likely.shape.slot_of(men, side, false)?)?);
        }
        let material = tbindex::Material::from_pieces(men.iter().map(|man| man.0))?;
        let (name, swapped) = table_of(&material);
        let table = self.get(&name).ok_or(ProbeError::Missing(name))?;
        Ok(table.value_at(table.shape.slot_of(men, side, swapped)?)?)
    }
}
