//! Answers for positions and moves: from files, and by tables that are solved on demand.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::ThreadPool;
use rayon::prelude::*;
use syzygy_tables::batch::{PackedBoard, Positions};
use tbindex::batch::Backend;

use crate::chess::game::{AnyBoard, GamePosition};
use crate::chess::pawns::Pawns;
use crate::chess::piece_set::Endgame;
use crate::probe::answer::{Answer, Ending, Evaluation, Known, Line, MoveAnswer, TablesError};
use crate::probe::batch::{FEW, Failures, FileProber, Found, Wanted};
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
    /// They are asked first, and there may be none.
    files: Files,
    on_demand: Option<OnDemand>,
    metric: Option<Metric>,
}

const METRICS: [Metric; 2] = [Metric::Dtz, Metric::Dtm];

/// What answers for a position and all that it can reach.
enum Source<'a> {
    Files(FileProber<'a>),
    /// What was solved, by these metrics.
    Family(Arc<Family>, &'a [Metric]),
}

/// What is known of a position, perhaps nothing, and why something is not; an error if that is damage.
type Looked = Result<(Known, Option<TablesError>), TablesError>;

impl Tables {
    /// The tables in folders: own files of both metrics and Syzygy files, in any mixture. A file is opened when it is
    /// first needed, and stays open; of two of the same table, the own one is taken before a Syzygy file, and the one in an
    /// earlier folder before one in a later. Files that come into the folders afterwards are not seen.
    ///
    /// # Errors
    /// If a folder can't be read.
    pub fn open(folders: &[impl AsRef<Path>]) -> Result<Tables, TablesError> {
        Ok(Tables {
            files: Files::open(folders)?,
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
        let files = Tables {
            files: Files::default(),
            on_demand: None,
            metric: None,
        };
        files.and_on_demand(memory, pool, solve)
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

    /// Adds an open Syzygy file. It takes the place of one of the same table.
    pub fn add_syzygy(&mut self, file: syzygy_tables::TableFile) {
        self.files.add_syzygy(file);
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
        self.answer_if(position, true)
    }

    /// What the files and the tables that were solved before say about a position. Nothing is solved, and nobody who solves is
    /// waited for.
    ///
    /// # Errors
    /// As of [`answer`](Tables::answer).
    pub fn answer_at_once(&self, position: &GamePosition) -> Result<Answer, TablesError> {
        self.answer_if(position, false)
    }

    fn answer_if(&self, position: &GamePosition, may_solve: bool) -> Result<Answer, TablesError> {
        if let Some(answer) = self.of_end(position) {
            return Ok(answer);
        }
        self.ask(
            position,
            self.metrics(),
            may_solve,
            |source| self.answer_in(source, position),
            |answer| answer.evaluation.certain,
        )
    }

    /// What is known about a position by what is solved for it, whatever the files say.
    ///
    /// # Errors
    /// If the tables can't be solved, or nothing is solved [on demand](Tables::on_demand).
    pub fn answer_by_solving(&self, position: &GamePosition) -> Result<Answer, TablesError> {
        if let Some(answer) = self.of_end(position) {
            return Ok(answer);
        }
        let on_demand = self.on_demand.as_ref();
        let on_demand =
            on_demand.ok_or_else(|| self.files.missing(position.endgame(), Metric::Dtz))?;
        let metrics = self.metrics();
        let family = on_demand.family(position, metrics)?;
        self.answer_in(&Source::Family(family, metrics), position)
    }

    /// Whether what the position can reach may be solved in the memory that there is for that.
    #[must_use]
    pub fn may_solve(&self, position: &GamePosition) -> bool {
        let on_demand = self.on_demand.as_ref();
        on_demand.is_some_and(|of| of.has_room_for(position, self.metrics()))
    }

    /// The answers for positions without castling rights by what is solved. Those with the same pieces come together, so that their tables are solved
    /// once for them all, or if memory does not hold these, what each position can reach.
    pub(super) fn answers_by_solving(
        &self,
        metrics: &[Metric],
        positions: &[GamePosition],
    ) -> Vec<Result<Answer, TablesError>> {
        let Some(on_demand) = &self.on_demand else {
            return Vec::new();
        };
        let mut places: BTreeMap<_, (Endgame, Vec<usize>)> = BTreeMap::new();
        for (place, position) in positions.iter().enumerate() {
            let endgame = position.endgame().normal();
            let key = (endgame.material.piece_count(), endgame.to_string());
            places
                .entry(key)
                .or_insert((endgame, Vec::new()))
                .1
                .push(place);
        }
        let mut all: Vec<Option<Result<Answer, TablesError>>> = vec![None; positions.len()];
        for (endgame, mut places) in places.into_values() {
            let found: Vec<Result<Answer, TablesError>> = match on_demand.whole(endgame, metrics) {
                Ok(family) => {
                    let source = Source::Family(family, metrics);
                    let found = places.par_iter().with_min_len(FEW);
                    let found = found.map(|&place| self.answer_in(&source, &positions[place]));
                    found.collect()
                }
                Err(error) if !error.is_missing() => vec![Err(error); places.len()],
                Err(_) => {
                    // Those with the same pawns reach the same.
                    places.sort_by_cached_key(|&place| {
                        let men: Vec<_> = positions[place].position().occupied().collect();
                        Pawns::among(&men)
                    });
                    let found = places.iter().map(|&place| {
                        let family = on_demand.family(&positions[place], metrics)?;
                        self.answer_in(&Source::Family(family, metrics), &positions[place])
                    });
                    found.collect()
                }
            };
            for (place, found) in places.into_iter().zip(found) {
                all[place] = Some(found);
            }
        }
        all.into_iter().flatten().collect()
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
                true,
                |source| {
                    let (known, missing) = self.known_one(source, position)?;
                    let value = match metric {
                        Metric::Dtm => known.dtm.map(|value| (value, true)),
                        _ => known.dtz,
                    };
                    value.ok_or_else(|| missing.unwrap_or(TablesError::ShortRange))
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
            true,
            |source| self.moves_in(source, position),
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
            true,
            |source| self.line_in(source, from),
            |line| line.moves.iter().all(is_known),
        )
    }

    fn line_in(&self, source: &Source<'_>, from: &GamePosition) -> Result<Line, TablesError> {
        let (mut end, mut line) = (from.clone(), Vec::new());
        let mut seen = HashSet::new();
        loop {
            let answer = match self.of_end(&end) {
                Some(answer) => answer,
                None => self.answer_in(source, &end)?,
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
                moves = self.moves_in(source, &end)?;
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

    /// Whether nothing answers: there are no files, and nothing is solved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.on_demand.is_none()
    }

    /// The files.
    pub(super) const fn files(&self) -> &Files {
        &self.files
    }

    /// Whether tables are solved on demand.
    pub(super) const fn solves(&self) -> bool {
        self.on_demand.is_some()
    }

    /// The metrics whose tables are used.
    pub(super) fn metrics(&self) -> &[Metric] {
        self.metric.as_ref().map_or(&METRICS, std::slice::from_ref)
    }

    /// A fifty-move counter, or `None` if that rule is not heeded.
    pub(super) fn counted(&self, counter: u16) -> Option<u16> {
        Some(counter).filter(|_| self.metrics().contains(&Metric::Dtz))
    }

    /// Asks the files, and where they leave something open, what is solved for the position by these metrics, or was before.
    fn ask<T>(
        &self,
        position: &GamePosition,
        metrics: &[Metric],
        may_solve: bool,
        question: impl Fn(&Source<'_>) -> Result<T, TablesError>,
        is_known: impl Fn(&T) -> bool,
    ) -> Result<T, TablesError> {
        let failures = Failures::default();
        let by_files = match self.on_demand {
            Some(_) if self.files.is_empty() => {
                Err(self.files.missing(position.endgame(), metrics[0]))
            }
            _ => question(&Source::Files(self.few(&failures, metrics))),
        };
        let is_open = match &by_files {
            Ok(found) => !is_known(found),
            Err(error) => error.is_missing() || matches!(error, TablesError::Rounded),
        };
        let Some(on_demand) = self.on_demand.as_ref().filter(|_| is_open) else {
            return by_files;
        };
        let family = match end(position) {
            Some(_) => Ok(Some(Arc::default())),
            None if may_solve => on_demand.family(position, metrics).map(Some),
            None => on_demand.ready(position, metrics),
        };
        match family {
            Ok(Some(family)) => question(&Source::Family(family, metrics)),
            Ok(None) => by_files,
            // What can't be solved stays as it was.
            Err(error) if error.is_missing() && !self.files.is_empty() => by_files,
            Err(error) => Err(error),
        }
    }

    /// A prober of the files for few positions.
    fn few<'a>(&'a self, failures: &'a Failures, metrics: &'a [Metric]) -> FileProber<'a> {
        FileProber {
            files: &self.files,
            syzygy: &self.files.few,
            failures,
            metrics,
            memory: 0,
        }
    }

    /// The answer for a position by the files alone.
    pub(super) fn answer_by_files(&self, position: &GamePosition) -> Result<Answer, TablesError> {
        let failures = Failures::default();
        let prober = self.few(&failures, self.metrics());
        self.answer_in(&Source::Files(prober), position)
    }

    /// The answer for a position that needs no table.
    pub(super) fn of_end(&self, position: &GamePosition) -> Option<Answer> {
        self.answer_of(Known::end(end(position)?), position)
    }

    /// The answer by what is known of a position, if that is enough.
    pub(super) fn answer_of(&self, known: Known, position: &GamePosition) -> Option<Answer> {
        let known = self.used(known, position);
        let evaluation = Evaluation::new(known, self.counted(position.counter()))?;
        Some(Answer::new(evaluation, position))
    }

    /// What is known by the metrics that are used, and of short-range pieces by the distance to mate alone.
    fn used(&self, known: Known, position: &GamePosition) -> Known {
        let short_range = matches!(position.board(), AnyBoard::ShortRange(..));
        let uses = |metric| self.metrics().contains(&metric);
        let by_zeroing = uses(Metric::Dtz) && !short_range;
        Known {
            dtz: known.dtz.filter(|_| by_zeroing),
            dtm: known.dtm.filter(|_| uses(Metric::Dtm)),
            wdl: known.wdl.filter(|_| by_zeroing),
        }
    }

    /// What files have of positions.
    pub(super) fn known_in_files(
        &self,
        prober: &FileProber<'_>,
        positions: &[GamePosition],
    ) -> Vec<Looked> {
        let uses = |metric| prober.metrics.contains(&metric);
        let wanted = Wanted {
            outcome: uses(Metric::Dtz),
            dtz: uses(Metric::Dtz),
            dtm: uses(Metric::Dtm),
        };
        let packed: Vec<Option<PackedBoard>> = positions.iter().map(GamePosition::packed).collect();
        let boards: Vec<PackedBoard> = packed.iter().flatten().copied().collect();
        let mut found = prober.known(wanted, Positions::Boards(&boards)).into_iter();
        let all = positions.iter().zip(packed).map(|(position, packed)| {
            if let Some(Found { known, failure }) = packed.and_then(|_| found.next()) {
                return match failure {
                    Some(failure) if !failure.is_missing() => Err(prober.failures.reason(failure)),
                    // By the distance to zeroing everything follows.
                    failure => {
                        let failure = failure.filter(|_| known.dtz.is_none());
                        let missing = failure.map(|failure| prober.failures.reason(failure));
                        Ok((known, missing))
                    }
                };
            }
            if !position.castling().is_empty() {
                return Ok((Known::default(), Some(TablesError::Castling)));
            }
            if matches!(position.board(), AnyBoard::Chess(_)) {
                let metric = prober.metrics[0];
                let missing = self.files.missing(position.endgame(), metric);
                return Ok((Known::default(), Some(missing)));
            }
            if !wanted.dtm {
                return Ok((Known::default(), Some(TablesError::ShortRange)));
            }
            match self.files.short_range_value(Metric::Dtm, position) {
                Err(error) if error.is_missing() => Ok((Known::default(), Some(error))),
                found => {
                    let dtm = Some(found?);
                    Ok((
                        Known {
                            dtm,
                            ..Known::default()
                        },
                        None,
                    ))
                }
            }
        });
        all.collect()
    }

    /// What a source has of positions.
    fn known_in(&self, source: &Source<'_>, positions: &[GamePosition]) -> Vec<Looked> {
        let (family, metrics) = match source {
            Source::Files(prober) => return self.known_in_files(prober, positions),
            Source::Family(family, metrics) => (family, metrics),
        };
        let known = positions.iter().map(|position| {
            let short_range = matches!(position.board(), AnyBoard::ShortRange(..));
            let mut known = Known::default();
            for &metric in *metrics {
                match metric {
                    Metric::Dtm => known.dtm = Some(on_demand::value(family, metric, position)?),
                    _ if short_range => {}
                    _ => known.dtz = Some((on_demand::value(family, metric, position)?, true)),
                }
            }
            Ok((known, None))
        });
        known.collect()
    }

    /// What a source has of one position.
    fn known_one(&self, source: &Source<'_>, position: &GamePosition) -> Looked {
        if let Some(value) = end(position) {
            return Ok((Known::end(value), None));
        }
        let known = self.known_in(source, std::slice::from_ref(position));
        known.into_iter().next().expect("one for each position")
    }

    fn answer_in(
        &self,
        source: &Source<'_>,
        position: &GamePosition,
    ) -> Result<Answer, TablesError> {
        let (known, missing) = self.known_one(source, position)?;
        let Some(mut answer) = self.answer_of(known, position) else {
            // Its moves may decide.
            let missing = missing.unwrap_or(TablesError::ShortRange);
            let moves = match self.moves_in(source, position) {
                Err(error) if error.is_missing() => return Err(missing),
                moves => moves?,
            };
            let counter = self.counted(position.counter());
            let evaluation = MoveAnswer::root(&moves, counter).ok_or(missing)?;
            return Ok(Answer::new(evaluation, position));
        };
        if !answer.evaluation.certain {
            // What every move may bring says more.
            match self.moves_in(source, position) {
                Err(error) if error.is_missing() => {}
                moves => answer.evaluation.settle(&moves?),
            }
        }
        Ok(answer)
    }

    fn moves_in(
        &self,
        source: &Source<'_>,
        position: &GamePosition,
    ) -> Result<Vec<MoveAnswer>, TablesError> {
        let steps = position.moves();
        let after: Vec<GamePosition> = steps.iter().map(|step| step.after.clone()).collect();
        let known = self.known_in(source, &after);
        let (mut all, mut missing) = (Vec::with_capacity(steps.len()), None);
        for (number, (step, known)) in steps.iter().zip(known).enumerate() {
            let known = match end(&step.after) {
                Some(value) => Known::end(value),
                None => {
                    let (known, error) = known?;
                    missing = missing.or(error);
                    known
                }
            };
            let brings = self.used(known, &step.after).before_move(step.zeroing);
            all.push(MoveAnswer {
                uci: step.uci(),
                san: position.san(&steps, number),
                capture: step.capture,
                zeroing: step.zeroing,
                promotion: step.promotion,
                evaluation: Evaluation::new(brings, self.counted(position.counter())),
                after: self.answer_of(known, &step.after),
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

/// The value of a position that needs no table: of checkmates, stalemates, and where no side can ever mate.
fn end(position: &GamePosition) -> Option<Value> {
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
