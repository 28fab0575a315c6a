//! Tables against what others published: counts, positions with their values, and Syzygy tables.

use serde_json::Value as Json;
use syzygy_tables::writer::{
    Control, Distances, DtzEntry, MemorySource, WdlEntry, publish, write_dtz, write_wdl,
};
use syzygy_tables::{Kind, Material as SyzygyMaterial, Wdl, cozy_chess};
use tbgen::{
    Counting, GamePosition, Library, Metric, Outcome, Published, Sample, SideStats, Table, Value,
    all_up_to,
};
use tbindex::Fen;
use tbindex::batch::Backend;

use crate::small::{shared, small_tables, stats_of, table};
use crate::solved::material;
use crate::thorough::one_in;

pub(crate) fn json(name: &str) -> Option<Json> {
    let text = std::fs::read_to_string(shared(name)?).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// The lines of a file of positions that are no comments.
pub(crate) fn lines(name: &str) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(shared(name)?).unwrap();
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Some(lines.map(str::to_owned).collect())
}

fn count(side: &SideStats, outcomes: &[Outcome]) -> u64 {
    outcomes.iter().map(|&outcome| side.count(outcome)).sum()
}

const WINS: &[Outcome] = &[Outcome::Win, Outcome::CursedWin];
const LOSSES: &[Outcome] = &[Outcome::Loss, Outcome::BlessedLoss];

#[test]
fn counts_and_longest_lines_are_the_published_ones() {
    let Some(results) = json("results.json") else {
        return;
    };
    for (name, expected) in results["tables"].as_object().unwrap() {
        let table = table(name, Metric::Dtz);
        let stats = stats_of(table, Counting::Unordered);
        for (side, key) in stats.sides.iter().zip(["white_to_move", "black_to_move"]) {
            for (outcomes, key2) in [
                (WINS, "wins"),
                (&[Outcome::Draw][..], "draws"),
                (LOSSES, "losses"),
            ] {
                let found = Some(count(side, outcomes));
                assert_eq!(found, expected[key][key2].as_u64(), "{name} {key} {key2}");
            }
        }
        for longest in expected["longest"].as_array().unwrap() {
            let winner = usize::from(longest["kind"].as_str() == Some("win for black"));
            let plies = longest["plies"].as_u64();
            let (wins, losses) = (&stats.sides[winner], &stats.sides[1 - winner]);
            let found = wins.win_in.keys().chain(losses.loss_in.keys()).max();
            assert_eq!(found.map(|&plies| u64::from(plies)), plies, "{name}");
            let fen: Fen = longest["position"].as_str().unwrap().parse().unwrap();
            let value = table.value(&fen.position).unwrap();
            assert_eq!(Some(u64::from(value.plies)), plies, "{name}");
        }
    }
}

/// Compares a table with its published statistics, ply by ply.
pub(crate) fn compare_statistics(table: &Table, expected: &Json) {
    let name = table.material();
    let stats = stats_of(table, Counting::Ordered);
    for (side, key) in stats.sides.iter().zip(["white", "black"]) {
        let expected = &expected[key];
        for (found, key2) in [(&side.win_in, "win"), (&side.loss_in, "lose")] {
            let expected = expected[key2].as_object().unwrap();
            for (plies, count) in found {
                let expected = expected.get(&plies.to_string()).and_then(Json::as_u64);
                assert_eq!(
                    Some(*count),
                    expected,
                    "{name}, {key} to move, {key2} {plies}"
                );
            }
            assert_eq!(found.len(), expected.len(), "{name}, {key} to move, {key2}");
        }
        let totals = &expected["totals"];
        for (outcome, key2) in [
            (Outcome::Win, "wins"),
            (Outcome::CursedWin, "cursed wins"),
            (Outcome::Draw, "draws"),
            (Outcome::BlessedLoss, "cursed losses"),
            (Outcome::Loss, "losses"),
        ] {
            // The changes by the fifty-move rule are listed where there are any.
            let expected = match (&totals[key2], key2) {
                (Json::Null, "cursed wins" | "cursed losses") => Some(0),
                (total, _) => total.as_u64(),
            };
            assert_eq!(Some(side.count(outcome)), expected, "{name}, {key}, {key2}");
        }
    }
}

/// The tables of five pieces are compared in `five_pieces`.
#[test]
fn numbers_at_every_distance_are_the_published_ones() {
    let Some(statistics) = json("statistics.json") else {
        return;
    };
    let mut seen = 0;
    for (name, expected) in statistics.as_object().unwrap() {
        if material(name).piece_count() <= 4 {
            compare_statistics(table(name, Metric::Dtz), expected);
            seen += 1;
        }
    }
    assert_eq!(seen, 35, "all tables of three and four pieces are there");
}

/// The number behind a name in an EPD line.
fn operand(line: &str, name: &str) -> i32 {
    let from = line.find(name).unwrap() + name.len();
    let number = line[from..].split(';').next().unwrap();
    number.trim().parse().unwrap()
}

/// The value of the position of a line, en passant included.
fn value_of(line: &str, metric: Metric, library: &Library) -> Value {
    let fen: Fen = line.parse().unwrap();
    let board = GamePosition::new(&fen.position, fen.en_passant);
    let board = board.unwrap_or_else(|| panic!("{line} is legal"));
    let value = library.probe(metric, &board);
    value.unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Compares a line with the published outcome and distance to zeroing.
pub(crate) fn compare_zeroing(line: &str, library: &Library) {
    let value = value_of(line, Metric::Dtz, library);
    let (plies, dtz) = (i32::from(value.plies), operand(line, " dtz "));
    assert_eq!(value.outcome as i32, operand(line, " wdl "), "{line}");
    assert_eq!(dtz.signum(), (value.outcome as i32).signum(), "{line}");
    // The file has distances as Syzygy tables do: perhaps one less than the true one.
    let dtz = dtz.abs();
    assert!(
        dtz == plies || dtz + 1 == plies || (dtz, plies) == (1, 0),
        "{line}: {value}"
    );
}

#[test]
fn published_positions_have_their_published_distances_to_zeroing() {
    let Some(lines) = lines("epd/endgame.epd") else {
        return;
    };
    let (mut seen, mut with_pawns) = (0, 0);
    for line in lines {
        let fen: Fen = line.parse().unwrap();
        let material = fen.position.material().unwrap();
        if material.piece_count() <= 4 {
            compare_zeroing(&line, small_tables(Metric::Dtz));
            seen += 1;
            with_pawns += usize::from(material.has_pawns());
        }
    }
    assert!(
        seen > 80 && with_pawns > 30,
        "{seen}, {with_pawns} of them with pawns"
    );
}

#[test]
fn published_positions_have_their_published_distances_to_mate() {
    let Some(lines) = lines("epd/endgame-dm-4.epd") else {
        return;
    };
    let mut en_passant = 0;
    for line in &lines {
        let value = value_of(line, Metric::Dtm, small_tables(Metric::Dtm));
        // Moves, of the winner: a side that mates in n moves makes the last of 2n − 1 plies.
        let expected = match operand(line, " dm ") {
            0 => Value::DRAW,
            moves @ 1.. => Metric::Dtm.win(2 * moves as u16 - 1),
            moves => Metric::Dtm.loss(2 * moves.unsigned_abs() as u16),
        };
        assert_eq!(value, expected, "{line}");
        // The position seen from the other side.
        let fen: Fen = line.parse().unwrap();
        let turned = fen.position.swap_colors();
        let square = (fen.en_passant).map(|square| tbindex::Symmetry::FlipVertical.apply(square));
        let turned = GamePosition::new(&turned, square).unwrap();
        let library = small_tables(Metric::Dtm);
        let value = library.probe(Metric::Dtm, &turned);
        assert_eq!(value.unwrap(), expected, "{line}, colours exchanged");
        en_passant += usize::from(fen.en_passant.is_some());
    }
    assert_eq!((lines.len(), en_passant), (48, 4));
}

/// The greatest number of moves that a winner of this table needs to mate.
pub(crate) fn longest_mate(table: &Table) -> u16 {
    let stats = stats_of(table, Counting::Unordered);
    let sides = stats.sides.iter();
    let wins = sides.filter_map(|side| side.win_in.keys().max()).max();
    wins.map_or(0, |plies| plies.div_ceil(2))
}

#[test]
fn the_longest_mates_are_the_known_ones() {
    for (name, moves) in [
        ("KQvK", 10),
        ("KRvK", 16),
        ("KBBvK", 19),
        ("KPvK", 28),
        ("KBNvK", 33),
        ("KQvKR", 35),
        ("KRvKN", 40),
        ("KBvK", 0),
    ] {
        assert_eq!(longest_mate(table(name, Metric::Dtm)), moves, "{name}");
    }
}

/// A sample of positions probed, and the numbers at all places of the files.
#[test]
fn values_agree_with_published_tables() {
    let Some(folder) = shared("syzygy") else {
        return;
    };
    let (published, _) = Published::open(&folder).unwrap();
    let mut seen = Vec::new();
    for material in all_up_to(4) {
        let table = small_tables(Metric::Dtz).get(&material).unwrap();
        if published.has(table).unwrap() {
            let slots = table.shape().slots();
            let few = one_in(400) as u64;
            for (sample, least) in [(Sample::OneIn(few), 2 * slots / few), (Sample::All, slots)] {
                let library = small_tables(Metric::Dtz);
                let count = published
                    .verify(table, library, Backend::detect(), sample)
                    .unwrap_or_else(|error| panic!("{material}: {error}"));
                eprintln!("{material}: {count} as published ({sample:?})");
                assert!(count > least / 10, "{material}: only {count}");
            }
            seen.push(material.to_string());
        }
    }
    let least = ["KQvK", "KPvK", "KPvKP", "KRPvK", "KQvKP"].map(str::to_owned);
    assert!(least.iter().all(|name| seen.contains(name)), "{seen:?}");
}

/// Files of another table's values are found to be wrong, by all places and by probes.
#[test]
fn files_with_wrong_values_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let library = small_tables(Metric::Dtz);
    let material: SyzygyMaterial = "KQvK".parse().unwrap();
    let [right, wrong] = [Wdl::Draw, Wdl::Loss].map(|black| {
        MemorySource::try_new(material, |side, _| match side {
            cozy_chess::Color::White => (WdlEntry::ANY, DtzEntry::ANY),
            cozy_chess::Color::Black => (WdlEntry::new(black, None), DtzEntry::ANY),
        })
    });
    for source in [right.unwrap(), wrong.unwrap()] {
        for (kind, bytes) in [
            (Kind::Wdl, write_wdl(&source, Control::default()).unwrap()),
            (
                Kind::Dtz,
                write_dtz(&source, Distances::Exact, Control::default()).unwrap(),
            ),
        ] {
            publish(folder.path(), material, kind, &bytes).unwrap();
        }
        let (files, _) = Published::open(folder.path()).unwrap();
        let table = library.get(&"KQvK".parse().unwrap()).unwrap();
        for sample in [Sample::All, Sample::OneIn(7)] {
            let found = files.verify(table, library, Backend::detect(), sample);
            let error = found.unwrap_err().to_string();
            assert!(error.contains("the Syzygy table says"), "{error}");
        }
    }
}
