//! Answers about many positions at a time, for a fraction of the work of one after the other.
//!
//! Positions are grouped by their material, and looked up in the order of their table's blocks, each of which is decoded once.
//! Captures and promotions that packed files leave open are batches of the smaller materials. Where own files are missing, Syzygy
//! files are asked.

mod indices;
mod labels;

use std::ops::Deref;

use rayon::prelude::*;
use syzygy_tables::Wdl;
use syzygy_tables::batch::rows::{Cache, Failures};
use syzygy_tables::batch::{Failure, Positions};

pub use indices::{index_order, pack_indices};
pub use labels::Sides;

use crate::chess::game::GamePosition;
use crate::probe::answer::{Answer, TablesError};
use crate::probe::files::{Answers, FEW, FileProber};
use crate::probe::prober::Prober;
use crate::probe::tables::Tables;
use crate::table::value::{Metric, Value};

/// A prober of batches, from [`Tables`], which it borrows or shares.
///
/// Answers are those of [`Tables`]; outcomes and distances alone have the fifty-move counter at zero, and
/// [`with_counter`](Value::with_counter) heeds one.
///
/// ```no_run
/// use syzygy_tables::batch::PackedBoard;
/// use tbgen::{BatchProber, GamePosition, Letters, Metric, Tables};
///
/// let tables = Tables::open(&["tables", "syzygy"])?;
/// let prober = BatchProber::new(&tables, 512 << 20);
/// let position = GamePosition::parse("8/8/2k5/1r6/8/8/8/2KQ4 b - - 40 90", &Letters::default())?;
/// let boards: Vec<PackedBoard> = position.packed().into_iter().collect();
/// for metric in [Metric::Dtz, Metric::Dtm] {
///     for value in prober.values(metric, &boards) {
///         match value {
///             Ok((value, is_exact)) => println!("{value} by {}, {is_exact}", metric.name()),
///             Err(failure) => eprintln!("{}", prober.reason(failure)),
///         }
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BatchProber<T> {
    tables: T,
    memory: usize,
    /// The decoded sub-tables of Syzygy files.
    cache: Cache,
    failures: Failures<TablesError>,
}

impl<T: Deref<Target = Tables> + Sync> BatchProber<T> {
    /// The least bytes of memory that a prober takes, if there are files enough.
    pub const LEAST_MEMORY: usize = 64 << 20;

    /// A prober that takes about so many bytes of memory, or the least if they are fewer, beside positions and answers.
    #[must_use]
    pub fn new(tables: T, memory: usize) -> BatchProber<T> {
        let memory = memory.max(Self::LEAST_MEMORY);
        let share = if tables.files.has_own { 4 } else { 1 };
        BatchProber {
            memory,
            cache: Cache::new((memory / share / 8 * 5) as u64),
            failures: Failures::default(),
            tables,
        }
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The outcome of each position under the fifty-move rule, or without it where only the distance to mate is known, by the
    /// files. Several threads share the work.
    pub fn probe_wdl<'p>(&self, positions: impl Into<Positions<'p>>) -> Vec<Result<Wdl, Failure>> {
        let (files, positions) = (self.files(), positions.into());
        let mut answers = files.all::<Wdl>(Metric::Dtz, positions);
        let is_open = |&k: &usize| answers[k].is_err_and(Failure::is_missing);
        let open: Vec<usize> = (0..answers.len()).filter(is_open).collect();
        let by_mate = positions.some(&open, |open| files.all::<Wdl>(Metric::Dtm, open));
        for (k, answer) in open.into_iter().zip(by_mate) {
            if !answer.is_err_and(Failure::is_missing) {
                answers[k] = answer;
            }
        }
        self.counted(answers)
    }

    /// The value of each position by a metric, and whether its plies are exact, by the files. Several threads share the work.
    pub fn values<'p>(
        &self,
        metric: Metric,
        positions: impl Into<Positions<'p>>,
    ) -> Vec<Result<(Value, bool), Failure>> {
        self.counted(self.files().all(metric, positions.into()))
    }

    /// The answers that [`Tables::answer`] has. Several threads share the work.
    pub fn answers(&self, positions: &[GamePosition]) -> Vec<Result<Answer, TablesError>> {
        self.answers_by(positions, |position| self.tables.answer(position))
    }

    /// The answers that [`Tables::answer_at_once`] has, for which no table is solved. Several threads share the work.
    pub fn answers_at_once(&self, positions: &[GamePosition]) -> Vec<Result<Answer, TablesError>> {
        self.answers_by(positions, |position| self.tables.answer_at_once(position))
    }

    /// The answers of a batch where these are certain, and others one by one.
    fn answers_by(
        &self,
        positions: &[GamePosition],
        alone: impl Fn(&GamePosition) -> Result<Answer, TablesError> + Sync,
    ) -> Vec<Result<Answer, TablesError>> {
        if self.tables.files.is_empty() {
            return positions.iter().map(alone).collect();
        }
        let prober = Prober::Files(self.files());
        let known = prober.known(positions);
        let all = positions.par_iter().zip(known).with_min_len(FEW / 4);
        let all = all.map(|(position, known)| {
            let answer = known
                .ok()
                .and_then(|(known, _)| prober.answer_of(known, position));
            match answer {
                Some(answer) if answer.evaluation.certain => Ok(answer),
                // Its moves may say more, and its tables what is missing.
                _ => alone(position),
            }
        });
        all.collect()
    }

    /// The reason why a position has no answer. Of a damaged file, the place that was found first is named.
    ///
    /// # Panics
    /// If the failure is of another prober.
    #[must_use]
    pub fn reason(&self, failure: Failure) -> TablesError {
        self.failures.reason(failure)
    }

    /// The reasons why positions had no answers, or labels lacked a value though its table is there, and how many there were
    /// for each.
    #[must_use]
    pub fn failures(&self) -> Vec<(TablesError, u64)> {
        self.failures.counted()
    }

    fn files(&self) -> FileProber<'_> {
        FileProber {
            files: &self.tables.files,
            cache: Some(&self.cache),
            failures: &self.failures,
            metrics: self.tables.metrics(),
            memory: self.memory,
        }
    }

    /// Counts failures.
    fn counted<A>(&self, answers: Answers<A>) -> Answers<A> {
        let failures = answers.iter().filter_map(|answer| answer.as_ref().err());
        self.failures.count(failures.copied());
        answers
    }
}
