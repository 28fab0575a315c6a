//! The number of threads that work.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::numbers::Number;

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
