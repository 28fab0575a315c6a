//! `tbgen estimate`: says what a table takes.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;
use tbgen::{Endgame, Metric, Plan, Shape, Speed, Table, file_bytes, needed_by};
use tbindex::Material;
use tbindex::batch::Backend;

use super::machine::{measure, plan_for, pool};
use super::{mebibytes, metric_parser, parse_material, parse_size, print, print_json, shapes_of};

/// Says what memory, disk, input and output, and time a table takes, for several amounts of memory
///
/// All is that of the whole job: the table, and before it the smaller tables that the folder does not have. Times are rough, as tables
/// differ in how many plies they have: they are told by how long this machine takes to solve a small table, and its disk to write.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen estimate KRRvKRB --memory 1G,2G")]
pub(crate) struct Args {
    /// The material, such as KRRvKRB; 3 to 7 pieces
    #[arg(value_parser = parse_material)]
    material: Material,
    /// Amounts of memory; by default the least that will do, and what it takes with all sets in memory
    #[arg(long, value_name = "SIZE", value_parser = parse_size, value_delimiter = ',')]
    memory: Vec<u64>,
    /// Folder that may have smaller tables, and on whose disk files will be
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The metric: what the distances count
    #[arg(long, value_parser = metric_parser(2), default_value = "dtz")]
    metric: Metric,
    /// The threads that it will run on; 0 means one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..=1024), default_value_t = 0)]
    threads: u16,
    /// The speed at which files are read and written, in megabytes a second; by default it is measured in the folder
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    disk_speed: Option<u32>,
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

/// The plans of the tables of a job, its own first, with the same limit of memory.
type Plans<'a> = Vec<(&'a Shape, Plan)>;

pub(crate) fn run(args: &Args) -> Result<()> {
    let material = args.material.normal();
    let metric = args.metric;
    let shape = &Shape::new(material)?;
    let mut smaller = needed_by(&material);
    smaller.pop();
    let smaller = shapes_of(smaller.into_iter().map(Endgame::from))?;
    let mut to_make = vec![shape];
    for shape in &smaller {
        let files = args.output.as_deref();
        let files = files.map(|folder| Table::files(folder, shape.endgame(), metric));
        if files.transpose()?.is_none_or(|files| files == [None, None]) {
            to_make.push(shape);
        }
    }
    let missing = to_make.len() - 1;
    let pool = pool(args.threads.into())?;
    let threads = pool.current_num_threads();
    let (plans, speed) = pool.install(|| -> Result<(Vec<Plans<'_>>, Speed)> {
        let of_all = |plan: &dyn Fn(&Shape) -> Result<Plan>| -> Result<Plans<'_>> {
            let plans = to_make.iter().map(|&shape| Ok((shape, plan(shape)?)));
            plans.collect()
        };
        let mut plans = Vec::new();
        for &limit in &args.memory {
            plans.push(of_all(&|shape| plan_for(shape, metric, Some(limit)))?);
        }
        if plans.is_empty() {
            plans.push(of_all(&|shape| Ok(Plan::least(shape, metric)))?);
            let in_memory = of_all(&|shape| Ok(Plan::in_memory(shape, metric)))?;
            let same = plans[0][0].1 == in_memory[0].1;
            plans.extend((!same).then_some(in_memory));
        }
        let on_disk = plans.iter().flatten().any(|(_, plan)| plan.group.is_some());
        let disk = args.output.as_deref().unwrap_or(Path::new("."));
        let disk = Some(disk).filter(|_| on_disk && args.disk_speed.is_none());
        let mut speed = measure(Backend::detect(), disk)?;
        if let Some(disk) = args.disk_speed {
            speed.disk = f64::from(disk) * 1e6;
        }
        Ok((plans, speed))
    })?;
    let file = file_bytes(shape);
    let mut text = format!(
        "{material} by {}: {:.3e} slots, a file of up to {}, from {} smaller tables, of which {missing} are to be made\n",
        metric.name(),
        2.0 * shape.slots() as f64,
        mebibytes(file),
        smaller.len()
    );
    let mut rows = Vec::new();
    for plans in plans {
        let own = plans[0].1;
        let most = |bytes: fn(&Plan) -> u64| plans.iter().map(|(_, plan)| bytes(plan)).max();
        let [memory, temporary] = [most(|plan| plan.memory), most(Plan::temporary)];
        let [memory, temporary] = [memory, temporary].map(Option::unwrap_or_default);
        let (sets, traffic) = match own.group {
            Some(_) => ("disk", own.all_traffic(shape)),
            None => ("memory", 0),
        };
        let [solve, write] = speed.seconds(plans);
        rows.push(json!({
            "sets": sets,
            "memory": memory,
            "temporary_bytes": temporary,
            "bytes_per_ply": own.traffic,
            "bytes": traffic,
            "solve_seconds": solve,
            "write_seconds": write,
        }));
        text += &format!(
            "sets {} {sets}: up to {} of memory, up to {} of temporary files",
            if traffic > 0 { "on" } else { "in" },
            mebibytes(memory),
            mebibytes(temporary)
        );
        if traffic > 0 {
            let [ply, all] = [own.traffic, traffic].map(mebibytes);
            text += &format!("; {ply} read and written per ply at most, {all} in all");
        }
        text += &format!(
            "; about {} to solve all and {} to write them on {threads} thread{}, at the speed measured here\n",
            duration(solve),
            duration(write),
            if threads == 1 { "" } else { "s" }
        );
    }
    if !args.json {
        return print(&text);
    }
    print_json(&json!({
        "material": material.to_string(),
        "metric": metric.name(),
        "slots": 2 * u128::from(shape.slots()),
        "smaller_tables": smaller.len(),
        "missing_tables": missing,
        "file_bytes": file,
        "threads": threads,
        "plans": rows,
    }))
}
