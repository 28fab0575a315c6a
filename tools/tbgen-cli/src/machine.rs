//! The threads, the instructions and the memory that the work may use.

use std::path::PathBuf;

use anyhow::{Context, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tbgen::{Metric, Options, Plan, Shape, Sources, at_least, mebibytes};
use tbindex::batch::Backend;

use super::signals::stop_flag;
use super::{UsageError, refuse};

/// The bytes a second at which files are read and written, for estimates: by the system's cache, if it holds them, or by
/// a fast disk.
pub(crate) const DISK_SPEED: f64 = 2e9;

/// `--threads`.
#[derive(clap::Args)]
pub(crate) struct ThreadsArgs {
    /// Threads to use; 0 means one for each processor
    #[arg(long, value_name = "N", value_parser = super::parse_threads, default_value_t = 0)]
    threads: usize,
}

impl ThreadsArgs {
    pub(crate) fn pool(&self) -> Result<ThreadPool> {
        pool(self.threads)
    }
}

/// So many threads, or with 0 one on each processor.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.context("can't start threads")
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

    /// Options for solving tables by a metric until a signal comes.
    pub(crate) fn options(&self, metric: Metric) -> Options<'static> {
        Options::new(metric, self.backend(), stop_flag())
    }

    /// The tables of folders by a metric.
    pub(crate) fn sources<'a>(&self, folders: &'a [PathBuf], metric: Metric) -> Sources<'a> {
        Sources {
            folders,
            metric,
            temp_file: None,
            backend: self.backend(),
            stop: stop_flag(),
        }
    }
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

/// Says how much memory the work at some tables takes, and refuses what takes more than it may.
pub(crate) fn say_memory(tables: usize, work: &str, needed: u64, limit: Option<u64>) -> Result<()> {
    let memory = mebibytes(needed);
    note!("{tables} tables to {work}, up to {memory} of memory");
    check_memory("this", needed, limit)
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
