//! Arguments of probers and generators.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tbgen::Metric;

use crate::texts::is_second;

/// The name of a metric, `'dtz'` or `'dtm'`.
pub(crate) struct MetricArg(pub(super) Metric);

impl FromPyObject<'_, '_> for MetricArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let word = object.extract()?;
        Ok(MetricArg(
            match is_second("metric", word, ["dtz", "dtm"])? {
                true => Metric::Dtm,
                false => Metric::Dtz,
            },
        ))
    }
}

/// Threads of their own for work.
pub(super) fn pool(threads: usize) -> PyResult<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("can't start threads: {error}")))
}
