//! Answers, and the few bytes that they take inside.

use super::distances::Between;
use super::endgame::Endgame;
use super::failures::FAILED;
use super::moves::Position;
use super::outcomes::{Need, outcome};
use super::placed::Placed;
use super::sources::Sources;
use crate::value::{Dtz, Wdl};

/// The number of the reason why a position has no answer; [`BatchProber::reason`](super::BatchProber::reason) has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure(pub(super) u16);

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
    /// counter reaches 100; then it is the outcome by the shorter one.
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
            Wdl::Loss if self.checkmate && counter <= 100 => (Wdl::Loss, true),
            Wdl::Win if late => (Wdl::CursedWin, true),
            Wdl::Loss if late => (Wdl::BlessedLoss, true),
            Wdl::Win | Wdl::Loss => (self.wdl, certain),
            outcome => (outcome, true),
        }
    }
}

impl Sources<'_> {
    /// Counts failures by their reasons.
    pub(super) fn count<A>(&self, answers: &[Result<A, Failure>]) {
        let failures = answers.iter().filter_map(|answer| answer.as_ref().err());
        self.failures.count(failures.map(|failure| failure.0));
    }
}

/// An answer or failure in a few bytes.
pub(super) trait Cell: Copy + Send + Sync {
    type Answer: Copy + Send + Sync;

    /// That of two kings alone.
    const OF_KINGS: Self;

    /// That of a failure of this number.
    fn failed(failure: u16) -> Self;

    /// Those of positions of a material.
    fn find(sources: &Sources<'_>, endgame: &Endgame, rows: &[Placed]) -> Vec<Self>;

    fn answer(self) -> Result<Self::Answer, Failure>;
}

/// An outcome as [`outcome`] reads it.
#[derive(Clone, Copy)]
pub(super) struct OutcomeCell(u16);

impl Cell for OutcomeCell {
    type Answer = Wdl;

    const OF_KINGS: OutcomeCell = OutcomeCell(Wdl::Draw.number() as u16);

    fn failed(failure: u16) -> OutcomeCell {
        OutcomeCell(failure)
    }

    fn find(sources: &Sources<'_>, endgame: &Endgame, rows: &[Placed]) -> Vec<OutcomeCell> {
        let outcomes = sources.outcomes(endgame, rows, Need::Outcome);
        outcomes.into_iter().map(OutcomeCell).collect()
    }

    #[inline]
    fn answer(self) -> Result<Wdl, Failure> {
        match self.0 & FAILED {
            0 => Ok(outcome(self.0)),
            _ => Err(Failure(self.0)),
        }
    }
}

/// An outcome with its distance.
#[derive(Clone, Copy)]
pub(super) struct AnswerCell {
    wdl: Wdl,
    checkmate: bool,
    distance: Between,
}

impl Cell for AnswerCell {
    type Answer = Answer;

    const OF_KINGS: AnswerCell = AnswerCell {
        wdl: Wdl::Draw,
        checkmate: false,
        distance: Between::exactly(0),
    };

    fn failed(failure: u16) -> AnswerCell {
        AnswerCell {
            distance: Between::failed(failure),
            ..AnswerCell::OF_KINGS
        }
    }

    fn find(sources: &Sources<'_>, endgame: &Endgame, rows: &[Placed]) -> Vec<AnswerCell> {
        let outcomes = sources.outcomes(endgame, rows, Need::Capture);
        let distances = sources.distances(endgame, rows, &outcomes);
        let all = outcomes.into_iter().zip(distances).zip(rows);
        all.map(|((number, distance), &placed)| {
            let wdl = outcome(number);
            let may_be_mated = wdl == Wdl::Loss && distance.least == 1;
            AnswerCell {
                wdl,
                checkmate: may_be_mated && Position::new(endgame, placed).is_checkmate(),
                distance,
            }
        })
        .collect()
    }

    #[inline]
    fn answer(self) -> Result<Answer, Failure> {
        if let Some(failure) = self.distance.failure() {
            return Err(Failure(failure));
        }
        let sign = if self.wdl < Wdl::Draw { -1 } else { 1 };
        Ok(Answer {
            wdl: self.wdl,
            dtz: Dtz {
                plies: sign * i32::from(self.distance.least),
                exact: self.distance.least == self.distance.most,
            },
            checkmate: self.checkmate,
        })
    }
}
