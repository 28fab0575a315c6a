//! The order of moves, and what moves say of positions without a table.

use std::cmp::Reverse;

use rayon::ThreadPoolBuilder;
use tbgen::{
    Answer, Evaluation, GamePosition, Letters, Library, Metric, MoveAnswer, Outcome, Tables,
    TablesError, Value, solve,
};
use tbindex::PieceType;
use tbindex::batch::Backend;
use tbindex::store::Overwrite;

use crate::batch::{Kind, written};
use crate::positions::random_position;
use crate::random::Random;
use crate::solved::{material, quietly};
use crate::thorough::one_in;

fn parse(fen: &str) -> GamePosition {
    GamePosition::parse(fen, &Letters::default()).unwrap()
}

pub(crate) fn on_demand() -> Tables {
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    Tables::on_demand(2 << 30, pool, Tables::solver(Backend::detect()))
}

/// The moves that come first.
fn first(tables: &Tables, fen: &str) -> Vec<String> {
    let moves = tables.moves(&parse(fen)).unwrap();
    moves.into_iter().map(|step| step.uci).collect()
}

/// The distance after a move by a metric, if it is known.
fn after(step: &MoveAnswer, of: fn(&Evaluation) -> Option<Value>) -> Option<u16> {
    Some(of(&step.after?.evaluation)?.plies)
}

/// The order written once more, as a list of keys for each move.
pub(crate) fn by_the_rules(mut moves: Vec<MoveAnswer>) -> Vec<String> {
    let loses = |step: &MoveAnswer| step.evaluation.unwrap().outcome < Outcome::Draw;
    let mut losing = moves.iter().filter(|step| loses(step));
    let all_mates = losing.all(|step| after(step, |of| of.dtm).is_some());
    moves.sort_by_key(|step| {
        let outcome = step.evaluation.unwrap().outcome;
        let (dtz, dtm) = (after(step, |of| of.dtz), after(step, |of| of.dtm));
        let zeroing = step.position.counter() == 0;
        let mut keys = Vec::new();
        if outcome > Outcome::Draw {
            let in_time = dtm.filter(|dtm| step.position.counter() + dtm <= 100);
            if step.checkmates() {
                keys.push(0);
            } else if let Some(dtm) = in_time {
                keys.extend([1, i32::from(dtm)]);
            } else if zeroing {
                let promotion = match step.promotion {
                    Some(PieceType::Queen) => 0,
                    Some(PieceType::Rook) => 1,
                    Some(PieceType::Bishop) => 2,
                    Some(_) => 3,
                    None => 4,
                };
                keys.extend([2, dtz.unwrap().into(), i32::from(!step.capture), promotion]);
            } else {
                keys.extend([3, dtz.unwrap().into()]);
            }
        }
        if outcome < Outcome::Draw {
            match dtm.filter(|_| all_mates) {
                Some(dtm) => keys.push(-i32::from(dtm)),
                None => keys.extend([i32::from(zeroing), -i32::from(dtz.unwrap())]),
            }
        }
        (Reverse(outcome), keys, step.uci.clone())
    });
    moves.into_iter().map(|step| step.uci).collect()
}

#[test]
fn moves_are_in_the_order_of_the_rules() {
    let mut random = Random::new(9);
    let names = ["KRvKP", "KRvKR"];
    let (folder, both) = written(&names, Kind::Own);
    let zeroing = Tables::open(&[folder.path()]).unwrap();
    let zeroing = zeroing.with_metric(Metric::Dtz);
    for number in 0..10_000 / one_in(5) {
        let numbers = &mut |end: u64| random.below(end.into()) as u64;
        let position = random_position(material(names[number % 2]), numbers);
        let fen = position.fen();
        for tables in [&both, &zeroing] {
            let moves = tables.moves(&position).unwrap();
            let order: Vec<String> = moves.iter().map(|step| step.uci.clone()).collect();
            assert_eq!(order, by_the_rules(moves), "{fen}");
        }
    }
}

/// Without distances to mate, the queen comes first of promotions; with them, a winner mates soon and a loser late.
#[test]
fn queens_and_short_mates_come_first() {
    let promotion = "8/P7/8/8/8/2k5/8/K7 w - - 0 1";
    let zeroing = on_demand().with_metric(Metric::Dtz);
    assert_eq!(first(&zeroing, promotion)[..2], ["a7a8q", "a7a8r"]);
    let both = on_demand();
    assert_eq!(first(&both, promotion)[0], "a7a8q");
    let lost = "8/Rk6/7R/8/8/4K3/8/8 b - - 5 3";
    assert_eq!(first(&both, lost), ["b7a7", "b7b8", "b7c8"]);
    // After the 100th ply a win is of no use.
    let late = "7k/8/5K2/8/8/8/8/6Q1 w - - 99 100";
    assert_eq!(first(&both, late)[0], "g1g7");
}

/// A move into a table that is there decides, though the table of the position is missing.
#[test]
fn a_root_without_a_table_is_known_by_its_moves() {
    let folder = tempfile::tempdir().unwrap();
    let options = quietly(Metric::Dtz, Backend::detect());
    let table = solve(&material("KQvK"), &Library::default(), options).unwrap();
    let path = folder.path().join("KQvK.tbg");
    table.write(&path, Overwrite::Refuse).unwrap();
    let tables = Tables::open(&[folder.path()]).unwrap();
    let wins = parse("8/8/8/8/3k4/8/1r6/1Q2K3 w - - 10 1");
    let answer = tables.answer(&wins).unwrap().evaluation;
    assert_eq!((answer.outcome, answer.certain), (Outcome::Win, true));
    assert_eq!((answer.dtz, answer.dtm), (None, None));
    let moves = tables.moves(&wins).unwrap();
    assert_eq!(moves[0].uci, "b1b2");
    assert!(moves[1..].iter().all(|step| step.evaluation.is_none()));
    // Best play may be among the others, but for a checkmate.
    let line = tables.line(&wins);
    assert!(matches!(line, Err(TablesError::Missing { .. })));
    let mates = tables.line(&parse("7k/5K2/8/8/8/1B6/8/R7 w - - 0 1"));
    assert_eq!(mates.unwrap().moves[0].uci, "a1h1");
    // All moves are known: the king has to take.
    let forced = tables.answer(&parse("8/8/8/8/8/1k6/8/qK6 w - - 0 1"));
    assert_eq!(forced.unwrap().evaluation.dtz, Some(Value::DRAW));
    let open = parse("8/8/8/8/3k4/8/7r/1Q2K3 w - - 0 1");
    assert!(matches!(
        tables.answer(&open),
        Err(TablesError::Missing { .. })
    ));
}

/// Mates, stalemates and dead draws need neither files nor memory.
#[test]
fn ends_need_no_tables() {
    let folder = tempfile::tempdir().unwrap();
    let files = Tables::open(&[folder.path()]).unwrap();
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let solved = Tables::on_demand(1, pool, Tables::solver(Backend::detect()));
    for (fen, value, checkmate) in [
        ("8/8/8/8/8/1k6/b1b5/RKR5 w - -", Value::loss(0), true),
        ("7k/8/3K4/8/8/7Q/6Q1/8 b - - 101 90", Value::loss(0), true),
        ("7k/5K2/6Q1/8/8/8/8/8 b - - 7 9", Value::DRAW, false),
        ("7k/5K2/8/8/8/8/8/1B6 w - - 7 9", Value::DRAW, false),
    ] {
        for tables in [&files, &solved] {
            let answer = tables.answer(&parse(fen)).unwrap();
            assert_eq!(answer.evaluation.outcome, value.outcome, "{fen}");
            assert_eq!(answer.evaluation.dtz, Some(value), "{fen}");
            assert_eq!(answer.evaluation.dtm, Some(value), "{fen}");
            assert_eq!(answer.checkmate, checkmate, "{fen}");
        }
    }
}

/// A zeroing at the next ply is known, so a distance that is not known is longer: the rook that hangs is the last choice of the
/// loser, and of wins that do not zero, those of which the distance is known come first.
#[test]
fn unknown_distances_are_longer_than_known_ones() {
    let root = parse("8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1");
    let steps = root.moves();
    let hangs = ["b5b1", "b5b2"];
    for (outcome, known_first) in [(Outcome::Win, false), (Outcome::Loss, true)] {
        let after = steps.iter().map(|step| {
            let is_known = hangs.contains(&step.uci().as_str());
            let evaluation = Evaluation {
                outcome,
                certain: true,
                at_zero: outcome,
                dtz: is_known.then_some(Value { outcome, plies: 1 }),
                exact: true,
                dtm: None,
            };
            Some(Answer {
                evaluation,
                check: false,
                checkmate: false,
                stalemate: false,
            })
        });
        let all = MoveAnswer::list(&root, &steps, after, None);
        let names: Vec<&str> = all.iter().map(|step| step.uci.as_str()).collect();
        let found = match known_first {
            true => &names[..2],
            false => &names[names.len() - 2..],
        };
        assert_eq!(found, hangs, "{outcome:?}");
        let best = MoveAnswer::best(&all).count();
        assert_eq!(best, if known_first { 2 } else { names.len() - 2 });
    }
}

/// A move is as certain as the position after it: after a quiet move with the counter at 0, a rounded distance of 99 may be a ply
/// too long.
#[test]
fn a_move_is_as_certain_as_the_position_after_it() {
    let root = parse("7k/8/8/8/8/8/8/KQ6 w - - 0 1");
    let steps = root.moves();
    for certain in [false, true] {
        let answer = Answer {
            evaluation: Evaluation {
                outcome: Outcome::Loss,
                certain,
                at_zero: Outcome::Loss,
                dtz: Some(Value::loss(99)),
                exact: certain,
                dtm: None,
            },
            check: false,
            checkmate: false,
            stalemate: false,
        };
        let after = steps.iter().map(|_| Some(answer));
        for step in MoveAnswer::list(&root, &steps, after, None) {
            let found = step.evaluation.unwrap();
            let expected = (Outcome::Win, certain, Some(Value::win(100)));
            assert_eq!((found.outcome, found.certain, found.dtz), expected);
        }
    }
}
