//! The sizes of tables.

use pyo3::prelude::*;
use tbindex::{Estimate, Material};

use crate::errors::Error;
use crate::material::{MaterialArg, PyMaterial};
use crate::numbers::Number;

/// The number of slots that one scheme needs for a material, for one side to move.
#[pyclass(name = "Estimate", module = "tbindex", frozen, eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyEstimate(Estimate, Material);

#[pymethods]
impl PyEstimate {
    fn __repr__(&self) -> String {
        let Estimate { scheme, slots, .. } = self.0;
        format!("<Estimate {scheme}: {slots} slots>")
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (PyMaterial, &'static str))> {
        let module = slf.py().import("tbindex._tbindex")?;
        let PyEstimate(estimate, material) = *slf.get();
        Ok((
            module.getattr("_estimate")?,
            (PyMaterial(material), estimate.scheme),
        ))
    }

    /// The name of the scheme: ``'orbit'``, ``'triangle'``, ``'kings'``; ``'compact_exact'`` for
    /// ``Compact(material)``, ``'compact_both'`` for ``Compact(material, exact=False)``, and ``'compact_all'``,
    /// ``'compact_distinct'`` and ``'compact_shared'`` for its other rules.
    #[getter]
    fn scheme(&self) -> &'static str {
        self.0.scheme
    }

    /// Which positions have a slot, in words.
    #[getter]
    fn room(&self) -> &'static str {
        self.0.room
    }

    /// The number of slots.
    #[getter]
    fn slots(&self) -> u128 {
        self.0.slots
    }

    /// The size in bytes of a table with this number of bits for each slot.
    fn bytes(&self, bits: Number<u32>) -> PyResult<u128> {
        let bytes = self.0.bytes(bits.0);
        bytes.ok_or_else(|| Error::new_err("the size has more than 128 bits"))
    }
}

/// What every scheme would cost for a material of up to 21 pieces, without making any.
///
/// >>> {estimate.scheme: estimate.slots for estimate in estimate("KRRvK")}["compact_exact"]
/// 854238
#[pyfunction]
pub(crate) fn estimate(material: MaterialArg) -> Vec<PyEstimate> {
    let all = Estimate::all(material.0).into_iter();
    all.map(|estimate| PyEstimate(estimate, material.0))
        .collect()
}

/// The estimate that was pickled.
#[pyfunction]
#[pyo3(name = "_estimate")]
pub(crate) fn unpickled_estimate(material: MaterialArg, scheme: &str) -> PyResult<PyEstimate> {
    let all = Estimate::all(material.0).into_iter();
    let found = all.into_iter().find(|estimate| estimate.scheme == scheme);
    found
        .map(|estimate| PyEstimate(estimate, material.0))
        .ok_or_else(|| Error::new_err(format!("{scheme:?} is no scheme of estimates")))
}
