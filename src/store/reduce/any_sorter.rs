//! A sorter whose words are chosen when its sizes are known.

use std::io;

use super::super::error::StoreError;
use super::keys::Keys;
use super::sizes::Sizes;
use super::sort::Sorter;
use crate::batch::BatchWord;

/// A sorter of what is kept of a key.
pub(super) enum AnySorter<W> {
    /// 32 bits are enough.
    Narrow(Sorter<W, u32>),
    /// All of the word.
    Same(Sorter<W, W>),
}

impl<W: BatchWord> AnySorter<W> {
    /// See [`Sorter::new`].
    pub(super) fn new(sizes: &Sizes) -> io::Result<AnySorter<W>> {
        Ok(match sizes.narrow {
            true => AnySorter::Narrow(Sorter::new(sizes)?),
            false => AnySorter::Same(Sorter::new(sizes)?),
        })
    }

    /// See [`Sorter::push`].
    pub(super) fn push(&mut self, keys: &Keys<W>, indices: &[W]) -> Option<usize> {
        match self {
            AnySorter::Narrow(sorter) => sorter.push(keys, indices),
            AnySorter::Same(sorter) => sorter.push(keys, indices),
        }
    }

    /// See [`Sorter::sort`].
    pub(super) fn sort<E: From<StoreError>>(
        &mut self,
        keys: &Keys<W>,
        as_keys: bool,
        take: &mut dyn FnMut(&[W]) -> Result<(), E>,
        watch: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            AnySorter::Narrow(sorter) => sorter.sort(keys, as_keys, take, watch),
            AnySorter::Same(sorter) => sorter.sort(keys, as_keys, take, watch),
        }
    }
}
