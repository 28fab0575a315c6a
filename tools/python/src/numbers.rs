//! Numbers as arguments.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use tbgen::parse_size;

use crate::errors::{Error, Named, unexpected};

/// A number that is not negative, or the error that it is out of range or none.
pub(crate) struct Number<T>(PyResult<T>);

impl<T> Number<T> {
    /// The number of an argument with this name.
    pub(crate) fn named(self, name: &str) -> PyResult<T> {
        self.0.named(name)
    }
}

impl<T: TryFrom<i128>> FromPyObject<'_, '_> for Number<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let number = match object.extract::<i128>() {
            Ok(number) => T::try_from(number).ok(),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => None,
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {
                let found = object.get_type().name()?;
                let message = format!("{found}: expected a whole number");
                return Ok(Number(Err(PyTypeError::new_err(message))));
            }
            Err(error) => return Err(error),
        };
        let bits = 8 * size_of::<T>();
        let refused = || {
            let message = format!("{}: expected a number from 0 to 2^{bits} - 1", *object);
            PyValueError::new_err(message)
        };
        Ok(Number(number.ok_or_else(refused)))
    }
}

/// The argument ``memory``: a size in bytes, as a number or as a text such as `'512M'`.
pub(crate) struct MemoryArg(pub(crate) u64);

impl FromPyObject<'_, '_> for MemoryArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) => {
                let text = text.to_string_lossy();
                let size = parse_size(&text);
                size.map_err(|error| Error::new_err(format!("memory: {text:?}: {error}")))
            }
            Err(_) => {
                let size = object.extract::<Number<u64>>()?.named("memory");
                size.map_err(
                    |error| match error.is_instance_of::<PyTypeError>(object.py()) {
                        true => unexpected(
                            "memory",
                            &object,
                            "a number of bytes, or a text such as '512M'",
                        ),
                        false => error,
                    },
                )
            }
        }
        .map(MemoryArg)
    }
}

/// The most threads that a caller may ask for, as on the command line and in C.
const MOST_THREADS: usize = 1024;

/// The number of threads to use. If 0 or none is given, it is one for each processor.
pub(crate) fn thread_count(threads: Option<Number<usize>>) -> PyResult<usize> {
    match threads.map_or(Ok(0), |threads| threads.named("threads"))? {
        0 => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        threads @ 1..=MOST_THREADS => Ok(threads),
        threads => Err(PyValueError::new_err(format!(
            "threads: {threads}: expected at most {MOST_THREADS}"
        ))),
    }
}
