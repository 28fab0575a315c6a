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
mod sources;
mod squares;

use std::sync::Arc;

use rayon::prelude::*;

pub use answer::{Answer, Failure};
use answer::{AnswerCell, Cell, OutcomeCell};
pub use board::PackedBoard;
use group::Group;
use numbers::MOST_TOGETHER;
pub use order::PieceOrder;
pub use positions::Positions;
use sources::{Held, Sources};

use crate::error::Error;
use crate::tables::Tables;
use crate::value::Wdl;

/// The bytes that a position of a round takes besides its answer: its row, its number and its cell.
const BYTES_PER_POSITION: usize = 18;

/// A prober of batches, from the files of [`Tables`].
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
pub struct BatchProber<'t> {
    sources: Sources<'t>,
}

impl<'t> BatchProber<'t> {
    /// A prober that takes about so many bytes of memory, 64 MiB at least, beside positions and answers and the files, which
    /// are mapped. Five eighths are for decoded sub-tables.
    #[must_use]
    pub fn new(tables: &'t Tables, memory: usize) -> BatchProber<'t> {
        BatchProber {
            sources: Sources::new(Held::Borrowed(tables), memory.max(64 << 20)),
        }
    }

    /// The same of tables that it has a share of. With no memory, for few positions, nothing that is decoded is kept.
    #[must_use]
    pub fn shared(tables: Arc<Tables>, memory: usize) -> BatchProber<'static> {
        let memory = match memory {
            0 => 0,
            memory => memory.max(64 << 20),
        };
        BatchProber {
            sources: Sources::new(Held::Shared(tables), memory),
        }
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.sources.tables
    }

    /// The outcome of each position, with the fifty-move counter at zero. Several threads share the work.
    ///
    /// Wherever [`Tables::probe_wdl`] has an answer, this is the same.
    pub fn probe_wdl<'p>(&self, positions: impl Into<Positions<'p>>) -> Vec<Result<Wdl, Failure>> {
        self.all::<OutcomeCell>(positions.into())
    }

    /// The outcome and the distance of each position, with the fifty-move counter at zero. Several threads share the work.
    ///
    /// Wherever [`Tables::probe`] has an answer, this is the same.
    pub fn probe<'p>(&self, positions: impl Into<Positions<'p>>) -> Vec<Result<Answer, Failure>> {
        self.all::<AnswerCell>(positions.into())
    }

    /// The reason why a position has no answer: a file that is missing or damaged. Of a damaged file, the place that was found
    /// first is named.
    ///
    /// # Panics
    /// If the failure is of another prober.
    #[must_use]
    pub fn reason(&self, failure: Failure) -> Error {
        self.sources.failures.reason(failure.0)
    }

    /// The reasons why positions had no answers, and how many there were for each.
    #[must_use]
    pub fn failures(&self) -> Vec<(Error, u64)> {
        self.sources.failures.all()
    }

    fn all<C: Cell>(&self, positions: Positions<'_>) -> Vec<Result<C::Answer, Failure>> {
        let answers = match positions {
            Positions::Boards(boards) => self.boards::<C>(boards),
            Positions::Squares(material, side, squares) => {
                self.sources.probe_squares::<C>(material, side, squares)
            }
            Positions::Rows(endgame, rows) => {
                let parts = rows.par_chunks(MOST_TOGETHER);
                let cells = parts.flat_map_iter(|rows| C::find(&self.sources, endgame, rows));
                cells.map(C::answer).collect()
            }
        };
        self.sources.count(&answers);
        answers
    }

    /// Answers for positions of any materials, in rounds.
    fn boards<C: Cell>(&self, boards: &[PackedBoard]) -> Vec<Result<C::Answer, Failure>> {
        let mut answers = vec![C::OF_KINGS.answer(); boards.len()];
        let most = (self.sources.memory / 8 * 3 / BYTES_PER_POSITION).max(MOST_TOGETHER);
        let round = boards
            .len()
            .div_ceil(boards.len().div_ceil(most).max(1))
            .max(1);
        for (boards, answers) in boards.chunks(round).zip(answers.chunks_mut(round)) {
            let groups = Group::all(boards, &self.sources.endgames);
            let parts = groups.iter().flat_map(|group| {
                let rows = group.rows.chunks(MOST_TOGETHER);
                let numbers = group.numbers.chunks(MOST_TOGETHER);
                rows.zip(numbers)
                    .map(|(rows, numbers)| (&group.endgame, rows, numbers))
            });
            let parts: Vec<_> = parts.collect();
            let found = parts
                .par_iter()
                .map(|&(endgame, rows, _)| C::find(&self.sources, endgame, rows));
            let found: Vec<_> = found.collect();
            for ((_, _, numbers), found) in parts.into_iter().zip(found) {
                for (&number, cell) in numbers.iter().zip(found) {
                    answers[number as usize] = cell.answer();
                }
            }
        }
        answers
    }
}
