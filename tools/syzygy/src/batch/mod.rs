//! Answers about many positions at a time, for a fraction of the work of one after the other.
//!
//! Positions are grouped by their material, and looked up in the order of their table's places, so that every block is
//! decoded once. Captures, which an outcome depends on, are batches of the smaller materials, and the moves of a side that a
//! DTZ file doesn't have are batches of the same. A sub-table of which so many numbers are wanted that decoding all of
//! it is cheaper is decoded, and kept for later batches while there is room.

mod answer;
mod board;
mod cache;
mod children;
mod distances;
pub(crate) mod endgame;
mod failures;
mod moves;
mod numbers;
mod order;
mod outcomes;
mod placed;
mod placements;
mod positions;
mod rounds;
pub mod rows;
mod sources;

use std::ops::Deref;

pub use answer::Answer;
use answer::Asked;
pub use board::PackedBoard;
use cache::Cache;
use endgame::Endgame;
pub use failures::Failure;
use failures::Failures;
use numbers::MOST_TOGETHER;
pub use order::PieceOrder;
use placed::Placed;
pub use positions::Positions;
use rounds::Rounds;
use sources::Sources;

use crate::error::Error;
use crate::tables::Tables;
use crate::value::Wdl;

/// The bytes that a position of a round takes besides its answer: its row, its number and its cell.
const BYTES_PER_POSITION: usize = 18;

/// A prober of batches, from the files of [`Tables`], which it borrows or shares.
///
/// Its answers are those of [`Tables`].
///
/// ```no_run
/// use syzygy_tables::batch::{BatchProber, PackedBoard};
/// use syzygy_tables::cozy_chess::Board;
/// use syzygy_tables::{Tables, Wdl};
///
/// let tables = Tables::open("/path/to/syzygy")?;
/// let prober = BatchProber::new(&tables, 512 << 20);
/// let board: Board = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1".parse()?;
/// let boards = vec![PackedBoard::try_from(&board)?; 1000];
/// let answers = prober.probe_wdl(&boards);
/// for (reason, count) in prober.failures() {
///     eprintln!("{count} positions have no answer: {reason}");
/// }
/// assert_eq!(answers[999], Ok(Wdl::Loss));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BatchProber<T> {
    tables: T,
    /// The bytes that may be taken.
    memory: usize,
    /// The decoded sub-tables.
    cache: Cache,
    failures: Failures<Error>,
}

impl<T: Deref<Target = Tables>> BatchProber<T> {
    /// A prober that takes about so many bytes of memory, 64 MiB at least, beside positions and answers and the files, which
    /// are mapped. Five eighths are for decoded sub-tables.
    #[must_use]
    pub fn new(tables: T, memory: usize) -> BatchProber<T> {
        let memory = memory.max(64 << 20);
        BatchProber {
            tables,
            memory,
            cache: Cache::new(memory as u64 / 8 * 5),
            failures: Failures::default(),
        }
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The outcome of each position, with the fifty-move counter at zero. Several threads share the work.
    pub fn probe_wdl<'p>(&self, positions: impl Into<Positions<'p>>) -> Vec<Result<Wdl, Failure>> {
        self.all(positions.into())
    }

    /// The outcome and the distance of each position, with the fifty-move counter at zero. Several threads share the work.
    pub fn probe<'p>(&self, positions: impl Into<Positions<'p>>) -> Vec<Result<Answer, Failure>> {
        self.all(positions.into())
    }

    /// The reason why a position has no answer: a file that is missing or damaged. Of a damaged file, the place that was found
    /// first is named.
    ///
    /// # Panics
    /// If the failure is of another prober.
    #[must_use]
    pub fn reason(&self, failure: Failure) -> Error {
        self.failures.reason(failure)
    }

    /// The reasons why positions had no answers, and how many there were for each.
    #[must_use]
    pub fn failures(&self) -> Vec<(Error, u64)> {
        self.failures.counted()
    }

    fn all<A: Asked>(&self, positions: Positions<'_>) -> Vec<Result<A, Failure>> {
        let sources = Sources {
            tables: &self.tables,
            cache: Some(&self.cache),
            reasons: &self.failures,
        };
        let rounds = Rounds {
            sources,
            most: self.memory / 8 * 3 / BYTES_PER_POSITION,
            together: MOST_TOGETHER,
            memory: self.memory / 2,
            failed: A::failed,
        };
        let find = |endgame: &Endgame, rows: &[Placed]| A::find(sources, endgame, rows);
        let answers = rounds.answers(positions, A::OF_KINGS, find, A::answer);
        let failures = answers.iter().filter_map(|answer| answer.as_ref().err());
        self.failures.count(failures.copied());
        answers
    }
}
