//! En passant, where a table has to know of it without having it: the value of a pawn's two steps depends on
//! captures that only the next move may make.
//!
//! The boards and the moves are those of `cozy-chess`, and what moves imply is worked out here, two plies deep, so
//! that no code of the generator has a part in it.

use cozy_chess as chess;
use tbgen::{Library, Metric, Outcome, Value};
use tbindex::{Color, Piece, PieceType, Position, Square};

use crate::small::{METRICS, small_tables};

pub(crate) const KINDS: [(chess::Piece, PieceType); 6] = [
    (chess::Piece::King, PieceType::King),
    (chess::Piece::Queen, PieceType::Queen),
    (chess::Piece::Rook, PieceType::Rook),
    (chess::Piece::Bishop, PieceType::Bishop),
    (chess::Piece::Knight, PieceType::Knight),
    (chess::Piece::Pawn, PieceType::Pawn),
];

const COLORS: [(chess::Color, Color); 2] = [
    (chess::Color::White, Color::White),
    (chess::Color::Black, Color::Black),
];

/// The position without its rights.
fn position_of(board: &chess::Board) -> Position {
    let mut squares = [None; 64];
    for (color, of) in COLORS {
        for (kind, piece) in KINDS {
            for square in board.colored_pieces(color, kind) {
                squares[square as usize] = Some(Piece::new(of, piece));
            }
        }
    }
    let side = COLORS.iter().find(|color| color.0 == board.side_to_move());
    Position {
        board: squares,
        side: side.unwrap().1,
    }
}

fn stored(board: &chess::Board, library: &Library) -> Value {
    library.value(&position_of(board)).unwrap()
}

fn moves(board: &chess::Board) -> Vec<chess::Move> {
    let mut all = Vec::new();
    board.generate_moves(|moves| {
        all.extend(moves);
        false
    });
    all
}

fn after(board: &chess::Board, step: chess::Move) -> chess::Board {
    let mut after = board.clone();
    after.play(step);
    after
}

fn is_pawn(board: &chess::Board, step: chess::Move) -> bool {
    board.piece_on(step.from) == Some(chess::Piece::Pawn)
}

fn is_en_passant(board: &chess::Board, step: chess::Move) -> bool {
    let sideways = step.from.file() != step.to.file();
    is_pawn(board, step) && sideways && board.piece_on(step.to).is_none()
}

/// What a side would rather have.
fn preference(value: Value) -> i32 {
    let plies = i32::from(value.plies);
    match value.outcome {
        Outcome::Draw => 0,
        Outcome::Win | Outcome::CursedWin => 10_000 - plies,
        Outcome::Loss | Outcome::BlessedLoss => plies - 10_000,
    }
}

/// A move's worth for the side that makes it, if it leads to this value, as SPEC's convention has it.
fn worth(metric: Metric, value: Value, zeroing: bool) -> Value {
    let cursed = matches!(value.outcome, Outcome::CursedWin | Outcome::BlessedLoss);
    let plies = match (metric, zeroing, cursed) {
        (Metric::Dtz, true, false) => 1,
        (Metric::Dtz, true, true) => 101,
        _ => value.plies + 1,
    };
    match value.outcome {
        Outcome::Draw => Value::DRAW,
        Outcome::Win | Outcome::CursedWin => metric.loss(plies),
        Outcome::Loss | Outcome::BlessedLoss => metric.win(plies),
    }
}

fn best(board: &chess::Board, values: Vec<Value>) -> Value {
    let mated = !board.checkers().is_empty();
    let none = if mated { Value::loss(0) } else { Value::DRAW };
    values
        .into_iter()
        .max_by_key(|&v| preference(v))
        .unwrap_or(none)
}

/// The value of a board with its rights, by its moves.
pub(crate) fn implied(metric: Metric, board: &chess::Board, library: &Library) -> Value {
    let values = moves(board).into_iter().map(|step| {
        let zeroing = is_pawn(board, step) || board.piece_on(step.to).is_some();
        let next = after(board, step);
        let value = match next.en_passant() {
            Some(_) => implied(metric, &next, library),
            None => stored(&next, library),
        };
        worth(metric, value, zeroing)
    });
    best(board, values.collect())
}

/// The value of a board, by its moves, if there were no captures en passant.
fn implied_without(metric: Metric, board: &chess::Board, library: &Library) -> Value {
    let values = moves(board).into_iter().map(|step| {
        let zeroing = is_pawn(board, step) || board.piece_on(step.to).is_some();
        worth(metric, stored(&after(board, step), library), zeroing)
    });
    best(board, values.collect())
}

/// How often positions of a kind occurred.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// A pawn's two steps can be answered en passant.
    pub(crate) answered: u64,
    /// A capture en passant would uncover a check.
    pub(crate) illegal: u64,
    /// It is the only legal move, and the side is not in check.
    pub(crate) instead_of_stalemate: u64,
    /// It is the only legal move, and the side is in check.
    pub(crate) instead_of_mate: u64,
    /// It gives mate.
    pub(crate) mates: u64,
    /// Without it the value of the position before the two steps would be another.
    pub(crate) decides: u64,
}

/// Looks at the two steps of the pawn on `from` to `to`, if they are legal, and compares the position's value with
/// what the moves imply.
pub(crate) fn look_at(
    board: &chess::Board,
    [from, to]: [Square; 2],
    seen: &mut Seen,
    libraries: [&Library; 2],
) {
    let [from, to] = [from, to].map(|square| chess::Square::index(square.index()));
    let step = chess::Move {
        from,
        to,
        promotion: None,
    };
    if !board.is_legal(step) {
        return;
    }
    let next = after(board, step);
    assert!(
        next.en_passant().is_some(),
        "{board}: a pawn is beside {to}"
    );
    let replies = moves(&next);
    let captures: Vec<_> = (replies.iter())
        .filter(|reply| is_en_passant(&next, **reply))
        .collect();
    match (captures.len(), replies.len()) {
        (0, _) => seen.illegal += 1,
        (some, all) if some == all && next.checkers().is_empty() => seen.instead_of_stalemate += 1,
        (some, all) if some == all => seen.instead_of_mate += 1,
        _ => {}
    }
    seen.answered += 1;
    for capture in captures {
        let end = after(&next, *capture);
        seen.mates += u64::from(end.status() == chess::GameStatus::Won);
    }
    for (metric, library) in METRICS.into_iter().zip(libraries) {
        let found = stored(board, library);
        let expected = implied(metric, board, library);
        assert_eq!(found, expected, "{board}, {}", metric.name());
        let without = implied_without(metric, board, library);
        seen.decides += u64::from(without != expected);
    }
}

/// Every position of KPvKP in which a pawn can make two steps and land beside the other.
#[test]
fn two_steps_past_a_pawn_are_worth_what_the_answers_leave_of_them() {
    let mut seen = Seen::default();
    let libraries = METRICS.map(small_tables);
    for (start, to, white) in [(1, 3, true), (6, 4, false)] {
        for file in 0..8 {
            for beside in [file - 1, file + 1] {
                if !(0..8).contains(&beside) {
                    continue;
                }
                let at = |file: i32, rank: i32| Square::new((8 * rank + file) as u8);
                let [from, to, other] = [at(file, start), at(file, to), at(beside, to)];
                for kings in 0..4096usize {
                    let mut builder = chess::BoardBuilder::empty();
                    let [us, them] = if white {
                        [chess::Color::White, chess::Color::Black]
                    } else {
                        [chess::Color::Black, chess::Color::White]
                    };
                    builder.side_to_move = us;
                    builder.board[from.index()] = Some((chess::Piece::Pawn, us));
                    builder.board[other.index()] = Some((chess::Piece::Pawn, them));
                    let [king, their_king] = [kings / 64, kings % 64];
                    if king == their_king
                        || builder.board[king].is_some()
                        || builder.board[their_king].is_some()
                    {
                        continue;
                    }
                    builder.board[king] = Some((chess::Piece::King, us));
                    builder.board[their_king] = Some((chess::Piece::King, them));
                    let near = chess::get_king_moves(chess::Square::index(king));
                    if near.has(chess::Square::index(their_king)) {
                        continue;
                    }
                    if let Ok(board) = builder.build() {
                        look_at(&board, [from, to], &mut seen, libraries);
                    }
                }
            }
        }
    }
    eprintln!("{seen:?}");
    assert!(seen.answered > 50_000, "{seen:?}");
    assert!(seen.decides > 1000, "{seen:?}");
}
