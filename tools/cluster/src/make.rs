//! Makes tables in a folder that all processes see.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use tbgen::{
    Crossed, Library, LogOf, Metric, Options, Progress, Residence, Shape, SharedPlan, SolveError,
    Table, TableFile, Transport, led_to_by, mebibytes, needed_by, remove_shared_logs, solve_shape,
    solve_shared,
};
use tbindex::Material;
use tbindex::batch::Backend;
use tbindex::store::{Overwrite, PartialFile};

use crate::Args;
use crate::plan::plan_for;
use crate::world::World;

const METRIC: Metric = Metric::Dtz;

/// How often a ply is reported.
const REPORT: Duration = Duration::from_secs(10);

/// Whether the work was stopped from outside.
pub(crate) fn is_interruption(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(SolveError::Interrupted))
}

/// The times and bytes that a table took.
struct Made {
    material: Material,
    solved: Duration,
    written: Duration,
    /// The seconds that each process spent in messages.
    waited: Vec<f64>,
    crossed: Crossed,
    log: u64,
}

/// Makes the table that is asked for, and those that it needs.
pub(crate) fn run(world: &World, args: &Args) -> Result<()> {
    let begin = Instant::now();
    static STOP: AtomicBool = AtomicBool::new(false);
    // If no handler can be set, a signal ends the process, and with it all others.
    let _ = ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed));
    // This thread is one of them, and alone sends messages.
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(args.threads))
        .use_current_thread()
        .build_global()?;
    let folder = args.output.as_deref().context("no folder for the tables")?;
    let temp = args.temp.as_deref().unwrap_or(folder);
    let first = world.number() == 0;
    // Each machine may have a folder for sets of its own.
    let mine = if first {
        vec![folder, temp]
    } else {
        Vec::new()
    };
    for folder in mine.into_iter().chain(args.sets.as_deref()) {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("can't make the folder {}", folder.display()))?;
    }
    let backend = args.backend.unwrap_or_else(Backend::detect);
    let all = needed_by(&args.material);
    let wanted = all.last().context("no table to make")?;
    let mut journal = match &args.log {
        Some(path) if first => {
            let file = File::options().append(true).create(true).open(path);
            Some(file.with_context(|| format!("can't open {}", path.display()))?)
        }
        _ => None,
    };
    let mut made = Vec::new();
    for material in &all {
        let path = Table::path(folder, *material, METRIC);
        let again = args.force && material == wanted;
        // Process 0 decides, and has made the folder before the others look into it.
        let there = first && path.exists() && !again;
        if world.sum([u64::from(there), 0, 0, 0, 0, 0])[0] > 0 {
            if first {
                eprintln!("{material}: there already");
                // They are left if a job was killed just after it had written the table.
                remove_shared_logs(&log_path(temp, material))?;
            }
            continue;
        }
        let shape = Shape::new(*material)?;
        let plan = plan_for(&shape, world.processes(), args)?;
        let overwrite = match again {
            true => Overwrite::Replace,
            false => Overwrite::Refuse,
        };
        // From here on, whoever else wants to make the table is refused.
        let begun = first.then(|| PartialFile::create(&path, overwrite));
        let begun = begun.transpose()?;
        if first && again {
            // It begins anew.
            remove_shared_logs(&log_path(temp, material))?;
        }
        world.sum([0; 6]);
        let table = Making {
            world,
            shape: &shape,
            plan: &plan,
            folder,
            temp,
            sets: args.sets.as_deref().unwrap_or(temp),
            backend,
            stop: &STOP,
        };
        let done = table.make(&path, begun, journal.as_mut())?;
        if first {
            eprintln!(
                "{}: solved in {:.3} s, written in {:.3} s; {} sent, frontiers of {}, logs of {}",
                done.material,
                done.solved.as_secs_f64(),
                done.written.as_secs_f64(),
                mebibytes(done.crossed.sent),
                mebibytes(done.crossed.frontier),
                mebibytes(done.log),
            );
        }
        made.push(done);
    }
    let peaks = world.share(peak_memory().to_le_bytes().to_vec());
    let peaks: Vec<u64> = (peaks.iter())
        .filter_map(|bytes| bytes.first_chunk())
        .map(|&bytes| u64::from_le_bytes(bytes))
        .collect();
    if !first {
        return Ok(());
    }
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        let tables = made.iter().map(|made| {
            json!({
                "table": made.material.to_string(),
                "solve_seconds": made.solved.as_secs_f64(),
                "write_seconds": made.written.as_secs_f64(),
                "message_seconds": made.waited,
                "sent_bytes": made.crossed.sent,
                "frontier_bytes": made.crossed.frontier,
                "log_bytes": made.log,
            })
        });
        let report = json!({
            "material": wanted.to_string(),
            "processes": world.processes(),
            "threads": args.threads,
            "backend": backend.name(),
            "tables": tables.collect::<Vec<_>>(),
            "peak_bytes": peaks,
            "seconds": seconds,
        });
        println!("{report:#}");
    } else {
        let peak = peaks.iter().max().copied().unwrap_or(0);
        eprintln!(
            "{seconds:.3} s with {} processes of {} threads each, up to {} of memory each",
            world.processes(),
            args.threads,
            mebibytes(peak)
        );
    }
    Ok(())
}

/// Makes the table that is asked for, and those that it needs, as tbgen does.
pub(crate) fn alone(args: &Args) -> Result<()> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(args.threads))
        .build_global()?;
    let folder = args.output.as_deref().context("no folder for the tables")?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("can't make the folder {}", folder.display()))?;
    let begin = Instant::now();
    for material in needed_by(&args.material) {
        let path = Table::path(folder, material, METRIC);
        if path.exists() {
            continue;
        }
        let begin = Instant::now();
        let library = library_of(&material, folder)?;
        let shape = Shape::new(material)?;
        let of = LogOf::new(material, METRIC, folder)?;
        let log = log_path(folder, &material);
        let options = Options {
            metric: METRIC,
            backend: args.backend.unwrap_or_else(Backend::detect),
            progress: &|_| (),
            stop: &NEVER,
            temp_file: None,
            residence: Residence::Memory,
            log: shape.is_logged().then_some((&log, &of)),
        };
        let table = solve_shape(&shape, &library, options)?;
        let solved = begin.elapsed().as_secs_f64();
        table.write(&path, Overwrite::Refuse)?;
        if shape.is_logged() {
            std::fs::remove_file(&log)?;
        }
        let written = begin.elapsed().as_secs_f64() - solved;
        eprintln!("{material}: solved in {solved:.3} s, written in {written:.3} s");
    }
    eprintln!(
        "{:.3} s alone with {} threads, up to {} of memory",
        begin.elapsed().as_secs_f64(),
        args.threads,
        mebibytes(peak_memory())
    );
    Ok(())
}

/// The tables that moves from a material lead to, which are read when they are wanted.
fn library_of(material: &Material, folder: &Path) -> Result<Library> {
    let mut library = Library::default();
    for source in led_to_by(material) {
        let path = Table::path(folder, source, METRIC);
        library.insert(TableFile::open(&path)?.as_it_is());
    }
    Ok(library)
}

fn log_path(folder: &Path, material: &Material) -> std::path::PathBuf {
    folder.join(format!("{material}.plies"))
}

/// The most memory of this process so far, where the system tells.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    1024 * kilobytes
        .and_then(|text| text.trim().parse::<u64>().ok())
        .unwrap_or(0)
}

/// A table in the making.
struct Making<'a> {
    world: &'a World,
    shape: &'a Shape,
    plan: &'a SharedPlan,
    folder: &'a Path,
    temp: &'a Path,
    sets: &'a Path,
    backend: Backend,
    stop: &'static AtomicBool,
}

impl Making<'_> {
    /// Makes the table in its file, which process 0 has begun.
    fn make(
        &self,
        path: &Path,
        begun: Option<PartialFile>,
        journal: Option<&mut File>,
    ) -> Result<Made> {
        let material = self.shape.material();
        let begin = Instant::now();
        self.world.take_waited();
        let library = library_of(&material, self.folder)?;
        let of = LogOf::new(material, METRIC, self.folder)?;
        let log = log_path(self.temp, &material);
        let first = self.world.number() == 0;
        let reports = Mutex::new(Reports {
            material,
            begin,
            last: begin,
            journal,
            halves: [Crossed::default(); 2],
            log: 0,
        });
        let progress = |progress: Progress| {
            let mut reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
            reports.note(&progress, first);
        };
        let options = Options {
            metric: METRIC,
            backend: self.backend,
            progress: &progress,
            stop: self.stop,
            temp_file: None,
            residence: self.plan.residence(self.sets),
            log: Some((&log, &of)),
        };
        let table = solve_shared(self.shape, &library, options, self.world)?;
        let solved = begin.elapsed();
        let waited = self.world.take_waited().as_secs_f64();
        let waited = self.world.share(waited.to_le_bytes().to_vec());
        drop(library);
        let begin = Instant::now();
        table.write_shared(path, begun, self.world)?;
        drop(table);
        if self.world.number() == 0 {
            remove_shared_logs(&log)?;
        }
        let reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
        let [white, black] = reports.halves;
        Ok(Made {
            material,
            solved,
            written: begin.elapsed(),
            waited: (waited.iter())
                .filter_map(|bytes| bytes.first_chunk())
                .map(|&bytes| f64::from_le_bytes(bytes))
                .collect(),
            crossed: Crossed {
                sent: white.sent + black.sent,
                frontier: white.frontier + black.frontier,
            },
            log: reports.log,
        })
    }
}

/// The reports on the plies of a table.
struct Reports<'a> {
    material: Material,
    begin: Instant,
    /// When something was last told.
    last: Instant,
    journal: Option<&'a mut File>,
    /// The bytes that have crossed in the half of each winner.
    halves: [Crossed; 2],
    log: u64,
}

impl Reports<'_> {
    fn note(&mut self, progress: &Progress, tell: bool) {
        self.halves[progress.winner as usize] = progress.crossed;
        self.log = progress.log;
        if !tell {
            return;
        }
        if let Some(journal) = &mut self.journal {
            let line = json!({
                "table": self.material.to_string(),
                "winner": progress.winner.to_string(),
                "plies": progress.plies,
                "part": progress.parts.0,
                "parts": progress.parts.1,
                "positions": progress.positions,
                "sent_bytes": progress.crossed.sent,
                "frontier_bytes": progress.crossed.frontier,
                "log_bytes": progress.log,
                "seconds": self.begin.elapsed().as_secs_f64(),
            });
            if let Err(error) = writeln!(journal, "{line}") {
                // The work is worth more than its journal.
                eprintln!("tbgen-mpi: can't write to the journal: {error}");
            }
        }
        if self.last.elapsed() >= REPORT {
            self.last = Instant::now();
            eprintln!(
                "{}: {} wins in {} plies, part {} of {}, {:.1} M positions, {} sent, {:.0} s gone",
                self.material,
                progress.winner,
                progress.plies,
                progress.parts.0 + 1,
                progress.parts.1,
                progress.positions as f64 / 1e6,
                mebibytes(progress.crossed.sent),
                self.begin.elapsed().as_secs_f64()
            );
        }
    }
}
