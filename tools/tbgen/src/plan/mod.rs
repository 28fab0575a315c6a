//! The needs of solving a table: where its sets are, how much memory, disk and time, and how many bytes of input and
//! output.

pub(crate) mod allocations;
pub(crate) mod disk;
pub(crate) mod in_turn;
pub(crate) mod memory;
mod shared;
pub(crate) mod sizes;
mod sliced;
mod speed;

use crate::solve::options::SLICES_IN_WORK;
use crate::table::shape::Shape;
use crate::table::value::Metric;
pub use allocations::process_memory;
use allocations::{one_table_memory, set_bytes};
pub use in_turn::InTurn;
use memory::{smaller, solving_memory};
pub use shared::{ProcessPlan, SharedPlan};
use sliced::sliced_memory;
pub use speed::Speed;

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
    /// The most bytes of the checkpoint.
    pub checkpoint: u64,
    /// The most bytes on disk of what is put aside there: smaller tables, solved parts, and what moves out of a large part lead to,
    /// until it is due.
    pub aside: u64,
    /// The most bytes of sets that are read and written in a sweep, which finds what is won in a ply and lost in the
    /// next.
    pub traffic: u64,
}

/// See [`Plan::all_traffic`]. By the distance to zeroing between what was measured: 47 for KBBvKNN, 56 for KRRvKRB. By the
/// distance to mate that of KRRvKRB. Helpmates have half of the plies, and one half.
const FULL_SWEEPS: [u64; 4] = [50, 86, 20, 20];

/// A number and its halves, down to 1.
fn halves(most: usize) -> impl Iterator<Item = usize> + Clone {
    std::iter::successors(Some(most), |number| {
        Some(number / 2).filter(|&half| half > 0)
    })
}

/// Where the dense sets may be, the fastest first: in memory, or if they may be on disk there, with the losses of so many slices
/// found at the same time.
fn groups(may_be_on_disk: bool) -> impl Iterator<Item = Option<usize>> {
    let on_disk = halves(SLICES_IN_WORK).filter(move |_| may_be_on_disk);
    std::iter::once(None).chain(on_disk.map(Some))
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

    /// The plan that takes the least memory.
    #[must_use]
    pub fn least(shape: &Shape, metric: Metric) -> Plan {
        let all = Plan::all(shape, metric);
        let least = all.min_by_key(|plan| plan.memory);
        least.unwrap_or_else(|| Plan::in_memory(shape, metric))
    }

    /// All plans, the fastest first.
    fn all(shape: &Shape, metric: Metric) -> impl Iterator<Item = Plan> {
        let parts = halves(shape.parts_at_once().min(rayon::current_num_threads()));
        groups(shape.may_be_on_disk()).flat_map(move |group| {
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
            memory: one_table_memory(shape) + smaller(shape, metric, true) + work,
            sets: 2 * sets,
            checkpoint: match has_checkpoint {
                true => disk::checkpoint(shape, metric),
                false => 0,
            },
            aside: disk::smaller(shape, metric)
                + disk::conversions(shape, metric, on_disk)
                + disk::parts(shape, metric),
            traffic: 4 * sets,
        }
    }

    /// The most bytes of all temporary files together.
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
}
