//! Questions about every index, whose answers are a bitmap in the library and an array of `bool` in Python.

use numpy::{Element, PyArrayDyn};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use tbindex::Layout;
use tbindex::batch::BatchWord;

use crate::arrays::{Input, Made, Out};
use crate::layout::tell;
use crate::watch::{self, in_parts};

/// The number of indices whose answers are unpacked at a time.
const PART: usize = 4096;

/// The answers that `ask` writes for indices, as an array. The indices are checked first, if there is a layout of
/// which they must be.
pub(crate) fn answers<'py, W: BatchWord + Element>(
    indices: Input<'py, W>,
    check: Option<Layout<W>>,
    out: Out<'_, 'py>,
    ask: impl Fn(&[W], &mut [u64]) + Send + Sync,
) -> Made<'py> {
    let py = indices.py();
    // A byte that is no `bool` may lie in the caller's array, so it is written as one of bytes.
    let bytes = match out {
        None => None,
        Some(out) if out.cast::<PyArrayDyn<bool>>().is_ok() => {
            Some(out.call_method1(intern!(py, "view"), ("u1",))?)
        }
        Some(_) => return Err(PyTypeError::new_err("out: expected a numpy array of bool")),
    };
    let answers = tell(indices, bytes.as_ref(), check, |from, to: &mut [u8]| {
        let mut bitmap = [0; PART / 64];
        in_parts(from.len(), watch::PART, |some| {
            let (from, to) = (&from[some.clone()], &mut to[some]);
            for (from, to) in from.chunks(PART).zip(to.chunks_mut(PART)) {
                let bitmap = &mut bitmap[..from.len().div_ceil(64)];
                ask(from, bitmap);
                for (to, bits) in to.chunks_mut(64).zip(&*bitmap) {
                    for (k, to) in to.iter_mut().enumerate() {
                        *to = (bits >> k & 1) as u8;
                    }
                }
            }
            Ok(())
        })
    })?;
    match out {
        Some(out) => Ok(out.clone()),
        None => answers.call_method1(intern!(py, "view"), ("?",)),
    }
}
