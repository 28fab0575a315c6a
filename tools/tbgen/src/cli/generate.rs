//! `tbgen generate`: makes tables in a folder.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use tbgen::{Shape, Table, needed_by};
use tbindex::Material;
use tbindex::store::{Overwrite, check_space};

use super::work::{Done, MachineArgs, make};
use super::{UsageError, megabytes, parse_material, parse_size, print};

/// Generates the table of a material and all tables to which captures lead
///
/// Intact tables that are already in the folder are not made again. A table gets its name when it is
/// complete, so an interruption loses at most the table in work.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen generate KQvKR -o tables --threads 2")]
pub(crate) struct Args {
    /// The material, such as KQvKR; 3 to 5 pieces, no pawns
    #[arg(value_parser = parse_material)]
    material: Material,
    /// Folder for the tables; created if needed
    #[arg(short, long, value_name = "DIR", required_unless_present = "no_write")]
    output: Option<PathBuf>,
    #[command(flatten)]
    machine: MachineArgs,
    /// The most memory to use, such as 400M; work that needs more is refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Only generate the tables in memory; no files are read or written
    #[arg(long, conflicts_with = "output")]
    no_write: bool,
    /// Make tables again that are already in the folder
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(|time| time.as_secs_f64())
}

fn describe(done: &Done) -> String {
    match (done.solved, done.written) {
        (Some(solved), Some(written)) => format!(
            "{}: solved in {:.3} s, written in {:.3} s",
            done.material,
            solved.as_secs_f64(),
            written.as_secs_f64()
        ),
        (Some(solved), None) => {
            format!("{}: solved in {:.3} s", done.material, solved.as_secs_f64())
        }
        _ => format!("{}: there already", done.material),
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let begin = Instant::now();
    let shape = Shape::new(args.material.normal())?;
    let memory = shape.peak_memory();
    if let Some(limit) = args.memory.filter(|&limit| limit < memory) {
        return Err(UsageError(format!(
            "{} needs up to {} of memory: --memory allows {}",
            shape.material(),
            megabytes(memory),
            megabytes(limit)
        ))
        .into());
    }
    let missing = |material: &Material| {
        let folder = args.output.as_deref();
        folder.is_some_and(|folder| args.force || !Table::path(folder, material).exists())
    };
    let disk: u64 = needed_by(&args.material)
        .iter()
        .filter(|material| missing(material))
        .filter_map(|material| Shape::new(*material).ok())
        .map(|shape| shape.greatest_file())
        .sum();
    eprintln!(
        "{}: up to {} of memory{}",
        shape.material(),
        megabytes(memory),
        match &args.output {
            Some(folder) => format!(" and {} in {}", megabytes(disk), folder.display()),
            None => String::new(),
        }
    );
    let overwrite = if args.force {
        Overwrite::Replace
    } else {
        Overwrite::Refuse
    };
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("can't make the folder {}", folder.display()))?;
        check_space(folder, disk, "the tables")?;
    }
    let folder = args.output.as_deref().map(|folder| (folder, overwrite));
    let pool = args.machine.pool()?;
    let mut tables = Vec::new();
    pool.install(|| {
        make(&args.material, folder, args.machine.backend(), |done| {
            eprintln!("{}", describe(done));
            tables.push(json!({
                "table": done.material.to_string(),
                "solve_seconds": seconds(done.solved),
                "write_seconds": seconds(done.written),
            }));
        })
    })?;
    let total = begin.elapsed();
    if args.json {
        let text = json!({
            "material": shape.material().to_string(),
            "threads": pool.current_num_threads(),
            "backend": args.machine.backend().name(),
            "positions": 2 * shape.slots(),
            "tables": tables,
            "seconds": total.as_secs_f64(),
        });
        print(&format!("{text:#}\n"))
    } else {
        eprintln!(
            "{:.3} s in the process, {} threads, {}",
            total.as_secs_f64(),
            pool.current_num_threads(),
            args.machine.backend()
        );
        Ok(())
    }
}
