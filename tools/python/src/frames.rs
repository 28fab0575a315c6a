//! Frames and tables, whose columns have names, and missing values, as `tbindex._columns` reads them.

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;

/// Whether an object is a frame of pandas or polars, or a table of Arrow.
pub(crate) fn is_frame(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(!object.is_instance_of::<PyUntypedArray>()
        && object.hasattr(intern!(object.py(), "columns"))?)
}

/// Refuses a frame where one column is expected.
pub(crate) fn refuse_frame(name: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
    if !is_frame(object)? {
        return Ok(());
    }
    let names = of_python(object.py(), "names")?.call1((object,))?;
    let message = format!("{name}: a table: expected one of its columns {names}");
    Err(PyTypeError::new_err(message))
}

/// An object, and which of its elements are missing, if there are any.
pub(crate) type Filled<'py> = (Bound<'py, PyAny>, Option<Vec<bool>>);

/// Values with others in place of those that are missing.
pub(crate) fn filled<'py>(values: &Bound<'py, PyAny>) -> PyResult<Filled<'py>> {
    with_missing(of_python(values.py(), "filled")?.call1((values,))?)
}

/// The squares in a frame's columns of these names, row by row. Numbers that are no squares are errors, unless they are to be
/// masked later.
pub(crate) fn squares<'py>(
    name: &str,
    frame: &Bound<'py, PyAny>,
    columns: Vec<String>,
    masks: bool,
) -> PyResult<Filled<'py>> {
    with_missing(of_python(frame.py(), "squares")?.call1((name, frame, columns, masks))?)
}

/// The elements of an array of `bool`.
pub(crate) fn bools(array: &Bound<'_, PyArrayDyn<bool>>) -> PyResult<Vec<bool>> {
    Ok(array.try_readonly()?.as_array().iter().copied().collect())
}

fn with_missing(found: Bound<'_, PyAny>) -> PyResult<Filled<'_>> {
    let (values, missing): (_, Option<Bound<'_, PyAny>>) = found.extract()?;
    let missing = missing.map(|missing| bools(missing.cast()?)).transpose()?;
    Ok((values, missing))
}

fn of_python<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "tbindex._columns"))?.getattr(name)
}
