//! `generate --format syzygy`: makes Syzygy files straight from solved tables, which are not kept.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use syzygy_tables::Error;
use tbgen::{Done, Library, Metric, Plan, Shape, Table, intact_files, needed_by};
use tbindex::Material;

use super::report::{Needs, Report};
use crate::folder::{FolderKind, check_kind, lock_syzygy};
use crate::machine::DISK_SPEED;
use crate::syzygy::{distances, for_each_solved, solving_memory};
use crate::{refuse, shapes_of};

/// The materials, of some, whose files are not intact in a folder.
fn missing(all: &[Material], folder: &Path) -> Result<Vec<Material>, Error> {
    let mut missing = Vec::new();
    for material in all {
        match intact_files(folder, material) {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error @ Error::Damaged { .. }) => note!("{material} is made again: {error}"),
            Err(error) => return Err(error),
        }
        missing.push(*material);
    }
    Ok(missing)
}

/// Makes Syzygy files of these tables, which are in an order that has each after those that it needs. Files that are intact in the
/// folder are left as they are, unless it shall be made again. Each table is solved from the outcomes of those before, which are
/// kept in memory if they are small, and else in a temporary file in the folder.
pub(super) fn make(report: Report<'_>, all: &[Material]) -> Result<()> {
    let args = report.args;
    if args.metric.contains(&Metric::Dtm) {
        return refuse("Syzygy files have distances to zeroing only");
    }
    if let Some(large) = all.iter().find(|material| material.piece_count() > 5) {
        return refuse(format!(
            "{large} has more than 5 pieces: no Syzygy files are written of it"
        ));
    }
    let Some(folder) = &args.output else {
        return refuse("--no-write and --format syzygy exclude each other");
    };
    check_kind(folder, FolderKind::Syzygy)?;
    let pool = args.machine.pool()?;
    let _lock = match args.dry_run {
        true => None,
        false => lock_syzygy(folder)?,
    };
    let missing = match args.force {
        true => all.to_vec(),
        false => pool.install(|| missing(all, folder))?,
    };
    // Missing tables have to be solved, and the tables that they need.
    let wanted: HashSet<Material> = missing.iter().flat_map(needed_by).collect();
    let mut solved = all.to_vec();
    solved.retain(|material| wanted.contains(material));
    let missing_shapes = shapes_of(missing.iter().copied())?;
    let shapes = shapes_of(solved.iter().copied())?;
    let memory = pool.install(|| {
        solving_memory(&shapes, true, |shape| {
            match missing.contains(&shape.material()) {
                true => shape.export_memory(true),
                false => 0,
            }
        })
    });
    let needs = Needs {
        memory,
        files: (Shape::syzygy_files_bytes(&missing_shapes), Some(folder)),
        temporary: (Shape::outcomes_disk(&shapes), Some(folder)),
    };
    // Roughly, on one thread.
    let solve = |shape| Plan::in_memory(shape, Metric::Dtz).seconds(shape, 1, DISK_SPEED)[0];
    let export = |shape: &Shape| 0.1 + shape.slots() as f64 * 1.2e-7;
    let seconds =
        shapes.iter().map(solve).sum::<f64>() + missing_shapes.iter().map(export).sum::<f64>();
    let again = match solved.len() - missing.len() {
        0 => String::new(),
        again => format!(" and {again} to solve again"),
    };
    let seconds = (seconds / pool.current_num_threads() as f64).max(1.0);
    let text = format!(", roughly {seconds:.0} s");
    if report.say(missing.len(), &needs, [&again, &text])? {
        return Ok(());
    }
    needs.make_folders()?;
    for material in all.iter().filter(|material| !solved.contains(material)) {
        report.add(&Done::there_already((*material).into(), Metric::Dtz));
    }
    let (bars, backend) = (report.bars(solved.len())?, args.machine.backend());
    let write = |table: &Table, library: &Library, solved: Duration| {
        let mut done = Done::there_already(table.material().into(), Metric::Dtz);
        done.solved = Some(solved);
        if missing.contains(&table.material()) {
            let begin = Instant::now();
            bars.export(table, library, folder, distances(args.rounded), backend)?;
            done.written = Some(begin.elapsed());
        }
        report.add(&done);
        Ok(())
    };
    pool.install(|| for_each_solved(&solved, Some(folder), &bars, backend, write))?;
    drop(bars);
    report.end(&pool, ("rounded", args.rounded.into()))
}
