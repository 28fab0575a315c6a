//! The library's errors as exceptions of Python, with the library's messages.

use std::io;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use tbindex::batch::{IndexOutOfRange, SlotOutOfRange, SquareOutOfRange};
use tbindex::fairy::{GridError, NotationError};
use tbindex::{
    DenseError, FenError, LayoutError, LikePiecesError, MaterialError, NameError, PlacementError,
    SquareError,
};

pyo3::create_exception!(
    tbindex,
    Error,
    PyValueError,
    "What the library refuses: a text that is no material, too many pieces, a slot that is none, ….\n\
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
     What the system refuses is an :class:`OSError`, such as :class:`FileNotFoundError`.\n"
);

/// An error that becomes an exception with its own message, which is an [`Error`] unless it says otherwise.
pub(crate) trait Refusal: std::fmt::Display + Sized {
    /// The exception.
    fn exception(self) -> PyErr {
        Error::new_err(self.to_string())
    }
}

impl Refusal for NameError {}
impl Refusal for GridError {}
impl Refusal for NotationError {}
impl Refusal for MaterialError {}
impl Refusal for LayoutError {}
impl Refusal for LikePiecesError {}
impl Refusal for SquareError {}
impl Refusal for SquareOutOfRange {}
impl Refusal for SlotOutOfRange {}
impl Refusal for DenseError {}
impl Refusal for IndexOutOfRange {}
impl Refusal for PlacementError {}
impl Refusal for FenError {}

/// The result of the library's work.
pub(crate) trait OrRaise<T> {
    /// The value, or the library's error as an exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Refusal> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(Refusal::exception)
    }
}

/// A refusal of the system becomes an `OSError` of the class that goes with it. All other errors become a
/// [`StoreError`].
impl Refusal for tbindex::store::StoreError {
    fn exception(self) -> PyErr {
        use tbindex::store::StoreErrorKind as Of;
        // On Windows the system's numbers are not those of `errno`; there the name of the number decides.
        let refused = std::error::Error::source(&self).and_then(|error| error.downcast_ref());
        let number = match (self.kind(), refused) {
            (Of::Io, Some(error)) => match io::Error::raw_os_error(error).filter(|_| cfg!(unix)) {
                Some(number) => Ok(number),
                None => Err(match error.kind() {
                    io::ErrorKind::NotFound => "ENOENT",
                    io::ErrorKind::PermissionDenied => "EACCES",
                    io::ErrorKind::AlreadyExists => "EEXIST",
                    io::ErrorKind::InvalidInput => "EINVAL",
                    _ => "EIO",
                }),
            },
            (Of::Exists, _) => Err("EEXIST"),
            (Of::Busy, _) => Err("EAGAIN"),
            (Of::TooLittleSpace { .. }, _) => Err("ENOSPC"),
            _ => return StoreError::new_err(self.to_string()),
        };
        // As Python's own errors have it: a text.
        let path = self.path().map(|path| path.as_os_str().to_owned());
        let mut message = self.message().to_owned();
        if let Some(error) = refused {
            message += &format!(": {error}");
        }
        if let Ok(number) = number {
            // Python writes the number itself.
            let end = format!(" (os error {number})");
            message.truncate(message.strip_suffix(&end).map_or(message.len(), str::len));
        }
        Python::attach(|py| {
            let number = match number {
                Ok(number) => Ok(number),
                Err(name) => py
                    .import("errno")
                    .and_then(|errno| errno.getattr(name)?.extract()),
            };
            match number {
                Ok(number) => PyOSError::new_err((number, message, path)),
                Err(error) => error,
            }
        })
    }
}

/// The error that ends long work: the library's, or one that the caller's progress function or a signal
/// raised.
///
/// An error of the library becomes an exception on the thread that called it, not on the one that found it.
#[derive(Debug)]
pub(crate) enum Ended {
    Store(tbindex::store::StoreError),
    Raised(PyErr),
}

impl From<tbindex::store::StoreError> for Ended {
    fn from(error: tbindex::store::StoreError) -> Ended {
        Ended::Store(error)
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ended::Store(error) => error.fmt(f),
            Ended::Raised(raised) => raised.fmt(f),
        }
    }
}

impl Refusal for Ended {
    fn exception(self) -> PyErr {
        match self {
            Ended::Store(error) => error.exception(),
            Ended::Raised(raised) => raised,
        }
    }
}

/// Work that can't fail.
impl OrRaise<()> for () {
    fn or_raise(self) -> PyResult<()> {
        Ok(())
    }
}
