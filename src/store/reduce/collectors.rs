//! Indices shared out to threads, each of which takes its part in by itself.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::keys::Keys;
use crate::batch::BatchWord;
use crate::store::on_threads;

/// Fewer indices than this are not worth sharing out to threads.
const SHARED: usize = 1 << 14;

/// The place that one thread takes indices into.
pub(super) trait Share<W>: Send {
    /// The number of indices that there is room for.
    fn room(&self) -> usize;

    /// Takes in indices, for which there is room, and returns whether all are in range. If not, some of them may
    /// have been taken in.
    fn take(&mut self, keys: &Keys<W>, indices: &[W]) -> bool;
}

/// The shares of all threads, and the indices that are gathered until they are worth sharing out.
pub(super) struct Shares<W, S> {
    pub(super) all: Vec<S>,
    gathered: Vec<W>,
    /// The number of indices that are gathered at a time.
    most: usize,
}

impl<W: BatchWord, S: Share<W>> Shares<W, S> {
    /// Shares of which `most` indices are gathered at a time; with 0 they are taken in as they come.
    pub(super) fn new(all: Vec<S>, most: usize) -> Shares<W, S> {
        Shares {
            all,
            gathered: Vec::with_capacity(most),
            most,
        }
    }

    /// Takes in the first of some indices, and returns how many there was room for. `None` if one is out of
    /// range; then others may have been taken in.
    pub(super) fn push(&mut self, keys: &Keys<W>, indices: &[W]) -> Option<usize> {
        let rooms = self.all.iter().map(Share::room);
        let room = rooms.fold(0, usize::saturating_add) - self.gathered.len();
        let indices = &indices[..indices.len().min(room)];
        let (gathered, most) = (self.gathered.len(), self.most);
        if gathered == 0 && indices.len() >= most {
            return self.share_out(keys, indices).then_some(indices.len());
        }
        let some = &indices[..indices.len().min(most - gathered)];
        if !keys.are_in_range(some) {
            return None;
        }
        self.gathered.extend_from_slice(some);
        if self.gathered.len() == most {
            self.flush(keys);
        }
        Some(some.len())
    }

    /// Shares out the gathered indices.
    pub(super) fn flush(&mut self, keys: &Keys<W>) {
        let mut gathered = std::mem::take(&mut self.gathered);
        let in_range = self.share_out(keys, &gathered);
        debug_assert!(in_range, "checked when they were gathered");
        gathered.clear();
        self.gathered = gathered;
    }

    /// Shares out indices, for which there is room, and returns whether all are in range.
    fn share_out(&mut self, keys: &Keys<W>, mut rest: &[W]) -> bool {
        let mut even = rest.len().div_ceil(self.all.len()).max(SHARED);
        let in_range = AtomicBool::new(true);
        while !rest.is_empty() {
            let mut works = Vec::new();
            for share in &mut self.all {
                let (some, others) = rest.split_at(even.min(share.room()).min(rest.len()));
                rest = others;
                if !some.is_empty() {
                    works.push((share, some));
                }
            }
            let (count, works) = (works.len(), Mutex::new(works));
            let next = || works.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let work = || {
                while let Some((share, some)) = next() {
                    in_range.fetch_and(share.take(keys, some), Relaxed);
                }
            };
            // Work that no other thread takes, because the system starts none, is for this one.
            on_threads(count, &work);
            // The rest did not fit its share.
            even = rest.len();
        }
        in_range.into_inner()
    }
}
