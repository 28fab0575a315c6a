//! Answers for positions and moves: from files, and by tables that are solved on demand.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::ThreadPool;
use syzygy_tables::batch::rows::Failures;
use tbindex::batch::Backend;

use crate::chess::error::ProbeError;
use crate::chess::game::GamePosition;
use crate::chess::piece_set::Endgame;
use crate::probe::answer::{Answer, Evaluation, Line, METRICS, MoveAnswer, TablesError, Wanted};
use crate::probe::files::{FileProber, Files};
use crate::probe::on_demand::{OnDemand, Solver};
use crate::probe::prober::{Prober, end};
use crate::solve::levels::solve_shape;
use crate::subtables::library::Library;
use crate::table::shape::Shape;
use crate::table::value::{Metric, Value};

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
#[derive(Debug, Default)]
pub struct Tables {
    /// They are asked first, and there may be none.
    pub(super) files: Files,
    pub(super) on_demand: Option<OnDemand>,
    metric: Option<Metric>,
}

impl Tables {
    /// The tables in folders: own files of all metrics and Syzygy files, in any mixture. A file is opened when it is
    /// first needed, and stays open; of two of the same table, the own one is taken before a Syzygy file, and the one in an
    /// earlier folder before one in a later. Files that come into the folders afterwards are not seen.
    ///
    /// # Errors
    /// If a folder can't be read.
    pub fn open(folders: &[impl AsRef<Path>]) -> Result<Tables, TablesError> {
        Ok(Tables {
            files: Files::open(folders)?,
            ..Tables::default()
        })
    }

    /// Tables without files. The tables that a position can reach are solved when it is asked for, by the metrics that are asked for,
    /// with short-range pieces by the distance to mate alone, and kept: the least recently used tables are dropped first. A
    /// position that needs more memory is refused. Positions with castling rights are answered, too.
    ///
    /// `memory` is that of the process, in bytes. Tables that another thread still looks into may be kept beside it.
    /// `pool` has the threads that solve, and should have no other work.
    #[must_use]
    pub fn on_demand(memory: u64, pool: impl Into<Arc<ThreadPool>>, solver: Solver) -> Tables {
        Tables::default().and_on_demand(memory, pool, solver)
    }

    /// The same tables, and where they have no answer, or one that is open, what is solved [on demand](Tables::on_demand) for
    /// the position. A position that needs more memory has the answer that it had without.
    #[must_use]
    pub fn and_on_demand(
        self,
        memory: u64,
        pool: impl Into<Arc<ThreadPool>>,
        solver: Solver,
    ) -> Tables {
        let on_demand = Some(OnDemand::new(memory, pool.into(), solver));
        Tables { on_demand, ..self }
    }

    /// A solver for [`on_demand`](Tables::on_demand), which tells nobody how far it is, and which nobody stops.
    #[must_use]
    pub fn solver(backend: Backend) -> Solver {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Solver::new(&NEVER, backend, solve_shape)
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

    /// The knowledge about a position.
    ///
    /// # Errors
    /// If no table of the position is there, or one that is needed can't be read, is damaged, or can't be solved.
    pub fn answer(&self, position: &GamePosition) -> Result<Answer, TablesError> {
        self.answer_by(self.metrics(), position, true)
    }

    /// The answer of the files and the tables that were solved before for a position. Nothing is solved, and nobody who solves is
    /// waited for.
    ///
    /// # Errors
    /// As of [`answer`](Tables::answer).
    pub fn answer_at_once(&self, position: &GamePosition) -> Result<Answer, TablesError> {
        self.answer_by(self.metrics(), position, false)
    }

    /// The wanted values of a position, also with castling rights, short-range pieces or more men than batches have. A position has
    /// a label if its outcome is known, or if that is not wanted, if a distance is.
    ///
    /// # Errors
    /// As of [`answer`](Tables::answer); and if no value that is wanted is known.
    pub fn label(
        &self,
        wanted: Wanted,
        position: &GamePosition,
    ) -> Result<Evaluation, TablesError> {
        let metric = if wanted.dtm { Metric::Dtm } else { Metric::Dtz };
        let metrics = match wanted {
            Wanted::DTM => &[Metric::Dtm],
            _ => self.metrics(),
        };
        let answer = self.answer_by(metrics, position, true)?;
        let label = answer.evaluation.only(wanted);
        match position.is_short_range() {
            _ if wanted.outcome || label.dtz.is_some() || label.dtm.is_some() => Ok(label),
            true => Err(TablesError::ShortRange),
            false => Err(self.files.missing(position.endgame(), metric)),
        }
    }

    fn answer_by(
        &self,
        metrics: &[Metric],
        position: &GamePosition,
        may_solve: bool,
    ) -> Result<Answer, TablesError> {
        self.ask(
            position,
            metrics,
            may_solve,
            |prober| prober.answer(position),
            |answer| answer.evaluation.is_settled(),
        )
    }

    /// The tables of shapes, each after those that it needs, by a metric that they have, solved if they are not kept.
    ///
    /// # Errors
    /// If the tables can't be solved, or nothing is solved [on demand](Tables::on_demand).
    ///
    /// # Panics
    /// If there is no shape.
    pub fn solved(&self, shapes: &[Shape], metric: Metric) -> Result<Library, TablesError> {
        let on_demand = self.on_demand.as_ref();
        let missing = || self.files.missing(shapes[0].endgame(), metric);
        (on_demand.ok_or_else(missing)?).tables(shapes, metric)
    }

    /// The most memory of the process, in bytes, while tables of shapes are [`solved`](Tables::solved), if they are the only ones
    /// that are kept; 0 if nothing is solved.
    #[must_use]
    pub fn memory(&self, shapes: &[Shape], metric: Metric) -> u64 {
        let on_demand = self.on_demand.as_ref();
        on_demand.map_or(0, |of| of.memory(shapes, metric.of_smaller(), 0))
    }

    /// The answer for a position by what is solved for it, whatever the files say.
    ///
    /// # Errors
    /// If the tables can't be solved, or nothing is solved [on demand](Tables::on_demand).
    pub fn answer_by_solving(&self, position: &GamePosition) -> Result<Answer, TablesError> {
        let on_demand = self.on_demand.as_ref();
        let on_demand =
            on_demand.ok_or_else(|| self.files.missing(position.endgame(), Metric::Dtz))?;
        let metrics = self.metrics();
        let family = on_demand.family(position, metrics)?;
        Prober::Family(family, metrics).answer(position)
    }

    /// Whether what the position can reach, if it has at most 6 men, may be solved in the memory that there is for that.
    #[must_use]
    pub fn may_solve(&self, position: &GamePosition) -> bool {
        let on_demand = self.on_demand.as_ref();
        on_demand.is_some_and(|of| of.has_room_for(position, self.metrics()))
    }

    /// The value of a position by a metric, which does not heed the counter, and whether its plies are exact.
    ///
    /// # Errors
    /// As of [`answer`](Tables::answer), for this metric, and of short-range pieces if it is not that to mate; and of helpmates,
    /// if the position has castling rights.
    pub fn value(
        &self,
        metric: Metric,
        position: &GamePosition,
    ) -> Result<(Value, bool), TablesError> {
        if position.is_short_range() && metric != Metric::Dtm {
            return Err(TablesError::ShortRange);
        }
        if metric.victim().is_some() && !position.castling().is_empty() {
            return Err(ProbeError::Castling.into());
        }
        let value = |prober: &Prober<'_>| prober.value(metric, position);
        self.ask(position, metric.of_smaller(), true, value, |_| true)
    }

    /// All legal moves, the best first. Nothing is known of a move that leads to a table that is missing. In turn, they are ordered:
    ///
    /// 1. by category: wins, cursed wins, those of which a rounded distance leaves open which of both they are, draws, moves of which
    ///    nothing is known, losses or blessed losses, blessed losses, losses;
    /// 2. of wins, checkmates; then those that mate before the counter reaches 100, the shortest way first; then those that zero
    ///    the counter, by the distance to zeroing after them, captures and then the greater promotion first; then the others, by
    ///    the distance to zeroing;
    /// 3. of losses, the longest way to mate first if it is known of all of them; else those that do not zero the counter, and
    ///    then those that do, the longest way to zeroing first;
    /// 4. by the name of the move in UCI.
    ///
    /// # Errors
    /// As of [`answer`](Tables::answer), for the positions after the moves; a missing table is one if nothing is known of any
    /// move.
    pub fn moves(&self, position: &GamePosition) -> Result<Vec<MoveAnswer>, TablesError> {
        let is_known = |step: &MoveAnswer| step.evaluation.is_some_and(|of| of.is_settled());
        self.ask(
            position,
            self.metrics(),
            true,
            |prober| prober.moves(position),
            |moves| moves.iter().all(is_known),
        )
    }

    /// Best play of both sides, as [`moves`](Tables::moves) has it, to the end, which is the 100th ply without a zeroing move
    /// if none comes before. That of a drawn position has no moves.
    ///
    /// # Errors
    /// As of [`moves`](Tables::moves); if tables contradict one another; or if there are no exact distances that tell the way.
    pub fn line(&self, from: &GamePosition) -> Result<Line, TablesError> {
        self.ask(
            from,
            self.metrics(),
            true,
            |prober| prober.line(from),
            |line| line.moves.iter().all(MoveAnswer::is_certain),
        )
    }

    /// Whether nothing but helpmates is answered: there are no files, and nothing is solved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.on_demand.is_none()
    }

    /// Whether there is an own file of a table.
    #[must_use]
    pub fn has(&self, metric: Metric, endgame: Endgame) -> bool {
        self.files.is_own(metric, endgame)
    }

    /// The names of the endgames of which there are files but of helpmates, the shortest first.
    #[must_use]
    pub fn endgames(&self) -> Vec<String> {
        self.files.names()
    }

    /// The metrics whose tables are used.
    pub(super) fn metrics(&self) -> &[Metric] {
        self.metric.as_ref().map_or(&METRICS, std::slice::from_ref)
    }

    /// Asks the files, and where they leave something open, what is solved for the position by these metrics, or was before.
    pub(crate) fn ask<T>(
        &self,
        position: &GamePosition,
        metrics: &[Metric],
        may_solve: bool,
        question: impl Fn(&Prober<'_>) -> Result<T, TablesError>,
        is_known: impl Fn(&T) -> bool,
    ) -> Result<T, TablesError> {
        let failures = Failures::default();
        let is_empty = self.files.is_empty() && metrics[0].victim().is_none();
        let by_files = match self.on_demand {
            // Without files the ends of games have answers.
            Some(_) if is_empty && end(position).is_none() => {
                Err(self.files.missing(position.endgame(), metrics[0]))
            }
            _ => question(&Prober::Files(self.few(&failures, metrics))),
        };
        let is_open = match &by_files {
            Ok(found) => !is_known(found),
            Err(error) => error.is_missing() || matches!(error, TablesError::Rounded),
        };
        let Some(on_demand) = self.on_demand.as_ref().filter(|_| is_open) else {
            return by_files;
        };
        let family = match may_solve {
            true => on_demand.family(position, metrics).map(Some),
            false => on_demand.ready(position, metrics),
        };
        match family {
            Ok(Some(family)) => question(&Prober::Family(family, metrics)),
            Ok(None) => by_files,
            // An answer that can't be solved stays as it was.
            Err(error) if error.is_missing() && !self.files.is_empty() => by_files,
            Err(error) => Err(error),
        }
    }

    /// A prober of the files for few positions.
    fn few<'a>(
        &'a self,
        failures: &'a Failures<TablesError>,
        metrics: &'a [Metric],
    ) -> FileProber<'a> {
        FileProber {
            files: &self.files,
            cache: None,
            failures,
            metrics,
            memory: 0,
        }
    }

    /// The answer for a position by the files alone.
    pub(super) fn answer_by_files(&self, position: &GamePosition) -> Result<Answer, TablesError> {
        let failures = Failures::default();
        Prober::Files(self.few(&failures, self.metrics())).answer(position)
    }
}
