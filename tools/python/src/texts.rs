//! Many texts as one argument.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString};

use crate::arrow::import_array;

/// The texts of an argument, and `None` for each that is missing: those of an Arrow array or of its chunks, or of anything that
/// can be iterated over, where `None` and NaN stand for missing ones.
pub(crate) fn texts(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Option<String>>> {
    let refused = |found: &Bound<'_, PyAny>| {
        let of = found.get_type().name().map(|name| name.to_string());
        let of = of.unwrap_or_default();
        PyTypeError::new_err(format!(
            "{name}: {of}: expected texts, each a FEN or EPD line"
        ))
    };
    if object.hasattr(intern!(object.py(), "columns"))? {
        let message = format!("{name}: a table: expected texts, such as one of its columns");
        return Err(PyTypeError::new_err(message));
    }
    if object.is_instance_of::<PyString>() {
        return Err(refused(object));
    }
    if object.hasattr(intern!(object.py(), "iterchunks"))? {
        let chunks = object.call_method0("iterchunks")?.try_iter()?;
        let all: PyResult<Vec<_>> = chunks.map(|chunk| texts(name, &chunk?)).collect();
        return Ok(all?.into_iter().flatten().collect());
    }
    if let Some(array) = import_array(name, object)? {
        return of_arrow(&array).ok_or_else(|| refused(object));
    }
    let text = |(place, item): (usize, PyResult<Bound<'_, PyAny>>)| {
        let item = item?;
        let number = item.cast::<PyFloat>();
        if item.is_none() || number.is_ok_and(|number| number.value().is_nan()) {
            return Ok(None);
        }
        let text = item.cast::<PyString>().map_err(|_| {
            let error = refused(&item);
            PyTypeError::new_err(format!("position {place}: {}", error.value(item.py())))
        })?;
        Ok(Some(text.to_cow()?.into_owned()))
    };
    let all = object.try_iter().map_err(|_| refused(object))?;
    all.enumerate().map(text).collect()
}

fn of_arrow(array: &ArrayRef) -> Option<Vec<Option<String>>> {
    fn owned<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<String>> {
        texts.map(|text| text.map(str::to_owned)).collect()
    }
    Some(match array.data_type() {
        DataType::Utf8 => owned(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => owned(array.as_string::<i64>().iter()),
        DataType::Utf8View => owned(array.as_string_view().iter()),
        DataType::Null => vec![None; array.len()],
        _ => return None,
    })
}

/// Whether an argument, which is one of two words, is the second.
pub(crate) fn is_second(name: &str, word: &str, [first, second]: [&str; 2]) -> PyResult<bool> {
    match word == second {
        false if word != first => Err(PyValueError::new_err(format!(
            "{name}: {word:?}: expected '{first}' or '{second}'"
        ))),
        is_second => Ok(is_second),
    }
}

/// Whether an object is one text, which is a sequence, too.
pub(crate) fn is_text(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>()
}
