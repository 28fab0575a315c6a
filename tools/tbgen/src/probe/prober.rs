//! A prober of a position and all that it can reach: by files, or by tables that were solved.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;
use syzygy_tables::batch::{PackedBoard, Positions};

use crate::chess::game::GamePosition;
use crate::probe::answer::{
    Answer, Ending, Evaluation, Known, Line, METRICS, MoveAnswer, TablesError, Wanted,
};
use crate::probe::files::{FEW, FileProber};
use crate::probe::on_demand::Family;
use crate::table::value::{Metric, Outcome, Value};

/// A prober of a position and all that it can reach.
pub(crate) enum Prober<'a> {
    /// By files, and the metrics that are used of them.
    Files(FileProber<'a>),
    /// By the tables that were solved by these metrics.
    Family(Arc<Family>, &'a [Metric]),
}

/// The knowledge about a position, perhaps none, and why something is not; an error if that is damage.
pub(super) type Looked = Result<(Known, Option<TablesError>), TablesError>;

/// A fifty-move counter, or `None` if that rule is not heeded.
pub(super) fn counted(metrics: &[Metric], counter: u16) -> Option<u16> {
    Some(counter).filter(|_| metrics.contains(&Metric::Dtz))
}

impl Prober<'_> {
    /// The metrics whose tables are used.
    fn metrics(&self) -> &[Metric] {
        match self {
            Prober::Files(prober) => prober.metrics,
            Prober::Family(_, metrics) => metrics,
        }
    }

    fn counted(&self, position: &GamePosition) -> Option<u16> {
        counted(self.metrics(), position.counter())
    }

    /// The answer by what is known of a position, if that is enough.
    pub(super) fn answer_of(&self, known: Known, position: &GamePosition) -> Option<Answer> {
        let known = self.used(known, position);
        let evaluation = Evaluation::new(known, self.counted(position))?;
        Some(Answer::new(evaluation, position))
    }

    /// The knowledge by the metrics that are used, and of short-range pieces by the distance to mate alone.
    fn used(&self, known: Known, position: &GamePosition) -> Known {
        let short_range = position.is_short_range();
        let uses = |metric| self.metrics().contains(&metric);
        let by_zeroing = uses(Metric::Dtz) && !short_range;
        Known {
            dtz: known.dtz.filter(|_| by_zeroing),
            dtm: known.dtm.filter(|_| uses(Metric::Dtm)),
            wdl: known.wdl.filter(|_| by_zeroing),
        }
    }

    /// The knowledge about positions. Ends of games need no table.
    pub(super) fn known(&self, positions: &[GamePosition]) -> Vec<Looked> {
        let ends = positions.par_iter().with_min_len(FEW / 4).map(end);
        let ends: Vec<Option<Value>> = ends.collect();
        let open = positions.iter().zip(&ends).filter(|(_, end)| end.is_none());
        let open: Vec<&GamePosition> = open.map(|(position, _)| position).collect();
        let known = match self {
            Prober::Files(prober) => known_in_files(prober, &open),
            Prober::Family(family, metrics) => {
                let known = open.iter().map(|of| known_in_family(family, metrics, of));
                known.collect()
            }
        };
        let mut known = known.into_iter();
        let all = ends.into_iter().map(|end| match end {
            Some(value) => Ok((Known::end(value), None)),
            None => known.next().expect("one for each that is open"),
        });
        all.collect()
    }

    /// The knowledge about one position.
    pub(super) fn known_one(&self, position: &GamePosition) -> Looked {
        let known = self.known(std::slice::from_ref(position));
        known.into_iter().next().expect("one for each position")
    }

    /// The value of a position by a metric, and whether its plies are exact.
    pub(crate) fn value(
        &self,
        metric: Metric,
        position: &GamePosition,
    ) -> Result<(Value, bool), TablesError> {
        if metric.victim().is_some() {
            let value = match self {
                Prober::Files(prober) => prober.files.value(metric, position.board())?,
                Prober::Family(family, _) => family.value(metric, position)?,
            };
            return Ok((value, true));
        }
        let (known, missing) = self.known_one(position)?;
        let value = match metric {
            Metric::Dtm => known.dtm.map(|value| (value, true)),
            _ => known.dtz,
        };
        value.ok_or_else(|| missing.unwrap_or(TablesError::ShortRange))
    }

    /// The answer for a position, by its moves where nothing else decides.
    pub(super) fn answer(&self, position: &GamePosition) -> Result<Answer, TablesError> {
        let (known, missing) = self.known_one(position)?;
        let Some(mut answer) = self.answer_of(known, position) else {
            // Its moves may decide.
            let missing = missing.unwrap_or(TablesError::ShortRange);
            let moves = match self.moves(position) {
                Err(error) if error.is_missing() => return Err(missing),
                moves => moves?,
            };
            let counter = self.counted(position);
            let evaluation = MoveAnswer::root(&moves, counter).ok_or(missing)?;
            return Ok(Answer::new(evaluation, position));
        };
        if !answer.evaluation.certain {
            // The outcomes of every move say more.
            match self.moves(position) {
                Err(error) if error.is_missing() => {}
                moves => answer.evaluation.settle(&moves?),
            }
        }
        Ok(answer)
    }

    /// All legal moves, the best first.
    pub(super) fn moves(&self, position: &GamePosition) -> Result<Vec<MoveAnswer>, TablesError> {
        let steps = position.moves();
        let after: Vec<GamePosition> = steps.iter().map(|step| step.after.clone()).collect();
        let known = self.known(&after);
        let (mut answers, mut missing) = (Vec::with_capacity(steps.len()), None);
        for (step, known) in steps.iter().zip(known) {
            let (known, error) = known?;
            missing = missing.or(error);
            answers.push(self.answer_of(known, &step.after));
        }
        let mut all = MoveAnswer::of_steps(position, &steps, answers, self.counted(position));
        if !all.is_empty() && all.iter().all(|step| step.evaluation.is_none()) {
            return Err(missing.unwrap_or(TablesError::ShortRange));
        }
        if !all.iter().all(MoveAnswer::is_certain) {
            // A table of the root that can't be read is not needed here.
            if let Ok((known, _)) = self.known_one(position)
                && let Some(root) = self.answer_of(known, position)
            {
                MoveAnswer::settle(&mut all, &root.evaluation);
            }
        }
        MoveAnswer::sort(&mut all);
        Ok(all)
    }

    /// Checks that nothing better can be among moves of which nothing is known.
    fn check_all_known(&self, moves: &[MoveAnswer]) -> Result<(), TablesError> {
        let mut unknown = moves.iter().filter(|step| step.evaluation.is_none());
        match unknown.next() {
            Some(step) if !moves[0].checkmates() => {
                let (_, missing) = self.known_one(&step.position)?;
                Err(missing.unwrap_or(TablesError::ShortRange))
            }
            _ => Ok(()),
        }
    }

    /// Best play to the end.
    pub(super) fn line(&self, from: &GamePosition) -> Result<Line, TablesError> {
        let (mut end, mut line) = (from.clone(), Vec::new());
        let mut seen = HashSet::new();
        loop {
            let answer = self.answer(&end)?;
            let evaluation = answer.evaluation;
            let over = self.counted(&end).is_some_and(|plies| plies >= 100);
            let ending = match evaluation.outcome {
                _ if answer.checkmate => Some(Ending::Checkmate),
                Outcome::Draw => Some(Ending::Draw),
                _ if over => Some(Ending::FiftyMoves),
                _ => None,
            };
            let mut moves = Vec::new();
            if ending.is_none() {
                moves = self.moves(&end)?;
                self.check_all_known(&moves)?;
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
            let falls = evaluation.exact && evaluation.dtz.is_some() || evaluation.dtm.is_some();
            if !falls && !seen.insert(end.position()) {
                return Err(TablesError::Rounded);
            }
        }
    }
}

/// The values that files have of positions.
fn known_in_files(prober: &FileProber<'_>, positions: &[&GamePosition]) -> Vec<Looked> {
    let uses = |metric| prober.metrics.contains(&metric);
    let wanted = Wanted {
        outcome: uses(Metric::Dtz),
        dtz: uses(Metric::Dtz),
        dtm: uses(Metric::Dtm),
    };
    let packed: Vec<Option<PackedBoard>> =
        positions.iter().map(|position| position.packed()).collect();
    let boards: Vec<PackedBoard> = packed.iter().flatten().copied().collect();
    let mut found = prober
        .known(wanted, Positions::Boards(&boards), false)
        .into_iter();
    let all = positions.iter().zip(packed).map(|(position, packed)| {
        let nothing = |why| (Known::default(), Some(why));
        let (known, error) = match packed.and_then(|_| found.next()) {
            Some((known, failure)) => {
                // By the distance to zeroing everything follows.
                let failure = failure.filter(|of| known.dtz.is_none() || !of.is_missing());
                let reason = failure.map(|failure| prober.failures.reason(failure));
                (known, reason)
            }
            None if !position.castling().is_empty() => nothing(TablesError::Castling),
            None if !position.is_short_range() => {
                nothing(prober.files.missing(position.endgame(), prober.metrics[0]))
            }
            None if !wanted.dtm => nothing(TablesError::ShortRange),
            None => match prober.files.value(Metric::Dtm, position.board()) {
                Ok(value) => {
                    let dtm = Some(value);
                    (
                        Known {
                            dtm,
                            ..Known::default()
                        },
                        None,
                    )
                }
                Err(error) => nothing(error),
            },
        };
        match error {
            Some(error) if !error.is_missing() => Err(error),
            missing => Ok((known, missing)),
        }
    });
    all.collect()
}

/// The values that tables solved by these metrics have of a position.
fn known_in_family(family: &Family, metrics: &[Metric], position: &GamePosition) -> Looked {
    let short_range = position.is_short_range();
    let mut known = Known::default();
    for &metric in metrics {
        match metric {
            Metric::Dtm => known.dtm = Some(family.value(metric, position)?),
            _ if short_range => {}
            _ => known.dtz = Some((family.value(metric, position)?, true)),
        }
    }
    Ok((known, None))
}

/// The value of a position that needs no table: of checkmates, stalemates, and where no side can ever mate.
pub(super) fn end(position: &GamePosition) -> Option<Value> {
    match (position.can_move(), position.in_check()) {
        (false, true) => Some(Value::loss(0)),
        (false, false) => Some(Value::DRAW),
        (true, _) => position.is_insufficient().then_some(Value::DRAW),
    }
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
