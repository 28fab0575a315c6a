//! The memory that plans ask for.

use tbgen::internals::{CacheSize, TableSize, one_table_memory};
use tbgen::{Metric, Plan, Shape, SharedPlan, files_bytes, process_memory};

use crate::solved::material;

/// Does work with so many threads.
pub(crate) fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(work)
}

/// Five sets, what captures bring, and little besides.
#[test]
fn nothing_is_due_by_the_distance_to_zeroing() {
    let shape = Shape::new("KQRvKR".parse().unwrap()).unwrap();
    let plan = |metric| with_threads(1, || Plan::in_memory(&shape, metric));
    let [dtz, dtm] = [Metric::Dtz, Metric::Dtm].map(plan);
    let set = shape.domain(0).bytes();
    assert!(dtz.memory < with_threads(1, process_memory) + 7 * set);
    assert!(dtz.aside == 0 && dtm.aside > 4 * set);
}

/// One pawn has up to four placements that are solved at the same time.
#[test]
fn memory_is_charged_for_threads_that_have_work() {
    let shape = Shape::new("KRPvKR".parse().unwrap()).unwrap();
    let [one, four, many] = [1, 4, 64]
        .map(|threads| with_threads(threads, || Plan::in_memory(&shape, Metric::Dtz).memory));
    assert!(four > 2 * one, "{one} {four}");
    let beside_parts = |threads| with_threads(threads, || one_table_memory(&shape));
    assert_eq!(many - four, beside_parts(64) - beside_parts(4));
    // Where memory is short, fewer are solved at a time.
    with_threads(4, || {
        let least = Plan::least(&shape, Metric::Dtz);
        assert!(least.memory < (one + four) / 2 && least.parts == 1);
        let parts = |limit| Plan::new(&shape, Metric::Dtz, Some(limit)).map(|plan| plan.parts);
        let limits = [least.memory - 1, least.memory, four - 1, four];
        assert_eq!(limits.map(parts), [Err(least.memory), Ok(1), Ok(2), Ok(4)]);
    });
}

/// Each process has its share of each level.
#[test]
fn processes_share_levels() {
    let shape = Shape::new("KRPvKR".parse().unwrap()).unwrap();
    for (processes, expected) in [(1, vec![24]), (3, vec![6, 6, 12]), (5, vec![0, 6, 6, 6, 6])] {
        let plan = with_threads(4, || SharedPlan::new(&shape, processes, None).unwrap());
        let slices = plan.processes.iter().map(|process| process.slices[0]);
        assert_eq!(slices.collect::<Vec<_>>(), expected);
        assert!(plan.processes[0].memory <= plan.processes[processes - 1].memory);
    }
}

/// Of a table without pawns each has some of the slices, and of one to the other nearly as many.
#[test]
fn processes_share_slices() {
    let shape = Shape::new(material("KQvKR")).unwrap();
    for (processes, most) in [(1, 462), (2, 240), (4, 123), (8, 63), (10, 58), (12, 58)] {
        let plan = SharedPlan::new(&shape, processes, None).unwrap();
        for winner in 0..2 {
            let slices = plan.processes.iter().map(|process| process.slices[winner]);
            assert_eq!(slices.clone().sum::<usize>(), 462);
            assert!(slices.clone().all(|slices| slices <= most), "{processes}");
        }
    }
}

/// As the sets of their shapes, of one man and of more, with pawns and without.
#[test]
fn sets_take_what_domains_say() {
    for name in ["KQvK", "KQvKR", "KPvK", "KRvKP", "KRPvKR"] {
        let shape = Shape::new(name.parse().unwrap()).unwrap();
        let size = TableSize::of(shape.endgame());
        assert_eq!(size.set, shape.domain(0).bytes(), "{name}");
        assert!(size.slots >= shape.slots(), "{name}");
        assert!(size.parts >= shape.parts() as u64, "{name}");
    }
}

/// Captures by men lead from a part to one of KRRPvK and one of KRPvKR, and those of its pawn to two more of KRRPvK. Tables
/// without pawns are too large.
#[test]
fn a_part_in_slices_keeps_what_its_conversions_lead_to() {
    let shape = Shape::new("KRRPvKR".parse().unwrap()).unwrap();
    for metric in [Metric::Dtz, Metric::Dtm] {
        let part = TableSize::of(material("KRPvKR").into());
        let kept = CacheSize::of(&shape, metric);
        assert!(part.codes(metric) < kept.largest);
        assert_eq!(kept.all, 4 * part.codes(metric), "{metric:?}");
    }
}

#[test]
fn a_king_alone_checkmates_nobody() {
    let shape = |name: &str| Shape::new(name.parse().unwrap()).unwrap();
    let files = |name: &str, metrics: &[Metric]| {
        let shape = shape(name);
        files_bytes(metrics.iter().map(|&metric| (&shape, metric)))
    };
    let both = Metric::HelpBlack.of_smaller();
    assert_eq!(files("KRvK", both), files("KRvK", &[Metric::Dtm]));
    assert_eq!(files("KRvK", &[Metric::HelpWhite]), 0);
    assert_eq!(files("KRvKN", both), files("KRvKN", &[Metric::Dtm; 2]));
}
