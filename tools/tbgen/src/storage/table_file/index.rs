//! The index of a file's blocks, in pages. The place of a page follows from its number, and a page has a checksum of its
//! own, so that what it says can be believed when nothing else of the index was read.

use std::ops::Range;

pub(super) const PAGE_BLOCKS: usize = 64;
/// The bytes of a page before its entries, and of an entry.
const HEAD_BYTES: usize = 12;
pub(super) const ENTRY_BYTES: usize = 6;

/// The bytes of an index of so many blocks. If they are those of whole pages, the next page begins there.
pub(super) fn index_bytes(blocks: usize) -> u64 {
    (HEAD_BYTES * blocks.div_ceil(PAGE_BLOCKS) + ENTRY_BYTES * blocks) as u64
}

/// The length of a block in the payload, and the checksum of its bytes there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) length: u16,
    pub(super) checksum: u32,
}

impl Entry {
    /// The entry of the bytes of a block, which are no more than two for each of 4096 codes.
    pub(super) fn of(block: &[u8]) -> Entry {
        Entry {
            length: block.len() as u16,
            checksum: crc32fast::hash(block),
        }
    }

    pub(super) fn encode(self) -> [u8; ENTRY_BYTES] {
        let ([a, b], [c, d, e, f]) = (self.length.to_le_bytes(), self.checksum.to_le_bytes());
        [a, b, c, d, e, f]
    }

    pub(super) fn decode(&[a, b, c, d, e, f]: &[u8; ENTRY_BYTES]) -> Entry {
        Entry {
            length: u16::from_le_bytes([a, b]),
            checksum: u32::from_le_bytes([c, d, e, f]),
        }
    }
}

/// The bytes of the blocks that have these entries.
pub(super) fn payload_bytes(entries: &[[u8; ENTRY_BYTES]]) -> u64 {
    let lengths = entries.iter().map(|entry| Entry::decode(entry).length);
    lengths.map(u64::from).sum()
}

/// A page as it lies in a file.
pub(super) struct Page<'a> {
    pub(super) number: usize,
    /// Where the first block begins in the payload.
    pub(super) offset: u64,
    pub(super) entries: &'a [[u8; ENTRY_BYTES]],
}

impl<'a> Page<'a> {
    /// The page of a number in its bytes, and the checksum that these have of it.
    pub(super) fn decode(number: usize, bytes: &'a [u8]) -> (Page<'a>, u32) {
        let (offset, rest) = bytes.split_first_chunk().expect("a whole page");
        let (checksum, entries) = rest.split_first_chunk().expect("a whole page");
        let page = Page {
            number,
            offset: u64::from_le_bytes(*offset),
            entries: entries.as_chunks().0,
        };
        (page, u32::from_le_bytes(*checksum))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let (offset, checksum) = (self.offset.to_le_bytes(), self.checksum().to_le_bytes());
        [&offset, &checksum[..], self.entries.as_flattened()].concat()
    }

    /// The checksum of the page, by which it is no other page either.
    pub(super) fn checksum(&self) -> u32 {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&(self.number as u64).to_le_bytes());
        checksum.update(&self.offset.to_le_bytes());
        checksum.update(self.entries.as_flattened());
        checksum.finalize()
    }

    /// The numbers of its blocks.
    pub(super) fn blocks(&self) -> Range<usize> {
        let begin = self.number * PAGE_BLOCKS;
        begin..begin + self.entries.len()
    }
}
