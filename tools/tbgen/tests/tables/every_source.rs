//! One answer from every kind of tables: own files, packed ones by the distance to mate, Syzygy files with exact and with rounded
//! distances, WDL files alone, and what is solved on demand. An answer that one of them can't give is open or missing, and never wrong.

use std::fs;
use std::path::Path;

use syzygy_tables::batch::PackedBoard;
use syzygy_tables::writer::{Control, Distances};
use tbgen::{
    Answer, BatchProber, Ending, Evaluation, GamePosition, Metric, MoveAnswer, Outcome, Tables,
    TablesError, Value, Wanted, export,
};
use tbindex::Material;
use tbindex::batch::Backend;
use tempfile::TempDir;

use crate::batch::{Kind, random_positions, write};
use crate::move_order::{by_the_rules, on_demand};
use crate::random::Random;
use crate::small::{small_tables, table};
use crate::thorough::one_in;

/// The answers that tables leave open with a counter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    /// A distance of a ply more would be too late.
    Rounded,
    /// There is no distance to zeroing.
    Outcome,
    /// There is no table.
    All,
}

struct Source {
    name: &'static str,
    _folder: TempDir,
    tables: Tables,
    open: Open,
}

fn source(name: &'static str, open: Open, fill: impl FnOnce(&Path)) -> Source {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let tables = Tables::open(&[folder.path()]).unwrap();
    Source {
        name,
        _folder: folder,
        tables,
        open,
    }
}

/// Copies the files of a folder that have one of these extensions.
fn copy(from: &Path, to: &Path, extensions: &[&str]) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|end| end.to_str());
        if extension.is_some_and(|end| extensions.contains(&end)) {
            fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
}

fn sources(materials: &[Material]) -> Vec<Source> {
    let syzygy = |distances| {
        move |folder: &Path| {
            for material in materials.iter().flat_map(tbgen::needed_by) {
                let name = material.to_string();
                if material.piece_count() > 2 && !folder.join(&name).with_extension("rtbz").exists()
                {
                    let own = table(&name, Metric::Dtz);
                    let (library, backend) = (small_tables(Metric::Dtz), Backend::detect());
                    export(own, library, folder, distances, backend, Control::default()).unwrap();
                }
            }
        }
    };
    let exact = source(
        "exact Syzygy files",
        Open::Nothing,
        syzygy(Distances::Exact),
    );
    let outcomes = source("WDL files", Open::Outcome, |folder| {
        copy(exact._folder.path(), folder, &["rtbw"]);
    });
    vec![
        source("own files", Open::Nothing, |folder| {
            for material in materials {
                write(&material.to_string(), Kind::Own, folder);
            }
        }),
        source("packed files", Open::Outcome, |folder| {
            let all = tempfile::tempdir().unwrap();
            for material in materials {
                write(&material.to_string(), Kind::Packed, all.path());
            }
            copy(all.path(), folder, &["tbmp"]);
        }),
        exact,
        source(
            "rounded Syzygy files",
            Open::Rounded,
            syzygy(Distances::Rounded),
        ),
        outcomes,
        source("no files", Open::All, |_| ()),
        Source {
            tables: on_demand(),
            ..source("solved tables", Open::Nothing, |_| ())
        },
    ]
}

/// The value by a metric that every table has.
fn truth(position: &GamePosition, metric: Metric, own: &Tables) -> Value {
    own.value(metric, position).unwrap().0
}

/// Compares what is known with the truth; `zeroing` and `mate` are the values without a counter.
fn check(of: &Evaluation, counter: u16, [zeroing, mate]: [Value; 2], open: Open, what: &str) {
    let true_outcome = zeroing.with_counter(counter);
    let late = match true_outcome {
        Outcome::CursedWin => Some(Outcome::Win),
        Outcome::BlessedLoss => Some(Outcome::Loss),
        _ => None,
    };
    let early = match true_outcome {
        Outcome::Win => Some(Outcome::CursedWin),
        Outcome::Loss => Some(Outcome::BlessedLoss),
        _ => None,
    };
    match of.certain {
        true => assert_eq!(of.outcome, true_outcome, "{what}"),
        false => {
            let possible = [Some(true_outcome), late, early];
            assert!(possible.contains(&Some(of.outcome)), "{what}: {of:?}");
            let may_be_open = match open {
                Open::Nothing => false,
                Open::Rounded => {
                    !of.exact && counter > 0 && matches!(counter + zeroing.plies, 100 | 101)
                }
                Open::Outcome => counter > 0 || mate.plies > 100,
                Open::All => true,
            };
            assert!(may_be_open, "{what}: {of:?} is open");
        }
    }
    if let Some(found) = of.dtz {
        let shorter = zeroing.plies.checked_sub(1);
        let may_be_rounded = !of.exact && open == Open::Rounded;
        let fits = found.plies == zeroing.plies || may_be_rounded && Some(found.plies) == shorter;
        assert!(
            found.outcome == zeroing.outcome && fits,
            "{what}: {found}, {zeroing}"
        );
        assert!(of.exact || may_be_rounded, "{what}");
    }
    if let Some(found) = of.dtm {
        assert_eq!(found, mate, "{what}");
    }
}

/// Compares moves with the truth.
fn check_moves(position: &GamePosition, source: &Source, own: &Tables) {
    let fen = position.fen();
    let moves: Vec<MoveAnswer> = match source.tables.moves(position) {
        Ok(moves) => moves,
        Err(error) => {
            assert!(
                error.is_missing() && source.open == Open::All,
                "{fen}: {error}"
            );
            return;
        }
    };
    assert_eq!(moves.len(), position.moves().len(), "{fen}");
    let is_lost = source.tables.answer(position).is_ok_and(|answer| {
        answer.evaluation.certain && answer.evaluation.outcome == Outcome::Loss
    });
    for step in &moves {
        let what = format!("{}: {fen} {}", source.name, step.uci);
        let Some(evaluation) = &step.evaluation else {
            assert!(source.open == Open::All, "{what}");
            continue;
        };
        let after = [Metric::Dtz, Metric::Dtm].map(|metric| truth(&step.position, metric, own));
        let [zeroing, mate] = [Metric::Dtz, Metric::Dtm]
            .map(|metric| metric.after_move(after[metric as usize], step.zeroing));
        assert!(!is_lost || evaluation.certain, "{what}: all moves lose");
        // A distance that is rounded is that after the move.
        let open = match source.open {
            Open::Outcome => Open::All,
            open => open,
        };
        check(evaluation, position.counter(), [zeroing, mate], open, &what);
        if let Some(answer) = &step.after {
            check(
                &answer.evaluation,
                step.position.counter(),
                after,
                open,
                &what,
            );
        }
    }
    let exact = |of: &MoveAnswer| {
        let after = of.after.map(|after| after.evaluation);
        after.is_some_and(|of| of.exact && of.dtz.is_some())
    };
    if moves.iter().all(exact) {
        let order: Vec<String> = moves.iter().map(|step| step.uci.clone()).collect();
        assert_eq!(order, by_the_rules(moves), "{}: {fen}", source.name);
    }
}

/// Best play ends as the answer says, or it is said why there is none.
fn check_line(position: &GamePosition, of: &Evaluation, source: &Source) {
    let what = format!("{}: {}", source.name, position.fen());
    let line = match source.tables.line(position) {
        Ok(line) => line,
        Err(TablesError::Rounded) => {
            assert!(source.open != Open::Nothing, "{what}");
            return;
        }
        Err(error) => {
            assert!(
                error.is_missing() && source.open == Open::All,
                "{what}: {error}"
            );
            return;
        }
    };
    if source.open == Open::Nothing {
        let ending = match of.outcome {
            Outcome::Draw => Ending::Draw,
            Outcome::Win | Outcome::Loss => Ending::Checkmate,
            Outcome::CursedWin | Outcome::BlessedLoss => Ending::FiftyMoves,
        };
        assert_eq!(line.ending, ending, "{what}");
    }
}

/// Compares the answers of a source to positions with the truth, and batches and labels with the answers. Returns how many are
/// open, and how many are missing.
fn compare(
    source: &Source,
    positions: &[GamePosition],
    own: &Tables,
    with_moves: usize,
) -> [usize; 2] {
    let prober = BatchProber::new(&source.tables, 0);
    let boards: Vec<PackedBoard> = positions.iter().flat_map(GamePosition::packed).collect();
    let counters: Vec<u16> = positions.iter().map(GamePosition::counter).collect();
    let answers = prober.answers(positions);
    let labels = prober.labels(Wanted::ALL, &boards, &counters);
    let [mut open, mut missing] = [0; 2];
    for (number, ((position, answer), label)) in
        positions.iter().zip(answers).zip(labels).enumerate()
    {
        let what = format!("{}: {}", source.name, position.fen());
        let single: Result<Answer, TablesError> = source.tables.answer(position);
        let answer: Answer = match (single, answer) {
            (Ok(single), Ok(answer)) => {
                assert_eq!(single, answer, "{what}");
                answer
            }
            (Err(single), Err(answer)) => {
                assert_eq!(single.to_string(), answer.to_string(), "{what}");
                assert!(
                    single.is_missing() && source.open == Open::All,
                    "{what}: {single}"
                );
                missing += 1;
                continue;
            }
            (single, answer) => panic!("{what}: {single:?}, in a batch {answer:?}"),
        };
        let of = answer.evaluation;
        assert_eq!(label, Ok(of), "{what}");
        let values = [Metric::Dtz, Metric::Dtm].map(|metric| truth(position, metric, own));
        check(&of, position.counter(), values, source.open, &what);
        open += usize::from(!of.certain);
        if number % with_moves == 0 {
            check_moves(position, source, own);
            check_line(position, &of, source);
        }
    }
    [open, missing]
}

/// Of three materials and those that they lead to; of all 35 with `TBINDEX_THOROUGH`, one million positions.
#[test]
fn every_source_has_the_same_answers() {
    let thorough = one_in(2) == 1;
    let names = ["KPvK", "KRRvK", "KNNvK"];
    let materials: Vec<Material> = match thorough {
        true => tbgen::all_up_to(4),
        false => names.iter().map(|name| name.parse().unwrap()).collect(),
    };
    let (count, with_moves) = if thorough { (1_000_000, 50) } else { (700, 7) };
    let sources = sources(&materials);
    let own = &sources[0].tables;
    let mut random = Random::new(17);
    let positions: Vec<GamePosition> =
        random_positions(materials.iter().copied().cycle().take(count), 11)
            .map(|position| position.with_counter(random.below(101) as u16))
            .collect();
    for source in &sources {
        let [mut open, mut missing] = [0; 2];
        for positions in positions.chunks(10_000) {
            let found = compare(source, positions, own, with_moves);
            open += found[0];
            missing += found[1];
        }
        println!("{}: {open} open, {missing} missing of {count}", source.name);
        match source.open {
            Open::Nothing => assert_eq!([open, missing], [0, 0], "{}", source.name),
            Open::Rounded => assert_eq!(missing, 0),
            Open::Outcome => assert!(missing == 0 && open > count / 30, "{}", source.name),
            Open::All => assert!(open == 0 && missing > count / 2),
        }
    }
}
