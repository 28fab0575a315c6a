//! The needs of tables that are solved one after the other, each after those that it needs, without a folder that has them.

use std::collections::HashSet;

use super::allocations::solver_memory;
use super::disk;
use crate::chess::piece_set::Endgame;
use crate::table::shape::Shape;
use crate::table::value::Metric;

/// Tables that are solved one after the other in one process.
#[derive(Clone, Copy, Debug)]
pub struct InTurn<'a> {
    /// Their shapes, each after those that it needs.
    pub shapes: &'a [Shape],
    /// The metrics by which each is solved, one after the other.
    pub metrics: &'a [Metric],
    /// Whether all stay, or those that others lead to.
    pub all_stay: bool,
    /// Whether large tables, and the sets of these while they are solved, are in temporary files.
    pub files: bool,
}

impl<'a> InTurn<'a> {
    /// Tables in memory, of which those stay that others lead to.
    #[must_use]
    pub fn in_memory(shapes: &'a [Shape], metrics: &'a [Metric]) -> InTurn<'a> {
        InTurn {
            shapes,
            metrics,
            all_stay: false,
            files: false,
        }
    }

    /// The most that one table takes in work together with those that stay, each solved by all metrics.
    fn most(
        &self,
        kept: impl Fn(&Shape, Metric) -> u64,
        work: impl Fn(&Shape, Metric) -> u64,
    ) -> u64 {
        let each = self.shapes.iter().enumerate().map(|(number, shape)| {
            let (before, to_come) = self.shapes.split_at(number);
            let wanted = to_come.iter().flat_map(|shape| shape.endgame().led_to());
            let wanted: HashSet<Endgame> = wanted.collect();
            let stays = |shape: &&Shape| self.all_stay || wanted.contains(&shape.endgame());
            let all = |shape| self.metrics.iter().map(move |&metric| (shape, metric));
            let kept_before = before.iter().filter(stays).flat_map(all);
            let others = all(shape).take(self.metrics.len().saturating_sub(1));
            let stays = kept_before
                .chain(others)
                .map(|(shape, metric)| kept(shape, metric));
            let work = all(shape).map(|(shape, metric)| work(shape, metric)).max();
            stays.sum::<u64>() + work.unwrap_or(0)
        });
        each.max().unwrap_or(0)
    }

    /// The most memory of the process, in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory_with(|_| 0)
    }

    /// The most memory of the process, in bytes, if each table is asked something when it is solved, in so many bytes with the
    /// table itself.
    #[must_use]
    pub fn memory_with(&self, asked: impl Fn(&Shape) -> u64) -> u64 {
        let work = |shape: &Shape, metric| {
            let work = shape.work_memory(metric, self.files).max(asked(shape));
            // The allocator keeps a part of what was given back. Measured.
            work + work / 8
        };
        let kept = |shape: &Shape, metric| shape.stays(metric, self.files);
        solver_memory() + self.most(kept, work)
    }

    /// The most that temporary files take, in bytes.
    #[must_use]
    pub fn temporary(&self) -> u64 {
        match self.files {
            true => self.most(disk::solved, |shape, metric| {
                disk::solved(shape, metric) + disk::in_work(shape, metric)
            }),
            false => 0,
        }
    }
}
