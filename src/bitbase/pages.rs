//! Memory of its own for a set.

use std::io;
use std::ops::{Deref, DerefMut};

use super::row::Row;

/// Rows that are empty at first.
///
/// Where there is an operating system, they have their own pages, which take memory when they are first
/// written to. All of it goes back to the system when the rows are dropped, which an allocator would not
/// promise.
pub(super) struct Pages {
    #[cfg(feature = "store")]
    rows: memmap2::MmapMut,
    #[cfg(not(feature = "store"))]
    rows: Vec<Row>,
}

impl Pages {
    /// Rows on large pages if the system gives them. King moves lead to rows all over a set. With large pages
    /// the translations of their addresses stay cached, which saves a tenth of the time.
    pub(super) fn large(rows: usize) -> io::Result<Pages> {
        let pages = Pages::small(rows)?;
        // The system may refuse; the result is the same, only slower.
        #[cfg(all(feature = "store", target_os = "linux"))]
        let _ = pages.rows.advise(memmap2::Advice::HugePage);
        Ok(pages)
    }

    /// Rows on small pages, which take little memory while few of them are written to.
    #[cfg(feature = "store")]
    pub(super) fn small(rows: usize) -> io::Result<Pages> {
        let bytes = (rows.checked_mul(size_of::<Row>())).ok_or(io::ErrorKind::OutOfMemory)?;
        let rows = memmap2::MmapMut::map_anon(bytes)?;
        Ok(Pages { rows })
    }

    /// Rows of an allocator.
    #[cfg(not(feature = "store"))]
    pub(super) fn small(rows: usize) -> io::Result<Pages> {
        let rows = bytemuck::allocation::try_zeroed_vec(rows)
            .map_err(|()| io::Error::from(io::ErrorKind::OutOfMemory))?;
        Ok(Pages { rows })
    }
}

impl Deref for Pages {
    type Target = [Row];

    #[inline]
    fn deref(&self) -> &[Row] {
        bytemuck::cast_slice(&self.rows)
    }
}

impl DerefMut for Pages {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Row] {
        bytemuck::cast_slice_mut(&mut self.rows)
    }
}
