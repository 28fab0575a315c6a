//! Materials, which say which pieces are on the board.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use tbindex::{Estimate, Fen, Group, Material, Numbering, Piece};

use crate::arrays::Made;
use crate::classes::{getters, made_by};
use crate::enums::Member;
use crate::equivalence::PyEquivalence;
use crate::errors::{Named, OrRaise, at_position, unexpected};
use crate::layout::PyLayout;
use crate::texts::{AT_A_TIME, Keyword, Texts, is_second, one_text};

/// The pieces of both sides, with one king each. A material is written KQvKR: white's pieces, 'v', and
/// black's. Each side has its king first, and then queens, rooks, bishops, knights, pawns.
///
/// The white king is the leading piece of an index, the black king the next, and the others follow
/// downwards in the order of the name: the pieces of KQvKR are 3 = K, 2 = k, 1 = Q, 0 = r.
///
/// >>> material = Material("KQvKR")
/// >>> material.index_order
/// 'rQkK'
/// >>> material.swap_colors()
/// Material('KRvKQ')
/// >>> len(material), material.group
/// (4, <Group.D4: 2>)
/// >>> Material("KPvK").group
/// <Group.FILE_MIRROR: 1>
#[pyclass(name = "Material", module = "tbindex", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyMaterial(pub(crate) Material);

made_by!(PyMaterial, |material, _| (material.0.to_string(),));

getters! { PyMaterial, material;
    /// The letters of the pieces by their numbers in an index, piece 0 first. White's are capitals.
    index_order: String = material.0.index_order().map(char::from).collect();
    /// The symmetries that keep a position's value: D4 without pawns, the file mirror with pawns.
    group: Member<Group> = Member(material.0.group());
    /// The names of the columns in which a frame has the squares of the pieces, piece 0 first: the letters of ``index_order``,
    /// with numbers where there are several pieces of one kind.
    ///
    /// >>> Material("KRRvK").columns
    /// ['R1', 'R2', 'k', 'K']
    columns: Vec<String> = square_columns(material.0);
    /// Whether there is a pawn of either colour.
    has_pawns: bool = material.0.has_pawns();
    /// The layout of this material's indices under the natural numbering.
    ///
    /// >>> Material("KQvKR").layout
    /// Layout(4, 'natural')
    layout: PyResult<PyLayout> = material.layout_by(Numbering::Natural);
}

#[pymethods]
impl PyMaterial {
    #[new]
    fn new(name: Keyword) -> PyResult<PyMaterial> {
        name.named("name")?.parse().or_raise().map(PyMaterial)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __len__(&self) -> usize {
        self.0.piece_count()
    }

    /// The twin with exchanged colours.
    ///
    /// >>> Material("KPvKN").swap_colors()
    /// Material('KNvKP')
    fn swap_colors(&self) -> PyMaterial {
        PyMaterial(self.0.swap_colors())
    }

    /// The material of a position, which is a FEN or EPD line or a board of python-chess; or a list of those of many, with ``None``
    /// for what is missing. ``invalid='mask'`` has ``None`` for what is no position, too.
    ///
    /// >>> Material.of("8/8/8/8/8/2k5/8/K6R w - - 0 1")
    /// Material('KRvK')
    /// >>> Material.of(["8/8/8/8/8/2k5/8/K6R w - -", None, "8/8 w"], invalid="mask")
    /// [Material('KRvK'), None, None]
    #[staticmethod]
    #[pyo3(signature = (fens, *, invalid = Keyword::new("raise")), text_signature = "(fens, *, invalid='raise')")]
    fn of<'py>(fens: &Bound<'py, PyAny>, invalid: Keyword) -> Made<'py> {
        let (py, masks) = (fens.py(), is_second("invalid", invalid, ["raise", "mask"])?);
        let of = |line: &str| {
            let fen: Fen = line.parse().or_raise()?;
            fen.position.material().or_raise().map(PyMaterial)
        };
        if let Some(line) = one_text(fens)? {
            return Ok(Bound::new(py, of(&line)?)?.into_any());
        }
        let (mut fens, all) = (Texts::new("fens", fens)?, PyList::empty(py));
        loop {
            let first = fens.taken();
            let some = fens.take(AT_A_TIME)?;
            if some.is_empty() {
                return Ok(all.into_any());
            }
            for (place, line) in some.iter().enumerate() {
                all.append(match line.as_ref().map(|line| of(line)).transpose() {
                    Err(error) if !masks => return Err(at_position(py, first + place, error)),
                    found => found.unwrap_or(None),
                })?;
            }
            py.check_signals()?;
        }
    }

    /// The equivalence of this material's positions: its symmetries, and the exchange of like pieces.
    ///
    /// >>> Material("KRRvK").equivalence("alternate")
    /// Equivalence(Layout(4, 'alternate'), 'D4', [[0, 1]])
    #[pyo3(signature = (numbering = Member(Numbering::Natural)), text_signature = "($self, numbering='natural')")]
    fn equivalence(&self, numbering: Member<Numbering>) -> PyResult<PyEquivalence> {
        PyEquivalence::of(self.layout_by(numbering.0)?, self.0.group(), &self.0.into())
    }
}

impl PyMaterial {
    fn layout_by(&self, numbering: Numbering) -> PyResult<PyLayout> {
        PyLayout::of(self.0.piece_count(), numbering)
    }
}

/// The names of the columns in which a frame has the squares of a material's pieces, piece 0 first.
pub(crate) fn square_columns(material: Material) -> Vec<String> {
    let mut seen = Vec::new();
    let name = |piece: Piece| {
        seen.push(piece);
        match material.count(piece) {
            1 => char::from(piece).to_string(),
            _ => format!(
                "{}{}",
                char::from(piece),
                seen.iter().filter(|&&other| other == piece).count()
            ),
        }
    };
    material.index_order().map(name).collect()
}

/// The cost of every scheme for a material of up to 21 pieces, without making any.
///
/// >>> {estimate.scheme: estimate.slots for estimate in estimate("KRRvK")}["compact_exact"]
/// 854238
#[pyfunction]
pub(crate) fn estimate<'py>(
    py: Python<'py>,
    material: MaterialArg,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let class = py.import("tbindex._tuples")?.getattr("Estimate")?;
    let all = Estimate::all(material.0).into_iter();
    all.map(|of| class.call1((of.scheme, of.room, of.slots)))
        .collect()
}

/// A material or its name, as an argument.
pub(crate) struct MaterialArg(pub(crate) Material);

impl FromPyObject<'_, '_> for MaterialArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(material) = object.cast::<PyMaterial>() {
            return Ok(MaterialArg(material.get().0));
        }
        match object.cast::<PyString>() {
            Ok(text) => {
                let material = text.to_cow()?.parse().or_raise();
                material.named("material").map(MaterialArg)
            }
            Err(_) => {
                let expected = "a tbindex.Material or its name";
                Err(unexpected("material", &object, expected))
            }
        }
    }
}
