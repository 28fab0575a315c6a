//! Answers of tables whose values are made up, and searches there.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use syzygy_tables::writer::{Control, Distances};
use tbgen::internals::{Part, Planes, Side};
use tbgen::{
    GamePosition, Letters, Library, Metric, MineOptions, Move, Outcome, Shape, Table, Tables,
    Value, export, mine, reachable,
};
use tbindex::batch::Backend;
use tbindex::bitbase::{Row, Slice};
use tbindex::{Color, Piece, PieceType, Position, Square};

/// A table whose positions all have one value with white to move, and one with black to move.
fn made_up(shape: &Shape, values: [Value; 2]) -> Table {
    let parts = (0..shape.parts()).map(|number| {
        let domain = shape.domain(number);
        let sides = Color::ALL.map(|side| {
            let value = values[side as usize];
            let planes = (0..domain.slices()).map(|slice| {
                let mut rows = vec![Row::EMPTY; domain.rows()];
                Slice::new(&domain, slice).illegal_into(side, &mut rows, Backend::detect());
                let mut planes = Planes::default();
                let slabs = rows.as_chunks().0.iter().enumerate();
                for (slab, illegal) in slabs.filter(|_| value != Value::DRAW) {
                    planes.add(slab, &illegal.map(|row| !row), rows.len(), 1);
                }
                planes
            });
            Side {
                slices: planes.collect(),
                values: Arc::new(vec![Value::DRAW, value]),
            }
        });
        Part { domain, sides }
    });
    Table {
        shape: shape.clone(),
        metric: Metric::Dtz,
        parts: parts.collect(),
    }
}

/// Outcomes alone leave open whether a move wins in time; of a position that is won too late, none does.
#[test]
fn no_move_is_better_than_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let shape = Shape::new("KQvK".parse().unwrap()).unwrap();
    let table = made_up(&shape, [Value::win(101), Value::loss(100)]);
    let (library, backend) = (Library::default(), Backend::detect());
    let (distances, control) = (Distances::Exact, Control::default());
    export(&table, &library, folder.path(), distances, backend, control).unwrap();
    std::fs::remove_file(folder.path().join("KQvK.rtbz")).unwrap();
    let tables = Tables::open(&[folder.path()]).unwrap();
    let fen = "8/8/8/8/8/2k5/8/K6Q w - - 0 1";
    let position = GamePosition::parse(fen, &Letters::default()).unwrap();
    for step in tables.moves(&position).unwrap() {
        let of = [step.evaluation.unwrap(), step.after.unwrap().evaluation];
        let outcomes = of.map(|of| (of.outcome, of.certain));
        let expected = [Outcome::CursedWin, Outcome::BlessedLoss];
        assert_eq!(outcomes, expected.map(|outcome| (outcome, true)));
        assert_eq!(of[0].at_zero, Outcome::CursedWin);
    }
}

/// The worth of each move, and whether it captures en passant.
fn moves(board: &GamePosition, library: &Library) -> Vec<(Outcome, bool)> {
    let before = board.position();
    let worth = |step: Move| {
        let value = library.probe(Metric::Dtz, &step.after);
        let value = Metric::Dtz.after_move(value.unwrap(), step.zeroing);
        let onto_nothing = before.board[step.to.index()].is_none();
        let sideways = step.from.file() != step.to.file();
        let is_pawn = step.piece == PieceType::Pawn;
        (value.outcome, is_pawn && sideways && onto_nothing)
    };
    board.moves().into_iter().map(worth).collect()
}

fn is_only_move(board: &GamePosition, library: &Library) -> bool {
    let moves = moves(board, library);
    let without_right = GamePosition::new(&board.position(), None).unwrap();
    let value = library.probe(Metric::Dtz, &without_right);
    let value = value.unwrap().outcome;
    let keeping = moves.iter().filter(|(outcome, _)| *outcome == value);
    let loses = moves.iter().any(|(outcome, _)| *outcome == Outcome::Loss);
    let is_kept = value == Outcome::Win || value == Outcome::Draw && loses;
    is_kept && keeping.count() == 1
}

fn is_only_en_passant(board: &GamePosition, library: &Library) -> bool {
    let passed = GamePosition::new(&board.position(), Some("g3".parse().unwrap()));
    passed.is_some_and(|board| {
        let moves = moves(&board, library);
        let best = moves.iter().map(|(outcome, _)| *outcome).max();
        let mut best_moves = moves.iter().filter(|(outcome, _)| Some(*outcome) == best);
        best >= Some(Outcome::Draw) && best_moves.all(|(_, en_passant)| *en_passant)
    })
}

/// Black has no move but a capture en passant, being checkmated or stalemated without it, in tables that say what makes
/// the difference.
#[test]
fn captures_en_passant_may_be_the_only_moves() {
    type Law = fn(&GamePosition, &Library) -> bool;
    let (win, draw, loss) = (Value::win(1), Value::DRAW, Value::loss(1));
    let laws: [(&str, Law, [Value; 2]); 3] = [
        ("only-en-passant", is_only_en_passant, [draw, draw]),
        ("only-en-passant", is_only_en_passant, [loss, win]),
        ("only-move", is_only_move, [win, draw]),
    ];
    let never = AtomicBool::new(false);
    // A pawn steps, or has just made two steps, to take the last squares from a king in a corner, or to check one.
    let placed = [
        "8/8/8/8/7p/7K/6P1/7k",
        "8/8/8/7k/7p/7K/6P1/8",
        "8/8/8/8/6Pp/7K/8/7k",
        "8/8/8/7k/6Pp/7K/8/8",
    ];
    // In how many positions each law holds, without a check and in one.
    let mut held = [[0; 2]; 3];
    // A queen also checkmates, which made-up tables do not tell from other moves.
    for (kind, laws) in [
        (PieceType::Knight, &laws[..]),
        (PieceType::Queen, &laws[..2]),
    ] {
        let mut boards = Vec::new();
        for fen in placed.map(|placed| format!("{placed} b - - 0 1")) {
            let game = GamePosition::parse(&fen, &Letters::default()).unwrap();
            let before = game.position();
            let free = Square::all().filter(|at| before.board[at.index()].is_none());
            for (at, side) in free.flat_map(|at| Color::ALL.map(|side| (at, side))) {
                let mut position = Position { side, ..before };
                position.board[at.index()] = Some(Piece::new(Color::White, kind));
                boards.extend(GamePosition::new(&position, None));
            }
        }
        let shapes = reachable(&boards[0]).unwrap();
        for ((query, law, values), held) in laws.iter().zip(&mut held) {
            let mut library = Library::default();
            for shape in &shapes {
                let is_large = shape.material().piece_count() > 4 && shape.slices() > 1;
                let values = if is_large { [draw; 2] } else { *values };
                library.insert(made_up(shape, values));
            }
            let table = library.get(&shapes[shapes.len() - 1].material()).unwrap();
            let options = MineOptions {
                list: true,
                ..MineOptions::new(Backend::detect(), &never)
            };
            let mut found = HashSet::new();
            let counts = mine(table, &library, &query.parse().unwrap(), options, |hit| {
                found.insert(hit.position.to_string());
                Ok(())
            });
            counts.unwrap();
            for board in &boards {
                let (holds, position) = (law(board, &library), board.position().to_string());
                assert_eq!(found.contains(&position), holds, "{query}: {position}");
                held[usize::from(board.in_check())] += u32::from(holds);
            }
        }
    }
    println!("{held:?} positions");
    let [[a, b], [c, d], [e, _]] = held;
    assert!([a, b, c, d, e].iter().all(|&held| held > 0), "{held:?}");
}
