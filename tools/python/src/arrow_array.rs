//! Results as Arrow arrays.

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tbindex::Word;

use crate::arrays::{Held, Input, Words, is_masked, mask_of};
use crate::arrow::{Buffer, Capsules, Data, Schema, Type, capsules};

/// A result of this package as an Arrow array.
///
/// Slots that do not exist (``NO_SLOT``) are null, and so are masked elements. Rows of squares, of shape
/// (positions, pieces), are lists of fixed length. The memory is shared, not copied, so the numpy array must
/// not be changed afterwards. Whatever knows the Arrow PyCapsule interface takes it: ``pyarrow.array``,
/// ``polars.Series``, …
///
/// >>> slots = Kings(Layout(2)).rank(np.array([0o0001, 0o0002], np.uint32))
/// >>> len(ArrowArray(slots)), ArrowArray(slots).null_count
/// (2, 1)
#[pyclass(name = "ArrowArray", module = "tbindex", frozen)]
pub(crate) struct PyArrow {
    of: Type,
    data: Data,
}

/// A bitmap in which element k is valid.
fn bitmap(count: usize, valid: impl Fn(usize) -> bool) -> (Option<Buffer>, usize) {
    let mut bits = vec![0u8; count.div_ceil(8)];
    let mut nulls = 0;
    for k in 0..count {
        let valid = valid(k);
        bits[k / 8] |= u8::from(valid) << (k % 8);
        nulls += usize::from(!valid);
    }
    match nulls {
        0 => (None, 0),
        _ => (Some(Buffer::new(bits)), nulls),
    }
}

#[pymethods]
impl PyArrow {
    #[new]
    fn new(array: &Bound<'_, PyAny>) -> PyResult<PyArrow> {
        let py = array.py();
        let masked = match is_masked(array)? {
            true => Some(mask_of(array)?),
            false => None,
        };
        let plain = match masked {
            Some(_) => array.getattr(intern!(py, "data"))?,
            None => array.clone(),
        };
        let is_valid = |k: usize| masked.as_ref().is_none_or(|mask| !mask[k]);
        if let Ok(bools) = plain.cast::<PyArrayDyn<bool>>() {
            let bools = bools.try_readonly()?;
            let bools: Vec<bool> = bools.as_array().iter().copied().collect();
            let (valid, null_count) = bitmap(bools.len(), is_valid);
            let mut bits = vec![0u8; bools.len().div_ceil(8)];
            for (k, &is) in bools.iter().enumerate() {
                bits[k / 8] |= u8::from(is) << (k % 8);
            }
            let of = Type {
                format: "b".to_owned(),
                nullable: true,
                ..Type::default()
            };
            let data = Data {
                length: bools.len(),
                offset: 0,
                null_count,
                buffers: vec![valid, Some(Buffer::new(bits))],
                children: Vec::new(),
            };
            return Ok(PyArrow { of, data });
        }
        if let Ok(bytes) = plain.cast::<PyArrayDyn<u8>>() {
            let shape = bytes.shape().to_vec();
            let held = Held::new(bytes)?;
            let bytes = Data {
                length: shape.iter().product(),
                offset: 0,
                null_count: 0,
                buffers: vec![None, Some(Buffer::new(held))],
                children: Vec::new(),
            };
            let of = Type {
                format: "C".to_owned(),
                name: "item".to_owned(),
                ..Type::default()
            };
            return Ok(match *shape {
                [_] => PyArrow { of, data: bytes },
                [rows, width] => PyArrow {
                    of: Type {
                        format: format!("+w:{width}"),
                        children: vec![of],
                        ..Type::default()
                    },
                    data: Data {
                        length: rows,
                        offset: 0,
                        null_count: 0,
                        buffers: vec![None],
                        children: vec![bytes],
                    },
                },
                _ => return Err(one_axis()),
            });
        }
        match Words::new("array", &plain)? {
            Words::Narrow(words) => PyArrow::of_words(words, u32::MAX, is_valid),
            Words::Wide(words) => PyArrow::of_words(words, u64::MAX, is_valid),
        }
    }

    /// The number of elements.
    fn __len__(&self) -> usize {
        self.data.length
    }

    /// The number of elements that are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.data.null_count
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsules<'py>> {
        // A request is a wish only.
        drop(requested_schema);
        capsules(py, self.of.clone(), self.data.clone())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Schema::new(&self.of).into_capsule(py)
    }
}

fn one_axis() -> PyErr {
    PyTypeError::new_err("array: expected an array with one axis, or rows of squares with two")
}

impl PyArrow {
    fn of_words<T: Word + numpy::Element>(
        array: Input<'_, T>,
        no_slot: T,
        is_valid: impl Fn(usize) -> bool,
    ) -> PyResult<PyArrow> {
        if array.shape().len() != 1 {
            return Err(one_axis());
        }
        let (valid, null_count) = {
            let reading = array.read()?;
            let slots = reading.slice();
            bitmap(slots.len(), |k| slots[k] != no_slot && is_valid(k))
        };
        let length = array.shape()[0];
        Ok(PyArrow {
            of: Type::words(T::BITS, true),
            data: Data {
                length,
                offset: 0,
                null_count,
                buffers: vec![valid, Some(Buffer::new(array.held()?))],
                children: Vec::new(),
            },
        })
    }
}
