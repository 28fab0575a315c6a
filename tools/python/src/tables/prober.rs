//! The prober.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyMapping, PyTuple};
use tbgen::{
    Answer, GamePosition, Letters, Metric, SolveError, Solver, Tables, TablesError, solve_shape,
};
use tbindex::batch::Backend;

use super::answers::{answer, line, steps};
use super::arguments::{MetricArg, pool};
use super::batch::Batch;
use super::interrupt::interruptible;
use crate::arrays::Made;
use crate::classes::getters;
use crate::errors::{Error, Named, OrRaise, Refusal, unexpected};
use crate::numbers::{MemoryArg, Number, thread_count};
use crate::store::PathArg;
use crate::texts::{Keyword, TextArg, is_second, is_text, texts};

/// Tables that answer for positions, which are given as FENs: from files, or solved on demand.
///
/// ``folders`` is a folder or several. They may have tables of this package by both metrics and Syzygy files, in any mixture;
/// a folder without any is an error.
/// A file is opened when it is first needed. With ``metric``, ``'dtz'`` or ``'dtm'``, answers, moves and lines are by this metric alone.
/// ``memory`` bounds what is taken, beside the results, where many positions are looked up, as a number of bytes or as ``'512M'``;
/// less than 64 MiB count as that.
/// ``letters`` says which letters of FENs stand for short-range pieces, such as ``{'L': 'WD'}``.
///
/// Distances are plies: to the next capture, move of a pawn or mate (DTZ), under the fifty-move rule, and to mate (DTM), without
/// it. Any number of threads may ask at the same time, and the interpreter's lock is released meanwhile. Tables are pickled as
/// the call that makes them. At the end of a ``with`` statement, or by ``close()``, the files are let go.
///
/// >>> generate("KRvK", "tables"), generate("KRvK", "tables", metric="dtm")
/// (['KRvK'], ['KRvK'])
/// >>> with Tables("tables") as tables:
/// ...     answer = tables.probe("8/8/8/8/8/2k5/8/K6R w - - 90 60")
/// >>> answer.wdl, answer.wdl_at_zero, answer.dtz
/// (<Outcome.CURSED_WIN: 1>, <Outcome.WIN: 2>, 27)
#[pyclass(name = "Tables", module = "tbindex.tables", frozen)]
pub(crate) struct PyTables {
    /// `None` once they are closed.
    open: Mutex<Option<Arc<Batch>>>,
    pub(super) memory: u64,
    /// The folders of files, or `None` if what positions reach is solved.
    folders: Option<Vec<PathBuf>>,
    metric: Option<Metric>,
    /// The letters of short-range pieces, each as `L=WD`.
    letters: Vec<String>,
    /// The number of threads that solve, if it was given.
    threads: Option<usize>,
    /// The process that has the threads of tables that are solved on demand.
    pub(super) process: Option<u32>,
    /// Set while a call that was interrupted ends. It stops the others, too, which then begin again.
    pub(super) stop: Arc<AtomicBool>,
}

/// The letters of an argument, each as `L=WD`.
fn letters(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let mut letters = Vec::new();
    if let Some(given) = given {
        let wrong = |_| unexpected("letters", given, "a mapping such as {'L': 'WD'}");
        for item in given.cast::<PyMapping>().map_err(wrong)?.items()? {
            let (letter, piece): (Keyword, Bound<'_, PyAny>) = item.extract()?;
            letters.push(format!("{}={}", letter.named("letters")?, piece.str()?));
        }
    }
    Letters::parse(&letters).or_raise().named("letters")?;
    Ok(letters)
}

impl PyTables {
    fn new(
        mut tables: Tables,
        (memory, folders): (u64, Option<Vec<PathBuf>>),
        metric: Option<MetricArg>,
        given: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyTables> {
        let metric = metric.map(|metric| metric.0);
        if let Some(metric) = metric {
            tables = tables.with_metric(metric);
        }
        // A part of the memory is for the positions of a batch.
        let for_files = folders.as_ref().map(|_| memory / 4 * 3);
        Ok(PyTables {
            open: Mutex::new(Some(Arc::new(Batch::new(Arc::new(tables), for_files)))),
            memory,
            folders,
            metric,
            letters: letters(given)?,
            threads: None,
            process: None,
            stop: Arc::default(),
        })
    }

    fn held(&self) -> MutexGuard<'_, Option<Arc<Batch>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tables, unless they are closed or this process has not the threads that solve them.
    pub(super) fn batch(&self) -> PyResult<Arc<Batch>> {
        if self.process.is_some_and(|own| own != std::process::id()) {
            return Err(PyRuntimeError::new_err(
                "the threads that solve tables are in the process that this one was forked from: \
                 make the tables in the process that uses them",
            ));
        }
        let batch = self.held().clone();
        batch.ok_or_else(|| PyValueError::new_err("the tables are closed"))
    }

    /// Reads a FEN. Letters that are not on its board mean nothing there.
    pub(super) fn position(&self, fen: &str) -> PyResult<GamePosition> {
        let board = fen.split_whitespace().next().unwrap_or_default();
        let is_there = |own: char| {
            let mut letters = board.chars();
            letters.any(|letter| letter.eq_ignore_ascii_case(&own))
        };
        let named = self.letters.iter();
        let letters: Vec<&String> = named.filter(|text| text.starts_with(is_there)).collect();
        let letters = Letters::parse(&letters).or_raise()?;
        let position = GamePosition::parse(fen.trim(), &letters);
        position.map_err(|error| Error::new_err(format!("{fen:?}: {error}")))
    }

    /// Waits until the work of a call that was interrupted has ended.
    pub(super) fn wait_for_stop(&self, py: Python<'_>) -> PyResult<()> {
        while self.stop.load(Ordering::Relaxed) {
            py.detach(std::thread::yield_now);
            py.check_signals()?;
        }
        Ok(())
    }

    /// The tables' answers for positions.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        fens: &[String],
        ask: impl Fn(&Tables, &GamePosition) -> Result<R, TablesError> + Sync,
    ) -> PyResult<Vec<R>> {
        let batch = self.batch()?;
        // No error is one of work that was stopped.
        let one = |fen: &String| {
            if self.stop.load(Ordering::Relaxed) {
                return Err(None);
            }
            let position = self.position(fen).map_err(Some)?;
            ask(&batch.tables, &position).map_err(|error| match error {
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
                Err(None) => self.wait_for_stop(py)?,
            }
        }
    }

    /// The tables' answer for one position.
    pub(super) fn ask_one<R: Send>(
        &self,
        py: Python<'_>,
        fen: String,
        ask: impl Fn(&Tables, &GamePosition) -> Result<R, TablesError> + Sync,
    ) -> PyResult<R> {
        Ok(self.ask(py, &[fen], ask)?.remove(0))
    }

    /// The plies to zeroing or to mate.
    pub(super) fn plies<'py>(&self, py: Python<'py>, fen: String, metric: Metric) -> Made<'py> {
        let (value, _) =
            self.ask_one(py, fen, |tables, position| tables.value(metric, position))?;
        Ok(value.signed(metric).into_pyobject(py)?.into_any())
    }
}

getters! { PyTables, tables;
    /// For how many positions of all calls with many there was no answer, by the names of the missing tables, such as
    /// ``'KQvK'``, and by other reasons: ``'no position'`` for what is missing, ``'not a position'`` for what is masked as it is
    /// none, ….
    failures: PyResult<BTreeMap<String, u64>> = Ok(tables.batch()?.failures());
    /// The names of the endgames of which there are tables in the folders.
    ///
    /// >>> generate("KRvK", "tables")
    /// ['KRvK']
    /// >>> Tables("tables").endgames
    /// ['KRvK']
    endgames: PyResult<Vec<String>> = Ok(tables.batch()?.tables.endgames());
    /// Whether the tables were closed.
    closed: bool = tables.held().is_none();
}

#[pymethods]
impl PyTables {
    #[new]
    #[pyo3(signature = (folders, *, memory = MemoryArg(512 << 20), metric = None, letters = None),
        text_signature = "(folders, *, memory='512M', metric=None, letters=None)")]
    fn open(
        folders: &Bound<'_, PyAny>,
        memory: MemoryArg,
        metric: Option<MetricArg>,
        letters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyTables> {
        let path = |folder: &Bound<'_, PyAny>| {
            let path = folder.extract::<PathArg>()?.named("folders");
            path.map_err(|_| unexpected("folders", folder, "a path, or several"))
        };
        let paths: Vec<PathBuf> = match folders.try_iter().ok().filter(|_| !is_text(folders)) {
            Some(folders) => folders
                .map(|folder| path(&folder?))
                .collect::<PyResult<_>>()?,
            None => vec![path(folders)?],
        };
        // The process may go to another folder before a file is opened, or before the tables are pickled.
        let paths = paths
            .iter()
            .map(std::path::absolute)
            .collect::<Result<Vec<_>, _>>()?;
        for path in &paths {
            if Tables::open(&[path]).or_raise()?.is_empty() {
                return Err(Error::new_err(format!(
                    "{}: the folder has no tables: expected files such as KQvK.tbg, or KQvK.rtbw and KQvK.rtbz",
                    path.display()
                )));
            }
        }
        let tables = Tables::open(&paths).or_raise()?;
        PyTables::new(tables, (memory.0, Some(paths)), metric, letters)
    }

    /// Tables without files. The tables that a position can reach are solved when it is first asked for, by the metrics that the question
    /// needs, and kept for a while.
    ///
    /// ``memory`` is that of the process, as a number of bytes or as ``'512M'``; a position that needs more is a
    /// :class:`MemoryError`. ``threads`` is the number of threads that solve, by default one for each processor. Ctrl-C ends
    /// the work.
    ///
    /// >>> tables = Tables.on_demand(memory="512M")
    /// >>> tables.dtm("8/8/8/8/8/2k5/8/K6R w - - 0 1")
    /// 27
    #[staticmethod]
    #[pyo3(signature = (*, memory = MemoryArg(1 << 30), threads = None, metric = None, letters = None),
        text_signature = "(*, memory='1G', threads=None, metric=None, letters=None)")]
    fn on_demand(
        memory: MemoryArg,
        threads: Option<Number<usize>>,
        metric: Option<MetricArg>,
        letters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyTables> {
        let stop = Arc::<AtomicBool>::default();
        let backend = Backend::detect();
        let solver = Solver::new(Arc::clone(&stop), backend, |shape, library, options| {
            tbindex::fail_point!("tables::solving");
            solve_shape(shape, library, options)
        });
        let (given, threads) = (threads.is_some(), thread_count(threads)?);
        let tables = Tables::on_demand(memory.0, pool(threads)?, solver);
        Ok(PyTables {
            threads: given.then_some(threads),
            process: Some(std::process::id()),
            stop,
            ..PyTables::new(tables, (memory.0, None), metric, letters)?
        })
    }

    fn __repr__(&self) -> String {
        let call = match &self.folders {
            Some(folders) => format!("Tables({folders:?}"),
            None => format!("Tables.on_demand(memory={}", self.memory),
        };
        match self.metric {
            Some(metric) => format!("{call}, metric='{}')", metric.name()),
            None => call + ")",
        }
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let named = PyDict::new(py);
        named.set_item("memory", this.memory)?;
        named.set_item("metric", this.metric.map(Metric::name))?;
        let letters = this.letters.iter().filter_map(|text| text.split_once('='));
        named.set_item("letters", letters.collect::<Vec<_>>().into_py_dict(py)?)?;
        let class = slf.get_type();
        let Some(folders) = &this.folders else {
            named.set_item("threads", this.threads)?;
            let caller = py.import("operator")?.getattr("methodcaller")?;
            let make = caller.call(("on_demand",), Some(&named))?;
            return Ok((make, (class,).into_pyobject(py)?));
        };
        let partial = py.import("functools")?.getattr("partial")?;
        let make = partial.call((class,), Some(&named))?;
        Ok((make, (folders.clone(),).into_pyobject(py)?))
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().batch()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    /// Lets go of the files, once no call works with them any more.
    fn close(&self) {
        *self.held() = None;
    }

    /// The knowledge about each of several positions, as a list. If a table is not there, that is an error, or with
    /// ``missing='none'`` the answer is ``None``.
    ///
    /// >>> tables = Tables.on_demand()
    /// >>> [answer.dtz for answer in tables.probe_many(["8/8/8/8/8/2k5/8/K6R w - -", "8/8/8/8/8/2k5/8/K6R b - -"])]
    /// [27, -30]
    #[pyo3(signature = (fens, *, missing = Keyword::new("raise")), text_signature = "($self, fens, *, missing='raise')")]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        fens: &Bound<'py, PyAny>,
        missing: Keyword,
    ) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let raises = !is_second("missing", missing, ["raise", "none"])?;
        let text = |(place, fen): (usize, Option<String>)| {
            fen.ok_or_else(|| PyTypeError::new_err(format!("fens: position {place}: no text")))
        };
        let fens = texts("fens", fens)?.into_iter().enumerate().map(text);
        let fens: Vec<String> = fens.collect::<PyResult<_>>()?;
        let answers = self.ask(py, &fens, |tables, position| -> Result<Option<Answer>, _> {
            match tables.answer(position) {
                Err(TablesError::Missing { .. }) if !raises => Ok(None),
                found => found.map(Some),
            }
        })?;
        let object = |found: &Option<_>| found.as_ref().map(|found| answer(py, found)).transpose();
        answers.iter().map(object).collect()
    }

    /// All legal moves, the best first: what keeps most with the counter; of wins and losses the shortest and the longest way to
    /// mate if it is known, and else to zeroing.
    ///
    /// >>> best = Tables.on_demand().moves("8/8/8/8/8/2k5/8/K6R w - - 0 1")[0]
    /// >>> best.san, best.dtm, best.after.dtm
    /// ('Rd1', 27, -26)
    fn moves<'py>(&self, py: Python<'py>, fen: TextArg) -> PyResult<Vec<Bound<'py, PyAny>>> {
        steps(py, &self.ask_one(py, fen.0, Tables::moves)?)
    }

    /// Best play of both sides to the end, which is the 100th ply without a zeroing move if none comes before. That of a
    /// drawn position has no moves.
    ///
    /// >>> line = Tables.on_demand().line("k7/8/8/1K6/8/8/8/2R5 b - - 0 1")
    /// >>> [move.san for move in line.moves], line.ending
    /// (['Kb7', 'Rc2', 'Ka7', 'Kc6', 'Ka8', 'Kc7', 'Ka7', 'Ra2#'], 'checkmate')
    fn line<'py>(&self, py: Python<'py>, fen: TextArg) -> Made<'py> {
        line(py, &self.ask_one(py, fen.0, Tables::line)?)
    }
}
