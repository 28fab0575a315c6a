//! The checks of a block that are done while it is looked at, some of it at a time.

use std::ops::Range;

use crate::batch::Backend;
use crate::index::Word;

/// How much of a block is looked at at once by all checks: what the nearest cache holds.
const AT_ONCE_BYTES: usize = 1 << 14;

/// What was found out so far of a block.
#[derive(Clone, Debug)]
pub(super) struct BlockCheck<W> {
    checksum: crc32fast::Hasher,
    used_bits: W,
    ascend: bool,
}

impl<W: Word> BlockCheck<W> {
    /// Of a block that nothing was seen of.
    pub(super) fn new() -> BlockCheck<W> {
        BlockCheck {
            checksum: crc32fast::Hasher::new(),
            used_bits: W::ZERO,
            ascend: true,
        }
    }

    /// How many words are best seen at once.
    pub(super) const fn at_once() -> usize {
        AT_ONCE_BYTES / size_of::<W>()
    }

    /// Sees the next bytes that the checksum is of.
    pub(super) fn see_bytes(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
    }

    /// Sees the next words of a block, which are to be distinct or not.
    pub(super) fn see_words(&mut self, block: &[W], next: Range<usize>, distinct: bool) {
        // With the one before, so that all pairs are looked at.
        let pairs = &block[next.start.max(1) - 1..next.end];
        let facts = Backend::detect().scan(pairs, distinct);
        self.used_bits |= facts.bits;
        self.ascend &= facts.ascend;
    }

    /// The checksum of the bytes.
    pub(super) fn checksum(&self) -> u32 {
        self.checksum.clone().finalize()
    }

    /// The bits that any word has.
    pub(super) const fn used_bits(&self) -> W {
        self.used_bits
    }

    /// Whether the words ascend.
    pub(super) const fn ascend(&self) -> bool {
        self.ascend
    }
}
