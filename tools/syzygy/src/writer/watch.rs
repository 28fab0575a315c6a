//! The progress of a writer, and the way to stop it.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::kind::Kind;

/// The work of a writer on a sub-table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It looks for the order of pieces that compresses best, by samples.
    Orders,
    /// It asks the source for all values.
    Values,
    /// It makes symbols of pairs of symbols; so many are made.
    Symbols(usize),
}

/// How far a writer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The kind of the file, or `None` if it is none of a Syzygy table.
    pub kind: Option<Kind>,
    /// The number of sub-tables that are done, and that of all.
    pub sub_tables: (usize, usize),
    /// The current work.
    pub step: Step,
}

/// How the caller watches and stops a writer. By default nobody does either.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// A flag that stops the work when it is set.
    pub stop: Option<&'a AtomicBool>,
    /// A function that is called at every step.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("stop", &self.stop)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// The caller has stopped the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// The state of one file's work. When it is stopped, every thread that asks leaves off as soon as it can, and its results
/// are thrown away.
pub(crate) struct Watch<'a> {
    control: Control<'a>,
    kind: Option<Kind>,
    done: AtomicUsize,
    all: usize,
    stopped: AtomicBool,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(control: Control<'a>, kind: Option<Kind>, sub_tables: usize) -> Watch<'a> {
        Watch {
            control,
            kind,
            done: AtomicUsize::new(0),
            all: sub_tables,
            stopped: AtomicBool::new(false),
        }
    }

    pub(crate) fn stopped(&self) -> bool {
        let stop = self
            .control
            .stop
            .is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stop {
            // The caller may take back the flag, but not the work that was left out meanwhile.
            self.stopped.store(true, Ordering::Relaxed);
        }
        stop || self.stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn step(&self, step: Step) {
        if let Some(progress) = self.control.progress {
            progress(Progress {
                kind: self.kind,
                sub_tables: (self.done.load(Ordering::Relaxed), self.all),
                step,
            });
        }
    }

    pub(crate) fn sub_table_done(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// The result, unless the work was stopped.
    pub(crate) fn finish<T>(&self, made: T) -> Result<T, Interrupted> {
        if self.stopped() {
            Err(Interrupted)
        } else {
            Ok(made)
        }
    }
}
