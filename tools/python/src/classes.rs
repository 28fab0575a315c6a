//! Common features of many classes: properties, and how a value is written and pickled.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

/// The read-only properties of a class. Where Rust has another name for one, that of Python is after `as`.
macro_rules! getters {
    ($class:ident, $value:ident;
        $($(#[$docs:meta])* $name:ident $(as $python:ident)?: $type:ty = $got:expr;)+
    ) => {
        #[pyo3::pymethods]
        impl $class {$(
            $(#[$docs])*
            #[getter$(($python))?]
            fn $name(&self) -> $type {
                let $value = self;
                $got
            }
        )+}
    };
}

/// Writes and pickles the values of a class as the call that makes them: the arguments, and those that have names, each as
/// a pair.
macro_rules! made_by {
    ($class:ident, |$value:ident, $py:pat_param| $arguments:expr $(, $named:expr)?) => {
        #[pyo3::pymethods]
        impl $class {
            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                Self::call(slf)?.text()
            }

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, pyo3::types::PyTuple>)> {
                Self::call(slf)?.pickled()
            }
        }

        impl $class {
            fn call<'py>(slf: &Bound<'py, Self>) -> PyResult<$crate::classes::Call<'py>> {
                let ($value, $py) = (slf.get(), slf.py());
                $crate::classes::Call::new(slf.get_type(), $arguments, ($($named)?))
            }
        }
    };
}

pub(crate) use {getters, made_by};

/// The call that makes a value.
pub(crate) struct Call<'py> {
    class: Bound<'py, PyType>,
    arguments: Bound<'py, PyTuple>,
    named: Bound<'py, PyDict>,
}

impl<'py> Call<'py> {
    pub(crate) fn new(
        class: Bound<'py, PyType>,
        arguments: impl IntoPyObject<'py, Output = Bound<'py, PyTuple>, Error: Into<PyErr>>,
        named: impl IntoPyObject<'py, Output = Bound<'py, PyTuple>, Error: Into<PyErr>>,
    ) -> PyResult<Call<'py>> {
        let py = class.py();
        let named = named.into_pyobject(py).map_err(Into::into)?;
        Ok(Call {
            class,
            arguments: arguments.into_pyobject(py).map_err(Into::into)?,
            named: PyDict::from_sequence(&named)?,
        })
    }

    pub(crate) fn text(&self) -> PyResult<String> {
        let mut arguments = Vec::new();
        for argument in &self.arguments {
            arguments.push(argument.repr()?.to_string());
        }
        for (name, argument) in &self.named {
            arguments.push(format!("{name}={}", argument.repr()?));
        }
        Ok(format!("{}({})", self.class.name()?, arguments.join(", ")))
    }

    /// The function that makes the value, and its arguments.
    pub(crate) fn pickled(self) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let partial = self.class.py().import("functools")?.getattr("partial")?;
        let make = match self.named.is_empty() {
            true => self.class.into_any(),
            false => partial.call((self.class,), Some(&self.named))?,
        };
        Ok((make, self.arguments))
    }
}
