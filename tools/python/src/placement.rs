//! Positions as FEN, and their indices.

use numpy::{Element, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyType};
use tbindex::{Color, Fen, Numbering, PlacementCodec, Word};

use crate::arrays::{Input, Made, Words, for_words};
use crate::by_word::equal_by;
use crate::enums::{Member, SideArg};
use crate::errors::{Error, OrRaise};
use crate::layout::{PyLayout, checked};
use crate::material::{MaterialArg, PyMaterial};

/// A codec that turns positions of one material, written as FEN or EPD, into indices and back.
///
/// A position does not say which of two like pieces is which. ``encode`` gives them the order that a canonical
/// index has.
///
/// >>> codec = PlacementCodec("KQvKR")
/// >>> index = codec.encode("7r/8/8/8/8/2Q5/8/K2k4 w - -")
/// >>> oct(index)
/// '0o270327'
/// >>> codec.decode(index)
/// '7r/8/8/8/8/2Q5/8/K2k4 w - - 0 1'
#[pyclass(name = "PlacementCodec", module = "tbindex", frozen, eq, hash)]
pub(crate) struct PyPlacementCodec {
    layout: PyLayout,
    wide: PlacementCodec<u64>,
}

equal_by!(PyPlacementCodec, codec => (codec.wide.material(), codec.layout));

impl PyPlacementCodec {
    /// The index of a line, and who is to move.
    fn index_of(
        &self,
        line: &Bound<'_, PyAny>,
        side: Option<Color>,
        allow_rights: bool,
    ) -> PyResult<(u64, Color)> {
        let line = line.cast::<PyString>().map_err(|_| {
            PyTypeError::new_err("fens: expected a text or texts, each a FEN or EPD line")
        })?;
        let fen: Fen = line.to_cow()?.parse().or_raise()?;
        if (fen.castling || fen.en_passant.is_some()) && !allow_rights {
            return Err(Error::new_err(
                "the line has castling rights or an en-passant square, which an index can't hold: \
                 expected none, or allow_rights=True",
            ));
        }
        let found = fen.position.side;
        match side {
            Some(side) if side != found => Err(Error::new_err(format!(
                "{found} is to move: expected {side}"
            ))),
            _ => Ok((self.wide.encode(&fen.position).or_raise()?, found)),
        }
    }

    fn array<'py, W: Word + Element>(py: Python<'py>, indices: &[u64]) -> Bound<'py, PyAny> {
        let words = indices.iter().map(|&index| W::truncate(index.into()));
        PyArray1::from_iter(py, words).into_any()
    }

    fn decode_words<'py, W: tbindex::batch::BatchWord + Element>(
        &self,
        py: Python<'py>,
        indices: &Input<'py, W>,
        side: Color,
    ) -> Made<'py> {
        let reading = indices.read()?;
        let words = reading.slice();
        checked(Some(self.layout.words().or_raise()?), words).or_raise()?;
        let line = |index: &W| {
            let position = self.wide.decode(index.to_u64(), side);
            Ok(position.or_raise()?.to_string())
        };
        match *indices.shape() {
            [] => Ok(PyString::new(py, &line(&words[0])?).into_any()),
            [_] => {
                let lines = words.iter().enumerate().map(|(place, index)| {
                    line(index).map_err(|error| at_position(py, place, error))
                });
                let lines: PyResult<Vec<String>> = lines.collect();
                Ok(PyList::new(py, lines?)?.into_any())
            }
            _ => Err(PyTypeError::new_err(
                "indices: expected one index, or an array with one axis",
            )),
        }
    }
}

/// An error of one line of several.
pub(crate) fn at_position(py: Python<'_>, position: usize, error: PyErr) -> PyErr {
    if error.is_instance_of::<Error>(py) {
        Error::new_err(format!("position {position}: {}", error.value(py)))
    } else {
        error
    }
}

#[pymethods]
impl PyPlacementCodec {
    #[new]
    #[pyo3(signature = (material, numbering = Member(Numbering::Natural)), text_signature = "(material, numbering='natural')")]
    fn new(material: MaterialArg, numbering: Member<Numbering>) -> PyResult<PyPlacementCodec> {
        let (material, numbering) = (material.0, numbering.0);
        Ok(PyPlacementCodec {
            layout: PyLayout::of(material.piece_count(), numbering)?,
            wide: PlacementCodec::try_new(material, numbering).or_raise()?,
        })
    }

    fn __repr__(&self) -> String {
        let numbering = self.wide.layout().numbering();
        format!("PlacementCodec('{}', '{numbering}')", self.wide.material())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyType>, (PyMaterial, Member<Numbering>)) {
        let codec = &slf.get().wide;
        let numbering = Member(codec.layout().numbering());
        (slf.get_type(), (PyMaterial(codec.material()), numbering))
    }

    /// The material.
    #[getter]
    fn material(&self) -> PyMaterial {
        PyMaterial(self.wide.material())
    }

    /// The layout of the indices.
    #[getter]
    fn layout(&self) -> PyLayout {
        self.layout
    }

    /// The index of a FEN or EPD line, or an array with the indices of several, of the layout's type.
    ///
    /// With ``side`` a line in which the other side is to move is an error. With ``with_side`` the result is a
    /// pair: the indices, and as ``bool`` whether black is to move. A line with castling rights or an en-passant
    /// square is an error unless ``allow_rights`` is true; then these are ignored.
    ///
    /// >>> codec = PlacementCodec("KvK")
    /// >>> codec.encode(["8/8/8/8/8/8/8/K1k5 w - -", "k1K5/8/8/8/8/8/8/8 b - -"], with_side=True)
    /// (array([   2, 4048], dtype=uint32), array([False,  True]))
    #[pyo3(signature = (fens, *, side = None, with_side = false, allow_rights = false))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        fens: &Bound<'py, PyAny>,
        side: Option<SideArg>,
        with_side: bool,
        allow_rights: bool,
    ) -> Made<'py> {
        let side = side.map(|side| side.0);
        if fens.hasattr("columns")? {
            return Err(PyTypeError::new_err(
                "fens: a table: expected a text or texts, such as one of its columns",
            ));
        }
        let is_one = fens.is_instance_of::<PyString>();
        let (mut indices, mut black) = (Vec::new(), Vec::new());
        let mut add = |line: &Bound<'py, PyAny>| {
            let (index, found) = self.index_of(line, side, allow_rights)?;
            indices.push(index);
            black.push(found == Color::Black);
            PyResult::Ok(())
        };
        if is_one {
            add(fens)?;
        } else {
            for (position, line) in fens.try_iter()?.enumerate() {
                add(&line?).map_err(|error| at_position(py, position, error))?;
            }
        }
        let indices = match self.layout.is_narrow() {
            true => Self::array::<u32>(py, &indices),
            false => Self::array::<u64>(py, &indices),
        };
        let black = PyArray1::from_vec(py, black).into_any();
        let part = |array: Bound<'py, PyAny>| match is_one {
            true => array.get_item(0),
            false => Ok(array),
        };
        match with_side {
            true => Ok((part(indices)?, part(black)?).into_pyobject(py)?.into_any()),
            false => part(indices),
        }
    }

    /// The FEN of an index, or a list of those of an array. ``side`` is the side to move.
    ///
    /// >>> PlacementCodec("KvK").decode(np.array([2, 4048], np.uint32), "black")
    /// ['8/8/8/8/8/8/8/K1k5 b - - 0 1', 'k1K5/8/8/8/8/8/8/8 b - - 0 1']
    #[pyo3(signature = (indices, side = SideArg(Color::White)), text_signature = "($self, indices, side='white')")]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        side: SideArg,
    ) -> Made<'py> {
        for_words!(Words::new("indices", indices)?, indices => {
            self.decode_words(py, &indices, side.0)
        })
    }
}
