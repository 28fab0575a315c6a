//! Whole tables from one order to another, and ranges of them.

use super::numbering::{Order, OrderError};
use super::squares::Squares;
use super::tile::Tile;
use super::way::Reindexing;
use super::work::{Planes, Work};
use crate::batch::Backend;

/// Moves a table from one order to another: each slot of the target gets the entry that the source has for its position,
/// or `fill` if it has none.
///
/// The position of a slot is what the slot was made for: with like men in ascending order of their squares where they are
/// combined, and not its mirror image. So if the source has several slots for a position, because like men are told apart
/// there or its leading men are on the diagonal, the target gets the entry of *one* of them, and it does not matter which if
/// they agree, as they do in any table of values. If the target has several slots for a position, all get its entry.
///
/// ```
/// use tbindex::batch::Backend;
/// use tbindex::bitbase::Domain;
/// use tbindex::order::{Order, Scheme, reindex};
/// use tbindex::{Rules, Square};
/// let domain = Domain::try_new("KRRvK".parse()?, &[])?;
/// let from = Order::of_domain(&domain);
/// let to = Order::of_scheme("KRRvK".parse()?, Scheme::Compact(Rules::KINGS_APART))?;
/// let source: Vec<u8> = (0..from.size()).map(|slot| (slot >> 12) as u8).collect();
/// let mut target = vec![0; to.size() as usize];
/// reindex(&from, &to, Backend::detect(), &source, 0, &mut target)?;
/// let squares: Vec<Square> = ["b1", "d5", "a4", "h8"].map(str::parse).into_iter().collect::<Result<_, _>>()?;
/// let slots = [&from, &to].map(|order| order.slot(&squares).expect("a legal position") as usize);
/// assert_eq!(target[slots[1]], source[slots[0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the orders have different men.
///
/// # Panics
/// If a slice has not as many entries as its order has slots.
pub fn reindex<T: Entry>(
    from: &Order,
    to: &Order,
    backend: Backend,
    source: &[T],
    fill: T,
    target: &mut [T],
) -> Result<(), OrderError> {
    let way = Reindexing::try_new(from, to)?;
    let slots = target.len() as u64;
    assert_eq!(slots, to.size(), "an entry for each slot of the target");
    way.range_into(backend, source, fill, 0, target);
    Ok(())
}

/// The least number of slots of a task.
#[cfg(feature = "rayon")]
const TASK_SLOTS: usize = 1 << 17;

/// The tasks of a thread, where no tile is cut.
#[cfg(feature = "rayon")]
const TASKS: usize = 4;

impl Reindexing<'_> {
    /// Writes the entries of the slots from `first` on: a part of [`reindex`], for tables that memory does not hold.
    ///
    /// # Panics
    /// If the source has not as many entries as its order has slots, or the target has fewer slots.
    pub fn range_into<T: Entry>(
        &self,
        backend: Backend,
        source: &[T],
        fill: T,
        first: u64,
        target: &mut [T],
    ) {
        assert_eq!(
            source.len() as u64,
            self.from.size(),
            "an entry for each slot of the source"
        );
        let end = first.checked_add(target.len() as u64);
        assert!(
            end.is_some_and(|end| end <= self.to.size()),
            "slots of the target"
        );
        #[cfg(feature = "rayon")]
        {
            let few = target.len() / (TASKS * rayon::current_num_threads());
            let task = TASK_SLOTS.max(few).max(self.tile_span());
            self.by_halves(backend, source, fill, first, target, task);
        }
        #[cfg(not(feature = "rayon"))]
        T::one_by_one(self, backend, source, fill, first, target);
    }

    /// Writes the entries of these slots: halves on two threads, while each has so many slots.
    #[cfg(feature = "rayon")]
    fn by_halves<T: Entry>(
        &self,
        backend: Backend,
        source: &[T],
        fill: T,
        first: u64,
        target: &mut [T],
        task: usize,
    ) {
        if target.len() < 2 * task {
            return T::one_by_one(self, backend, source, fill, first, target);
        }
        // Between two placements of the leading men no tile is cut.
        let half = first + target.len() as u64 / 2;
        let starts = self.to.starts.iter().map(|&start| start as u64);
        let near = starts.min_by_key(|start| start.abs_diff(half));
        let near = near.filter(|near| near.abs_diff(half) < target.len() as u64 / 8);
        let half = near.unwrap_or(half);
        let (low, high) = target.split_at_mut((half - first) as usize);
        rayon::join(
            || self.by_halves(backend, source, fill, first, low, task),
            || self.by_halves(backend, source, fill, half, high, task),
        );
    }
}

/// Entries of tables: numbers of 8, 16, 32 or 64 bits. Other entries are cast to these. The trait is sealed.
pub trait Entry: bytemuck::Pod + Send + Sync {
    /// Writes the entries of these slots tile by tile. Implementations compile this here, and not with their callers.
    #[doc(hidden)]
    fn one_by_one(
        way: &Reindexing<'_>,
        backend: Backend,
        source: &[Self],
        fill: Self,
        first: u64,
        target: &mut [Self],
    );
}

macro_rules! entries {
    ($($entry:ty),*) => {$(
        impl Entry for $entry {
            fn one_by_one(
                way: &Reindexing<'_>,
                backend: Backend,
                source: &[Self],
                fill: Self,
                first: u64,
                target: &mut [Self],
            ) {
                let mut work = Work {
                    way,
                    backend,
                    source,
                    fill,
                    first: first as i64,
                    target,
                    squares: Squares::default(),
                    next: Planes::EMPTY,
                    planes: Planes::EMPTY,
                    read: Tile::new(fill),
                    turned: Tile::new(fill),
                };
                work.choose(0, 0, 0, (0, 0));
                work.move_tile(false);
            }
        }
    )*};
}

entries!(u8, u16, u32, u64);
