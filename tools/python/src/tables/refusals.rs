//! The errors of tables as exceptions.

use std::path::Path;

use pyo3::exceptions::{PyKeyboardInterrupt, PyLookupError, PyMemoryError};
use pyo3::prelude::*;
use tbgen::{
    BoardError, EndgameError, FileError, LettersError, MakeError, ProbeError, ShapeError,
    SolveError, TablesError,
};

use crate::errors::{Error, Refusal, StoreError, os_error, refusals};

pyo3::create_exception!(
    tbindex.tables,
    MissingTableError,
    PyLookupError,
    "A table that a position needs is not there. Its attribute ``table`` is the name, such as ``'KQvK'``.\n\
     \n\
     >>> generate('KRvK', 'rooks')\n\
     ['KRvK']\n\
     >>> Tables('rooks').wdl('8/8/8/3k4/8/8/8/KQ6 w - - 0 1')\n\
     Traceback (most recent call last):\n\
     tbindex.tables.MissingTableError: the table of KQvK is needed: there is no KQvK.tbg, nor KQvK.rtbw and KQvK.rtbz, in rooks\n"
);

refusals!(BoardError, EndgameError, LettersError, ShapeError);

/// A refusal of the system is an `OSError`, and all else is wrong with the file.
impl Refusal for FileError {
    fn exception(&self) -> PyErr {
        match self {
            FileError::Store(error) => error.exception(),
            FileError::Io {
                path,
                action,
                error,
            } => os_error(None, &format!("can't {action}"), Some(error), Some(path)),
            FileError::Interrupted => PyKeyboardInterrupt::new_err(()),
            error => StoreError::new_err(error.to_string()),
        }
    }
}

impl Refusal for TablesError {
    fn exception(&self) -> PyErr {
        use syzygy_tables::Error as Syzygy;
        let message = self.to_string();
        match self {
            TablesError::Missing { endgame, .. } => {
                let error = MissingTableError::new_err(message);
                Python::attach(|py| {
                    let named = error.value(py).setattr("table", endgame.to_string());
                    named.err().unwrap_or(error)
                })
            }
            TablesError::Folder { folder, error } => {
                let folder = Some(Path::new(folder));
                os_error(None, "can't read the folder", Some(error), folder)
            }
            TablesError::File(error) => error.exception(),
            TablesError::Syzygy(Syzygy::Io { file, source }) => {
                os_error(None, "can't read", Some(source), Some(Path::new(&**file)))
            }
            TablesError::Memory { .. } => PyMemoryError::new_err(message),
            TablesError::Solve(error) => error.exception(),
            TablesError::Syzygy(Syzygy::Damaged { .. })
            | TablesError::Probe(ProbeError::File(_))
            | TablesError::Contradiction { .. } => StoreError::new_err(message),
            _ => Error::new_err(message),
        }
    }
}

impl Refusal for SolveError {
    fn exception(&self) -> PyErr {
        let message = self.to_string();
        match self {
            SolveError::Memory(_) => PyMemoryError::new_err(message),
            SolveError::Interrupted => PyKeyboardInterrupt::new_err(()),
            SolveError::Shape(_) | SolveError::Missing(_) | SolveError::TooManyValues(_) => {
                Error::new_err(message)
            }
            _ => StoreError::new_err(message),
        }
    }
}

impl Refusal for MakeError {
    fn exception(&self) -> PyErr {
        let message = self.to_string();
        match self {
            MakeError::Solve(error) => error.exception(),
            MakeError::File(error) => error.exception(),
            MakeError::TempFile { folder, error } => {
                os_error(None, "the table was not made", Some(error), Some(folder))
            }
            MakeError::Memory { .. } => PyMemoryError::new_err(message),
            _ => StoreError::new_err(message),
        }
    }
}
