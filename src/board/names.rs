//! The names of values in texts.

use std::fmt;

/// A text that is none of the names that the values of a type have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not a {kind}: expected {expected}")]
pub struct NameError {
    found: String,
    kind: &'static str,
    expected: String,
}

/// Returns the value that prints as this text. Case does not matter, and `-`, `_` and a blank are the same.
pub(crate) fn by_name<T: Copy + fmt::Display>(
    kind: &'static str,
    all: &[T],
    text: &str,
) -> Result<T, NameError> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], " ");
    let found = all
        .iter()
        .find(|value| plain(&value.to_string()) == plain(text));
    found.copied().ok_or_else(|| {
        let names: Vec<String> = all.iter().map(T::to_string).collect();
        let expected = match names.split_last() {
            Some((last, names @ [_, ..])) => format!("{} or {last}", names.join(", ")),
            _ => names.concat(),
        };
        NameError {
            found: text.to_owned(),
            kind,
            expected,
        }
    })
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
