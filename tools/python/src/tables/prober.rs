//! The prober.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString};
use tbgen::{
    Answer, GamePosition, Letters, Metric, Options, SolveError, Tables, TablesError, solve_shape,
};
use tbindex::batch::Backend;

use super::answers::{answer, line, outcome, signed, steps};
use super::arguments::{MetricArg, SizeArg, pool};
use super::interrupt::interruptible;
use crate::errors::{Error, OrRaise, Refusal};
use crate::numbers::Number;
use crate::store::PathArg;

/// Tables that answer for positions, which are given as FENs: from files, or solved on demand.
///
/// ``folders`` is a folder or several. They may have tables of this package by both metrics and Syzygy files, in any mixture.
/// A file is opened when it is first needed. With ``metric``, ``'dtz'`` or ``'dtm'``, answers, moves and lines are by this metric alone.
/// ``letters`` says which letters of FENs stand for short-range pieces, such as ``{'L': 'WD'}``.
///
/// Distances are plies: to the next capture, move of a pawn or mate (DTZ), under the fifty-move rule, and to mate (DTM), without
/// it. Any number of threads may ask at the same time, and the interpreter's lock is released meanwhile.
///
/// >>> generate("KRvK", "tables"), generate("KRvK", "tables", metric="dtm")
/// (['KRvK'], ['KRvK'])
/// >>> tables = Tables("tables")
/// >>> answer = tables.probe("8/8/8/8/8/2k5/8/K6R w - - 90 60")
/// >>> answer.wdl, answer.wdl_at_zero, answer.dtz
/// (<Outcome.CURSED_WIN: 1>, <Outcome.WIN: 2>, 27)
#[pyclass(name = "Tables", module = "tbindex.tables", frozen)]
pub(crate) struct PyTables {
    tables: Tables,
    /// The letters of short-range pieces, each as `L=WD`.
    letters: Vec<String>,
    /// The call that makes them.
    call: String,
    /// The process that has the threads of tables that are solved on demand.
    process: Option<u32>,
    /// Set while a call that was interrupted ends. It stops the others, too, which then begin again.
    stop: Arc<AtomicBool>,
}

/// Whether an object is one text, which is a sequence, too.
fn is_text(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>()
}

/// The letters of an argument, each as `L=WD`.
fn letters(given: Option<&Bound<'_, PyMapping>>) -> PyResult<Vec<String>> {
    let mut letters = Vec::new();
    if let Some(given) = given {
        for item in given.items()? {
            let (letter, piece): (String, Bound<'_, PyAny>) = item.extract()?;
            letters.push(format!("{letter}={}", piece.str()?));
        }
    }
    Letters::parse(&letters).or_raise()?;
    Ok(letters)
}

impl PyTables {
    fn new(
        tables: Tables,
        metric: Option<MetricArg>,
        given: Option<&Bound<'_, PyMapping>>,
        mut call: String,
    ) -> PyResult<PyTables> {
        let metric = metric.map(|metric| metric.0);
        if let Some(metric) = metric {
            call += &format!(", metric='{}'", metric.name());
        }
        Ok(PyTables {
            tables: match metric {
                Some(metric) => tables.with_metric(metric),
                None => tables,
            },
            letters: letters(given)?,
            call: call + ")",
            process: None,
            stop: Arc::default(),
        })
    }

    /// Reads a FEN. Letters that are not on its board mean nothing there.
    fn position(&self, fen: &str) -> PyResult<GamePosition> {
        let board = fen.split_whitespace().next().unwrap_or_default();
        let is_there = |text: &&String| {
            let letter = text.chars().next();
            letter.is_some_and(|own| {
                board
                    .chars()
                    .any(|letter| letter.eq_ignore_ascii_case(&own))
            })
        };
        let letters: Vec<&String> = self.letters.iter().filter(is_there).collect();
        let letters = Letters::parse(&letters).or_raise()?;
        let position = GamePosition::parse(fen.trim(), &letters);
        position.map_err(|error| Error::new_err(format!("{fen:?}: {error}")))
    }

    /// What the tables say about positions.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        fens: &[String],
        ask: impl Fn(&Tables, &GamePosition) -> Result<R, TablesError> + Sync,
    ) -> PyResult<Vec<R>> {
        if self.process.is_some_and(|own| own != std::process::id()) {
            return Err(PyRuntimeError::new_err(
                "the threads that solve tables are in the process that this one was forked from: \
                 make the tables in the process that uses them",
            ));
        }
        // No error is one of work that was stopped.
        let one = |fen: &String| {
            if self.stop.load(Ordering::Relaxed) {
                return Err(None);
            }
            let position = self.position(fen).map_err(Some)?;
            ask(&self.tables, &position).map_err(|error| match error {
                TablesError::Solve(SolveError::Interrupted) => None,
                error => Some(error.exception()),
            })
        };
        let all = || fens.iter().map(one).collect::<Result<Vec<R>, _>>();
        loop {
            let found = match fens.len() > 1 || self.process.is_some() {
                true => interruptible(py, &self.stop, all)?,
                false => py.detach(all),
            };
            match found {
                Ok(all) => return Ok(all),
                Err(Some(error)) => return Err(error),
                Err(None) => py.detach(|| {
                    while self.stop.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                }),
            }
        }
    }

    /// What the tables say about one position.
    fn ask_one<R: Send>(
        &self,
        py: Python<'_>,
        fen: String,
        ask: impl Fn(&Tables, &GamePosition) -> Result<R, TablesError> + Sync,
    ) -> PyResult<R> {
        Ok(self.ask(py, &[fen], ask)?.remove(0))
    }

    /// The plies by a metric.
    fn distance(&self, py: Python<'_>, fen: String, metric: Metric) -> PyResult<i32> {
        let (value, _) =
            self.ask_one(py, fen, |tables, position| tables.value(metric, position))?;
        Ok(signed(value))
    }
}

#[pymethods]
impl PyTables {
    #[new]
    #[pyo3(signature = (folders, *, metric = None, letters = None))]
    fn open(
        folders: &Bound<'_, PyAny>,
        metric: Option<MetricArg>,
        letters: Option<&Bound<'_, PyMapping>>,
    ) -> PyResult<PyTables> {
        let path = |folder: &Bound<'_, PyAny>| folder.extract().map(|PathArg(path)| path);
        let paths: Vec<PathBuf> = match folders.try_iter().ok().filter(|_| !is_text(folders)) {
            Some(folders) => folders
                .map(|folder| path(&folder?))
                .collect::<PyResult<_>>()?,
            None => vec![path(folders)?],
        };
        let tables = Tables::open(&paths).or_raise()?;
        PyTables::new(tables, metric, letters, format!("Tables({paths:?}"))
    }

    /// Tables without files. What a position can reach is solved when it is first asked for, by both metrics, and kept for a
    /// while.
    ///
    /// ``memory`` is that of the process, as a number of bytes or as ``'512M'``; a position that needs more is a
    /// :class:`MemoryError`. ``threads`` is the number of threads that solve, by default one for each processor. Ctrl-C ends
    /// the work.
    ///
    /// >>> tables = Tables.on_demand(memory="512M")
    /// >>> tables.dtm("8/8/8/8/8/2k5/8/K6R w - - 0 1")
    /// 27
    #[staticmethod]
    #[pyo3(signature = (*, memory = SizeArg(1 << 30), threads = None, metric = None, letters = None),
        text_signature = "(*, memory='1G', threads=None, metric=None, letters=None)")]
    fn on_demand(
        memory: SizeArg,
        threads: Option<Number<usize>>,
        metric: Option<MetricArg>,
        letters: Option<&Bound<'_, PyMapping>>,
    ) -> PyResult<PyTables> {
        let stop = Arc::<AtomicBool>::default();
        let (backend, stopped) = (Backend::detect(), Arc::clone(&stop));
        let solver = Box::new(move |shape: &_, library: &_, metric| {
            tbindex::fail_point!("tables::solving");
            solve_shape(shape, library, Options::new(metric, backend, &stopped))
        });
        let tables = Tables::on_demand(memory.0, pool(threads)?, solver);
        let call = format!("Tables.on_demand(memory={}", memory.0);
        Ok(PyTables {
            process: Some(std::process::id()),
            stop,
            ..PyTables::new(tables, metric, letters, call)?
        })
    }

    fn __repr__(&self) -> &str {
        &self.call
    }

    /// What is known about a position.
    ///
    /// A FEN that is no legal position is a :class:`tbindex.Error`, a table that is not there a :class:`MissingTableError`,
    /// and a file that is damaged a :class:`tbindex.StoreError`.
    ///
    fn probe<'py>(&self, py: Python<'py>, fen: String) -> PyResult<Bound<'py, PyAny>> {
        answer(py, &self.ask_one(py, fen, Tables::answer)?)
    }

    /// What is known about each of several positions, as a list. If a table is not there, that is an error, or with
    /// ``missing='none'`` the answer is ``None``.
    ///
    /// >>> tables = Tables.on_demand()
    /// >>> [answer.dtz for answer in tables.probe_many(["8/8/8/8/8/2k5/8/K6R w - -", "8/8/8/8/8/2k5/8/K6R b - -"])]
    /// [27, -30]
    #[pyo3(signature = (fens, *, missing = "raise"))]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        fens: &Bound<'py, PyAny>,
        missing: &str,
    ) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let raises = match missing {
            "raise" => true,
            "none" => false,
            _ => {
                let message = format!("missing: {missing:?}: expected 'raise' or 'none'");
                return Err(PyValueError::new_err(message));
            }
        };
        if is_text(fens) {
            return Err(PyTypeError::new_err(
                "fens: expected several texts, not one",
            ));
        }
        let fens = fens.try_iter()?.map(|fen| fen?.extract::<String>());
        let fens: Vec<String> = fens.collect::<PyResult<_>>()?;
        let answers = self.ask(py, &fens, |tables, position| -> Result<Option<Answer>, _> {
            match tables.answer(position) {
                Err(TablesError::Missing { .. }) if !raises => Ok(None),
                found => found.map(Some),
            }
        })?;
        let answers = answers
            .iter()
            .map(|found| found.as_ref().map(|found| answer(py, found)).transpose());
        answers.collect()
    }

    /// The outcome of a position for the side to move, with the fifty-move counter of the FEN.
    ///
    /// >>> Tables.on_demand().wdl("8/8/8/8/8/2k5/8/K6R w - - 90 60")
    /// <Outcome.CURSED_WIN: 1>
    fn wdl<'py>(&self, py: Python<'py>, fen: String) -> PyResult<Bound<'py, PyAny>> {
        outcome(
            py,
            self.ask_one(py, fen, Tables::answer)?.evaluation.outcome,
        )
    }

    /// The plies to zeroing, negative if the side to move loses, and 0 for a draw or a checkmate. ``dtm`` has those to mate.
    ///
    /// >>> Tables.on_demand().dtz("8/8/8/8/8/2k5/8/K6R b - - 0 1")
    /// -30
    fn dtz(&self, py: Python<'_>, fen: String) -> PyResult<i32> {
        self.distance(py, fen, Metric::Dtz)
    }

    /// The plies to mate, negative if the side to move loses, and 0 for a draw or a checkmate.
    fn dtm(&self, py: Python<'_>, fen: String) -> PyResult<i32> {
        self.distance(py, fen, Metric::Dtm)
    }

    /// All legal moves, the best first: what keeps most with the counter; of wins and losses the shortest and the longest way to
    /// mate if it is known, and else to zeroing.
    ///
    /// >>> best = Tables.on_demand().moves("8/8/8/8/8/2k5/8/K6R w - - 0 1")[0]
    /// >>> best.san, best.dtm, best.after.dtm
    /// ('Rd1', 27, -26)
    fn moves<'py>(&self, py: Python<'py>, fen: String) -> PyResult<Vec<Bound<'py, PyAny>>> {
        steps(py, &self.ask_one(py, fen, Tables::moves)?)
    }

    /// Best play of both sides to the end, which is the 100th ply without a zeroing move if none comes before. That of a
    /// drawn position has no moves.
    ///
    /// >>> line = Tables.on_demand().line("k7/8/8/1K6/8/8/8/2R5 b - - 0 1")
    /// >>> [move.san for move in line.moves], line.ending
    /// (['Kb7', 'Rc2', 'Ka7', 'Kc6', 'Ka8', 'Kc7', 'Ka7', 'Ra2#'], 'checkmate')
    fn line<'py>(&self, py: Python<'py>, fen: String) -> PyResult<Bound<'py, PyAny>> {
        line(py, &self.ask_one(py, fen, Tables::line)?)
    }
}
