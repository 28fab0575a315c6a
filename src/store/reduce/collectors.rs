//! Indices that several threads collect, each in a place of its own.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::super::error::StoreError;
use super::super::ordered_jobs::run_in_order;
use super::keys::{Incoming, Keys};
use crate::batch::BatchWord;

/// The number of indices that a thread collects at a time.
const AT_ONCE: usize = 1 << 16;

/// The place where one thread collects indices.
pub(super) trait Collector<W>: Send {
    /// The number of indices that there is room for.
    fn room(&self) -> usize;

    /// Takes in indices, for which there is room.
    ///
    /// # Errors
    /// If one of them is out of range. Then others may have been taken in.
    fn take(&mut self, keys: &Keys<W>, incoming: Incoming<'_, W>) -> Result<(), StoreError>;
}

/// The function by which each of several threads takes in indices. A thread tells it a number of its own.
pub(super) type TakeIn<'a, W> =
    dyn Fn(usize, Incoming<'_, W>) -> Result<(), StoreError> + Sync + 'a;

/// The collectors of all threads, and the indices that are gathered until they are worth sharing out.
pub(super) struct Collectors<W, C> {
    pub(super) all: Vec<C>,
    gathered: Vec<W>,
    /// The number of indices that are gathered at a time.
    most: usize,
}

impl<W: BatchWord, C: Collector<W>> Collectors<W, C> {
    /// Collectors for which `most` indices are gathered at a time; with 0 they are taken in as they come.
    pub(super) fn new(all: Vec<C>, most: usize) -> Collectors<W, C> {
        Collectors {
            all,
            gathered: Vec::with_capacity(most),
            most,
        }
    }

    /// The number of indices that there is room for.
    pub(super) fn room(&self) -> usize {
        let rooms = self.all.iter().map(Collector::room);
        rooms.fold(0, usize::saturating_add) - self.gathered.len()
    }

    /// Takes in the first of some indices, and returns how many there was room for.
    ///
    /// # Errors
    /// If an index is out of range. Then others may have been taken in.
    pub(super) fn push(
        &mut self,
        keys: &Keys<W>,
        incoming: Incoming<'_, W>,
    ) -> Result<usize, StoreError> {
        let (some, _) = incoming.split_at(self.room());
        if self.gathered.is_empty() && some.indices.len() >= self.most {
            self.share_out(keys, some)?;
            return Ok(some.indices.len());
        }
        let (some, _) = some.split_at(self.most - self.gathered.len());
        keys.check(some)?;
        let before = self.gathered.len();
        self.gathered.extend_from_slice(some.indices);
        keys.convert(some.numbering, &mut self.gathered[before..]);
        if self.gathered.len() == self.most {
            self.flush(keys)?;
        }
        Ok(some.indices.len())
    }

    /// Shares out the gathered indices.
    pub(super) fn flush(&mut self, keys: &Keys<W>) -> Result<(), StoreError> {
        let mut gathered = std::mem::take(&mut self.gathered);
        let incoming = Incoming {
            indices: &gathered,
            numbering: keys.same.layout().numbering(),
            before: 0,
            in_range: true,
        };
        self.share_out(keys, incoming)?;
        gathered.clear();
        self.gathered = gathered;
        Ok(())
    }

    /// Shares out indices, for which there is room.
    fn share_out(&mut self, keys: &Keys<W>, incoming: Incoming<'_, W>) -> Result<(), StoreError> {
        let (threads, jobs) = (self.all.len(), incoming.indices.len().div_ceil(AT_ONCE));
        let numbers = AtomicUsize::new(0);
        self.together(keys, &mut |take| {
            run_in_order(
                threads,
                jobs as u64,
                || numbers.fetch_add(1, Relaxed),
                |thread, job, (): &mut ()| {
                    let (_, rest) = incoming.split_at(job as usize * AT_ONCE);
                    take(*thread, rest.split_at(AT_ONCE).0)
                },
                |_, ()| Ok(()),
                |_| Ok(()),
            )
        })
    }

    /// Hands over a function by which several threads take in indices, for which there must be room.
    pub(super) fn together(
        &mut self,
        keys: &Keys<W>,
        work: &mut dyn FnMut(&TakeIn<'_, W>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let all: Vec<Mutex<&mut C>> = self.all.iter_mut().map(Mutex::new).collect();
        work(&|thread, mut incoming| {
            // The thread's own collector comes first. The others are for the rest, when that one is full.
            let from_own = all.iter().cycle().skip(thread % all.len());
            for collector in from_own.take(all.len()) {
                // After a panic all that is left is to end the work.
                let mut collector = collector.lock().unwrap_or_else(PoisonError::into_inner);
                let (some, rest) = incoming.split_at(collector.room());
                collector.take(keys, some)?;
                incoming = rest;
                if incoming.indices.is_empty() {
                    return Ok(());
                }
            }
            unreachable!("there is room for all indices")
        })
    }
}
