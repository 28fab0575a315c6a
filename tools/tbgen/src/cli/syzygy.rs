//! Makes Syzygy files straight from solved tables, which are not kept.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rayon::prelude::*;
use syzygy_tables::writer::Distances;
use tbgen::{
    Done, Library, Metric, Options, Shape, Table, TempFile, intact_files, led_to_by, process_memory,
};
use tbindex::batch::Backend;
use tbindex::{Color, Material, Piece, PieceType};

use super::bars::Bars;
use super::signals::stop_flag;

/// The distances of files, rounded as the published ones are, or exact.
pub(crate) fn distances(rounded: bool) -> Distances {
    match rounded {
        true => Distances::Rounded,
        false => Distances::Exact,
    }
}

/// What a run does.
pub(crate) struct Plan {
    /// The tables that are wanted, in the order of their needs.
    all: Vec<Material>,
    /// Of these, the ones whose files are to be made.
    pub(crate) missing: Vec<Material>,
    /// Those that have to be solved: the missing ones, and what their moves lead to.
    pub(crate) solved: Vec<Material>,
}

impl Plan {
    /// The plan for tables in an order that has each after those that it needs. What is intact in the folder is left
    /// as it is, unless it shall be replaced.
    pub(crate) fn new(all: Vec<Material>, folder: &Path, replace: bool) -> Plan {
        let is_missing = |material: &Material| {
            replace
                || !intact_files(folder, material).unwrap_or_else(|error| {
                    note!("{material} is made again: {error}");
                    false
                })
        };
        let missing: Vec<Material> = all.iter().copied().filter(is_missing).collect();
        let mut wanted: Vec<Material> = Vec::new();
        // Later tables need earlier ones, and these may need others in turn.
        for material in all.iter().rev() {
            if missing.contains(material) || wanted.contains(material) {
                wanted.push(*material);
                wanted.extend(led_to_by(material));
            }
        }
        let is_wanted = |material: &&Material| wanted.contains(material);
        Plan {
            solved: all.iter().filter(is_wanted).copied().collect(),
            missing,
            all,
        }
    }

    /// Makes the files. Each table is solved from the outcomes of those before, which are kept in memory if they are
    /// small, and else in a temporary file in the folder.
    pub(crate) fn make(
        &self,
        folder: &Path,
        distances: Distances,
        backend: Backend,
        each: impl FnMut(&Done) + Send,
    ) -> Result<()> {
        let each = Mutex::new(each);
        let report = |done: &Done| {
            let mut each = each.lock().unwrap_or_else(PoisonError::into_inner);
            each(done);
        };
        let is_solved = |material: &&Material| self.solved.contains(material);
        for material in self.all.iter().filter(|material| !is_solved(material)) {
            report(&Done::there_already((*material).into()));
        }
        let bars = Bars::new(self.solved.len());
        let make = |table: &Table, library: &Library, solved: Duration| {
            let material = table.material();
            let mut done = Done::there_already(material.into());
            done.solved = Some(solved);
            if self.missing.contains(&material) {
                let begin = Instant::now();
                bars.export(table, library, folder, distances, backend)?;
                done.written = Some(begin.elapsed());
            }
            report(&done);
            Ok(())
        };
        for_each_solved(&self.solved, Some(folder), &bars, backend, make)
    }
}

/// Tables of which none leads to another: so many pieces, so many of them pawns.
fn kin(material: &Material) -> (usize, usize) {
    let pawns = Color::ALL.map(|color| material.count(Piece::new(color, PieceType::Pawn)));
    (material.piece_count(), pawns[0] + pawns[1])
}

/// The number of tables that are made side by side: large ones have work for all threads, and take memory.
fn at_once(material: &Material) -> usize {
    match material.piece_count() {
        ..5 => rayon::current_num_threads(),
        _ => 1,
    }
}

/// The most memory of the process while tables are solved from the outcomes of those before: these are kept, in memory if
/// there is no folder, while `work` says how much each takes beside. `work` has the process in it.
pub(crate) fn solving_memory(all: &[Shape], folder: bool, work: impl Fn(&Shape) -> u64) -> u64 {
    let process = process_memory();
    let (mut kept, mut most) = (0, process);
    for group in all.chunk_by(|a, b| kin(&a.material()) == kin(&b.material())) {
        for group in group.chunks(at_once(&group[0].material())) {
            let each = group.iter().map(|shape| {
                let solve = process + shape.work_memory(Metric::Dtz, folder);
                solve.max(work(shape)) - process
            });
            let mut each: u64 = each.sum();
            if group.len() > 1 {
                // The allocator keeps what threads gave back for themselves. Measured.
                each += each / 5;
            }
            most = most.max(process + kept + each);
            kept += (group.iter())
                .map(|shape| shape.outcomes_memory(folder))
                .sum::<u64>();
        }
    }
    most
}

/// Solves tables, which are in an order that has each after those that it needs, with all that any needs among them. Calls
/// a function for each, with the tables that its moves lead to, of which only the outcomes are known. These are kept in
/// memory if they are small, or if there is no folder for a temporary file.
pub(crate) fn for_each_solved(
    all: &[Material],
    folder: Option<&Path>,
    bars: &Bars,
    backend: Backend,
    work: impl Fn(&Table, &Library, Duration) -> Result<()> + Sync,
) -> Result<()> {
    let temp_file = || {
        let temp_file = folder.map(|folder| {
            TempFile::new(folder)
                .with_context(|| format!("can't make a temporary file in {}", folder.display()))
        });
        temp_file.transpose()
    };
    let outcomes = temp_file()?.map(Arc::new);
    let mut library = Library::default();
    let mut at = 0;
    for group in all.chunk_by(|a, b| kin(a) == kin(b)) {
        for group in group.chunks(at_once(&group[0])) {
            at += group.len();
            let later = &all[at..];
            let wanted =
                |material: &Material| later.iter().any(|l| led_to_by(l).contains(material));
            let make = |material: &Material| -> Result<_> {
                let begin = Instant::now();
                // What the table has of distances is gone with this file.
                let temp_file = temp_file()?.map(Arc::new);
                let options = Options {
                    temp_file: temp_file.as_ref(),
                    ..Options::new(Metric::Dtz, backend, stop_flag())
                };
                let mut table = bars.solve(&Shape::new(*material)?, &library, options)?;
                work(&table, &library, begin.elapsed())?;
                bars.done();
                if !wanted(material) {
                    return Ok(None);
                }
                table.forget_distances()?;
                table.pack(outcomes.as_ref())?;
                Ok(Some(table))
            };
            let made: Vec<_> = group.par_iter().map(make).collect::<Result<_>>()?;
            (made.into_iter().flatten()).for_each(|table| library.insert(table));
            library.retain(wanted);
        }
    }
    Ok(())
}
