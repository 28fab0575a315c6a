//! Single positions: what can still be reached from them is enough to answer, and the answer is that of whole tables.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, mpsc};

use tbgen::{
    GamePosition, InTurn, Letters, Library, Metric, Shape, Solver, Table, Tables, TablesError,
    Value, reachable, solve_shape,
};
use tbindex::batch::Backend;
use tbindex::{Fen, Material};

use crate::published::lines;
use crate::small::{METRICS, small_tables};
use crate::solved::quietly;
use crate::thorough::one_in;

/// Of the published positions with pawns one in nine, or all if `TBINDEX_THOROUGH` is set.
#[test]
fn what_a_position_can_reach_is_enough_to_answer() {
    let (Some(mut all), Some(more)) = (lines("epd/endgame-dm-4.epd"), lines("epd/endgame.epd"))
    else {
        return;
    };
    all.extend(more);
    let fens = all.iter().map(|line| line.parse::<Fen>().unwrap());
    let fens = fens.filter(|fen| {
        let material = fen.position.material().unwrap();
        material.piece_count() <= 4 && material.has_pawns()
    });
    let (mut seen, mut fewer) = (0, 0);
    for fen in fens.step_by(one_in(9)) {
        let board = GamePosition::new(&fen.position, fen.en_passant).unwrap();
        let shapes = reachable(&board).unwrap();
        for metric in METRICS {
            let whole = small_tables(metric);
            let mut library = Library::default();
            let mut parts = BTreeMap::new();
            for shape in &shapes {
                let material = shape.material();
                let there: &Table = whole.get(&material).unwrap();
                parts.insert(material.to_string(), (shape.parts(), there.shape().parts()));
                if material.has_pawns() {
                    let options = quietly(metric, Backend::detect());
                    library.insert(solve_shape(shape, &library, options).unwrap());
                } else {
                    library.insert(there.clone());
                }
            }
            fewer += usize::from(parts.values().any(|(here, all)| here < all));
            assert!(parts.values().all(|(here, all)| here <= all), "{parts:?}");
            // The position, and all to which its moves lead.
            let moves = board.moves().into_iter().map(|step| step.after);
            for board in moves.chain([board.clone()]) {
                let [here, there] = [&library, whole].map(|library| {
                    let value = library.probe(metric, &board);
                    value.unwrap_or_else(|error| panic!("{}: {error}", board.fen()))
                });
                assert_eq!(here, there, "{}, {}", board.fen(), metric.name());
                seen += 1;
            }
        }
    }
    assert!(
        seen > 100 && fewer > 5,
        "{seen} positions, {fewer} with fewer parts"
    );
}

/// A question by one metric solves nothing by the other, and what is kept serves later questions.
#[test]
fn only_the_metrics_that_are_asked_for_are_solved() {
    let solved = Arc::new(Mutex::new(Vec::new()));
    let tables = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let solved = Arc::clone(&solved);
        let (never, backend) = (Arc::<AtomicBool>::default(), Backend::detect());
        let solver = Solver::new(never, backend, move |shape, library, options| {
            solved.lock().unwrap().push(options.metric);
            solve_shape(shape, library, options)
        });
        Tables::on_demand(1 << 30, pool.unwrap(), solver)
    };
    let taken = || std::mem::take(&mut *solved.lock().unwrap());
    let fen = "8/8/8/8/8/2k5/8/K6R w - - 0 1";
    let position = GamePosition::parse(fen, &Letters::default()).unwrap();
    let all = tables();
    for metric in [Metric::Dtm, Metric::Dtz] {
        let (value, exact) = all.value(metric, &position).unwrap();
        assert_eq!((value, exact), (Value::win(27), true));
        assert_eq!(taken(), [metric]);
    }
    let answer = all.answer(&position).unwrap().evaluation;
    assert_eq!([answer.dtz, answer.dtm], [Some(Value::win(27)); 2]);
    assert_eq!(taken(), []);
    let answer = tables().with_metric(Metric::Dtm).answer(&position);
    assert_eq!(answer.unwrap().evaluation.dtz, None);
    assert_eq!(taken(), [Metric::Dtm]);
}

/// The stated memory is that of tables in turn which all stay with their distances, and above it solving is refused.
#[test]
fn memory_is_stated_as_it_is_refused() {
    let shapes = Shape::needed_by("KRvKP".parse::<Material>().unwrap().into()).unwrap();
    let pool = || {
        rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap()
    };
    let tables = Tables::on_demand(1, pool(), Tables::solver(Backend::detect()));
    for metric in [Metric::Dtz, Metric::Dtm, Metric::HelpBlack] {
        let stated = tables.memory(&shapes, metric);
        let turn = InTurn {
            all_stay: true,
            ..InTurn::in_memory(&shapes, metric.of_smaller())
        };
        // In turn only outcomes stay by the distance to zeroing.
        if metric != Metric::Dtz {
            assert_eq!(stated, pool().install(|| turn.memory()), "{metric:?}");
        }
        match tables.solved(&shapes, metric) {
            Err(TablesError::Memory { needed, .. }) => assert_eq!(needed, stated),
            other => panic!("{other:?}"),
        }
    }
}

/// While one thread solves, another has the answers that are there.
#[test]
fn what_was_solved_waits_for_nobody() {
    let never = Arc::<AtomicBool>::default();
    let (began, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel();
    let may_go_on = Mutex::new(may_go_on);
    let backend = Backend::detect();
    let solver = Solver::new(never, backend, move |shape, library, options| {
        if shape.material().to_string() == "KQvK" {
            began.send(()).unwrap();
            let () = may_go_on.lock().unwrap().recv().unwrap();
        }
        solve_shape(shape, library, options)
    });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let tables = Tables::on_demand(1 << 30, pool.unwrap(), solver).with_metric(Metric::Dtz);
    let [rook, queen] = ["R", "Q"].map(|piece| {
        let fen = format!("8/8/8/8/8/2k5/8/K6{piece} w - - 0 1");
        GamePosition::parse(&fen, &Letters::default()).unwrap()
    });
    assert!(tables.answer_at_once(&rook).is_err());
    let expected = tables.answer(&rook).unwrap();
    std::thread::scope(|scope| {
        let solving = scope.spawn(|| tables.answer(&queen));
        has_begun.recv().unwrap();
        assert_eq!(tables.answer_at_once(&rook).unwrap(), expected);
        assert!(tables.answer_at_once(&queen).is_err());
        assert_eq!(tables.answer(&rook).unwrap(), expected);
        go_on.send(()).unwrap();
        assert!(solving.join().unwrap().is_ok());
    });
    assert!(tables.answer_at_once(&queen).is_ok());
}
