//! Makes the tables that are not in a folder.

use std::path::Path;

use anyhow::Result;
use tbgen::{
    Done, Job, Metric, Plan, Processes, Shape, check_checkpoint, checkpoint_bytes, mebibytes,
};

use super::report::{Needs, Report, positions, rough_seconds};
use super::{helpmates, in_turn, together};
use crate::folder::{FolderKind, check_kind, is_there, make_folder, note_waiting, remove_stale};
use crate::machine::plan_for;
use crate::signals::stop_flag;

/// Makes the tables that are not in a folder, unless the call only asks what that takes.
pub(super) fn make(
    report: Report<'_>,
    metrics: &[Metric],
    shapes: &[Shape],
    folder: &Path,
) -> Result<()> {
    let args = report.args;
    check_kind(folder, FolderKind::Own)?;
    let pool = args.machine.pool()?;
    let temp = args.temp.as_deref().unwrap_or(folder);
    let all: Vec<(&Shape, Metric)> = in_turn(metrics, shapes).collect();
    let mut todo = Vec::new();
    for &(shape, metric) in &all {
        if !args.force {
            if is_there(folder, shape.endgame(), metric)? {
                continue;
            }
            check_checkpoint(temp, folder, shape, metric)?;
        }
        todo.push((shape, metric));
    }
    let plans: Result<Vec<Plan>> = pool.install(|| {
        let plan = |&(shape, metric): &(&Shape, Metric)| plan_for(shape, metric, args.memory);
        // Of what does not fit, what needs most is named.
        let least = todo
            .iter()
            .max_by_key(|(shape, metric)| Plan::new(shape, *metric, args.memory).err());
        least.map(plan).transpose()?;
        todo.iter().map(plan).collect()
    });
    let plans = plans?;
    // The checkpoint that a killed run has left is there already.
    let to_come = plans.iter().zip(&todo).map(|(plan, (shape, metric))| {
        let bytes = checkpoint_bytes(temp, shape.endgame(), *metric);
        plan.temporary() - bytes.min(plan.checkpoint)
    });
    let most = |of: fn(&Plan) -> u64| plans.iter().map(of).max().unwrap_or(0);
    let mut needs = Needs {
        memory: most(|plan| plan.memory),
        files: (Shape::files_bytes(todo.iter().copied()), Some(folder)),
        temporary: (most(Plan::temporary), Some(temp)),
    };
    let mut text = String::new();
    if let traffic @ 1.. = most(|plan| plan.traffic) {
        let traffic = mebibytes(traffic);
        text += &format!(", up to {traffic} read and written in each ply");
    }
    let tables = todo.iter().map(|(shape, _)| *shape).zip(&plans);
    let time = rough_seconds(tables, pool.current_num_threads(), true);
    text += &format!(", roughly {time:.0} s");
    if report.say(todo.len(), &needs, ["", &text])? {
        return Ok(());
    }
    make_folder(folder)?;
    remove_stale(folder)?;
    needs.temporary.0 = to_come.max().unwrap_or(0);
    needs.make_folders()?;
    let bars = report.bars(all.len())?;
    pool.install(|| -> Result<()> {
        let job = Job {
            folder,
            temp,
            sets: temp,
            overwrite: args.overwrite(),
            backend: args.machine.backend(),
            memory: args.memory,
            stop: stop_flag(),
            watch: &bars,
            processes: Processes::Alone(&note_waiting),
        };
        for of_shape in all.chunks(together(metrics)) {
            let made = of_shape.iter().map(|&(shape, metric)| {
                let done = job.make(shape, metric);
                bars.done();
                done
            });
            let made: Vec<Done> = made.collect::<Result<_, _>>()?;
            match &made[..] {
                [done] => report.add(done),
                both => helpmates::add(&report, folder, both)?,
            }
        }
        Ok(())
    })?;
    drop(bars);
    report.end(&pool, positions(shapes))
}
