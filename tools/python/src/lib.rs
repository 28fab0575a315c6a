//! The extension module `tbindex._tbindex`: the library's operations on numpy arrays.
//!
//! `python/tbindex` puts the package together. The enumerations are there, and everything else is here.
//! `arrays` turns Python objects into slices and back. `memory`, `views`, `arrow` and `store::file`, which maps files, are
//! the only modules with unsafe code.

mod answers;
mod arrays;
mod arrow;
mod arrow_array;
mod borrows;
mod by_word;
mod classes;
mod dense;
mod enumeration;
mod enums;
mod equivalence;
mod errors;
mod fairy;
mod frames;
mod layout;
mod material;
mod memory;
mod moves;
mod numbers;
mod parts;
mod placement;
mod store;
mod tables;
mod texts;
mod views;
mod watch;

use pyo3::prelude::*;

/// The compiled part of the package; import `tbindex` instead.
#[pymodule]
mod _tbindex {
    use numpy::{PyArray1, PyArrayMethods};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The functions of numpy are looked up here, as where they are used a signal would make that a panic.
        PyArray1::<u8>::zeros(module.py(), 1, false).try_readwrite()?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    #[pymodule_export]
    use super::{
        arrow_array::PyArrow,
        dense::{PyCompact, PyDense, PyKings, PyOrbit, PyTriangle},
        enumeration::PyEnumeration,
        enums::{apply_symmetry, compose, inverse, numbering_picture},
        equivalence::PyEquivalence,
        errors::{Error, StoreError},
        fairy::{PyLeaper, PyVerdict},
        layout::PyLayout,
        material::{PyMaterial, estimate},
        moves::PyMoves,
        placement::PyPlacementCodec,
        store::{
            PyIndexFile, change_numbering, difference, intersection, reduce, transform, union,
            write,
        },
        tables::{MissingTableError, PyTables, generate},
    };
}
