//! The piles that one thread deals indices out to.

use std::io;

use memmap2::MmapMut;

use super::super::error::StoreError;
use super::collectors::Collector;
use super::keys::{BATCH, Incoming, Keys};
use super::sizes::Sizes;
use crate::batch::{BatchWord, Piles};
use crate::simd::Line;

/// The piles of one thread, with the words that were dealt out to them.
pub(super) struct ThreadPiles<W, R> {
    piles: Piles<R>,
    lines: MmapMut,
    count: usize,
    batch: Vec<W>,
}

impl<W: BatchWord, R: BatchWord> ThreadPiles<W, R> {
    pub(super) fn new(sizes: &Sizes) -> io::Result<ThreadPiles<W, R>> {
        let lines = MmapMut::map_anon(sizes.blocks * sizes.block_bytes)?;
        // Lines are written all over it in turn: with large pages their addresses are found sooner, and the
        // system hands out the memory in fewer steps. If it refuses, everything works, but slower.
        #[cfg(target_os = "linux")]
        let _ = lines.advise(memmap2::Advice::HugePage);
        Ok(ThreadPiles {
            piles: Piles::new(
                sizes.rest_bits,
                sizes.piles,
                sizes.block_bytes,
                sizes.blocks,
            ),
            lines,
            count: 0,
            batch: vec![W::ZERO; BATCH],
        })
    }

    /// The slices that were dealt out to a pile.
    pub(super) fn slices(&self, pile: usize) -> impl Iterator<Item = &[R]> + Clone {
        self.piles
            .slices(pile, bytemuck::cast_slice::<u8, Line>(&self.lines))
    }

    /// Writes out the words that are still held back, so that all can be read.
    pub(super) fn close(&mut self) {
        self.piles.close(bytemuck::cast_slice_mut(&mut self.lines));
    }

    /// Becomes empty.
    pub(super) fn clear(&mut self) {
        self.piles.clear();
        self.count = 0;
    }
}

impl<W: BatchWord, R: BatchWord> Collector<W> for ThreadPiles<W, R> {
    fn room(&self) -> usize {
        self.piles.capacity() - self.count
    }

    fn take(&mut self, keys: &Keys<W>, incoming: Incoming<'_, W>) -> Result<(), StoreError> {
        let lines = bytemuck::cast_slice_mut(&mut self.lines);
        keys.of_batches(incoming, &mut self.batch, |batch, ahead| {
            self.piles.deal(batch, ahead, lines, keys.backend);
            self.count += batch.len();
        })
    }
}
