//! Dense numbers, which take an index to a slot of an array and back.

use std::sync::OnceLock;

use numpy::Element;
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyTuple};
use tbindex::batch::{Backend, BatchWord, DenseBatch, OutOfRange};
use tbindex::{Compact, Diagonal, Group, Kings, Material, Numbering, Orbit, Rules, Triangle, Word};

use crate::arrays::{In, Input, Made, Out, Words, for_words};
use crate::by_word::{ByWord, equal_by};
use crate::classes::{getters, made_by};
use crate::enums::{Member, group_name, spelled};
use crate::errors::{Error, Named, OrRaise};
use crate::layout::{LayoutArg, PyLayout, change, tell};
use crate::material::{MaterialArg, PyMaterial};
use crate::texts::Keyword;
use crate::watch::{PART, in_parts};

/// The schemes that tell all pieces apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Orbit,
    Triangle,
    Kings,
}

/// A scheme for words of any type. It is made only for the types that are used, as some schemes have large
/// tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Scheme {
    OfLayout(Kind, PyLayout, Group),
    /// The rules have a name.
    Compact(Material, Numbering, (&'static str, Rules), Diagonal),
}

/// The mark of positions that have no slot, which is that of the library but for the highest of 64 bits: an array that is indexed
/// by a negative number has such an element.
pub(crate) fn no_slot<W: Word>() -> W {
    match W::BITS {
        64 => W::NO_SLOT >> 1,
        _ => W::NO_SLOT,
    }
}

/// A scheme for one type of words.
type Boxed<W> = Box<dyn DenseBatch<W> + Send + Sync>;

impl Scheme {
    /// The layout of the indices.
    fn layout(self) -> PyResult<PyLayout> {
        match self {
            Scheme::OfLayout(_, layout, _) => Ok(layout),
            Scheme::Compact(material, numbering, ..) => {
                PyLayout::of(material.piece_count(), numbering)
            }
        }
    }

    fn make<W: BatchWord>(self) -> PyResult<Boxed<W>> {
        Ok(match self {
            Scheme::OfLayout(kind, layout, group) => {
                let layout = layout.words().or_raise()?;
                match kind {
                    Kind::Orbit => Box::new(Orbit::new(layout, group)),
                    Kind::Triangle => Box::new(Triangle::new(layout, group)),
                    Kind::Kings => Box::new(Kings::new(layout, group)),
                }
            }
            Scheme::Compact(material, numbering, (_, rules), diagonal) => {
                Box::new(Compact::try_new(material, numbering, rules, diagonal).or_raise()?)
            }
        })
    }

    /// The scheme for a word, from where it is kept.
    fn kept<W: BatchWord>(self, made: &OnceLock<Boxed<W>>) -> PyResult<&Boxed<W>> {
        if let Some(made) = made.get() {
            return Ok(made);
        }
        let new = self.make()?;
        Ok(made.get_or_init(|| new))
    }
}

/// Puts the mark of this package in place of that of the library.
fn marked<W: Word>(slots: &mut [W]) {
    for slot in slots.iter_mut().filter(|slot| **slot == W::NO_SLOT) {
        *slot = no_slot();
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
    /// Made when they are first used.
    by_word: ByWord<OnceLock<Boxed<u32>>, OnceLock<Boxed<u64>>>,
}

equal_by!(PyDense, dense => dense.scheme);

impl PyDense {
    /// A scheme of a class.
    fn of<S>(class: S, scheme: Scheme) -> PyResult<PyClassInitializer<S>>
    where
        S: PyClass<BaseType = PyDense>,
    {
        let layout = scheme.layout()?;
        if matches!(scheme, Scheme::OfLayout(Kind::Kings, ..)) && layout.pieces < 2 {
            return Err(Error::new_err("1 piece: expected at least 2, the kings"));
        }
        let by_word: ByWord<OnceLock<Boxed<u32>>, OnceLock<Boxed<u64>>> =
            ByWord::new(layout, |_| Ok(OnceLock::new()), |_| Ok(OnceLock::new()))?;
        // The narrow scheme if it exists, else the wide one or its error.
        let size = match by_word.narrow() {
            Ok(narrow) => scheme.kept(narrow)?.size().into(),
            Err(_) => scheme.kept(&by_word.wide)?.size().into(),
        };
        let dense = PyDense {
            scheme,
            layout,
            size,
            by_word,
        };
        Ok(PyClassInitializer::from(dense).add_subclass(class))
    }

    /// Writes something that is to be known of every slot.
    fn each_slot<'py, W: BatchWord + Element, T: Element + Send>(
        scheme: &Boxed<W>,
        slots: Input<'py, W>,
        out: Out<'_, 'py>,
        of: impl Fn(W) -> T + Sync,
    ) -> Made<'py> {
        tell(slots, out, None, |from, to| {
            let size = scheme.size();
            for (position, (&slot, to)) in from.iter().zip(to).enumerate() {
                if slot >= size {
                    return Err(OutOfRange::Slot {
                        position,
                        found: slot.to_u64(),
                        size: size.to_u64(),
                    });
                }
                *to = of(slot);
            }
            Ok(())
        })
    }
}

made_by!(
    PyDense,
    |dense, py| match dense.scheme {
        Scheme::OfLayout(_, layout, group) => (layout, group_name(group)).into_pyobject(py)?,
        Scheme::Compact(material, _, (rules, _), _) =>
            (material.to_string(), rules).into_pyobject(py)?,
    },
    match dense.scheme {
        Scheme::OfLayout(..) => PyTuple::empty(py),
        Scheme::Compact(_, numbering, _, diagonal) => {
            let exact = diagonal == Diagonal::Exact;
            (("exact", exact), ("numbering", numbering.to_string())).into_pyobject(py)?
        }
    }
);

getters! { PyDense, dense;
    /// The layout of the indices that are ranked and unranked.
    layout: PyLayout = dense.layout;
    /// The number of slots.
    size: u128 = dense.size;
}

#[pymethods]
impl PyDense {
    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.size)?)
    }

    /// The slot of every index, of the same type, or ``NO_SLOT`` where the scheme has no room for the position,
    /// such as one with kings side by side.
    ///
    /// ``NO_SLOT`` is past the end of any array, so that one that is indexed by it raises an :class:`IndexError`.
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
        indices: In<'_, 'py>,
        masked: bool,
        check: bool,
        out: Out<'_, 'py>,
    ) -> Made<'py> {
        let words = Words::new("indices", indices)?;
        let mark = match &words {
            Words::Narrow(_) => u64::from(no_slot::<u32>()),
            Words::Wide(_) => no_slot::<u64>(),
        };
        let backend = Backend::detect();
        let slots = for_words!(words, indices, made in self.by_word => {
            let scheme = &**self.scheme.kept(made)?;
            change(
                indices,
                out,
                check.then(|| scheme.layout()),
                |words| in_parts(words.len(), PART, |part| {
                    backend.rank_in_place(scheme, &mut words[part.clone()]);
                    marked(&mut words[part]);
                    Ok(())
                }),
                |indices, slots| in_parts(slots.len(), PART, |part| {
                    backend.rank_into(scheme, &indices[part.clone()], &mut slots[part.clone()]);
                    marked(&mut slots[part]);
                    Ok(())
                }),
            )
        })?;
        if !masked {
            return Ok(slots);
        }
        let py = slots.py();
        let how = [("copy", false)].into_py_dict(py)?;
        let numpy = py.import("numpy.ma")?;
        numpy.call_method("masked_equal", (slots, mark), Some(&how))
    }

    /// The number of positions for which every slot stands, as ``uint8``: 8 or 4 without pawns, 2 with. A sum
    /// over all slots, each times its weight, is a sum over all positions.
    ///
    /// >>> orbit = Orbit(Layout(2))
    /// >>> int(orbit.weight(np.arange(orbit.size, dtype=np.uint32)).sum())
    /// 4096
    #[pyo3(signature = (slots, *, out = None))]
    fn weight<'py>(&self, slots: In<'_, 'py>, out: Out<'_, 'py>) -> Made<'py> {
        for_words!(Words::new("slots", slots)?, slots, made in self.by_word => {
            let scheme = self.scheme.kept(made)?;
            Self::each_slot(scheme, slots, out, |slot| scheme.weight(slot) as u8)
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
    fn twin<'py>(&self, slots: In<'_, 'py>, out: Out<'_, 'py>) -> Made<'py> {
        for_words!(Words::new("slots", slots)?, slots, made in self.by_word => {
            let scheme = self.scheme.kept(made)?;
            Self::each_slot(scheme, slots, out, |slot| scheme.twin(slot).unwrap_or(no_slot()))
        })
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
    fn unrank<'py>(&self, slots: In<'_, 'py>, out: Out<'_, 'py>) -> Made<'py> {
        let backend = Backend::detect();
        for_words!(Words::new("slots", slots)?, slots, made in self.by_word => {
            let scheme = &**self.scheme.kept(made)?;
            change(
                slots,
                out,
                None,
                |words| backend.unrank_in_place(scheme, words),
                |slots, indices| backend.unrank_into(scheme, slots, indices),
            )
        })
    }
}

/// The classes of schemes that tell all pieces apart, which are made of a layout and a group.
macro_rules! of_layout {
    ($($(#[$docs:meta])* $class:ident as $name:literal = $kind:ident;)+) => {$(
        $(#[$docs])*
        #[pyclass(name = $name, module = "tbindex", extends = PyDense, frozen)]
        pub(crate) struct $class;

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (layout, group = Member(Group::D4)), text_signature = "(layout, group='D4')")]
            fn new(
                layout: LayoutArg,
                group: Member<Group>,
            ) -> PyResult<PyClassInitializer<$class>> {
                PyDense::of($class, Scheme::OfLayout(Kind::$kind, layout.0, group.0))
            }
        }
    )+};
}

of_layout! {
    /// A scheme for all squares, with pieces told apart and exactly one slot for every class. It computes in
    /// the alternate numbering; indices of a natural layout are converted first.
    ///
    /// >>> Orbit(Layout(3)).size, Orbit(Layout(10)).size == 2**57 + 2**28
    /// (32896, True)
    /// >>> Orbit(Layout(3, "alternate"), "file_mirror").layout
    /// Layout(3, 'alternate')
    PyOrbit as "Orbit" = Orbit;
    /// A scheme for all squares, with pieces told apart and the leading piece folded into the a1–d1–d4
    /// triangle. A class with that piece on the diagonal has two slots. The scheme computes in the natural
    /// numbering; indices of an alternate layout are converted first.
    ///
    /// >>> Triangle(Layout(3)).size == 10 * 64**2
    /// True
    PyTriangle as "Triangle" = Triangle;
    /// A scheme for leading kings that are not neighbours, with the other pieces anywhere and told apart. It
    /// computes in the natural numbering; indices of an alternate layout are converted first.
    ///
    /// >>> Kings(Layout(4)).size == 462 * 64**2
    /// True
    PyKings as "Kings" = Kings;
}

/// A scheme for the positions of a material by king pairs and sets of like pieces, which makes the smallest
/// tables. It computes in the natural numbering; indices of the alternate one are converted first.
///
/// ``rules`` says which positions there is room for: ``'all'`` squares, shared or not; ``'distinct'``
/// squares; ``'kings_apart'``, distinct squares and kings that don't touch; or ``'kings_apart_shared'``,
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
            material, rules = Keyword::new("kings_apart"), exact = true, numbering = Member(Numbering::Natural)
        ),
        text_signature = "(material, rules='kings_apart', exact=True, numbering='natural')"
    )]
    fn new(
        material: MaterialArg,
        rules: Keyword,
        exact: bool,
        numbering: Member<Numbering>,
    ) -> PyResult<PyClassInitializer<PyCompact>> {
        let rules = rules_named(&rules.named("rules")?).named("rules")?;
        let diagonal = if exact {
            Diagonal::Exact
        } else {
            Diagonal::Both
        };
        PyDense::of(
            PyCompact,
            Scheme::Compact(material.0, numbering.0, rules, diagonal),
        )
    }

    /// The material.
    #[getter]
    fn material(slf: &Bound<'_, Self>) -> PyResult<PyMaterial> {
        match slf.as_super().get().scheme {
            Scheme::Compact(material, ..) => Ok(PyMaterial(material)),
            _ => Err(Error::new_err("not a compact scheme")),
        }
    }
}

/// All rules by their names.
const RULES: [(&str, Rules); 4] = [
    ("all", Rules::All),
    ("distinct", Rules::Distinct),
    ("kings_apart", Rules::KingsApart),
    ("kings_apart_shared", Rules::KingsApartShared),
];

fn rules_named(name: &str) -> PyResult<(&'static str, Rules)> {
    let text = spelled(name);
    let found = RULES.into_iter().find(|(known, _)| *known == text);
    found.ok_or_else(|| {
        let names = RULES.map(|(name, _)| format!("{name:?}")).join(", ");
        Error::new_err(format!("{name:?} names no rules: expected one of {names}"))
    })
}
