//! Answers, and what finds them.

use cozy_chess::Board;
use rayon::prelude::*;

use super::board::PackedBoard;
use super::distances::Between;
use super::endgame::Endgame;
use super::failures::{FAILED, Failure, Failures};
use super::moves::Position;
use super::numbers::MOST_TOGETHER;
use super::outcomes::{Need, outcome};
use super::placed::Placed;
use super::sources::Sources;
use crate::error::Error;
use crate::tables::Tables;
use crate::value::{Dtz, Wdl};

/// The outcome and the distance of a position with the fifty-move counter at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The outcome for the side to move.
    pub wdl: Wdl,
    /// The distance to the next capture, pawn move or mate.
    pub dtz: Dtz,
    /// Whether the side to move is checkmated.
    pub checkmate: bool,
}

impl Answer {
    /// The outcome with a fifty-move counter, in plies, and whether it is certain. A rounded distance may leave open whether the
    /// counter reaches 100; then it is the outcome by the shorter one. A checkmate stands, whatever the counter is.
    ///
    /// ```
    /// use syzygy_tables::batch::Answer;
    /// use syzygy_tables::{Dtz, Wdl};
    ///
    /// let dtz = Dtz { plies: 40, exact: false };
    /// let answer = Answer { wdl: Wdl::Win, dtz, checkmate: false };
    /// assert_eq!(answer.with_counter(59), (Wdl::Win, true));
    /// assert_eq!(answer.with_counter(60), (Wdl::Win, false));
    /// assert_eq!(answer.with_counter(61), (Wdl::CursedWin, true));
    /// ```
    #[must_use]
    pub fn with_counter(&self, counter: u32) -> (Wdl, bool) {
        let last = counter.saturating_add(self.dtz.plies.unsigned_abs());
        let late = counter > 0 && last > 100;
        let certain = self.dtz.exact || counter == 0 || last != 100;
        match self.wdl {
            Wdl::Loss if self.checkmate => (Wdl::Loss, true),
            Wdl::Win if late => (Wdl::CursedWin, true),
            Wdl::Loss if late => (Wdl::BlessedLoss, true),
            Wdl::Win | Wdl::Loss => (self.wdl, certain),
            outcome => (outcome, true),
        }
    }
}

/// The question about positions: the outcome alone, or all of an [`Answer`].
pub(super) trait Asked: Copy + Send + Sync {
    /// An answer or failure in a few bytes.
    type Cell: Copy + Send + Sync;

    /// That of two kings alone.
    const OF_KINGS: Self;

    /// The answers for up to [`MOST_TOGETHER`] positions of a material.
    fn find(sources: Sources<'_>, endgame: &Endgame, rows: &[Placed]) -> Vec<Self::Cell>;

    fn failed(failure: Failure) -> Self::Cell;

    fn answer(cell: Self::Cell) -> Result<Self, Failure>;
}

impl Asked for Wdl {
    /// As [`outcome`] reads it.
    type Cell = u16;

    const OF_KINGS: Wdl = Wdl::Draw;

    fn find(sources: Sources<'_>, endgame: &Endgame, rows: &[Placed]) -> Vec<u16> {
        sources.outcomes(endgame, rows, Need::Outcome)
    }

    fn failed(failure: Failure) -> u16 {
        failure.0
    }

    #[inline]
    fn answer(number: u16) -> Result<Wdl, Failure> {
        match number & FAILED {
            0 => Ok(outcome(number)),
            _ => Err(Failure(number)),
        }
    }
}

impl Asked for Answer {
    /// The outcome, whether the side is checkmated, and the distance.
    type Cell = (Wdl, bool, Between);

    const OF_KINGS: Answer = Answer {
        wdl: Wdl::Draw,
        dtz: Dtz {
            plies: 0,
            exact: true,
        },
        checkmate: false,
    };

    fn find(sources: Sources<'_>, endgame: &Endgame, rows: &[Placed]) -> Vec<Self::Cell> {
        let outcomes = sources.outcomes(endgame, rows, Need::Capture);
        let distances = sources.distances(endgame, rows, &outcomes);
        let all = rows.iter().zip(outcomes).zip(distances);
        let cells = all.map(|((&placed, number), distance)| {
            let wdl = outcome(number);
            let may_be_mated = wdl == Wdl::Loss && distance.least == 1;
            let checkmate = may_be_mated && Position::new(endgame, placed).is_checkmate();
            (wdl, checkmate, distance)
        });
        cells.collect()
    }

    fn failed(failure: Failure) -> Self::Cell {
        (Wdl::Draw, false, Between::failed(failure))
    }

    #[inline]
    fn answer((wdl, checkmate, distance): Self::Cell) -> Result<Answer, Failure> {
        if let Some(failure) = distance.failure() {
            return Err(failure);
        }
        let sign = if wdl < Wdl::Draw { -1 } else { 1 };
        let dtz = Dtz {
            plies: sign * i32::from(distance.least),
            exact: distance.least == distance.most,
        };
        Ok(Answer {
            wdl,
            dtz,
            checkmate,
        })
    }
}

impl Sources<'_> {
    /// The outcomes of positions, with the fifty-move counter at zero.
    #[must_use]
    pub fn probe_wdl(self, endgame: &Endgame, rows: &[Placed]) -> Vec<Result<Wdl, Failure>> {
        self.find(endgame, rows)
    }

    /// The outcomes and distances of positions, with the fifty-move counter at zero.
    #[must_use]
    pub fn probe(self, endgame: &Endgame, rows: &[Placed]) -> Vec<Result<Answer, Failure>> {
        self.find(endgame, rows)
    }

    fn find<A: Asked>(self, endgame: &Endgame, rows: &[Placed]) -> Vec<Result<A, Failure>> {
        let parts: Vec<_> = rows.chunks(MOST_TOGETHER).collect();
        let answers = for_parts(rows.len(), &parts, |rows| {
            let cells = A::find(self, endgame, rows).into_iter();
            cells.map(A::answer).collect()
        });
        answers.concat()
    }
}

/// A single position is a batch of one.
impl Tables {
    /// The outcome for the side to move, with the fifty-move counter at zero whatever the position has.
    ///
    /// # Errors
    /// If a table that may change the outcome is missing or damaged, or there can be none for the position. A win by a
    /// capture needs no other tables than that of the capture.
    pub fn probe_wdl(&self, board: &Board) -> Result<Wdl, Error> {
        self.find(board)
    }

    /// The distance to the next capture, pawn move or mate, with the fifty-move counter at zero.
    ///
    /// # Errors
    /// As for [`probe`](Tables::probe).
    pub fn probe_dtz(&self, board: &Board) -> Result<Dtz, Error> {
        self.probe(board).map(|(_, dtz)| dtz)
    }

    /// The answers of [`probe_wdl`](Tables::probe_wdl) and [`probe_dtz`](Tables::probe_dtz), for less than the work of
    /// both.
    ///
    /// # Errors
    /// As for `probe_wdl`, and if a table that may change the distance is missing or damaged.
    pub fn probe(&self, board: &Board) -> Result<(Wdl, Dtz), Error> {
        let answer: Answer = self.find(board)?;
        Ok((answer.wdl, answer.dtz))
    }

    fn find<A: Asked>(&self, board: &Board) -> Result<A, Error> {
        let board = PackedBoard::try_from(board)?;
        if board.len() == 2 {
            return Ok(A::OF_KINGS);
        }
        let failures = Failures::<Error>::default();
        let sources = Sources {
            tables: self,
            cache: None,
            reasons: &failures,
        };
        let endgame = self.endgames.get(board.material());
        let found = A::find(sources, &endgame, &[board.placed()])[0];
        A::answer(found).map_err(|failure| failures.reason(failure))
    }
}

/// The positions that one thread takes: to hand over fewer takes more than to look at them.
pub(super) const FEW: usize = 256;

/// Calls a function with each part of a batch of so many positions. Threads share the work where handing it over takes less than
/// doing it.
pub(super) fn for_parts<P: Sync, C: Send>(
    count: usize,
    parts: &[P],
    find: impl Fn(&P) -> Vec<C> + Sync,
) -> Vec<Vec<C>> {
    match count {
        ..FEW => parts.iter().map(find).collect(),
        _ => parts.par_iter().map(&find).collect(),
    }
}
