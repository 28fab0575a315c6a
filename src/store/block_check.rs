//! The checks of a block that are made while its words pass through the nearest cache, part by part.

use std::ops::Range;

use crate::batch::Backend;
use crate::index::Word;

/// The bytes of a block that all checks see before the next part: what the nearest cache holds.
const AT_ONCE_BYTES: usize = 1 << 14;

/// What is known so far about a block.
#[derive(Clone, Debug)]
pub(super) struct BlockCheck<W> {
    checksum: crc32fast::Hasher,
    used_bits: W,
    ascend: bool,
}

impl<W: Word> BlockCheck<W> {
    /// The check of a block of which nothing was seen yet.
    pub(super) fn new() -> BlockCheck<W> {
        BlockCheck {
            checksum: crc32fast::Hasher::new(),
            used_bits: W::ZERO,
            ascend: true,
        }
    }

    /// The number of words that are best seen at once.
    pub(super) const fn at_once() -> usize {
        AT_ONCE_BYTES / size_of::<W>()
    }

    /// Adds the next bytes to the checksum.
    pub(super) fn see_bytes(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
    }

    /// Checks the words of a block in the range `next`, which follow those that were checked before. They
    /// must ascend, strictly so if `distinct` is set.
    pub(super) fn see_words(&mut self, block: &[W], next: Range<usize>, distinct: bool) {
        // The word before them is checked again, so that every pair is.
        let pairs = &block[next.start.max(1) - 1..next.end];
        let scanned = Backend::detect().scan(pairs, distinct);
        self.used_bits |= scanned.bits;
        self.ascend &= scanned.ascend;
    }

    /// The checksum of the bytes.
    pub(super) fn checksum(&self) -> u32 {
        self.checksum.clone().finalize()
    }

    /// The bits that are set in any word.
    pub(super) const fn used_bits(&self) -> W {
        self.used_bits
    }

    /// Whether the words ascend.
    pub(super) const fn ascend(&self) -> bool {
        self.ascend
    }
}
