//! Positions with castling rights, which are solved on demand.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cozy_chess::Board;
use rayon::ThreadPoolBuilder;
use tbgen::{
    BoardError, GamePosition, Letters, Metric, Move, Outcome, SolveError, Solver, Tables,
    TablesError, Value, reachable, reachable_memory, solve_shape,
};
use tbindex::batch::Backend;
use tbindex::{Color, Piece, Position};

use crate::batch::{Kind, written};
use crate::small::{METRICS, small_tables};
use crate::solved::quietly;
use crate::thorough::one_in;

fn parse(fen: &str) -> GamePosition {
    GamePosition::parse(fen, &Letters::default()).unwrap()
}

fn on_demand(memory: u64) -> Tables {
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    Tables::on_demand(memory, pool, Tables::solver(Backend::detect()))
}

/// All legal positions of some men, given by letters, in which these rights stand, and a pawn on a rank if there is one.
fn positions(men: &str, rights: &str, rank: usize) -> Vec<Board> {
    let mut free: Vec<char> = men.chars().collect();
    let mut fixed = Vec::new();
    for right in rights.chars() {
        let white = right.is_ascii_uppercase();
        let first = if white { 0 } else { 56 };
        let rook = first
            + if right.eq_ignore_ascii_case(&'k') {
                7
            } else {
                0
            };
        let letters = if white { ['K', 'R'] } else { ['k', 'r'] };
        for (letter, square) in letters.into_iter().zip([first + 4, rook]) {
            if !fixed.contains(&(letter, square)) {
                let at = free.iter().position(|&man| man == letter).unwrap();
                free.remove(at);
                fixed.push((letter, square));
            }
        }
    }
    let mut found = Vec::new();
    for number in 0..2usize << (6 * free.len()) {
        let squares = (0..free.len()).map(|man| number >> (1 + 6 * man) & 63);
        let all = free
            .iter()
            .copied()
            .zip(squares)
            .chain(fixed.iter().copied());
        let mut board = [None; 64];
        let mut stand_apart = true;
        for (letter, square) in all {
            let piece = Piece::try_from(letter).ok();
            stand_apart &= board[square].replace(piece.unwrap()).is_none();
            stand_apart &= !letter.eq_ignore_ascii_case(&'p') || square / 8 == rank;
        }
        let side = Color::ALL[number & 1];
        let fen = Position { board, side }.to_string();
        let fen = fen.replace(" - - ", &format!(" {rights} - "));
        // Kings that touch are legal for the other library.
        if stand_apart && GamePosition::parse(&fen, &Letters::default()).is_ok() {
            found.push(fen.parse().unwrap());
        }
    }
    found
}

/// The result of a move: a position of the same group, or a worth.
enum Brings {
    Inside(usize),
    Worth(Value),
}

/// Values by sweeps through all positions of a group, ply by ply. The values that captures and moves of pawns lead to are known.
fn solve_group(group: &[Board], metric: Metric, known: &mut HashMap<u64, Value>) {
    let numbers = group.iter().enumerate();
    let numbers: HashMap<u64, usize> = numbers.map(|(k, of)| (of.hash_without_ep(), k)).collect();
    let moves_of = |board: &Board| {
        let mut all = Vec::new();
        board.generate_moves(|moves| {
            for step in moves {
                let mut after = board.clone();
                after.play_unchecked(step);
                let captures = after.occupied().len() < board.occupied().len();
                let zeroing = captures || moves.piece == cozy_chess::Piece::Pawn;
                let key = after.hash_without_ep();
                if let Some(&number) = numbers.get(&key).filter(|_| !zeroing) {
                    all.push(Brings::Inside(number));
                    continue;
                }
                let value = known.get(&key).copied().unwrap_or_else(|| {
                    let fen = after.to_string();
                    assert!(fen.contains(" - - "), "{board} leads to {fen}");
                    small_tables(metric).probe(metric, &parse(&fen)).unwrap()
                });
                all.push(Brings::Worth(metric.after_move(value, zeroing)));
            }
            false
        });
        all
    };
    let moves: Vec<Vec<Brings>> = group.iter().map(moves_of).collect();
    let mut values: Vec<Option<Value>> = vec![None; group.len()];
    let worths = moves.iter().flatten().filter_map(|brings| match brings {
        Brings::Worth(worth) => Some(worth.plies),
        Brings::Inside(_) => None,
    });
    let last_outside = worths.max().unwrap_or(0);
    for plies in 0.. {
        let mut found = Vec::new();
        for (number, moves) in moves.iter().enumerate() {
            if values[number].is_some() {
                continue;
            }
            let worths = moves.iter().map(|brings| match brings {
                Brings::Inside(after) => values[*after].map(|of| metric.after_move(of, false)),
                Brings::Worth(worth) => Some(*worth),
            });
            let worths: Vec<Option<Value>> = worths.collect();
            let least = worths.iter().flatten().map(|of| of.preference()).max();
            let in_check = !group[number].checkers().is_empty();
            match (least, worths.iter().all(Option::is_some)) {
                (None, true) if in_check => found.push((number, metric.loss(0))),
                (None, _) => {}
                (Some(best), all) => {
                    let mut of_best = worths.iter().flatten();
                    let best = *of_best.find(|of| of.preference() == best).unwrap();
                    let wins = best.preference() > 0;
                    let is_due = best.plies <= plies && best != Value::DRAW && (wins || all);
                    if is_due {
                        found.push((number, best));
                    }
                }
            }
        }
        if found.is_empty() && plies > last_outside {
            break;
        }
        for (number, value) in found {
            values[number] = Some(value);
        }
    }
    for (board, value) in group.iter().zip(values) {
        known.insert(board.hash_without_ep(), value.unwrap_or(Value::DRAW));
    }
}

/// The groups of a material in an order in which each leads to earlier ones.
fn groups(men: &str, rights: &[&str]) -> Vec<Vec<Board>> {
    let ranks = if men.contains('P') { 1..7 } else { 0..1 };
    let of_rank = |rank| {
        rights
            .iter()
            .flat_map(move |rights| positions(men, rights, rank))
            .collect()
    };
    ranks.rev().map(of_rank).collect()
}

/// Every position with rights has the value that a brute force finds; of pawns one square in some.
#[test]
fn values_are_those_of_a_brute_force() {
    let tables = on_demand(2 << 30);
    let whites = ["K", "Q"];
    let materials: [(&str, &[&str]); 7] = [
        ("KRk", &whites),
        ("KRQk", &whites),
        ("KRRk", &["K", "Q", "KQ"]),
        ("KRBk", &whites),
        ("KRNk", &whites),
        ("KRkr", &["K", "Q", "k", "q", "Kk", "Kq", "Qk", "Qq"]),
        ("KRPk", &whites),
    ];
    let mut known = METRICS.map(|_| HashMap::new());
    let mut castled = 0;
    for (men, rights) in materials {
        for group in groups(men, rights) {
            for (metric, known) in METRICS.into_iter().zip(&mut known) {
                solve_group(&group, metric, known);
            }
            let asked = !["KRQk", "KRBk", "KRNk"].contains(&men) || one_in(2) == 1;
            for board in group.iter().filter(|_| asked) {
                let pawn = board.pieces(cozy_chess::Piece::Pawn).into_iter().next();
                if pawn.is_some_and(|square| !(square as usize % 23).is_multiple_of(one_in(23))) {
                    continue;
                }
                let position = parse(&board.to_string());
                let answer = tables.answer(&position).unwrap();
                let found = [answer.evaluation.dtz, answer.evaluation.dtm];
                let key = board.hash_without_ep();
                let expected = METRICS.map(|metric| known[metric as usize].get(&key).copied());
                assert_eq!(found, expected, "{board}");
                castled += 1;
            }
        }
    }
    assert!(castled > 10_000, "{castled} positions");
}

#[test]
fn castling_is_a_move_of_the_list() {
    let tables = on_demand(64 << 20);
    let position = parse("8/8/8/8/8/8/6k1/R3K2R w KQ - 0 1");
    let moves = position.moves();
    let uci: Vec<String> = moves.iter().map(Move::uci).collect();
    assert!(
        !uci.contains(&"e1g1".into()),
        "over attacked squares: {uci:?}"
    );
    let position = parse("8/8/8/8/8/1k6/8/R3K2R w KQ - 7 1");
    let moves = tables.moves(&position).unwrap();
    let castles = moves.iter().find(|step| step.uci == "e1g1").unwrap();
    assert_eq!(
        (castles.san.as_str(), castles.zeroing, castles.capture),
        ("O-O", false, false)
    );
    assert_eq!(castles.position.fen(), "8/8/8/8/8/1k6/8/R4RK1 b - - 8 1");
    let castles = moves
        .iter()
        .find(|step| step.san.starts_with("O-O-O"))
        .unwrap();
    assert_eq!(castles.uci, "e1c1");
    assert_eq!(castles.position.fen(), "8/8/8/8/8/1k6/8/2KR3R b - - 8 1");
    let rook = moves.iter().find(|step| step.uci == "a1a2").unwrap();
    assert_eq!(rook.position.fen(), "8/8/8/8/8/1k6/R7/4K2R b K - 8 1");
    let line = tables.line(&position).unwrap();
    assert_eq!(line.ending.name(), "checkmate");
}

#[test]
fn rights_that_cannot_be_are_dropped_and_those_of_chess960_refused() {
    for (fen, expected) in [
        (
            "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w HA - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        ),
        (
            "4k3/8/8/8/4P3/8/8/4K3 b - d3 0 1",
            "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1",
        ),
        (
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
        ),
        (
            "r3k3/8/8/8/8/8/8/3K4 b q - 3 1",
            "r3k3/8/8/8/8/8/8/3K4 b q - 3 1",
        ),
        (
            "4k3/8/8/8/8/8/8/3K3R w K - 0 1",
            "4k3/8/8/8/8/8/8/3K3R w - - 0 1",
        ),
    ] {
        assert_eq!(parse(fen).fen(), expected);
    }
    let fen = "4k3/8/8/8/8/8/8/4KR2 w F - 0 1";
    let refused = GamePosition::parse(fen, &Letters::default()).unwrap_err();
    assert_eq!(refused, BoardError::Chess960);
}

/// Tables that are kept do not stand for what rights take beside them, in memory and in time.
#[test]
fn rights_are_solved_beside_tables_that_are_kept() {
    let [plain, rights] =
        ["-", "KQ"].map(|rights| parse(&format!("8/8/8/8/8/1k6/8/R3K2R w {rights} - 0 1")));
    let tables = on_demand(64 << 20);
    let is_ready = |position| tables.answer_at_once(position).is_ok();
    assert!(tables.answer(&plain).is_ok() && is_ready(&plain));
    assert!(!is_ready(&rights));
    assert!(tables.answer(&rights).is_ok() && is_ready(&rights));
}

/// The needs of solving are stated before, and are little. A program with checks for debugging takes 4 MiB more than one without.
#[test]
fn rights_of_few_men_take_little_memory() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut above = false;
    for (pieces, mebibytes) in [
        ("8/8/8/8/8/1k6/8/R3K2R w KQ", 74),
        ("4k3/8/8/8/8/8/P7/4K2R w K", 74),
        ("r3k3/8/8/8/8/8/3P4/4K3 b q", 74),
        ("r3k3/8/8/8/8/8/4P3/R3K3 w Qq", 1130),
        ("4k3/1q6/8/8/8/8/3P4/R3K3 w Q", 1130),
    ] {
        let position = parse(&format!("{pieces} - 0 1"));
        let shapes = reachable(&position).unwrap();
        let stated = pool.install(|| reachable_memory(&position, &shapes)) >> 20;
        eprintln!("{pieces}: {stated} MiB");
        above |= stated >= mebibytes;
    }
    assert!(!above);
}

/// Solving ends when the flag is set, and can be asked for again.
#[test]
fn rights_are_solved_until_a_flag_is_set() {
    let stop = Arc::<AtomicBool>::default();
    let set = Arc::clone(&stop);
    let backend = Backend::detect();
    let solver = Solver::new(
        Arc::clone(&stop),
        backend,
        move |shape, library, options| {
            set.store(true, Ordering::Relaxed);
            solve_shape(shape, library, quietly(options.metric, backend))
        },
    );
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let tables = Tables::on_demand(64 << 20, pool, solver);
    let position = parse("8/8/8/8/8/8/k7/4K2R w K - 0 1");
    let stopped = tables.answer(&position);
    let interrupted = TablesError::Solve(SolveError::Interrupted).to_string();
    assert_eq!(stopped.unwrap_err().to_string(), interrupted);
    stop.store(false, Ordering::Relaxed);
    assert!(tables.answer(&position).is_ok());
}

/// Files have no answer, and are asked about what castling leads to.
#[test]
fn files_leave_positions_with_rights_to_solving() {
    let (_folder, files) = written(&["KRvK"], Kind::Own);
    let position = parse("8/8/8/8/8/8/k7/4K2R w K - 0 1");
    let by_files = files.answer(&position);
    let solved = on_demand(64 << 20).answer(&position).unwrap();
    // All moves lose the right, so files know them all.
    assert_eq!(by_files.unwrap(), solved);
    let black = parse("8/8/8/8/8/8/k7/4K2R b K - 0 1");
    assert!(matches!(files.answer(&black), Err(TablesError::Castling)));
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let both = files.and_on_demand(64 << 20, pool, Tables::solver(Backend::detect()));
    let solved = on_demand(64 << 20).answer(&black).unwrap();
    assert_eq!(both.answer(&black).unwrap(), solved);
    assert_eq!(reachable(&black).unwrap().len(), 1);
}

/// Where files know that a move wins, but not the moves that keep a right, the way and the distances are those of solving.
#[test]
fn a_known_win_with_unknown_moves_is_solved() {
    let (_folder, files) = written(&["KRRvK"], Kind::Own);
    let position = parse("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    let known = files.answer(&position).unwrap().evaluation;
    assert_eq!((known.outcome, known.dtz), (Outcome::Win, None));
    assert!(matches!(files.line(&position), Err(TablesError::Castling)));
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let both = files.and_on_demand(256 << 20, pool, Tables::solver(Backend::detect()));
    // Ra7 and mate.
    let answer = both.answer(&position).unwrap().evaluation;
    assert_eq!([answer.dtz, answer.dtm], [Some(Value::win(3)); 2]);
    assert_eq!(both.line(&position).unwrap().moves.len(), 3);
}
