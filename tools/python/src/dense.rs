//! Dense numbers, which take an index to a slot of an array and back.

use std::sync::OnceLock;

use numpy::Element;
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyType};
use tbindex::batch::{self, BatchWord, SlotOutOfRange};
use tbindex::{
    Compact, DenseBatch, Diagonal, Group, Kings, Material, Numbering, Orbit, Rules, Triangle, Word,
};

use crate::arrays::{Input, Output, Words, for_words, work};
use crate::enums::Member;
use crate::errors::{Error, OrRaise};
use crate::layout::{PyLayout, change};
use crate::material::{MaterialArg, PyMaterial};

/// A scheme for words of any type. It is made only for the types that are used, as some schemes have large
/// tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Scheme {
    Orbit {
        layout: PyLayout,
        group: Group,
    },
    Triangle {
        layout: PyLayout,
        group: Group,
    },
    Kings {
        layout: PyLayout,
        group: Group,
    },
    Compact {
        material: Material,
        numbering: Numbering,
        rules: Rules,
    },
}

impl Scheme {
    fn make<W: BatchWord>(self) -> PyResult<Box<dyn DenseBatch<W> + Send + Sync>> {
        Ok(match self {
            Scheme::Orbit { layout, group } => Box::new(Orbit::new(layout.words()?, group)),
            Scheme::Triangle { layout, group } => Box::new(Triangle::new(layout.words()?, group)),
            Scheme::Kings { layout, group } => {
                Box::new(Kings::try_new(layout.words()?, group).or_raise()?)
            }
            Scheme::Compact {
                material,
                numbering,
                rules,
            } => Box::new(Compact::of_material(material, numbering, rules).or_raise()?),
        })
    }
}

/// A scheme that numbers positions 0 … ``size`` − 1 without holes, so that a table can be an array.
///
/// The schemes are ``Orbit``, ``Triangle``, ``Kings`` and ``Compact``. For every slot,
/// ``rank(unrank(slot)) == slot``; for every index that the scheme has room for, ``unrank(rank(index))``
/// is an equivalent of the index.
#[pyclass(name = "Dense", module = "tbindex", subclass, frozen, eq, hash)]
pub(crate) struct PyDense {
    scheme: Scheme,
    layout: PyLayout,
    size: u128,
    narrow: OnceLock<Box<dyn DenseBatch<u32> + Send + Sync>>,
    wide: OnceLock<Box<dyn DenseBatch<u64> + Send + Sync>>,
}

impl PartialEq for PyDense {
    fn eq(&self, other: &PyDense) -> bool {
        self.scheme == other.scheme
    }
}

impl std::hash::Hash for PyDense {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.scheme.hash(state);
    }
}

/// The types of words. Each has its half of a scheme.
trait Half: BatchWord + Element {
    fn of(dense: &PyDense) -> PyResult<&(dyn DenseBatch<Self> + Send + Sync)>;
}

macro_rules! half {
    ($word:ty, $field:ident) => {
        impl Half for $word {
            fn of(dense: &PyDense) -> PyResult<&(dyn DenseBatch<$word> + Send + Sync)> {
                if let Some(made) = dense.$field.get() {
                    return Ok(&**made);
                }
                let made = dense.scheme.make()?;
                Ok(&**dense.$field.get_or_init(|| made))
            }
        }
    };
}

half!(u32, narrow);
half!(u64, wide);

impl PyDense {
    fn subclass<S>(class: S, scheme: Scheme) -> PyResult<PyClassInitializer<S>>
    where
        S: PyClass<BaseType = PyDense>,
    {
        Ok(PyClassInitializer::from(PyDense::new(scheme)?).add_subclass(class))
    }

    fn new(scheme: Scheme) -> PyResult<PyDense> {
        fn of<W: BatchWord>(scheme: &dyn DenseBatch<W>) -> PyResult<(PyLayout, u128)> {
            let layout = scheme.layout();
            let layout = PyLayout::of(layout.pieces(), layout.numbering())?;
            Ok((layout, scheme.size().into()))
        }
        let (narrow, wide) = (OnceLock::new(), OnceLock::new());
        // The narrow scheme if it exists, else the wide one or its error.
        let (layout, size) = match scheme.make::<u32>() {
            Ok(made) => of(&**narrow.get_or_init(|| made))?,
            Err(_) => {
                let made = scheme.make()?;
                of(&**wide.get_or_init(|| made))?
            }
        };
        Ok(PyDense {
            scheme,
            layout,
            size,
            narrow,
            wide,
        })
    }

    fn rank_words<'py, W: Half>(
        &self,
        py: Python<'py>,
        indices: Input<'py, W>,
        check: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let scheme = W::of(self)?;
        change(
            py,
            indices,
            out,
            check.then(|| scheme.layout()),
            |words| batch::rank_in_place(scheme, words),
            |indices, slots| batch::rank_into(scheme, indices, slots),
        )
    }

    /// Writes something that is to be known of every slot.
    fn each_slot<'py, W: Half, T: Element + Send>(
        &self,
        py: Python<'py>,
        slots: Input<'py, W>,
        out: Option<&Bound<'py, PyAny>>,
        of: impl Fn(&(dyn DenseBatch<W> + Send + Sync), W) -> T + Send + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let scheme = W::of(self)?;
        let mut output = Output::<T>::like(py, "out", out, &slots)?;
        let slots = slots.apart_from(&output)?;
        {
            let (reading, mut writing) = (slots.read()?, output.write()?);
            let (from, to) = (reading.slice(), writing.slice());
            work(py, size_of_val(from), || {
                let size = scheme.size();
                for (position, (&slot, to)) in from.iter().zip(to).enumerate() {
                    if slot >= size {
                        return Err(SlotOutOfRange {
                            position,
                            found: slot.to_u64(),
                            size: size.to_u64(),
                        });
                    }
                    *to = of(scheme, slot);
                }
                Ok(())
            })
            .or_raise()?;
        }
        output.finish()
    }

    fn unrank_words<'py, W: Half>(
        &self,
        py: Python<'py>,
        slots: Input<'py, W>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let scheme = W::of(self)?;
        change(
            py,
            slots,
            out,
            None,
            |words| batch::try_unrank_in_place(scheme, words),
            |slots, indices| batch::try_unrank_into(scheme, slots, indices),
        )
    }
}

#[pymethods]
impl PyDense {
    fn __repr__(&self) -> String {
        match self.scheme {
            Scheme::Orbit { layout, group } => format!("Orbit({}, '{group}')", layout.repr()),
            Scheme::Triangle { layout, group } => {
                format!("Triangle({}, '{group}')", layout.repr())
            }
            Scheme::Kings { layout, group } => format!("Kings({}, '{group}')", layout.repr()),
            Scheme::Compact {
                material,
                numbering,
                rules,
            } => {
                let exact = if rules.diagonal() == Diagonal::Exact {
                    "True"
                } else {
                    "False"
                };
                format!(
                    "Compact('{material}', '{}', exact={exact}, numbering='{numbering}')",
                    rules_name(rules)
                )
            }
        }
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.size)?)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let arguments = match slf.get().scheme {
            Scheme::Orbit { layout, group }
            | Scheme::Triangle { layout, group }
            | Scheme::Kings { layout, group } => (layout, Member(group)).into_pyobject(py)?,
            Scheme::Compact {
                material,
                numbering,
                rules,
            } => {
                let exact = rules.diagonal() == Diagonal::Exact;
                let material = PyMaterial(material);
                (material, rules_name(rules), exact, Member(numbering)).into_pyobject(py)?
            }
        };
        Ok((slf.get_type(), arguments.into_any()))
    }

    /// The layout of the indices that are ranked and unranked.
    #[getter]
    fn layout(&self) -> PyLayout {
        self.layout
    }

    /// The number of slots.
    #[getter]
    fn size(&self) -> u128 {
        self.size
    }

    /// The slot of every index, of the same type, or ``NO_SLOT`` where the scheme has no room for the position,
    /// such as one with kings side by side.
    ///
    /// With ``masked`` the result is a ``numpy.ma.MaskedArray``, in which these elements are masked.
    ///
    /// >>> orbit = Orbit(Layout(3, "alternate"))
    /// >>> indices = np.array([0o614273], np.uint32)
    /// >>> turned = orbit.layout.flip(indices, Symmetry.ROTATE_90)
    /// >>> bool(orbit.rank(indices) == orbit.rank(turned))
    /// True
    /// >>> touching = np.array([0o0001, 0o0002], np.uint32)
    /// >>> Kings(Layout(2)).rank(touching) == NO_SLOT
    /// array([ True, False])
    /// >>> Kings(Layout(2)).rank(touching, masked=True).mask
    /// array([ True, False])
    /// >>> Kings(Layout(2)).rank(np.array([1 << 12], np.uint32))
    /// Traceback (most recent call last):
    /// tbindex.Error: index 0o10000 at position 0: 2 pieces have indices below 0o10000
    #[pyo3(signature = (indices, *, masked = false, check = true, out = None))]
    fn rank<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        masked: bool,
        check: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let words = Words::new("indices", indices)?;
        let no_slot = match &words {
            Words::Narrow(_) => u64::from(u32::NO_SLOT),
            Words::Wide(_) => u64::NO_SLOT,
        };
        let slots = for_words!(words, indices => self.rank_words(py, indices, check, out))?;
        if !masked {
            return Ok(slots);
        }
        let how = [("copy", false)].into_py_dict(py)?;
        let numpy = py.import("numpy.ma")?;
        numpy.call_method("masked_equal", (slots, no_slot), Some(&how))
    }

    /// The number of positions for which every slot stands, as ``uint8``: 8 or 4 without pawns, 2 with. A sum
    /// over all slots, each times its weight, is a sum over all positions.
    ///
    /// >>> orbit = Orbit(Layout(2))
    /// >>> int(orbit.weight(np.arange(orbit.size, dtype=np.uint32)).sum())
    /// 4096
    #[pyo3(signature = (slots, *, out = None))]
    fn weight<'py>(
        &self,
        py: Python<'py>,
        slots: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for_words!(Words::new("slots", slots)?, slots => {
            self.each_slot(py, slots, out, |scheme, slot| scheme.weight(slot) as u8)
        })
    }

    /// The other slot of the same class, if it has two, or ``NO_SLOT``. Some schemes have two where the leading
    /// pieces are on a diagonal.
    ///
    /// >>> scheme = Compact("KRvK", exact=False)
    /// >>> slots = np.arange(scheme.size, dtype=np.uint32)
    /// >>> twins = scheme.twin(slots)
    /// >>> int((twins != NO_SLOT).sum())
    /// 1176
    #[pyo3(signature = (slots, *, out = None))]
    fn twin<'py>(
        &self,
        py: Python<'py>,
        slots: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match Words::new("slots", slots)? {
            Words::Narrow(slots) => self.each_slot(py, slots, out, |scheme, slot| {
                scheme.twin(slot).unwrap_or(u32::NO_SLOT)
            }),
            Words::Wide(slots) => self.each_slot(py, slots, out, |scheme, slot| {
                scheme.twin(slot).unwrap_or(u64::NO_SLOT)
            }),
        }
    }

    /// The index of every slot, of the same type.
    ///
    /// >>> triangle = Triangle(Layout(3))
    /// >>> slots = np.arange(triangle.size, dtype=np.uint32)
    /// >>> bool((triangle.rank(triangle.unrank(slots)) == slots).all())
    /// True
    /// >>> triangle.unrank(np.array([3, 40960], np.uint32))
    /// Traceback (most recent call last):
    /// tbindex.Error: slot 40960 at position 1: expected slots below 40960
    #[pyo3(signature = (slots, *, out = None))]
    fn unrank<'py>(
        &self,
        py: Python<'py>,
        slots: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for_words!(Words::new("slots", slots)?, slots => self.unrank_words(py, slots, out))
    }
}

/// A scheme for all squares, with pieces told apart and exactly one slot for every class. It computes in
/// the alternate numbering; indices of a natural layout are converted first.
///
/// >>> Orbit(Layout(3)).size, Orbit(Layout(10)).size == 2**57 + 2**28
/// (32896, True)
/// >>> Orbit(Layout(3, "alternate"), "file mirror").layout
/// Layout(3, 'alternate')
#[pyclass(name = "Orbit", module = "tbindex", extends = PyDense, frozen)]
pub(crate) struct PyOrbit;

#[pymethods]
impl PyOrbit {
    #[new]
    #[pyo3(signature = (layout, group = Member(Group::D4)), text_signature = "(layout, group='D4')")]
    fn new(
        layout: &Bound<'_, PyLayout>,
        group: Member<Group>,
    ) -> PyResult<PyClassInitializer<PyOrbit>> {
        let (layout, group) = (*layout.get(), group.0);
        PyDense::subclass(PyOrbit, Scheme::Orbit { layout, group })
    }
}

/// A scheme for all squares, with pieces told apart and the leading piece folded into the a1–d1–d4
/// triangle. A class with that piece on the diagonal has two slots. The scheme computes in the natural
/// numbering; indices of an alternate layout are converted first.
///
/// >>> Triangle(Layout(3)).size == 10 * 64**2
/// True
#[pyclass(name = "Triangle", module = "tbindex", extends = PyDense, frozen)]
pub(crate) struct PyTriangle;

#[pymethods]
impl PyTriangle {
    #[new]
    #[pyo3(signature = (layout, group = Member(Group::D4)), text_signature = "(layout, group='D4')")]
    fn new(
        layout: &Bound<'_, PyLayout>,
        group: Member<Group>,
    ) -> PyResult<PyClassInitializer<PyTriangle>> {
        let (layout, group) = (*layout.get(), group.0);
        PyDense::subclass(PyTriangle, Scheme::Triangle { layout, group })
    }
}

/// A scheme for leading kings that are not neighbours, with the other pieces anywhere and told apart. It
/// computes in the natural numbering; indices of an alternate layout are converted first.
///
/// >>> Kings(Layout(4)).size == 462 * 64**2
/// True
#[pyclass(name = "Kings", module = "tbindex", extends = PyDense, frozen)]
pub(crate) struct PyKings;

#[pymethods]
impl PyKings {
    #[new]
    #[pyo3(signature = (layout, group = Member(Group::D4)), text_signature = "(layout, group='D4')")]
    fn new(
        layout: &Bound<'_, PyLayout>,
        group: Member<Group>,
    ) -> PyResult<PyClassInitializer<PyKings>> {
        let (layout, group) = (*layout.get(), group.0);
        PyDense::subclass(PyKings, Scheme::Kings { layout, group })
    }
}

/// A scheme for the positions of a material by king pairs and sets of like pieces, which makes the smallest
/// tables. It computes in the natural numbering; indices of the alternate one are converted first.
///
/// ``rules`` says which positions there is room for: ``'all'`` squares, shared or not; ``'distinct'``
/// squares; ``'kings apart'``, distinct squares and kings that don't touch; or ``'kings apart, shared'``,
/// where all but the kings may share squares. With ``exact=False`` a position with all leading pieces on
/// the diagonal and its mirror image have a slot each, which makes the arithmetic simpler.
///
/// >>> Compact("KRRvK").size
/// 854238
/// >>> Compact("KRRvK", exact=False).size == 462 * (62 * 61 // 2)
/// True
#[pyclass(name = "Compact", module = "tbindex", extends = PyDense, frozen)]
pub(crate) struct PyCompact;

#[pymethods]
impl PyCompact {
    #[new]
    #[pyo3(
        signature = (
            material, rules = "kings apart", exact = true, numbering = Member(Numbering::Natural)
        ),
        text_signature = "(material, rules='kings apart', exact=True, numbering='natural')"
    )]
    fn new(
        material: MaterialArg,
        rules: &str,
        exact: bool,
        numbering: Member<Numbering>,
    ) -> PyResult<PyClassInitializer<PyCompact>> {
        let diagonal = if exact {
            Diagonal::Exact
        } else {
            Diagonal::Both
        };
        let rules = rules_named(rules)?.with_diagonal(diagonal);
        let scheme = Scheme::Compact {
            material: material.0,
            numbering: numbering.0,
            rules,
        };
        PyDense::subclass(PyCompact, scheme)
    }

    /// The material.
    #[getter]
    fn material(slf: &Bound<'_, Self>) -> PyResult<PyMaterial> {
        match slf.as_super().get().scheme {
            Scheme::Compact { material, .. } => Ok(PyMaterial(material)),
            _ => Err(Error::new_err("not a compact scheme")),
        }
    }
}

/// All rules, by their names.
const RULES: [(&str, Rules); 4] = [
    ("all", Rules::ALL),
    ("distinct", Rules::DISTINCT),
    ("kings apart", Rules::KINGS_APART),
    ("kings apart, shared", Rules::KINGS_APART_SHARED),
];

fn rules_named(name: &str) -> PyResult<Rules> {
    match RULES.iter().find(|(known, _)| *known == name) {
        Some(&(_, rules)) => Ok(rules),
        None => {
            let names = RULES.map(|(name, _)| format!("{name:?}")).join(", ");
            let message = format!("{name:?} names no rules: expected one of {names}");
            Err(Error::new_err(message))
        }
    }
}

fn rules_name(rules: Rules) -> &'static str {
    let exact = rules.with_diagonal(Diagonal::Exact);
    let found = RULES.iter().find(|(_, known)| *known == exact);
    found.map_or("kings apart", |(name, _)| name)
}
