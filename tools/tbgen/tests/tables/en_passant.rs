//! En passant, where a table has to know of it without having it: the value of a pawn's two steps depends on
//! captures that only the next move may make.
//!
//! What moves imply is worked out here, two plies deep, so that no code of the generator has a part in it.

use cozy_chess as chess;
use tbgen::{Board, Library, Metric, Outcome, Value, reachable, solve_shape};
use tbindex::batch::Backend;

use crate::rules::{Man, board_of, moves, position_of};
use crate::small::{METRICS, small_tables};
use crate::solved::quietly;

fn stored(board: &chess::Board, library: &Library) -> Value {
    library.value(&position_of(board)).unwrap()
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

/// A move's worth for the side that makes it, if it leads to this value, by the conventions that README states.
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

/// The value of a board with its rights, by its moves, or what it would be if there were no captures en passant.
fn implied(metric: Metric, board: &chess::Board, library: &Library, en_passant: bool) -> Value {
    let values = moves(board).into_iter().map(|step| {
        let zeroing = is_pawn(board, step) || board.piece_on(step.to).is_some();
        let next = after(board, step);
        let value = match next.en_passant() {
            Some(_) if en_passant => implied(metric, &next, library, true),
            _ => stored(&next, library),
        };
        worth(metric, value, zeroing)
    });
    best(board, values.collect())
}

/// How often positions of a kind occurred.
#[derive(Debug, Default)]
struct Seen {
    /// A pawn's two steps can be answered en passant.
    answered: usize,
    /// The capture en passant would uncover a check.
    uncovers_a_check: usize,
    /// The capture is the only legal move, and the side is not in check.
    instead_of_stalemate: usize,
    /// The capture is the only legal move, and the side is in check.
    instead_of_mate: usize,
    /// The capture mates.
    mates: usize,
    /// Without the capture the value of the position before the two steps would be another.
    decides: usize,
}

/// Two steps of a pawn past another of the other side.
#[derive(Clone, Copy)]
struct TwoSteps {
    side: chess::Color,
    from: chess::Square,
    to: chess::Square,
    other: chess::Square,
}

impl TwoSteps {
    fn new(side: chess::Color, file: usize, beside: usize) -> TwoSteps {
        let at = |file: usize, rank: chess::Rank| {
            chess::Square::new(chess::File::index(file), rank.relative_to(side))
        };
        TwoSteps {
            side,
            from: at(file, chess::Rank::Second),
            to: at(file, chess::Rank::Fourth),
            other: at(beside, chess::Rank::Fourth),
        }
    }

    /// The board before them, if it is legal.
    fn board(self, men: &[Man]) -> Option<chess::Board> {
        let pawn = chess::Piece::Pawn;
        let pawns = [
            (self.side, pawn, self.from as usize),
            (!self.side, pawn, self.other as usize),
        ];
        board_of(&[&pawns[..], men].concat(), self.side)
    }

    /// Looks at all positions with these pawns, the kings, and perhaps one more piece: compares the values with
    /// what the moves imply.
    fn look(
        self,
        more: Option<(chess::Piece, chess::Color)>,
        seen: &mut Seen,
        libraries: [&Library; 2],
    ) {
        let more_squares = if more.is_some() { 64 } else { 1 };
        for squares in 0..4096 * more_squares {
            let [king, other_king, square] = [squares & 63, squares >> 6 & 63, squares >> 12];
            let mut men = vec![
                (self.side, chess::Piece::King, king),
                (!self.side, chess::Piece::King, other_king),
            ];
            men.extend(more.map(|(piece, color)| (color, piece, square)));
            if let Some(board) = self.board(&men) {
                self.look_at(&board, seen, libraries);
            }
        }
    }

    fn look_at(self, board: &chess::Board, seen: &mut Seen, libraries: [&Library; 2]) {
        let step = chess::Move {
            from: self.from,
            to: self.to,
            promotion: None,
        };
        if !board.is_legal(step) {
            return;
        }
        let next = after(board, step);
        let replies = moves(&next);
        let captures: Vec<_> = (replies.iter())
            .filter(|reply| is_en_passant(&next, **reply))
            .collect();
        let in_check = !next.checkers().is_empty();
        match (captures.len(), replies.len()) {
            (0, _) if in_check => {}
            (0, _) => seen.uncovers_a_check += 1,
            (1, 1) if in_check => seen.instead_of_mate += 1,
            (1, 1) => seen.instead_of_stalemate += 1,
            _ => {}
        }
        seen.answered += captures.len();
        for capture in captures {
            let mates = after(&next, *capture).status() == chess::GameStatus::Won;
            seen.mates += usize::from(mates);
        }
        for (metric, library) in METRICS.into_iter().zip(libraries) {
            let found = stored(board, library);
            let expected = implied(metric, board, library, true);
            assert_eq!(found, expected, "{board}, {}", metric.name());
            let without = implied(metric, board, library, false);
            seen.decides += usize::from(without != expected);
        }
    }
}

/// Every position of KPvKP in which a pawn can make two steps and land beside the other.
#[test]
fn two_steps_past_a_pawn_are_worth_what_the_answers_leave_of_them() {
    let mut seen = Seen::default();
    let libraries = METRICS.map(small_tables);
    for side in chess::Color::ALL {
        for (file, beside) in (0..7).flat_map(|file| [(file, file + 1), (file + 1, file)]) {
            TwoSteps::new(side, file, beside).look(None, &mut seen, libraries);
        }
    }
    eprintln!("{seen:?}");
    assert!(seen.answered > 50_000 && seen.decides > 10_000, "{seen:?}");
    // Kings and pawns alone uncover no checks.
    assert_eq!(seen.uncovers_a_check, 0);
}

/// With a rook or a queen on either side, all that can happen does: captures that uncover a check, also along the
/// rank; captures that are the only move, out of check and otherwise; and captures that mate.
#[test]
#[ignore = "some minutes: cargo test --release -p tbgen --test tables -- --ignored en_passant"]
fn captures_en_passant_may_be_forced_and_may_be_illegal() {
    let mut seen = Seen::default();
    for (piece, letter) in [(chess::Piece::Rook, 'r'), (chess::Piece::Queen, 'q')] {
        let mut libraries = [Library::default(), Library::default()];
        for (steps, owner) in [
            (
                TwoSteps::new(chess::Color::White, 1, 0),
                chess::Color::White,
            ),
            (
                TwoSteps::new(chess::Color::White, 6, 7),
                chess::Color::Black,
            ),
        ] {
            // Any position with these pawns: what it needs is what all of them need.
            let at = |square: chess::Square| square.to_string();
            let letter = match owner {
                chess::Color::White => letter.to_ascii_uppercase(),
                chess::Color::Black => letter,
            };
            let men = [
                (chess::Color::White, chess::Piece::King, 7),
                (chess::Color::Black, chess::Piece::King, 63),
                (owner, piece, 35),
            ];
            let board = steps.board(&men).unwrap();
            eprintln!("{letter}, {} past {}", at(steps.from), at(steps.other));
            for (metric, library) in METRICS.into_iter().zip(&mut libraries) {
                let from = Board::new(&position_of(&board), None).unwrap();
                for shape in reachable(&from.into()).unwrap() {
                    let material = shape.material();
                    // Without pawns there is one part, which is there already.
                    if material.has_pawns() || library.get(&material).is_none() {
                        let options = quietly(metric, Backend::detect());
                        let mut table = solve_shape(&shape, library, options).unwrap();
                        if !material.has_pawns() {
                            table.pack(None).unwrap();
                        }
                        library.insert(table);
                    }
                }
            }
            let [dtz, dtm] = &libraries;
            steps.look(Some((piece, owner)), &mut seen, [dtz, dtm]);
        }
        eprintln!("up to {piece}: {seen:?}");
    }
    let all = [
        seen.answered,
        seen.uncovers_a_check,
        seen.instead_of_stalemate,
        seen.instead_of_mate,
        seen.mates,
        seen.decides,
    ];
    assert!(all.iter().all(|&count| count > 0), "{seen:?}");
}
