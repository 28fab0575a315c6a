//! Words that are read and words that are written in their place: one text serves for operations in place and into
//! another slice.

#![expect(
    unsafe_code,
    reason = "a slice that is read may be the one that is written; never both at a time"
)]

use std::marker::PhantomData;
use std::slice;

/// A slice to read and one of the same length to write, which lie apart or are the same.
///
/// Either is borrowed from the pair, so that code holds one of them at a time.
#[derive(Debug)]
pub(crate) struct InOut<'a, W> {
    from: *const W,
    to: *mut W,
    len: usize,
    slices: PhantomData<(&'a [W], &'a mut [W])>,
}

impl<'a, W> InOut<'a, W> {
    /// Two slices that lie apart.
    ///
    /// # Panics
    /// If they differ in length.
    #[inline(always)]
    #[must_use]
    pub(crate) fn new(from: &'a [W], to: &'a mut [W]) -> InOut<'a, W> {
        assert_eq!(from.len(), to.len(), "slices of the same length");
        InOut {
            from: from.as_ptr(),
            to: to.as_mut_ptr(),
            len: to.len(),
            slices: PhantomData,
        }
    }

    /// A slice whose words are replaced.
    #[inline(always)]
    #[must_use]
    pub(crate) fn in_place(words: &'a mut [W]) -> InOut<'a, W> {
        let to = words.as_mut_ptr();
        InOut {
            from: to,
            to,
            len: words.len(),
            slices: PhantomData,
        }
    }

    /// The words to read.
    #[inline(always)]
    #[must_use]
    pub(crate) fn from(&self) -> &[W] {
        // SAFETY: `from` begins a slice of this length that lives for 'a. If it is also the one that is written, the
        // borrow of `self` keeps it from being written as long as this slice is held.
        unsafe { slice::from_raw_parts(self.from, self.len) }
    }

    /// The words to write.
    #[inline(always)]
    #[must_use]
    pub(crate) fn to(&mut self) -> &mut [W] {
        // SAFETY: `to` begins a slice of this length that was borrowed for writing for 'a. If it is also the one that is
        // read, the borrow of `self` keeps it from being read as long as this slice is held.
        unsafe { slice::from_raw_parts_mut(self.to, self.len) }
    }

    /// Cuts the first words off and returns them, or `None` if there are fewer.
    #[inline(always)]
    #[must_use]
    pub(crate) fn take(&mut self, count: usize) -> Option<InOut<'a, W>> {
        let len = self.len.checked_sub(count)?;
        let first = InOut {
            len: count,
            ..*self
        };
        // SAFETY: both slices have `count` words or more, and the parts do not overlap.
        unsafe {
            self.from = self.from.add(count);
            self.to = self.to.add(count);
        }
        self.len = len;
        Some(first)
    }
}
