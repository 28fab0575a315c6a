//! The methods by which a set of indices is reduced.

/// How a set is reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By a bitmap where it fits the memory and is not much larger than the indices, else by sorting.
    #[default]
    Auto,
    /// A bit for every canonical index there can be.
    Bitmap,
    /// Radix sort, with temporary files if need be.
    Sort,
}

impl Method {
    /// `auto`, `bitmap` or `sort`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Bitmap => "bitmap",
            Method::Sort => "sort",
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The error that a text is not the name of a method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a method: expected auto, bitmap or sort")]
pub struct MethodError(String);

impl std::str::FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Method, MethodError> {
        [Method::Auto, Method::Bitmap, Method::Sort]
            .into_iter()
            .find(|method| method.name() == text)
            .ok_or_else(|| MethodError(text.to_owned()))
    }
}
