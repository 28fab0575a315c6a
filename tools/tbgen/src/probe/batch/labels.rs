//! Labels: several values of many positions at once.

use std::ops::Deref;

use rayon::prelude::*;
use syzygy_tables::batch::{Answer, PieceOrder, Positions};
use syzygy_tables::numbering::PackedSquares;
use tbindex::Color;

use super::BatchProber;
use crate::chess::board::{Board, cozy_color};
use crate::chess::game::GamePosition;
use crate::probe::answer::{Evaluation, Known};
use crate::probe::files::{Cause, FEW, Failure, Found, Wanted, value_of};
use crate::probe::tables::Tables;
use crate::table::value::{Metric, Outcome, Value};

/// What is [known](Evaluation) of a position for the side to move, as far as it is wanted. Distances are
/// [signed](Value::signed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The outcome with the fifty-move counter.
    pub outcome: Outcome,
    /// Whether the outcome is certain.
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
    /// What is wanted of an evaluation.
    #[must_use]
    pub fn of(evaluation: Evaluation, wanted: Wanted) -> Label {
        let label = Label::from(evaluation);
        Label {
            dtz: label.dtz.filter(|_| wanted.dtz),
            dtm: label.dtm.filter(|_| wanted.dtm),
            ..label
        }
    }

    /// The label of an answer with a fifty-move counter.
    #[must_use]
    pub fn of_answer(answer: Answer, counter: u16) -> Label {
        let known = Known {
            dtz: Some(value_of(answer)),
            ..Known::default()
        };
        Evaluation::new(known, Some(counter)).map_or(DRAWN, Label::from)
    }

    /// The label of a value by the distance to mate, without a fifty-move rule.
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
    /// work. What files leave open is solved, if the tables solve [on demand](Tables::and_on_demand).
    ///
    /// A position has a label if its outcome is known, or if that is not wanted, if a distance is.
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
        assert!(
            counters.is_empty() || counters.len() == positions.len(),
            "labels: {} counters for {} positions",
            counters.len(),
            positions.len()
        );
        let counter = |k: usize| counters.get(k).copied().unwrap_or(0);
        // Outcomes need no distances but where a counter stands.
        let counted = counters.iter().any(|&counter| counter > 0);
        let dtz = wanted.dtz || wanted.outcome && counted;
        let files = self.files();
        let mut known = files.known(Wanted { dtz, ..wanted }, positions);
        if wanted.dtm {
            // Ends have a distance to mate without a file of it.
            let may_be_end = |&k: &usize| {
                let Known { dtz, dtm, wdl } = known[k].known;
                let by_zeroing =
                    dtz.map(|(value, _)| value == Value::DRAW || value == Value::loss(0));
                let by_outcome = wdl.map(|(of, _)| matches!(of, Outcome::Draw | Outcome::Loss));
                dtm.is_none() && by_zeroing.or(by_outcome).unwrap_or(false)
            };
            let ends: Vec<usize> = (0..known.len()).filter(may_be_end).collect();
            let values = files.some::<Value>(positions, &ends);
            for (k, value) in ends.into_iter().zip(values) {
                known[k].known.dtm = value.ok();
            }
        }
        let labels = known.into_par_iter().with_min_len(FEW).enumerate();
        let labels = labels.map(|(k, Found { known, failure })| {
            let evaluation = Evaluation::new(known, self.tables.counted(counter(k)));
            match (evaluation, failure) {
                (Some(evaluation), failure) => Ok(Label {
                    damaged: failure.filter(|failure| !failure.is_missing()),
                    ..Label::of(evaluation, wanted)
                }),
                (None, Some(failure)) => Err(failure),
                (None, None) => Ok(DRAWN),
            }
        });
        let mut labels: Vec<Result<Label, Failure>> = labels.collect();
        if let Positions::Boards(boards) = positions {
            let game = |k: usize| GamePosition::from(Board::from(&boards[k]));
            self.settle(wanted, &|k| game(k).with_counter(counter(k)), &mut labels);
        }
        let failures = labels.iter().filter_map(|label| match label {
            Ok(label) => label.damaged,
            Err(failure) => Some(*failure),
        });
        self.failures.count(failures);
        labels
    }

    /// Settles outcomes that are open, and finds labels that are missing, as [`Tables::answer`] does: by the moves, as what each
    /// may bring says more; and by solving.
    fn settle(
        &self,
        wanted: Wanted,
        position: &(impl Fn(usize) -> GamePosition + Sync),
        labels: &mut [Result<Label, Failure>],
    ) {
        let is_open = |label: &Result<Label, Failure>| match label {
            Ok(label) => wanted.outcome && !label.certain,
            Err(failure) => failure.is_missing(),
        };
        if !self.tables.solves() || !self.tables.files().is_empty() {
            let open = labels.par_iter_mut().enumerate();
            open.filter(|(_, label)| is_open(label))
                .for_each(|(k, label)| {
                    let position = position(k);
                    // The moves of a position of many more men than tables have lead to none of them.
                    if label.is_err() && !self.tables.files().may_know_moves(&position) {
                        return;
                    }
                    match (self.tables.answer_by_files(&position), &mut *label) {
                        (Ok(answer), _) => {
                            let found = Label::of(answer.evaluation, wanted);
                            let damaged = label.ok().and_then(|label| label.damaged);
                            if wanted.outcome || found.dtz.is_some() || found.dtm.is_some() {
                                *label = Ok(Label { damaged, ..found });
                            }
                        }
                        (Err(error), _) if error.is_missing() => {}
                        (Err(error), label) => {
                            let cause = Cause::Moves(position.endgame().normal());
                            let failure = self.failures.number(cause, || error);
                            match label {
                                Ok(label) => label.damaged = Some(failure),
                                missing => *missing = Err(failure),
                            }
                        }
                    }
                });
        }
        if !self.tables.solves() {
            return;
        }
        let open: Vec<usize> = (0..labels.len()).filter(|&k| is_open(&labels[k])).collect();
        let positions: Vec<GamePosition> = open.iter().map(|&k| position(k)).collect();
        let metrics = self.tables.metrics().iter().copied();
        // Without the distance to zeroing, that to mate has the outcome.
        let is_needed = |&metric: &Metric| metric == Metric::Dtz || wanted.dtm;
        let mut metrics: Vec<Metric> = metrics.filter(is_needed).collect();
        if metrics.is_empty() {
            metrics = vec![Metric::Dtm];
        }
        let answers = self.tables.answers_by_solving(&metrics, &positions);
        for ((k, position), answer) in open.into_iter().zip(positions).zip(answers) {
            match answer {
                Ok(answer) => labels[k] = Ok(Label::of(answer.evaluation, wanted)),
                // What can't be solved stays as it was.
                Err(error) if error.is_missing() && !self.tables.files().is_empty() => {}
                Err(error) => {
                    let cause = Cause::Solve(position.endgame().normal(), error.is_missing());
                    labels[k] = Err(self.failures.number(cause, || error));
                }
            }
        }
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
