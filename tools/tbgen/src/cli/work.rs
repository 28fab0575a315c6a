//! Makes tables, with threads, progress and interruption.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use signal_hook::consts::signal;
use signal_hook::flag;
use syzygy_tables::Kind;
use syzygy_tables::writer::{self, Control, Distances, Step};
use tbgen::{
    Check, Endgame, ExportOptions, Library, LogOf, Metric, Options, Plan, Progress, Residence,
    Sample, Shape, SolveError, Table, TempFile, at_least, export, is_log, kept_memory, led_to_by,
    mebibytes, solve_shape,
};
use tbindex::Material;
use tbindex::batch::Backend;
use tbindex::store::{Overwrite, PartialFile, StoreErrorKind};

use super::UsageError;
use super::folder::open_table;

/// Set by the first ctrl-C, or another signal that asks a program to end.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// The signal that came last, or 0.
static SIGNAL: AtomicUsize = AtomicUsize::new(0);

/// The flag that signals set from now on.
static STOP: LazyLock<&AtomicBool> = LazyLock::new(|| {
    for signal in SIGNALS.into_iter().filter(|&signal| !is_ignored(signal)) {
        // In this order the second signal finds the flag that the first has set. Without a handler it ends the process
        // as usual.
        let _ = flag::register_conditional_default(signal, &STOPPED);
        let _ = flag::register_usize(signal, &SIGNAL, signal as usize);
        let _ = flag::register(signal, &STOPPED);
    }
    &STOPPED
});

#[cfg(unix)]
const SIGNALS: [i32; 3] = [signal::SIGINT, signal::SIGTERM, signal::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [signal::SIGINT, signal::SIGTERM];

/// Whether whoever started this process made it ignore a signal, as `nohup` does, if the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    ignored.is_some_and(|set| set >> (signal - 1) & 1 != 0)
}

/// The flag that signals set from now on, for work that they interrupt.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    *STOP
}

/// Whether a signal has asked this process to end.
pub(crate) fn is_stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// Ends the process by the signal that came, as it would have ended without a handler: so a shell knows why, and
/// leaves its loops, too. To be called when nothing is left to tidy up.
pub(crate) fn end_by_signal() {
    let signal = SIGNAL.load(Ordering::Relaxed) as i32;
    // Without a signal this is an error, and the caller ends the process.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

/// `--threads`, `--backend`.
#[derive(clap::Args)]
pub(crate) struct MachineArgs {
    /// Threads to use; 0 means one for each processor
    #[arg(long, value_name = "N", value_parser = super::parse_threads, default_value_t = 0)]
    pub(crate) threads: usize,
    /// Instructions to use: portable, avx2 or avx512; the best there are by default
    #[arg(long, value_name = "NAME")]
    pub(crate) backend: Option<Backend>,
}

impl MachineArgs {
    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .context("can't start threads")
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend.unwrap_or_else(Backend::detect)
    }
}

/// A table that was made or found.
pub(crate) struct Done {
    pub(crate) endgame: Endgame,
    /// The time that it took to solve, or `None` if the table was there already.
    pub(crate) solved: Option<Duration>,
    /// The time that it took to compress and write.
    pub(crate) written: Option<Duration>,
}

impl Done {
    pub(crate) fn there_already(endgame: Endgame) -> Done {
        Done {
            endgame,
            solved: None,
            written: None,
        }
    }
}

/// What the work may use, and whom it tells.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    pub(crate) backend: Backend,
    /// The most memory for a table.
    pub(crate) memory: Option<u64>,
    /// The folder for temporary files and logs of plies, if it is not that of the tables.
    pub(crate) temp: Option<&'a Path>,
    pub(crate) journal: Option<&'a Journal>,
}

impl Machine<'_> {
    /// With nothing but a backend chosen.
    pub(crate) fn with(backend: Backend) -> Machine<'static> {
        Machine {
            backend,
            memory: None,
            temp: None,
            journal: None,
        }
    }
}

/// A file to which each ply adds a line.
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    /// Set when a line could not be written, which is said once.
    failed: AtomicBool,
}

impl Journal {
    /// Opens a file, to write at its end.
    pub(crate) fn open(path: &Path) -> Result<Journal> {
        let file = File::options().append(true).create(true).open(path);
        Ok(Journal {
            file: Mutex::new(file.with_context(|| format!("can't open {}", path.display()))?),
            path: path.to_owned(),
            failed: AtomicBool::new(false),
        })
    }

    fn note(&self, material: &Endgame, metric: Metric, progress: &Progress, time: Duration) {
        let line = json!({
            "table": material.to_string(),
            "metric": metric.name(),
            "winner": progress.winner.to_string(),
            "plies": progress.plies,
            "part": progress.parts.0,
            "parts": progress.parts.1,
            "positions": progress.positions,
            "bytes_read": progress.read,
            "bytes_written": progress.written,
            "log_bytes": progress.log,
            "seconds": time.as_secs_f64(),
        });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writeln!(file, "{line}")
            && !self.failed.swap(true, Ordering::Relaxed)
        {
            // The work is worth more than its journal.
            note!("tbgen: can't write to {}: {error}", self.path.display());
        }
    }
}

/// The bytes a second at which files are read and written, for estimates: by the system's cache, if it holds them, or by
/// a fast disk.
pub(crate) const DISK_SPEED: f64 = 2e9;

/// A line for a progress bar: the ply, what is found, and the time that is gone of about so many seconds.
fn describe(material: &Endgame, progress: &Progress, time: Duration, expected: f64) -> String {
    let (solved, parts) = progress.parts;
    let mut text = format!(
        "{material}: {} wins in {} plies",
        progress.winner, progress.plies
    );
    if parts > 1 {
        text += &format!(", part {solved} of {parts}");
    }
    if progress.positions > 0 {
        text += &format!(", {:.1} M positions", progress.positions as f64 / 1e6);
    }
    let moved = progress.read + progress.written;
    if moved > 0 {
        let rate = moved as f64 / time.as_secs_f64().max(1e-3);
        text += &format!(", {}/s", mebibytes(rate as u64));
    }
    if expected > 30.0 {
        let left = (expected - time.as_secs_f64()).max(0.0);
        text += &format!(", {:.0} s gone, about {left:.0} s left", time.as_secs_f64());
    }
    text
}

/// The plan of a table.
pub(crate) fn plan_for(shape: &Shape, metric: Metric, memory: Option<u64>) -> Result<Plan> {
    Plan::new(shape, metric, memory).map_err(|least| {
        let (threads, limit) = (rayon::current_num_threads(), memory.unwrap_or(0));
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let one = one.map(|one| one.install(|| Plan::least(shape, metric).memory));
        let or_one = match one {
            Ok(one) if threads > 1 && one < least => {
                format!(" with {threads} threads, or {} with one", at_least(one))
            }
            _ => String::new(),
        };
        UsageError(format!(
            "{} needs at least {} of memory{or_one}: --memory allows {}",
            shape.endgame(),
            at_least(least),
            mebibytes(limit)
        ))
        .into()
    })
}

/// The plans of tables, which are in an order that has each after those that it needs, where no files are written.
pub(crate) fn plans_without_files(all: &[Material], metric: Metric) -> Result<Vec<Plan>> {
    let plan = |material: &Material| {
        let mut plan = Plan::without_files(&Shape::new(*material)?, metric);
        plan.memory += kept_beside(all, material, metric);
        Ok(plan)
    };
    all.iter().map(plan).collect()
}

/// The bytes of the tables that are in memory for later ones while another one is solved that does not need them, where no
/// files are written.
fn kept_beside(all: &[Material], material: &Material, metric: Metric) -> u64 {
    let (before, later) = all.split_at(all.iter().take_while(|each| *each != material).count());
    let wanted: Vec<Material> = later.iter().flat_map(led_to_by).collect();
    let needed = led_to_by(material);
    let kept = before
        .iter()
        .filter(|each| wanted.contains(each) && !needed.contains(each));
    kept.map(|each| kept_memory(each, metric, false)).sum()
}

fn log_path(folder: &Path, material: &Material, metric: Metric) -> PathBuf {
    let ending = match metric {
        Metric::Dtz => "plies",
        Metric::Dtm => "mates",
    };
    folder.join(format!("{}.{ending}", material.normal()))
}

/// The bytes of the log of plies of a table, if there is one.
pub(crate) fn log_bytes(folder: &Path, material: &Material, metric: Metric) -> u64 {
    std::fs::metadata(log_path(folder, material, metric)).map_or(0, |log| log.len())
}

/// Removes the log of plies of a table, if there is one. Who has it open can still read it. What is no log of plies stays
/// unless whatever is there is to be replaced.
fn remove_log(folder: &Path, material: &Material, metric: Metric, replace: bool) -> Result<()> {
    let log = log_path(folder, material, metric);
    if !replace && !is_log(&log) {
        return Ok(());
    }
    match std::fs::remove_file(&log) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("can't remove {}", log.display()))
        }
        _ => Ok(()),
    }
}

/// Refuses what is in the way of a log of plies of a table, as far as that can be told before smaller tables are made.
pub(crate) fn check_log(
    logs: &Path,
    folder: &Path,
    material: &Material,
    metric: Metric,
) -> Result<()> {
    let log = log_path(logs, material, metric);
    let is_logged = Shape::new(*material)?.is_logged();
    if !log.exists() || !is_logged && !is_log(&log) {
        return Ok(());
    }
    let (of, known) = match LogOf::new(*material, metric, folder) {
        Ok(of) => (of, true),
        // They are made before.
        Err(_) => {
            let (material, sources) = (*material, 0);
            let of = LogOf {
                material,
                metric,
                sources,
            };
            (of, false)
        }
    };
    Ok(of.check(&log, known)?)
}

/// What becomes of a table that is to be made.
pub(crate) enum Claim {
    /// This process makes it: the file is begun, and keeps others from it.
    Ours(PartialFile),
    /// Another process makes it.
    Theirs,
    /// It is there by now.
    There,
}

/// Claims a table's file for this process.
pub(crate) fn claim(path: &Path, overwrite: Overwrite) -> Result<Claim> {
    match PartialFile::create(path, overwrite) {
        // Another process may have finished it after it was looked for.
        Ok(_) if overwrite == Overwrite::Refuse && path.exists() => Ok(Claim::There),
        Ok(file) => Ok(Claim::Ours(file)),
        Err(error) => match error.kind() {
            StoreErrorKind::Busy => Ok(Claim::Theirs),
            StoreErrorKind::Exists => Ok(Claim::There),
            _ => Err(error.into()),
        },
    }
}

/// Waits a moment for another process that makes a table. That is said the first time.
pub(crate) fn wait_for(path: &Path, said: &mut bool) -> Result<()> {
    if !std::mem::replace(said, true) {
        note!("{}: another process makes it: waiting", path.display());
    }
    std::thread::sleep(Duration::from_millis(100));
    match stop_flag().load(Ordering::Relaxed) {
        true => Err(SolveError::Interrupted.into()),
        false => Ok(()),
    }
}

/// The log of plies for a table that is written to a folder, and what it is of, if the table needs one.
fn log_for(
    shape: &Shape,
    metric: Metric,
    folder: &Path,
    machine: Machine<'_>,
) -> Result<Option<(PathBuf, LogOf)>> {
    let on_disk = plan_for(shape, metric, machine.memory)?.group.is_some();
    if !shape.is_logged() && !on_disk {
        return Ok(None);
    }
    let of = LogOf::new(shape.material(), metric, folder)?;
    let path = log_path(machine.temp.unwrap_or(folder), &shape.material(), metric);
    Ok(Some((path, of)))
}

/// Makes tables, which are in an order that has each after those that it needs. If there is a folder, tables that are
/// there are taken from it, and the others are written to it; without one, the last is returned.
pub(crate) fn make(
    all: &[Material],
    folder: Option<(&Path, Overwrite)>,
    metric: Metric,
    machine: Machine<'_>,
    mut each: impl FnMut(&Done),
) -> Result<Option<Table>> {
    let mut library = Library::default();
    let mut last = None;
    let bars = Bars::new(all.len());
    for (number, material) in all.iter().enumerate() {
        if let Some(table) = last.take() {
            library.insert(table);
        }
        let mut done = Done::there_already(Endgame::from(*material));
        let (mut file, mut said) = (None, false);
        if let Some((folder, overwrite)) = folder {
            let path = Table::path(folder, *material, metric);
            file = loop {
                match claim(&path, overwrite)? {
                    Claim::Ours(file) => break Some(file),
                    Claim::Theirs => wait_for(&path, &mut said)?,
                    Claim::There => break None,
                }
            };
            let logs = machine.temp.unwrap_or(folder);
            if file.is_none() {
                // It may be left over from a run that was killed just after it had written the table.
                remove_log(logs, material, metric, false)?;
                each(&done);
                bars.done();
                continue;
            }
            if overwrite == Overwrite::Replace {
                let replace = Shape::new(*material)?.is_logged();
                remove_log(logs, material, metric, replace)?;
            }
        }
        // With a folder, what is needed again can be taken from it.
        let ahead = match folder {
            Some(_) => &all[number..=number],
            None => &all[number..],
        };
        let wanted: Vec<Material> = ahead.iter().flat_map(led_to_by).collect();
        library.retain(|material| wanted.contains(material));
        // A file of its own, which takes no disk any more once the table is made: no table that was put aside is kept.
        let temp = machine.temp.or(folder.map(|(folder, _)| folder));
        let temp_file = temp.map(|temp| {
            let temp_file = TempFile::new(temp).map(Arc::new);
            temp_file.with_context(|| format!("can't make a temporary file in {}", temp.display()))
        });
        let temp_file = temp_file.transpose()?;
        for source in led_to_by(material) {
            if library.get(&source).is_some() {
                continue;
            }
            let (folder, _) = folder.with_context(|| format!("the table of {source} is gone"))?;
            // Parts of tables with pawns are small, and few are wanted at a time, and each only now and then.
            library.insert(if source.has_pawns() {
                open_table(folder, source, metric)?.as_it_is()
            } else {
                open_table(folder, source, metric)?.load_packed(temp_file.as_ref(), stop_flag())?
            });
        }
        let begin = Instant::now();
        let shape = Shape::new(*material)?;
        let log = match folder {
            Some((folder, _)) => log_for(&shape, metric, folder, machine)?,
            None => None,
        };
        let mut table = bars.solve(
            &shape,
            &library,
            metric,
            temp_file.as_ref(),
            log.as_ref(),
            machine,
        )?;
        done.solved = Some(begin.elapsed());
        if let Some(((folder, _), file)) = folder.zip(file) {
            let begin = Instant::now();
            tbindex::fail_point!("tbgen::solved");
            // Memory is shortest while a table is written.
            library = Library::default();
            table.write_to(file, stop_flag())?;
            done.written = Some(begin.elapsed());
            if shape.may_be_logged() {
                let logs = machine.temp.unwrap_or(folder);
                remove_log(logs, material, metric, false)?;
            }
        }
        each(&done);
        bars.done();
        if folder.is_none() {
            if number + 1 < all.len() {
                table.pack(None)?;
            }
            last = Some(table);
        }
    }
    Ok(last)
}

/// Progress bars on a terminal: of all tables, and of those in work.
pub(crate) struct Bars {
    bars: MultiProgress,
    all: ProgressBar,
}

impl Bars {
    pub(crate) fn new(tables: usize) -> Bars {
        let bars = MultiProgress::new();
        if !std::io::stderr().is_terminal() {
            bars.set_draw_target(ProgressDrawTarget::hidden());
        }
        let all = bars.add(ProgressBar::new(tables as u64));
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} tables, {elapsed} gone");
        all.set_style(style.expect("a template"));
        all.tick();
        Bars { bars, all }
    }

    pub(crate) fn done(&self) {
        self.all.inc(1);
    }

    pub(crate) fn solve(
        &self,
        shape: &Shape,
        library: &Library,
        metric: Metric,
        temp_file: Option<&Arc<TempFile>>,
        log: Option<&(PathBuf, LogOf)>,
        machine: Machine<'_>,
    ) -> Result<Table> {
        let material = shape.endgame();
        let plan = plan_for(shape, metric, machine.memory)?;
        let bar = self.bars.add(ProgressBar::new_spinner());
        bar.set_message(material.to_string());
        let begin = Instant::now();
        let threads = rayon::current_num_threads();
        let [expected, _] = plan.seconds(shape, threads, DISK_SPEED);
        let table = solve_shape(
            shape,
            library,
            Options {
                metric,
                backend: machine.backend,
                progress: &|progress| {
                    bar.set_message(describe(&material, &progress, begin.elapsed(), expected));
                    bar.tick();
                    if let Some(journal) = machine.journal {
                        journal.note(&material, metric, &progress, begin.elapsed());
                    }
                },
                stop: stop_flag(),
                temp_file,
                residence: match log {
                    Some((path, _)) => plan.residence(path.parent().unwrap_or(Path::new("."))),
                    None => Residence::Memory,
                },
                log: log.map(|(path, of)| (path.as_path(), of)),
            },
        );
        bar.finish_and_clear();
        self.bars.remove(&bar);
        Ok(table?)
    }

    /// Checks positions under a bar of its own.
    pub(crate) fn check<T>(
        &self,
        what: &str,
        sample: Sample,
        work: impl FnOnce(Check<'_>) -> T,
    ) -> T {
        let bar = self.bars.add(ProgressBar::new(1));
        let style = ProgressStyle::with_template("{msg}: {percent}% checked, {elapsed} gone");
        bar.set_style(style.expect("a template"));
        bar.set_message(what.to_owned());
        let progress = |done, all| {
            bar.set_length(all);
            bar.set_position(done);
        };
        let result = work(Check {
            sample,
            progress: Some(&progress),
        });
        bar.finish_and_clear();
        self.bars.remove(&bar);
        result
    }

    /// Writes a table's two Syzygy files into a folder, and returns their paths.
    pub(crate) fn export(
        &self,
        table: &Table,
        library: &Library,
        folder: &Path,
        distances: Distances,
        backend: Backend,
    ) -> Result<[PathBuf; 2]> {
        let material = table.material();
        let bar = self.bars.add(ProgressBar::new_spinner());
        bar.set_message(format!("{material}: writing"));
        let progress = |progress: writer::Progress| {
            let what = match progress.kind {
                Kind::Wdl => "outcomes",
                Kind::Dtz => "distances",
            };
            let (done, all) = progress.sub_tables;
            let step = match progress.step {
                Step::Orders => "orders".to_owned(),
                Step::Values => "values".to_owned(),
                Step::Symbols(count) => format!("{count} symbols"),
            };
            let number = done + 1;
            bar.set_message(format!(
                "{material}: {what}, part {number} of {all}: {step}"
            ));
            bar.tick();
        };
        let control = Control {
            stop: Some(stop_flag()),
            progress: Some(&progress),
        };
        let options = ExportOptions {
            distances,
            backend,
            control,
        };
        let paths = export(table, library, folder, options);
        bar.finish_and_clear();
        self.bars.remove(&bar);
        Ok(paths?)
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.all.finish_and_clear();
    }
}
