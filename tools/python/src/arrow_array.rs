//! Results as Arrow arrays.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, FixedSizeListArray, PrimitiveArray, UInt8Array};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrays::{Input, Words, for_words, is_masked, mask_of};
use crate::arrow::{ArrowWord, Capsules, buffer, capsules, raised, schema_capsule};
use crate::classes::getters;
use crate::dense::no_slot;
use crate::frames::bools;
use crate::memory::Held;

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
pub(crate) struct PyArrow(ArrayRef);

/// The nulls among so many elements, if there are any.
fn nulls(count: usize, is_valid: impl Fn(usize) -> bool) -> Option<NullBuffer> {
    let nulls = NullBuffer::new(BooleanBuffer::collect_bool(count, is_valid));
    Some(nulls).filter(|nulls| nulls.null_count() > 0)
}

getters! { PyArrow, array;
    /// The number of elements that are null.
    null_count: usize = array.0.null_count();
}

#[pymethods]
impl PyArrow {
    #[new]
    fn new(array: &Bound<'_, PyAny>) -> PyResult<PyArrow> {
        let py = array.py();
        let masked = is_masked(array)?.then(|| mask_of(array)).transpose()?;
        let plain = match masked {
            Some(_) => array.getattr(intern!(py, "data"))?,
            None => array.clone(),
        };
        let is_valid = |k: usize| masked.as_ref().is_none_or(|mask| !mask[k]);
        if let Ok(answers) = plain.cast::<PyArrayDyn<bool>>() {
            let answers = bools(answers)?;
            let nulls = nulls(answers.len(), is_valid);
            let array = BooleanArray::new(BooleanBuffer::from(answers), nulls);
            return Ok(PyArrow(Arc::new(array)));
        }
        if let Ok(bytes) = plain.cast::<PyArrayDyn<u8>>() {
            let shape = bytes.shape().to_vec();
            let bytes = ScalarBuffer::from(buffer(Held::new(bytes)?));
            let nulls = nulls(bytes.len(), is_valid);
            let bytes = Arc::new(UInt8Array::new(bytes, nulls));
            return Ok(match *shape {
                [_] => PyArrow(bytes),
                [rows, width] => {
                    let item = Arc::new(Field::new("item", DataType::UInt8, false));
                    let width = i32::try_from(width)?;
                    let rows =
                        FixedSizeListArray::try_new_with_length(item, width, bytes, None, rows);
                    PyArrow(Arc::new(rows.map_err(raised)?))
                }
                _ => return Err(one_axis()),
            });
        }
        for_words!(Words::new("array", &plain)?, words => PyArrow::of_words(words, is_valid))
    }

    /// The number of elements.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsules<'py>> {
        // A request is a wish only.
        drop(requested_schema);
        capsules(py, &self.0, self.is_nullable())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let of = self.0.data_type().clone();
        schema_capsule(py, Field::new("", of, self.is_nullable()))
    }
}

fn one_axis() -> PyErr {
    PyTypeError::new_err("array: expected an array with one axis, or rows of squares with two")
}

impl PyArrow {
    /// Whether elements may be null: slots, indices and answers, and squares if they are masked.
    fn is_nullable(&self) -> bool {
        let of = self.0.data_type();
        self.0.null_count() > 0 || !matches!(of, DataType::UInt8 | DataType::FixedSizeList(..))
    }

    fn of_words<T: ArrowWord>(
        array: Input<'_, T>,
        is_valid: impl Fn(usize) -> bool,
    ) -> PyResult<PyArrow> {
        if array.shape().len() != 1 {
            return Err(one_axis());
        }
        let nulls = {
            let reading = array.read()?;
            let slots = reading.slice();
            nulls(slots.len(), |k| slots[k] != no_slot() && is_valid(k))
        };
        let words = ScalarBuffer::from(buffer(array.held()?));
        let array = PrimitiveArray::<T::Type>::new(words, nulls);
        Ok(PyArrow(Arc::new(array)))
    }
}
