//! Arrow's arrays, by the Arrow PyCapsule interface.

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::types::{
    ArrowPrimitiveType, Int32Type, Int64Type, UInt8Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_schema::{ArrowError, Field};
use bytes::Bytes;
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{Element, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tbindex::store::StoredWord;

use crate::views::read_only;

/// Words of which Arrow has arrays.
pub(crate) trait ArrowWord: StoredWord + Element + ArrowNativeType {
    /// The type of their arrays.
    type Type: ArrowPrimitiveType<Native = Self>;
}

impl ArrowWord for u32 {
    type Type = UInt32Type;
}

impl ArrowWord for u64 {
    type Type = UInt64Type;
}

/// The memory of an owner, which gives always the same bytes in the same place.
pub(crate) fn buffer(owner: impl AsRef<[u8]> + Send + 'static) -> Buffer {
    match Bytes::from_owner(owner) {
        bytes if bytes.is_empty() => Buffer::default(),
        bytes => bytes.into(),
    }
}

/// The error of Arrow as one of Python.
pub(crate) fn raised(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The capsule of a schema or of a type.
pub(crate) fn schema_capsule<'py>(
    py: Python<'py>,
    schema: impl TryInto<FFI_ArrowSchema, Error = ArrowError>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, schema.try_into().map_err(raised)?, c"arrow_schema")
}

/// The capsules that `__arrow_c_array__` returns.
pub(crate) type Capsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);

/// The capsules of an array.
pub(crate) fn capsules<'py>(
    py: Python<'py>,
    array: &dyn Array,
    nullable: bool,
) -> PyResult<Capsules<'py>> {
    let field = Field::new("", array.data_type().clone(), nullable);
    let array = FFI_ArrowArray::new(&array.to_data());
    Ok((
        schema_capsule(py, &field)?,
        PyCapsule::new_with_value(py, array, c"arrow_array")?,
    ))
}

/// The object to which a numpy array over Arrow's memory refers.
#[pyclass(module = "tbindex._tbindex", frozen)]
struct Imported(ArrayRef);

/// The array of an object that has `__arrow_c_array__`, or `None` if it does not.
pub(crate) fn import_array(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Option<ArrayRef>> {
    let Ok(method) = object.getattr(intern!(object.py(), "__arrow_c_array__")) else {
        return Ok(None);
    };
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = method.call0()?.extract()?;
    taken(
        name,
        schema.cast::<PyCapsule>()?,
        array.cast::<PyCapsule>()?,
    )
    .map(Some)
}

/// The numpy array over the memory of an object that has `__arrow_c_array__`, or `None` if it does not.
///
/// Elements are `uint8`, `uint32`, `uint64`, `int32` or `int64`, or lists of so many `uint8`, which become rows.
pub(crate) fn import<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
    let py = object.py();
    let Some(array) = import_array(name, object)? else {
        return Ok(None);
    };
    let owner = Bound::new(py, Imported(array))?;
    let (array, object) = (&owner.get().0, owner.clone().into_any());
    if let Some(rows) = array.as_fixed_size_list_opt()
        && let Some(squares) = rows.values().as_primitive_opt::<UInt8Type>()
    {
        check_nulls(name, rows)?;
        check_nulls(name, squares)?;
        let shape = (rows.len(), rows.value_length() as usize);
        let rows = ArrayView2::from_shape(shape, squares.values());
        let rows = rows.map_err(|error| PyValueError::new_err(error.to_string()))?;
        return read_only(&rows, object).map(Some);
    }
    check_nulls(name, array)?;
    let view = if let Some(squares) = array.as_primitive_opt::<UInt8Type>() {
        read_only(&ArrayView1::from(&**squares.values()), object)
    } else if let Some(words) = array.as_primitive_opt::<UInt32Type>() {
        read_only(&ArrayView1::from(&**words.values()), object)
    } else if let Some(words) = array.as_primitive_opt::<UInt64Type>() {
        read_only(&ArrayView1::from(&**words.values()), object)
    } else if let Some(words) = array.as_primitive_opt::<Int32Type>() {
        read_only(&ArrayView1::from(&**words.values()), object)
    } else if let Some(words) = array.as_primitive_opt::<Int64Type>() {
        read_only(&ArrayView1::from(&**words.values()), object)
    } else {
        Err(wrong_type(name, array.data_type()))
    };
    view.map(Some)
}

/// The array in the capsules that `__arrow_c_array__` returned. The capsule of the array holds nothing afterwards.
fn taken(
    name: &str,
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> PyResult<ArrayRef> {
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.pointer_checked(Some(c"arrow_array"))?;
    #[expect(unsafe_code, reason = "the capsules' pointers lead there")]
    // SAFETY: capsules of these names point to such structures, and an array may be moved away if one without
    // `release` is left. No other code runs meanwhile. The specification says that the array is of the schema's type.
    unsafe {
        let schema = schema.cast::<FFI_ArrowSchema>().as_ref();
        let array = FFI_ArrowArray::from_raw(array.cast().as_ptr());
        if schema.release().is_none() || array.is_released() {
            return Err(PyValueError::new_err(
                "an Arrow array that was released or taken before: expected new capsules from each call of __arrow_c_array__",
            ));
        }
        let data = from_ffi(array, schema).map_err(|_| wrong_type(name, schema.format()))?;
        Ok(make_array(data))
    }
}

fn wrong_type(name: &str, found: impl std::fmt::Debug) -> PyErr {
    PyTypeError::new_err(format!(
        "{name}: an Arrow array of the type {found:?}: expected uint32 or uint64, or uint8 for squares"
    ))
}

fn check_nulls(name: &str, array: &dyn Array) -> PyResult<()> {
    match array.null_count() {
        0 => Ok(()),
        _ => Err(PyValueError::new_err(format!(
            "{name}: the Arrow array has nulls: expected none"
        ))),
    }
}
