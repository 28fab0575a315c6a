//! Tables that are solved one after the other and not kept, for Syzygy files that are made or compared with them.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use rayon::prelude::*;
use syzygy_tables::writer::Distances;
use tbgen::{
    Alone, InWork, Library, Metric, Options, Plan, Published, Sample, Shape, Table, led_to_by,
    solver_memory,
};
use tbindex::batch::Backend;
use tbindex::{Color, Material, Piece, PieceType};

use super::bars::Bars;
use super::folder::temp_file;
use super::signals::stop_flag;

/// The distances of files, rounded as the published ones are, or exact.
pub(crate) fn distances(rounded: bool) -> Distances {
    match rounded {
        true => Distances::Rounded,
        false => Distances::Exact,
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
/// there is no folder, while `work` says how much each takes beside.
pub(crate) fn solving_memory(all: &[Shape], folder: bool, work: impl Fn(&Shape) -> u64) -> u64 {
    let (mut kept, mut most) = (0, 0);
    for group in all.chunk_by(|a, b| kin(&a.material()) == kin(&b.material())) {
        for group in group.chunks(at_once(&group[0].material())) {
            let each =
                (group.iter()).map(|shape| shape.work_memory(Metric::Dtz, folder).max(work(shape)));
            let mut each: u64 = each.sum();
            if group.len() > 1 {
                // The allocator keeps what threads gave back for themselves. Measured.
                each += each / 5;
            }
            most = most.max(kept + each);
            kept += (group.iter())
                .map(|shape| shape.stays(Metric::Dtz, folder))
                .sum::<u64>();
        }
    }
    solver_memory() + most
}

/// The Syzygy files of a folder, and their number.
pub(crate) fn open_published(folder: &Path) -> Result<(Published, usize)> {
    Published::open(folder).with_context(|| format!("can't read {}", folder.display()))
}

/// The most memory of the process while tables are solved, and those that are asked for compared with files.
pub(crate) fn comparing_memory(
    all: &[Shape],
    wanted: &[Material],
    files: &Published,
    sample: Sample,
) -> u64 {
    solving_memory(all, false, |shape| {
        let files = match wanted.contains(&shape.material()) {
            true => files.memory(&shape.material(), sample),
            false => 0,
        };
        shape.work_memory(Metric::Dtz, false) + files
    })
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
    let temp_file = || folder.map(temp_file).transpose();
    let outcomes = temp_file()?;
    let mut library = Library::default();
    let mut at = 0;
    for group in all.chunk_by(|a, b| kin(a) == kin(b)) {
        for group in group.chunks(at_once(&group[0])) {
            at += group.len();
            let later = &all[at..];
            let wanted =
                |material: &Material| later.iter().any(|l| led_to_by(l).contains(material));
            let make = |material: &Material| -> Result<_> {
                // The distances of the table are gone with this file.
                let temp_file = temp_file()?;
                let options = Options {
                    temp_file: temp_file.as_ref(),
                    ..Options::new(Metric::Dtz, backend, stop_flag())
                };
                let shape = Shape::new(*material)?;
                let plan = Plan::in_memory(&shape, Metric::Dtz);
                let in_work = InWork::new(&shape, Metric::Dtz, Some(plan));
                let mut table = in_work.solve(&library, options, &Alone, bars)?;
                work(&table, &library, in_work.begin.elapsed())?;
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
