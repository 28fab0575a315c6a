//! Operations on slices, shared among the threads of the current `rayon` pool.
//!
//! ```
//! use tbindex::batch::{Backend, parallel};
//! use tbindex::{Equivalence, Group, Layout, LikePieces, Numbering};
//! let layout = Layout::<u32>::new(3, Numbering::Natural);
//! let same = Equivalence::new(layout, Group::D4, LikePieces::default());
//! let indices: Vec<u32> = (0..1 << 18).collect();
//! let mut canonical = vec![0; indices.len()];
//! let parts = (&indices[..], &mut canonical[..]);
//! let Ok(()) = parallel::try_for_each(parts, Backend::detect(), |backend, _, (from, to)| {
//!     backend.canonical_into(&same, from, to);
//!     Ok::<(), std::convert::Infallible>(())
//! });
//! assert_eq!(canonical[0o777_000], same.canonical(0o777_000));
//! ```

use super::backend::Backend;
use super::caches::last_level_cache_bytes;

/// The most positions of a task. They are enough to make the cost of handing it over negligible, and few enough to
/// make many tasks.
const TASK_POSITIONS: usize = 1 << 17;

/// Slices that belong to the same positions and are cut together.
///
/// These are slices with an item for each position, [`Rows`] and [`Bitmap`]s, a vector of columns, and pairs of any of
/// them, in which the first one tells how many positions there are.
pub trait Parts: Sized + Send {
    /// The number of positions.
    #[doc(hidden)]
    fn positions(&self) -> usize;
    /// The length of the first slice that is not as long as for so many positions, and the length that it should have.
    #[doc(hidden)]
    fn wrong_length(&self, positions: usize) -> Option<(usize, usize)>;
    /// Cuts before the position of this number, a multiple of 64.
    #[doc(hidden)]
    fn cut(self, at: usize) -> (Self, Self);
    /// The number of bytes that may be written.
    #[doc(hidden)]
    fn written_bytes(&self) -> usize;
}

macro_rules! slices {
    ($($slice:ty: $item:ident, $split:ident, $written:expr;)*) => {$(
        impl<T: $item> Parts for $slice {
            fn positions(&self) -> usize {
                self.len()
            }
            fn wrong_length(&self, positions: usize) -> Option<(usize, usize)> {
                (self.len() != positions).then_some((self.len(), positions))
            }
            fn cut(self, at: usize) -> (Self, Self) {
                self.$split(at)
            }
            fn written_bytes(&self) -> usize {
                $written(self)
            }
        }
    )*};
}

slices! {
    &[T]: Sync, split_at, |_| 0;
    &mut [T]: Send, split_at_mut, |slice: &&mut [T]| size_of_val(*slice);
}

/// Rows: the slice has this many items for each position.
#[derive(Clone, Copy, Debug)]
pub struct Rows<S>(pub S, pub usize);

impl<S: Parts> Parts for Rows<S> {
    fn positions(&self) -> usize {
        self.0.positions() / self.1.max(1)
    }
    fn wrong_length(&self, positions: usize) -> Option<(usize, usize)> {
        self.0.wrong_length(positions * self.1)
    }
    fn cut(self, at: usize) -> (Self, Self) {
        let (a, b) = self.0.cut(at * self.1);
        (Rows(a, self.1), Rows(b, self.1))
    }
    fn written_bytes(&self) -> usize {
        self.0.written_bytes()
    }
}

/// A bitmap: the slice has a word for every 64 positions.
#[derive(Clone, Copy, Debug)]
pub struct Bitmap<S>(pub S);

impl<S: Parts> Parts for Bitmap<S> {
    fn positions(&self) -> usize {
        64 * self.0.positions()
    }
    fn wrong_length(&self, positions: usize) -> Option<(usize, usize)> {
        self.0.wrong_length(positions.div_ceil(64))
    }
    fn cut(self, at: usize) -> (Self, Self) {
        let (a, b) = self.0.cut(at / 64);
        (Bitmap(a), Bitmap(b))
    }
    fn written_bytes(&self) -> usize {
        self.0.written_bytes()
    }
}

impl<S: Parts> Parts for Vec<S> {
    fn positions(&self) -> usize {
        self.first().map_or(0, Parts::positions)
    }
    fn wrong_length(&self, positions: usize) -> Option<(usize, usize)> {
        (self.iter()).find_map(|column| column.wrong_length(positions))
    }
    fn cut(self, at: usize) -> (Self, Self) {
        self.into_iter().map(|column| column.cut(at)).unzip()
    }
    fn written_bytes(&self) -> usize {
        self.iter().map(Parts::written_bytes).sum()
    }
}

impl<A: Parts, B: Parts> Parts for (A, B) {
    fn positions(&self) -> usize {
        self.0.positions()
    }
    fn wrong_length(&self, positions: usize) -> Option<(usize, usize)> {
        let first = self.0.wrong_length(positions);
        first.or_else(|| self.1.wrong_length(positions))
    }
    fn cut(self, at: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.cut(at), self.1.cut(at));
        ((a, b), (c, d))
    }
    fn written_bytes(&self) -> usize {
        self.0.written_bytes() + self.1.written_bytes()
    }
}

/// Cuts slices into parts and calls an operation with each of them, on the threads of the pool. It is also given the
/// number of the part's first position.
///
/// The operation must use the backend that it is given, as that one writes past the caches if all parts together
/// exceed them.
///
/// ```
/// # use tbindex::batch::{Backend, OutOfRange, parallel};
/// # use tbindex::{Layout, Numbering};
/// let layout = Layout::<u32>::new(2, Numbering::Natural);
/// let mut rows = vec![0; 2 << 18];
/// rows[123_456] = 64;
/// let mut indices = vec![0; 1 << 18];
/// let parts = (&mut indices[..], parallel::Rows(&rows[..], 2));
/// let error = parallel::try_for_each(parts, Backend::detect(), |backend, first, (to, rows)| {
///     let encoded = backend.encode_rows(&layout, rows.0, to);
///     encoded.map_err(|error| match error {
///         OutOfRange::Square { position, .. } => first + position,
///         _ => unreachable!("bytes are squares"),
///     })
/// });
/// assert_eq!(error, Err(123_456 / 2));
/// ```
///
/// # Errors
/// The error of the first part that has one. All parts are done nevertheless.
///
/// # Panics
/// If slices are not of the same positions, or the operation panics.
#[track_caller]
pub fn try_for_each<P: Parts, E: Send>(
    parts: P,
    backend: Backend,
    operation: impl Fn(Backend, usize, P) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let positions = parts.positions();
    if let Some((found, expected)) = parts.wrong_length(positions) {
        panic!("try_for_each: a slice of {found} for {positions} positions: expected {expected}");
    }
    let exceeds_caches = parts.written_bytes() > last_level_cache_bytes();
    let backend = backend.writing_past_caches(exceeds_caches);
    by_halves(0, parts, &|first, part| operation(backend, first, part))
}

fn by_halves<P: Parts, E: Send>(
    first: usize,
    parts: P,
    operation: &(impl Fn(usize, P) -> Result<(), E> + Sync),
) -> Result<(), E> {
    if parts.positions() <= TASK_POSITIONS {
        return operation(first, parts);
    }
    // Bitmaps can be cut at multiples of 64 only.
    let half = (parts.positions() / 2).next_multiple_of(64);
    let (a, b) = parts.cut(half);
    let (a, b) = rayon::join(
        || by_halves(first, a, operation),
        || by_halves(first + half, b, operation),
    );
    a.and(b)
}
