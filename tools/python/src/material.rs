//! Materials, which say which pieces are on the board.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use tbindex::{Estimate, Group, Material, Numbering, Piece};

use crate::classes::{getters, made_by};
use crate::enums::Member;
use crate::equivalence::PyEquivalence;
use crate::errors::OrRaise;
use crate::layout::PyLayout;

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
    index_order: String = material.0.index_order().map(Piece::letter).collect();
    /// The symmetries that keep a position's value: D4 without pawns, the file mirror with pawns.
    group: Member<Group> = Member(material.0.group());
    /// Whether there is a pawn of either colour.
    has_pawns: bool = material.0.has_pawns();
}

#[pymethods]
impl PyMaterial {
    #[new]
    fn new(name: &str) -> PyResult<PyMaterial> {
        name.parse().or_raise().map(PyMaterial)
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

    /// The layout of this material's indices.
    ///
    /// >>> Material("KQvKR").layout()
    /// Layout(4, 'natural')
    #[pyo3(signature = (numbering = Member(Numbering::Natural)), text_signature = "($self, numbering='natural')")]
    fn layout(&self, numbering: Member<Numbering>) -> PyResult<PyLayout> {
        PyLayout::of(self.0.piece_count(), numbering.0)
    }

    /// The equivalence of this material's positions: its symmetries, and the exchange of like pieces.
    ///
    /// >>> Material("KRRvK").equivalence("alternate")
    /// Equivalence(Layout(4, 'alternate'), 'D4', [[0, 1]])
    #[pyo3(signature = (numbering = Member(Numbering::Natural)), text_signature = "($self, numbering='natural')")]
    fn equivalence(&self, numbering: Member<Numbering>) -> PyResult<PyEquivalence> {
        PyEquivalence::of(self.layout(numbering)?, self.0.group(), &self.0.into())
    }
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
            Ok(text) => text.to_cow()?.parse().or_raise().map(MaterialArg),
            Err(_) => Err(PyTypeError::new_err(format!(
                "{}: expected a tbindex.Material or its name",
                object.get_type().name()?
            ))),
        }
    }
}
