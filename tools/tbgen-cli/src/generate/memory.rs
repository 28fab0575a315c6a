//! `generate --no-write`: makes tables of which nothing is kept.

use anyhow::Result;
use tbgen::{InMemory, InTurn, Metric, Plan, Shape, depth_first};
use tbindex::store::check_space;

use super::report::{Report, needs, positions, rough_seconds};
use super::{helpmates, in_turn, together};
use crate::machine::check_memory;
use crate::shapes_of;

pub(super) fn make(report: Report<'_>, metrics: &[Metric], shapes: &[Shape]) -> Result<()> {
    let args = report.args;
    let pool = args.machine.pool()?;
    // Large tables of helpmates that others need are in temporary files, fewer at a time in an order of their own.
    let temp = std::env::temp_dir();
    let temp = metrics[0].victim().map(|_| &*temp);
    let shapes = match temp {
        Some(_) => {
            let materials: Vec<_> = shapes.iter().map(Shape::material).collect();
            shapes_of(depth_first(&materials))?
        }
        None => shapes.to_vec(),
    };
    let plans = metrics
        .iter()
        .flat_map(|&metric| Plan::each_without_files(&shapes, metric));
    let plans: Vec<Plan> = pool.install(|| plans.collect());
    let turn = InTurn {
        shapes: &shapes,
        metrics,
        all_stay: false,
    };
    let [memory, temporary] = match temp {
        Some(_) => pool.install(|| [turn.memory(true), turn.temporary()]),
        None => [plans.iter().map(|plan| plan.memory).max().unwrap_or(0), 0],
    };
    let without_files = format!("{} with --no-write", report.what);
    check_memory(&without_files, memory, args.memory)?;
    let tables = shapes.iter().cycle().zip(&plans);
    let sizes = [memory, 0, temporary];
    let mut text = needs(sizes, None, temp);
    let seconds = rough_seconds(tables, pool.current_num_threads(), false);
    text += &format!(", roughly {seconds:.0} s");
    if report.say(plans.len(), sizes, &text)? {
        return Ok(());
    }
    if let Some(temp) = temp {
        check_space(temp, temporary, "the temporary files")?;
    }
    let bars = report.bars(plans.len())?;
    let making = InMemory {
        options: args.machine.options(metrics[0]),
        temp,
        watch: &bars,
    };
    let mut seconds = 0.0;
    for metrics in metrics.chunks(together(metrics)) {
        pool.install(|| {
            making.make(in_turn(metrics, &shapes), |table, library, done| {
                bars.done();
                match done.metric.victim() {
                    None => report.add(done),
                    Some(_) => {
                        helpmates::add_solved(&report, (table, library), done, &mut seconds)?;
                    }
                }
                Ok::<_, anyhow::Error>(())
            })
        })?;
    }
    drop(bars);
    report.end(&pool, positions(&shapes))
}
