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

/// The most threads that a caller may ask for, as on the command line and in C.
const MOST_THREADS: usize = 1024;

/// The number of threads to use. If 0 or none is given, it is one for each processor.
pub(crate) fn thread_count(threads: Option<Number<usize>>) -> PyResult<usize> {
    match threads.map_or(0, |threads| threads.0) {
        0 => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        threads @ 1..=MOST_THREADS => Ok(threads),
        threads => Err(PyValueError::new_err(format!(
            "threads: {threads}: expected at most {MOST_THREADS}"
        ))),
    }
}
