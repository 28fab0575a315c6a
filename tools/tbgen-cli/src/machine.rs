//! The threads, the instructions and the memory that the work may use.

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use anyhow::{Result, anyhow, bail};
use rayon::{ThreadPool, ThreadPoolBuilder};
#[cfg(unix)]
use rustix::process::{Resource, getrlimit};
use tbgen::{Job, Metric, Plan, Shape, Speed, Watch, at_least, mebibytes};
use tbindex::batch::Backend;

use super::signals::stop_flag;
use super::{UsageError, refuse};

/// The most threads for each processor: many more wait for one another most of the time.
const MOST_THREADS: usize = 32;

/// The number of processors that this process may use.
fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}

fn parse_threads(text: &str) -> Result<usize, String> {
    let most = MOST_THREADS * processors();
    let number = text.parse().ok().filter(|&threads| threads <= most);
    number.ok_or_else(|| format!("expected a number of threads from 0 to {most}"))
}

/// `--threads`.
#[derive(clap::Args)]
pub(crate) struct ThreadsArgs {
    /// Threads to use, at most 32 for each processor; 0 means one for each
    #[arg(long, value_name = "N", value_parser = parse_threads, default_value_t = 0)]
    threads: usize,
}

impl ThreadsArgs {
    pub(crate) fn pool(&self) -> Result<ThreadPool> {
        pool(self.threads)
    }
}

/// So many threads, or with 0 one on each processor.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool> {
    check_address_space(threads)?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| anyhow!("can't start threads: {error}"))
}

/// The bytes of addresses that the system gives this process, if there is a limit.
pub(crate) fn address_space() -> Option<u64> {
    #[cfg(unix)]
    return getrlimit(Resource::As).current;
    #[cfg(not(unix))]
    None
}

/// Checks that the system gives enough addresses for so many threads: a small allocation that fails later would end the
/// process.
fn check_address_space(threads: usize) -> Result<()> {
    /// The memory that the allocator reserves for the process, and for a thread with its stack. Measured.
    const OF_PROCESS: u64 = 1280 << 20;
    const OF_THREAD: u64 = 36 << 20;
    let limit = address_space();
    let threads = if threads == 0 { processors() } else { threads };
    let needed = OF_PROCESS + OF_THREAD * threads as u64;
    match limit {
        Some(limit) if limit < needed => bail!(
            "{threads} threads need {} of address space: the system allows {} (ulimit -v)",
            at_least(needed),
            mebibytes(limit)
        ),
        _ => Ok(()),
    }
}

/// `--threads`, `--backend`.
#[derive(clap::Args)]
pub(crate) struct MachineArgs {
    #[command(flatten)]
    threads: ThreadsArgs,
    /// Instructions to use: portable, avx2 or avx512; the best there are by default
    #[arg(long, value_name = "NAME")]
    backend: Option<Backend>,
}

impl MachineArgs {
    pub(crate) fn pool(&self) -> Result<ThreadPool> {
        self.threads.pool()
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend.unwrap_or_else(Backend::detect)
    }

    /// A job that reads tables in folders or, if there are none, solves them in memory, until a signal comes.
    pub(crate) fn job<'a>(&self, tables: &'a [PathBuf], watch: &'a dyn Watch) -> Job<'a> {
        Job {
            tables,
            ..Job::in_memory(self.backend(), stop_flag(), watch)
        }
    }
}

/// Measures the speed of the threads of the current pool and, if there is a folder, which may still have to be made, of its disk.
pub(crate) fn measure(backend: Backend, disk: Option<&Path>) -> Result<Speed> {
    let disk = disk.map(|folder| {
        let there = folder.ancestors().find(|folder| folder.is_dir());
        there.unwrap_or(Path::new("."))
    });
    Ok(Speed::measure(backend, disk, stop_flag())?)
}

/// Refuses what needs more memory than it may use.
pub(crate) fn check_memory(what: &str, needed: u64, limit: Option<u64>) -> Result<()> {
    match limit {
        Some(limit) if limit < needed => refuse(format!(
            "{what} needs up to {} of memory: --memory allows {}",
            at_least(needed),
            mebibytes(limit)
        )),
        _ => Ok(()),
    }
}

/// Says how much memory a command takes, unless that is refused.
pub(crate) fn state_memory(what: &str, needed: u64, limit: Option<u64>) -> Result<()> {
    check_memory(what, needed, limit)?;
    note!("up to {} of memory", mebibytes(needed));
    Ok(())
}

pub(crate) fn plan_for(shape: &Shape, metric: Metric, memory: Option<u64>) -> Result<Plan> {
    Plan::new(shape, metric, memory).map_err(|least| {
        let (threads, limit) = (rayon::current_num_threads(), memory.unwrap_or(0));
        let one = pool(1).map(|one| one.install(|| Plan::least(shape, metric).memory));
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
