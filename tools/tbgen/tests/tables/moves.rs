//! Values against what the moves imply, by a move generator that shares no code with the solver.

use tbgen::{Counting, Sample, SideStats, verify_moves};

use crate::small::{METRICS, small_materials, small_tables, stats_of};
use crate::thorough::one_in;

/// Of tables of four pieces one value in 240, or all if `TBINDEX_THOROUGH` is set.
#[test]
fn every_value_of_three_and_four_pieces_is_what_its_moves_imply() {
    for metric in METRICS {
        for material in small_materials() {
            let table = small_tables(metric).get(&material).unwrap();
            let few = one_in(240) as u64;
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
