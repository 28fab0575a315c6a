//! Numbers as arguments.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// A number that is not negative. A number that is out of range is a `ValueError`.
pub(crate) struct Number<T>(pub(crate) T);

impl<T: TryFrom<i128>> FromPyObject<'_, '_> for Number<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let number = match object.extract::<i128>() {
            Ok(number) => T::try_from(number).ok(),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => None,
            Err(error) => return Err(error),
        };
        let bits = 8 * size_of::<T>();
        number.map(Number).ok_or_else(|| {
            PyValueError::new_err(format!(
                "{}: expected a number from 0 to 2^{bits} - 1",
                *object
            ))
        })
    }
}
