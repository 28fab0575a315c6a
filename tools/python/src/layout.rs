//! Layouts, and the operations that need no more than a layout.

use numpy::{Element, PyArrayDescr, PyArrayDescrMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use tbindex::batch::{self, BatchWord};
use tbindex::{Layout, Numbering, Symmetry, Word};

use crate::arrays::{Input, Output, Words, for_words, shape_text, work};
use crate::enums::Member;
use crate::errors::OrRaise;

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
    pieces: usize,
    numbering: Numbering,
}

impl PyLayout {
    pub(crate) fn of(pieces: usize, numbering: Numbering) -> PyResult<PyLayout> {
        Layout::<u64>::try_new(pieces, numbering).or_raise()?;
        Ok(PyLayout { pieces, numbering })
    }

    /// The layout in words of a type.
    pub(crate) fn words<W: Word>(&self) -> PyResult<Layout<W>> {
        Layout::try_new(self.pieces, self.numbering).or_raise()
    }

    pub(crate) fn repr(&self) -> String {
        format!("Layout({}, '{}')", self.pieces, self.numbering)
    }

    fn is_narrow(&self) -> bool {
        self.pieces <= u32::MAX_PIECES
    }
}

/// Changes words by an operation, in place if `out` is the array itself.
pub(crate) fn change<'py, W: BatchWord + Element, R: OrRaise<()> + Send>(
    py: Python<'py>,
    words: Input<'py, W>,
    out: Option<&Bound<'py, PyAny>>,
    in_place: impl FnOnce(&mut [W]) -> R + Send,
    into: impl FnOnce(&[W], &mut [W]) -> R + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let mut output = Output::like(py, "out", out, &words)?;
    if output.is_same(&words) {
        let mut writing = output.write()?;
        let slice = writing.slice();
        work(py, size_of_val(slice), || in_place(slice)).or_raise()?;
    } else {
        let words = words.apart_from(&output)?;
        let (reading, mut writing) = (words.read()?, output.write()?);
        let (from, to) = (reading.slice(), writing.slice());
        work(py, size_of_val(from), || into(from, to)).or_raise()?;
    }
    output.finish()
}

#[pymethods]
impl PyLayout {
    #[new]
    #[pyo3(signature = (pieces, numbering = Member(Numbering::Natural)), text_signature = "(pieces, numbering='natural')")]
    fn new(pieces: usize, numbering: Member<Numbering>) -> PyResult<PyLayout> {
        PyLayout::of(pieces, numbering.0)
    }

    fn __repr__(&self) -> String {
        self.repr()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (usize, Member<Numbering>)) {
        let layout = slf.get();
        (slf.get_type(), (layout.pieces, Member(layout.numbering)))
    }

    /// The number of pieces that an index holds.
    #[getter]
    fn pieces(&self) -> usize {
        self.pieces
    }

    /// The numbering of the squares.
    #[getter]
    fn numbering(&self) -> Member<Numbering> {
        Member(self.numbering)
    }

    /// The smallest type that holds an index: ``uint32`` up to 5 pieces, ``uint64`` up to 10.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        match self.is_narrow() {
            true => PyArrayDescr::of::<u32>(py),
            false => PyArrayDescr::of::<u64>(py),
        }
    }

    /// The number of indices, which is 64 to the power of the pieces.
    #[getter]
    fn index_count(&self) -> PyResult<u128> {
        Ok(self.words::<u64>()?.index_count())
    }

    /// The image of every index under a symmetry.
    ///
    /// >>> layout = Layout(4)
    /// >>> indices = np.array([0o00270327], np.uint32)
    /// >>> oct(layout.flip(indices, "rotate_90")[0])
    /// '0o74500027'
    /// >>> layout.flip(indices, Symmetry.ROTATE_90, out=indices) is indices
    /// True
    #[pyo3(signature = (indices, symmetry, *, out = None))]
    fn flip<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        symmetry: Member<Symmetry>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fn run<'py, W: BatchWord + Element>(
            py: Python<'py>,
            indices: Input<'py, W>,
            out: Option<&Bound<'py, PyAny>>,
            layout: Layout<W>,
            symmetry: Symmetry,
        ) -> PyResult<Bound<'py, PyAny>> {
            change(
                py,
                indices,
                out,
                |indices| batch::flip_in_place(&layout, symmetry, indices),
                |from, to| batch::flip_into(&layout, symmetry, from, to),
            )
        }
        for_words!(Words::new("indices", indices)?, indices => {
            run(py, indices, out, self.words()?, symmetry.0)
        })
    }

    /// Every index as it is under another numbering.
    ///
    /// >>> layout = Layout(1)
    /// >>> squares = np.array([0o13], np.uint32)
    /// >>> oct(layout.convert(squares, "alternate")[0])
    /// '0o40'
    #[pyo3(signature = (indices, numbering, *, out = None))]
    fn convert<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        numbering: Member<Numbering>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fn run<'py, W: BatchWord + Element>(
            py: Python<'py>,
            indices: Input<'py, W>,
            out: Option<&Bound<'py, PyAny>>,
            layout: Layout<W>,
            numbering: Numbering,
        ) -> PyResult<Bound<'py, PyAny>> {
            change(
                py,
                indices,
                out,
                |indices| batch::convert_in_place(&layout, numbering, indices),
                |from, to| batch::convert_into(&layout, numbering, from, to),
            )
        }
        for_words!(Words::new("indices", indices)?, indices => {
            run(py, indices, out, self.words()?, numbering.0)
        })
    }

    /// The index of every row of squares. The rows are an array of shape (positions, pieces) and type
    /// ``uint8``, piece 0 first.
    ///
    /// The type of the result is ``dtype``, or that of ``out``, or the smallest that holds an index.
    ///
    /// >>> squares = np.array([[0o52, 0o46], [7, 7]], np.uint8)
    /// >>> [oct(index) for index in Layout(2).encode(squares)]
    /// ['0o4562', '0o77']
    #[pyo3(signature = (squares, *, dtype = None, out = None))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        squares: &Bound<'py, PyAny>,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let squares = Input::new("squares", squares)?;
        match self.is_narrow_result(py, dtype, out)? {
            true => self.encode_as::<u32>(py, squares, out),
            false => self.encode_as::<u64>(py, squares, out),
        }
    }

    /// The squares of every index as a row: an array of shape (positions, pieces) and type ``uint8``,
    /// piece 0 first.
    ///
    /// >>> Layout(2).decode(np.array([0o4562, 0o77], np.uint32))
    /// array([[42, 38],
    ///        [ 7,  7]], dtype=uint8)
    #[pyo3(signature = (indices, *, out = None))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for_words!(Words::new("indices", indices)?, indices => self.decode_from(py, indices, out))
    }
}

impl PyLayout {
    /// Whether a result has 32 bits.
    fn is_narrow_result<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<bool> {
        let wanted = match (dtype, out) {
            (Some(dtype), _) => PyArrayDescr::new(py, dtype)?,
            (None, Some(out)) if out.hasattr("dtype")? => {
                PyArrayDescr::new(py, out.getattr("dtype")?)?
            }
            _ => return Ok(self.is_narrow()),
        };
        match (wanted.kind(), wanted.itemsize()) {
            (b'u', 4) => Ok(true),
            (b'u', 8) => Ok(false),
            _ => Err(PyTypeError::new_err(format!(
                "indices of {wanted}: expected uint32 or uint64"
            ))),
        }
    }

    fn encode_as<'py, W: BatchWord + Element>(
        &self,
        py: Python<'py>,
        squares: Input<'py, u8>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let layout = self.words::<W>()?;
        let positions = match *squares.shape() {
            [positions, pieces] if pieces == self.pieces => positions,
            ref other => {
                return Err(PyValueError::new_err(format!(
                    "squares: an array of shape {}: expected (positions, {})",
                    shape_text(other),
                    self.pieces
                )));
            }
        };
        let mut output = Output::<W>::new(py, "out", out, &[positions])?;
        let squares = squares.apart_from(&output)?;
        {
            let (reading, mut writing) = (squares.read()?, output.write()?);
            let (rows, to) = (reading.slice(), writing.slice());
            work(py, size_of_val(rows), || {
                batch::encode_rows(&layout, rows, to)
            })
            .or_raise()?;
        }
        output.finish()
    }

    fn decode_from<'py, W: BatchWord + Element>(
        &self,
        py: Python<'py>,
        indices: Input<'py, W>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let layout = self.words::<W>()?;
        let positions = match *indices.shape() {
            [positions] => positions,
            ref other => {
                return Err(PyValueError::new_err(format!(
                    "indices: an array of shape {}: expected (positions,)",
                    shape_text(other)
                )));
            }
        };
        let mut output = Output::<u8>::new(py, "out", out, &[positions, self.pieces])?;
        let indices = indices.apart_from(&output)?;
        {
            let (reading, mut writing) = (indices.read()?, output.write()?);
            let (from, rows) = (reading.slice(), writing.slice());
            work(py, size_of_val(from), || {
                batch::decode_rows(&layout, from, rows);
            });
        }
        output.finish()
    }
}
