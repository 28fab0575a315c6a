//! Short-range pieces.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyType};
use tbindex::fairy::{Grid, Verdict, masks_of};
use tbindex::{Leaper, Symmetry};
use tbindex_fairy::{Board, distances_picture, verdict_picture};

use crate::arrays::Made;
use crate::classes::{getters, made_by};
use crate::enums::Member;
use crate::errors::{Error, Named, OrRaise, unexpected};
use crate::texts::Keyword;

/// A piece that leaps at most two files and two ranks: a set of steps on a 5×5 grid.
///
/// It is written as the numbers of its squares, in Betza's notation, or as a number of 24 bits. A
/// notebook draws it.
///
/// >>> knight = Leaper("N")
/// >>> knight == Leaper("02,04,06,10,15,19,21,23") == Leaper(0x54422a)
/// True
/// >>> len(knight), (1, 2) in knight, list(Leaper("fF"))
/// (8, True, [(-1, 1), (1, 1)])
/// >>> Leaper("F").verdict.is_free
/// False
#[pyclass(name = "Leaper", module = "tbindex.fairy", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyLeaper(Leaper);

getters! { PyLeaper, piece;
    /// The piece as a number: square k of the grid is bit k − 1.
    bits: u32 = piece.0.bits();
    /// The steps as pairs (files, ranks), the foremost first.
    ///
    /// >>> Leaper("fF").steps
    /// [(-1, 1), (1, 1)]
    steps: Vec<(i8, i8)> = {
        let steps = piece.0.steps();
        steps.map(|step| (step.files, step.ranks)).collect()
    };
    /// The piece in Betza's notation, or ``None`` if it has none.
    betza: Option<String> = piece.0.betza();
    /// The verdict: whether the piece can reach every square on a board without edges, and why.
    verdict: PyVerdict = PyVerdict(Verdict::of(piece.0));
}

#[pymethods]
impl PyLeaper {
    #[new]
    fn new(piece: &Bound<'_, PyAny>) -> PyResult<PyLeaper> {
        if let Ok(text) = piece.extract::<String>() {
            return text.parse().or_raise().map(PyLeaper);
        }
        let Ok(bits) = piece.extract::<i128>() else {
            return Err(unexpected("piece", piece, "a text or a number of 24 bits"));
        };
        let piece = u32::try_from(bits)
            .ok()
            .and_then(|bits| Leaper::try_from(bits).ok());
        piece.map(PyLeaper).ok_or_else(|| {
            Error::new_err(format!(
                "{bits} is not a piece: expected a number of 24 bits"
            ))
        })
    }

    fn __repr__(&self) -> String {
        format!("Leaper({:#08x})", self.0.bits())
    }

    fn __str__(&self) -> String {
        self.0.betza().unwrap_or_else(|| self.0.list().to_string())
    }

    fn __len__(&self) -> usize {
        self.0.steps().len()
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyIterator>> {
        let steps = self.steps().into_pyobject(py)?;
        steps.try_iter().map(Bound::unbind)
    }

    fn __contains__(&self, step: (i8, i8)) -> bool {
        let mut steps = self.0.steps();
        steps.any(|own| (own.files, own.ranks) == step)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (u32,)) {
        (slf.get_type(), (slf.get().0.bits(),))
    }

    /// The image under a symmetry of the board.
    ///
    /// >>> Leaper("fW").image(Symmetry.ROTATE_90) == Leaper("rW")
    /// True
    fn image(&self, symmetry: Member<Symmetry>) -> PyLeaper {
        PyLeaper(self.0.image(symmetry.0))
    }

    /// The smallest of its images.
    fn canonical(&self) -> PyLeaper {
        let images = Symmetry::ALL.map(|symmetry| self.0.image(symmetry));
        PyLeaper(images.into_iter().fold(self.0, Leaper::min))
    }

    /// Whether the piece can go from every square of a board to every other.
    ///
    /// >>> Leaper("N").is_connected(), Leaper("N").is_connected("3x3")
    /// (True, False)
    #[pyo3(signature = (board = Keyword::new("8x8")), text_signature = "($self, board='8x8')")]
    fn is_connected(&self, board: Keyword) -> PyResult<bool> {
        let grid: Grid = board.parsed("board")?;
        Ok(grid.is_connected(self.0))
    }

    /// The number of moves from a square to each square of a board, as an array of shape (ranks, files),
    /// the first rank first. It is −1 where the piece never gets.
    ///
    /// >>> Leaper("N").distances("a1")[:3, :3]
    /// array([[0, 3, 2],
    ///        [3, 4, 1],
    ///        [2, 1, 4]], dtype=int16)
    #[pyo3(signature = (square, board = Keyword::new("8x8")), text_signature = "($self, square, board='8x8')")]
    fn distances<'py>(&self, py: Python<'py>, square: Keyword, board: Keyword) -> Made<'py> {
        let grid: Grid = board.parsed("board")?;
        let square = grid.square_named(&square.named("square")?);
        let distances = grid.distances(self.0, square.or_raise().named("square")?);
        let moves = distances.iter();
        let moves: Vec<i16> = moves.map(|moves| moves.map_or(-1, i16::from)).collect();
        let shape = [usize::from(grid.height()), usize::from(grid.width())];
        Ok(PyArray1::from_vec(py, moves).reshape(shape)?.into_any())
    }

    /// A picture of the piece, its verdict and a board, as SVG. If a square is given, it shows the numbers
    /// of moves from there.
    #[pyo3(signature = (board = Keyword::new("8x8"), *, distances_from = None),
        text_signature = "($self, board='8x8', *, distances_from=None)")]
    fn svg(&self, board: Keyword, distances_from: Option<Keyword>) -> PyResult<String> {
        let grid: Grid = board.parsed("board")?;
        Ok(match distances_from {
            None => verdict_picture(&Verdict::of(self.0), &grid),
            Some(square) => {
                let from = grid.square_named(&square.named("distances_from")?);
                let from = from.or_raise().named("distances_from")?;
                distances_picture(self.0, &grid, from)
            }
        })
    }

    fn _repr_svg_(&self) -> String {
        verdict_picture(&Verdict::of(self.0), &Grid::CHESS)
    }

    fn _repr_html_(&self) -> String {
        format!("<figure>{}</figure>", self._repr_svg_())
    }
}

/// The verdict on a piece on a board without edges. *Free* pieces can reach every square; all others are
/// *bound* to some colour of a lattice or to a half-plane.
///
/// >>> verdict = Leaper("F").verdict
/// >>> print(verdict)
/// Bound: every move keeps to one colour of 2 (checker), as f + r is divisible by 2 for all moves (f,r).
/// >>> verdict.is_free, verdict.is_confined, verdict.lattice_rank, verdict.lattice_index
/// (False, False, 2, 2)
#[pyclass(name = "Verdict", module = "tbindex.fairy", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyVerdict(Verdict);

made_by!(PyVerdict, |verdict, _| (verdict.piece(),));

getters! { PyVerdict, verdict;
    /// The piece.
    piece: PyLeaper = PyLeaper(verdict.0.piece);
    /// Whether the piece can reach every square from every square.
    is_free: bool = verdict.0.is_free();
    /// Whether a closed half-plane through the piece holds all its moves.
    is_confined: bool = verdict.0.is_confined();
    /// The rank of the lattice that the moves generate: 0, 1 or 2.
    lattice_rank: u32 = verdict.0.lattice.rank();
    /// The number of colours of the lattice, or ``None`` if its rank is not 2.
    lattice_index: Option<u32> = verdict.0.lattice.index();
    /// The name of the lattice's colouring, if it has one.
    colouring: Option<&'static str> = verdict.0.lattice.name();
    /// The names of the published masks that the piece is within.
    ///
    /// >>> Leaper("04,15").verdict.masks
    /// ['no south-east', 'three-way A']
    masks: Vec<&'static str> = masks_of(verdict.0.piece).collect();
    /// The directions in which the piece can never get, however it moves. There are none unless it is
    /// confined.
    ///
    /// >>> Leaper("01,02,10,15").verdict.missing[:2]
    /// ['east', 'east-south-east']
    missing: Vec<&'static str> = verdict.0.missing().collect();
}

#[pymethods]
impl PyVerdict {
    #[new]
    fn new(piece: &Bound<'_, PyAny>) -> PyResult<PyVerdict> {
        match piece.cast::<PyLeaper>() {
            Ok(piece) => Ok(PyVerdict(Verdict::of(piece.get().0))),
            Err(_) => Err(unexpected("piece", piece, "a tbindex.fairy.Leaper")),
        }
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}
