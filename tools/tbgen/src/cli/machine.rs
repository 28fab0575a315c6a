//! The threads, the instructions and the memory that the work may use.

use anyhow::{Context, Result};
use tbgen::{Metric, Plan, Shape, at_least, mebibytes};
use tbindex::batch::Backend;

use super::UsageError;

/// The bytes a second at which files are read and written, for estimates: by the system's cache, if it holds them, or by
/// a fast disk.
pub(crate) const DISK_SPEED: f64 = 2e9;

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

/// Refuses what needs more memory than it may use.
pub(crate) fn check_memory(what: &str, needed: u64, limit: Option<u64>) -> Result<()> {
    match limit {
        Some(limit) if limit < needed => Err(UsageError(format!(
            "{what} needs up to {} of memory: --memory allows {}",
            at_least(needed),
            mebibytes(limit)
        ))
        .into()),
        _ => Ok(()),
    }
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
