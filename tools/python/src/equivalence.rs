//! Equivalences of positions.

use numpy::Element;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tbindex::batch::{Backend, BatchWord};
use tbindex::{Equivalence, Group, LikePieces};

use crate::answers::answers;
use crate::arrays::{In, Input, Made, Out, Output, Words, for_words, work};
use crate::by_word::{ByWord, equal_by};
use crate::classes::{getters, made_by};
use crate::enums::{Member, group_name};
use crate::errors::{Error, OrRaise, unexpected};
use crate::layout::{LayoutArg, PyLayout, change, checked, tell};
use crate::numbers::Number;

/// An equivalence says what counts as the same position. It has a layout, a group of symmetries, and sets
/// of like pieces, each of which is a list of piece numbers.
///
/// The canonical index of a position is the smallest among all its equivalents: its images under the
/// group, each with its like pieces in any order.
///
/// >>> same = Material("KRRvK").equivalence()
/// >>> same == Equivalence(Layout(4), Group.D4, [[0, 1]])
/// True
/// >>> indices = np.array([0o7700_7700, 0o0077_0077], np.uint32)
/// >>> [oct(index) for index in same.canonical(indices)]
/// ['0o770077', '0o770077']
#[pyclass(name = "Equivalence", module = "tbindex", frozen, eq, hash)]
pub(crate) struct PyEquivalence {
    layout: PyLayout,
    by_word: ByWord<Equivalence<u32>, Equivalence<u64>>,
}

equal_by!(PyEquivalence, same => same.by_word.wide.clone());

impl PyEquivalence {
    pub(crate) fn of(layout: PyLayout, group: Group, like: &LikePieces) -> PyResult<PyEquivalence> {
        let by_word = ByWord::new(
            layout,
            |words| Ok(Equivalence::new(words, group, like.clone())),
            |words| Ok(Equivalence::new(words, group, like.clone())),
        )?;
        Ok(PyEquivalence { layout, by_word })
    }

    fn canonical_and_symmetries<'py, W: BatchWord + Element>(
        same: &Equivalence<W>,
        indices: Input<'py, W>,
        check: bool,
        (out, symmetries_out): (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>),
    ) -> Made<'py> {
        let (py, backend) = (indices.py(), Backend::detect());
        let check = check.then(|| same.layout());
        let mut output = Output::<W>::like("out[0]", out.as_ref(), &indices)?;
        let mut symmetries = Output::<u8>::like("out[1]", symmetries_out.as_ref(), &indices)?;
        output.check_apart(&symmetries)?;
        let refusal = indices.refusal();
        if output.is_same(&indices) {
            let (mut to, mut codes) = (output.write()?, symmetries.write()?);
            let (to, codes) = (to.slice(), codes.slice());
            work(py, size_of_val(to), || {
                checked(check, to)
                    .map(|()| backend.canonical_with_symmetry_in_place(same, to, codes))
            })
            .map_err(refusal)?;
        } else {
            let indices = indices.apart_from(&output)?.apart_from(&symmetries)?;
            let from = indices.read()?;
            let (mut to, mut codes) = (output.write()?, symmetries.write()?);
            let (from, to, codes) = (from.slice(), to.slice(), codes.slice());
            work(py, size_of_val(from), || {
                checked(check, from)
                    .map(|()| backend.canonical_with_symmetry_into(same, from, to, codes))
            })
            .map_err(refusal)?;
        }
        let both = (output.finish()?, symmetries.finish()?);
        Ok(both.into_pyobject(py)?.into_any())
    }
}

made_by!(PyEquivalence, |same, _| (
    same.layout,
    group_name(same.by_word.wide.group()),
    same.like()
));

getters! { PyEquivalence, same;
    /// The layout of the indices.
    layout: PyLayout = same.layout;
    /// The group of symmetries.
    group: Member<Group> = Member(same.by_word.wide.group());
    /// The sets of like pieces.
    like: Vec<Vec<u32>> = {
        let sets = same.by_word.wide.like().sets().iter();
        let pieces = |set: &u32| (0..u32::BITS).filter(|k| set >> k & 1 != 0).collect();
        sets.map(pieces).collect()
    };
}

/// The argument ``like``.
struct LikeArg(Vec<Vec<Number<u32>>>);

impl FromPyObject<'_, '_> for LikeArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let like = object.extract().map(LikeArg);
        like.map_err(|_| unexpected("like", &object, "lists of the numbers of pieces"))
    }
}

#[pymethods]
impl PyEquivalence {
    #[new]
    #[pyo3(signature = (layout, group = Member(Group::D4), like = LikeArg(Vec::new())), text_signature = "(layout, group='D4', like=())")]
    fn new(layout: LayoutArg, group: Member<Group>, like: LikeArg) -> PyResult<PyEquivalence> {
        let layout = layout.0;
        let pieces = layout.pieces;
        let mut sets = Vec::new();
        for list in like.0 {
            let mut set = 0u32;
            for piece in list {
                let piece = piece.named("like")?;
                // The library refuses numbers that are out of range. The last bit stands for all of them.
                let bit = 1 << piece.min(u32::BITS - 1);
                if set & bit != 0 && (piece as usize) < pieces {
                    return Err(Error::new_err(format!(
                        "piece {piece} is twice in a set of like pieces"
                    )));
                }
                set |= bit;
            }
            sets.push(set);
        }
        let like = LikePieces::try_new(&sets, pieces).or_raise()?;
        PyEquivalence::of(layout, group.0, &like)
    }

    /// The canonical form of every index.
    ///
    /// With ``with_symmetry`` the result is a pair of arrays: the canonical forms, and as ``uint8`` the
    /// codes of the symmetries that lead to them (before like pieces are sorted). ``out`` is then a pair,
    /// too, and either part may be ``None``.
    ///
    /// >>> same = Material("KQvKR").equivalence()
    /// >>> canonical, symmetries = same.canonical(np.array([0o77507450], np.uint32), with_symmetry=True)
    /// >>> oct(canonical[0]), Symmetry(symmetries[0])
    /// ('0o270327', <Symmetry.ROTATE_180: 3>)
    #[pyo3(signature = (indices, *, with_symmetry = false, check = true, out = None))]
    fn canonical<'py>(
        &self,
        indices: In<'_, 'py>,
        with_symmetry: bool,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        let (indices, backend) = (Words::new("indices", indices)?, Backend::detect());
        if !with_symmetry {
            return for_words!(indices, indices, same in self.by_word => change(
                indices,
                out,
                check.then(|| same.layout()),
                |indices| backend.canonical_in_place(same, indices),
                |from, to| backend.canonical_into(same, from, to),
            ));
        }
        let out = match out {
            None => (None, None),
            Some(pair) => {
                let pair = pair.cast::<PyTuple>().ok();
                pair.and_then(|pair| pair.extract().ok()).ok_or_else(|| {
                    PyTypeError::new_err(
                        "out: expected a tuple of two arrays, for indices and for symmetries",
                    )
                })?
            }
        };
        for_words!(indices, indices, same in self.by_word => {
            Self::canonical_and_symmetries(same, indices, check, out)
        })
    }

    /// The number of different indices that the group makes of each index, as ``uint8``. Like pieces are
    /// told apart.
    ///
    /// >>> Equivalence(Layout(2)).orbit_sizes(np.array([0o0012, 0o0000], np.uint32))
    /// array([8, 4], dtype=uint8)
    #[pyo3(signature = (indices, *, check = true, out = None))]
    fn orbit_sizes<'py>(&self, indices: In<'_, 'py>, check: bool, out: Out<'_, 'py>) -> Made<'py> {
        let backend = Backend::detect();
        for_words!(Words::new("indices", indices)?, indices, same in self.by_word => {
            let check = check.then(|| same.layout());
            tell(indices, out, check, |from, sizes| {
                backend.orbit_size_into(same, from, sizes);
            })
        })
    }

    /// Whether every index is canonical, which is to say the smallest of its equivalents, as ``bool``.
    ///
    /// >>> Equivalence(Layout(2)).is_canonical(np.array([0o0012, 0o7712], np.uint32))
    /// array([ True, False])
    #[pyo3(signature = (indices, *, check = true, out = None))]
    fn is_canonical<'py>(&self, indices: In<'_, 'py>, check: bool, out: Out<'_, 'py>) -> Made<'py> {
        let backend = Backend::detect();
        for_words!(Words::new("indices", indices)?, indices, same in self.by_word => {
            let check = check.then(|| same.layout());
            answers(indices, check, out, |from, bitmap| {
                backend.is_canonical_into(same, from, bitmap);
            })
        })
    }
}
