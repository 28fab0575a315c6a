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
mod endgame;
mod failures;
mod group;
mod moves;
mod numbers;
mod order;
mod outcomes;
mod placed;
mod positions;
pub mod rows;
mod single;
mod sources;
mod squares;

use std::ops::Deref;

pub use answer::Answer;
use answer::{Answers, Asked, for_parts};
pub use board::PackedBoard;
use cache::Cache;
pub use failures::Failure;
use failures::Failures;
use group::Group;
use numbers::MOST_TOGETHER;
pub use order::PieceOrder;
pub use positions::Positions;
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
    /// The decoded sub-tables, if they are kept.
    cache: Option<Cache>,
    failures: Failures,
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
            cache: Some(Cache::new(memory as u64 / 8 * 5)),
            failures: Failures::default(),
        }
    }

    /// A prober of few positions at a time, which keeps nothing that it decodes, as [`Tables`] do.
    #[must_use]
    pub fn of_few(tables: T) -> BatchProber<T> {
        let cache = None;
        BatchProber {
            cache,
            ..BatchProber::new(tables, 0)
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
        self.failures.all()
    }

    fn all<A: Asked>(&self, positions: Positions<'_>) -> Answers<A> {
        let sources = Sources {
            tables: &self.tables,
            cache: self.cache.as_ref(),
            failures: &self.failures,
        };
        let answers = match positions {
            Positions::Boards(boards) => self.boards(sources, boards),
            Positions::Squares(material, side, squares) => {
                sources.squares(self.memory / 2, (material, side), squares)
            }
            Positions::Rows(endgame, rows) => {
                let parts: Vec<_> = rows.chunks(MOST_TOGETHER).collect();
                let answers = for_parts(rows.len(), &parts, |rows| {
                    A::answers(A::find(sources, endgame, rows))
                });
                answers.concat()
            }
        };
        self.failures.count(&answers);
        answers
    }

    /// Answers for positions of any materials, in rounds.
    fn boards<A: Asked>(&self, sources: Sources<'_>, boards: &[PackedBoard]) -> Answers<A> {
        let mut answers = vec![Ok(A::OF_KINGS); boards.len()];
        let most = self.memory / 8 * 3 / BYTES_PER_POSITION;
        for (boards, answers) in boards.chunks(most).zip(answers.chunks_mut(most)) {
            let groups = Group::all(boards, &self.tables.endgames);
            let parts = groups.iter().flat_map(|group| {
                let rows = group.rows.chunks(MOST_TOGETHER);
                let numbers = group.numbers.chunks(MOST_TOGETHER);
                rows.zip(numbers)
                    .map(|(rows, numbers)| (&group.endgame, rows, numbers))
            });
            let parts: Vec<_> = parts.collect();
            let found = for_parts(boards.len(), &parts, |&(endgame, rows, _)| {
                A::find(sources, endgame, rows)
            });
            for ((_, _, numbers), found) in parts.into_iter().zip(found) {
                for (&number, cell) in numbers.iter().zip(found) {
                    answers[number as usize] = A::answer(cell);
                }
            }
        }
        answers
    }
}
