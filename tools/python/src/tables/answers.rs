//! Answers as the classes of `tbindex.tables`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use tbgen::{Answer, Evaluation, Line, MoveAnswer, Outcome, Value};

/// An object of a class of `tbindex.tables`.
macro_rules! object {
    ($py:expr, $class:literal, $fields:expr) => {{
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        CLASS.import($py, "tbindex.tables", $class)?.call1($fields)
    }};
}

/// The plies of a value: negative for a loss.
pub(super) fn signed(value: Value) -> i32 {
    let plies = i32::from(value.plies);
    match value.outcome {
        Outcome::Win | Outcome::CursedWin => plies,
        Outcome::Draw => 0,
        Outcome::BlessedLoss | Outcome::Loss => -plies,
    }
}

pub(super) fn outcome(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyAny>> {
    object!(py, "Outcome", (outcome as i8,))
}

type Fields<'py> = (
    Bound<'py, PyAny>,
    bool,
    Bound<'py, PyAny>,
    Option<i32>,
    bool,
    Option<i32>,
);

/// The fields that positions and moves have in common.
fn fields<'py>(py: Python<'py>, evaluation: &Evaluation) -> PyResult<Fields<'py>> {
    Ok((
        outcome(py, evaluation.outcome)?,
        evaluation.certain,
        outcome(py, evaluation.at_zero)?,
        evaluation.dtz.map(signed),
        evaluation.exact,
        evaluation.dtm.map(signed),
    ))
}

pub(super) fn answer<'py>(py: Python<'py>, answer: &Answer) -> PyResult<Bound<'py, PyAny>> {
    let Answer {
        evaluation,
        check,
        checkmate,
        stalemate,
    } = answer;
    let (wdl, certain, at_zero, dtz, exact, dtm) = fields(py, evaluation)?;
    let ends = (check, checkmate, stalemate);
    let fields = (
        wdl, certain, at_zero, dtz, exact, dtm, ends.0, ends.1, ends.2,
    );
    object!(py, "Answer", fields)
}

fn step<'py>(py: Python<'py>, step: &MoveAnswer) -> PyResult<Bound<'py, PyAny>> {
    let (wdl, certain, at_zero, dtz, exact, dtm) = fields(py, &step.evaluation)?;
    let fields = (
        &step.uci,
        &step.san,
        step.capture,
        step.zeroing,
        wdl,
        certain,
        at_zero,
        dtz,
        exact,
        dtm,
        answer(py, &step.after)?,
        step.position.fen(),
    );
    object!(py, "MoveAnswer", fields)
}

pub(super) fn steps<'py>(py: Python<'py>, all: &[MoveAnswer]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    all.iter().map(|one| step(py, one)).collect()
}

pub(super) fn line<'py>(py: Python<'py>, line: &Line) -> PyResult<Bound<'py, PyAny>> {
    let fields = (steps(py, &line.moves)?, line.end.fen(), line.ending.name());
    object!(py, "Line", fields)
}
