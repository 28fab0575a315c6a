//! Texts as arguments: one, or many.

use std::str::FromStr;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyFrozenSet, PyIterator, PySet, PyString};

use crate::arrow::import_array;
use crate::errors::{Named, OrRaise, Refusal, unexpected};
use crate::frames::refuse_frame;

/// The number of texts that are read at a time.
pub(crate) const AT_A_TIME: usize = 1 << 14;

/// The text that an object is: one of Python, bytes, or the FEN of a board of python-chess. A byte or a surrogate that is no character becomes U+FFFD.
pub(crate) fn one_text(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Some(text.to_string_lossy().into_owned()));
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Some(lossy(bytes.as_bytes())));
    }
    let fen = object.getattr_opt(intern!(object.py(), "fen"))?;
    // A column of a frame may have this name, too.
    match fen.filter(PyAnyMethods::is_callable) {
        Some(fen) => fen.call0()?.extract().map(Some),
        None => Ok(None),
    }
}

/// The argument ``fen``.
pub(crate) struct TextArg(pub(crate) String);

impl FromPyObject<'_, '_> for TextArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = one_text(&object)?;
        text.map(TextArg)
            .ok_or_else(|| unexpected("fen", &object, "a text, which is a FEN or EPD line"))
    }
}

/// A word as an argument, or the error that it is of another type.
pub(crate) struct Keyword(PyResult<String>);

impl Keyword {
    /// A word that is the default.
    pub(crate) fn new(word: &str) -> Keyword {
        Keyword(Ok(word.to_owned()))
    }

    /// The word of an argument with this name.
    pub(crate) fn named(self, name: &str) -> PyResult<String> {
        self.0.named(name)
    }

    /// The value for which the word of an argument with this name stands.
    pub(crate) fn parsed<T: FromStr<Err: Refusal>>(self, name: &str) -> PyResult<T> {
        self.named(name)?.parse().or_raise().named(name)
    }
}

impl FromPyObject<'_, '_> for Keyword {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Keyword(match object.cast::<PyString>() {
            Ok(text) => Ok(text.to_string_lossy().into_owned()),
            Err(_) => {
                let found = object.get_type().name()?;
                let message = format!("{found}: expected a text");
                Err(PyTypeError::new_err(message))
            }
        }))
    }
}

/// The texts of an argument, of which some are taken at a time: those of an Arrow array or of its chunks, or of anything that can
/// be iterated over.
pub(crate) struct Texts<'py> {
    name: &'static str,
    object: Bound<'py, PyAny>,
    /// The Arrow array that is being read.
    array: Option<ArrayRef>,
    /// The chunks of Arrow, or the texts, that come next.
    next: Option<Bound<'py, PyIterator>>,
    in_chunks: bool,
    taken: usize,
    /// How many there are in all, if that is known.
    pub(crate) total: Option<usize>,
}

impl<'py> Texts<'py> {
    pub(crate) fn new(name: &'static str, object: &Bound<'py, PyAny>) -> PyResult<Texts<'py>> {
        let py = object.py();
        refuse_frame(name, object)?;
        if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
            let message =
                format!("{name}: a set, which has no order: expected a sequence of texts");
            return Err(PyTypeError::new_err(message));
        }
        let in_chunks = object.hasattr(intern!(py, "iterchunks"))?;
        let array = import_array(name, object)?;
        let next = match in_chunks {
            _ if array.is_some() => None,
            true => Some(object.call_method0("iterchunks")?.try_iter()?),
            false if is_text(object) => return Err(refused(name, object)),
            false => Some(object.try_iter().map_err(|_| refused(name, object))?),
        };
        Ok(Texts {
            name,
            array,
            next,
            in_chunks,
            taken: 0,
            total: object.len().ok(),
            object: object.clone(),
        })
    }

    /// How many were taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Up to so many of the texts that come next, and `None` for each that is missing: for Arrow's nulls, None, NaN and NA. There are
    /// none in the end alone.
    pub(crate) fn take(&mut self, most: usize) -> PyResult<Vec<Option<String>>> {
        loop {
            if let Some(array) = &self.array {
                let some = array.slice(0, most.min(array.len()));
                let rest = array.slice(some.len(), array.len() - some.len());
                let texts = of_arrow(&some).ok_or_else(|| refused(self.name, &self.object))?;
                self.array = Some(rest).filter(|rest| !rest.is_empty());
                if !texts.is_empty() {
                    self.taken += texts.len();
                    return Ok(texts);
                }
            }
            let Some(next) = &mut self.next else {
                return Ok(Vec::new());
            };
            if !self.in_chunks {
                let items = next.by_ref().take(most).zip(self.taken..);
                let texts: PyResult<Vec<_>> = items
                    .map(|(item, place)| text_or_none(self.name, place, &item?))
                    .collect();
                let texts = texts?;
                self.taken += texts.len();
                return Ok(texts);
            }
            match next.next() {
                Some(chunk) => self.array = import_array(self.name, &chunk?)?,
                None => self.next = None,
            }
        }
    }
}

/// All texts of an argument.
pub(crate) fn texts(
    name: &'static str,
    object: &Bound<'_, PyAny>,
) -> PyResult<Vec<Option<String>>> {
    let (mut texts, mut all) = (Texts::new(name, object)?, Vec::new());
    loop {
        match texts.take(usize::MAX)? {
            some if some.is_empty() => return Ok(all),
            some => all.extend(some),
        }
    }
}

fn text_or_none(name: &str, place: usize, item: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let is_nan = |number: &Bound<'_, PyFloat>| number.value().is_nan();
    if item.is_none() || item.cast::<PyFloat>().is_ok_and(is_nan) {
        return Ok(None);
    }
    match one_text(item)? {
        Some(text) => Ok(Some(text)),
        // The missing value of pandas.
        None if item.get_type().name()? == "NAType" => Ok(None),
        None => {
            let error = refused(name, item);
            let message = format!("position {place}: {}", error.value(item.py()));
            Err(PyTypeError::new_err(message))
        }
    }
}

fn refused(name: &str, found: &Bound<'_, PyAny>) -> PyErr {
    unexpected(name, found, "texts, each a FEN or EPD line")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn of_arrow(array: &ArrayRef) -> Option<Vec<Option<String>>> {
    fn owned<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<String>> {
        texts.map(|text| text.map(str::to_owned)).collect()
    }
    fn decoded<'a>(texts: impl Iterator<Item = Option<&'a [u8]>>) -> Vec<Option<String>> {
        texts.map(|text| text.map(lossy)).collect()
    }
    Some(match array.data_type() {
        DataType::Utf8 => owned(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => owned(array.as_string::<i64>().iter()),
        DataType::Utf8View => owned(array.as_string_view().iter()),
        DataType::Binary => decoded(array.as_binary::<i32>().iter()),
        DataType::LargeBinary => decoded(array.as_binary::<i64>().iter()),
        DataType::BinaryView => decoded(array.as_binary_view().iter()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let texts = of_arrow(dictionary.values())?;
            if texts.is_empty() {
                return Some(vec![None; array.len()]);
            }
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            let text =
                |(place, key): (usize, usize)| array.is_valid(place).then(|| texts[key].clone());
            keys.map(|key| text(key).flatten()).collect()
        }
        DataType::Null => vec![None; array.len()],
        _ => return None,
    })
}

/// Whether an argument, which is one of two words, is the second.
pub(crate) fn is_second(name: &str, word: Keyword, [first, second]: [&str; 2]) -> PyResult<bool> {
    let word = word.named(name)?;
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
