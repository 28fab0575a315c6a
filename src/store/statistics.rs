//! Counts over the indices of a file.

use super::StoredWord;
use super::blocks::BlockBuffer;
use super::error::StoreError;
use super::file::{IndexFile, IndexReader, with_reader};
use super::ordered_jobs::run_in_order;
use super::watch::{Phase, Watch};

/// Counts over all indices of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of indices that have their leading piece, the white king, on each square, by the square's number.
    pub leading: [u64; 64],
    /// The number of indices that have an orbit of each size under the file's group, by the size: 1, 2, 4 or 8.
    pub orbits: [u64; 9],
}

impl IndexFile {
    /// Returns counts over all indices of the file.
    ///
    /// `watch` is told of [`Phase::Reading`]; see [the module](super#long-operations).
    ///
    #[doc = include_str!("example.txt")]
    /// let statistics = IndexFile::open(&path, Backend::detect())?.statistics(2, &mut unwatched)?;
    /// // Positions with the white king on a1, and with all pieces on one diagonal.
    /// assert_eq!((statistics.leading[0], statistics.orbits[4]), (1464, 126));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file is damaged or can't be read, and the errors of `watch`.
    pub fn statistics(
        &self,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Statistics, StoreError> {
        with_reader!(self, file => file.statistics(threads, watch))
    }
}

impl<W: StoredWord> IndexReader<W> {
    fn statistics(&self, threads: usize, watch: &mut Watch<'_>) -> Result<Statistics, StoreError> {
        let header = &self.header;
        let layout = self.same.layout();
        let lead = layout.pieces() - 1;
        let mut all = Statistics {
            leading: [0; 64],
            orbits: [0; 9],
        };
        run_in_order(
            threads,
            header.block_count,
            || (BlockBuffer::default(), Vec::new()),
            |(buffer, sizes), number, counts: &mut Vec<u64>| {
                let indices = self.read_checked_block(number, buffer)?;
                sizes.resize(indices.len(), 0u8);
                self.backend.orbit_size_into(&self.same, indices, sizes);
                counts.clear();
                counts.resize(64 + 9, 0);
                for (&index, &size) in indices.iter().zip(&*sizes) {
                    counts[usize::from(layout.code(index, lead))] += 1;
                    counts[64 + usize::from(size)] += 1;
                }
                Ok(())
            },
            |_, counts| {
                for (code, count) in (0..64).zip(counts) {
                    all.leading[header.contents.numbering.square(code).index()] += count;
                }
                for (size, count) in all.orbits.iter_mut().zip(&counts[64..]) {
                    *size += count;
                }
                Ok(())
            },
            |blocks| {
                let done = header.items_before(blocks);
                watch(Phase::Reading.progress(done, Some(header.count)))
            },
        )?;
        Ok(all)
    }
}
