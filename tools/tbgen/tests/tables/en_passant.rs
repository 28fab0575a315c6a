//! En passant, where a table has to know of it without having it: the value of a pawn's two steps depends on
//! captures that only the next move may make.
//!
//! The values that moves imply are worked out here, two plies deep, so that no code of the generator has a part in it.

use cozy_chess as chess;
use tbgen::{GamePosition, Library, Metric, Outcome, Value, reachable, solve_shape};
use tbindex::batch::Backend;
use tbindex::{Color, Piece, PieceType, Position};

use crate::small::{METRICS, small_tables};
use crate::solved::quietly;

/// A piece on a square.
type Man = (chess::Color, chess::Piece, usize);

/// The board of men, if it is legal.
fn board_of(men: &[Man], side: chess::Color) -> Option<chess::Board> {
    let mut builder = chess::BoardBuilder::empty();
    builder.side_to_move = side;
    for &(color, piece, square) in men {
        if builder.board[square].replace((piece, color)).is_some() {
            return None;
        }
    }
    let board = builder.build().ok()?;
    let [white, black] = chess::Color::ALL.map(|color| board.king(color));
    (!chess::get_king_moves(white).has(black)).then_some(board)
}

/// The position of a board, without its rights.
fn position_of(board: &chess::Board) -> Position {
    let mut squares = [None; 64];
    for square in board.occupied() {
        let color = board.color_on(square).unwrap();
        let letter = char::from(board.piece_on(square).unwrap());
        let kind = PieceType::try_from(letter.to_ascii_uppercase()).unwrap();
        squares[square as usize] = Some(Piece::new(Color::ALL[color as usize], kind));
    }
    Position {
        board: squares,
        side: Color::ALL[board.side_to_move() as usize],
    }
}

fn moves(board: &chess::Board) -> Vec<chess::Move> {
    let mut all = Vec::new();
    board.generate_moves(|moves| {
        all.extend(moves);
        false
    });
    all
}

fn stored(metric: Metric, board: &chess::Board, library: &Library) -> Value {
    let position = GamePosition::new(&position_of(board), None).unwrap();
    library.probe(metric, &position).unwrap()
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

/// The value that a side would rather have.
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

/// The value of a board with its rights, by its moves, or what it would be if there were no captures en passant.
fn implied(metric: Metric, board: &chess::Board, library: &Library, en_passant: bool) -> Value {
    let values = moves(board).into_iter().map(|step| {
        let zeroing = is_pawn(board, step) || board.piece_on(step.to).is_some();
        let next = after(board, step);
        let value = match next.en_passant() {
            Some(_) if en_passant => implied(metric, &next, library, true),
            _ => stored(metric, &next, library),
        };
        worth(metric, value, zeroing)
    });
    let mated = !board.checkers().is_empty();
    let none = if mated { Value::loss(0) } else { Value::DRAW };
    let best = values.max_by_key(|&value| preference(value));
    best.unwrap_or(none)
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
pub(crate) struct TwoSteps {
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

    /// All of a side.
    pub(crate) fn all(side: chess::Color) -> impl Iterator<Item = TwoSteps> {
        let files = (0..7).flat_map(|file| [(file, file + 1), (file + 1, file)]);
        files.map(move |(file, beside)| TwoSteps::new(side, file, beside))
    }

    /// The board before them, if it is legal.
    pub(crate) fn board(self, men: &[Man]) -> Option<chess::Board> {
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
            let found = stored(metric, board, library);
            let expected = implied(metric, board, library, true);
            assert_eq!(found, expected, "{board}, {}", metric.name());
            let without = implied(metric, board, library, false);
            seen.decides += usize::from(without != expected);
        }
    }
}

/// A right that no legal move uses is none, whether it is read or a move brings it.
#[test]
fn a_right_that_nobody_can_use_is_none() {
    let packed = |fen: &str| {
        let position = GamePosition::parse(fen, &Default::default()).unwrap();
        position.packed().unwrap()
    };
    let none = packed("8/8/8/8/4P3/8/8/k1K5 b - - 0 1");
    assert_eq!(packed("8/8/8/8/4P3/8/8/k1K5 b - e3 0 1"), none);
    let before = GamePosition::parse("8/8/8/8/8/8/4P3/k1K5 w - - 0 1", &Default::default());
    let steps = before.unwrap().moves();
    let step = steps.iter().find(|step| step.uci() == "e2e4").unwrap();
    assert_eq!(step.after.packed(), Some(none));
    // A capture would leave the king in check by the rook.
    let [held, free] = ["8/8/8/8/k2pP2R/8/8/2K5 b - ", "8/8/8/8/3pP3/8/8/k1K5 b - "];
    let is_none = |begin: &str| {
        let [with, without] = ["e3", "-"].map(|right| packed(&format!("{begin}{right} 0 1")));
        with == without
    };
    assert!(is_none(held) && !is_none(free));
}

/// Every position of KPvKP in which a pawn can make two steps and land beside the other.
#[test]
fn two_steps_past_a_pawn_are_worth_what_the_answers_leave_of_them() {
    let mut seen = Seen::default();
    let libraries = METRICS.map(small_tables);
    for side in chess::Color::ALL {
        for steps in TwoSteps::all(side) {
            steps.look(None, &mut seen, libraries);
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
    let [white, black] = chess::Color::ALL;
    for piece in [chess::Piece::Rook, chess::Piece::Queen] {
        let mut libraries = [Library::default(), Library::default()];
        for (file, beside, owner) in [(1, 0, white), (6, 7, black)] {
            let steps = TwoSteps::new(white, file, beside);
            // Any position with these pawns: what it needs is what all of them need.
            let men = [
                (white, chess::Piece::King, 7),
                (black, chess::Piece::King, 63),
                (owner, piece, 35),
            ];
            let board = steps.board(&men).unwrap();
            eprintln!("{owner}{piece}, {} past {}", steps.from, steps.other);
            for (metric, library) in METRICS.into_iter().zip(&mut libraries) {
                let from = GamePosition::new(&position_of(&board), None).unwrap();
                for shape in reachable(&from).unwrap() {
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
    assert!(seen.answered > 0 && seen.uncovers_a_check > 0, "{seen:?}");
    let instead = [seen.instead_of_stalemate, seen.instead_of_mate];
    assert!(!instead.contains(&0), "{seen:?}");
    assert!(seen.mates > 0 && seen.decides > 0, "{seen:?}");
}
