//! The methods by which a set of indices is reduced.

/// A method by which a set is reduced.
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

/// `auto`, `bitmap` or `sort`.
impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Method::Auto => "auto",
            Method::Bitmap => "bitmap",
            Method::Sort => "sort",
        })
    }
}

impl Method {
    const ALL: [Method; 3] = [Method::Auto, Method::Bitmap, Method::Sort];
}

crate::board::read_names!(Method, "method");
