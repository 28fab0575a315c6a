//! Values against what the moves imply, by a move generator that shares no code with the solver.

use std::sync::atomic::AtomicBool;

use tbgen::{
    Check, Counting, Metric, Sample, SideStats, SolveError, VerifyError, all_up_to, verify_moves,
};

use crate::small::{METRICS, small_tables, stats_of, table};
use crate::thorough::one_in;

#[test]
fn a_check_says_how_far_it_is() {
    let table = table("KRvK", Metric::Dtz);
    let calls = std::sync::Mutex::new(Vec::new());
    let progress = |done, all| calls.lock().unwrap().push((done, all));
    let check = Check {
        progress: Some(&progress),
        ..Sample::OneIn(10).into()
    };
    verify_moves(table, small_tables(Metric::Dtz), check).unwrap();
    let mut calls = calls.into_inner().unwrap();
    calls.sort_unstable();
    // The slices of both sides.
    let expected: Vec<(u64, u64)> = (1..=924).map(|done| (done, 924)).collect();
    assert_eq!(calls, expected);
}

#[test]
fn a_check_that_is_stopped_ends_with_an_error() {
    let stop = &AtomicBool::new(true);
    let check = Check {
        stop: Some(stop),
        ..Sample::All.into()
    };
    let table = table("KRvK", Metric::Dtz);
    let error = verify_moves(table, small_tables(Metric::Dtz), check).unwrap_err();
    let expected = matches!(error, VerifyError::Solve(SolveError::Interrupted));
    assert!(expected, "{error}");
}

/// Of tables of four pieces and half of those of three one value in 3000, or all if `TBINDEX_THOROUGH` is set.
#[test]
fn every_value_of_three_and_four_pieces_is_what_its_moves_imply() {
    for metric in METRICS {
        for (k, material) in all_up_to(4).into_iter().enumerate() {
            let table = small_tables(metric).get(&material).unwrap();
            let few = one_in(3000) as u64;
            let all = material.piece_count() == 3 && (k + metric as usize).is_multiple_of(2);
            let sample = match all || few == 1 {
                true => Sample::All,
                false => Sample::OneIn(few),
            };
            let count = verify_moves(table, small_tables(metric), sample)
                .unwrap_or_else(|error| panic!("{material}, {}: {error}", metric.name()));
            if let Sample::OneIn(n) = sample {
                let slots = table.shape().slots();
                assert!(count > slots / (2 * n), "{material}: {count} of {slots}");
                continue;
            }
            let stats = stats_of(table, Counting::Unordered);
            let all: u64 = stats.sides.iter().map(SideStats::total).sum();
            // A placement of pawns that is its own mirror image has every position twice.
            match material.has_pawns() {
                true => assert!(count >= all, "{material}"),
                false => assert_eq!(count, all, "{material}"),
            }
        }
    }
}
