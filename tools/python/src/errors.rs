//! The library's errors as exceptions of Python, with the library's messages.

use std::io;
use std::path::Path;

use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use tbindex::batch::OutOfRange;
use tbindex::fairy::NotationError;
use tbindex::{FenError, LayoutError, MaterialError, NameError, PlacementError};

pyo3::create_exception!(
    tbindex,
    Error,
    PyValueError,
    "A refusal of the library: a text that is no material, too many pieces, a slot that is none, ….\n\
     \n\
     >>> tbindex.Material('KQKR')\n\
     Traceback (most recent call last):\n\
     tbindex.Error: \"KQKR\" is not a material: expected white's pieces, one 'v', black's, as in KQvKR\n"
);

pyo3::create_exception!(
    tbindex,
    StoreError,
    Error,
    "A file that is no index file, is damaged, or does not go with what it is used for.\n\
     \n\
     A refusal of the system is an :class:`OSError`, such as :class:`FileNotFoundError`.\n"
);

/// An error that becomes an exception.
pub(crate) trait Refusal {
    /// The exception.
    fn exception(&self) -> PyErr;
}

/// Errors that become an [`Error`] with their own message.
macro_rules! refusals {
    ($($error:ty),+ $(,)?) => {$(
        impl $crate::errors::Refusal for $error {
            fn exception(&self) -> PyErr {
                $crate::errors::Error::new_err(self.to_string())
            }
        }
    )+};
}
pub(crate) use refusals;

refusals!(
    NameError,
    tbindex_fairy::SquareError,
    NotationError,
    MaterialError,
    LayoutError,
    OutOfRange,
    PlacementError,
    FenError
);

/// The result of the library's work.
pub(crate) trait OrRaise<T> {
    /// The value, or the library's error as an exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Refusal> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| error.exception())
    }
}

/// A refusal of the system becomes an `OSError` of the class that goes with it. All other errors become a
/// [`StoreError`].
impl Refusal for tbindex::store::StoreError {
    fn exception(&self) -> PyErr {
        use tbindex::store::StoreErrorKind as Of;
        let refused = std::error::Error::source(self).and_then(|error| error.downcast_ref());
        let number = match self.kind {
            Of::Io if refused.is_some() => None,
            Of::Exists => Some("EEXIST"),
            Of::Busy => Some("EAGAIN"),
            Of::TooLittleSpace { .. } => Some("ENOSPC"),
            _ => return StoreError::new_err(self.to_string()),
        };
        os_error(number, &self.message, refused, self.path.as_deref())
    }
}

/// An `OSError` of the class that goes with its number, which a name of `errno` or the system's error gives.
pub(crate) fn os_error(
    name: Option<&str>,
    message: &str,
    refused: Option<&io::Error>,
    path: Option<&Path>,
) -> PyErr {
    let mut message = message.to_owned();
    if let Some(error) = refused {
        message += &format!(": {error}");
    }
    // On Windows the system's numbers are not those of `errno`; there the name of the number decides.
    let number = (refused.filter(|_| name.is_none()))
        .and_then(io::Error::raw_os_error)
        .filter(|_| cfg!(unix));
    if let Some(number) = number {
        // Python writes the number itself.
        let end = format!(" (os error {number})");
        message.truncate(message.strip_suffix(&end).map_or(message.len(), str::len));
    }
    let name = name.unwrap_or_else(|| match refused.map(io::Error::kind) {
        Some(io::ErrorKind::NotFound) => "ENOENT",
        Some(io::ErrorKind::PermissionDenied) => "EACCES",
        Some(io::ErrorKind::AlreadyExists) => "EEXIST",
        Some(io::ErrorKind::InvalidInput) => "EINVAL",
        _ => "EIO",
    });
    // As Python's own errors have it: a text.
    let path = path.map(|path| path.as_os_str().to_owned());
    Python::attach(|py| {
        let of_name = || py.import("errno")?.getattr(name)?.extract();
        match number.map_or_else(of_name, Ok) {
            Ok(number) => PyOSError::new_err((number, message, path)),
            Err(error) => error,
        }
    })
}

/// An error of one position of several, which its message names.
pub(crate) fn at_position(py: Python<'_>, position: usize, error: PyErr) -> PyErr {
    of(py, &format!("position {position}"), error)
}

/// The value of an argument, or an error whose message names the argument.
pub(crate) trait Named<T> {
    fn named(self, name: &str) -> PyResult<T>;
}

impl<T> Named<T> for PyResult<T> {
    fn named(self, name: &str) -> PyResult<T> {
        self.map_err(|error| Python::attach(|py| of(py, name, error)))
    }
}

/// The error of an argument that is of another type than expected.
pub(crate) fn unexpected(name: &str, found: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    match found.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("{name}: {found}: expected {expected}")),
        Err(error) => error,
    }
}

/// An error whose message begins with a name.
fn of(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    // Errors of the system have other arguments than a message.
    if !error.is_instance_of::<PyOSError>(py) {
        let message = format!("{name}: {}", error.value(py));
        if let Err(error) = error.value(py).setattr("args", (message,)) {
            return error;
        }
    }
    error
}

/// An exception that the caller's progress function or a signal raised.
impl Refusal for PyErr {
    fn exception(&self) -> PyErr {
        Python::attach(|py| self.clone_ref(py))
    }
}
