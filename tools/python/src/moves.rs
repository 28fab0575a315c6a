//! Legality, checks and moves.

use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyType;
use tbindex::batch::{self, BatchWord};
use tbindex::{Color, Layout, Move, Moves, Numbering, PieceType, Square};

use crate::answers::answers;
use crate::arrays::{Input, Words, for_words};
use crate::enums::{Member, SideArg};
use crate::errors::{Error, OrRaise};
use crate::layout::PyLayout;
use crate::material::{MaterialArg, PyMaterial};
use crate::numbers::Number;

/// The moves of chess on the indices of a material. Castling is not among them, and en passant only where a
/// position says so.
///
/// >>> moves = Moves("KQvKR")
/// >>> indices = np.array([0o00270327, 0], np.uint32)
/// >>> moves.is_legal(indices, "white")
/// array([ True, False])
/// >>> [str(move) for move in moves.moves(indices[0], "white")][:3]
/// ['a1b1', 'a1a2', 'a1b2']
#[pyclass(name = "Moves", module = "tbindex", frozen)]
pub(crate) struct PyMoves {
    layout: PyLayout,
    wide: Moves<u64>,
    /// The moves in 32 bits, if they hold the index.
    narrow: Option<Moves<u32>>,
}

/// The types of words. Each has its half.
trait Half: BatchWord + Element {
    fn of(moves: &PyMoves) -> PyResult<&Moves<Self>>;
}

impl Half for u32 {
    fn of(moves: &PyMoves) -> PyResult<&Moves<u32>> {
        match &moves.narrow {
            Some(narrow) => Ok(narrow),
            // The error says why there is none.
            None => moves
                .layout
                .words::<u32>()
                .and_then(|_| Err(Error::new_err("indices of 32 bits are too narrow"))),
        }
    }
}

impl Half for u64 {
    fn of(moves: &PyMoves) -> PyResult<&Moves<u64>> {
        Ok(&moves.wide)
    }
}

/// A question about every position.
#[derive(Clone, Copy)]
enum Question {
    Legal,
    Check,
    Mate,
    Stalemate,
}

impl PyMoves {
    fn ask<'py>(
        &self,
        py: Python<'py>,
        question: Question,
        indices: &Bound<'py, PyAny>,
        side: SideArg,
        check: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for_words!(Words::new("indices", indices)?, indices => {
            self.ask_words(py, question, indices, side.0, check, out)
        })
    }

    fn ask_words<'py, W: Half>(
        &self,
        py: Python<'py>,
        question: Question,
        indices: Input<'py, W>,
        side: Color,
        check: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let moves = W::of(self)?;
        let one_by_one = |from: &[W], bitmap: &mut [u64], is: &dyn Fn(W) -> bool| {
            for (from, bits) in from.chunks(64).zip(bitmap) {
                let answers = from.iter().zip(0..);
                *bits = answers.fold(0, |bits, (&index, k)| bits | u64::from(is(index)) << k);
            }
        };
        let check: Option<Layout<W>> = check.then(|| moves.layout());
        answers(py, indices, check, out, |from, bitmap| match question {
            Question::Legal => batch::is_legal_into(moves, side, from, bitmap),
            Question::Check => batch::is_check_into(moves, side, from, bitmap),
            Question::Mate => one_by_one(from, bitmap, &|index| {
                moves.is_legal(index, side) && moves.is_mate(index, side)
            }),
            Question::Stalemate => one_by_one(from, bitmap, &|index| {
                moves.is_legal(index, side) && moves.is_stalemate(index, side)
            }),
        })
    }

    /// An index of a legal position.
    fn legal(&self, index: Number<u64>, side: Color) -> PyResult<u64> {
        match self.wide.is_legal(index.0, side) {
            true => Ok(index.0),
            false => Err(Error::new_err(format!(
                "index {:#o} is no legal position of {} with {side} to move",
                index.0,
                self.wide.material()
            ))),
        }
    }
}

#[pymethods]
impl PyMoves {
    #[new]
    #[pyo3(signature = (material, numbering = Member(Numbering::Natural)), text_signature = "(material, numbering='natural')")]
    fn new(material: MaterialArg, numbering: Member<Numbering>) -> PyResult<PyMoves> {
        let (material, numbering) = (material.0, numbering.0);
        Ok(PyMoves {
            layout: PyLayout::of(material.piece_count(), numbering)?,
            wide: Moves::try_new(material, numbering).or_raise()?,
            narrow: Moves::try_new(material, numbering).ok(),
        })
    }

    fn __repr__(&self) -> String {
        let numbering = self.wide.layout().numbering();
        format!("Moves('{}', '{numbering}')", self.wide.material())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyType>, (PyMaterial, Member<Numbering>)) {
        let moves = &slf.get().wide;
        let numbering = Member(moves.layout().numbering());
        (slf.get_type(), (PyMaterial(moves.material()), numbering))
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

    /// Whether every position is legal with ``side`` to move, as ``bool``: no two pieces share a square, pawns
    /// stand on ranks 2 to 7, and the king of the other side is not attacked.
    #[pyo3(signature = (indices, side, *, check = true, out = None))]
    fn is_legal<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        side: SideArg,
        check: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, Question::Legal, indices, side, check, out)
    }

    /// Whether the king of ``side`` is attacked in every position, as ``bool``.
    #[pyo3(signature = (indices, side, *, check = true, out = None))]
    fn is_check<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        side: SideArg,
        check: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, Question::Check, indices, side, check, out)
    }

    /// Whether every position is legal with ``side`` to move and a checkmate, as ``bool``.
    ///
    /// >>> moves = Moves("KRvK")
    /// >>> all = Enumeration("KRvK", "legal", "black", canonical=True).indices()
    /// >>> int(moves.is_mate(all, "black").sum())
    /// 27
    #[pyo3(signature = (indices, side, *, check = true, out = None))]
    fn is_mate<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        side: SideArg,
        check: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, Question::Mate, indices, side, check, out)
    }

    /// Whether every position is legal with ``side`` to move and a stalemate, as ``bool``.
    #[pyo3(signature = (indices, side, *, check = true, out = None))]
    fn is_stalemate<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        side: SideArg,
        check: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, Question::Stalemate, indices, side, check, out)
    }

    /// The legal moves of ``side`` in a legal position, piece by piece from the leading one down. ``passed`` is
    /// the square over which a pawn of the other side has just made a double step, if it has.
    ///
    /// >>> index = PlacementCodec("KPvK").encode("8/8/8/8/4k3/8/4P3/4K3 w - -")
    /// >>> moves = Moves("KPvK").moves(index, "white")
    /// >>> [str(move) for move in moves]
    /// ['e1d1', 'e1f1', 'e1d2', 'e1f2', 'e2e3']
    /// >>> moves[0].material, oct(moves[0].index), moves[0].side
    /// (Material('KPvK'), '0o31344', 'black')
    #[pyo3(signature = (index, side, *, passed = None))]
    fn moves(
        &self,
        index: Number<u64>,
        side: SideArg,
        passed: Option<Number<u8>>,
    ) -> PyResult<Vec<PyMove>> {
        let index = self.legal(index, side.0)?;
        let passed = passed.map(|square| Square::try_from(square.0).or_raise());
        let moves = self
            .wide
            .moves_en_passant(index, side.0, passed.transpose()?);
        Ok(moves.map(PyMove).collect())
    }

    /// The indices of all legal positions, with the other side to move, from which a move that takes nothing and
    /// promotes nothing leads to this legal position with ``side`` to move.
    #[pyo3(signature = (index, side))]
    fn unmoves<'py>(
        &self,
        py: Python<'py>,
        index: Number<u64>,
        side: SideArg,
    ) -> PyResult<Bound<'py, PyAny>> {
        let index = self.legal(index, side.0)?;
        let before = self.wide.unmoves(index, side.0);
        Ok(match self.layout.is_narrow() {
            true => PyArray1::from_iter(py, before.map(|index| index as u32)).into_any(),
            false => PyArray1::from_iter(py, before).into_any(),
        })
    }
}

/// A legal move, and the position that it leads to. It is written as engines write it.
#[pyclass(name = "Move", module = "tbindex", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyMove(Move<u64>);

#[pymethods]
impl PyMove {
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Move {}>", self.0)
    }

    /// The number of the piece that moves.
    #[getter]
    fn piece(&self) -> usize {
        self.0.piece
    }

    /// The square that it leaves.
    #[getter(from_square)]
    fn origin(&self) -> u8 {
        self.0.from.number()
    }

    /// The square that it goes to.
    #[getter(to_square)]
    fn target(&self) -> u8 {
        self.0.to.number()
    }

    /// The number of the piece that it takes, or ``None``.
    #[getter]
    fn captured(&self) -> Option<usize> {
        self.0.captured
    }

    /// The letter of what a pawn becomes, or ``None``.
    #[getter]
    fn promotion(&self) -> Option<char> {
        self.0.promotion.map(PieceType::letter)
    }

    /// The square that a pawn passed in a double step next to a pawn of the other side, which may take it there,
    /// or ``None``.
    #[getter]
    fn passed(&self) -> Option<u8> {
        self.0.en_passant.map(Square::number)
    }

    /// The material after the move. After a capture or a promotion it is the usual one of what is left, if need
    /// be with the colours exchanged.
    #[getter]
    fn material(&self) -> PyMaterial {
        PyMaterial(self.0.after.material)
    }

    /// The index of the position after the move, in that material.
    #[getter]
    fn index(&self) -> u64 {
        self.0.after.index
    }

    /// The side to move after the move, once any colours were exchanged.
    #[getter]
    fn side(&self) -> &'static str {
        self.0.after.side.name()
    }
}
