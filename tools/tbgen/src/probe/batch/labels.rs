//! Labels: several values of many positions at once.

use std::ops::Deref;

use rayon::prelude::*;
use syzygy_tables::batch::{Answer, PieceOrder, Positions};
use syzygy_tables::numbering::PackedSquares;
use tbindex::Color;

use super::{BatchProber, Failure};
use crate::chess::board::{Board, cozy_color};
use crate::chess::game::GamePosition;
use crate::probe::answer::Evaluation;
use crate::probe::tables::Tables;
use crate::table::value::{Metric, Outcome, Value};

/// The values of positions that are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The outcome. A position that has one has a label, whether its distances are known or not.
    pub outcome: bool,
    /// The distance to zeroing.
    pub dtz: bool,
    /// The distance to mate.
    pub dtm: bool,
}

impl Wanted {
    /// The outcome alone.
    pub const WDL: Wanted = Wanted::of([true, false, false]);
    /// The distance to zeroing alone.
    pub const DTZ: Wanted = Wanted::of([false, true, false]);
    /// The distance to mate alone.
    pub const DTM: Wanted = Wanted::of([false, false, true]);
    /// All values.
    pub const ALL: Wanted = Wanted::of([true; 3]);

    const fn of([outcome, dtz, dtm]: [bool; 3]) -> Wanted {
        Wanted { outcome, dtz, dtm }
    }
}

/// Values of a position for the side to move. Distances are [signed](Value::signed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The outcome with the fifty-move counter; without that rule where only the distance to mate is known.
    pub outcome: Outcome,
    /// Whether the outcome is certain. It is not where a rounded distance leaves open whether the counter reaches 100; then it is
    /// the one by the shorter distance, unless the moves say more. Nor is it where there is a counter, and no distance to zeroing;
    /// then it is the one without a counter.
    pub certain: bool,
    /// The distance to zeroing.
    pub dtz: Option<i16>,
    /// Whether the distance to zeroing is exact; if not, there may be one ply more.
    pub exact: bool,
    /// The distance to mate.
    pub dtm: Option<i16>,
    /// Why a value that was wanted is not here, if a file is damaged.
    pub damaged: Option<Failure>,
}

/// The sides to move in positions.
#[derive(Clone, Copy, Debug)]
pub enum Sides<'a> {
    /// The same in all.
    Same(Color),
    /// For each position whether black is to move.
    Black(&'a [bool]),
}

const DRAWN: Label = Label {
    outcome: Outcome::Draw,
    certain: true,
    dtz: None,
    exact: true,
    dtm: None,
    damaged: None,
};

impl Label {
    /// The label of an answer with a fifty-move counter.
    #[must_use]
    pub fn of_answer(answer: Answer, counter: u16) -> Label {
        let (outcome, certain) = answer.with_counter(counter.into());
        Label {
            outcome,
            certain,
            dtz: Some(answer.dtz.plies as i16),
            exact: answer.checkmate || answer.dtz.exact,
            ..DRAWN
        }
    }

    /// The label of an outcome without a fifty-move counter, of a position with one.
    fn of_outcome(outcome: Outcome, counter: u16) -> Label {
        Label {
            outcome,
            certain: counter == 0 || !matches!(outcome, Outcome::Win | Outcome::Loss),
            ..DRAWN
        }
    }

    /// The label of a value by the distance to mate.
    #[must_use]
    pub fn of_mate(value: Value) -> Label {
        Label {
            outcome: value.outcome,
            dtm: Some(value.signed(Metric::Dtm)),
            ..DRAWN
        }
    }
}

impl From<Evaluation> for Label {
    fn from(of: Evaluation) -> Label {
        Label {
            outcome: of.outcome,
            certain: of.certain,
            dtz: of.dtz.map(|value| value.signed(Metric::Dtz)),
            exact: of.exact,
            dtm: of.dtm.map(|value| value.signed(Metric::Dtm)),
            damaged: None,
        }
    }
}

impl<T: Deref<Target = Tables> + Sync> BatchProber<T> {
    /// The labels of positions with these fifty-move counters; if there are no counters, they are 0. Several threads share the
    /// work.
    ///
    /// A position has a label if its outcome is known, or if that is not wanted, if the distance is.
    ///
    /// # Panics
    /// If there are counters, but not one for each position.
    pub fn labels<'p>(
        &self,
        wanted: Wanted,
        positions: impl Into<Positions<'p>>,
        counters: &[u16],
    ) -> Vec<Result<Label, Failure>> {
        let positions = positions.into();
        assert!(counters.is_empty() || counters.len() == positions.len());
        // Outcomes need no distances but where a counter stands.
        let counted = counters.iter().any(|&counter| counter > 0);
        let counter = |k: usize| counters.get(k).copied().unwrap_or(0);
        let by_distance = wanted.dtz || wanted.outcome && counted;
        let mut labels: Vec<Result<Label, Failure>> = if by_distance {
            let answers = self.all::<Answer>(positions).into_par_iter().enumerate();
            let labels = answers.map(|(k, answer)| {
                let label = Label::of_answer(answer?, counter(k));
                let dtz = label.dtz.filter(|_| wanted.dtz);
                Ok::<_, Failure>(Label { dtz, ..label })
            });
            labels.collect()
        } else if wanted.outcome {
            let outcomes = self.outcomes(positions).into_par_iter();
            let labels = outcomes.map(|found| found.map(|outcome| Label::of_outcome(outcome, 0)));
            labels.collect()
        } else {
            vec![Ok(DRAWN); positions.len()]
        };
        if by_distance && wanted.outcome {
            let open: Vec<usize> = (0..labels.len()).filter(|&k| labels[k].is_err()).collect();
            let outcomes = positions.some(&open, |open| self.outcomes(open));
            for (k, found) in open.into_iter().zip(outcomes) {
                let damaged = labels[k].err().filter(|failure| !failure.is_missing());
                labels[k] = found.map(|outcome| Label {
                    damaged,
                    ..Label::of_outcome(outcome, counter(k))
                });
            }
        }
        if wanted.outcome && counted {
            self.settle(positions, counters, &mut labels);
        }
        if wanted.dtm {
            let mates = labels.par_iter_mut().zip(self.all::<Value>(positions));
            let alone = !wanted.outcome && !wanted.dtz;
            mates.for_each(|of| match of {
                (label, mate) if alone => *label = mate.map(Label::of_mate),
                (Ok(label), Ok(value)) => label.dtm = Some(value.signed(Metric::Dtm)),
                (Ok(label), Err(failure)) if !failure.is_missing() => label.damaged = Some(failure),
                _ => {}
            });
        }
        let failures = labels.iter().filter_map(|label| match label {
            Ok(label) => label.damaged,
            Err(failure) => Some(*failure),
        });
        self.failures.count(failures);
        labels
    }

    /// Asks the moves of positions whose outcomes are open, as [`Tables::answer`] does: what each may bring says more.
    fn settle(
        &self,
        positions: Positions<'_>,
        counters: &[u16],
        labels: &mut [Result<Label, Failure>],
    ) {
        let Positions::Boards(boards) = positions else {
            return;
        };
        let all = labels.par_iter_mut().zip(boards).zip(counters);
        all.for_each(|((label, board), &counter)| {
            let Ok(label) = label.as_mut() else { return };
            if label.certain {
                return;
            }
            let position = GamePosition::from(Board::from(board)).with_counter(counter);
            if let Ok(answer) = self.tables.answer(&position) {
                label.outcome = answer.evaluation.outcome;
                label.certain = answer.evaluation.certain;
            }
        });
    }

    /// The labels of rows of squares of a material, whose counters are 0, in the same way.
    ///
    /// # Panics
    /// If each has a side to move, but there are more or fewer sides than positions.
    pub fn labels_of(
        &self,
        wanted: Wanted,
        order: &PieceOrder,
        sides: Sides<'_>,
        squares: &[PackedSquares],
    ) -> Vec<Result<Label, Failure>> {
        let of = |side, squares: &[PackedSquares]| {
            let side = order.side(cozy_color(side));
            let positions = Positions::Squares(order.material(), side, squares);
            self.labels(wanted, positions, &[])
        };
        let black = match sides {
            Sides::Same(side) => return of(side, squares),
            Sides::Black(black) => black,
        };
        assert_eq!(black.len(), squares.len(), "a side for each position");
        let mut labels = vec![Ok(DRAWN); squares.len()];
        for side in Color::ALL {
            let own = |&k: &usize| black[k] == (side == Color::Black);
            let numbers: Vec<usize> = (0..squares.len()).filter(own).collect();
            let some: Vec<PackedSquares> = numbers.iter().map(|&k| squares[k]).collect();
            for (k, label) in numbers.into_iter().zip(of(side, &some)) {
                labels[k] = label;
            }
        }
        labels
    }
}
