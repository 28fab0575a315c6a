//! Arguments of probers and generators.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use tbgen::{Metric, parse_size};

use crate::errors::Error;
use crate::numbers::{Number, thread_count};
use crate::texts::is_second;

/// The name of a metric, `'dtz'` or `'dtm'`.
pub(crate) struct MetricArg(pub(super) Metric);

impl FromPyObject<'_, '_> for MetricArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text: String = object.extract()?;
        Ok(MetricArg(
            match is_second("metric", &text, ["dtz", "dtm"])? {
                true => Metric::Dtm,
                false => Metric::Dtz,
            },
        ))
    }
}

/// A size in bytes, as a number or as a text such as `'512M'`.
pub(crate) struct SizeArg(pub(super) u64);

impl FromPyObject<'_, '_> for SizeArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) => {
                let text = text.to_cow()?;
                let size = parse_size(&text);
                size.map_err(|error| Error::new_err(format!("{text:?}: {error}")))
            }
            Err(_) => object.extract().map(|Number(size)| size),
        }
        .map(SizeArg)
    }
}

/// Threads of their own for work.
pub(super) fn pool(threads: Option<Number<usize>>) -> PyResult<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(thread_count(threads)?)
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("can't start threads: {error}")))
}
