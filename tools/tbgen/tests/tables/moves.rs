//! Values against what the moves imply, by a move generator that shares no code with the solver.

use tbgen::{Check, Counting, Metric, Sample, SideStats, all_up_to, verify_moves};

use crate::small::{METRICS, small_tables, stats_of, table};
use crate::thorough::one_in;

#[test]
fn a_check_says_how_far_it_is() {
    let table = table("KRvK", Metric::Dtz);
    let calls = std::sync::Mutex::new(Vec::new());
    let progress = |done, all| calls.lock().unwrap().push((done, all));
    let check = Check {
        sample: Sample::OneIn(10),
        progress: Some(&progress),
    };
    verify_moves(table, small_tables(Metric::Dtz), check).unwrap();
    let mut calls = calls.into_inner().unwrap();
    calls.sort_unstable();
    // The slices of both sides.
    let expected: Vec<(u64, u64)> = (1..=924).map(|done| (done, 924)).collect();
    assert_eq!(calls, expected);
}

/// Of tables of four pieces one value in 1000, or all if `TBINDEX_THOROUGH` is set.
#[test]
fn every_value_of_three_and_four_pieces_is_what_its_moves_imply() {
    for metric in METRICS {
        for material in all_up_to(4) {
            let table = small_tables(metric).get(&material).unwrap();
            let few = one_in(1000) as u64;
            let sample = match material.piece_count() {
                4 if few > 1 => Sample::OneIn(few),
                _ => Sample::All,
            };
            let count = verify_moves(table, small_tables(metric), sample)
                .unwrap_or_else(|error| panic!("{material}, {}: {error}", metric.name()));
            let stats = stats_of(table, Counting::Unordered);
            let all: u64 = stats.sides.iter().map(SideStats::total).sum();
            match sample {
                // A placement of pawns that is its own mirror image has every position twice.
                Sample::All if material.has_pawns() => assert!(count >= all, "{material}"),
                Sample::All => assert_eq!(count, all, "{material}"),
                Sample::OneIn(n) => {
                    assert!(count > all / (2 * n), "{material}: {count} of {all}");
                }
            }
        }
    }
}
