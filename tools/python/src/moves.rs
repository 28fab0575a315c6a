//! Legality, checks and moves.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};
use tbindex::batch::{Backend, BatchWord};
use tbindex::index::{Move, Reached};
use tbindex::{Color, Moves, Numbering, PieceType, Square, Word};

use crate::answers::answers;
use crate::arrays::{In, Made, Out, Words, for_words};
use crate::by_word::{ByWord, equal_by};
use crate::enums::{Member, SideArg, Sides};
use crate::errors::{Error, OrRaise};
use crate::layout::{PyLayout, checked};
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
#[pyclass(name = "Moves", module = "tbindex", frozen, eq, hash)]
pub(crate) struct PyMoves {
    layout: PyLayout,
    by_word: ByWord<Moves<u32>, Moves<u64>>,
}

equal_by!(PyMoves, moves => (moves.by_word.wide.material(), moves.layout));

/// A question about every position.
#[derive(Clone, Copy)]
enum Question {
    Legal,
    Check,
    Mate,
    Stalemate,
}

impl Question {
    /// Writes a bit for every index.
    fn ask<W: BatchWord>(self, moves: &Moves<W>, side: Color, from: &[W], bitmap: &mut [u64]) {
        let ends = match self {
            Question::Legal => return Backend::detect().is_legal_into(moves, side, from, bitmap),
            Question::Check => return Backend::detect().is_check_into(moves, side, from, bitmap),
            Question::Mate => Moves::is_mate,
            Question::Stalemate => Moves::is_stalemate,
        };
        for (from, bits) in from.chunks(64).zip(bitmap) {
            let is = |&index: &W| moves.is_legal(index, side) && ends(moves, index, side);
            let answers = from.iter().zip(0..);
            *bits = answers.fold(0, |bits, (index, k)| bits | u64::from(is(index)) << k);
        }
    }
}

impl PyMoves {
    fn ask<'py>(
        &self,
        question: Question,
        indices: In<'_, 'py>,
        side: &Bound<'py, PyAny>,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        if !side.is_instance_of::<PyString>() {
            let py = side.py();
            let [white, black] = [Color::White, Color::Black].map(|side| {
                let side = PyString::new(py, &side.to_string()).into_any();
                self.ask(question, indices, &side, check, None)
            });
            let white = white?;
            Sides::new(side, white.len().unwrap_or(1))?;
            let numpy = py.import("numpy")?;
            let both = numpy.call_method1("where", (side, black?, white))?;
            return match out {
                Some(out) => numpy
                    .call_method1("copyto", (out, both))
                    .map(|_| out.clone()),
                None => Ok(both),
            };
        }
        let side: SideArg = side.extract()?;
        for_words!(Words::new("indices", indices)?, indices, moves in self.by_word => {
            let check = check.then(|| moves.layout());
            answers(indices, check, out, |from, bitmap| {
                question.ask(moves, side.0, from, bitmap);
            })
        })
    }

    /// Indices of this material as an array.
    fn array<'py>(&self, py: Python<'py>, all: impl Iterator<Item = u64>) -> Bound<'py, PyAny> {
        match self.layout.is_narrow() {
            true => PyArray1::from_iter(py, all.map(|index| index as u32)).into_any(),
            false => PyArray1::from_iter(py, all).into_any(),
        }
    }

    /// The indices of an array, checked, and the sides to move.
    fn many(&self, indices: In<'_, '_>, side: &Bound<'_, PyAny>) -> PyResult<(Vec<u64>, Sides)> {
        let words: Vec<u64> = for_words!(Words::new("indices", indices)?, indices => {
            let reading = indices.read()?;
            checked(Some(self.layout.words().or_raise()?), reading.slice()).or_raise()?;
            reading.slice().iter().map(|&index| index.to_u64()).collect()
        });
        let sides = Sides::new(side, words.len())?;
        Ok((words, sides))
    }

    /// An index of a legal position.
    fn legal(&self, index: Number<u64>, side: Color) -> PyResult<u64> {
        match self.by_word.wide.is_legal(index.0, side) {
            true => Ok(index.0),
            false => Err(Error::new_err(format!(
                "index {:#o} is no legal position of {} with {side} to move",
                index.0,
                self.by_word.wide.material()
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
        let layout = PyLayout::of(material.piece_count(), numbering)?;
        let by_word = ByWord::new(
            layout,
            |_| Moves::try_new(material, numbering).or_raise(),
            |_| Moves::try_new(material, numbering).or_raise(),
        )?;
        Ok(PyMoves { layout, by_word })
    }

    fn __repr__(&self) -> String {
        let numbering = self.by_word.wide.layout().numbering();
        format!("Moves('{}', '{numbering}')", self.by_word.wide.material())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyType>, (PyMaterial, Member<Numbering>)) {
        let moves = &slf.get().by_word.wide;
        let numbering = Member(moves.layout().numbering());
        (slf.get_type(), (PyMaterial(moves.material()), numbering))
    }

    /// The material.
    #[getter]
    fn material(&self) -> PyMaterial {
        PyMaterial(self.by_word.wide.material())
    }

    /// The layout of the indices.
    #[getter]
    fn layout(&self) -> PyLayout {
        self.layout
    }

    /// For each position whether it is legal with ``side`` to move, as ``bool``: no two pieces share a square,
    /// pawns stand on ranks 2 to 7, and the king of the other side is not attacked. An index may also be a number
    /// of Python; then so is the answer one. Here as below, ``side`` may be an array of ``bool`` that is true where black is to
    /// move, as ``PlacementCodec.encode`` gives it.
    #[pyo3(signature = (indices, side, *, check = true, out = None))]
    fn is_legal<'py>(
        &self,
        indices: In<'_, 'py>,
        side: &Bound<'py, PyAny>,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        self.ask(Question::Legal, indices, side, check, out)
    }

    /// For each position whether the king of ``side`` is attacked, as ``bool``.
    #[pyo3(signature = (indices, side, *, check = true, out = None))]
    fn is_check<'py>(
        &self,
        indices: In<'_, 'py>,
        side: &Bound<'py, PyAny>,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        self.ask(Question::Check, indices, side, check, out)
    }

    /// For each position whether it is legal with ``side`` to move and a checkmate, as ``bool``.
    ///
    /// >>> moves = Moves("KRvK")
    /// >>> all = Enumeration("KRvK", "legal", "black", canonical=True).indices()
    /// >>> int(moves.is_mate(all, "black").sum())
    /// 27
    #[pyo3(signature = (indices, side, *, check = true, out = None))]
    fn is_mate<'py>(
        &self,
        indices: In<'_, 'py>,
        side: &Bound<'py, PyAny>,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        self.ask(Question::Mate, indices, side, check, out)
    }

    /// For each position whether it is legal with ``side`` to move and a stalemate, as ``bool``.
    #[pyo3(signature = (indices, side, *, check = true, out = None))]
    fn is_stalemate<'py>(
        &self,
        indices: In<'_, 'py>,
        side: &Bound<'py, PyAny>,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        self.ask(Question::Stalemate, indices, side, check, out)
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
        let wide = &self.by_word.wide;
        let moves = wide.moves_en_passant(index, side.0, passed.transpose()?);
        Ok(moves.map(PyMove).collect())
    }

    /// The legal moves in every position of an array with one axis, as :class:`Successors`. Positions that are not legal have
    /// none.
    ///
    /// >>> after = Moves("KRvK").successors(np.array([0o00270, 0o00270], np.uint32), np.array([False, True]))
    /// >>> np.diff(after.offsets).tolist() == [len(Moves("KRvK").moves(0o270, side)) for side in ("white", "black")]
    /// True
    #[pyo3(signature = (indices, side))]
    fn successors<'py>(&self, indices: In<'_, 'py>, side: &Bound<'py, PyAny>) -> Made<'py> {
        let py = indices.py();
        let (words, sides) = self.many(indices, side)?;
        let wide = &self.by_word.wide;
        let mut materials = vec![wide.material()];
        let (mut offsets, mut to) = (vec![0], Vec::new());
        py.detach(|| {
            for (place, &index) in words.iter().enumerate() {
                if wide.is_legal(index, sides.of(place)) {
                    to.extend(wide.moves(index, sides.of(place)));
                }
                offsets.push(to.len() as u64);
            }
        });
        let numbers: Vec<u8> = to
            .iter()
            .map(|step| {
                let found = materials
                    .iter()
                    .position(|&known| known == step.after.material);
                found.unwrap_or_else(|| {
                    materials.push(step.after.material);
                    materials.len() - 1
                }) as u8
            })
            .collect();
        let bytes = |of: &dyn Fn(&Move<u64>) -> u8| PyArray1::from_iter(py, to.iter().map(of));
        let fields = (
            PyArray1::from_vec(py, offsets),
            self.array(py, to.iter().map(|step| step.after.index)),
            PyArray1::from_iter(py, to.iter().map(|step| step.after.side == Color::Black)),
            PyArray1::from_vec(py, numbers),
            materials.into_iter().map(PyMaterial).collect::<Vec<_>>(),
            bytes(&|step| step.piece as u8),
            bytes(&|step| step.from.number()),
            bytes(&|step| step.to.number()),
            bytes(&|step| step.promotion.map_or(0, |kind| kind.letter() as u8)),
        );
        py.import("tbindex._successors")?
            .getattr("Successors")?
            .call1(fields)
    }

    /// What ``unmoves`` gives for every position of an array with one axis: the offsets, one more than positions, and the
    /// indices. Positions that are not legal have none.
    ///
    /// >>> offsets, before = Moves("KRvK").predecessors(np.array([0o270], np.uint32), "white")
    /// >>> offsets.tolist() == [0, len(before)]
    /// True
    #[pyo3(signature = (indices, side))]
    fn predecessors<'py>(&self, indices: In<'_, 'py>, side: &Bound<'py, PyAny>) -> Made<'py> {
        let py = indices.py();
        let (words, sides) = self.many(indices, side)?;
        let (mut offsets, mut before) = (vec![0], Vec::new());
        py.detach(|| {
            for (place, &index) in words.iter().enumerate() {
                if self.by_word.wide.is_legal(index, sides.of(place)) {
                    before.extend(self.by_word.wide.unmoves(index, sides.of(place)));
                }
                offsets.push(before.len() as u64);
            }
        });
        let both = (
            PyArray1::from_vec(py, offsets),
            self.array(py, before.into_iter()),
        );
        Ok(both.into_pyobject(py)?.into_any())
    }

    /// The indices of all legal positions, with the other side to move, from which a move that takes nothing and
    /// promotes nothing leads to this legal position with ``side`` to move.
    #[pyo3(signature = (index, side))]
    fn unmoves<'py>(&self, py: Python<'py>, index: Number<u64>, side: SideArg) -> Made<'py> {
        let index = self.legal(index, side.0)?;
        Ok(self.array(py, self.by_word.wide.unmoves(index, side.0)))
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

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let parts = (this.piece(), this.origin(), this.target(), this.captured());
        let rest = (
            this.promotion(),
            this.passed(),
            this.material(),
            this.index(),
            this.side(),
        );
        let made = py.import("tbindex._tbindex")?.getattr("_move")?;
        Ok((made, (parts, rest).into_pyobject(py)?))
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
    fn side(&self) -> String {
        self.0.after.side.to_string()
    }
}

/// The move that was pickled.
#[pyfunction]
#[pyo3(name = "_move")]
pub(crate) fn unpickled_move(
    parts: (usize, u8, u8, Option<usize>),
    rest: (Option<char>, Option<u8>, MaterialArg, u64, SideArg),
) -> PyResult<PyMove> {
    let (piece, from, to, captured) = parts;
    let (promotion, passed, material, index, side) = rest;
    let square = |number: u8| Square::try_from(number).or_raise();
    Ok(PyMove(Move {
        piece,
        from: square(from)?,
        to: square(to)?,
        captured,
        promotion: promotion.and_then(PieceType::from_letter),
        en_passant: passed.map(square).transpose()?,
        after: Reached {
            material: material.0,
            index,
            side: side.0,
        },
    }))
}
