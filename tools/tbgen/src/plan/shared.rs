//! The needs of processes that solve a table together.

use tbindex::Color;
use tbindex::bitbase::Domain;

use super::allocations::{beside_sets, one_table_memory, slice_bytes, writing};
use super::memory::{parts_memory, smaller};
use super::sliced::{sliced_memory, slices_on_disk};
use super::{disk, first_within, groups};
use crate::distributed::dealt;
use crate::distributed::partition::Partition;
use crate::table::shape::Shape;
use crate::table::value::Metric;

/// The needs of processes that solve a table together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedPlan {
    /// The needs of each of them.
    pub processes: Vec<ProcessPlan>,
    /// The number of slices whose losses each finds at the same time, if the dense sets are on disk; `None` if they are
    /// in memory.
    pub group: Option<usize>,
    /// The most bytes of all checkpoints together.
    pub checkpoint: u64,
    /// The bytes that all of them send until the table is solved, roughly.
    pub sent: u64,
}

/// The needs of one of the processes that solve a table together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessPlan {
    /// The slices that it has while the wins of each side are found, white's first; with pawns, the placements of the
    /// pawns that it solves.
    pub slices: [usize; 2],
    /// The slices of others of which it gets what is lost in a ply.
    pub received: [usize; 2],
    /// The most memory, in bytes.
    pub memory: u64,
    /// The bytes that its dense sets take on disk.
    pub sets: u64,
}

/// The bytes that the positions lost in all plies take, compressed, for each slot of a side: with five pieces, as
/// measured, 0.03 for KRBvKR and 0.4 for KBBvKN, which has the most plies.
const LOST_BYTES: f64 = 0.4;

/// The positions that a ply finds lost in a slice take at most the slice's size by this, compressed.
const PLY_FRACTION: u64 = 4;

impl SharedPlan {
    /// The plan, with distances to zeroing, for so many processes that needs least time within so many bytes of memory
    /// of each. Without a limit, the sets are in memory.
    ///
    /// # Errors
    /// The smallest number of bytes with which so many processes can solve the table.
    ///
    /// # Panics
    /// If there is no process.
    pub fn new(shape: &Shape, processes: usize, limit: Option<u64>) -> Result<SharedPlan, u64> {
        assert!(processes > 0, "a process");
        // Processes that share a table with pawns have the sets of their parts in memory.
        let groups = groups(!shape.material().has_pawns() && shape.may_be_on_disk());
        let all = groups.map(|group| SharedPlan::with(shape, processes, group));
        first_within(all, SharedPlan::memory, limit)
    }

    /// The most memory of a process, in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let all = self.processes.iter().map(|process| process.memory);
        all.max().unwrap_or(0)
    }

    fn with(shape: &Shape, processes: usize, group: Option<usize>) -> SharedPlan {
        let each = match shape.material().has_pawns() {
            true => of_placements(shape, processes),
            false => of_slices(shape, processes, group),
        };
        let received: usize = each.iter().flat_map(|process| process.received).sum();
        let slots = shape.any_domain().slice_slots();
        SharedPlan {
            processes: each,
            group,
            checkpoint: disk::checkpoint(shape, Metric::Dtz),
            sent: (received as f64 * LOST_BYTES * slots as f64 / 2.0) as u64,
        }
    }
}

/// The needs of each process for a table with pawns. The placements of a level are dealt out before the next is begun.
fn of_placements(shape: &Shape, processes: usize) -> Vec<ProcessPlan> {
    let memory = one_table_memory(shape) + smaller(shape, Metric::Dtz, false);
    let sliced = shape.any_domain().slices() > 1;
    let each = |number: usize| {
        let levels = shape.placements().levels.iter();
        let mine = levels.map(|level| dealt(level.len(), number, processes).len());
        let (all, at_once) = mine.fold((0, 0), |(all, most), mine| (all + mine, most.max(mine)));
        let work = match sliced {
            true => sliced_memory(shape, Metric::Dtz, None),
            false => parts_memory(shape, Metric::Dtz, at_once, true),
        };
        ProcessPlan {
            slices: [all; 2],
            memory: memory + work,
            ..ProcessPlan::default()
        }
    };
    (0..processes).map(each).collect()
}

/// The needs of each process for a table without pawns.
fn of_slices(shape: &Shape, processes: usize, group: Option<usize>) -> Vec<ProcessPlan> {
    let domain = shape.any_domain();
    let (slice, all) = (slice_bytes(domain), domain.slices());
    let partition = Partition::new(domain, processes);
    let each = |number: usize| {
        let mut process = ProcessPlan::default();
        let mut most = 0;
        for winner in Color::ALL {
            let mine = partition.slices_of(number, winner);
            let (own, received) = (mine.len(), partition.received(number, winner));
            let (sets, exits) = match group {
                // As measured, what is new takes pages all over its slices in some plies.
                None => {
                    let sets = (5 * own + received) as u64 * slice;
                    (sets, exits(domain, winner, [own + received, own, all]))
                }
                Some(_) if own == 0 => (0, 0),
                Some(group) => {
                    let [here, made] = slices_on_disk(domain, !winner, &mine, group, 1);
                    // Sets that others have sent wait as they came.
                    let sets = here as u64 * slice + received as u64 * slice / PLY_FRACTION;
                    (sets, exits(domain, winner, [made; 3]))
                }
            };
            most = most.max(sets + exits as u64 * slice / 64);
            process.slices[winner as usize] = own;
            process.received[winner as usize] = received;
        }
        process.memory = one_table_memory(shape)
            + smaller(shape, Metric::Dtz, false)
            + (beside_sets(shape, Metric::Dtz) + most).max(writing(shape, Metric::Dtz));
        if group.is_some() {
            process.sets = 2 * process.slices.into_iter().max().unwrap_or(0) as u64 * slice;
        }
        process
    };
    (0..processes).map(each).collect()
}

/// The sets of a slice without a man that captures in the slices of the winner and of the loser lead to, and those that
/// one of these is made from.
fn exits(domain: &Domain, winner: Color, [winning, losing, source]: [usize; 3]) -> usize {
    let captured = |side: Color| domain.captured_by(side).count();
    let winning = winning.min(domain.slices());
    2 * captured(winner) * winning + 3 * captured(!winner) * losing + 5 * source
}
