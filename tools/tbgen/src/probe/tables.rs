//! Answers for positions and moves: from files, and by tables that are solved on demand.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::ThreadPool;
use tbindex::batch::Backend;

use crate::chess::game::{AnyBoard, GamePosition};
use crate::probe::answer::{Answer, Ending, Evaluation, Line, MoveAnswer, TablesError, Values};
use crate::probe::files::Files;
use crate::probe::on_demand::{self, Family, OnDemand, Solver};
use crate::solve::levels::solve_shape;
use crate::solve::options::Options;
use crate::table::value::{Metric, Outcome, Value};

/// Tables that answer for positions of chess and with short-range pieces, with the right to capture en passant and the
/// fifty-move counter. Any number of threads may ask at the same time.
///
/// ```no_run
/// use tbgen::{GamePosition, Letters, Tables};
///
/// let tables = Tables::open(&["tables", "syzygy"])?;
/// let position = GamePosition::parse("8/8/2k5/1r6/8/8/8/2KQ4 b - - 40 90", &Letters::default())?;
/// let answer = tables.answer(&position)?;
/// println!("{:?} in {:?}", answer.evaluation.outcome, answer.evaluation.dtz);
/// for step in tables.moves(&position)? {
///     println!("{} {:?}", step.san, step.evaluation.map(|of| of.outcome));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    /// They are asked first.
    files: Option<Files>,
    on_demand: Option<OnDemand>,
    metric: Option<Metric>,
}

const METRICS: [Metric; 2] = [Metric::Dtz, Metric::Dtm];

/// What answers for a position and all that it can reach.
enum Sight<'a> {
    Files(&'a Files),
    Family(Arc<Family>),
}

impl Tables {
    /// The tables in folders: own files of both metrics and Syzygy files, in any mixture. A file is opened when it is
    /// first needed, and stays open; of two of the same table, the own one is taken before a Syzygy file, and the one in an
    /// earlier folder before one in a later. Files that come into the folders afterwards are not seen.
    ///
    /// # Errors
    /// If a folder can't be read.
    pub fn open(folders: &[impl AsRef<Path>]) -> Result<Tables, TablesError> {
        Ok(Tables {
            files: Some(Files::open(folders)?),
            on_demand: None,
            metric: None,
        })
    }

    /// Tables without files. What a position can reach is solved when it is asked for, by the metrics that are asked for,
    /// with short-range pieces by the distance to mate alone, and kept: the least recently used tables are dropped first. A
    /// position that needs more memory is refused. Positions with castling rights are answered, too.
    ///
    /// `memory` is that of the process, in bytes. Tables that another thread still looks into may be kept beside it.
    /// `pool` has the threads that solve, and should have no other work.
    #[must_use]
    pub fn on_demand(memory: u64, pool: ThreadPool, solve: Solver) -> Tables {
        Tables {
            files: None,
            on_demand: Some(OnDemand::new(memory, pool, solve)),
            metric: None,
        }
    }

    /// The same tables, and where they have no answer, or one that is open, what is solved [on demand](Tables::on_demand) for
    /// the position. A position that needs more memory has the answer that it had without.
    #[must_use]
    pub fn and_on_demand(self, memory: u64, pool: ThreadPool, solve: Solver) -> Tables {
        let on_demand = Some(OnDemand::new(memory, pool, solve));
        Tables { on_demand, ..self }
    }

    /// A solver for [`on_demand`](Tables::on_demand), which tells nobody how far it is.
    #[must_use]
    pub fn solver(backend: Backend) -> Solver {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Box::new(move |shape, library, metric| {
            solve_shape(shape, library, Options::new(metric, backend, &NEVER))
        })
    }

    /// Adds an open Syzygy file to tables in folders, perhaps [none](Tables::open). It takes the place of one of the same table.
    ///
    /// # Panics
    /// If the tables are solved on demand alone.
    pub fn add_syzygy(&mut self, file: syzygy_tables::TableFile) {
        let files = self.files.as_mut().expect("tables in folders");
        files.add_syzygy(file);
    }

    /// The same tables, of which those of one metric alone are used. By the distance to mate there is no fifty-move rule,
    /// and counters don't matter.
    #[must_use]
    pub fn with_metric(self, metric: Metric) -> Tables {
        let metric = Some(metric);
        Tables { metric, ..self }
    }

    /// What is known about a position.
    ///
    /// # Errors
    /// If no table of the position is there, or one that is needed can't be read, is damaged, or can't be solved.
    pub fn answer(&self, position: &GamePosition) -> Result<Answer, TablesError> {
        if let Some(answer) = self.of_end(position) {
            return Ok(answer);
        }
        self.ask(
            position,
            self.metrics(),
            |sight| self.answer_in(sight, position),
            |answer| answer.evaluation.certain,
        )
    }

    /// Whether no table has to be solved for [`answer`](Tables::answer) and [`moves`](Tables::moves) on demand, as all that the
    /// position can reach is kept.
    #[must_use]
    pub fn is_solved(&self, position: &GamePosition) -> bool {
        let on_demand = self.on_demand.as_ref();
        end(position).is_some()
            || on_demand.is_some_and(|of| matches!(of.ready(position, self.metrics()), Ok(Some(_))))
    }

    /// The value of a position by a metric, which does not heed the counter, and whether its plies are exact.
    ///
    /// # Errors
    /// As of [`answer`](Tables::answer), for this metric, and of short-range pieces if it is not that to mate.
    pub fn value(
        &self,
        metric: Metric,
        position: &GamePosition,
    ) -> Result<(Value, bool), TablesError> {
        match position.board() {
            AnyBoard::ShortRange(..) if metric == Metric::Dtz => Err(TablesError::ShortRange),
            _ => self.ask(
                position,
                &[metric],
                |sight| match end(position) {
                    Some(value) => Ok((value, true)),
                    None => value_in(sight, metric, position),
                },
                |_| true,
            ),
        }
    }

    /// All legal moves, in [their order](crate::sort_moves), the best first. Nothing is known of a move that leads to a table
    /// that is missing.
    ///
    /// # Errors
    /// As of [`answer`](Tables::answer), for the positions after the moves; a missing table is one if nothing is known of any
    /// move.
    pub fn moves(&self, position: &GamePosition) -> Result<Vec<MoveAnswer>, TablesError> {
        let is_known = |step: &MoveAnswer| step.evaluation.is_some_and(|of| of.certain);
        self.ask(
            position,
            self.metrics(),
            |sight| self.moves_in(sight, position),
            |moves| moves.iter().all(is_known),
        )
    }

    /// Best play of both sides, as [`moves`](Tables::moves) has it, to the end, which is the 100th ply without a zeroing move
    /// if none comes before. That of a drawn position has no moves.
    ///
    /// # Errors
    /// As of [`moves`](Tables::moves); if tables contradict one another; or if distances are rounded and don't tell the way.
    pub fn line(&self, from: &GamePosition) -> Result<Line, TablesError> {
        let is_known = |step: &MoveAnswer| step.evaluation.is_some_and(|of| of.certain);
        self.ask(
            from,
            self.metrics(),
            |sight| self.line_in(sight, from),
            |line| line.moves.iter().all(is_known),
        )
    }

    fn line_in(&self, sight: &Sight<'_>, from: &GamePosition) -> Result<Line, TablesError> {
        let (mut end, mut line) = (from.clone(), Vec::new());
        let mut seen = HashSet::new();
        loop {
            let answer = match self.of_end(&end) {
                Some(answer) => answer,
                None => self.answer_in(sight, &end)?,
            };
            let evaluation = answer.evaluation;
            let over = evaluation.dtz.is_some() && end.counter() >= 100;
            let ending = match evaluation.outcome {
                _ if answer.checkmate => Some(Ending::Checkmate),
                Outcome::Draw => Some(Ending::Draw),
                _ if over => Some(Ending::FiftyMoves),
                _ => None,
            };
            let mut moves = Vec::new();
            if ending.is_none() {
                moves = self.moves_in(sight, &end)?;
                check(&end, &evaluation, &moves)?;
            }
            let Some(best) = moves.into_iter().next() else {
                return Ok(Line {
                    moves: line,
                    end,
                    ending: ending.unwrap_or(Ending::Draw),
                });
            };
            end = best.position.clone();
            line.push(best);
            // Exact distances fall, or the counter comes to its end.
            if !evaluation.exact && !seen.insert(end.position()) {
                return Err(TablesError::Rounded);
            }
        }
    }

    /// Whether answers come from files, and there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files().is_some_and(Files::is_empty)
    }

    /// The files, if answers come from files.
    pub(super) fn files(&self) -> Option<&Files> {
        self.files.as_ref()
    }

    /// The metrics whose tables are used.
    fn metrics(&self) -> &[Metric] {
        self.metric.as_ref().map_or(&METRICS, std::slice::from_ref)
    }

    /// Whether tables of a metric are used.
    pub(super) fn uses(&self, metric: Metric) -> bool {
        self.metrics().contains(&metric)
    }

    /// Asks the files, and where they leave something open, what is solved for the position by these metrics.
    fn ask<T>(
        &self,
        position: &GamePosition,
        metrics: &[Metric],
        question: impl Fn(&Sight<'_>) -> Result<T, TablesError>,
        is_known: impl Fn(&T) -> bool,
    ) -> Result<T, TablesError> {
        let by_files = self
            .files
            .as_ref()
            .map(|files| question(&Sight::Files(files)));
        let is_open = match &by_files {
            Some(Ok(found)) => !is_known(found),
            Some(Err(error)) => error.is_missing() || matches!(error, TablesError::Rounded),
            None => true,
        };
        let on_demand = self.on_demand.as_ref().filter(|_| is_open);
        let solved = on_demand.map(|on_demand| {
            let family = match end(position) {
                Some(_) => Arc::default(),
                None => on_demand.family(position, metrics)?,
            };
            question(&Sight::Family(family))
        });
        match (by_files, solved) {
            // What can't be solved stays as it was.
            (
                Some(by_files),
                Some(Err(TablesError::Memory { .. } | TablesError::Shape(_))) | None,
            ) => by_files,
            (_, Some(solved)) => solved,
            (None, None) => unreachable!("there are files, or tables are solved"),
        }
    }

    /// The answer for a position that needs no table.
    pub(super) fn of_end(&self, position: &GamePosition) -> Option<Answer> {
        let value = (end(position)?, true);
        let short_range = matches!(position.board(), AnyBoard::ShortRange(..));
        let known = |metric| self.uses(metric) && !(short_range && metric == Metric::Dtz);
        answer(
            METRICS.map(|metric| known(metric).then_some(value)),
            position,
        )
    }

    /// The values of a position by both metrics, with whether their plies are exact; and why there is none by one that was
    /// looked for.
    fn values(
        &self,
        sight: &Sight<'_>,
        position: &GamePosition,
    ) -> Result<(Values, Option<TablesError>), TablesError> {
        let (mut values, mut missing) = (Values::default(), None);
        let short_range = matches!(position.board(), AnyBoard::ShortRange(..));
        let end = end(position);
        for metric in METRICS {
            if !self.uses(metric) || (short_range && metric == Metric::Dtz) {
                continue;
            }
            if let Some(value) = end {
                values[metric as usize] = Some((value, true));
                continue;
            }
            match value_in(sight, metric, position) {
                Err(error) if error.is_missing() => missing = missing.or(Some(error)),
                found => values[metric as usize] = Some(found?),
            }
        }
        Ok((values, missing))
    }

    fn answer_in(&self, sight: &Sight<'_>, position: &GamePosition) -> Result<Answer, TablesError> {
        let (values, missing) = self.values(sight, position)?;
        let Some(mut answer) = answer(values, position) else {
            // Its moves may decide.
            let missing = missing.unwrap_or(TablesError::ShortRange);
            let moves = match self.moves_in(sight, position) {
                Err(error) if error.is_missing() => return Err(missing),
                Err(TablesError::ShortRange) => return Err(missing),
                moves => moves?,
            };
            let evaluation = MoveAnswer::root(&moves, position.counter()).ok_or(missing)?;
            return Ok(Answer::new(evaluation, position));
        };
        if !answer.evaluation.certain {
            // What every move may bring says more.
            let moves = self.moves_in(sight, position)?;
            let ranges = moves
                .iter()
                .map(|step| step.evaluation.map(|of| of.range()));
            let ranges: Option<Vec<_>> = ranges.collect();
            let ranges = ranges.unwrap_or_default().into_iter();
            let best = ranges.reduce(|(worst, best), (low, high)| (worst.max(low), best.max(high)));
            if let Some((worst, best)) = best {
                answer.evaluation.outcome = best;
                answer.evaluation.certain = worst == best;
            }
        }
        Ok(answer)
    }

    fn moves_in(
        &self,
        sight: &Sight<'_>,
        position: &GamePosition,
    ) -> Result<Vec<MoveAnswer>, TablesError> {
        let steps = position.moves();
        let (mut all, mut missing) = (Vec::with_capacity(steps.len()), None);
        for (number, step) in steps.iter().enumerate() {
            let (values, error) = self.values(sight, &step.after)?;
            missing = missing.or(error);
            let worths = METRICS.map(|metric| {
                let (value, exact) = values[metric as usize]?;
                let worth = metric.after_move(value, step.zeroing);
                Some((worth, exact || step.zeroing))
            });
            all.push(MoveAnswer {
                uci: step.uci(),
                san: position.san(&steps, number),
                capture: step.capture,
                zeroing: step.zeroing,
                promotion: step.promotion,
                evaluation: Evaluation::new(worths, position.counter()),
                after: answer(values, &step.after),
                position: step.after.clone(),
            });
        }
        if !all.is_empty() && all.iter().all(|step| step.evaluation.is_none()) {
            return Err(missing.unwrap_or(TablesError::ShortRange));
        }
        MoveAnswer::sort(&mut all);
        Ok(all)
    }
}

/// The value of a position by a metric, and whether its plies are exact.
fn value_in(
    sight: &Sight<'_>,
    metric: Metric,
    position: &GamePosition,
) -> Result<(Value, bool), TablesError> {
    match sight {
        Sight::Files(_) if !position.castling().is_empty() => Err(TablesError::Castling),
        Sight::Files(files) => files.value(metric, position),
        Sight::Family(family) => Ok((on_demand::value(family, metric, position)?, true)),
    }
}

/// The value of a position that needs no table: of checkmates, stalemates, and where no side can ever mate.
fn end(position: &GamePosition) -> Option<Value> {
    match (position.can_move(), position.in_check()) {
        (false, true) => Some(Value::loss(0)),
        (false, false) => Some(Value::DRAW),
        (true, _) => position.is_insufficient().then_some(Value::DRAW),
    }
}

/// The answer by the values of a position, if there are any.
pub(super) fn answer(values: Values, position: &GamePosition) -> Option<Answer> {
    let evaluation = Evaluation::new(values, position.counter())?;
    Some(Answer::new(evaluation, position))
}

/// Checks that the value of a position is the best that its moves bring.
fn check(
    position: &GamePosition,
    evaluation: &Evaluation,
    moves: &[MoveAnswer],
) -> Result<(), TablesError> {
    for metric in METRICS {
        let by_moves = moves.iter().map(|step| step.evaluation?.exact_by(metric));
        let by_moves: Option<Vec<Value>> = by_moves.collect();
        let Some((stored, by_moves)) = evaluation.exact_by(metric).zip(by_moves) else {
            continue;
        };
        let best = by_moves.into_iter().max_by_key(|value| value.preference());
        let implied = best.unwrap_or(Value::DRAW);
        if implied != stored {
            let fen = position.fen();
            return Err(TablesError::Contradiction {
                fen,
                stored,
                implied,
            });
        }
    }
    Ok(())
}
