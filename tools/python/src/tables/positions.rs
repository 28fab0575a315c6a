//! Positions of an argument, of which some are taken at a time.

use std::ops::Range;

use numpy::{PyArrayDescrMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::ThreadPool;
use rayon::prelude::*;
use syzygy_tables::batch::PieceOrder;
use syzygy_tables::cozy_chess;
use tbgen::{Failure, GamePosition, TablesError, index_order, pack_indices};
use tbindex::batch::{BatchWord, OutOfRange};
use tbindex::{Color, Layout, Numbering, Piece, Position};

use crate::arrays::{Input, Words, argument, for_words, wrong_type};
use crate::enums::Sides;
use crate::errors::{Error, OrRaise, at_position};
use crate::frames::{filled, is_frame, squares};
use crate::layout::{PyLayout, checked};
use crate::material::{PyMaterial, square_columns};
use crate::texts::Texts;

/// The positions whose squares are turned at a time.
const PART: usize = 1 << 12;

/// In place of a position's squares: none of them is one.
const NO_SQUARES: u64 = u64::MAX;

/// Why a position has no label.
#[derive(Clone)]
pub(super) enum Lack {
    /// There is none: None, NaN, a null, or a masked element.
    Absent,
    /// The text is no position, for this reason.
    Wrong(String),
    /// The number of the prober's reason.
    Failed(Failure),
    Error(Box<TablesError>),
}

/// Some positions.
pub(super) enum Positions {
    Boards(Vec<GamePosition>),
    /// Squares of one material.
    Squares(PieceOrder, Vec<u64>, Sides),
}

/// Positions that come one after the other, without those that are lacking, whose places and reasons are beside them.
pub(super) struct Chunk {
    pub(super) positions: Positions,
    pub(super) lacks: Vec<(usize, Lack)>,
}

impl Chunk {
    /// The number of positions, with those that are lacking.
    pub(super) fn len(&self) -> usize {
        self.positions.len() + self.lacks.len()
    }
}

impl Positions {
    pub(super) fn len(&self) -> usize {
        match self {
            Positions::Boards(boards) => boards.len(),
            Positions::Squares(_, packed, _) => packed.len(),
        }
    }

    /// One of the positions, or `None` if it is not legal.
    pub(super) fn get(&self, place: usize) -> Option<GamePosition> {
        let (order, packed, sides) = match self {
            Positions::Boards(boards) => return Some(boards[place].clone()),
            Positions::Squares(order, packed, sides) => (order, packed, sides),
        };
        let mut board = [None; 64];
        let squares = packed[place].to_le_bytes();
        for (piece, square) in order.material().pieces().zip(squares) {
            let letter = format!("{piece:?}").chars().next()?;
            let slot = board.get_mut(usize::from(square))?;
            if slot.replace(Piece::try_from(letter).ok()?).is_some() {
                return None;
            }
        }
        let side = match order.side(of_cozy(sides.of(place))) {
            cozy_chess::Color::White => Color::White,
            cozy_chess::Color::Black => Color::Black,
        };
        GamePosition::new(&Position { board, side }, None)
    }
}

pub(super) fn of_cozy(side: Color) -> cozy_chess::Color {
    match side {
        Color::White => cozy_chess::Color::White,
        Color::Black => cozy_chess::Color::Black,
    }
}

/// The positions of an argument.
pub(super) enum Given<'py> {
    Texts(Texts<'py>),
    Array(Array<'py>),
}

/// Positions of one material, as indices or as squares.
pub(super) struct Array<'py> {
    packing: Packing,
    layout: PyLayout,
    elements: Elements<'py>,
    sides: Sides,
    /// Which of them are missing, if any are. Rows have numbers of squares, too.
    missing: Option<Vec<bool>>,
    shape: Vec<usize>,
    taken: usize,
}

enum Elements<'py> {
    Words(Words<'py>),
    Squares(Input<'py, u8>),
}

/// Reads a FEN.
pub(super) type Parse<'a> = &'a (dyn Fn(&str) -> PyResult<GamePosition> + Sync);

impl<'py> Array<'py> {
    pub(super) fn new(
        positions: &Bound<'py, PyAny>,
        PyMaterial(material): PyMaterial,
        side: Option<&Bound<'py, PyAny>>,
        numbering: Numbering,
        masks: bool,
    ) -> PyResult<Array<'py>> {
        let layout = PyLayout::of(material.piece_count(), numbering)?;
        let order = index_order(material);
        let order = order.map_err(|error| Error::new_err(format!("{material}: {error}")))?;
        let (given, missing) = match is_frame(positions)? {
            true => squares("positions", positions, square_columns(material), masks)?,
            false => filled(positions)?,
        };
        let expected = "uint32 or uint64 (indices), or of uint8 (squares)";
        let (array, _) = argument("positions", &given, expected)?;
        let of = array.dtype();
        let (elements, mut shape) = match (of.kind(), of.itemsize()) {
            (b'u', 1) => {
                let squares = Input::<u8>::new("positions", &given)?;
                let shape = squares.shape().to_vec();
                (Elements::Squares(squares), shape)
            }
            // Squares are often signed numbers, too, and would pass for indices.
            (b'u', _) | (b'i', 4 | 8) if of.kind() == b'u' || array.ndim() == 1 => {
                let words = Words::new("positions", &given)?;
                (Elements::Words(words), array.shape().to_vec())
            }
            _ => return Err(wrong_type("positions", &array, expected)),
        };
        if let Elements::Squares(_) = elements {
            let pieces = layout.pieces;
            let last = shape.pop().unwrap_or(0);
            if last != pieces {
                return Err(PyValueError::new_err(format!(
                    "positions: squares with a last axis of {last}: expected {pieces}, as {material} has {pieces} pieces"
                )));
            }
        }
        let side = side.ok_or_else(|| {
            PyTypeError::new_err(
                "side: expected 'white', 'black', or an array of bool, true where black is to move",
            )
        })?;
        let count = shape.iter().product();
        // A position without one of its squares is missing.
        let is_any = |squares: &[bool]| squares.contains(&true);
        let missing = missing.map(|all| match all.len() == count {
            true => all,
            false => all.chunks(layout.pieces).map(is_any).collect(),
        });
        let (side, unknown) = filled(side)?;
        let missing = match (missing, unknown) {
            (Some(missing), Some(unknown)) => {
                let both = missing.into_iter().zip(unknown);
                Some(both.map(|(a, b)| a || b).collect())
            }
            (one, other) => one.or(other),
        };
        let array = Array {
            sides: Sides::new(&side, count)?,
            packing: Packing { order, masks },
            layout,
            elements,
            missing,
            shape,
            taken: 0,
        };
        Ok(array)
    }

    fn take(&mut self, py: Python<'_>, pool: &ThreadPool, most: usize) -> PyResult<Chunk> {
        let all = self.shape.iter().product::<usize>();
        let range = self.taken..all.min(self.taken.saturating_add(most));
        self.taken = range.end;
        let packing = &self.packing;
        let mut packed = match &self.elements {
            Elements::Words(words) => for_words!(words, indices => {
                let reading = indices.read()?;
                let from = &reading.slice()[range.clone()];
                let layout = self.layout.words().or_raise()?;
                let packed = py.detach(|| pool.install(|| packing.indices(&layout, from, range.start)));
                packed.map_err(indices.refusal())?
            }),
            Elements::Squares(squares) => {
                let reading = squares.read()?;
                let rows = reading.slice();
                py.detach(|| pool.install(|| packing.squares(rows, range.clone())))?
            }
        };
        let mut sides = match &self.sides {
            Sides::One(side) => Sides::One(*side),
            Sides::Each(black) => Sides::Each(black[range.clone()].to_vec()),
        };
        let mut lacks = Vec::new();
        if let Some(missing) = &self.missing {
            let missing = &missing[range];
            let places = (0..missing.len()).filter(|&place| missing[place]);
            lacks = places.map(|place| (place, Lack::Absent)).collect();
            let mut there = missing.iter().cycle().map(|missing| !missing);
            packed.retain(|_| there.next() == Some(true));
            if let Sides::Each(black) = &mut sides {
                black.retain(|_| there.next() == Some(true));
            }
        }
        Ok(Chunk {
            positions: Positions::Squares(packing.order.clone(), packed, sides),
            lacks,
        })
    }
}

/// Makes rows of squares.
struct Packing {
    order: PieceOrder,
    /// Whether a number that is no square or index is masked, and no error.
    masks: bool,
}

impl Packing {
    /// The squares of indices, the first of which is in this place.
    fn indices<W: BatchWord>(
        &self,
        layout: &Layout<W>,
        from: &[W],
        first: usize,
    ) -> Result<Vec<u64>, OutOfRange> {
        let mut packed = vec![0; from.len()];
        let Err(mut error) = checked(Some(*layout), from) else {
            pack_indices(&self.order, layout, from, &mut packed);
            return Ok(packed);
        };
        if !self.masks {
            if let OutOfRange::Index { position, .. } = &mut error {
                *position += first;
            }
            return Err(error);
        }
        for (&index, packed) in from.iter().zip(&mut packed) {
            match checked(Some(*layout), &[index]).is_ok() {
                true => pack_indices(&self.order, layout, &[index], std::slice::from_mut(packed)),
                false => *packed = NO_SQUARES,
            }
        }
        Ok(packed)
    }

    /// The squares of some rows.
    fn squares(&self, rows: &[u8], range: Range<usize>) -> PyResult<Vec<u64>> {
        let pieces = self.order.material().len();
        let mut packed = vec![0; range.len()];
        let parts = packed.par_chunks_mut(PART).enumerate();
        parts.try_for_each(|(number, packed)| {
            let first = range.start + number * PART;
            let rows = &rows[first * pieces..][..packed.len() * pieces];
            let wrong = rows.iter().position(|&square| square > 63);
            if let Some(place) = wrong.filter(|_| !self.masks) {
                return Err(OutOfRange::Square {
                    position: first + place / pieces,
                    piece: place % pieces,
                    found: rows[place],
                })
                .or_raise();
            }
            self.order.pack(rows, packed);
            Ok(())
        })?;
        Ok(packed)
    }
}

impl<'py> Given<'py> {
    /// The shape of what is known about them, or `None` if they come one after the other.
    pub(super) fn shape(&self) -> Option<&[usize]> {
        match self {
            Given::Texts(_) => None,
            Given::Array(array) => Some(&array.shape),
        }
    }

    /// How many there are in all, if that is known.
    pub(super) fn total(&self) -> Option<usize> {
        match self {
            Given::Texts(texts) => texts.total,
            Given::Array(array) => Some(array.shape.iter().product()),
        }
    }

    /// Up to so many of those that come next; none in the end alone. Texts that are no positions are errors, unless they are to be masked.
    pub(super) fn take(
        &mut self,
        py: Python<'py>,
        pool: &ThreadPool,
        most: usize,
        parse: Parse<'_>,
        masks: bool,
    ) -> PyResult<Chunk> {
        let texts = match self {
            Given::Array(array) => return array.take(py, pool, most),
            Given::Texts(texts) => texts,
        };
        let first = texts.taken();
        let some = texts.take(most)?;
        let read = |text: &Option<String>| text.as_ref().map(|text| parse(text));
        let read: Vec<_> = py.detach(|| pool.install(|| some.par_iter().map(read).collect()));
        let (mut boards, mut lacks) = (Vec::with_capacity(read.len()), Vec::new());
        for (place, found) in read.into_iter().enumerate() {
            match found {
                Some(Ok(board)) => boards.push(board),
                Some(Err(error)) if masks => {
                    lacks.push((place, Lack::Wrong(error.value(py).to_string())));
                }
                Some(Err(error)) => return Err(at_position(py, first + place, error)),
                None => lacks.push((place, Lack::Absent)),
            }
        }
        let positions = Positions::Boards(boards);
        Ok(Chunk { positions, lacks })
    }
}
