//! Positions as FEN, and their indices.

use numpy::{Element, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use tbindex::{Color, Fen, Numbering, Piece, PlacementCodec, Rights, Square, Symmetry};

use crate::arrays::{In, Input, Made, Words, for_words};
use crate::by_word::equal_by;
use crate::classes::{getters, made_by};
use crate::enums::{Member, SideArg, Sides};
use crate::errors::{Error, OrRaise, at_position};
use crate::frames::filled;
use crate::layout::{PyLayout, change, checked};
use crate::material::{MaterialArg, PyMaterial};
use crate::texts::{AT_A_TIME, Keyword, Texts, is_second, one_text};

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
    fn index_of(&self, line: &str, side: Option<Color>, rights: Rights) -> PyResult<(u64, Color)> {
        let fen: Fen = line.parse().or_raise()?;
        let fen = fen.with_rights(rights).or_raise()?;
        if !fen.castling.is_empty() || fen.en_passant.is_some() {
            return Err(Error::new_err(
                "the line has castling rights or an en-passant square, which an index can't hold: \
                 expected none, or rights=\"drop\"",
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

    /// The lines of indices, or `None` for those of which `lacks` says so and, if they are to be masked, for those that have none.
    fn decode_words<'py, W: tbindex::batch::BatchWord + Element>(
        &self,
        py: Python<'py>,
        indices: &Input<'py, W>,
        sides: &Sides,
        lacks: impl Fn(usize) -> bool + Sync,
        masks: bool,
    ) -> Made<'py> {
        let reading = indices.read()?;
        let words = reading.slice();
        if !masks {
            checked(Some(self.layout.words().or_raise()?), words).map_err(indices.refusal())?;
        }
        let line = |place: usize| {
            let position = self.wide.decode(words[place].to_u64(), sides.of(place));
            Ok(position.or_raise()?.to_string())
        };
        match *indices.shape() {
            [] if !masks => return Ok(PyString::new(py, &line(0)?).into_any()),
            [] | [_] => {}
            _ => {
                return Err(PyTypeError::new_err(
                    "indices: expected one index, or an array with one axis",
                ));
            }
        }
        let lines = PyList::empty(py);
        for first in (0..words.len()).step_by(AT_A_TIME) {
            let places = first..words.len().min(first + AT_A_TIME);
            let some: Vec<PyResult<Option<String>>> = py.detach(|| {
                let some = places.map(|place| match line(place) {
                    _ if lacks(place) => Ok(None),
                    Err(_) if masks => Ok(None),
                    found => found.map(Some),
                });
                some.collect()
            });
            for (place, line) in (first..).zip(some) {
                lines.append(line.map_err(|error| at_position(py, place, error))?)?;
            }
            tbindex::fail_point!("python::watch");
            py.check_signals()?;
        }
        match *indices.shape() {
            [] => lines.get_item(0),
            _ => Ok(lines.into_any()),
        }
    }
}

made_by!(PyPlacementCodec, |codec, _| (
    codec.wide.material().to_string(),
    codec.wide.equivalence().layout().numbering().to_string()
));

getters! { PyPlacementCodec, codec;
    /// The material.
    material: PyMaterial = PyMaterial(codec.wide.material());
    /// The layout of the indices.
    layout: PyLayout = codec.layout;
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

    /// The index of a FEN or EPD line, or an array with the indices of several, of the layout's type.
    ///
    /// With ``side`` a line in which the other side is to move is an error. With ``with_side`` the result is a
    /// pair: the indices, and as ``bool`` whether black is to move. Castling rights and en-passant squares
    /// that can't be are dropped; others are an error, as an index can't hold them, unless ``rights`` is ``"drop"``. With
    /// ``rights="refuse"`` any is an error. Lines are a list, an array or a column of
    /// Arrow, pandas or polars, …. With ``invalid='mask'`` the results are masked arrays, and masked are lines that are
    /// missing, that are no position, and those of other materials or sides.
    ///
    /// >>> codec = PlacementCodec("KvK")
    /// >>> codec.encode(["8/8/8/8/8/8/8/K1k5 w - -", "k1K5/8/8/8/8/8/8/8 b - -"], with_side=True)
    /// (array([   2, 4048], dtype=uint32), array([False,  True]))
    /// >>> codec.encode(["8/8/8/8/8/8/8/K1k5 w - -", None, "K/8 w - -"], invalid="mask").compressed()
    /// array([2], dtype=uint32)
    #[pyo3(
        signature = (fens, *, side = None, with_side = false, rights = Keyword::new("keep"), invalid = Keyword::new("raise")),
        text_signature = "($self, fens, *, side=None, with_side=False, rights='keep', invalid='raise')"
    )]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        fens: &Bound<'py, PyAny>,
        side: Option<SideArg>,
        with_side: bool,
        rights: Keyword,
        invalid: Keyword,
    ) -> Made<'py> {
        let side = side.map(|side| side.0);
        let masks = is_second("invalid", invalid, ["raise", "mask"])?;
        let rights: Rights = rights.parsed("rights")?;
        let index_of = |line: &str| self.index_of(line, side, rights);
        let (mut indices, mut black, mut masked) = (Vec::new(), Vec::new(), Vec::new());
        let line = one_text(fens)?;
        let is_one = line.is_some();
        let mut add = |found: Option<(u64, Color)>| {
            indices.push(found.map_or(0, |(index, _)| index));
            black.push(found.is_some_and(|(_, side)| side == Color::Black));
            masked.push(found.is_none());
        };
        if let Some(line) = line {
            add(Some(index_of(&line)?));
        } else {
            let mut lines = Texts::new("fens", fens)?;
            loop {
                let first = lines.taken();
                let some = lines.take(AT_A_TIME)?;
                let found: Vec<_> = py.detach(|| {
                    let found = some
                        .iter()
                        .map(|line| line.as_ref().map(|line| index_of(line)));
                    found.collect()
                });
                for (place, found) in (first..).zip(found) {
                    add(match found {
                        Some(Ok(found)) => Some(found),
                        _ if masks => None,
                        None => {
                            let message = format!("fens: position {place}: no text");
                            return Err(PyTypeError::new_err(message));
                        }
                        Some(Err(error)) => {
                            let line = some[place - first].as_deref().unwrap_or_default();
                            let message =
                                format!("position {place}: {line:?}: {}", error.value(py));
                            return Err(Error::new_err(message));
                        }
                    });
                }
                if some.is_empty() {
                    break;
                }
                tbindex::fail_point!("python::watch");
                py.check_signals()?;
            }
        }
        let masked = PyArray1::from_vec(py, masked);
        let part = |array: Bound<'py, PyAny>| match (is_one, masks) {
            (true, _) => array.get_item(0),
            (false, false) => Ok(array),
            (false, true) => {
                let array = py.import("numpy.ma")?.call_method1("array", (array,))?;
                array.setattr("mask", &masked)?;
                Ok(array)
            }
        };
        let indices = part(self.layout.array(py, indices))?;
        match with_side {
            true => {
                let black = part(PyArray1::from_vec(py, black).into_any())?;
                Ok((indices, black).into_pyobject(py)?.into_any())
            }
            false => Ok(indices),
        }
    }

    /// The indices of the same positions with colours exchanged and ranks mirrored, in ``material.swap_colors()``.
    ///
    /// >>> codec = PlacementCodec("KvKR")
    /// >>> index = codec.encode("r7/8/8/8/8/2K5/8/k7 b - -")
    /// >>> PlacementCodec("KRvK").decode(codec.swap_colors(index))
    /// 'K7/8/2k5/8/8/8/8/R7 w - - 0 1'
    fn swap_colors<'py>(&self, indices: In<'_, 'py>) -> Made<'py> {
        let material = self.wide.material();
        let mut left: Vec<_> = material.index_order().map(Some).collect();
        // For each piece of the twin the piece that it was.
        let twin = material.swap_colors().index_order();
        let places = twin.filter_map(|piece| {
            let was = Some(Piece::new(!piece.color, piece.kind));
            let place = left.iter().position(|&other| other == was)?;
            left[place] = None;
            Some(place)
        });
        let places: Vec<usize> = places.collect();
        for_words!(Words::new("indices", indices)?, indices => {
            let layout = self.layout.words().or_raise()?;
            change(indices, None, Some(layout), |_| (), |from, to| {
                for (&index, to) in from.iter().zip(to) {
                    let squares: Vec<Square> = layout.decode(index).collect();
                    let swapped: Vec<Square> =
                        places.iter().map(|&k| Symmetry::FlipVertical.apply(squares[k])).collect();
                    *to = layout.encode(&swapped);
                }
            })
        })
    }

    /// The FEN of an index, or a list of those of an array. ``side`` is the side to move, or an array of ``bool`` that is true
    /// where black is to move, as ``encode`` gives it. With ``invalid='mask'`` there is ``None`` where an index has no position, or
    /// it or its side is masked.
    ///
    /// >>> PlacementCodec("KvK").decode(np.array([2, 4048], np.uint32), "black")
    /// ['8/8/8/8/8/8/8/K1k5 b - - 0 1', 'k1K5/8/8/8/8/8/8/8 b - - 0 1']
    /// >>> PlacementCodec("KvK").decode(np.array([2, 0, 4096], np.uint32), invalid="mask")
    /// ['8/8/8/8/8/8/8/K1k5 w - - 0 1', None, None]
    #[pyo3(signature = (indices, side = None, *, invalid = Keyword::new("raise")),
        text_signature = "($self, indices, side='white', *, invalid='raise')")]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        side: Option<&Bound<'py, PyAny>>,
        invalid: Keyword,
    ) -> Made<'py> {
        let masks = is_second("invalid", invalid, ["raise", "mask"])?;
        let white = PyString::new(py, "white").into_any();
        let side = side.unwrap_or(&white);
        let ((indices, missing), (side, unknown)) = match masks {
            true => (filled(indices)?, filled(side)?),
            false => ((indices.clone(), None), (side.clone(), None)),
        };
        let is =
            |mask: &Option<Vec<bool>>, place: usize| mask.as_ref().is_some_and(|mask| mask[place]);
        for_words!(Words::new("indices", &indices)?, indices => {
            let sides = Sides::new(&side, indices.shape().iter().product())?;
            let lacks = |place| is(&missing, place) || is(&unknown, place);
            self.decode_words(py, &indices, &sides, lacks, masks)
        })
    }
}
