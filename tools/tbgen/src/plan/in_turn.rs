//! Tables that are solved one after the other, each after those that it needs, without a folder that has them; and their needs.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::allocations::solver_memory;
use super::disk;
use super::memory::{after_others, stays, work_memory};
use crate::chess::dependencies::pawns;
use crate::chess::piece_set::Endgame;
use crate::subtables::library::Library;
use crate::table::shape::Shape;
use crate::table::solved::Table;
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
    /// Whether large tables and, but by the distance to zeroing, the sets of these while they are solved, are in temporary files.
    pub files: bool,
    /// Whether small tables are solved side by side of which none leads to another.
    pub side_by_side: bool,
}

/// Tables that are solved at the same time.
pub(crate) type Group<'a> = Vec<(&'a Shape, Metric)>;

impl<'a> InTurn<'a> {
    /// Tables in memory, of which those stay that others lead to.
    #[must_use]
    pub fn in_memory(shapes: &'a [Shape], metrics: &'a [Metric]) -> InTurn<'a> {
        InTurn {
            shapes,
            metrics,
            all_stay: false,
            files: false,
            side_by_side: false,
        }
    }

    /// The tables in the order in which they are solved.
    pub(crate) fn groups(&self) -> Vec<Group<'a>> {
        let of = |shapes: &'a [Shape]| {
            let all = move |shape| self.metrics.iter().map(move |&metric| (shape, metric));
            shapes.iter().flat_map(all)
        };
        if !self.side_by_side {
            return of(self.shapes).map(|table| vec![table]).collect();
        }
        // Tables with as many pieces, and as many pawns among them.
        let kin = |shape: &Shape| (shape.material().piece_count(), pawns(&shape.material()));
        let groups = self.shapes.chunk_by(|a, b| kin(a) == kin(b));
        // Large ones have work for all threads, and take memory.
        let groups = groups.flat_map(|shapes| match shapes[0].material().piece_count() {
            ..5 => shapes.chunks(rayon::current_num_threads()),
            _ => shapes.chunks(1),
        });
        groups.map(|shapes| of(shapes).collect()).collect()
    }

    /// Solves the tables by a function of those that each needs. Another function looks at what it made, and a third one makes
    /// the tables of this that stay. Returns what was made of the last, if it does not stay, and the tables that stay to the end.
    pub(crate) fn solve<T: Send, S: Send, E: From<S>>(
        &self,
        solve: impl Fn(&Shape, Metric, &Library) -> Result<T, S> + Sync,
        mut each: impl FnMut(&T, &Library) -> Result<(), E>,
        aside: impl Fn(T) -> Result<Arc<Table>, S>,
    ) -> Result<(Option<T>, Library), E> {
        let groups = self.groups();
        let wanted = last_wanted(&groups);
        let (mut library, mut last) = (Library::default(), None);
        for (number, group) in groups.iter().enumerate() {
            let own = group[0].0.endgame();
            let stays =
                |material, from| self.all_stay || wanted[&Endgame { material, ..own }] >= from;
            library.retain(|&material| stays(material, number));
            let made = (group.par_iter()).map(|&(shape, metric)| solve(shape, metric, &library));
            let made: Vec<T> = made.collect::<Result<_, S>>()?;
            for of in &made {
                each(of, &library)?;
            }
            for (&(shape, _), of) in group.iter().zip(made) {
                if stays(shape.material(), number + 1) {
                    library.insert(aside(of)?);
                } else if number + 1 == groups.len() {
                    last = Some(of);
                }
            }
        }
        Ok((last, library))
    }

    /// The most that a group takes in work together with the tables that stay.
    fn most(
        &self,
        kept: impl Fn(&Shape, Metric) -> u64,
        work: impl Fn(&Shape, Metric) -> u64,
    ) -> u64 {
        let groups = self.groups();
        let wanted = last_wanted(&groups);
        let each = groups.iter().enumerate().map(|(number, group)| {
            let stays = |of: &&(&Shape, _)| self.all_stay || wanted[&of.0.endgame()] >= number;
            let before = groups[..number].iter().flatten().filter(stays);
            let kept: u64 = before.map(|&(shape, metric)| kept(shape, metric)).sum();
            let work = group.iter().map(|&(shape, metric)| work(shape, metric));
            kept + work.sum::<u64>()
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
            after_others(work_memory(shape, metric, self.files).max(asked(shape)))
        };
        let kept = |shape: &Shape, metric| stays(shape, metric, self.files);
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

/// For each endgame the last group that needs its tables: that of its own pieces, or one that leads to it.
fn last_wanted(groups: &[Group<'_>]) -> HashMap<Endgame, usize> {
    let mut last = HashMap::new();
    for (number, group) in groups.iter().enumerate() {
        for (shape, _) in group {
            let own = shape.endgame();
            let wanted = own.led_to().into_iter().chain([own]);
            last.extend(wanted.map(|endgame| (endgame, number)));
        }
    }
    last
}
