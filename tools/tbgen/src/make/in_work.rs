//! Tables that are being solved, and those who are told how far that is.

use std::time::Instant;

use crate::distributed::transport::Transport;
use crate::plan::Plan;
use crate::solve::levels::solve_shared;
use crate::solve::options::{Options, Progress};
use crate::subtables::library::{Library, SolveError};
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::value::Metric;

/// A table that is being solved.
#[derive(Clone, Copy, Debug)]
pub struct InWork<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// What the distances count.
    pub metric: Metric,
    /// What it takes, if one process solves it.
    pub plan: Option<Plan>,
    /// When the work began.
    pub begin: Instant,
}

/// What is told of a table in work.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// It is begun.
    Begun,
    /// A ply is finished.
    Ply(&'a Progress),
    /// It is solved, or that failed.
    Ended,
}

/// A function that is told of tables in work.
pub type Tell<'a> = dyn Fn(&InWork<'_>, Event<'_>) + Sync + 'a;

impl<'a> InWork<'a> {
    /// A table that is begun now.
    #[must_use]
    pub fn new(shape: &'a Shape, metric: Metric, plan: Option<Plan>) -> InWork<'a> {
        InWork {
            shape,
            metric,
            plan,
            begin: Instant::now(),
        }
    }

    /// Solves the table, as [`solve_shared`] does.
    ///
    /// # Errors
    /// As those of `solve_shared`.
    pub fn solve(
        &self,
        library: &Library,
        options: Options<'_>,
        transport: &dyn Transport,
        tell: &Tell<'_>,
    ) -> Result<Table, SolveError> {
        tell(self, Event::Begun);
        let options = Options {
            progress: &|progress| tell(self, Event::Ply(&progress)),
            ..options
        };
        let solved = solve_shared(self.shape, library, options, transport);
        tell(self, Event::Ended);
        solved
    }
}
