//! Positions of a table by number: each that passes a test once, and no other.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use tbgen::{Counting, GamePosition, Members, Outcome, Stats, Value};
use tbindex::batch::Backend;

use crate::mined::{class, positions};
use crate::small::{METRICS, small_tables, table};
use crate::thorough;

static NEVER: AtomicBool = AtomicBool::new(false);

type Test = fn(Value) -> bool;

const TESTS: [Test; 5] = [
    |_| true,
    |value| value.outcome == Outcome::Draw,
    |value| value.outcome == Outcome::Win && value.plies > 6,
    |value| value.outcome <= Outcome::Draw,
    |value| value.outcome == Outcome::Loss && value.plies == 0,
];

/// Every position is looked at of materials of three pieces, and some of the others.
#[test]
fn each_position_has_a_number() {
    for (name, one_in, metrics) in [
        ("KQvK", 1, &METRICS[..]),
        ("KPvK", 1, &METRICS[..]),
        ("KRRvK", 401, &METRICS[..1]),
        ("KPPvK", 401, &METRICS[1..]),
    ] {
        for &metric in metrics {
            let (table, library) = (table(name, metric), small_tables(metric));
            let (material, group) = (table.material(), table.material().group());
            // Of four pieces those that few positions pass, or all if `TBINDEX_THOROUGH` is set.
            let is_few = material.piece_count() > 3 && thorough::one_in(2) > 1;
            let tests = if is_few {
                vec![TESTS[1], TESTS[4]]
            } else {
                TESTS.to_vec()
            };
            let found = tests.iter().map(|test| {
                let members = Members::new(table, test, Backend::detect(), &NEVER).unwrap();
                let numbers: Vec<u64> = (0..members.count()).collect();
                let hits = members.select(&numbers).unwrap();
                let mut set = HashSet::new();
                for hit in &hits {
                    assert!(test(hit.value), "{}: {}", hit.position, hit.value);
                    assert_eq!(hit.value, table.value(&hit.position).unwrap());
                    assert!(set.insert(class(&hit.position, group)), "{}", hit.position);
                }
                // One alone is the same as among all.
                for number in numbers.into_iter().step_by(1013) {
                    let alone = members.select(&[number, number]).unwrap();
                    assert_eq!(alone, [hits[number as usize]; 2]);
                }
                set
            });
            let found: Vec<HashSet<u64>> = found.collect();
            let stats = Stats::of(table, Counting::Unordered).unwrap();
            let count = |outcome| -> u64 { stats.sides.iter().map(|s| s.count(outcome)).sum() };
            let all: u64 = stats.sides.iter().map(tbgen::SideStats::total).sum();
            if !is_few {
                assert_eq!(found[0].len() as u64, all, "{name}");
            }
            let draws = &found[usize::from(!is_few)];
            assert_eq!(draws.len() as u64, count(Outcome::Draw), "{name}");
            positions(material, one_in, |position| {
                let Some(game) = GamePosition::new(&position, None) else {
                    return;
                };
                let value = library.probe(metric, &game).unwrap();
                let this = class(&position, group);
                for (number, (test, set)) in tests.iter().zip(&found).enumerate() {
                    assert_eq!(set.contains(&this), test(value), "{number}: {position}");
                }
            });
        }
    }
}
