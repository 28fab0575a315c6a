//! Numpy arrays as slices, in and out.
//!
//! A function takes an array of the right type and of any shape. If the array is contiguous, aligned and in
//! the machine's byte order, it is used where it lies; otherwise it is copied first. An `out` array gets
//! the result in the same way: directly, or through a copy. Arrays may overlap as in numpy, and the result
//! is as if they did not. Only two outputs must not overlap. An array of Arrow is used where it lies, too, and
//! whatever else numpy makes an array of (`__array__`) is taken as that array. Signed words are taken as unsigned ones, of
//! which none that was negative is an index. Masked elements are refused, as results would not be masked.

use std::ops::Range;

use numpy::{
    Element, PyArray, PyArrayDescr, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyTuple, PyType};
use tbindex::batch::OutOfRange;

use crate::arrow;
use crate::borrows::overlap;
use crate::errors::{Error, Refusal};
use crate::frames::{bools, is_frame, refuse_frame, squares};
use crate::memory::{Held, Reading, Writing, addresses, copied, is_writable, lies_well};
use crate::numbers::Number;

/// An array or a number, which is an argument.
pub(crate) type In<'a, 'py> = &'a Bound<'py, PyAny>;

/// The array for a result, if the caller gives one.
pub(crate) type Out<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The result of a call, such as an array or a number, or an exception.
pub(crate) type Made<'py> = PyResult<Bound<'py, PyAny>>;

/// The number of bytes from which on the interpreter's lock is released while a call works. For fewer, the
/// release would take longer than the work.
const RELEASE_BYTES: usize = 1 << 14;

/// Does some work on so many bytes, without the interpreter's lock if that pays.
pub(crate) fn work<R: Send>(py: Python<'_>, bytes: usize, job: impl FnOnce() -> R + Send) -> R {
    match bytes < RELEASE_BYTES {
        true => job(),
        false => py.detach(job),
    }
}

/// The words that indices are made of.
pub(crate) enum Words<'py> {
    /// Up to five pieces.
    Narrow(Input<'py, u32>),
    /// Up to ten.
    Wide(Input<'py, u64>),
}

/// Evaluates an expression for the type that the words have, if need be with the value of a [`ByWord`](crate::by_word::ByWord) for
/// that type.
macro_rules! for_words {
    ($words:expr, $input:ident => $value:expr) => {
        match $words {
            $crate::arrays::Words::Narrow($input) => $value,
            $crate::arrays::Words::Wide($input) => $value,
        }
    };
    ($words:expr, $input:ident, $of_word:ident in $by_word:expr => $value:expr) => {
        match $words {
            $crate::arrays::Words::Narrow($input) => {
                let $of_word = $by_word.narrow()?;
                $value
            }
            $crate::arrays::Words::Wide($input) => {
                let $of_word = &$by_word.wide;
                $value
            }
        }
    };
}

/// Evaluates an expression of a type that is the word of a file or a layout.
macro_rules! of_word {
    ($word:expr, $type:ident => $value:expr) => {
        match $word {
            tbindex::store::FileWord::U32 => {
                type $type = u32;
                $value
            }
            tbindex::store::FileWord::U64 => {
                type $type = u64;
                $value
            }
        }
    };
}

pub(crate) use {for_words, of_word};

impl<'py> Words<'py> {
    /// The array of `uint32` or `uint64` that an argument is. A number of Python is one of `uint64`.
    pub(crate) fn new(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Words<'py>> {
        let expected = "uint32 or uint64";
        let (array, is_scalar) = match object.is_exact_instance_of::<PyInt>() {
            true => {
                let number = object.extract::<Number<u64>>()?.named(name)?;
                let numpy = object.py().import(intern!(object.py(), "numpy"))?;
                argument(name, &numpy.call_method1("uint64", (number,))?, expected)?
            }
            false => {
                refuse_frame(name, object)?;
                argument(name, object, expected)?
            }
        };
        let is_signed = array.dtype().kind() == b'i';
        let array = unsigned(array)?;
        if let Some(input) = Input::of(&array, is_scalar)? {
            return Ok(Words::Narrow(Input { is_signed, ..input }));
        }
        match Input::of(&array, is_scalar)? {
            Some(input) => Ok(Words::Wide(Input { is_signed, ..input })),
            None => Err(wrong_type(name, &array, expected)),
        }
    }
}

/// An array that is read.
pub(crate) struct Input<'py, T: Element> {
    /// Contiguous, aligned, in the machine's byte order.
    array: Bound<'py, PyArrayDyn<T>>,
    /// Whether the caller gave one of numpy's numbers, and so expects one back.
    is_scalar: bool,
    /// Whether the caller gave words with signs.
    is_signed: bool,
}

impl<'py, T: Element> Input<'py, T> {
    /// The array of this type that an argument is.
    pub(crate) fn new(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Input<'py, T>> {
        let expected = type_name::<T>(object.py());
        let (array, is_scalar) = argument(name, object, &expected)?;
        Input::of(&array, is_scalar)?.ok_or_else(|| wrong_type(name, &array, &expected))
    }

    /// The array, or a copy that can be used where it lies, or `None` if it is of another type.
    fn of(array: &Bound<'py, PyUntypedArray>, is_scalar: bool) -> PyResult<Option<Input<'py, T>>> {
        let array = match array.cast::<PyArrayDyn<T>>() {
            Ok(typed) if lies_well(typed) => typed.clone(),
            Err(_) if !is_swapped::<T>(array)? => return Ok(None),
            _ => copied(array)?,
        };
        Ok(Some(Input {
            array,
            is_scalar,
            is_signed: false,
        }))
    }

    /// Makes exceptions of errors about the words, with the numbers that the caller gave.
    pub(crate) fn refusal(&self) -> impl Fn(OutOfRange) -> PyErr + Copy + use<'py, T> {
        let unused = u64::BITS - 8 * size_of::<T>() as u32;
        let is_signed = self.is_signed;
        move |error| {
            let (found, written) = match error {
                OutOfRange::Index { found, .. } => (found, format!("{found:#o}")),
                OutOfRange::Slot { found, .. } => (found, found.to_string()),
                OutOfRange::Square { .. } => return error.exception(),
            };
            let signed = (found << unused) as i64 >> unused;
            match is_signed && signed < 0 {
                true => {
                    let message = error.to_string();
                    Error::new_err(message.replacen(&written, &signed.to_string(), 1))
                }
                false => error.exception(),
            }
        }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    pub(crate) fn py(&self) -> Python<'py> {
        self.array.py()
    }

    /// The memory of the array, to be read later.
    pub(crate) fn held(&self) -> PyResult<Held> {
        Held::new(&self.array)
    }

    /// The input as it is, or a copy if it shares memory with an output.
    pub(crate) fn apart_from<U: Element>(self, output: &Output<'py, U>) -> PyResult<Self> {
        let array = match overlap(&addresses(&self.array), &addresses(&output.array)) {
            true => copied(self.array.as_untyped())?,
            false => self.array,
        };
        Ok(Input { array, ..self })
    }

    /// The elements, to be read.
    pub(crate) fn read(&self) -> PyResult<Reading<'_, T>> {
        Reading::new(&self.array)
    }
}

/// Squares of positions, which are read.
pub(crate) struct Table<'py> {
    pub(crate) squares: Input<'py, u8>,
    /// Whether they lie piece by piece: the first of two axes is then that of the pieces, else the last one is.
    pub(crate) by_columns: bool,
}

impl<'py> Table<'py> {
    /// The array that an argument is, or the columns of a frame with the numbers of the pieces as names. Its last axis is that
    /// of the pieces, wherever they lie in memory.
    pub(crate) fn new(
        name: &str,
        object: &Bound<'py, PyAny>,
        pieces: usize,
    ) -> PyResult<Table<'py>> {
        if !is_frame(object)? {
            return Table::of(name, object);
        }
        let columns = (0..pieces).map(|piece| piece.to_string()).collect();
        match squares(name, object, columns, false)? {
            (rows, None) => Table::of(name, &rows),
            _ => Err(missing_values(name)),
        }
    }

    /// The array that an argument is.
    fn of(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Table<'py>> {
        let expected = type_name::<u8>(object.py());
        let (array, is_scalar) = argument(name, object, &expected)?;
        let by_columns = is_columns(&array);
        let rows = match by_columns {
            true => &array
                .call_method0(intern!(array.py(), "transpose"))?
                .cast_into()?,
            false => &array,
        };
        Ok(Table {
            squares: Input::of(rows, is_scalar)?
                .ok_or_else(|| wrong_type(name, &array, &expected))?,
            by_columns,
        })
    }

    /// The shape of the argument.
    pub(crate) fn shape(&self) -> Vec<usize> {
        let mut shape = self.squares.shape().to_vec();
        if self.by_columns {
            shape.reverse();
        }
        shape
    }
}

/// Whether an array of two axes lies in memory column by column, and not row by row.
pub(crate) fn is_columns(array: &Bound<'_, PyUntypedArray>) -> bool {
    array.ndim() == 2 && array.is_fortran_contiguous() && !array.is_c_contiguous()
}

/// An array that is written.
pub(crate) struct Output<'py, T: Element> {
    /// Contiguous, aligned, in the machine's byte order, writable.
    array: Bound<'py, PyArrayDyn<T>>,
    /// The caller's array, if it is a different one.
    target: Option<Bound<'py, PyAny>>,
    /// Whether the result is one of numpy's numbers.
    is_scalar: bool,
}

/// A new array of zeros.
fn zeros<'py, T: Element>(py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    /// All versions of numpy have arrays of so many dimensions.
    const SAFE: usize = 32;
    if shape.len() <= SAFE {
        return Ok(PyArray::zeros(py, shape, false));
    }
    // It says how many are too many.
    let numpy = py.import(intern!(py, "numpy"))?;
    let array = numpy.call_method1(intern!(py, "zeros"), (shape.to_vec(), T::get_dtype(py)))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?)
}

impl<'py, T: Element> Output<'py, T> {
    /// The array that was given for the results of an input's elements, or a new one. If the input is a
    /// number and no array was given, the result is a number.
    pub(crate) fn like<U: Element>(
        name: &str,
        given: Out<'_, 'py>,
        input: &Input<'py, U>,
    ) -> PyResult<Output<'py, T>> {
        Output::new(input.py(), name, given, input.shape(), input.is_scalar)
    }

    /// The array that was given for the result, or a new one, which becomes a number if the result is one.
    pub(crate) fn new(
        py: Python<'py>,
        name: &str,
        given: Out<'_, 'py>,
        shape: &[usize],
        is_scalar: bool,
    ) -> PyResult<Output<'py, T>> {
        let fresh = || zeros(py, shape);
        let Some(given) = given else {
            return Ok(Output {
                array: fresh()?,
                target: None,
                is_scalar,
            });
        };
        let expected = type_name::<T>;
        let array = given
            .cast::<PyUntypedArray>()
            .map_err(|_| no_array(name, given, &expected(py)))?;
        if given.cast_exact::<PyUntypedArray>().is_err() {
            refuse_masked(name, given)?;
        }
        let typed = array.cast::<PyArrayDyn<T>>().ok();
        if typed.is_none() && !is_swapped::<T>(array)? {
            return Err(wrong_type(name, array, &expected(py)));
        }
        if array.shape() != shape {
            let (found, expected) = (shape_text(array.shape()), shape_text(shape));
            let message = format!("{name}: an array of shape {found}: expected {expected}");
            return Err(PyValueError::new_err(message));
        }
        if !is_writable(array) {
            let message = format!("{name}: the array is read-only");
            return Err(PyValueError::new_err(message));
        }
        let (array, target) = match typed {
            Some(typed) if lies_well(typed) => (typed.clone(), None),
            _ => (fresh()?, Some(given.clone())),
        };
        Ok(Output {
            array,
            target,
            is_scalar: false,
        })
    }

    /// Whether the output is the input itself.
    pub(crate) fn is_same(&self, input: &Input<'py, T>) -> bool {
        addresses(&self.array) == addresses(&input.array)
    }

    /// Checks that two outputs have no memory in common.
    pub(crate) fn check_apart<U: Element>(&self, other: &Output<'py, U>) -> PyResult<()> {
        match overlap(&self.final_addresses()?, &other.final_addresses()?) {
            true => Err(PyValueError::new_err(
                "out: the two arrays share memory: expected arrays that don't",
            )),
            false => Ok(()),
        }
    }

    /// The addresses where the result is to be in the end, gaps included.
    fn final_addresses(&self) -> PyResult<Range<usize>> {
        let Some(target) = &self.target else {
            return Ok(addresses(&self.array));
        };
        let module = target.py().import("numpy.lib.array_utils");
        let module = module.or_else(|_| target.py().import("numpy"))?;
        module
            .call_method1("byte_bounds", (target,))?
            .extract()
            .map(|(start, end)| start..end)
    }

    /// The elements, to be read and written.
    pub(crate) fn write(&mut self) -> PyResult<Writing<'_, T>> {
        Writing::new(&self.array)
    }

    /// The array with the result, which is the caller's if there is one.
    pub(crate) fn finish(self) -> Made<'py> {
        let Some(target) = self.target else {
            return match self.is_scalar {
                true => self.array.get_item(PyTuple::empty(self.array.py())),
                false => Ok(self.array.into_any()),
            };
        };
        let py = target.py();
        py.import("numpy")?
            .call_method1("copyto", (&target, self.array))?;
        Ok(target)
    }
}

/// Whether an object is one of numpy's masked arrays.
pub(crate) fn is_masked(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static MASKED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    object.is_instance(MASKED.import(object.py(), "numpy.ma", "MaskedArray")?)
}

/// Refuses an array with masked elements.
pub(crate) fn refuse_masked(name: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = object.py();
    let numpy = py.import(intern!(py, "numpy.ma"))?;
    let masked = numpy.call_method1(intern!(py, "is_masked"), (object,))?;
    if masked.extract()? {
        return Err(PyValueError::new_err(format!(
            "{name}: an array with masked elements: expected one without, such as what compressed() or filled() gives"
        )));
    }
    Ok(())
}

/// Which elements of a masked array are masked.
pub(crate) fn mask_of(array: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
    let numpy = array.py().import("numpy.ma")?;
    bools(numpy.call_method1("getmaskarray", (array,))?.cast()?)
}

/// An argument as an array, and whether it is one of numpy's numbers, which become arrays without axes.
pub(crate) fn argument<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
    expected: &str,
) -> PyResult<(Bound<'py, PyUntypedArray>, bool)> {
    static NUMBER: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if let Ok(array) = object.cast_exact::<PyUntypedArray>() {
        return Ok((array.clone(), false));
    }
    let py = object.py();
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        refuse_masked(name, object)?;
        return Ok((array.clone(), false));
    }
    let is_scalar = object.is_instance(NUMBER.import(py, "numpy", "generic")?)?;
    if !is_scalar && let Some(array) = arrow::import(name, object)? {
        return Ok((array, false));
    }
    if !is_scalar && !object.hasattr(intern!(py, "__array__"))? {
        return Err(no_array(name, object, expected));
    }
    let numpy = py.import("numpy")?;
    if object.hasattr(intern!(py, "isna"))? {
        let missing = numpy.call_method1("any", (object.call_method0("isna")?,))?;
        if missing.is_truthy()? {
            return Err(missing_values(name));
        }
    }
    let array = numpy.call_method1("asarray", (object,))?;
    Ok((array.cast_into()?, is_scalar))
}

fn missing_values(name: &str) -> PyErr {
    PyValueError::new_err(format!(
        "{name}: a column with missing values: expected none"
    ))
}

/// The words of an array of signed ones without their signs. A negative one becomes greater than any index or slot.
fn unsigned<'py>(array: Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let of = array.dtype();
    if of.kind() != b'i' || of.itemsize() < size_of::<u32>() {
        return Ok(array);
    }
    // With the order of its bytes, as in `<i8`.
    let of: String = of.getattr("str")?.extract()?;
    let view = array.call_method1("view", (of.replace('i', "u"),))?;
    Ok(view.cast_into()?)
}

fn no_array(name: &str, object: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    match object.get_type().fully_qualified_name() {
        Ok(found) => PyTypeError::new_err(format!(
            "{name}: {found}: expected a numpy array of {expected}"
        )),
        Err(error) => error,
    }
}

pub(crate) fn wrong_type(name: &str, array: &Bound<'_, PyUntypedArray>, expected: &str) -> PyErr {
    let found = array.dtype();
    PyTypeError::new_err(format!(
        "{name}: an array of {found}: expected a numpy array of {expected}"
    ))
}

fn type_name<T: Element>(py: Python<'_>) -> String {
    T::get_dtype(py).to_string()
}

/// Whether the array is of the right type but in the other byte order.
fn is_swapped<T: Element>(array: &Bound<'_, PyUntypedArray>) -> PyResult<bool> {
    let found = array.dtype();
    if found.is_native_byteorder() != Some(false) {
        return Ok(false);
    }
    let native = found.call_method1("newbyteorder", ("=",))?;
    Ok(native
        .cast::<PyArrayDescr>()?
        .is_equiv_to(&T::get_dtype(array.py())))
}

/// A shape as numpy writes it.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        more => {
            let sizes: Vec<String> = more.iter().map(ToString::to_string).collect();
            format!("({})", sizes.join(", "))
        }
    }
}
