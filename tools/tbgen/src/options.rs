//! What a caller chooses, and what it is told.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tbindex::Color;
use tbindex::batch::Backend;

use crate::spool::Spool;
use crate::value::Metric;

/// A report on the state of the work, for a progress bar.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The side whose wins are being found.
    pub winner: Color,
    /// The ply just finished.
    pub plies: u16,
    /// The parts of the table that are solved, of all.
    pub parts: (usize, usize),
}

/// Options for solving a table.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What the distances count.
    pub metric: Metric,
    /// The instructions to use.
    pub backend: Backend,
    /// A function that is called after every ply.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// A flag that stops the work when it is set.
    pub stop: &'a AtomicBool,
    /// A file for the solved parts of large tables; without one they stay in memory.
    pub spool: Option<&'a Arc<Spool>>,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("metric", &self.metric)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
