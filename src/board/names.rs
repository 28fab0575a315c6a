//! The names of values in texts.

use std::fmt;

/// The error that a text names no value of a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not a {kind}: expected {expected}")]
pub struct NameError {
    found: String,
    kind: String,
    expected: String,
}

impl NameError {
    /// The error that a text is not a `kind`.
    pub(crate) fn new(found: &str, kind: &str, expected: &str) -> NameError {
        NameError {
            found: found.to_owned(),
            kind: kind.to_owned(),
            expected: expected.to_owned(),
        }
    }
}

/// Returns the value that prints as this text. Case does not matter, and `-`, `_` and a blank are the same.
pub(crate) fn by_name<T: Copy + fmt::Display>(
    kind: &str,
    all: &[T],
    text: &str,
) -> Result<T, NameError> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], " ");
    let found = all
        .iter()
        .find(|value| plain(&value.to_string()) == plain(text));
    found.copied().ok_or_else(|| {
        let names: Vec<String> = all.iter().map(T::to_string).collect();
        NameError::new(text, kind, &alternatives(&names))
    })
}

/// Names as a choice: `a, b or c`.
pub(crate) fn alternatives(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, names @ [_, ..])) => format!("{} or {last}", names.join(", ")),
        _ => names.concat(),
    }
}

/// Has types print as the names that their values have.
macro_rules! print_names {
    ($($type:ty),*) => {$(
        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    )*};
}
pub(crate) use print_names;

/// Has a type read the names as which its values print.
macro_rules! read_names {
    ($type:ident, $kind:literal) => {
        impl ::std::str::FromStr for $type {
            type Err = $crate::board::NameError;

            /// Reads the names that `Display` writes. Case does not matter, and `-`, `_` and a blank are the same.
            fn from_str(text: &str) -> Result<$type, $crate::board::NameError> {
                $crate::board::by_name($kind, &$type::ALL, text)
            }
        }
    };
}
pub(crate) use read_names;
