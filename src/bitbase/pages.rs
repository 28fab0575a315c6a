//! Memory of its own for a set.

use std::io;
use std::ops::{Deref, DerefMut, Range};

use super::row::Row;

/// Rows that are empty at first.
///
/// Many of them have their own pages, where there is an operating system. Pages take memory when they are first
/// written to, and all of it goes back to the system when the rows are dropped, which an allocator would not
/// promise. Few are taken from the allocator, which need not ask the system for them each time.
pub(super) enum Pages {
    #[cfg(all(feature = "store", not(target_family = "wasm")))]
    Mapped(memmap2::MmapMut),
    Allocated(Vec<Row>),
}

/// The number of rows from which they have their own pages: a large page's.
#[cfg(all(feature = "store", not(target_family = "wasm")))]
const MANY: usize = (2 << 20) / size_of::<Row>();

impl Pages {
    /// Rows on large pages if the system gives them. King moves lead to rows all over a set. With large pages
    /// the translations of their addresses stay cached, which saves a tenth of the time.
    pub(super) fn large(rows: usize) -> io::Result<Pages> {
        let pages = Pages::of(rows, false)?;
        // The system may refuse; the result is the same, only slower.
        #[cfg(all(feature = "store", target_os = "linux"))]
        if let Pages::Mapped(map) = &pages {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(pages)
    }

    /// Rows on small pages, which take little memory while few of them are written to. Together they may be larger than
    /// memory.
    pub(super) fn small(rows: usize) -> io::Result<Pages> {
        Pages::of(rows, true)
    }

    /// Rows of which `few` will be written to, or all. If all, the system may refuse at once for want of memory.
    #[cfg_attr(
        not(all(feature = "store", not(target_family = "wasm"))),
        expect(unused_variables, reason = "an allocator does not ask")
    )]
    fn of(rows: usize, few: bool) -> io::Result<Pages> {
        #[cfg(all(feature = "store", not(target_family = "wasm")))]
        if rows >= MANY {
            let bytes = (rows.checked_mul(size_of::<Row>())).ok_or(io::ErrorKind::OutOfMemory)?;
            let mut options = memmap2::MmapOptions::new();
            options.len(bytes);
            if few {
                options.no_reserve_swap();
            }
            return Ok(Pages::Mapped(options.map_anon()?));
        }
        bytemuck::allocation::try_zeroed_vec(rows)
            .map(Pages::Allocated)
            .map_err(|()| io::Error::from(io::ErrorKind::OutOfMemory))
    }

    /// Empties some of the rows. If they have pages of their own, the system gets back the pages within the
    /// range.
    pub(super) fn release(&mut self, rows: Range<usize>) {
        #[cfg(all(feature = "store", target_os = "linux"))]
        if let Pages::Mapped(map) = self {
            let whole = whole_pages(&rows, rustix::param::page_size() / size_of::<Row>());
            // SAFETY: The map is private and anonymous and is borrowed mutably, so nobody reads these pages
            // meanwhile, and from now on they read as zeros, which are empty rows.
            #[expect(unsafe_code, reason = "no safe interface gives pages back")]
            let released = !whole.is_empty()
                && unsafe {
                    let advice = memmap2::UncheckedAdvice::DontNeed;
                    let (start, len) = (
                        whole.start * size_of::<Row>(),
                        whole.len() * size_of::<Row>(),
                    );
                    map.unchecked_advise_range(advice, start, len)
                }
                .is_ok();
            if released {
                self[rows.start..whole.start].fill(Row::EMPTY);
                self[whole.end..rows.end].fill(Row::EMPTY);
                return;
            }
        }
        self[rows].fill(Row::EMPTY);
    }
}

/// The rows of the whole pages in a range, for pages of so many rows. The system would empty all of a page of which
/// it is given a part, and so the rows beside the range.
#[cfg(all(feature = "store", target_os = "linux"))]
#[must_use]
pub fn whole_pages(rows: &Range<usize>, page: usize) -> Range<usize> {
    rows.start.next_multiple_of(page)..rows.end / page * page
}

impl Deref for Pages {
    type Target = [Row];

    #[inline]
    fn deref(&self) -> &[Row] {
        match self {
            #[cfg(all(feature = "store", not(target_family = "wasm")))]
            Pages::Mapped(map) => bytemuck::cast_slice(map),
            Pages::Allocated(rows) => rows,
        }
    }
}

impl DerefMut for Pages {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Row] {
        match self {
            #[cfg(all(feature = "store", not(target_family = "wasm")))]
            Pages::Mapped(map) => bytemuck::cast_slice_mut(map),
            Pages::Allocated(rows) => rows,
        }
    }
}
