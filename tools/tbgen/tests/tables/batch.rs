//! Batches give the answers that positions have one after the other.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use syzygy_tables::batch::{PackedBoard, PieceOrder, Positions};
use syzygy_tables::cozy_chess;
use syzygy_tables::writer::{Control, Distances};
use tbgen::{
    BatchProber, Evaluation, Failure, GamePosition, Metric, Outcome, Sides, Table, Tables,
    TablesError, Value, Wanted, export, needed_by,
};
use tbindex::batch::Backend;
use tbindex::store::Overwrite;
use tbindex::{Color, Material, Position};
use tempfile::TempDir;

use crate::packed::packed as pack_table;
use crate::positions::random_position;
use crate::random::Random;
use crate::small::{METRICS, small_tables, table};
use crate::solved::material;
use crate::thorough::one_in;

/// The least memory that a prober takes.
const LITTLE: usize = 0;

/// All that three materials lead to, with pawns of both sides, like pieces, and both sides alike.
const NAMES: [&str; 4] = ["KPvKP", "KRRvK", "KBBvK", "KNNvK"];

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Own,
    Packed,
    Syzygy,
}

/// Writes the tables of a material and those that it leads to.
pub(crate) fn write(name: &str, kind: Kind, folder: &Path) {
    for needed in needed_by(&material(name)) {
        write_one(&needed.to_string(), kind, folder);
    }
}

fn write_one(name: &str, kind: Kind, folder: &Path) {
    let own = material(name);
    match kind {
        Kind::Own => METRICS.iter().for_each(|&metric| {
            let path = Table::path(folder, own, metric);
            let table = table(name, metric);
            table.write(&path, Overwrite::Replace).unwrap();
        }),
        // By the distance to zeroing there are no packed files.
        Kind::Packed => {
            let path = Table::path(folder, own, Metric::Dtz);
            let table = table(name, Metric::Dtz);
            table.write(&path, Overwrite::Replace).unwrap();
            let path = Table::packed_path(folder, own, Metric::Dtm).unwrap();
            if !path.exists() {
                pack_table(name, Metric::Dtm, folder);
            }
        }
        Kind::Syzygy => {
            let library = small_tables(Metric::Dtz);
            let (own, backend) = (table(name, Metric::Dtz), Backend::detect());
            let (distances, control) = (Distances::Exact, Control::default());
            export(own, library, folder, distances, backend, control).unwrap();
        }
    }
}

/// A folder with the tables of some materials and those that they lead to.
pub(crate) fn written(names: &[&str], kind: Kind) -> (TempDir, Tables) {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        write(name, kind, folder.path());
    }
    let tables = Tables::open(&[folder.path()]).unwrap();
    (folder, tables)
}

/// The packed files of [`NAMES`] and those that they lead to, which are made once. Other files of four pieces are packed
/// only if `TBINDEX_THOROUGH` is set.
pub(crate) fn packed_tables() -> &'static Tables {
    &packed().1
}

fn packed() -> &'static (TempDir, Tables) {
    static TABLES: LazyLock<(TempDir, Tables)> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        for needed in NAMES.iter().flat_map(|name| needed_by(&material(name))) {
            let name = &*needed.to_string();
            let is_packed = needed.piece_count() == 3 || NAMES.contains(&name) || one_in(2) == 1;
            let kind = if is_packed { Kind::Packed } else { Kind::Own };
            write_one(name, kind, folder.path());
        }
        let tables = Tables::open(&[folder.path()]).unwrap();
        (folder, tables)
    });
    &TABLES
}

/// Random positions, one of each of some materials.
pub(crate) fn random_positions(
    materials: impl IntoIterator<Item = Material>,
    seed: u64,
) -> impl Iterator<Item = GamePosition> {
    let mut random = Random::new(seed);
    let mut below = move |end: u64| random.below(end.into()) as u64;
    let materials = materials.into_iter();
    materials.map(move |material| random_position(material, &mut below))
}

fn positions(names: &[&str], count: usize) -> Vec<GamePosition> {
    let own = names.iter().map(|name| material(name));
    let others = names.iter().flat_map(|name| needed_by(&material(name)));
    let both = own.cycle().zip(others.cycle()).flat_map(|(a, b)| [a, b]);
    random_positions(both.take(count), 7).collect()
}

fn boards(positions: &[GamePosition]) -> Vec<PackedBoard> {
    let packed = positions.iter().map(GamePosition::packed);
    packed.map(Option::unwrap).collect()
}

/// Compares the answers of a batch with single ones.
fn compare(tables: &Tables, positions: &[GamePosition]) {
    let prober = BatchProber::new(tables, LITTLE);
    let boards = boards(positions);
    let outcomes = prober.probe_wdl(&boards);
    let answers = prober.values(Metric::Dtz, &boards);
    let mates = prober.values(Metric::Dtm, &boards);
    assert_eq!(prober.failures().len(), 0, "{:?}", prober.failures());
    for (k, position) in positions.iter().enumerate() {
        let fen = position.fen();
        let (value, exact) = tables.value(Metric::Dtz, position).unwrap();
        assert_eq!(answers[k], Ok((value, exact)), "{fen}");
        assert_eq!(outcomes[k], Ok(value.outcome), "{fen}");
        let mate = tables.value(Metric::Dtm, position).unwrap();
        assert_eq!(mates[k], Ok(mate), "{fen}");
    }
    let counters = (0..=100).cycle().step_by(7);
    let counted: Vec<GamePosition> = (positions.iter().cloned().zip(counters))
        .map(|(position, counter)| position.with_counter(counter))
        .collect();
    let counters: Vec<u16> = counted.iter().map(GamePosition::counter).collect();
    let labels = prober.labels(Wanted::ALL, &boards, &counters);
    for (position, label) in counted.iter().zip(labels) {
        let answer = tables.answer(position).unwrap();
        let of = answer.evaluation;
        assert_eq!(label, Ok(of), "{}", position.fen());
        // A checkmated side is one ply from its end, as Syzygy files have it.
        let dtz = (of.dtz).map(|value| if answer.checkmate { -1 } else { signed(value) });
        assert_eq!(of.signed(Metric::Dtz), dtz, "{}", position.fen());
        assert_eq!(
            of.signed(Metric::Dtm),
            of.dtm.map(signed),
            "{}",
            position.fen()
        );
    }
}

fn signed(value: Value) -> i16 {
    match value.outcome {
        Outcome::Win | Outcome::CursedWin => value.plies as i16,
        Outcome::Draw => 0,
        Outcome::BlessedLoss | Outcome::Loss => -(value.plies as i16),
    }
}

#[test]
fn own_tables_answer_batches() {
    let (_folder, tables) = written(&NAMES, Kind::Own);
    let positions = positions(&NAMES, 10_000);
    // A FEN has the right where a capture is legal.
    let fens = positions.iter().map(GamePosition::fen);
    let passing = fens.filter(|fen| !fen.contains(" - - "));
    assert!(passing.count() > 50, "few captures en passant");
    compare(&tables, &positions);
    compare(&tables, &positions[..1]);
    compare(&tables, &[]);
}

#[test]
fn packed_tables_answer_batches() {
    compare(packed_tables(), &positions(&NAMES, 1_500));
}

/// Own tables, packed ones and Syzygy files, of which some are missing.
#[test]
fn mixed_folders_answer_as_single_probes_do() {
    let folder = tempfile::tempdir().unwrap();
    write("KRRvK", Kind::Own, folder.path());
    write("KBBvK", Kind::Packed, folder.path());
    write("KNNvK", Kind::Syzygy, folder.path());
    write("KPvK", Kind::Syzygy, folder.path());
    fs::remove_file(folder.path().join("KNvK.rtbw")).unwrap();
    fs::remove_file(folder.path().join("KBvK.tbg")).unwrap();
    fs::remove_file(folder.path().join("KBvK.tbmp")).unwrap();
    let tables = Tables::open(&[folder.path()]).unwrap();
    let (_folder_of_all, whole) = written(&NAMES, Kind::Own);
    let positions = positions(&NAMES, 4_000);
    let prober = BatchProber::new(&tables, LITTLE);
    let boards = boards(&positions);
    let answers = prober.values(Metric::Dtz, &boards);
    let mates = prober.values(Metric::Dtm, &boards);
    let (mut found, mut missing) = (0, 0);
    for ((position, answer), mate) in positions.iter().zip(answers).zip(mates) {
        let fen = position.fen();
        match answer {
            Ok((answer, _)) => {
                found += 1;
                let (value, _) = whole.value(Metric::Dtz, position).unwrap();
                assert_eq!(answer, value, "{fen}");
            }
            // A single probe may give up where a batch finds that what is missing doesn't matter, but not the other way.
            Err(failure) => {
                missing += 1;
                assert!(failure.is_missing());
                let single = tables.value(Metric::Dtz, position);
                let is_missing = matches!(single, Err(TablesError::Missing { .. }));
                assert!(is_missing, "{fen}: {single:?}");
            }
        }
        let single = tables.value(Metric::Dtm, position).ok();
        assert!(mate.is_ok() || single.is_none(), "{fen}");
        let value = whole.value(Metric::Dtm, position).unwrap();
        assert!(mate.is_err() || mate == Ok(value), "{fen}");
    }
    for (position, answer) in positions.iter().zip(prober.answers(&positions)) {
        let Ok(single) = tables.answer(position) else {
            continue;
        };
        let fen = position.fen();
        let answer = answer.unwrap_or_else(|error| panic!("{fen}: {error}"));
        let [found, single] = [answer, single].map(|answer| answer.evaluation);
        assert_eq!(found.outcome, single.outcome, "{fen}");
        assert_eq!(found.dtz.or(single.dtz), found.dtz, "{fen}");
    }
    assert!(
        found > 1_000 && missing > 1_000,
        "{found} found, {missing} missing"
    );
    let counts = prober.failures().into_iter().map(|(error, count)| {
        let TablesError::Missing { endgame, .. } = error else {
            panic!("{error}");
        };
        (endgame.to_string(), count)
    });
    let counts: Vec<(String, u64)> = counts.collect();
    let more_than = |name, least| {
        counts
            .iter()
            .any(|(of, count)| of == name && *count > least)
    };
    assert!(
        more_than("KPvKP", 100) && more_than("KNvK", 0),
        "{counts:?}"
    );
}

/// Where only distances to mate are known, outcomes are theirs.
#[test]
fn distances_to_mate_alone_have_outcomes() {
    let (_folder, tables) = written(&["KRvK"], Kind::Own);
    let tables = tables.with_metric(Metric::Dtm);
    let prober = BatchProber::new(&tables, LITTLE);
    let positions = positions(&["KRvK"], 500);
    let boards = boards(&positions);
    let outcomes = prober.probe_wdl(&boards);
    for (position, found) in positions.iter().zip(outcomes) {
        let answer = tables.answer(position).unwrap();
        assert_eq!(found.unwrap(), answer.evaluation.outcome);
    }
    let mut answers = prober.values(Metric::Dtz, &boards).into_iter();
    assert!(answers.all(|answer| answer.is_err_and(Failure::is_missing)));
}

/// The position of squares in the order of a material's name, if it is one of different squares.
fn position_of(name: &str, side: Color, squares: u64) -> Option<Position> {
    let mut board = [None; 64];
    for (piece, square) in material(name).name_order().zip(squares.to_le_bytes()) {
        let place = board.get_mut(usize::from(square))?;
        if place.replace(piece).is_some() {
            return None;
        }
    }
    Some(Position { board, side })
}

#[test]
fn squares_of_a_material_are_checked_and_answered() {
    for (name, kind) in [("KPvK", Kind::Own), ("KNNvK", Kind::Packed)] {
        let (_folder, tables) = written(&[name], kind);
        let prober = BatchProber::new(&tables, LITTLE);
        let letters: String = material(name).name_order().map(char::from).collect();
        let order = PieceOrder::of_letters(&letters).unwrap();
        let mut random = Random::new(3);
        // Some squares are not on the board, and bytes past the pieces don't matter.
        let squares = (0..30_000).map(|_| {
            let square = |_| match random.bits(7) {
                0 => 64,
                bits => (bits % 64) as u8,
            };
            u64::from_le_bytes([0; 8].map(square))
        });
        let squares: Vec<u64> = squares.collect();
        let black: Vec<bool> = (0..squares.len()).map(|k| k % 3 == 0).collect();
        let labels = prober.labels_of(Wanted::ALL, &order, Sides::Black(&black), &squares);
        for side in [cozy_chess::Color::White, cozy_chess::Color::Black] {
            let mover = Color::ALL[side as usize];
            let asked = || Positions::Squares(order.material(), side, &squares);
            let outcomes = prober.probe_wdl(asked());
            let answers = prober.values(Metric::Dtz, asked());
            let mates = prober.values(Metric::Dtm, asked());
            let mut legal = 0;
            for (k, &at) in squares.iter().enumerate() {
                let position = position_of(name, mover, at);
                let Some(position) =
                    position.and_then(|position| GamePosition::new(&position, None))
                else {
                    let reason = prober.reason(answers[k].unwrap_err());
                    assert!(matches!(reason, TablesError::Illegal(_)), "{reason}");
                    assert!(outcomes[k].is_err() && mates[k].is_err());
                    assert!(black[k] != (mover == Color::Black) || labels[k].is_err());
                    continue;
                };
                legal += 1;
                let (value, exact) = tables.value(Metric::Dtz, &position).unwrap();
                assert_eq!(outcomes[k], Ok(value.outcome), "{}", position.fen());
                assert_eq!(answers[k], Ok((value, exact)), "{}", position.fen());
                let mate = tables.value(Metric::Dtm, &position).unwrap();
                assert_eq!(mates[k], Ok(mate), "{}", position.fen());
                if black[k] == (mover == Color::Black) {
                    let label = labels[k].unwrap();
                    assert_eq!((label.dtz, label.dtm), (Some(value), Some(mate.0)));
                    assert_eq!((label.outcome, label.certain), (value.outcome, true));
                }
            }
            assert!(legal > 5_000, "{name}: {legal} legal positions");
        }
    }
}

/// Rows of squares have the labels of boards also where the table is missing and moves tell.
#[test]
fn squares_have_the_labels_of_boards() {
    let (_folder, tables) = written(&["KQvK", "KRvK"], Kind::Own);
    let prober = BatchProber::new(&tables, LITTLE);
    let (name, order) = ("KQvKR", PieceOrder::of_letters("KQkr").unwrap());
    let mut random = Random::new(5);
    let squares = (0..3_000).map(|_| u64::from_le_bytes([0; 8].map(|_| random.bits(6) as u8)));
    let squares: Vec<u64> = squares.collect();
    let labels = prober.labels_of(Wanted::ALL, &order, Sides::Same(Color::White), &squares);
    let mut known = 0;
    for (&at, label) in squares.iter().zip(labels) {
        let position = position_of(name, Color::White, at);
        let position = position.and_then(|position| GamePosition::new(&position, None));
        let alone =
            position.map(|position| prober.labels(Wanted::ALL, &boards(&[position]), &[])[0]);
        assert_eq!(label.ok(), alone.and_then(Result::ok), "{at:x}");
        known += usize::from(label.is_ok());
    }
    assert!(known > 100, "{known} known");
}

/// A single label has the wanted values that one of a batch has, also where no file has them: of WDL files alone, and of distances
/// to mate alone.
#[test]
fn a_single_label_is_one_of_a_batch() {
    let [syzygy, own] = [Kind::Syzygy, Kind::Own].map(|kind| written(&["KRRvK"], kind).0);
    for (folder, gone) in [(&syzygy, ""), (&syzygy, "rtbz"), (&own, "tbg")] {
        for entry in fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == gone) {
                fs::remove_file(path).unwrap();
            }
        }
        let tables = Tables::open(&[folder.path()]).unwrap();
        let prober = BatchProber::new(&tables, LITTLE);
        for position in positions(&["KRRvK"], 60) {
            let position = position.with_counter(90);
            for wanted in [Wanted::WDL, Wanted::DTZ, Wanted::DTM, Wanted::ALL] {
                let values = |label: Result<Evaluation, Failure>| {
                    let label = label.ok()?;
                    let outcome = wanted.outcome.then_some((label.outcome, label.certain));
                    Some((outcome, label.dtz, label.dtm))
                };
                let boards = boards(std::slice::from_ref(&position));
                let batch = prober.labels(wanted, &boards, &[90])[0];
                let label = prober.label(wanted, &position);
                let fen = position.fen();
                assert_eq!(values(label), values(batch), "{gone} {fen} {wanted:?}");
            }
        }
    }
}

/// A position without a table, whose best move leads to a damaged one, has no label because of the damage.
#[test]
fn damage_after_a_move_is_no_missing_table() {
    let (folder, _) = written(&["KQvK"], Kind::Own);
    for extension in ["tbg", "tbm"] {
        let path = folder.path().join(format!("KQvK.{extension}"));
        let mut bytes = fs::read(&path).unwrap();
        let half = bytes.len() / 2;
        (bytes[half..].iter_mut().step_by(64)).for_each(|byte| *byte ^= 1);
        fs::write(&path, bytes).unwrap();
    }
    let tables = Tables::open(&[folder.path()]).unwrap();
    let prober = BatchProber::new(&tables, LITTLE);
    let fen = "8/8/8/8/3k4/8/1r6/1Q2K3 w - - 10 1";
    let position = GamePosition::parse(fen, &Default::default()).unwrap();
    let found = prober.labels(Wanted::ALL, &boards(&[position]), &[10]);
    let reason = prober.reason(found[0].unwrap_err()).to_string();
    assert!(reason.contains("is damaged"), "{reason}");
}

/// A damaged file costs positions their answers, and no more: others have them, and none is wrong.
#[test]
fn damage_costs_the_answers_in_it_alone() {
    for (kind, name, extension) in [
        (Kind::Own, "KRvK", "tbg"),
        (Kind::Own, "KPvK", "tbg"),
        (Kind::Packed, "KRvK", "tbmp"),
    ] {
        let (folder, intact) = written(&[name], kind);
        let positions: Vec<_> = (positions(&[name], 5_000).into_iter())
            .filter(|position| position.endgame() == material(name).into())
            .collect();
        let boards = boards(&positions);
        let expected = BatchProber::new(&intact, LITTLE).probe_wdl(&boards);
        assert!(expected.iter().all(Result::is_ok));
        let path = folder.path().join(format!("{name}.{extension}"));
        // Where there is no distance to zeroing, that to mate has the outcome, and its damage is told.
        let zeroing = folder.path().join(format!("{name}.tbg"));
        if extension == "tbmp" {
            fs::remove_file(zeroing).unwrap();
        }
        let whole = fs::read(&path).unwrap();
        let (mut failed, mut answered) = (0, 0);
        for byte in (0..whole.len()).step_by(whole.len() / 40 * one_in(2)) {
            let mut bytes = whole.clone();
            bytes[byte] ^= 0x5a;
            fs::write(&path, bytes).unwrap();
            let tables = Tables::open(&[folder.path()]).unwrap();
            let prober = BatchProber::new(&tables, LITTLE);
            let answers = prober.probe_wdl(&boards);
            for (answer, expected) in answers.iter().zip(&expected) {
                match answer {
                    Ok(_) => assert_eq!(answer, expected),
                    Err(failure) => assert!(!failure.is_missing()),
                }
            }
            let errors = answers.iter().filter(|answer| answer.is_err()).count();
            let counted: u64 = prober.failures().iter().map(|(_, count)| count).sum();
            assert_eq!(counted, errors as u64);
            failed += errors;
            answered += answers.len() - errors;
        }
        assert!(
            failed > 100 && answered > 100,
            "{name}: {failed} failed, {answered} not"
        );
    }
}
