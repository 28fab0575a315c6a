//! The tables are right: against published counts, published tables, and the rules themselves.

#[path = "../../../tests/support/thorough.rs"]
mod thorough;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use serde_json::Value as Json;
use tbgen::{
    Counting, Library, Options, Outcome, Sample, SolveError, Stats, Table, Value, needed_by, solve,
    verify_moves,
};
use tbindex::batch::Backend;
use tbindex::{Enumeration, Fen, Material, Numbering, Stage, StageCounts};

use crate::thorough::one_in;

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

fn solve_by(name: &str, library: &mut Library, backend: Backend) {
    for material in needed_by(&material(name)) {
        if library.get(&material).is_none() {
            let options = Options {
                backend,
                progress: &|_| (),
                stop: &AtomicBool::new(false),
            };
            let table = solve(&material, library, options).unwrap();
            library.insert(table);
        }
    }
}

/// All pawnless materials with at most two pieces besides the kings, one of each pair of twins.
fn small_materials() -> Vec<String> {
    let kinds = ["Q", "R", "B", "N"];
    let mut all = Vec::new();
    for (k, a) in kinds.iter().enumerate() {
        all.push(format!("K{a}vK"));
        for b in &kinds[k..] {
            all.push(format!("K{a}{b}vK"));
            all.push(format!("K{a}vK{b}"));
        }
    }
    all
}

/// All tables of three and four pieces.
fn small_tables() -> &'static Library {
    static TABLES: OnceLock<Library> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut library = Library::default();
        for name in small_materials() {
            solve_by(&name, &mut library, Backend::detect());
        }
        library
    })
}

fn table(name: &str) -> &'static Table {
    small_tables().get(&material(name)).unwrap()
}

/// Data that others made; `None`, said loudly, where it is not there.
fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    // Not `eprintln!`, whose text the test harness shows only of tests that fail.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED the comparison with {name}: there is no {}",
        path.display()
    );
    None
}

#[test]
fn counts_and_longest_lines_are_the_published_ones() {
    let Some(path) = shared("results.json") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let results: Json = serde_json::from_str(&text).unwrap();
    for (name, expected) in results["tables"].as_object().unwrap() {
        let stats = Stats::of(table(name), Counting::Unordered);
        for (side, key) in stats.sides.iter().zip(["white_to_move", "black_to_move"]) {
            for (outcomes, key2) in [
                (&[Outcome::Win, Outcome::CursedWin][..], "wins"),
                (&[Outcome::Draw][..], "draws"),
                (&[Outcome::Loss, Outcome::BlessedLoss][..], "losses"),
            ] {
                let count: u64 = outcomes.iter().map(|&outcome| side.count(outcome)).sum();
                assert_eq!(
                    Some(count),
                    expected[key][key2].as_u64(),
                    "{name} {key} {key2}"
                );
            }
        }
        for longest in expected["longest"].as_array().unwrap() {
            let winner = usize::from(longest["kind"].as_str() == Some("win for black"));
            let plies = longest["plies"].as_u64();
            let (wins, losses) = (&stats.sides[winner], &stats.sides[1 - winner]);
            let found = wins.win_in.keys().chain(losses.loss_in.keys()).max();
            assert_eq!(found.map(|&plies| u64::from(plies)), plies, "{name}");
            let fen: Fen = longest["position"].as_str().unwrap().parse().unwrap();
            let value = table(name).value(&fen.position).unwrap();
            assert_eq!(Some(u64::from(value.plies)), plies, "{name}");
        }
    }
}

/// Of tables of four pieces one value in ten, or all if `TBINDEX_THOROUGH` is set.
#[test]
fn every_value_of_three_and_four_pieces_is_what_its_moves_imply() {
    for name in small_materials() {
        let table = table(&name);
        let sample = match table.material().piece_count() {
            4 if one_in(10) > 1 => Sample::OneIn(10),
            _ => Sample::All,
        };
        let count = verify_moves(table, small_tables(), sample)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let stats = Stats::of(table, Counting::Unordered);
        let all: u64 = stats.sides.iter().map(tbgen::SideStats::total).sum();
        match sample {
            Sample::All => assert_eq!(count, all, "{name}"),
            Sample::OneIn(n) => assert!(count > all / (2 * n), "{name}: {count} of {all}"),
        }
    }
}

/// Where the colours are those of the name, the enumeration by indices must find as many positions.
#[test]
fn there_are_as_many_positions_as_the_enumeration_finds() {
    for name in ["KQvK", "KRRvK", "KBvKN", "KQvKQ"] {
        let stats = Stats::of(table(name), Counting::Unordered);
        for side in tbindex::Color::ALL {
            let all = Enumeration::<u32>::try_new(material(name), Numbering::Natural)
                .unwrap()
                .stage(Stage::Legal, side)
                .canonical_only();
            let (mut counts, mut indices) = (StageCounts::default(), Vec::new());
            for chunk in 0..all.chunk_count() {
                indices.clear();
                counts += all.chunk(chunk, &mut indices);
            }
            let expected = counts.get(Stage::Legal);
            assert_eq!(
                u128::from(stats.sides[side as usize].total()),
                expected,
                "{name}"
            );
        }
    }
}

/// The counts of like pieces that can be told apart: each pair of squares counts twice, except where
/// a mirror exchanges the two.
#[test]
fn ordered_counts_of_like_pieces_are_nearly_double() {
    let stats = [Counting::Unordered, Counting::Ordered].map(|c| Stats::of(table("KRRvK"), c));
    for side in 0..2 {
        let [unordered, ordered] = [0, 1].map(|k| stats[k].sides[side].total());
        assert!(ordered < 2 * unordered && ordered > 2 * unordered - unordered / 100);
    }
    for name in ["KQvKR", "KBNvK"] {
        let stats = [Counting::Unordered, Counting::Ordered].map(|c| Stats::of(table(name), c));
        assert_eq!(stats[0], stats[1], "{name} has no like pieces");
    }
}

#[test]
fn published_positions_have_their_published_values() {
    let Some(path) = shared("epd/endgame.epd") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut seen = 0;
    for line in text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let fen: Fen = line.parse().unwrap();
        let material = fen.position.material().unwrap();
        if material.has_pawns() || material.piece_count() > 4 || fen.has_rights() {
            continue;
        }
        let field = |name: &str| -> i32 {
            let from = line.find(name).unwrap() + name.len();
            line[from..]
                .split(';')
                .next()
                .unwrap()
                .trim()
                .parse()
                .unwrap()
        };
        let value = small_tables().value(&fen.position).unwrap();
        let plies = i32::from(value.plies);
        let dtz = field(" dtz ").abs();
        assert_eq!(value.outcome as i32, field(" wdl "), "{line}");
        // The file has distances as Syzygy tables do: perhaps one less than the true one.
        assert!(
            dtz == plies || dtz + 1 == plies || (dtz, plies) == (1, 0),
            "{line}: {value}"
        );
        seen += 1;
    }
    assert!(seen > 20, "only {seen} positions were looked at");
}

#[test]
fn every_backend_and_number_of_threads_makes_the_same_table() {
    let codes = |backend: Backend, threads: usize| -> Vec<u8> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut library = Library::default();
        pool.install(|| solve_by("KRvKN", &mut library, backend));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let table = library.get(&material("KRvKN")).unwrap();
        table
            .write(&path, tbindex::store::Overwrite::Refuse)
            .unwrap();
        std::fs::read(&path).unwrap()
    };
    let expected = codes(Backend::detect(), 1);
    for backend in Backend::available() {
        for threads in [2, 1].into_iter().step_by(one_in(2)) {
            eprintln!("{backend}, {threads} threads");
            assert!(
                codes(backend, threads) == expected,
                "{backend}, {threads} threads"
            );
        }
    }
}

#[test]
fn conventions_of_the_distance() {
    let value = |fen: &str| {
        let fen: Fen = fen.parse().unwrap();
        small_tables().value(&fen.position).unwrap()
    };
    // Checkmate, mate in one, stalemate.
    assert_eq!(value("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), Value::loss(0));
    assert_eq!(value("k7/8/1K6/8/8/8/1Q6/8 w - - 0 1"), Value::win(1));
    assert_eq!(value("k7/8/1Q6/8/8/8/8/2K5 b - - 0 1"), Value::DRAW);
    // A capture that wins, by a piece and by the king.
    assert_eq!(value("8/8/8/8/k7/8/1Q4r1/4K3 w - - 0 1"), Value::win(1));
    assert_eq!(value("8/8/8/8/8/k7/8/1Q2Kr2 w - - 0 1"), Value::win(1));
    // Colours exchanged: the same table.
    assert_eq!(value("8/8/8/8/K7/8/1q4R1/4k3 b - - 0 1"), Value::win(1));
}

#[test]
fn a_set_flag_stops_the_work() {
    let options = Options {
        backend: Backend::detect(),
        progress: &|_| (),
        stop: &AtomicBool::new(true),
    };
    let result = solve(&material("KQvK"), &Library::default(), options);
    assert!(matches!(result, Err(SolveError::Interrupted)));
}

#[test]
fn what_is_out_of_reach_is_refused_in_a_sentence() {
    let refuse = |name: &str| {
        let options = Options {
            backend: Backend::detect(),
            progress: &|_| (),
            stop: &AtomicBool::new(false),
        };
        solve(&material(name), &Library::default(), options)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(refuse("KPvK").contains("has pawns"));
    assert!(refuse("KQRBvKR").contains("6 pieces"));
    assert!(refuse("KvK").contains("2 pieces"));
    assert!(refuse("KQvKR").contains("is needed"));
}

/// A sample of the small ones here; `tbgen verify --syzygy` does the others in some minutes.
#[cfg(feature = "syzygy")]
#[test]
fn values_agree_with_published_tables() {
    let Some(folder) = shared("syzygy") else {
        return;
    };
    let (published, _) = tbgen::Published::open(&folder).unwrap();
    let mut seen = 0;
    for name in small_materials() {
        let table = table(&name);
        if published.has(table, &folder) {
            let sample = if table.material().piece_count() == 3 {
                Sample::All
            } else {
                Sample::OneIn(50 * one_in(8) as u64)
            };
            let count = published
                .verify(table, sample)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            eprintln!("{name}: {count} positions as published");
            seen += 1;
        }
    }
    assert!(seen > 0, "the folder has no table of three or four pieces");
}
