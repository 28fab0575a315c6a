//! `tbgen generate`: makes tables in a folder.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rayon::ThreadPool;
use serde_json::{Value as Json, json};
use tbgen::{
    Alone, Done, Endgame, Job, Journal, Library, Metric, Options, Plan, Shape, all_up_to,
    check_checkpoint, checkpoint_bytes, depth_first, make_in_memory, mebibytes, parse_size,
};
use tbindex::store::{Overwrite, check_space};
use tbindex::{Color, Material};

use super::bars::Bars;
use super::folder::{FolderKind, check_kind, is_packed, is_there, make_folder, remove_stale};
use super::machine::{DISK_SPEED, MachineArgs, check_memory, plan_for};
use super::pack::Packing;
use super::signals::stop_flag;
use super::{MetricArg, UsageError, metrics, parse_endgame, print, syzygy};

/// Generates the table of a material and all tables to which captures and promotions lead, or all tables
///
/// Intact tables that are already in the folder are not made again. A table gets its name when it is
/// complete, so an interruption loses at most the table in work.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen generate KQvKR -o tables --threads 2\n  tbgen generate --all 4 -o tables\n  tbgen generate --all 5 --format syzygy -o syzygy\n  tbgen generate --all 5 --packed --metric dtm -o packed\n  tbgen generate 'K[WD]NvK' -o tables"
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
    /// What the distances count; may be given twice, for tables of dtz and dtm. By default dtz, and dtm with short-range
    /// pieces, which have no other
    #[arg(long, value_enum, value_name = "METRIC", value_delimiter = ',')]
    metric: Vec<Made>,
    /// The files to make
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
    /// Round the distances of Syzygy files as the published ones do; exact ones are stored otherwise. Files that are
    /// there stay, whichever they have: --force makes them again
    #[arg(long)]
    rounded: bool,
    /// Keep packed files, which take a tenth to a fifth of the room, of tables of 3 to 5 pieces. The others are in a folder `unpacked-METRIC`
    /// beside them, or in that of --temp, until all are packed
    #[arg(long, conflicts_with_all = ["format", "no_write"])]
    packed: bool,
    #[command(flatten)]
    machine: MachineArgs,
    /// The most memory to use for a table, such as 400M. What does not fit is kept in files, if that is possible, and
    /// otherwise refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Folder for temporary files and checkpoints; by default that of the tables
    #[arg(long, value_name = "DIR", conflicts_with = "no_write")]
    temp: Option<PathBuf>,
    /// A file to which each ply adds a line with a JSON object
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Only generate the tables in memory; no files are read or written. With --metric help, large tables that others need
    /// are in temporary files in the system's folder for these
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

/// What the distances of tables count, helpmates among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Made {
    /// Plies to the next capture, pawn move or mate, under the fifty-move rule
    Dtz,
    /// Plies to mate, without the fifty-move rule
    Dtm,
    /// Plies to mate if both sides help, with either side as the one that is mated
    Help,
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

/// What a run makes, and what that takes.
struct Needs {
    /// The tables that were asked for.
    what: String,
    /// The number of those that are not there.
    tables: usize,
    memory: u64,
    /// The bytes of their files, and of temporary ones.
    files: u64,
    temporary: u64,
}

impl Needs {
    /// Says what will be made. Returns whether that was all.
    fn say(&self, args: &Args, text: &str) -> Result<bool> {
        if !args.dry_run {
            note!("{text}");
        } else if args.json {
            let text = json!({
                "tables": self.tables,
                "memory_bytes": self.memory,
                "file_bytes": self.files,
                "temporary_bytes": self.temporary,
            });
            print(&format!("{text:#}\n"))?;
        } else {
            print(&format!("{text}\n"))?;
        }
        Ok(args.dry_run)
    }
}

/// The tables that a run has made so far.
struct Report<'a> {
    args: &'a Args,
    begin: Instant,
    tables: Vec<Json>,
}

impl Report<'_> {
    fn add(&mut self, done: &Done, metric: Metric) {
        note!("{}", describe(done));
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        self.tables.push(json!({
            "metric": metric.name(),
            "table": done.endgame.to_string(),
            "solve_seconds": seconds(done.solved),
            "write_seconds": seconds(done.written),
        }));
    }

    fn end(self, pool: &ThreadPool, more: (&str, Json)) -> Result<()> {
        let (threads, backend) = (pool.current_num_threads(), self.args.machine.backend());
        let seconds = self.begin.elapsed().as_secs_f64();
        if !self.args.json {
            note!("{seconds:.3} s in the process, {threads} threads, {backend}");
            return Ok(());
        }
        let mut text = json!({
            "material": self.args.material.map(|endgame| endgame.normal().to_string()),
            "threads": threads,
            "backend": backend.name(),
            "tables": self.tables,
            "seconds": seconds,
        });
        text[more.0] = more.1;
        print(&format!("{text:#}\n"))
    }
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
    let all: Vec<Endgame> = match (args.material, args.all) {
        (Some(endgame), _) => endgame.needed(),
        (None, pieces) => {
            let all = all_up_to(usize::from(pieces.unwrap_or(3))).into_iter();
            all.map(Endgame::from).collect()
        }
    };
    let is_chess = all.iter().all(|endgame| endgame.piece_set.is_chess());
    if args.metric.contains(&Made::Help) {
        return helpmates(args, is_chess, all);
    }
    let wanted = args.metric.iter().map(|made| match made {
        Made::Dtm => MetricArg::Dtm,
        _ => MetricArg::Dtz,
    });
    let metrics = metrics(is_chess, &wanted.collect::<Vec<_>>())?;
    let what = match &args.material {
        Some(endgame) => endgame.normal().to_string(),
        None => format!("{} tables", all.len()),
    };
    let report = Report {
        args,
        begin,
        tables: Vec::new(),
    };
    if args.format == Format::Syzygy {
        if !is_chess {
            let message = "there are no Syzygy files of short-range pieces";
            return Err(UsageError(message.to_owned()).into());
        }
        let all = all.iter().map(|endgame| endgame.material).collect();
        return syzygy(report, what, all);
    }
    if args.rounded {
        let message = "--rounded is for Syzygy files: add --format syzygy";
        return Err(UsageError(message.to_owned()).into());
    }
    let shapes = all.into_iter().map(Shape::of_endgame);
    let shapes: Vec<Shape> = shapes.collect::<Result<_, _>>()?;
    match &args.output {
        Some(folder) if args.packed => packed(report, &what, &metrics, &shapes, folder),
        Some(folder) => {
            let mut report = report;
            match in_folder(&mut report, what, &metrics, &shapes, folder)? {
                Some(pool) => report.end(&pool, positions(&shapes)),
                None => Ok(()),
            }
        }
        None => in_memory(report, what, &metrics, &shapes),
    }
}

/// Makes tables of helpmates.
fn helpmates(args: &Args, is_chess: bool, all: Vec<Endgame>) -> Result<()> {
    let alone = args.metric.len() == 1 && !args.rounded && args.log.is_none();
    if !is_chess || !alone || args.format != Format::default() {
        let message = "--metric help makes tables of chess pieces in files of tbgen's own, and stands alone, without --log";
        return Err(UsageError(message.to_owned()).into());
    }
    let unpacked = args.output.as_ref().filter(|_| args.packed).map(|folder| {
        let temp = args.temp.as_deref().unwrap_or(folder);
        temp.join("unpacked-help")
    });
    let mut materials: Vec<Material> = all.iter().map(|endgame| endgame.material).collect();
    let mut missing = Vec::new();
    match (&args.output, &unpacked) {
        // In this order less is in temporary files at a time.
        (None, _) => materials = depth_first(&materials),
        (Some(folder), Some(_)) => {
            for &material in &materials {
                for metric in Color::ALL.map(Metric::help) {
                    if args.force || !is_packed(folder, material.into(), metric)? {
                        missing.push((Endgame::from(material), metric));
                    }
                }
            }
            if let Some((endgame, _)) = missing.iter().find(|(of, _)| of.material.piece_count() > 5)
            {
                let message = format!("at most 5 pieces are packed: not {endgame}");
                return Err(UsageError(message).into());
            }
            let needed = missing.iter().flat_map(|(endgame, _)| endgame.needed());
            let needed: HashSet<Endgame> = needed.collect();
            materials.retain(|&material| needed.contains(&material.into()));
        }
        (Some(_), None) => {}
    }
    let unpacked = unpacked.filter(|_| !missing.is_empty());
    let shapes = materials.into_iter().map(Shape::new);
    let shapes: Vec<Shape> = shapes.collect::<Result<_, _>>()?;
    let generate = super::help::Generate {
        folder: unpacked.as_deref().or(args.output.as_deref()),
        memory: args.memory,
        force: args.force,
        dry_run: args.dry_run,
        json: args.json,
        machine: &args.machine,
    };
    let Some(mut made) = generate.run(&shapes)? else {
        return Ok(());
    };
    if args.packed {
        made["packed"] = Json::Array(Vec::new());
    }
    if let (Some(unpacked), Some(folder)) = (&unpacked, &args.output) {
        made["packed"] = pack_all(args, &missing, unpacked, folder)?.into();
        remove(unpacked)?;
    }
    match args.json {
        true => print(&format!("{made:#}\n")),
        false => Ok(()),
    }
}

/// Packs tables of a folder into files of another one.
fn pack_all(
    args: &Args,
    tables: &[(Endgame, Metric)],
    from: &Path,
    to: &Path,
) -> Result<Vec<Json>> {
    let packing = Packing {
        from,
        to,
        overwrite: overwrite(args),
        check: false,
        memory: args.memory,
        machine: &args.machine,
    };
    packing.pack(tables, args.json)
}

fn remove(folder: &Path) -> Result<()> {
    std::fs::remove_dir_all(folder).with_context(|| format!("can't remove {}", folder.display()))
}

/// Makes packed tables that are not in a folder: the tables that they need in a folder of their own, which is removed when
/// they are packed.
fn packed(
    mut report: Report<'_>,
    what: &str,
    metrics: &[Metric],
    shapes: &[Shape],
    folder: &Path,
) -> Result<()> {
    let args = report.args;
    let temp = args.temp.as_deref().unwrap_or(folder);
    let (mut pool, mut rows) = (None, Vec::new());
    for &metric in metrics {
        // Another metric's tables may be those of a run that was interrupted.
        let unpacked = temp.join(format!("unpacked-{}", metric.name()));
        let mut missing = Vec::new();
        for endgame in shapes.iter().map(Shape::endgame) {
            if args.force || !is_packed(folder, endgame, metric)? {
                missing.push((endgame, metric));
            }
        }
        let is_needed = |shape: &&Shape| {
            let needs =
                |&(endgame, _): &(Endgame, Metric)| endgame.needed().contains(&shape.endgame());
            missing.iter().any(needs)
        };
        let needed: Vec<Shape> = shapes.iter().filter(is_needed).cloned().collect();
        let made = in_folder(&mut report, what.to_owned(), &[metric], &needed, &unpacked)?;
        if made.is_none() {
            continue;
        }
        pool = made;
        rows.extend(pack_all(args, &missing, &unpacked, folder)?);
        remove(&unpacked)?;
    }
    let Some(pool) = pool else { return Ok(()) };
    report.end(&pool, ("packed", rows.into()))
}

fn overwrite(args: &Args) -> Overwrite {
    match args.force {
        true => Overwrite::Replace,
        false => Overwrite::Refuse,
    }
}

/// The seconds that tables take to solve and, if there are files, to write, roughly.
fn rough_seconds<'a>(
    tables: impl Iterator<Item = (&'a Shape, &'a Plan)>,
    threads: usize,
    files: bool,
) -> f64 {
    let times = tables.map(|(shape, plan)| {
        let [solve, write] = plan.seconds(shape, threads, DISK_SPEED);
        solve + if files { write } else { 0.0 }
    });
    times.sum::<f64>().max(1.0)
}

/// Makes tables of which nothing is kept.
fn in_memory(
    mut report: Report<'_>,
    what: String,
    metrics: &[Metric],
    shapes: &[Shape],
) -> Result<()> {
    let args = report.args;
    let pool = args.machine.pool()?;
    let plans = metrics
        .iter()
        .flat_map(|&metric| Plan::each_without_files(shapes, metric));
    let plans: Vec<Plan> = pool.install(|| plans.collect());
    let needs = Needs {
        what,
        tables: plans.len(),
        memory: plans.iter().map(|plan| plan.memory).max().unwrap_or(0),
        files: 0,
        temporary: 0,
    };
    let without_files = format!("{} with --no-write", needs.what);
    check_memory(&without_files, needs.memory, args.memory)?;
    let tables = shapes.iter().cycle().zip(&plans);
    let text = format!(
        "{}: {} to make, up to {} of memory, roughly {:.0} s",
        needs.what,
        needs.tables,
        mebibytes(needs.memory),
        rough_seconds(tables, pool.current_num_threads(), false)
    );
    if needs.say(args, &text)? {
        return Ok(());
    }
    let bars = bars(args, plans.len())?;
    for &metric in metrics {
        let options = Options::new(metric, args.machine.backend(), stop_flag());
        let solve = |shape: &Shape, library: &Library| bars.solve(shape, library, options);
        let each = |done: &Done| {
            report.add(done, metric);
            bars.done();
        };
        pool.install(|| make_in_memory(shapes, solve, each))?;
    }
    report.end(&pool, positions(shapes))
}

/// The number of positions of tables, as a report has it.
fn positions(shapes: &[Shape]) -> (&'static str, Json) {
    let slots = 2 * shapes.iter().map(Shape::slots).sum::<u64>();
    ("positions", slots.into())
}

/// Progress bars of so many tables, with the journal that is asked for.
fn bars(args: &Args, tables: usize) -> Result<Bars> {
    let mut bars = Bars::new(tables);
    bars.memory = args.memory;
    if let Some(log) = &args.log {
        let journal = Journal::open(log);
        bars.journal = Some(journal.with_context(|| format!("can't open {}", log.display()))?);
    }
    Ok(bars)
}

/// Makes the tables that are not in a folder, unless the call only asks what that takes. Returns the threads that did.
fn in_folder(
    report: &mut Report<'_>,
    what: String,
    metrics: &[Metric],
    shapes: &[Shape],
    folder: &Path,
) -> Result<Option<ThreadPool>> {
    let args = report.args;
    check_kind(folder, FolderKind::Own)?;
    let pool = args.machine.pool()?;
    let temp = args.temp.as_deref().unwrap_or(folder);
    let mut todo: Vec<(&Shape, Metric)> = Vec::new();
    for &metric in metrics {
        for shape in shapes {
            if !args.force {
                if is_there(folder, shape.endgame(), metric)? {
                    continue;
                }
                check_checkpoint(temp, folder, shape, metric)?;
            }
            todo.push((shape, metric));
        }
    }
    let plans = pool.install(|| -> Result<Vec<Plan>> {
        // Of what does not fit, what needs most is named.
        let least = todo.iter().filter_map(|&(shape, metric)| {
            let plan = Plan::new(shape, metric, args.memory);
            Some((plan.err()?, shape, metric))
        });
        if let Some((_, shape, metric)) = least.max_by_key(|(least, ..)| *least) {
            plan_for(shape, metric, args.memory)?;
        }
        let plans = todo.iter();
        let plans = plans.map(|&(shape, metric)| plan_for(shape, metric, args.memory));
        plans.collect()
    })?;
    let needs = Needs {
        what,
        tables: todo.len(),
        memory: plans.iter().map(|plan| plan.memory).max().unwrap_or(0),
        files: Shape::likely_files(todo.iter().map(|(shape, _)| *shape)),
        temporary: plans.iter().map(Plan::temporary).max().unwrap_or(0),
    };
    // What a run that was killed has left of a checkpoint is there already.
    let to_come = plans.iter().zip(&todo).map(|(plan, (shape, metric))| {
        let bytes = checkpoint_bytes(temp, shape.endgame(), *metric);
        plan.temporary() - bytes.min(plan.checkpoint)
    });
    let to_come = to_come.max().unwrap_or(0);
    let mut text = format!(
        "{}: {} to make, up to {} of memory, about {} in {}",
        needs.what,
        needs.tables,
        mebibytes(needs.memory),
        mebibytes(needs.files),
        folder.display()
    );
    if needs.temporary > 0 {
        text += &format!(
            ", up to about {} of temporary files in {}",
            mebibytes(needs.temporary),
            temp.display()
        );
    }
    let traffic = plans.iter().map(|plan| plan.traffic).max().unwrap_or(0);
    if traffic > 0 {
        text += &format!(
            ", up to {} read and written in each ply",
            mebibytes(traffic)
        );
    }
    let tables = todo.iter().map(|(shape, _)| *shape).zip(&plans);
    let time = rough_seconds(tables, pool.current_num_threads(), true);
    text += &format!(", roughly {time:.0} s");
    if needs.say(args, &text)? {
        return Ok(None);
    }
    make_folder(folder)?;
    remove_stale(folder)?;
    match &args.temp {
        None => check_space(
            folder,
            needs.files + to_come,
            "the tables and temporary files",
        )?,
        Some(temp) => {
            check_space(folder, needs.files, "the tables")?;
            make_folder(temp)?;
            check_space(temp, to_come, "the temporary files")?;
        }
    }
    let bars = bars(args, metrics.len() * shapes.len())?;
    for &metric in metrics {
        let job = Job {
            folder,
            temp,
            sets: temp,
            overwrite: overwrite(args),
            metric,
            backend: args.machine.backend(),
            memory: args.memory,
            stop: stop_flag(),
            waiting: &|path| {
                note!("{}: another process makes it: waiting", path.display());
            },
            transport: &Alone,
        };
        let solve = |shape: &Shape, library: &Library, options: Options<'_>| {
            bars.solve(shape, library, options)
        };
        let each = |done: &Done| {
            report.add(done, metric);
            bars.done();
        };
        pool.install(|| job.make(shapes, solve, each))?;
    }
    Ok(Some(pool))
}

/// Makes Syzygy files of these tables.
fn syzygy(mut report: Report<'_>, what: String, all: Vec<Material>) -> Result<()> {
    let args = report.args;
    if args.metric.contains(&Made::Dtm) {
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
    let pool = args.machine.pool()?;
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
    let outcomes: u64 = solved.iter().map(Shape::likely_outcomes).sum();
    let needs = Needs {
        what,
        tables: missing.len(),
        memory,
        files: Shape::likely_syzygy_files(&missing),
        temporary: outcomes + solved.iter().map(Shape::likely_aside).max().unwrap_or(0),
    };
    check_memory(&needs.what, memory, args.memory)?;
    let time: f64 = missing.iter().map(rough_export_seconds).sum::<f64>()
        + solved
            .iter()
            .map(|shape| Plan::in_memory(shape, Metric::Dtz).seconds(shape, 1, DISK_SPEED)[0])
            .sum::<f64>();
    let again = solved.len() - missing.len();
    let text = format!(
        "{}: {} to make{}, up to {} of memory, about {} in {}, up to {} of it for temporary files, roughly {:.0} s",
        needs.what,
        needs.tables,
        match again {
            0 => String::new(),
            again => format!(" and {again} to solve again"),
        },
        mebibytes(memory),
        mebibytes(needs.files + needs.temporary),
        folder.display(),
        mebibytes(needs.temporary),
        (time / pool.current_num_threads() as f64).max(1.0)
    );
    if needs.say(args, &text)? {
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
