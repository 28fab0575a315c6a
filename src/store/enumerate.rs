//! All placements of a material into a file, made by several threads.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::error::{StoreError, go_on};
use super::header::Header;
use super::in_order::in_order;
use super::writer::IndexWriter;
use crate::index::{Enumeration, StageCounts, Word};

impl<W: Word> Enumeration<W> {
    /// Makes all chunks, some at once, and hands their indices to `take` in ascending slices; how many
    /// placements each stage leaves.
    ///
    /// Each thread has up to two chunks of at most 2²¹ indices under way. `watch` is told from time to time,
    /// on the calling thread, how many chunks are done, and ends the work by `ControlFlow::Break`. `take` is
    /// called on any of the threads, but never on two at once.
    ///
    /// # Errors
    /// What `take` reports, or that the watch ended the work.
    ///
    /// # Panics
    /// If a thread of it panicked.
    pub fn in_slices(
        &self,
        threads: usize,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
        mut take: impl FnMut(&[W]) -> Result<(), StoreError> + Send,
    ) -> Result<StageCounts, StoreError> {
        let counts = Mutex::new(StageCounts::default());
        in_order(
            threads,
            self.chunk_count(),
            || (),
            |(), chunk, out| {
                let counted = out.append(|indices| self.chunk(chunk, indices));
                *counts.lock().expect("no panic") += counted;
                Ok(())
            },
            |_, indices| match indices {
                [] => Ok(()),
                _ => take(indices),
            },
            |chunks| go_on(watch(chunks)),
        )?;
        Ok(counts.into_inner().expect("no panic"))
    }

    /// Makes all chunks into the file that `writer` makes, and publishes it.
    ///
    /// # Errors
    /// As for [`in_slices`](Enumeration::in_slices) and [`IndexWriter`]. Then there is no new file.
    ///
    /// # Panics
    /// As for `in_slices`.
    pub fn into_file(
        &self,
        mut writer: IndexWriter<W>,
        threads: usize,
        watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(Header, StageCounts), StoreError> {
        let counts = self.in_slices(threads, watch, |indices| writer.write(indices))?;
        Ok((writer.finish()?, counts))
    }
}
