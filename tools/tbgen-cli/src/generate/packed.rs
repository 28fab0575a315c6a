//! `generate --packed`: makes packed files straight from solved tables, which are not kept.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use tbgen::{Endgame, InMemory, InTurn, Metric, Shape};

use super::report::{Needs, Report};
use super::{helpmates, in_turn};
use crate::folder::{FolderKind, check_kind, is_packed, lock, remove_stale};
use crate::pack::{check_may_be_packed, pack_table, row_of};
use crate::print;

/// Makes packed files by the distance to mate, or of helpmates, that are not in a folder. Each table is solved from those before,
/// of which large ones are in temporary files.
pub(super) fn make(
    report: Report<'_>,
    metrics: &[Metric],
    shapes: &[Shape],
    folder: &Path,
) -> Result<()> {
    let args = report.args;
    check_may_be_packed(shapes)?;
    check_kind(folder, FolderKind::Own)?;
    let pool = args.machine.pool()?;
    // Another run that works there is waited for, and then what it has made is missing no more.
    let _lock = match args.dry_run {
        true => None,
        false => lock(folder, "packed.lock")?,
    };
    let mut missing: HashSet<(Endgame, Metric)> = HashSet::new();
    for (shape, metric) in in_turn(metrics, shapes) {
        if args.force || !is_packed(folder, shape.endgame(), metric)? {
            missing.insert((shape.endgame(), metric));
        }
    }
    let needed = missing.iter().flat_map(|(endgame, _)| endgame.needed());
    let needed: HashSet<Endgame> = needed.collect();
    let is_needed = |shape: &&Shape| needed.contains(&shape.endgame());
    let shapes: Vec<Shape> = shapes.iter().filter(is_needed).cloned().collect();
    let turn = InTurn {
        shapes: &shapes,
        metrics,
        all_stay: false,
        files: true,
    };
    let todo = in_turn(metrics, &shapes);
    let todo = todo.filter(|of| missing.contains(&(of.0.endgame(), of.1)));
    let temp = args.temp.as_deref().unwrap_or(folder);
    let needs = Needs {
        memory: pool.install(|| turn.memory_with(Shape::pack_memory)),
        // The largest share that was measured is a fifth.
        files: (Shape::files_bytes(todo) / 5, Some(folder)),
        temporary: (turn.temporary(), Some(temp)),
    };
    if report.say(missing.len(), &needs, [""; 2])? {
        return Ok(());
    }
    remove_stale(folder)?;
    needs.make_folders()?;
    let bars = report.bars(shapes.len() * metrics.len())?;
    let making = InMemory {
        options: args.machine.options(metrics[0]),
        temp: Some(temp),
        watch: &bars,
    };
    let (mut rows, mut seconds) = (Vec::new(), 0.0);
    pool.install(|| {
        making.make(in_turn(metrics, &shapes), |table, library, done| {
            let begin = Instant::now();
            let mut done = *done;
            if missing.contains(&(done.endgame, done.metric)) {
                let (overwrite, backend) = (args.overwrite(), args.machine.backend());
                let bytes = pack_table(&bars, (table, library), folder, overwrite, backend)?;
                let (row, line) = row_of((done.endgame, done.metric), bytes, begin.elapsed());
                done.written = Some(begin.elapsed());
                match args.json {
                    true => rows.push(row),
                    false => print(&line)?,
                }
            }
            bars.done();
            match done.metric.victim() {
                None => report.add(&done),
                Some(_) => helpmates::add_solved(&report, (table, library), &done, &mut seconds)?,
            }
            Ok::<_, anyhow::Error>(())
        })
    })?;
    drop(bars);
    report.end(&pool, ("packed", rows.into()))
}
