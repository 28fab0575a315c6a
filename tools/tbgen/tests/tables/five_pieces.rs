//! All 145 tables of three to five pieces, which take minutes, and much more in a build without optimisation.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value as Json;
use tbgen::{Library, Metric, Sample, Table, all_up_to, solve, verify_moves};
use tbindex::batch::Backend;
use tbindex::{Fen, Material};

use crate::published::{compare_statistics, compare_zeroing, json, lines, longest_mate};
use crate::solved::{material, quietly};

/// Solves all tables of up to five pieces, and calls a function with each table, which is in the library with those
/// that it needs. Tables that are needed no longer are dropped.
fn for_each_table(metric: Metric, mut each: impl FnMut(&Table, &Library)) {
    let all = all_up_to(5);
    let mut library = Library::default();
    for (at, material) in all.iter().enumerate() {
        let options = quietly(metric, Backend::detect());
        let table = solve(material, &library, options).unwrap();
        library.insert(table);
        each(library.get(material).unwrap(), &library);
        let mut table = library.remove(material).unwrap();
        table.pack(None).unwrap();
        library.insert(table);
        let leads_to = |from: &Material, to: &Material| {
            let mut after = from.conversions().into_iter();
            after.any(|(_, after)| after.normal() == *to)
        };
        library.retain(|kept| all[at + 1..].iter().any(|later| leads_to(later, kept)));
    }
}

/// Checks about this many positions of a table by their moves.
fn check_moves(table: &Table, library: &Library, positions: u64) {
    let few = (2 * table.shape().slots() / positions).max(1);
    let sample = if few == 1 {
        Sample::All
    } else {
        Sample::OneIn(few)
    };
    let count = verify_moves(table, library, sample)
        .unwrap_or_else(|error| panic!("{}: {error}", table.material()));
    static ALL: AtomicU64 = AtomicU64::new(0);
    let all = ALL.fetch_add(count, Ordering::Relaxed) + count;
    eprintln!(
        "{}: {count} positions, {all} of all tables",
        table.material()
    );
    assert!(count > positions.min(2 * table.shape().slots()) / 20);
}

#[test]
#[ignore = "ten minutes or more: cargo test --release -p tbgen --test tables -- --ignored five_pieces"]
fn five_pieces_by_distance_to_zeroing() {
    let (Some(statistics), Some(lines)) = (json("statistics.json"), lines("epd/endgame.epd"))
    else {
        return;
    };
    let mut lines_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        let fen: Fen = line.parse().unwrap();
        let name = fen.position.material().unwrap().normal().to_string();
        lines_of.entry(name).or_default().push(line);
    }
    let (mut compared, mut positions) = (0, 0);
    for_each_table(Metric::Dtz, |table, library| {
        let name = table.material().to_string();
        if let Some(expected) = statistics.get(&name).filter(|table| *table != &Json::Null) {
            compare_statistics(table, expected);
            compared += 1;
        }
        for line in lines_of.get(&name).into_iter().flatten() {
            compare_zeroing(line, library);
            positions += 1;
        }
        check_moves(table, library, 500_000);
    });
    assert_eq!((compared, positions), (60, 200));
}

#[test]
#[ignore = "ten minutes or more: cargo test --release -p tbgen --test tables -- --ignored five_pieces"]
fn five_pieces_by_distance_to_mate() {
    let longest = [
        ("KRBvKR", 65),
        ("KRPvKR", 74),
        ("KBBvKN", 78),
        ("KNNvKP", 115),
        ("KQPvKQ", 124),
        ("KPPvKP", 127),
    ];
    for_each_table(Metric::Dtm, |table, library| {
        let known = longest
            .iter()
            .find(|(name, _)| material(name) == table.material());
        if let Some((name, moves)) = known {
            assert_eq!(longest_mate(table), *moves, "{name}");
        }
        check_moves(table, library, 500_000);
    });
}
