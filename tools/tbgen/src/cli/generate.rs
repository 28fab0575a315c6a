//! `tbgen generate`: makes tables in a folder.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use syzygy_tables::writer::Distances;
use tbgen::{Endgame, Metric, Plan, Shape, all_up_to, at_least, mebibytes, needed_by, parse_size};
use tbindex::Material;
use tbindex::store::{Overwrite, check_space};

use super::folder::{FolderKind, check_kind, is_there, remove_stale};
use super::short_range::{self, parse_endgame};
use super::syzygy;
use super::work::{
    DISK_SPEED, Done, Journal, Machine, MachineArgs, check_log, log_bytes, make, plan_for,
    plans_without_files,
};
use super::{MetricArg, UsageError, print};

/// Generates the table of a material and all tables to which captures and promotions lead, or all tables
///
/// Intact tables that are already in the folder are not made again. A table gets its name when it is
/// complete, so an interruption loses at most the table in work.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen generate KQvKR -o tables --threads 2\n  tbgen generate --all 4 -o tables\n  tbgen generate --all 5 --format syzygy -o syzygy\n  tbgen generate 'K[WD]NvK' -o tables"
)]
pub(crate) struct Args {
    /// The material, such as KQvKR, of 3 to 7 pieces; or with short-range pieces in brackets, such as K[WD]NvK, of 3
    /// to 5. These are given by number, squares or in Betza notation, and black's go down the board
    #[arg(value_parser = parse_endgame, required_unless_present = "all")]
    material: Option<Endgame>,
    /// All tables of 3 to so many pieces, 6 at most, in place of a material
    #[arg(long, value_name = "PIECES", conflicts_with = "material", value_parser = parse_all)]
    all: Option<u8>,
    /// Folder for the tables; created if needed
    #[arg(short, long, value_name = "DIR", required_unless_present = "no_write")]
    output: Option<PathBuf>,
    /// What the distances count; may be given twice, for tables of both kinds. By default dtz, and dtm with short-range
    /// pieces, which have no other
    #[arg(long, value_enum, value_name = "METRIC", value_delimiter = ',')]
    metric: Vec<MetricArg>,
    /// The files to make
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
    /// Round the distances of Syzygy files as the published ones do; exact ones are stored otherwise. Files that are
    /// there stay, whichever they have: --force makes them again
    #[arg(long)]
    rounded: bool,
    #[command(flatten)]
    machine: MachineArgs,
    /// The most memory to use for a table, such as 400M. What does not fit is kept in files, if that is possible, and
    /// otherwise refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Folder for temporary files and logs of plies; by default that of the tables
    #[arg(long, value_name = "DIR", conflicts_with = "no_write")]
    temp: Option<PathBuf>,
    /// A file to which each ply adds a line with a JSON object
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Only generate the tables in memory; no files are read or written
    #[arg(long, conflicts_with = "output")]
    no_write: bool,
    /// Make tables again that are already in the folder
    #[arg(long)]
    force: bool,
    /// Only print what would be made, and what it takes
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn parse_all(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(pieces @ 3..=6) => Ok(pieces),
        Ok(7) => Err("not all tables of 7 pieces can be made, as some have too many placements of pawns: expected 3 to 6, or a material in place of --all".to_owned()),
        _ => Err("expected a number of pieces from 3 to 6".to_owned()),
    }
}

/// The files that tables are kept in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// This generator's own
    #[default]
    Tbgen,
    /// Syzygy files, which engines read; tables are not kept in any other form
    Syzygy,
}

fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(|time| time.as_secs_f64())
}

fn describe(done: &Done) -> String {
    match (done.solved, done.written) {
        (Some(solved), Some(written)) => format!(
            "{}: solved in {:.3} s, written in {:.3} s",
            done.endgame,
            solved.as_secs_f64(),
            written.as_secs_f64()
        ),
        (Some(solved), None) => {
            format!("{}: solved in {:.3} s", done.endgame, solved.as_secs_f64())
        }
        _ => format!("{}: there already", done.endgame),
    }
}

/// The seconds that a table's Syzygy files take on one thread, roughly.
fn rough_export_seconds(shape: &Shape) -> f64 {
    0.1 + shape.slots() as f64 * 1.2e-7
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let begin = Instant::now();
    if let Some(endgame) = args
        .material
        .filter(|endgame| !endgame.piece_set.is_chess())
    {
        return with_short_range(args, endgame);
    }
    let all = match (&args.material, args.all) {
        (Some(endgame), _) => needed_by(&endgame.material),
        (None, pieces) => all_up_to(usize::from(pieces.unwrap_or(3))),
    };
    if args.format == Format::Syzygy {
        return syzygy(args, all);
    }
    if let Some(folder) = &args.output {
        check_kind(folder, FolderKind::Own)?;
    }
    if args.rounded {
        let message = "--rounded is for Syzygy files: add --format syzygy";
        return Err(UsageError(message.to_owned()).into());
    }
    let pool = args.machine.pool()?;
    let shapes = all.iter().map(|material| Ok(Shape::new(*material)?));
    let shapes: Vec<Shape> = shapes.collect::<Result<_>>()?;
    let what = match &args.material {
        Some(endgame) => endgame.normal().to_string(),
        None => format!("{} tables", all.len()),
    };
    let mut metrics = vec![Metric::Dtz, Metric::Dtm];
    let wanted = match &args.metric[..] {
        [] => &[MetricArg::Dtz],
        wanted => wanted,
    };
    metrics.retain(|&metric| wanted.iter().any(|&wanted| metric == wanted.into()));
    let mut todo: Vec<(&Shape, Metric)> = Vec::new();
    for &metric in &metrics {
        for shape in &shapes {
            let there = match args.output.as_deref().filter(|_| !args.force) {
                Some(folder) => is_there(folder, &shape.material(), metric)?,
                None => false,
            };
            if !there {
                todo.push((shape, metric));
            }
            if let Some(folder) = args.output.as_deref().filter(|_| !there && !args.force) {
                let logs = args.temp.as_deref().unwrap_or(folder);
                check_log(logs, folder, &shape.material(), metric)?;
            }
        }
    }
    // Of what does not fit, what needs most is named.
    let least = todo.iter().filter_map(|&(shape, metric)| {
        let plan = pool.install(|| Plan::new(shape, metric, args.memory));
        Some((plan.err()?, shape, metric))
    });
    if !args.no_write
        && let Some((_, shape, metric)) = least.max_by_key(|(least, ..)| *least)
    {
        pool.install(|| plan_for(shape, metric, args.memory))?;
    }
    let mut plans = Vec::new();
    pool.install(|| -> Result<()> {
        if args.no_write {
            for &metric in &metrics {
                plans.extend(plans_without_files(&all, metric)?);
            }
            return check_memory(&what, args.memory, &plans);
        }
        for &(shape, metric) in &todo {
            plans.push(plan_for(shape, metric, args.memory)?);
        }
        Ok(())
    })?;
    let memory = plans.iter().map(|plan| plan.memory).max().unwrap_or(0);
    let disk = Shape::likely_files(todo.iter().map(|(shape, _)| *shape));
    let temp = plans.iter().map(Plan::temporary).max().unwrap_or(0);
    // What a run that was killed has left of a log is there already.
    let logs = args.temp.as_ref().or(args.output.as_ref());
    let begun = plans.iter().zip(&todo).map(|(plan, (shape, metric))| {
        let bytes = logs.map_or(0, |logs| log_bytes(logs, &shape.material(), *metric));
        plan.temporary() - bytes.min(plan.log)
    });
    let to_come = begun.max().unwrap_or(0);
    let traffic = plans.iter().map(|plan| plan.traffic).max().unwrap_or(0);
    let threads = pool.current_num_threads();
    let times = plans.iter().zip(&todo).map(|(plan, (shape, _))| {
        let [solve, write] = plan.seconds(shape, threads, DISK_SPEED);
        solve + if args.no_write { 0.0 } else { write }
    });
    let time = times.sum::<f64>().max(1.0);
    let mut plan = format!(
        "{what}: {} to make, up to {} of memory",
        todo.len(),
        mebibytes(memory)
    );
    if let Some(folder) = &args.output {
        plan += &format!(", about {} in {}", mebibytes(disk), folder.display());
        let folder = args.temp.as_ref().unwrap_or(folder);
        if temp > 0 {
            plan += &format!(
                ", up to about {} of temporary files in {}",
                mebibytes(temp),
                folder.display()
            );
        }
        if traffic > 0 {
            plan += &format!(
                ", up to {} read and written in each ply",
                mebibytes(traffic)
            );
        }
    }
    plan += &format!(", roughly {time:.0} s");
    if args.dry_run {
        return dry_run(args, &plan, todo.len(), memory, disk, temp);
    }
    note!("{plan}");
    let overwrite = if args.force {
        Overwrite::Replace
    } else {
        Overwrite::Refuse
    };
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("can't make the folder {}", folder.display()))?;
        remove_stale(folder)?;
        match &args.temp {
            None => check_space(folder, disk + to_come, "the tables and temporary files")?,
            Some(_) => check_space(folder, disk, "the tables")?,
        }
        if let Some(temp_folder) = &args.temp {
            std::fs::create_dir_all(temp_folder)
                .with_context(|| format!("can't make the folder {}", temp_folder.display()))?;
            check_space(temp_folder, to_come, "the temporary files")?;
        }
    }
    let folder = args.output.as_deref().map(|folder| (folder, overwrite));
    let journal = args.log.as_deref().map(Journal::open).transpose()?;
    let machine = Machine {
        memory: args.memory,
        temp: args.temp.as_deref(),
        journal: journal.as_ref(),
        ..Machine::with(args.machine.backend())
    };
    let mut tables = Vec::new();
    pool.install(|| -> Result<()> {
        for &metric in &metrics {
            make(&all, folder, metric, machine, |done| {
                note!("{}", describe(done));
                tables.push(json!({
                "metric": metric.name(),
                "table": done.endgame.to_string(),
                "solve_seconds": seconds(done.solved),
                "write_seconds": seconds(done.written),
                }));
            })?;
        }
        Ok(())
    })?;
    let total = begin.elapsed();
    if args.json {
        let text = json!({
            "material": args.material.map(|endgame| endgame.normal().to_string()),
            "threads": pool.current_num_threads(),
            "backend": args.machine.backend().name(),
            "positions": 2 * shapes.iter().map(Shape::slots).sum::<u64>(),
            "tables": tables,
            "seconds": total.as_secs_f64(),
        });
        print(&format!("{text:#}\n"))
    } else {
        note!(
            "{:.3} s in the process, {} threads, {}",
            total.as_secs_f64(),
            pool.current_num_threads(),
            args.machine.backend()
        );
        Ok(())
    }
}

/// Refuses what takes more memory than it may, where no files are written.
fn check_memory(what: &str, limit: Option<u64>, plans: &[Plan]) -> Result<()> {
    let memory = plans.iter().map(|plan| plan.memory).max().unwrap_or(0);
    match limit {
        Some(limit) if limit < memory => Err(UsageError(format!(
            "{what} needs {} of memory with --no-write: --memory allows {}",
            at_least(memory),
            mebibytes(limit)
        ))
        .into()),
        _ => Ok(()),
    }
}

/// Prints what would be made: so many tables, within so many bytes of memory, of files and of temporary files.
fn dry_run(
    args: &Args,
    plan: &str,
    tables: usize,
    memory: u64,
    files: u64,
    temporary: u64,
) -> Result<()> {
    if args.json {
        let text = json!({
            "tables": tables,
            "memory_bytes": memory,
            "file_bytes": if args.no_write { 0 } else { files },
            "temporary_bytes": temporary,
        });
        return print(&format!("{text:#}\n"));
    }
    print(&format!("{plan}\n"))
}

/// Makes the tables of an endgame with short-range pieces.
fn with_short_range(args: &Args, endgame: Endgame) -> Result<()> {
    let begin = Instant::now();
    short_range::check_metric(&args.metric)?;
    if args.format == Format::Syzygy {
        let message = "there are no Syzygy files of short-range pieces";
        return Err(UsageError(message.to_owned()).into());
    }
    let pool = args.machine.pool()?;
    let overwrite = if args.force {
        Overwrite::Replace
    } else {
        Overwrite::Refuse
    };
    let todo = short_range::missing(endgame, args.output.as_deref(), args.force)?;
    let plans = pool.install(|| short_range::plans(&todo, args.memory))?;
    let memory = plans.iter().map(|plan| plan.memory).max().unwrap_or(0);
    let disk = Shape::likely_files(todo.iter());
    let threads = pool.current_num_threads();
    let time = plans.iter().zip(&todo).map(|(plan, shape)| {
        let [solve, write] = plan.seconds(shape, threads, DISK_SPEED);
        solve + write
    });
    let time: f64 = time.sum();
    let plan = format!(
        "{}: {} to make, up to {} of memory, about {}, roughly {:.0} s",
        endgame.normal(),
        todo.len(),
        mebibytes(memory),
        mebibytes(disk),
        time.max(1.0)
    );
    if args.dry_run {
        return dry_run(args, &plan, todo.len(), memory, disk, 0);
    }
    note!("{plan}");
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("can't make the folder {}", folder.display()))?;
        remove_stale(folder)?;
        check_space(folder, disk, "the tables")?;
    }
    let folder = args.output.as_deref().map(|folder| (folder, overwrite));
    let journal = args.log.as_deref().map(Journal::open).transpose()?;
    let machine = Machine {
        memory: args.memory,
        journal: journal.as_ref(),
        ..Machine::with(args.machine.backend())
    };
    let mut tables = Vec::new();
    pool.install(|| {
        short_range::make(endgame, folder, machine, |done| {
            note!("{}", describe(done));
            tables.push(json!({
                "metric": short_range::METRIC.name(),
                "table": done.endgame.to_string(),
                "solve_seconds": seconds(done.solved),
                "write_seconds": seconds(done.written),
            }));
        })
    })?;
    let total = begin.elapsed().as_secs_f64();
    if args.json {
        let text = json!({
            "material": endgame.normal().to_string(),
            "threads": pool.current_num_threads(),
            "backend": args.machine.backend().name(),
            "tables": tables,
            "seconds": total,
        });
        return print(&format!("{text:#}\n"));
    }
    note!(
        "{total:.3} s in the process, {} threads, {}",
        pool.current_num_threads(),
        args.machine.backend()
    );
    Ok(())
}

/// Makes Syzygy files of these tables.
fn syzygy(args: &Args, all: Vec<Material>) -> Result<()> {
    let begin = Instant::now();
    if args.metric.contains(&MetricArg::Dtm) {
        return Err(UsageError("Syzygy files have distances to zeroing only".to_owned()).into());
    }
    if let Some(large) = all.iter().find(|material| material.piece_count() > 5) {
        let message = format!("{large} has more than 5 pieces: no Syzygy files are written of it");
        return Err(UsageError(message).into());
    }
    let Some(folder) = &args.output else {
        let message = "--no-write and --format syzygy exclude each other";
        return Err(UsageError(message.to_owned()).into());
    };
    check_kind(folder, FolderKind::Syzygy)?;
    let distances = if args.rounded {
        Distances::Rounded
    } else {
        Distances::Exact
    };
    let pool = args.machine.pool()?;
    let count = all.len();
    let what = match &args.material {
        Some(endgame) => endgame.normal().to_string(),
        None => format!("{count} tables"),
    };
    let plan = pool.install(|| syzygy::Plan::new(all, folder, args.force));
    let shapes = |materials: &[Material]| -> Result<Vec<Shape>> {
        let shapes = materials.iter().map(|material| Ok(Shape::new(*material)?));
        shapes.collect()
    };
    let (missing, solved) = (shapes(&plan.missing)?, shapes(&plan.solved)?);
    let memory = pool.install(|| {
        syzygy::solving_memory(&solved, true, |shape| {
            match missing.iter().any(|m| m.material() == shape.material()) {
                true => shape.export_memory(true),
                false => 0,
            }
        })
    });
    if let Some(limit) = args.memory.filter(|&limit| limit < memory) {
        return Err(UsageError(format!(
            "{what} needs up to {} of memory: --memory allows {}",
            at_least(memory),
            mebibytes(limit)
        ))
        .into());
    }
    let files = Shape::likely_syzygy_files(&missing);
    let outcomes: u64 = solved.iter().map(Shape::likely_outcomes).sum();
    let temporary = outcomes + solved.iter().map(Shape::likely_aside).max().unwrap_or(0);
    let time: f64 = missing.iter().map(rough_export_seconds).sum::<f64>()
        + solved
            .iter()
            .map(|shape| Plan::in_memory(shape, Metric::Dtz).seconds(shape, 1, DISK_SPEED)[0])
            .sum::<f64>();
    let again = solved.len() - missing.len();
    let description = format!(
        "{what}: {} to make{}, up to {} of memory, about {} in {}, up to {} of it for temporary files, roughly {:.0} s",
        missing.len(),
        match again {
            0 => String::new(),
            again => format!(" and {again} to solve again"),
        },
        mebibytes(memory),
        mebibytes(files + temporary),
        folder.display(),
        mebibytes(temporary),
        (time / pool.current_num_threads() as f64).max(1.0)
    );
    if args.dry_run {
        return dry_run(args, &description, missing.len(), memory, files, temporary);
    }
    note!("{description}");
    std::fs::create_dir_all(folder)
        .with_context(|| format!("can't make the folder {}", folder.display()))?;
    syzygy_tables::writer::remove_stale(folder)
        .with_context(|| format!("can't read {}", folder.display()))?;
    check_space(folder, files + temporary, "the tables")?;
    let mut tables = Vec::new();
    pool.install(|| {
        plan.make(folder, distances, args.machine.backend(), |done| {
            note!("{}", describe(done));
            tables.push(json!({
                "table": done.endgame.to_string(),
                "solve_seconds": seconds(done.solved),
                "write_seconds": seconds(done.written),
            }));
        })
    })?;
    let total = begin.elapsed().as_secs_f64();
    if args.json {
        let text = json!({
            "material": args.material.map(|endgame| endgame.normal().to_string()),
            "threads": pool.current_num_threads(),
            "backend": args.machine.backend().name(),
            "rounded": args.rounded,
            "tables": tables,
            "seconds": total,
        });
        return print(&format!("{text:#}\n"));
    }
    note!(
        "{total:.3} s in the process, {} threads, {}",
        pool.current_num_threads(),
        args.machine.backend()
    );
    Ok(())
}
