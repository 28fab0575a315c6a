//! `generate --no-write`: makes tables of which nothing is kept.

use anyhow::Result;
use tbgen::{InMemory, InTurn, Metric, Plan, Shape, depth_first};

use super::report::{Needs, Report, positions, rough_seconds};
use super::{helpmates, in_turn, together};
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
    let turns = metrics.chunks(together(metrics)).map(|metrics| InTurn {
        files: temp.is_some(),
        ..InTurn::in_memory(&shapes, metrics)
    });
    let memory = pool.install(|| turns.clone().map(|turn| turn.memory()).max());
    let all: Vec<(&Shape, Metric)> = in_turn(metrics, &shapes).collect();
    let plans = all
        .iter()
        .map(|(shape, metric)| Plan::in_memory(shape, *metric));
    let plans: Vec<Plan> = pool.install(|| plans.collect());
    let needs = Needs {
        memory: memory.unwrap_or(0),
        files: (0, None),
        temporary: (turns.map(|turn| turn.temporary()).max().unwrap_or(0), temp),
    };
    let tables = all.iter().map(|(shape, _)| *shape).zip(&plans);
    let seconds = rough_seconds(tables, pool.current_num_threads(), false);
    let text = format!(", roughly {seconds:.0} s");
    if report.say(plans.len(), &needs, ["", &text])? {
        return Ok(());
    }
    needs.make_folders()?;
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
