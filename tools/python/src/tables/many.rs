//! The prober's answers for many positions, and its methods that answer for one or for many.

use std::sync::Arc;

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rayon::ThreadPool;
use tbgen::{Metric, SolveError, Tables, TablesError, Wanted};
use tbindex::Numbering;

use super::answers::{answer, outcome};
use super::arguments::pool;
use super::batch::{Asked, Batch, Found};
use super::columns::{Columns, objects};
use super::interrupt::abandonable;
use super::positions::{Array, Given};
use super::prober::PyTables;
use crate::arrays::Made;
use crate::enums::Member;
use crate::errors::{OrRaise, at_position};
use crate::material::{MaterialArg, PyMaterial};
use crate::numbers::thread_count;
use crate::texts::{Keyword, Texts, is_second, one_text};
use crate::watch::{ProgressArg, Watch};

/// The most positions that are looked up at a time.
const MOST_AT_A_TIME: u64 = 1 << 20;

/// A look-up in tables that are solved, among which some may take long.
const SOLVED_AT_A_TIME: u64 = 1 << 10;

/// The least memory of a prober of batches.
const LEAST_MEMORY: u64 = 64 << 20;

/// The bytes that a position takes while it is looked up, as a text and as squares.
const BYTES: [u64; 2] = [512, 128];

/// The arguments beside the positions.
struct Question<'a, 'py> {
    material: Option<MaterialArg>,
    side: Option<&'a Bound<'py, PyAny>>,
    numbering: Numbering,
    /// Whether what is no position is masked, and no error.
    masks: bool,
    /// Whether a table that is missing is an error.
    raises: bool,
    progress: Option<ProgressArg>,
}

impl PyTables {
    /// The positions of an argument.
    fn given<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        question: &Question<'_, 'py>,
    ) -> PyResult<Given<'py>> {
        match (&question.material, question.side) {
            (Some(MaterialArg(material)), side) => {
                let (material, numbering) = (PyMaterial(*material), question.numbering);
                Array::new(positions, material, side, numbering, question.masks).map(Given::Array)
            }
            (None, Some(_)) => Err(PyTypeError::new_err(
                "side: expected material, too: texts say who is to move",
            )),
            (None, None) => Texts::new("positions without material", positions).map(Given::Texts),
        }
    }

    /// Finds what is wanted of many positions, and hands over what was found of some at a time.
    fn each<'py>(
        &self,
        py: Python<'py>,
        wanted: Wanted,
        given: &mut Given<'py>,
        question: Question<'_, 'py>,
        mut take: impl FnMut(&Batch, &ThreadPool, Found) -> PyResult<()>,
    ) -> PyResult<()> {
        let (batch, pool) = (self.batch()?, Arc::new(pool(thread_count(None)?)?));
        let asked = Asked {
            wanted,
            masks: question.masks,
        };
        let bytes = BYTES[usize::from(given.shape().is_some())];
        let most = match self.process {
            Some(_) => SOLVED_AT_A_TIME,
            None => (self.memory.max(LEAST_MEMORY) / 4 / bytes).min(MOST_AT_A_TIME),
        };
        let (total, mut done) = (given.total().map(|total| total as u64), 0);
        let mut watch = Watch::new(question.progress);
        loop {
            let parse = &|fen: &str| self.position(fen);
            let chunk = given.take(py, &pool, most as usize, parse, asked.masks)?;
            if chunk.len() == 0 {
                return Ok(());
            }
            let chunk = Arc::new(chunk);
            let found = loop {
                let (batch, pool) = (Arc::clone(&batch), Arc::clone(&pool));
                let (stop, chunk) = (Arc::clone(&self.stop), Arc::clone(&chunk));
                let find = move || pool.install(|| batch.find(&stop, asked, &chunk));
                match abandonable(py, &self.stop, find)? {
                    // Another thread's work was to end.
                    Err(TablesError::Solve(SolveError::Interrupted)) => self.wait_for_stop(py)?,
                    found => break found.or_raise()?,
                }
            };
            if question.raises
                && let Some((place, error)) = batch.error(&found)
            {
                return Err(at_position(py, done as usize + place, error));
            }
            take(&batch, &pool, found)?;
            done += chunk.len() as u64;
            watch.report("probe", done, total)?;
        }
    }

    /// The columns that are wanted of many positions.
    fn many<'py>(
        &self,
        wanted: Wanted,
        positions: &Bound<'py, PyAny>,
        question: Question<'_, 'py>,
    ) -> Made<'py> {
        let (py, mut given) = (positions.py(), self.given(positions, &question)?);
        let mut columns = Columns::new(wanted, given.total());
        self.each(py, wanted, &mut given, question, |_, pool, found| {
            py.detach(|| columns.extend(pool, &found));
            Ok(())
        })?;
        columns.finish(py, given.shape())
    }

    /// Why positions have no outcome.
    fn whys<'py>(&self, positions: &Bound<'py, PyAny>, question: Question<'_, 'py>) -> Made<'py> {
        let question = Question {
            masks: true,
            raises: false,
            ..question
        };
        let (py, mut given) = (positions.py(), self.given(positions, &question)?);
        let reasons = PyList::empty(py);
        self.each(py, Wanted::WDL, &mut given, question, |batch, _, found| {
            for lack in found.lacks() {
                reasons.append(lack.map(|lack| batch.reason(&lack)))?;
            }
            Ok(())
        })?;
        objects(reasons, given.shape())
    }
}

/// The methods that answer for one position or for many.
macro_rules! asking {
    (|$tables:ident, $py:ident, $fen:ident, $positions:ident, $question:ident|;
        $($(#[$docs:meta])* $name:ident = $many:expr, $one:expr;)+
    ) => {
        #[pymethods]
        impl PyTables {$(
            $(#[$docs])*
            #[pyo3(
                signature = (positions, *, material = None, side = None,
                    numbering = Member(Numbering::Natural), invalid = Keyword::new("raise"), missing = Keyword::new("mask"), progress = None),
                text_signature = "($self, positions, *, material=None, side=None, numbering='natural', invalid='raise', missing='mask', progress=None)"
            )]
            #[expect(clippy::too_many_arguments, reason = "Python has arguments with names")]
            fn $name<'py>(
                &self,
                $py: Python<'py>,
                $positions: &Bound<'py, PyAny>,
                material: Option<MaterialArg>,
                side: Option<&Bound<'py, PyAny>>,
                numbering: Member<Numbering>,
                invalid: Keyword,
                missing: Keyword,
                progress: Option<ProgressArg>,
            ) -> Made<'py> {
                let $tables = self;
                let masks = is_second("invalid", invalid, ["raise", "mask"])?;
                let raises = is_second("missing", missing, ["mask", "raise"])?;
                if material.is_none() && let Some($fen) = one_text($positions)? {
                    return $one;
                }
                let numbering = numbering.0;
                let $question = Question { material, side, numbering, masks, raises, progress };
                $many
            }
        )+}
    };
}

asking! { |tables, py, fen, positions, question|;
    /// The knowledge about a position as an :class:`Answer`, or about many as :class:`Labels`, whose positions are given as to
    /// ``wdl``.
    ///
    /// A FEN that is no legal position is a :class:`tbindex.Error`, a table that is not there a :class:`MissingTableError`,
    /// and a file that is damaged a :class:`tbindex.StoreError`.
    ///
    /// >>> labels = Tables.on_demand().probe(["8/8/8/8/8/2k5/8/K6R w - - 90 60", "8/8/8/8/8/2k5/8/K6R b - -"])
    /// >>> labels.wdl.tolist(), labels.dtz.tolist()
    /// ([1, -2], [27, -30])
    probe = tables.many(Wanted::ALL, positions, question), answer(py, &tables.ask_one(py, fen, Tables::answer)?);
    /// The outcome of a position for the side to move, with the fifty-move counter of the FEN, as an :class:`Outcome`; or the
    /// outcomes of many positions as a masked array of ``int8``, from -2 for a loss to 2 for a win.
    ///
    /// Many positions are texts, each a FEN or EPD line: a list, an array or column of Arrow, pandas or polars, …. Or, with
    /// ``material``, they are indices under ``numbering`` or squares (…, pieces) of type ``uint8``, in the order of
    /// ``Material.index_order``, or a frame with the columns ``Material.columns``; ``side`` is then the side to move, or an array of
    /// ``bool`` that is true where black is to move.
    /// Masked are positions whose table is not there, or an error with ``missing='raise'``; what is missing or masked itself; and
    /// indices of positions that are not legal. ``failures`` says how many of which, and ``reasons`` why. A text that is no legal
    /// position, and a number that is no index or square, is an error, or masked with ``invalid='mask'``. ``progress`` is called
    /// from time to time, as in ``tbindex.store``.
    ///
    /// Positions are grouped by their tables, so a million at a time cost a fraction of what they cost one by one.
    ///
    /// >>> tables = Tables.on_demand()
    /// >>> tables.wdl("8/8/8/8/8/2k5/8/K6R w - - 90 60")
    /// <Outcome.CURSED_WIN: 1>
    /// >>> tables.wdl(np.array([[7, 18, 0], [7, 6, 0]], np.uint8), material="KRvK", side="black").tolist()
    /// [-2, 0]
    wdl = tables.many(Wanted::WDL, positions, question), {
        let found = tables.ask_one(py, fen, Tables::answer)?;
        outcome(py, found.evaluation.outcome)
    };
    /// The plies to zeroing, negative if the side to move loses, 0 for a draw, and -1 for a checkmated side; of many positions,
    /// given as to ``wdl``, a masked array of ``int16``.
    ///
    /// >>> Tables.on_demand().dtz("8/8/8/8/8/2k5/8/K6R b - - 0 1")
    /// -30
    dtz = tables.many(Wanted::DTZ, positions, question), tables.plies(py, fen, Metric::Dtz);
    /// The plies to mate, negative if the side to move loses, and 0 for a draw or a checkmate; of many positions, given as to
    /// ``wdl``, a masked array of ``int16``. Syzygy files have no such distances.
    dtm = tables.many(Wanted::DTM, positions, question), tables.plies(py, fen, Metric::Dtm);
    /// Why a position has no outcome, as a text, or ``None`` if it has one; of many positions, given as to ``wdl``, an array of these,
    /// whatever ``invalid`` and ``missing`` are.
    ///
    /// >>> Tables.on_demand().reasons(["8/8/8/8/8/2k5/8/K6R b - - 0 1", "8/8/8/8/8/2k5/1K6/7R w - - 0 1"]).tolist()
    /// [None, '"8/8/8/8/8/2k5/1K6/7R w - - 0 1": the position is not legal: the kings touch']
    reasons = tables.whys(positions, question), {
        match tables.ask_one(py, fen, Tables::answer) {
            Err(error) if error.is_instance_of::<PyException>(py) => Ok(error.value(py).str()?.into_any()),
            found => found.map(|_| py.None().into_bound(py)),
        }
    };
}
