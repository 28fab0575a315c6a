//! `generate --format syzygy`: makes Syzygy files.

use anyhow::{Context, Result};
use tbgen::{Metric, Plan, Shape, mebibytes};
use tbindex::Material;
use tbindex::store::check_space;

use super::Made;
use super::report::{Needs, Report};
use crate::cli::folder::{FolderKind, check_kind, make_folder};
use crate::cli::machine::{DISK_SPEED, check_memory};
use crate::cli::{refuse, syzygy};

/// Makes Syzygy files of these tables.
pub(super) fn make(mut report: Report<'_>, all: Vec<Material>) -> Result<()> {
    let args = report.args;
    if args.metric.contains(&Made::Dtm) {
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
    let plan = pool.install(|| syzygy::Plan::new(all, folder, args.force));
    let shapes = |materials: &[Material]| -> Result<Vec<Shape>> {
        let shapes = materials.iter().map(|material| Ok(Shape::new(*material)?));
        shapes.collect()
    };
    let (missing, solved) = (shapes(&plan.missing)?, shapes(&plan.solved)?);
    let memory = pool.install(|| {
        syzygy::solving_memory(&solved, true, |shape| {
            match plan.missing.contains(&shape.material()) {
                true => shape.export_memory(true),
                false => 0,
            }
        })
    });
    let outcomes: u64 = solved.iter().map(Shape::likely_outcomes).sum();
    let needs = Needs {
        tables: missing.len(),
        memory,
        files: Shape::likely_syzygy_files(&missing),
        temporary: outcomes + solved.iter().map(Shape::likely_aside).max().unwrap_or(0),
    };
    check_memory(&report.what, memory, args.memory)?;
    // Roughly, on one thread.
    let solve = |shape| Plan::in_memory(shape, Metric::Dtz).seconds(shape, 1, DISK_SPEED)[0];
    let export = |shape: &Shape| 0.1 + shape.slots() as f64 * 1.2e-7;
    let seconds = solved.iter().map(solve).sum::<f64>() + missing.iter().map(export).sum::<f64>();
    let text = format!(
        "{}, up to {} of memory, about {} in {}, up to {} of it for temporary files, roughly {:.0} s",
        match solved.len() - missing.len() {
            0 => String::new(),
            again => format!(" and {again} to solve again"),
        },
        mebibytes(memory),
        mebibytes(needs.files + needs.temporary),
        folder.display(),
        mebibytes(needs.temporary),
        (seconds / pool.current_num_threads() as f64).max(1.0)
    );
    if report.say(&needs, &text)? {
        return Ok(());
    }
    make_folder(folder)?;
    syzygy_tables::writer::remove_stale(folder)
        .with_context(|| format!("can't read {}", folder.display()))?;
    check_space(folder, needs.files + needs.temporary, "the tables")?;
    pool.install(|| {
        let distances = syzygy::distances(args.rounded);
        plan.make(folder, distances, args.machine.backend(), |done| {
            report.add(done, Metric::Dtz);
        })
    })?;
    report.end(&pool, ("rounded", args.rounded.into()))
}
