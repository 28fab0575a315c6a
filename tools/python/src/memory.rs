//! The memory of numpy arrays, which stays in its place and unchanged while slices of it are used.

use std::ops::Range;
use std::ptr::NonNull;

use numpy::npyffi::{_PyArray_GET_ITEM_DATA, NPY_ARRAY_WRITEABLE};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyWeakrefReference};

use crate::borrows::Claim;
use crate::errors::Error;

/// The elements of an array that is read, with the hold that keeps them from changing.
pub(crate) struct Reading<'a, T>(Hold<'a, T>);

impl<'a, T: Element> Reading<'a, T> {
    pub(crate) fn new(array: &'a Bound<'_, PyArrayDyn<T>>) -> PyResult<Reading<'a, T>> {
        Hold::new(array, false).map(Reading)
    }

    pub(crate) fn slice(&self) -> &[T] {
        #[expect(unsafe_code, reason = "arrays are memory that numpy looks after")]
        // SAFETY: the hold has the memory of so many elements, aligned, and no call of this module writes
        // it meanwhile. The author of other code must see to it that that code doesn't either, as with any
        // function of numpy. Every bit pattern is an element.
        unsafe {
            std::slice::from_raw_parts(self.0.start.as_ptr(), self.0.len)
        }
    }
}

/// The elements of an array that is written, with the hold that keeps others from using them.
pub(crate) struct Writing<'a, T>(Hold<'a, T>);

impl<'a, T: Element> Writing<'a, T> {
    pub(crate) fn new(array: &'a Bound<'_, PyArrayDyn<T>>) -> PyResult<Writing<'a, T>> {
        Hold::new(array, true).map(Writing)
    }

    pub(crate) fn slice(&mut self) -> &mut [T] {
        #[expect(unsafe_code, reason = "arrays are memory that numpy looks after")]
        // SAFETY: as for `Reading::slice`, and the hold is exclusive and of a writable array, so no other
        // slice of this module has any of the memory.
        unsafe {
            std::slice::from_raw_parts_mut(self.0.start.as_ptr(), self.0.len)
        }
    }
}

/// An array's memory. It stays in its place, and conflicting calls are kept away.
struct Hold<'a, T> {
    /// The address of the elements, and their number.
    start: NonNull<T>,
    len: usize,
    _claim: Claim,
    /// The references that keep numpy from moving the arrays.
    _pins: Vec<Bound<'a, PyWeakrefReference>>,
}

impl<'a, T: Element> Hold<'a, T> {
    fn new(array: &'a Bound<'_, PyArrayDyn<T>>, write: bool) -> PyResult<Hold<'a, T>> {
        let pins = pins(array)?;
        // Since the array was first looked at, other threads or Python code of a subclass may have run and
        // changed it. From here on none runs.
        let untyped = array.as_untyped();
        let is_same = untyped.cast::<PyArrayDyn<T>>().is_ok_and(lies_well);
        if !is_same || write && !is_writable(untyped) {
            return Err(Error::new_err("the array was changed during the call"));
        }
        let Some(claim) = Claim::new(addresses(array), write) else {
            return Err(Error::new_err(
                "the array is in use by another call, which has not returned yet",
            ));
        };
        Ok(Hold {
            start: start(array),
            len: array.len(),
            _claim: claim,
            _pins: pins,
        })
    }
}

/// An array's memory for as long as somebody outside of this module reads it.
pub(crate) struct Held {
    start: NonNull<u8>,
    len: usize,
    /// The array, and weak references that keep its memory where it is.
    owner: Option<(Py<PyAny>, Vec<Py<PyWeakrefReference>>)>,
}

#[expect(unsafe_code, reason = "a pointer to memory that is only read")]
// SAFETY: the memory is only read, and what it belongs to is let go only with the interpreter's lock.
unsafe impl Send for Held {}
#[expect(unsafe_code, reason = "a pointer to memory that is only read")]
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Held {
    /// The memory of an array, copied first if the elements can't be used where they lie.
    pub(crate) fn new<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> PyResult<Held> {
        let array = match lies_well(array) {
            true => array.clone(),
            false => copied(array.as_untyped())?,
        };
        let pins = pins(&array)?.into_iter().map(Bound::unbind).collect();
        Ok(Held {
            start: start(&array).cast(),
            len: array.len() * size_of::<T>(),
            owner: Some((array.into_any().unbind(), pins)),
        })
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        #[expect(unsafe_code, reason = "arrays are memory that numpy looks after")]
        // SAFETY: the owner has so many bytes there, and numpy moves no array that has weak references. The
        // program must not write them, as with any array of numpy whose memory is shared.
        unsafe {
            std::slice::from_raw_parts(self.start.as_ptr(), self.len)
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Where the interpreter has ended, nothing can be let go any more.
        if Python::try_attach(|_| drop(self.owner.take())).is_none() {
            std::mem::forget(self.owner.take());
        }
    }
}

/// Where the elements of an array are.
fn start<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> NonNull<T> {
    let start = NonNull::new(array.data()).filter(|_| !array.is_empty());
    start.unwrap_or(NonNull::dangling())
}

/// Weak references to an array and to those that own its memory. Numpy moves no array that has one, not even if
/// told not to look at references.
fn pins<'py, T: Element>(
    array: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<Vec<Bound<'py, PyWeakrefReference>>> {
    let mut pins = Vec::new();
    if !array.is_empty() {
        let mut owner = array.as_any().clone();
        while owner.is_instance_of::<PyUntypedArray>() {
            pins.push(PyWeakrefReference::new(&owner)?);
            owner = owner.getattr(intern!(owner.py(), "base"))?;
        }
    }
    Ok(pins)
}

/// Whether the elements can be used where they lie.
pub(crate) fn lies_well<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> bool {
    array.is_c_contiguous() && array.is_aligned()
}

pub(crate) fn is_writable(array: &Bound<'_, PyUntypedArray>) -> bool {
    #[expect(unsafe_code, reason = "there is no safe way to ask")]
    // SAFETY: the pointer is that of an array, whose fields this function of numpy gives.
    let flags = unsafe { (*_PyArray_GET_ITEM_DATA(array.as_array_ptr())).flags };
    flags & NPY_ARRAY_WRITEABLE != 0
}

/// A copy in C order and in the machine's byte order.
pub(crate) fn copied<'py, T: Element>(
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = array.py();
    let order = [("order", "C")].into_py_dict(py)?;
    order.set_item("subok", false)?;
    let copy = array.call_method("astype", (T::get_dtype(py),), Some(&order))?;
    Ok(copy.cast_into()?)
}

/// The addresses of a contiguous array.
pub(crate) fn addresses<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> Range<usize> {
    let start = array.data() as usize;
    start..start + array.len() * size_of::<T>()
}
