//! The sizes of tables.

use pyo3::prelude::*;
use tbindex::Estimate;

use crate::material::MaterialArg;

/// The scheme, which positions have a slot, and the number of slots of each estimate for a material.
#[pyfunction]
pub(crate) fn estimates(material: MaterialArg) -> Vec<(&'static str, &'static str, u128)> {
    let all = Estimate::all(material.0).into_iter();
    all.map(|of| (of.scheme, of.room, of.slots)).collect()
}
