//! Labels: several values of many positions at once.

use std::ops::Deref;

use rayon::prelude::*;
use syzygy_tables::batch::{Failure, PieceOrder, Positions};
use syzygy_tables::numbering::PackedSquares;
use tbindex::Color;

use super::BatchProber;
use crate::chess::cozy::cozy_color;
use crate::chess::game::GamePosition;
use crate::probe::answer::{Evaluation, Wanted};
use crate::probe::files::FEW;
use crate::probe::prober::{Prober, counted};
use crate::probe::tables::Tables;
use crate::table::value::Metric;

/// The most positions that are asked for together that are solved.
const SOLVED_TOGETHER: usize = 1 << 16;

/// The sides to move in positions.
#[derive(Clone, Copy, Debug)]
pub enum Sides<'a> {
    /// One side in all positions.
    Same(Color),
    /// For each position whether black is to move.
    Black(&'a [bool]),
}

/// The knowledge about a position, and why something that was wanted is not.
type Label = (Option<Evaluation>, Option<Failure>);

impl<T: Deref<Target = Tables> + Sync> BatchProber<T> {
    /// The knowledge about positions with these fifty-move counters, as far as it is wanted; if there are no counters, they are 0.
    /// Several threads share the work. Positions that files leave open are solved, if the tables solve [on demand](Tables::and_on_demand).
    ///
    /// A position has a label as [`Tables::label`] has it. If a file is damaged that has
    /// a value that is wanted, this is counted among the [failures](BatchProber::failures).
    ///
    /// # Panics
    /// If nothing is wanted, or there are counters, but not one for each position.
    pub fn labels<'p>(
        &self,
        wanted: Wanted,
        positions: impl Into<Positions<'p>>,
        counters: &[u16],
    ) -> Vec<Result<Evaluation, Failure>> {
        let positions = positions.into();
        assert_ne!(wanted, Wanted::default(), "labels: nothing is wanted");
        assert!(
            counters.is_empty() || counters.len() == positions.len(),
            "labels: {} counters for {} positions",
            counters.len(),
            positions.len()
        );
        let counter = |k: usize| counters.get(k).copied().unwrap_or(0);
        // Outcomes need no distances but where a counter stands.
        let any = counters.iter().any(|&counter| counter > 0);
        let dtz = wanted.dtz || wanted.outcome && any;
        let known = (self.files()).known(Wanted { dtz, ..wanted }, positions, true);
        let labels = known.into_par_iter().with_min_len(FEW).enumerate();
        let labels = labels.map(|(k, (known, failure))| {
            let counter = counted(self.tables.metrics(), counter(k));
            (Evaluation::new(known, counter), failure)
        });
        let mut labels: Vec<Label> = labels.collect();
        let game = |k: usize| GamePosition::from(&positions.board(k)).with_counter(counter(k));
        self.settle(wanted, &game, &mut labels);
        let failures = labels.iter().filter_map(|(evaluation, failure)| {
            failure.filter(|failure| evaluation.is_none() || !failure.is_missing())
        });
        self.failures.count(failures);
        let labels = labels.into_iter().map(|(evaluation, failure)| {
            let evaluation = evaluation.map(|evaluation| evaluation.only(wanted));
            evaluation.ok_or_else(|| failure.expect("something was wanted"))
        });
        labels.collect()
    }

    /// The [`Tables::label`] of one position, also with castling rights, short-range pieces or more men.
    ///
    /// # Errors
    /// If the tables have no label.
    pub fn label(&self, wanted: Wanted, position: &GamePosition) -> Result<Evaluation, Failure> {
        let label = self.tables.label(wanted, position);
        let label = label.map_err(|error| self.failures.number(error));
        self.failures.count(label.err().into_iter());
        label
    }

    /// Settles outcomes that are open, and finds labels that are missing, as [`Tables::answer`] does: by the moves, as what each
    /// may bring says more; and by solving.
    fn settle(
        &self,
        wanted: Wanted,
        position: &(impl Fn(usize) -> GamePosition + Sync),
        labels: &mut [Label],
    ) {
        let is_open = |(evaluation, failure): &Label| match evaluation {
            Some(evaluation) => wanted.outcome && !evaluation.certain,
            None => failure.is_some_and(Failure::is_missing),
        };
        let (files, on_demand) = (&self.tables.files, &self.tables.on_demand);
        if on_demand.is_none() || !files.is_empty() {
            let open = labels.par_iter_mut().enumerate();
            let open = open.filter(|(_, label)| is_open(label));
            open.for_each(|(k, (evaluation, failure))| {
                let position = position(k);
                // The moves of a position of many more men than tables have lead to none of them.
                if evaluation.is_none() && !files.may_know_moves(&position) {
                    return;
                }
                match self.tables.answer_by_files(&position) {
                    Ok(answer) => {
                        let found = answer.evaluation.only(wanted);
                        if wanted.outcome || found.dtz.is_some() || found.dtm.is_some() {
                            *evaluation = Some(found);
                        }
                    }
                    Err(error) if error.is_missing() => {}
                    Err(error) => *failure = Some(self.failures.number(error)),
                }
            });
        }
        let Some(on_demand) = on_demand else {
            return;
        };
        // Without the distance to zeroing, that to mate has the outcome.
        let metrics = match self.tables.metrics() {
            [Metric::Dtz, ..] if !wanted.dtm => &[Metric::Dtz],
            metrics => metrics,
        };
        let open: Vec<usize> = (0..labels.len()).filter(|&k| is_open(&labels[k])).collect();
        for open in open.chunks(SOLVED_TOGETHER) {
            let positions: Vec<GamePosition> = open.iter().map(|&k| position(k)).collect();
            let answers = on_demand.answers(metrics, &positions, |family, position| {
                Prober::Family(family, metrics).answer(position)
            });
            for (&k, answer) in open.iter().zip(answers) {
                labels[k] = match answer {
                    Ok(answer) => (Some(answer.evaluation), None),
                    // An answer that can't be solved stays as it was.
                    Err(error) if error.is_missing() && !files.is_empty() => continue,
                    Err(error) => (None, Some(self.failures.number(error))),
                };
            }
        }
    }

    /// The [`labels`](BatchProber::labels) of rows of squares of a material, whose counters are 0.
    ///
    /// # Panics
    /// If each has a side to move, but there are more or fewer sides than positions.
    pub fn labels_of(
        &self,
        wanted: Wanted,
        order: &PieceOrder,
        sides: Sides<'_>,
        squares: &[PackedSquares],
    ) -> Vec<Result<Evaluation, Failure>> {
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
        let mut of_sides = Color::ALL.map(|side| {
            let own = squares.iter().zip(black);
            let own = own.filter(|(_, black)| **black == (side == Color::Black));
            let own: Vec<PackedSquares> = own.map(|(&squares, _)| squares).collect();
            of(side, &own).into_iter()
        });
        let labels = black
            .iter()
            .map(|&black| of_sides[usize::from(black)].next());
        labels.map(|label| label.expect("one for each")).collect()
    }
}
