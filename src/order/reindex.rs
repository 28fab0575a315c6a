//! Whole tables from one order to another, and ranges of them.

use super::mover::{Mover, TileRows};
use super::plan::Reindexing;
use super::squares::Squares;
use super::tile::Tile;
use crate::batch::Backend;

/// The least number of slots of a task.
#[cfg(feature = "rayon")]
const TASK_SLOTS: usize = 1 << 17;

/// The tasks of a thread, where no tile is cut.
#[cfg(feature = "rayon")]
const TASKS: usize = 4;

impl Reindexing<'_> {
    /// Writes the entries of the slots from `first` on: the one that the source has for the position of a slot, or `fill` if
    /// it has none. All slots at once are the whole table; some at a time serve for tables that memory does not hold.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::order::{Order, Reindexing, Scheme};
    /// let triangle = Order::of_scheme("KRvK".parse()?, Scheme::Triangle)?;
    /// let kings = Order::of_scheme("KRvK".parse()?, Scheme::Kings)?;
    /// // The entry is the slot of the triangle; the kings touch in some, and fewer are left.
    /// let source: Vec<u32> = (0..triangle.size() as u32).collect();
    /// let mut target = vec![0; kings.size() as usize];
    /// let plan = Reindexing::try_new(&triangle, &kings)?;
    /// plan.range_into(&source, u32::MAX, 0, &mut target, Backend::detect());
    /// // K on b1, k on d1 and R on h8.
    /// assert_eq!(target[63], 3 * 64 + 63);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the source has not as many entries as its order has slots, or the target has fewer slots.
    #[track_caller]
    pub fn range_into<T: Entry>(
        &self,
        source: &[T],
        fill: T,
        first: u64,
        target: &mut [T],
        backend: Backend,
    ) {
        let (entries, slots) = (source.len() as u64, self.from.size());
        assert!(
            entries == slots,
            "range_into: a source of {entries} entries for an order of {slots} slots"
        );
        let (count, slots) = (target.len() as u64, self.to.size());
        assert!(
            first.checked_add(count).is_some_and(|end| end <= slots),
            "range_into: {count} slots from {first} on of an order of {slots}"
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
        plan: &Reindexing<'_>,
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
                plan: &Reindexing<'_>,
                backend: Backend,
                source: &[Self],
                fill: Self,
                first: u64,
                target: &mut [Self],
            ) {
                let mut mover = Mover {
                    plan,
                    backend,
                    source,
                    fill,
                    first: first as i64,
                    target,
                    squares: Squares::default(),
                    current: TileRows::EMPTY,
                    next: TileRows::EMPTY,
                    read: Tile::new(fill),
                    turned: Tile::new(fill),
                };
                mover.choose(0, 0, 0, (0, 0));
                mover.move_current();
            }
        }
    )*};
}

entries!(u8, u16, u32, u64);
