//! Makes tables with the processes of a job, and reports on the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::json;
use tbgen::{
    Crossed, Done, Endgame, Event, FileError, InWork, Job, Journal, MakeError, Metric, Shape,
    SolveError, Transport, Watch, mebibytes,
};
use tbindex::batch::Backend;
use tbindex::store::Overwrite;

use crate::Args;
use crate::world::World;

const METRIC: Metric = Metric::Dtz;

/// How often a ply is reported.
const REPORT: Duration = Duration::from_secs(10);

/// Whether the work was stopped from outside.
pub(crate) fn is_interruption(error: &anyhow::Error) -> bool {
    match error.downcast_ref() {
        Some(MakeError::Solve(error)) => matches!(error, SolveError::Interrupted),
        Some(MakeError::File(error)) => matches!(**error, FileError::Interrupted),
        _ => false,
    }
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
    let shared = [folder, temp].into_iter().filter(|_| first);
    for folder in shared.chain(args.sets.as_deref()) {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("can't make the folder {}", folder.display()))?;
    }
    let journal =
        args.log.as_ref().filter(|_| first).map(|path| {
            Journal::open(path).with_context(|| format!("can't open {}", path.display()))
        });
    let journal = journal.transpose()?;
    let needed = Endgame::from(args.material).needed().into_iter();
    let shapes = needed.map(Shape::of_endgame);
    let shapes: Vec<Shape> = shapes.collect::<Result<_, _>>()?;
    let (wanted, smaller) = shapes.split_last().context("no table to make")?;
    let backend = args.backend.unwrap_or_else(Backend::detect);
    let overwrite = match args.force {
        true => Overwrite::Replace,
        false => Overwrite::Refuse,
    };
    let watcher = Watcher {
        first,
        journal: journal.as_ref(),
        state: Mutex::new((Costs::default(), begin)),
    };
    let mut tables = Vec::new();
    for (overwrite, shapes) in [
        (Overwrite::Refuse, smaller),
        (overwrite, std::slice::from_ref(wanted)),
    ] {
        let job = Job {
            temp: Some(temp),
            sets: args.sets.as_deref(),
            overwrite,
            memory: args.memory,
            ..Job::in_memory(backend, &STOP, &watcher)
        };
        for shape in shapes {
            world.take_waited();
            let done = job.make(folder, shape, METRIC, Some(world))?;
            let waited = world.gather(world.take_waited().as_secs_f64());
            if first {
                let costs = std::mem::take(&mut watcher.state().0);
                tables.extend(report(&done, &Costs { waited, ..costs }));
            }
        }
    }
    // The most memory of each process so far.
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let peaks = world.gather(1024 * usage.max_rss() as u64);
    let seconds = begin.elapsed().as_secs_f64();
    if first && args.json {
        let report = json!({
            "material": wanted.endgame().to_string(),
            "processes": world.processes(),
            "threads": args.threads,
            "backend": backend.to_string(),
            "tables": tables,
            "peak_bytes": peaks,
            "seconds": seconds,
        });
        println!("{report:#}");
    } else if first {
        eprintln!(
            "{seconds:.3} s with {} processes of {} threads each, up to {} of memory each",
            world.processes(),
            args.threads,
            mebibytes(peaks.into_iter().max().unwrap_or(0))
        );
    }
    Ok(())
}

/// Says that a table is done and, if it was made, describes it as JSON.
fn report(done: &Done, costs: &Costs) -> Option<serde_json::Value> {
    let Some((solved, written)) = done.solved.zip(done.written) else {
        eprintln!("{}: there already", done.endgame);
        return None;
    };
    let [solved, written] = [solved, written].map(|time| time.as_secs_f64());
    let [white, black] = costs.halves;
    let (sent, frontier) = (white.sent + black.sent, white.frontier + black.frontier);
    eprintln!(
        "{}: solved in {solved:.3} s, written in {written:.3} s; {} sent, frontiers of {}, checkpoints of {}",
        done.endgame,
        mebibytes(sent),
        mebibytes(frontier),
        mebibytes(costs.checkpoint),
    );
    Some(json!({
        "table": done.endgame.to_string(),
        "solve_seconds": solved,
        "write_seconds": written,
        "message_seconds": costs.waited,
        "sent_bytes": sent,
        "frontier_bytes": frontier,
        "checkpoint_bytes": costs.checkpoint,
    }))
}

/// The messages and the checkpoint of a table that was solved.
#[derive(Debug, Default)]
struct Costs {
    /// The seconds that each process spent in messages.
    waited: Vec<f64>,
    /// The bytes that crossed in the half of each winner.
    halves: [Crossed; 2],
    checkpoint: u64,
}

/// A watch that notes the costs of plies, and reports on them in one of the processes.
#[derive(Debug)]
struct Watcher<'a> {
    /// Whether this is the process that reports.
    first: bool,
    journal: Option<&'a Journal>,
    /// The costs of the table in work, and when something was last told.
    state: Mutex<(Costs, Instant)>,
}

impl Watcher<'_> {
    fn state(&self) -> MutexGuard<'_, (Costs, Instant)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Watcher<'_> {
    fn notice(&self, table: &InWork<'_>, event: Event<'_>) {
        let Event::Ply(progress) = event else { return };
        let (costs, told) = &mut *self.state();
        costs.halves[progress.winner as usize] = progress.crossed;
        costs.checkpoint = progress.checkpoint;
        // The work is worth more than its journal.
        let noted = self.journal.map(|journal| journal.note(table, progress));
        if let Some(Err(error)) = noted {
            eprintln!("tbgen-mpi: {error}");
        }
        if self.first && told.elapsed() >= REPORT {
            *told = Instant::now();
            eprintln!(
                "{}: {} wins in {} plies, part {} of {}, {:.1} M positions, {} sent, {:.0} s gone",
                table.shape.endgame(),
                progress.winner,
                progress.plies,
                progress.parts.0 + 1,
                progress.parts.1,
                progress.positions as f64 / 1e6,
                mebibytes(progress.crossed.sent),
                table.begin.elapsed().as_secs_f64()
            );
        }
    }
}
