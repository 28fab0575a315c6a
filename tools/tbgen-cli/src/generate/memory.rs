//! `generate --no-write`: makes tables of which nothing is kept.

use anyhow::Result;
use tbgen::{Event, InWork, Metric, Plan, Shape, make_in_memory, mebibytes};

use super::report::{Report, positions, rough_seconds};
use crate::machine::check_memory;

pub(super) fn make(report: Report<'_>, metrics: &[Metric], shapes: &[Shape]) -> Result<()> {
    let args = report.args;
    let pool = args.machine.pool()?;
    let plans = metrics
        .iter()
        .flat_map(|&metric| Plan::each_without_files(shapes, metric));
    let plans: Vec<Plan> = pool.install(|| plans.collect());
    let memory = plans.iter().map(|plan| plan.memory).max().unwrap_or(0);
    let without_files = format!("{} with --no-write", report.what);
    check_memory(&without_files, memory, args.memory)?;
    let tables = shapes.iter().cycle().zip(&plans);
    let text = format!(
        ", up to {} of memory, roughly {:.0} s",
        mebibytes(memory),
        rough_seconds(tables, pool.current_num_threads(), false)
    );
    if report.say(plans.len(), [memory, 0, 0], &text)? {
        return Ok(());
    }
    let bars = report.bars(plans.len())?;
    for &metric in metrics {
        let options = args.machine.options(metric);
        let tell = |table: &InWork<'_>, event: Event<'_>| bars.tell(table, event);
        pool.install(|| {
            make_in_memory(shapes, options, &tell, |_, _, done| {
                report.add(done);
                bars.done();
                Ok(())
            })
        })?;
    }
    report.end(&pool, positions(shapes))
}
