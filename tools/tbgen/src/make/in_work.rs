//! Tables that are being solved or written, and who watches that.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use syzygy_tables::writer::{self, Control};

use crate::plan::Plan;
use crate::solve::options::Progress;
use crate::table::shape::Shape;
use crate::table::value::Metric;

/// A table that is being solved, or written as a file of another kind.
#[derive(Clone, Copy, Debug)]
pub struct InWork<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// The metric.
    pub metric: Metric,
    /// Its needs, if one process solves it.
    pub plan: Option<Plan>,
    /// When the work began.
    pub begin: Instant,
}

/// The fate of a table in work.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// It is begun.
    Begun,
    /// A ply is finished.
    Ply(&'a Progress),
    /// A step of writing is made.
    Written(&'a writer::Progress),
    /// It is solved or written, or that failed.
    Ended,
}

/// A watcher of tables in work, such as a progress bar; `()` watches nothing.
pub trait Watch: std::fmt::Debug + Sync {
    /// Takes notice of an event.
    fn notice(&self, table: &InWork<'_>, event: Event<'_>);

    /// Takes notice that another run is waited for, which makes a file.
    fn wait(&self, _file: &Path) {}
}

impl Watch for () {
    fn notice(&self, _: &InWork<'_>, _: Event<'_>) {}
}

impl<'a> InWork<'a> {
    /// A table that is begun now.
    pub(super) fn new(shape: &'a Shape, metric: Metric, plan: Option<Plan>) -> InWork<'a> {
        InWork {
            shape,
            metric,
            plan,
            begin: Instant::now(),
        }
    }

    /// Writes the table in work that can be watched and stopped.
    pub(super) fn write<T>(
        &self,
        stop: &AtomicBool,
        watch: &dyn Watch,
        work: impl FnOnce(Control<'_>) -> T,
    ) -> T {
        watch.notice(self, Event::Begun);
        let result = work(Control {
            stop: Some(stop),
            progress: Some(&|progress| watch.notice(self, Event::Written(&progress))),
        });
        watch.notice(self, Event::Ended);
        result
    }
}
