//! What tables cost.

use pyo3::prelude::*;
use tbindex::Estimate;

use crate::errors::Error;
use crate::material::MaterialArg;
use crate::numbers::Number;

/// The number of slots that one scheme needs for a material, for one side to move.
#[pyclass(name = "Estimate", module = "tbindex", frozen, eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyEstimate(Estimate);

#[pymethods]
impl PyEstimate {
    fn __repr__(&self) -> String {
        let Estimate { scheme, slots, .. } = self.0;
        format!("<Estimate {scheme}: {slots} slots>")
    }

    /// The name of the scheme: ``'orbit'``, ``'triangle'``, ``'kings'``, ``'compact_exact'``, ….
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
    let all = Estimate::all(material.0);
    all.into_iter().map(PyEstimate).collect()
}
