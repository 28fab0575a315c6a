//! Parts of something large, one after the other.

use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use crate::arrays::Made;

/// An iterator over what a function gives for 0 … `count` − 1.
pub(crate) fn parts<'py>(
    py: Python<'py>,
    count: u64,
    part: impl Fn(Python<'_>, u64) -> PyResult<Py<PyAny>> + Send + Sync + 'static,
) -> Made<'py> {
    let part = move |number: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        part(number.py(), number.get_item(0)?.extract()?)
    };
    let part = PyCFunction::new_closure(py, None, None, part)?;
    let builtins = py.import("builtins")?;
    builtins.call_method1("map", (part, builtins.call_method1("range", (count,))?))
}
