//! The prober.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};
use rayon::prelude::*;
use tbgen::{
    Answer, GamePosition, Letters, Metric, Options, SolveError, Solver, Tables, TablesError,
    Wanted, solve_shape,
};
use tbindex::Numbering;
use tbindex::batch::Backend;

use super::answers::{answer, line, outcome, steps};
use super::arguments::{MetricArg, SizeArg, pool};
use super::batch::{Batch, Positions};
use super::interrupt::interruptible;
use crate::arrays::Made;
use crate::classes::getters;
use crate::enums::Member;
use crate::errors::{Error, OrRaise, Refusal};
use crate::material::MaterialArg;
use crate::numbers::Number;
use crate::placement::at_position;
use crate::store::PathArg;
use crate::texts::{is_second, is_text, texts};

/// Tables that answer for positions, which are given as FENs: from files, or solved on demand.
///
/// ``folders`` is a folder or several. They may have tables of this package by both metrics and Syzygy files, in any mixture.
/// A file is opened when it is first needed. With ``metric``, ``'dtz'`` or ``'dtm'``, answers, moves and lines are by this metric alone.
/// ``memory`` bounds what is taken where many positions are looked up, as a number of bytes or as ``'512M'``; less than 64 MiB
/// count as that.
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
    batch: Batch,
    /// The letters of short-range pieces, each as `L=WD`.
    letters: Vec<String>,
    /// The call that makes them.
    call: String,
    /// The process that has the threads of tables that are solved on demand.
    process: Option<u32>,
    /// Set while a call that was interrupted ends. It stops the others, too, which then begin again.
    stop: Arc<AtomicBool>,
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
        mut tables: Tables,
        memory: Option<u64>,
        metric: Option<MetricArg>,
        given: Option<&Bound<'_, PyMapping>>,
        mut call: String,
    ) -> PyResult<PyTables> {
        if let Some(MetricArg(metric)) = metric {
            call += &format!(", metric='{}'", metric.name());
            tables = tables.with_metric(metric);
        }
        Ok(PyTables {
            batch: Batch::new(Arc::new(tables), memory),
            letters: letters(given)?,
            call: call + ")",
            process: None,
            stop: Arc::default(),
        })
    }

    /// Reads a FEN. Letters that are not on its board mean nothing there.
    fn position(&self, fen: &str) -> PyResult<GamePosition> {
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

    /// Checks that the threads that solve tables are in this process.
    fn check_process(&self) -> PyResult<()> {
        match self.process.is_some_and(|own| own != std::process::id()) {
            false => Ok(()),
            true => Err(PyRuntimeError::new_err(
                "the threads that solve tables are in the process that this one was forked from: \
                 make the tables in the process that uses them",
            )),
        }
    }

    /// The tables' answers for positions.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        fens: &[String],
        ask: impl Fn(&Tables, &GamePosition) -> Result<R, TablesError> + Sync,
    ) -> PyResult<Vec<R>> {
        self.check_process()?;
        // No error is one of work that was stopped.
        let one = |fen: &String| {
            if self.stop.load(Ordering::Relaxed) {
                return Err(None);
            }
            let position = self.position(fen).map_err(Some)?;
            ask(&self.batch.tables, &position).map_err(|error| match error {
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

    /// The tables' answer for one position.
    fn ask_one<R: Send>(
        &self,
        py: Python<'_>,
        fen: String,
        ask: impl Fn(&Tables, &GamePosition) -> Result<R, TablesError> + Sync,
    ) -> PyResult<R> {
        Ok(self.ask(py, &[fen], ask)?.remove(0))
    }

    /// The plies to zeroing or to mate.
    fn plies<'py>(&self, py: Python<'py>, fen: String, metric: Metric) -> Made<'py> {
        let (value, _) =
            self.ask_one(py, fen, |tables, position| tables.value(metric, position))?;
        Ok(value.signed(metric).into_pyobject(py)?.into_any())
    }

    /// The values that are wanted of many positions.
    fn many<'py>(
        &self,
        want: Wanted,
        positions: &Bound<'py, PyAny>,
        material: Option<MaterialArg>,
        side: Option<&Bound<'py, PyAny>>,
        numbering: Member<Numbering>,
        invalid: &str,
    ) -> Made<'py> {
        let py = positions.py();
        self.check_process()?;
        let pool = &pool(None)?;
        let positions = match material {
            Some(material) => Positions::of_array(positions, pool, material, side, numbering)?,
            None if side.is_some() => {
                let message = "side: expected material, too: texts say who is to move";
                return Err(PyTypeError::new_err(message));
            }
            None => {
                let masks = is_second("invalid", invalid, ["raise", "mask"])?;
                let texts = texts("positions without material", positions)?;
                let parse = |(place, text): (usize, &Option<String>)| {
                    let found = text.as_ref().map(|text| self.position(text));
                    match found.transpose() {
                        Err(error) if !masks => Err((place, error)),
                        found => Ok(found.unwrap_or(None)),
                    }
                };
                let boards = py.detach(|| {
                    pool.install(|| {
                        let parsed = texts.par_iter().enumerate().map(parse);
                        parsed.collect::<Result<_, _>>()
                    })
                });
                Positions::Boards(boards.map_err(|(place, error)| at_position(py, place, error))?)
            }
        };
        self.batch.answer(py, pool, &self.stop, want, &positions)
    }
}

getters! { PyTables, tables;
    /// For how many positions of all calls with many there was no answer, by the names of the missing tables, such as
    /// ``'KQvK'``, and by other reasons.
    failures: BTreeMap<String, u64> = tables.batch.failures();
}

#[pymethods]
impl PyTables {
    #[new]
    #[pyo3(signature = (folders, *, memory = SizeArg(512 << 20), metric = None, letters = None),
        text_signature = "(folders, *, memory='512M', metric=None, letters=None)")]
    fn open(
        folders: &Bound<'_, PyAny>,
        memory: SizeArg,
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
        PyTables::new(
            tables,
            Some(memory.0),
            metric,
            letters,
            format!("Tables({paths:?}"),
        )
    }

    /// Tables without files. The tables that a position can reach are solved when the position is first asked for, by the metrics that the question
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
    #[pyo3(signature = (*, memory = SizeArg(1 << 30), threads = None, metric = None, letters = None),
        text_signature = "(*, memory='1G', threads=None, metric=None, letters=None)")]
    fn on_demand(
        memory: SizeArg,
        threads: Option<Number<usize>>,
        metric: Option<MetricArg>,
        letters: Option<&Bound<'_, PyMapping>>,
    ) -> PyResult<PyTables> {
        let stop = Arc::<AtomicBool>::default();
        let backend = Backend::detect();
        let solver = Solver::new(Arc::clone(&stop), move |shape, library, metric, stop| {
            tbindex::fail_point!("tables::solving");
            solve_shape(shape, library, Options::new(metric, backend, stop))
        });
        let tables = Tables::on_demand(memory.0, pool(threads)?, solver);
        let call = format!("Tables.on_demand(memory={}", memory.0);
        Ok(PyTables {
            process: Some(std::process::id()),
            stop,
            ..PyTables::new(tables, None, metric, letters, call)?
        })
    }

    fn __repr__(&self) -> &str {
        &self.call
    }

    /// The knowledge about each of several positions, as a list. If a table is not there, that is an error, or with
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
        let raises = !is_second("missing", missing, ["raise", "none"])?;
        let text = |(place, fen): (usize, Option<String>)| {
            fen.ok_or_else(|| PyTypeError::new_err(format!("position {place}: no text")))
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
    fn moves<'py>(&self, py: Python<'py>, fen: String) -> PyResult<Vec<Bound<'py, PyAny>>> {
        steps(py, &self.ask_one(py, fen, Tables::moves)?)
    }

    /// Best play of both sides to the end, which is the 100th ply without a zeroing move if none comes before. That of a
    /// drawn position has no moves.
    ///
    /// >>> line = Tables.on_demand().line("k7/8/8/1K6/8/8/8/2R5 b - - 0 1")
    /// >>> [move.san for move in line.moves], line.ending
    /// (['Kb7', 'Rc2', 'Ka7', 'Kc6', 'Ka8', 'Kc7', 'Ka7', 'Ra2#'], 'checkmate')
    fn line<'py>(&self, py: Python<'py>, fen: String) -> Made<'py> {
        line(py, &self.ask_one(py, fen, Tables::line)?)
    }
}

/// The methods that answer for one position or for many.
macro_rules! asking {
    (|$tables:ident, $py:ident, $fen:ident|;
        $($(#[$docs:meta])* $name:ident, $want:ident = $one:expr;)+
    ) => {
        #[pymethods]
        impl PyTables {$(
            $(#[$docs])*
            #[pyo3(
                signature = (positions, *, material = None, side = None,
                    numbering = Member(Numbering::Natural), invalid = "raise"),
                text_signature = "($self, positions, *, material=None, side=None, numbering='natural', invalid='raise')"
            )]
            fn $name<'py>(
                &self,
                positions: &Bound<'py, PyAny>,
                material: Option<MaterialArg>,
                side: Option<&Bound<'py, PyAny>>,
                numbering: Member<Numbering>,
                invalid: &str,
            ) -> Made<'py> {
                match positions.cast::<PyString>() {
                    Ok(fen) if material.is_none() => {
                        let ($tables, $py, $fen) = (self, fen.py(), fen.to_cow()?.into_owned());
                        $one
                    }
                    _ => self.many(Wanted::$want, positions, material, side, numbering, invalid),
                }
            }
        )+}
    };
}

asking! { |tables, py, fen|;
    /// The knowledge about a position as an :class:`Answer`, or about many as :class:`Labels`, whose positions are given as to
    /// ``wdl``.
    ///
    /// A FEN that is no legal position is a :class:`tbindex.Error`, a table that is not there a :class:`MissingTableError`,
    /// and a file that is damaged a :class:`tbindex.StoreError`.
    ///
    /// >>> labels = Tables.on_demand().probe(["8/8/8/8/8/2k5/8/K6R w - - 90 60", "8/8/8/8/8/2k5/8/K6R b - -"])
    /// >>> labels.wdl.tolist(), labels.dtz.tolist()
    /// ([1, -2], [27, -30])
    probe, ALL = answer(py, &tables.ask_one(py, fen, Tables::answer)?);
    /// The outcome of a position for the side to move, with the fifty-move counter of the FEN, as an :class:`Outcome`; or the
    /// outcomes of many positions as a masked array of ``int8``, from -2 for a loss to 2 for a win.
    ///
    /// Many positions are texts, each a FEN or EPD line: a list, an array or column of Arrow, pandas or polars, …. Or, with
    /// ``material``, they are indices under ``numbering`` or squares (…, pieces) of type ``uint8``, in the order of
    /// ``Material.index_order``; ``side`` is then the side to move, or an array of ``bool`` that is true where black is to move.
    /// Masked are positions whose table is not there, texts that are ``None``, and indices of positions that are not legal;
    /// ``failures`` says how many of which. A text that is no legal position is an error, or masked with ``invalid='mask'``.
    ///
    /// Positions are grouped by their tables, so a million at a time cost a fraction of what they cost one by one.
    ///
    /// >>> tables = Tables.on_demand()
    /// >>> tables.wdl("8/8/8/8/8/2k5/8/K6R w - - 90 60")
    /// <Outcome.CURSED_WIN: 1>
    /// >>> tables.wdl(np.array([[7, 18, 0], [7, 6, 0]], np.uint8), material="KRvK", side="black").tolist()
    /// [-2, 0]
    wdl, WDL = {
        let found = tables.ask_one(py, fen, Tables::answer)?;
        outcome(py, found.evaluation.outcome)
    };
    /// The plies to zeroing, negative if the side to move loses, 0 for a draw, and -1 for a checkmated side; of many positions,
    /// given as to ``wdl``, a masked array of ``int16``.
    ///
    /// >>> Tables.on_demand().dtz("8/8/8/8/8/2k5/8/K6R b - - 0 1")
    /// -30
    dtz, DTZ = tables.plies(py, fen, Metric::Dtz);
    /// The plies to mate, negative if the side to move loses, and 0 for a draw or a checkmate; of many positions, given as to
    /// ``wdl``, a masked array of ``int16``. Syzygy files have no such distances.
    dtm, DTM = tables.plies(py, fen, Metric::Dtm);
}
