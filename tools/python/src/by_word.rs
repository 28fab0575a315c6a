//! Values of the library, which are made for a type of word, for both of them.

use pyo3::prelude::*;
use tbindex::{Layout, LayoutError};

use crate::errors::{OrRaise, Refusal};
use crate::layout::PyLayout;

/// Two values, one for each type of word. The narrow one is there only if 32 bits hold the index.
pub(crate) struct ByWord<N, W> {
    narrow: Result<N, LayoutError>,
    pub(crate) wide: W,
}

impl<N, W> ByWord<N, W> {
    /// The values that are made for a layout in either word.
    pub(crate) fn new(
        layout: PyLayout,
        narrow: impl FnOnce(Layout<u32>) -> PyResult<N>,
        wide: impl FnOnce(Layout<u64>) -> PyResult<W>,
    ) -> PyResult<ByWord<N, W>> {
        Ok(ByWord {
            narrow: match layout.words() {
                Ok(words) => Ok(narrow(words)?),
                Err(error) => Err(error),
            },
            wide: wide(layout.words().or_raise()?)?,
        })
    }

    /// The value for 32 bits.
    pub(crate) fn narrow(&self) -> PyResult<&N> {
        self.narrow.as_ref().map_err(Refusal::exception)
    }
}

/// Makes values equal if the arguments that they were made from are.
macro_rules! equal_by {
    ($class:ident, $value:ident => $key:expr) => {
        impl PartialEq for $class {
            fn eq(&self, other: &$class) -> bool {
                let key = |$value: &$class| $key;
                key(self) == key(other)
            }
        }

        impl std::hash::Hash for $class {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                let $value = self;
                $key.hash(state);
            }
        }
    };
}

pub(crate) use equal_by;
