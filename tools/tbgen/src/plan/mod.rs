//! The needs of solving a table: where its sets are, and how much memory and disk, and how many bytes of input and
//! output.

mod in_turn;
mod memory;
mod shared;
pub(crate) mod sizes;
mod sliced;

use std::collections::HashSet;
use std::path::Path;

use crate::chess::piece_set::Endgame;
use crate::solve::options::Residence;
use crate::table::shape::Shape;
use crate::table::value::Metric;
pub use in_turn::InTurn;
use memory::{dues, kept_in_memory, set_bytes, sets_of_frontier, smaller, solving_memory};
pub use memory::{look_up_memory, process_memory, solver_memory};
pub use shared::{ProcessPlan, SharedPlan};
use sliced::sliced_memory;

/// A plan for solving a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The metric.
    pub metric: Metric,
    /// The number of slices whose losses are found at the same time, if the dense sets are on disk; `None` if they are
    /// in memory.
    pub group: Option<usize>,
    /// The most parts of one slice that are solved at the same time, each by a thread.
    pub parts: usize,
    /// The most memory of the process, in bytes, with the smaller tables that this one needs. Tables that are kept for
    /// others come on top.
    pub memory: u64,
    /// The bytes that the dense sets take on disk.
    pub sets: u64,
    /// The bytes that the checkpoint is likely not to exceed.
    pub checkpoint: u64,
    /// The bytes on disk that is likely not to be exceeded by what is put aside there: smaller tables, solved parts, and, by
    /// the distance to mate, what moves out of large parts lead to, until it is due.
    pub aside: u64,
    /// The most bytes of sets that are read and written in a sweep, which finds what is won in a ply and lost in the
    /// next.
    pub traffic: u64,
}

/// The seconds that a thread takes to solve a slot of both sides, to solve a part besides, and to write a slot of both
/// sides. Measured.
const SOLVE_SLOT: f64 = 1.0e-8;
const SOLVE_PART: f64 = 1e-4;
const WRITE_SLOT: f64 = 1.2e-8;

/// The seconds that a thread takes for a slot of what a promotion leads to, where that is too large to be at hand.
/// Measured.
const PROMOTE_SLOT: f64 = 1.2e-9;

/// How much longer it takes to solve a table by the distance to mate. Measured: 2.0 for KRPvKR, 2.9 for KRRvKRB.
const MATE: f64 = 2.5;

/// See [`Plan::all_traffic`]. By the distance to zeroing between what was measured: 47 for KBBvKNN, 56 for KRRvKRB. By the
/// distance to mate that of KRRvKRB. Helpmates have half of the plies, and one half.
const FULL_SWEEPS: [u64; 4] = [50, 86, 20, 20];

/// Sets that take as much as moves out of a part of both sides that are put aside.
const STORED_SETS: u64 = 8;

/// Where the dense sets may be, the fastest first: in memory, or on disk, with the losses of so many slices found at the
/// same time.
const GROUPS: [Option<usize>; 8] = [
    None,
    Some(64),
    Some(32),
    Some(16),
    Some(8),
    Some(4),
    Some(2),
    Some(1),
];

/// The places of [`GROUPS`] where the dense sets of a table may be.
fn groups(shape: &Shape) -> &'static [Option<usize>] {
    match shape.may_be_on_disk() {
        true => &GROUPS,
        false => &GROUPS[..1],
    }
}

/// The first of some plans that needs no more memory than a limit, or else the least memory that one of them needs.
fn first_within<P>(
    plans: impl Iterator<Item = P>,
    memory: impl Fn(&P) -> u64,
    limit: Option<u64>,
) -> Result<P, u64> {
    let mut least = u64::MAX;
    for plan in plans {
        let needed = memory(&plan);
        if limit.is_none_or(|limit| needed <= limit) {
            return Ok(plan);
        }
        least = least.min(needed);
    }
    Err(least)
}

impl Plan {
    /// The plan that needs least time within so many bytes of memory. Without a limit, the sets are in memory.
    ///
    /// # Errors
    /// The smallest number of bytes with which the table can be solved.
    pub fn new(shape: &Shape, metric: Metric, limit: Option<u64>) -> Result<Plan, u64> {
        first_within(Plan::all(shape, metric), |plan| plan.memory, limit)
    }

    /// The plan with all sets in memory.
    #[must_use]
    pub fn in_memory(shape: &Shape, metric: Metric) -> Plan {
        Plan::with(shape, metric, None, shape.parts_at_once())
    }

    /// The plan without any files: what would be in a checkpoint is in memory, too.
    #[must_use]
    pub fn without_files(shape: &Shape, metric: Metric) -> Plan {
        Plan {
            memory: process_memory()
                + kept_in_memory(shape.endgame().led_to(), metric)
                + work_here(shape, metric),
            checkpoint: 0,
            aside: 0,
            ..Plan::in_memory(shape, metric)
        }
    }

    /// The plans of tables without any files. These are in an order that has each after those that it needs, and tables
    /// that later ones need are in memory.
    #[must_use]
    pub fn each_without_files(all: &[Shape], metric: Metric) -> Vec<Plan> {
        Plan::each_asked(all, metric, |_| 0)
    }

    /// The plan if each table is asked something when it is solved, in so many bytes of memory with the table itself.
    #[must_use]
    pub fn each_asked(all: &[Shape], metric: Metric, asked: impl Fn(&Shape) -> u64) -> Vec<Plan> {
        let plan = |(number, shape): (usize, &Shape)| {
            let (before, to_come) = all.split_at(number);
            let wanted = to_come.iter().flat_map(|shape| shape.endgame().led_to());
            let wanted: HashSet<Endgame> = wanted.collect();
            let kept = before.iter().map(Shape::endgame);
            let kept = kept_in_memory(kept.filter(|each| wanted.contains(each)), metric);
            let work = work_here(shape, metric).max(asked(shape));
            // The allocator keeps a part of what was given back. Measured.
            let work = work + work / 8;
            Plan {
                memory: solver_memory() + kept + work,
                ..Plan::without_files(shape, metric)
            }
        };
        all.iter().enumerate().map(plan).collect()
    }

    /// The plan that takes the least memory.
    #[must_use]
    pub fn least(shape: &Shape, metric: Metric) -> Plan {
        let all = Plan::all(shape, metric);
        let least = all.min_by_key(|plan| plan.memory);
        least.unwrap_or_else(|| Plan::in_memory(shape, metric))
    }

    /// All plans, the fastest first.
    fn all(shape: &Shape, metric: Metric) -> impl Iterator<Item = Plan> {
        let groups = groups(shape).iter();
        let most = shape.parts_at_once().min(rayon::current_num_threads());
        let parts =
            std::iter::successors(Some(most), |parts| Some(parts / 2).filter(|&half| half > 0));
        groups.flat_map(move |&group| {
            (parts.clone()).map(move |parts| Plan::with(shape, metric, group, parts))
        })
    }

    fn with(shape: &Shape, metric: Metric, group: Option<usize>, parts: usize) -> Plan {
        let on_disk = group.is_some();
        let has_checkpoint = shape.has_checkpoint() || on_disk;
        let work = match has_checkpoint && shape.may_be_on_disk() {
            true => sliced_memory(shape, metric, group),
            false => solving_memory(shape, metric, true, parts),
        };
        let sets = if on_disk { set_bytes(shape) } else { 0 };
        Plan {
            metric,
            group,
            parts,
            memory: process_memory() + smaller(shape, metric, true) + work,
            sets: 2 * sets,
            checkpoint: match has_checkpoint {
                true => checkpoint_bytes(shape) * sets_of_frontier(metric),
                false => 0,
            },
            aside: aside(shape, metric)
                + dues(shape, metric, on_disk)
                + conversions(shape, has_checkpoint && shape.may_be_on_disk(), on_disk),
            traffic: 4 * sets,
        }
    }

    /// The bytes that all temporary files together are likely not to exceed.
    #[must_use]
    pub fn temporary(&self) -> u64 {
        self.sets + self.checkpoint + self.aside
    }

    /// The bytes of sets that are read and written until the table is solved, roughly. Most sweeps find little and
    /// leave most slices out; what is left is as much as so many full sweeps.
    #[must_use]
    pub fn all_traffic(&self, shape: &Shape) -> u64 {
        FULL_SWEEPS[self.metric as usize] * self.traffic * shape.parts() as u64
    }

    /// The seconds that it takes to solve and to write the table, roughly, on so many threads and with files that are
    /// read and written at so many bytes a second.
    #[must_use]
    pub fn seconds(&self, shape: &Shape, threads: usize, rate: f64) -> [f64; 2] {
        let (slots, parts) = (shape.slots() as f64, shape.parts() as f64);
        let working = match shape.any_domain().slices() {
            1 => threads.min(self.parts),
            _ => threads,
        };
        let (working, threads) = (working as f64, threads as f64);
        let longer = match self.metric {
            Metric::Dtz => 1.0,
            _ => MATE,
        };
        let work = slots * SOLVE_SLOT + parts * SOLVE_PART + promoted_slots(shape) * PROMOTE_SLOT;
        let solve = longer * work / working;
        let write = slots * WRITE_SLOT / threads;
        [solve + self.all_traffic(shape) as f64 / rate, write]
    }

    /// Where the dense sets are, with files in a folder.
    #[must_use]
    pub fn residence<'a>(&self, folder: &'a Path) -> Residence<'a> {
        Residence::new(self.group, folder)
    }
}

/// The bytes in which a table is solved without any files.
fn work_here(shape: &Shape, metric: Metric) -> u64 {
    match shape.has_checkpoint_in_memory(metric) {
        true => {
            let checkpoint = Plan::in_memory(shape, metric).checkpoint;
            sliced_memory(shape, metric, None) + checkpoint + dues(shape, metric, false)
        }
        false => shape.work_memory(metric, false),
    }
}

/// The slots of all that promotions lead to, each time, if it is too large to be at hand.
fn promoted_slots(shape: &Shape) -> f64 {
    /// The bytes of a set that is.
    const LARGE: u64 = 2 << 20;
    let promoting = |number: usize| {
        let pawns = shape.pawns(number);
        pawns.occupied().len() - pawns.without_promoting().occupied().len()
    };
    let part = shape.slots() / shape.parts() as u64;
    let after = match shape.pawns(0).occupied().len() {
        0 => return 0.0,
        // A table without pawns, whose kings have slices.
        1 => part / 64 * 462,
        _ => part * 64,
    };
    if after / 8 <= LARGE {
        return 0.0;
    }
    let all: usize = (0..shape.parts())
        .map(|number| promoting(number) as usize)
        .sum();
    4.0 * all as f64 * after as f64
}

/// The bytes on disk of moves out of a part in slices, where they are put aside.
fn conversions(shape: &Shape, has_checkpoint: bool, on_disk: bool) -> u64 {
    match on_disk || has_checkpoint && shape.material().has_pawns() {
        true => STORED_SETS * set_bytes(shape),
        false => 0,
    }
}

/// See [`Plan::aside`]. Smaller tables without pawns are read into a file that is quick to read again, if they are large.
fn aside(shape: &Shape, metric: Metric) -> u64 {
    let parts = match shape.has_checkpoint() {
        true => 0,
        false => shape.likely_aside(),
    };
    let smaller = shape.endgame().led_to().into_iter();
    let smaller =
        smaller.filter(|endgame| !endgame.material.has_pawns() && metric.victim().is_none());
    let smaller = smaller.filter_map(|endgame| Shape::of_endgame(endgame).ok());
    parts + smaller.map(|shape| shape.likely_packed()).sum::<u64>()
}

/// The bytes of a checkpoint: with five pieces four bits for each slot of both sides, of which KBBvKN takes 3.7 by the distance to
/// mate; and half as many with more pieces, of which KRRvKRB takes 1.4. Parts with pawns are kept when they are solved, and
/// only those in work have their plies.
fn checkpoint_bytes(shape: &Shape) -> u64 {
    if shape.material().has_pawns() {
        let in_work = shape.parts_at_once().min(rayon::current_num_threads()) as u64;
        return 2 * shape.slots() / 3 + in_work * shape.slots() / shape.parts() as u64 / 2;
    }
    match shape.material().piece_count() {
        3..=5 => shape.slots(),
        _ => shape.slots() / 2,
    }
}
