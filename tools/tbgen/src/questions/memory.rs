//! The memory in which a query is put to a table.

use tbindex::bitbase::Domain;

use super::query::Query;
use super::sets::{slice_sets, tallied_sets, tallies_of};
use crate::plan::memory::asked_memory;
use crate::table::shape::Shape;
use crate::table::value::Metric;

/// The facts that decide which memory a search takes.
#[derive(Clone, Copy, Debug)]
pub struct MineMemory {
    /// Whether the table is in a file.
    pub from_files: bool,
    /// Whether positions are listed.
    pub list: bool,
    /// The slices that are searched at the same time, at most.
    pub slices_at_once: usize,
}

/// The parts of one slice that are searched before what was found in them is handed over.
pub(super) fn parts_at_once(domain: &Domain) -> usize {
    let few = (16 << 20) / domain.bytes().max(1);
    rayon::current_num_threads().max(few as usize)
}

impl Query {
    /// Whether the query needs the tables that moves lead to.
    #[must_use]
    pub fn asks_for_moves(&self) -> bool {
        self.asks_for_en_passant() || !tallies_of(&self.root, false).is_empty()
    }

    /// The memory, in bytes, in which the query is put to a table, with the table itself, on the threads of the current
    /// rayon pool: to a table of a file or one that was solved in memory, with positions listed or not, and with so many
    /// slices searched at the same time. A process itself comes on top.
    #[must_use]
    pub fn memory(&self, shape: &Shape, metric: Metric, how: MineMemory) -> u64 {
        let domain = shape.any_domain();
        let slices = domain.slices() as u64;
        let slice = domain.bytes() / slices;
        let group = (how.slices_at_once as u64).clamp(1, slices);
        // A king moves to eight slices more.
        let around = (9 * group).min(slices);
        let wanted = tallies_of(&self.root, shape.material().has_pawns()).len();
        let [sums, near] = tallied_sets(wanted, metric);
        let threads = rayon::current_num_threads() as u64;
        let parts = shape.parts_at_once() as u64;
        let tallied = threads.min(parts) * (sums * group + near * around);
        // A number and a word for each word of a slice; and twice more for the slice that is logged.
        let listed = match how.list {
            true => 4 * group * parts.min(parts_at_once(domain) as u64) + 8,
            false => 0,
        };
        let work = tallied + threads * slice_sets(&self.root) + listed;
        work * slice + asked_memory(shape, metric, how.from_files, self.asks_for_moves())
    }

    /// A search of as many slices at the same time as so many bytes of memory allow, but no more than in `how`, and one at least.
    #[must_use]
    pub fn within(
        &self,
        shape: &Shape,
        metric: Metric,
        mut how: MineMemory,
        memory: u64,
    ) -> MineMemory {
        while how.slices_at_once > 1 && self.memory(shape, metric, how) > memory {
            how.slices_at_once /= 2;
        }
        how
    }
}
