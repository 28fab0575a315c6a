//! `tbgen estimate`: says what a table takes.

use anyhow::Result;
use serde_json::json;
use tbgen::{Metric, Plan, Shape, file_bytes, needed_by};
use tbindex::Material;

use super::machine::{DISK_SPEED, plan_for, pool};
use super::{mebibytes, metric_parser, parse_material, parse_size, print, print_json};

/// Says what memory, disk, input and output, and time a table takes, for several amounts of memory
///
/// The smaller tables that it is made from are not counted, but for their number. Times are rough: tables differ
/// in how many plies they have.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen estimate KRRvKRB --memory 1G,2G")]
pub(crate) struct Args {
    /// The material, such as KRRvKRB; 3 to 7 pieces
    #[arg(value_parser = parse_material)]
    material: Material,
    /// Amounts of memory; by default the least that will do, and what it takes with all sets in memory
    #[arg(long, value_name = "SIZE", value_parser = parse_size, value_delimiter = ',')]
    memory: Vec<u64>,
    /// The metric: what the distances count
    #[arg(long, value_parser = metric_parser(2), default_value = "dtz")]
    metric: Metric,
    /// The threads that it will run on; 0 means one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..=1024), default_value_t = 0)]
    threads: u16,
    /// The speed at which files are read and written, in megabytes a second
    #[arg(long, value_name = "MB", default_value_t = (DISK_SPEED / 1e6) as u32, value_parser = clap::value_parser!(u32).range(1..))]
    disk_speed: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let material = args.material.normal();
    let metric = args.metric;
    let shape = Shape::new(material)?;
    let pool = pool(args.threads.into())?;
    let threads = pool.current_num_threads();
    let plans = pool.install(|| -> Result<Vec<Plan>> {
        if args.memory.is_empty() {
            let mut plans = vec![Plan::least(&shape, metric), Plan::in_memory(&shape, metric)];
            plans.dedup();
            return Ok(plans);
        }
        let limits = args.memory.iter().map(|&limit| Some(limit));
        limits
            .map(|limit| plan_for(&shape, metric, limit))
            .collect()
    })?;
    let rate = f64::from(args.disk_speed) * 1e6;
    let file = file_bytes(&shape);
    let smaller = needed_by(&material).len() - 1;
    if args.json {
        let plans: Vec<_> = (plans.iter())
            .map(|plan| {
                let [solve, write] = plan.seconds(&shape, threads, rate);
                json!({
                    "sets": if plan.group.is_some() { "disk" } else { "memory" },
                    "memory": plan.memory,
                    "temporary_bytes": plan.temporary(),
                    "bytes_per_ply": plan.traffic,
                    "bytes": plan.all_traffic(&shape),
                    "solve_seconds": solve,
                    "write_seconds": write,
                })
            })
            .collect();
        let text = json!({
            "material": material.to_string(),
            "metric": metric.name(),
            "slots": 2 * u128::from(shape.slots()),
            "smaller_tables": smaller,
            "file_bytes": file,
            "threads": threads,
            "plans": plans,
        });
        return print_json(&text);
    }
    let mut text = format!(
        "{material} by {}: {:.3e} slots, a file of up to {}, from {smaller} smaller tables\n",
        metric.name(),
        2.0 * shape.slots() as f64,
        mebibytes(file)
    );
    for plan in &plans {
        let [solve, write] = plan.seconds(&shape, threads, rate);
        text += &format!(
            "sets {}: up to {} of memory, up to {} of temporary files",
            if plan.group.is_some() {
                "on disk"
            } else {
                "in memory"
            },
            mebibytes(plan.memory),
            mebibytes(plan.temporary())
        );
        if plan.group.is_some() {
            let [ply, all] = [plan.traffic, plan.all_traffic(&shape)].map(mebibytes);
            text += &format!("; {ply} read and written per ply at most, {all} in all");
        }
        text += &format!(
            "; about {} to solve and {} to write on {threads} thread{}\n",
            duration(solve),
            duration(write),
            if threads == 1 { "" } else { "s" }
        );
    }
    print(&text)
}
