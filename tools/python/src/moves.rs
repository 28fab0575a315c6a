//! Legality, checks and moves.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyString;
use tbindex::batch::{Backend, BatchWord};
use tbindex::{Color, Move, Moves, Numbering, Square, Word};

use crate::answers::answers;
use crate::arrays::{In, Made, Out, Words, for_words};
use crate::by_word::{ByWord, equal_by};
use crate::classes::{getters, made_by};
use crate::enums::{Member, SideArg, Sides};
use crate::errors::{Error, OrRaise};
use crate::layout::{PyLayout, checked};
use crate::material::{MaterialArg, PyMaterial};
use crate::numbers::Number;
use crate::watch::{PART, in_parts};

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
        let checked = match self {
            Question::Legal => return Backend::detect().is_legal_into(moves, side, from, bitmap),
            Question::Check => return Backend::detect().is_check_into(moves, side, from, bitmap),
            Question::Mate => true,
            Question::Stalemate => false,
        };
        for (from, bits) in from.chunks(64).zip(bitmap) {
            let is = |&index: &W| {
                moves.is_legal(index, side)
                    && moves.is_check(index, side) == checked
                    && moves.moves(index, side, None).next().is_none()
            };
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
        let with = |side: Color, out| {
            for_words!(Words::new("indices", indices)?, indices, moves in self.by_word => {
                let check = check.then(|| moves.layout());
                answers(indices, check, out, |from, bitmap| {
                    question.ask(moves, side, from, bitmap);
                })
            })
        };
        if side.is_instance_of::<PyString>() {
            return with(side.extract::<SideArg>()?.0, out);
        }
        let (white, black) = (with(Color::White, None)?, with(Color::Black, None)?);
        Sides::new(side, white.len().unwrap_or(1))?;
        let numpy = side.py().import("numpy")?;
        let both = numpy.call_method1("where", (side, black, white))?;
        match out {
            None => Ok(both),
            Some(out) => {
                numpy.call_method1("copyto", (out, both))?;
                Ok(out.clone())
            }
        }
    }

    /// Hands over every legal position of an array, or `None` for one that is not legal, and makes the offsets of what is taken of each,
    /// one more than positions. `take` returns the end.
    fn each(
        &self,
        indices: In<'_, '_>,
        side: &Bound<'_, PyAny>,
        mut take: impl FnMut(Option<(u64, Color)>) -> usize + Send,
    ) -> PyResult<Vec<i64>> {
        for_words!(Words::new("indices", indices)?, indices => {
            let reading = indices.read()?;
            let words = reading.slice();
            checked(Some(self.layout.words().or_raise()?), words).map_err(indices.refusal())?;
            let sides = Sides::new(side, words.len())?;
            let mut offsets = Vec::with_capacity(words.len() + 1);
            offsets.push(0);
            side.py().detach(|| in_parts(words.len(), PART, |part| {
                for place in part {
                    let position = (words[place].to_u64(), sides.of(place));
                    let is_legal = self.by_word.wide.is_legal(position.0, position.1);
                    offsets.push(take(Some(position).filter(|_| is_legal)) as i64);
                }
                Ok(())
            }))?;
            Ok(offsets)
        })
    }

    /// An index of a legal position.
    fn legal(&self, index: Number<u64>, side: Color) -> PyResult<u64> {
        let index = index.named("index")?;
        match self.by_word.wide.is_legal(index, side) {
            true => Ok(index),
            false => Err(Error::new_err(format!(
                "index {index:#o} is no legal position of {} with {side} to move",
                self.by_word.wide.material()
            ))),
        }
    }
}

made_by!(PyMoves, |moves, _| (
    moves.by_word.wide.material().to_string(),
    moves.by_word.wide.layout().numbering().to_string()
));

getters! { PyMoves, moves;
    /// The material.
    material: PyMaterial = PyMaterial(moves.by_word.wide.material());
    /// The layout of the indices.
    layout: PyLayout = moves.layout;
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
    fn moves<'py>(
        &self,
        py: Python<'py>,
        index: Number<u64>,
        side: SideArg,
        passed: Option<Number<u8>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let index = self.legal(index, side.0)?;
        let square = |square: Number<u8>| Square::try_from(square.named("passed")?).or_raise();
        let passed = passed.map(square);
        let wide = &self.by_word.wide;
        let moves = wide.moves(index, side.0, passed.transpose()?);
        let class = py.import("tbindex._tuples")?.getattr("Move")?;
        let object = |step: Move<u64>| {
            class.call1((
                step.piece,
                step.from.number(),
                step.to.number(),
                step.captured,
                step.promotion.map(char::from),
                step.en_passant.map(Square::number),
                PyMaterial(step.after.material),
                step.after.index,
                step.after.side.to_string(),
            ))
        };
        moves.map(object).collect()
    }

    /// The legal moves in every position of an array with one axis, as :class:`Successors`. Positions that are not legal have
    /// none.
    ///
    /// >>> after = Moves("KRvK").successors(np.array([0o00270, 0o00270], np.uint32), np.array([False, True]))
    /// >>> np.diff(after.offsets).tolist() == [len(Moves("KRvK").moves(0o270, side)) for side in ("white", "black")]
    /// True
    #[pyo3(signature = (indices, side))]
    fn successors<'py>(&self, indices: In<'_, 'py>, side: &Bound<'py, PyAny>) -> Made<'py> {
        let (py, wide) = (indices.py(), &self.by_word.wide);
        let mut materials = vec![wide.material()];
        let (mut after, mut black, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        // The piece, where it comes from, where it goes, and what it becomes.
        let mut steps = [(); 4].map(|()| Vec::new());
        let offsets = self.each(indices, side, |position| {
            let all = position.map(|(index, side)| wide.moves(index, side, None));
            for step in all.into_iter().flatten() {
                let material = step.after.material;
                let found = materials.iter().position(|&known| known == material);
                numbers.push(found.unwrap_or(materials.len()) as u8);
                if found.is_none() {
                    materials.push(material);
                }
                after.push(step.after.index);
                black.push(step.after.side == Color::Black);
                let promotion = step.promotion.map_or(0, |kind| char::from(kind) as u8);
                let bytes = [
                    step.piece as u8,
                    step.from.number(),
                    step.to.number(),
                    promotion,
                ];
                for (column, byte) in steps.iter_mut().zip(bytes) {
                    column.push(byte);
                }
            }
            after.len()
        })?;
        let [piece, from, to, promotion] = steps.map(|bytes| PyArray1::from_vec(py, bytes));
        let fields = (
            PyArray1::from_vec(py, offsets),
            self.layout.array(py, after),
            PyArray1::from_vec(py, black),
            PyArray1::from_vec(py, numbers),
            materials.into_iter().map(PyMaterial).collect::<Vec<_>>(),
            piece,
            from,
            to,
            promotion,
        );
        py.import("tbindex._tuples")?
            .getattr("Successors")?
            .call1(fields)
    }

    /// The result of ``unmoves`` for every position of an array with one axis: the offsets, one more than positions, and the
    /// indices. Positions that are not legal have none.
    ///
    /// >>> offsets, before = Moves("KRvK").predecessors(np.array([0o270], np.uint32), "white")
    /// >>> offsets.tolist() == [0, len(before)]
    /// True
    #[pyo3(signature = (indices, side))]
    fn predecessors<'py>(&self, indices: In<'_, 'py>, side: &Bound<'py, PyAny>) -> Made<'py> {
        let (py, wide) = (indices.py(), &self.by_word.wide);
        let mut before = Vec::new();
        let offsets = self.each(indices, side, |position| {
            let all = position.map(|(index, side)| wide.unmoves(index, side));
            before.extend(all.into_iter().flatten());
            before.len()
        })?;
        let both = (
            PyArray1::from_vec(py, offsets),
            self.layout.array(py, before),
        );
        Ok(both.into_pyobject(py)?.into_any())
    }

    /// The indices of all legal positions, with the other side to move, from which a move that takes nothing and
    /// promotes nothing leads to this legal position with ``side`` to move.
    #[pyo3(signature = (index, side))]
    fn unmoves<'py>(&self, py: Python<'py>, index: Number<u64>, side: SideArg) -> Made<'py> {
        let index = self.legal(index, side.0)?;
        Ok(self
            .layout
            .array(py, self.by_word.wide.unmoves(index, side.0).collect()))
    }
}

/// The methods that ask questions.
macro_rules! questions {
    ($($(#[$docs:meta])* $name:ident = $question:ident;)+) => {
        #[pymethods]
        impl PyMoves {$(
            $(#[$docs])*
            #[pyo3(signature = (indices, side, *, check = true, out = None))]
            fn $name<'py>(
                &self,
                indices: In<'_, 'py>,
                side: &Bound<'py, PyAny>,
                check: bool,
                out: Out<'_, 'py>,
            ) -> Made<'py> {
                self.ask(Question::$question, indices, side, check, out)
            }
        )+}
    };
}

questions! {
    /// For each position whether it is legal with ``side`` to move, as ``bool``: no two pieces share a square,
    /// pawns stand on ranks 2 to 7, and the king of the other side is not attacked. An index may also be a number
    /// of Python; then so is the answer one. Here as below, ``side`` may be an array of ``bool`` that is true where black is to
    /// move, as ``PlacementCodec.encode`` gives it.
    is_legal = Legal;
    /// For each position whether the king of ``side`` is attacked, as ``bool``.
    is_check = Check;
    /// For each position whether it is legal with ``side`` to move and a checkmate, as ``bool``.
    ///
    /// >>> moves = Moves("KRvK")
    /// >>> all = Enumeration("KRvK", "legal", "black", canonical=True).indices()
    /// >>> int(moves.is_mate(all, "black").sum())
    /// 27
    is_mate = Mate;
    /// For each position whether it is legal with ``side`` to move and a stalemate, as ``bool``.
    is_stalemate = Stalemate;
}
