//! Arrays of numpy over memory that numpy does not own.

use numpy::ndarray::{ArrayView, Dimension};
use numpy::{Element, PyArray, PyArrayMethods, PyReadwriteArray, PyUntypedArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A read-only array over the memory of `owner`, to which the view leads.
pub(crate) fn read_only<'py, T: Element, D: Dimension>(
    view: &ArrayView<'_, T, D>,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    #[expect(unsafe_code, reason = "numpy is to look at memory that it doesn't own")]
    // SAFETY: the array refers to `owner`, which holds the bytes and never changes them or their place. No
    // other code runs before the array is made read-only, and numpy never undoes that, as the owner has no
    // writable buffer.
    let array = unsafe { PyArray::borrow_from_array(view, owner) };
    let array = array
        .try_readwrite()
        .map(PyReadwriteArray::make_nonwriteable)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(array.as_untyped().clone())
}
