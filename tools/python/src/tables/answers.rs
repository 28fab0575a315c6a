//! Answers as the classes of `tbindex.tables`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};
use tbgen::{Answer, Evaluation, Line, Metric, MoveAnswer, Outcome};

use crate::arrays::Made;

/// An object of a class of `tbindex.tables`.
macro_rules! object {
    ($py:expr, $class:literal, $fields:expr) => {{
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        CLASS.import($py, "tbindex.tables", $class)?.call1($fields)
    }};
}

pub(super) fn outcome(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyAny>> {
    object!(py, "Outcome", (outcome as i8,))
}

/// The fields that positions and moves have in common.
fn fields<'py>(py: Python<'py>, evaluation: &Evaluation) -> PyResult<Bound<'py, PyTuple>> {
    let fields = (
        outcome(py, evaluation.outcome)?,
        evaluation.certain,
        outcome(py, evaluation.at_zero)?,
        evaluation.dtz.map(|value| value.signed(Metric::Dtz)),
        evaluation.exact,
        evaluation.dtm.map(|value| value.signed(Metric::Dtm)),
    );
    fields.into_pyobject(py)
}

pub(super) fn answer<'py>(py: Python<'py>, answer: &Answer) -> Made<'py> {
    let ends = (answer.check, answer.checkmate, answer.stalemate);
    let fields = fields(py, &answer.evaluation)?.add(ends)?;
    object!(py, "Answer", fields.cast_into::<PyTuple>()?)
}

fn step<'py>(py: Python<'py>, step: &MoveAnswer) -> Made<'py> {
    let (start, end) = (
        (&step.uci, &step.san, step.capture, step.zeroing),
        (
            step.after.map(|after| answer(py, &after)).transpose()?,
            step.position.fen(),
        ),
    );
    let start = start.into_pyobject(py)?;
    let worth = match &step.evaluation {
        Some(evaluation) => fields(py, evaluation)?,
        None => (py.None(), false, py.None(), py.None(), false, py.None()).into_pyobject(py)?,
    };
    let fields = start.add(worth)?.add(end)?;
    object!(py, "MoveAnswer", fields.cast_into::<PyTuple>()?)
}

pub(super) fn steps<'py>(py: Python<'py>, all: &[MoveAnswer]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    all.iter().map(|one| step(py, one)).collect()
}

pub(super) fn line<'py>(py: Python<'py>, line: &Line) -> Made<'py> {
    let fields = (steps(py, &line.moves)?, line.end.fen(), line.ending.name());
    object!(py, "Line", fields)
}
