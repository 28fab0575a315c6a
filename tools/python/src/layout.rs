//! Layouts, and the operations that need no more than a layout.

use numpy::{
    Element, PyArray1, PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use tbindex::batch::{Backend, BatchWord, OutOfRange};
use tbindex::store::FileWord;
use tbindex::{Layout, LayoutError, Numbering, Symmetry, Word, dispatch};

use crate::arrays::{
    In, Input, Made, Out, Output, Table, Words, for_words, is_columns, of_word, shape_text, work,
};
use crate::classes::{getters, made_by};
use crate::enums::Member;
use crate::errors::{Error, Named, OrRaise, unexpected};
use crate::numbers::Number;
use crate::texts::{Keyword, is_second};

/// The layout of an index: the number of pieces, 1 to 10, and the numbering of the squares.
///
/// Indices are arrays of ``uint32`` (up to 5 pieces) or ``uint64``, of any shape. One of numpy's numbers,
/// such as an array's element, gives a number. Squares are numbers, a1 = 0, b1 = 1, … h8 = 63, under either
/// numbering.
///
/// Every method takes ``out``, an array for the result, which may be the argument itself. An array that
/// is contiguous and in the machine's byte order is used where it lies, without copying; any other is
/// copied. While a call works on more than a few kilobytes, other threads run.
///
/// A number that is not an index is an error, and then nothing is written. With ``check=False`` nothing is
/// checked, which saves reading the array once more, and the result for such a number is unspecified.
///
/// >>> layout = Layout(2)
/// >>> indices = np.array([0o4562, 0o0077], np.uint32)
/// >>> flipped = layout.flip(indices, Symmetry.FLIP_VERTICAL)
/// >>> [oct(index) for index in flipped]
/// ['0o3262', '0o7777']
/// >>> oct(layout.flip(indices[0], Symmetry.FLIP_VERTICAL))
/// '0o3262'
#[pyclass(name = "Layout", module = "tbindex", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyLayout {
    pub(crate) pieces: usize,
    pub(crate) numbering: Numbering,
}

impl PyLayout {
    pub(crate) fn of(pieces: usize, numbering: Numbering) -> PyResult<PyLayout> {
        Layout::<u64>::try_new(pieces, numbering).or_raise()?;
        Ok(PyLayout { pieces, numbering })
    }

    /// The layout in words of a type.
    pub(crate) fn words<W: Word>(&self) -> Result<Layout<W>, LayoutError> {
        Layout::try_new(self.pieces, self.numbering)
    }

    /// Indices as an array.
    pub(crate) fn array<'py>(&self, py: Python<'py>, indices: Vec<u64>) -> Bound<'py, PyAny> {
        of_word!(self.word(), W => {
            // In place, if the words are as wide.
            let words = indices.into_iter().map(|index| index as W).collect();
            PyArray1::from_vec(py, words).into_any()
        })
    }

    /// The smallest word that holds an index.
    pub(crate) fn word(&self) -> FileWord {
        match self.pieces <= u32::MAX_PIECES {
            true => FileWord::U32,
            false => FileWord::U64,
        }
    }
}

/// Changes words by an operation, in place if `out` is the array itself. The words are checked first, if there is
/// a layout of which they must be indices.
pub(crate) fn change<'py, W: BatchWord + Element, R: Ended + Send>(
    words: Input<'py, W>,
    out: Out<'_, 'py>,
    check: Option<Layout<W>>,
    in_place: impl FnOnce(&mut [W]) -> R + Send,
    into: impl FnOnce(&[W], &mut [W]) -> R + Send,
) -> Made<'py> {
    let py = words.py();
    let (mut output, refusal) = (Output::like("out", out, &words)?, words.refusal());
    if output.is_same(&words) {
        let mut writing = output.write()?;
        let slice = writing.slice();
        work(py, size_of_val(slice), || {
            checked(check, slice).map(|()| in_place(slice))
        })
        .map_err(refusal)?
        .ended(refusal)?;
    } else {
        told(words, &mut output, check, into)?;
    }
    output.finish()
}

/// Writes something of another type for every word. The words are checked first, as in [`change`].
pub(crate) fn tell<'py, W: BatchWord + Element, T: Element + Send, R: Ended + Send>(
    words: Input<'py, W>,
    out: Out<'_, 'py>,
    check: Option<Layout<W>>,
    into: impl FnOnce(&[W], &mut [T]) -> R + Send,
) -> Made<'py> {
    let mut output = Output::like("out", out, &words)?;
    told(words, &mut output, check, into)?;
    output.finish()
}

/// Writes the same into an array, which need not have the words' shape.
fn told<'py, W: BatchWord + Element, T: Element + Send, R: Ended + Send>(
    words: Input<'py, W>,
    output: &mut Output<'py, T>,
    check: Option<Layout<W>>,
    into: impl FnOnce(&[W], &mut [T]) -> R + Send,
) -> PyResult<()> {
    let refusal = words.refusal();
    written(words, output, |from, to| {
        checked(check, from).map(|()| into(from, to))
    })?
    .map_err(refusal)?
    .ended(refusal)
}

/// The end of work on words.
pub(crate) trait Ended {
    /// The exception of work that failed, which for a word that is out of range is made by `refusal`.
    fn ended(self, refusal: impl Fn(OutOfRange) -> PyErr) -> PyResult<()>;
}

impl Ended for () {
    fn ended(self, _: impl Fn(OutOfRange) -> PyErr) -> PyResult<()> {
        Ok(())
    }
}

impl Ended for Result<(), OutOfRange> {
    fn ended(self, refusal: impl Fn(OutOfRange) -> PyErr) -> PyResult<()> {
        self.map_err(refusal)
    }
}

impl Ended for PyResult<()> {
    fn ended(self, _: impl Fn(OutOfRange) -> PyErr) -> PyResult<()> {
        self
    }
}

/// Does some work that reads one array and writes another.
fn written<'py, T: Element + Sync, U: Element + Send, R: Send>(
    input: Input<'py, T>,
    output: &mut Output<'py, U>,
    into: impl FnOnce(&[T], &mut [U]) -> R + Send,
) -> PyResult<R> {
    let (py, input) = (input.py(), input.apart_from(output)?);
    let (reading, mut writing) = (input.read()?, output.write()?);
    let (from, to) = (reading.slice(), writing.slice());
    Ok(work(py, size_of_val(from), || into(from, to)))
}

/// Checks that words are indices, if there is a layout of which they must be.
pub(crate) fn checked<W: BatchWord>(
    check: Option<Layout<W>>,
    words: &[W],
) -> Result<(), OutOfRange> {
    check.map_or(Ok(()), |layout| {
        Backend::detect().check_indices(&layout, words)
    })
}

/// The symmetries of indices: one for all, or a code for each.
pub(crate) enum Symmetries<'py> {
    One(Symmetry),
    Each(Input<'py, u8>),
}

impl<'py> FromPyObject<'_, 'py> for Symmetries<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // A number of numpy is one symmetry, and has the methods of an array.
        match object.extract::<Member<Symmetry>>() {
            Ok(symmetry) => Ok(Symmetries::One(symmetry.0)),
            Err(_) if is_array(&object)? => Input::new("symmetry", &object).map(Symmetries::Each),
            Err(error) => Err(error),
        }
    }
}

/// Whether an object can be an array of codes, and not one code.
fn is_array(object: &Borrowed<'_, '_, PyAny>) -> PyResult<bool> {
    let has = |name: &str| object.hasattr(name);
    Ok((has("__array__")? || has("__arrow_c_array__")?) && has("__len__")?)
}

/// Replaces every index by its image under the symmetry with the code beside it.
fn flip_each<W: BatchWord>(layout: &Layout<W>, codes: &[u8], indices: &mut [W]) {
    let layout = *layout;
    // The mirrors are the same XOR for every index.
    let files = layout.flip(Symmetry::FlipHorizontal, W::ZERO);
    let ranks = layout.flip(Symmetry::FlipVertical, W::ZERO);
    dispatch!(Backend::detect(), move _ => {
        for (index, &code) in indices.iter_mut().zip(codes) {
            let bit = |k: u32| W::spread(W::from(code >> k & 1));
            let x = *index;
            let exchanged = x ^ (x ^ layout.flip(Symmetry::FlipDiagonal, x)) & bit(2);
            *index = exchanged ^ files & bit(0) ^ ranks & bit(1);
        }
    });
}

/// Flips every index by the symmetry with the code beside it.
fn flip_by_codes<'py, W: BatchWord + Element>(
    indices: Input<'py, W>,
    codes: Input<'py, u8>,
    out: Out<'_, 'py>,
    layout: Layout<W>,
    check: bool,
) -> Made<'py> {
    if codes.shape() != indices.shape() {
        let (found, expected) = (shape_text(codes.shape()), shape_text(indices.shape()));
        return Err(PyValueError::new_err(format!(
            "symmetry: an array of shape {found}: expected {expected}"
        )));
    }
    let output = Output::<W>::like("out", out, &indices)?;
    let codes = codes.apart_from(&output)?;
    let reading = codes.read()?;
    let codes = reading.slice();
    if let Some(position) = codes.iter().position(|&code| code > 7) {
        return Err(Error::new_err(format!(
            "symmetry {} at position {position}: expected codes from 0 to 7",
            codes[position]
        )));
    }
    change(
        indices,
        out,
        check.then_some(layout),
        |indices| flip_each(&layout, codes, indices),
        |from, to| {
            to.copy_from_slice(from);
            flip_each(&layout, codes, to);
        },
    )
}

/// The argument ``layout``.
pub(crate) struct LayoutArg(pub(crate) PyLayout);

impl FromPyObject<'_, '_> for LayoutArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyLayout>() {
            Ok(layout) => Ok(LayoutArg(*layout.get())),
            Err(_) => Err(unexpected("layout", &object, "a tbindex.Layout")),
        }
    }
}

made_by!(PyLayout, |layout, _| (
    layout.pieces,
    layout.numbering.to_string()
));

getters! { PyLayout, layout;
    /// The number of pieces that an index holds.
    pieces: usize = layout.pieces;
    /// The numbering of the squares.
    numbering: Member<Numbering> = Member(layout.numbering);
    /// The number of indices, which is 64 to the power of the pieces.
    index_count: PyResult<u128> = Ok(layout.words::<u64>().or_raise()?.index_count());
}

#[pymethods]
impl PyLayout {
    #[new]
    #[pyo3(signature = (pieces, numbering = Member(Numbering::Natural)), text_signature = "(pieces, numbering='natural')")]
    fn new(pieces: Number<usize>, numbering: Member<Numbering>) -> PyResult<PyLayout> {
        PyLayout::of(pieces.named("pieces")?, numbering.0)
    }

    /// The smallest type that holds an index: ``uint32`` up to 5 pieces, ``uint64`` up to 10.
    #[getter]
    pub(crate) fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        of_word!(self.word(), W => PyArrayDescr::of::<W>(py))
    }

    /// The image of every index under a symmetry. ``symmetry`` may also be a code, or an array of codes, one for
    /// each index, such as ``canonical`` gives.
    ///
    /// >>> layout = Layout(4)
    /// >>> indices = np.array([0o00270327], np.uint32)
    /// >>> oct(layout.flip(indices, "rotate_90")[0])
    /// '0o74500027'
    /// >>> layout.flip(indices, Symmetry.ROTATE_90, out=indices) is indices
    /// True
    /// >>> canonical, codes = Equivalence(layout).canonical(indices, with_symmetry=True)
    /// >>> bool(layout.flip(indices, codes)[0] == canonical[0])
    /// True
    #[pyo3(signature = (indices, symmetry, *, check = true, out = None))]
    fn flip<'py>(
        &self,
        indices: In<'_, 'py>,
        symmetry: Symmetries<'py>,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        let backend = Backend::detect();
        for_words!(Words::new("indices", indices)?, indices => {
            let layout = self.words().or_raise()?;
            match symmetry {
                Symmetries::Each(codes) => flip_by_codes(indices, codes, out, layout, check),
                Symmetries::One(symmetry) => change(
                    indices,
                    out,
                    check.then_some(layout),
                    |indices| backend.flip_in_place(&layout, symmetry, indices),
                    |from, to| backend.flip_into(&layout, symmetry, from, to),
                ),
            }
        })
    }

    /// Every index as it is under another numbering.
    ///
    /// >>> layout = Layout(1)
    /// >>> squares = np.array([0o13], np.uint32)
    /// >>> oct(layout.convert(squares, "alternate")[0])
    /// '0o40'
    #[pyo3(signature = (indices, numbering, *, check = true, out = None))]
    fn convert<'py>(
        &self,
        indices: In<'_, 'py>,
        numbering: Member<Numbering>,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        let (numbering, backend) = (numbering.0, Backend::detect());
        for_words!(Words::new("indices", indices)?, indices => {
            let layout = self.words().or_raise()?;
            change(
                indices,
                out,
                check.then_some(layout),
                |indices| backend.convert_in_place(&layout, numbering, indices),
                |from, to| backend.convert_into(&layout, numbering, from, to),
            )
        })
    }

    /// The index of every row of squares. The rows are an array of type ``uint8`` whose last axis is that of
    /// the pieces, piece 0 first: an array of shape (…, pieces) gives indices of shape (…). They may lie in
    /// memory row by row or column by column.
    ///
    /// The type of the result is ``dtype``, or that of ``out``, or the smallest that holds an index.
    ///
    /// >>> squares = np.array([[0o52, 0o46], [7, 7]], np.uint8)
    /// >>> [oct(index) for index in Layout(2).encode(squares)]
    /// ['0o4562', '0o77']
    #[pyo3(signature = (squares, *, dtype = None, out = None))]
    fn encode<'py>(
        &self,
        squares: In<'_, 'py>,
        dtype: Out<'_, 'py>,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        let squares = Table::new("squares", squares, self.pieces)?;
        of_word!(self.result_word(dtype, out)?, W => self.encode_as::<W>(squares, out))
    }

    /// The squares of every index as a row of type ``uint8``, piece 0 first: indices of shape (…) give an
    /// array of shape (…, pieces).
    ///
    /// The result lies in memory row by row or, if ``order`` is ``'F'`` and the indices have one axis, column by
    /// column.
    ///
    /// >>> Layout(2).decode(np.array([0o4562, 0o77], np.uint32))
    /// array([[42, 38],
    ///        [ 7,  7]], dtype=uint8)
    #[pyo3(signature = (indices, *, order = Keyword::new("C"), check = true, out = None),
        text_signature = "($self, indices, *, order='C', check=True, out=None)")]
    fn decode<'py>(
        &self,
        indices: In<'_, 'py>,
        order: Keyword,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        let by_columns = is_second("order", order, ["C", "F"])?;
        for_words!(Words::new("indices", indices)?, indices => {
            self.decode_from(indices, by_columns, check, out)
        })
    }
}

impl PyLayout {
    /// The word of a result.
    fn result_word<'py>(&self, dtype: Out<'_, 'py>, out: Out<'_, 'py>) -> PyResult<FileWord> {
        let (name, wanted) = match (dtype, out) {
            (Some(dtype), _) => ("dtype", dtype.clone()),
            (None, Some(out)) if out.hasattr("dtype")? => ("out", out.getattr("dtype")?),
            _ => return Ok(self.word()),
        };
        let wanted = PyArrayDescr::new(wanted.py(), wanted).named(name)?;
        match (wanted.kind(), wanted.itemsize()) {
            (b'u', 4) => Ok(FileWord::U32),
            (b'u', 8) => Ok(FileWord::U64),
            _ => Err(PyTypeError::new_err(format!(
                "{name}: {wanted}: expected uint32 or uint64"
            ))),
        }
    }

    fn encode_as<'py, W: BatchWord + Element>(
        &self,
        squares: Table<'py>,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        let layout = self.words::<W>().or_raise()?;
        let (py, shape) = (squares.squares.py(), squares.shape());
        let Some(positions) = shape.strip_suffix(&[self.pieces]) else {
            return Err(PyValueError::new_err(format!(
                "squares: an array of shape {}: expected (…, {})",
                shape_text(&shape),
                self.pieces
            )));
        };
        let mut output = Output::<W>::new(py, "out", out, positions, positions.is_empty())?;
        let by_columns = squares.by_columns;
        written(
            squares.squares,
            &mut output,
            |squares, to| match by_columns {
                false => Backend::detect().encode_rows(&layout, squares, to),
                true if to.is_empty() => Ok(()),
                true => {
                    let columns: Vec<&[u8]> = squares.chunks(to.len()).collect();
                    Backend::detect().encode_columns(&layout, &columns, to)
                }
            },
        )?
        .or_raise()?;
        output.finish()
    }

    fn decode_from<'py, W: BatchWord + Element>(
        &self,
        indices: Input<'py, W>,
        by_columns: bool,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        let (py, layout) = (indices.py(), self.words::<W>().or_raise()?);
        let check = check.then_some(layout);
        let shape = [indices.shape(), &[self.pieces]].concat();
        let given = out.and_then(|out| out.cast::<PyUntypedArray>().ok());
        let by_columns = indices.shape().len() == 1 && given.map_or(by_columns, is_columns);
        if by_columns && (out.is_none() || given.is_some_and(|out| out.shape() == shape)) {
            // The columns are the rows of the transposed array.
            let transpose = intern!(py, "transpose");
            let columns = given.map(|out| out.call_method0(transpose)).transpose()?;
            let shape = [shape[1], shape[0]];
            let mut output = Output::<u8>::new(py, "out", columns.as_ref(), &shape, false)?;
            told(indices, &mut output, check, |from, squares| {
                let mut columns: Vec<&mut [u8]> = squares.chunks_mut(from.len().max(1)).collect();
                if !from.is_empty() {
                    Backend::detect().decode_columns(&layout, from, &mut columns);
                }
            })?;
            let columns = output.finish()?;
            return match out {
                Some(out) => Ok(out.clone()),
                None => columns.call_method0(transpose),
            };
        }
        let mut output = Output::<u8>::new(py, "out", out, &shape, false)?;
        told(indices, &mut output, check, |from, rows| {
            Backend::detect().decode_rows(&layout, from, rows);
        })?;
        output.finish()
    }
}
