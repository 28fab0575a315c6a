//! The enumerations, which are classes of Python in `tbindex._enums`.
//!
//! A member's value is the library's code. Where a member is expected, its name as the library writes it is
//! accepted, too.

use numpy::PyArrayDyn;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyString, PyType};
use tbindex::{Color, Group, Numbering, Square, Symmetry};

use crate::arrays::{Made, refuse_masked};
use crate::errors::{Error, Named, OrRaise};
use crate::frames::bools;
use crate::numbers::Number;
use crate::texts::Keyword;

/// A type of the library that is an enumeration in Python.
pub(crate) trait Enumeration: Copy + Sized {
    /// The name of the class, which in small letters is that of an argument that should be a member.
    const NAME: &'static str;
    /// The place where Python's class is kept.
    fn class() -> &'static PyOnceLock<Py<PyType>>;
    /// The member's value.
    fn code(self) -> u8;
    /// The member with a value.
    fn from_code(code: u8) -> Option<Self>;
    /// The member that a text names.
    fn named(text: &str) -> PyResult<Self>;
    /// Whether a plain number, such as one of an array of codes, stands for the member with this value.
    const TAKES_CODES: bool;
}

/// A member as an argument and as a result.
#[derive(Clone, Copy)]
pub(crate) struct Member<E>(pub(crate) E);

fn class<'py, E: Enumeration>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyType>> {
    E::class().import(py, "tbindex._enums", E::NAME)
}

impl<E: Enumeration> FromPyObject<'_, '_> for Member<E> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Member::of(&object).named(&E::NAME.to_lowercase())
    }
}

impl<E: Enumeration> Member<E> {
    fn of(object: &Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let class = class::<E>(object.py())?;
        if object.get_type().is(class) {
            let member = E::from_code(object.extract()?);
            return member
                .map(Member)
                .ok_or_else(|| PyValueError::new_err(format!("{}: no such member", E::NAME)));
        }
        if E::TAKES_CODES && is_number(object)? {
            let code = object.extract::<Number<u8>>()?.named(E::NAME);
            let member = code.ok().and_then(E::from_code);
            return member.map(Member).ok_or_else(|| {
                Error::new_err(format!("{}: expected the code of a {}", **object, E::NAME))
            });
        }
        match object.cast::<PyString>() {
            Ok(text) => E::named(&text.to_cow()?).map(Member),
            Err(_) => Err(PyTypeError::new_err(format!(
                "{}: expected a tbindex.{} or its name",
                object.get_type().name()?,
                E::NAME
            ))),
        }
    }
}

/// Whether an object is a number of Python or one of numpy's whole numbers, and not the member of an
/// enumeration.
fn is_number(object: &Borrowed<'_, '_, PyAny>) -> PyResult<bool> {
    static NUMBER: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    Ok(object.is_exact_instance_of::<PyInt>()
        || object.is_instance(NUMBER.import(object.py(), "numpy", "integer")?)?)
}

impl<'py, E: Enumeration> IntoPyObject<'py> for Member<E> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> Made<'py> {
        class::<E>(py)?.call1((self.0.code(),))
    }
}

macro_rules! enumeration {
    ($of:ident, takes_codes: $takes_codes:literal, named: $named:expr) => {
        impl Enumeration for $of {
            const NAME: &'static str = stringify!($of);
            const TAKES_CODES: bool = $takes_codes;

            fn class() -> &'static PyOnceLock<Py<PyType>> {
                static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
                &CLASS
            }

            fn code(self) -> u8 {
                self as u8
            }

            fn from_code(code: u8) -> Option<$of> {
                $of::ALL.into_iter().find(|&member| member as u8 == code)
            }

            fn named(text: &str) -> PyResult<$of> {
                $named(text)
            }
        }
    };
}

enumeration!(Symmetry, takes_codes: true, named: |text: &str| text.parse().or_raise());
enumeration!(Numbering, takes_codes: false, named: |text: &str| text.parse().or_raise());
enumeration!(Group, takes_codes: false, named: group_named);

fn group_named(text: &str) -> PyResult<Group> {
    let mut known = Group::ALL.into_iter();
    let found = known.find(|group| spelled(&group.to_string()) == spelled(text));
    found.ok_or_else(|| {
        let names = Group::ALL.map(group_name).join(", ");
        Error::new_err(format!("{text:?} is not a group: expected one of {names}"))
    })
}

/// A name as names are compared: in small letters, with underscores between the words.
pub(crate) fn spelled(name: &str) -> String {
    name.to_lowercase()
        .replace(", ", "_")
        .replace([' ', '-'], "_")
}

/// The name of a group in Python.
pub(crate) fn group_name(group: Group) -> String {
    group.to_string().replace(' ', "_")
}

/// A side as an argument, `'white'` or `'black'`, or as FEN has it, `'w'` or `'b'`.
pub(crate) struct SideArg(pub(crate) Color);

impl FromPyObject<'_, '_> for SideArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = object.extract::<Keyword>()?;
        text.parsed("side").map(SideArg)
    }
}

/// The side to move in every position, or in each.
pub(crate) enum Sides {
    One(Color),
    /// Whether black is to move.
    Each(Vec<bool>),
}

impl Sides {
    /// The side to move in one of the positions.
    pub(crate) fn of(&self, place: usize) -> Color {
        match self {
            Sides::One(side) => *side,
            Sides::Each(black) if black[place] => Color::Black,
            Sides::Each(_) => Color::White,
        }
    }

    /// The values of so many positions.
    pub(crate) fn new(side: &Bound<'_, PyAny>, count: usize) -> PyResult<Sides> {
        if side.is_instance_of::<PyString>() {
            return side.extract().map(|SideArg(side)| Sides::One(side));
        }
        let wrong = |found: String| {
            PyTypeError::new_err(format!(
                "side: {found}: expected 'white', 'black', or {count} values of bool, true where black is to move"
            ))
        };
        refuse_masked("side", side)?;
        let numpy = side.py().import("numpy")?;
        let array = numpy.call_method1("asarray", (side,))?;
        let Ok(array) = array.cast::<PyArrayDyn<bool>>() else {
            return Err(wrong(side.get_type().name()?.to_string()));
        };
        let black = bools(array)?;
        match black.len() == count {
            true => Ok(Sides::Each(black)),
            false => Err(wrong(format!("{} values", black.len()))),
        }
    }
}

/// The symmetry that does what the first does and then what the second does.
#[pyfunction]
pub(crate) fn compose(first: Member<Symmetry>, then: Member<Symmetry>) -> Member<Symmetry> {
    Member(first.0.then(then.0))
}

/// The symmetry that undoes another.
#[pyfunction]
pub(crate) fn inverse(symmetry: Member<Symmetry>) -> Member<Symmetry> {
    Member(symmetry.0.inverse())
}

/// The image of a square, 0 to 63.
#[pyfunction]
pub(crate) fn apply_symmetry(symmetry: Member<Symmetry>, square: Number<u8>) -> PyResult<u8> {
    let square = Square::try_from(square.named("square")?).or_raise()?;
    Ok(symmetry.0.apply(square).number())
}

/// The board with every square's code under a numbering, in octal.
#[pyfunction]
pub(crate) fn numbering_picture(numbering: Member<Numbering>) -> String {
    numbering.0.picture()
}
