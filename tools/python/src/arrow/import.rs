//! Arrow arrays as arguments.

use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{Element, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::interface::{Array, Schema, taken};
use crate::views::read_only;

/// The object to which a numpy array over Arrow's memory refers.
#[pyclass(module = "tbindex._tbindex", frozen)]
struct Imported(Array);

/// The numpy array over the memory of an object that has `__arrow_c_array__`, or `None` if it does not.
///
/// Elements are `uint8`, `uint32` or `uint64`, or lists of so many `uint8`, which become rows.
pub(crate) fn import<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
    let py = object.py();
    let Ok(method) = object.getattr(intern!(py, "__arrow_c_array__")) else {
        return Ok(None);
    };
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = method.call0()?.extract()?;
    let (schema, array) = taken(schema.cast::<PyCapsule>()?, array.cast::<PyCapsule>()?)?;
    let owner = Bound::new(py, Imported(array))?;
    let array = numpy_array(name, &schema, &owner)?;
    Ok(Some(array))
}

fn numpy_array<'py>(
    name: &str,
    schema: &Schema,
    owner: &Bound<'py, Imported>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let (format, array) = (schema.format(), &owner.get().0);
    let width = format
        .strip_prefix("+w:")
        .and_then(|width| width.parse::<usize>().ok());
    if let (Some(width), Some(child), Some(part)) = (width, schema.child(), array.child())
        && child.format() == "C"
    {
        check_nulls(name, array)?;
        check_nulls(name, part)?;
        let (rows, first_row) = extent(name, array)?;
        let (parts, first) = extent(name, part)?;
        let start = first_row.checked_mul(width);
        let count = rows.checked_mul(width);
        let (Some(start), Some(count)) = (start, count) else {
            return Err(PyValueError::new_err(format!(
                "{name}: an impossible Arrow array"
            )));
        };
        if start.checked_add(count).is_none_or(|end| end > parts) {
            return Err(PyValueError::new_err(format!(
                "{name}: an impossible Arrow array"
            )));
        }
        let squares = elements::<u8>(name, part, first + start, count)?;
        let rows = ArrayView2::from_shape((rows, width), squares);
        let rows = rows.map_err(|error| PyValueError::new_err(error.to_string()))?;
        return read_only(&rows, owner.clone().into_any());
    }
    check_nulls(name, array)?;
    let (count, first) = extent(name, array)?;
    let owner_object = owner.clone().into_any();
    match &*format {
        "C" => read_only(
            &ArrayView1::from(elements::<u8>(name, array, first, count)?),
            owner_object,
        ),
        "I" => read_only(
            &ArrayView1::from(elements::<u32>(name, array, first, count)?),
            owner_object,
        ),
        "L" => read_only(
            &ArrayView1::from(elements::<u64>(name, array, first, count)?),
            owner_object,
        ),
        _ => Err(PyTypeError::new_err(format!(
            "{name}: an Arrow array of the type {format:?}: expected uint32 or uint64, or uint8 for squares"
        ))),
    }
}

fn extent(name: &str, array: &Array) -> PyResult<(usize, usize)> {
    let extent = array.extent();
    extent.ok_or_else(|| PyValueError::new_err(format!("{name}: an impossible Arrow array")))
}

fn check_nulls(name: &str, array: &Array) -> PyResult<()> {
    match array.has_nulls() {
        true => Err(PyValueError::new_err(format!(
            "{name}: the Arrow array has nulls: expected none"
        ))),
        false => Ok(()),
    }
}

/// Some elements of an array, from the first on that is given.
fn elements<'a, T: Element>(
    name: &str,
    array: &'a Array,
    first: usize,
    count: usize,
) -> PyResult<&'a [T]> {
    let values = array.buffer(1).cast::<T>();
    if count == 0 {
        return Ok(&[]);
    }
    if values.is_null() || !values.is_aligned() {
        return Err(PyValueError::new_err(format!(
            "{name}: the Arrow array's memory is not aligned"
        )));
    }
    #[expect(unsafe_code, reason = "memory of the array's maker")]
    // SAFETY: the specification says that the buffer has all elements up to the array's last. They stay until
    // the array is released, which its borrower does not outlive. Every bit pattern is an element.
    Ok(unsafe { std::slice::from_raw_parts(values.add(first), count) })
}
