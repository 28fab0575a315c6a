//! The full check of a file.

use super::error::{Part, StoreError};
use super::format::{Block, HEADER_BYTES};
use super::reader::IndexFile;
use super::writer::{check_order, check_range, to_u64};
use crate::index::{Equivalence, Word};

/// What a full check has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many indices were checked.
    pub count: u64,
    /// How many blocks.
    pub blocks: u64,
    /// How many bytes, all of the file.
    pub bytes: u64,
    /// The smallest and the largest index, unless there is none.
    pub range: Option<(u64, u64)>,
}

impl<D: AsRef<[u8]>> IndexFile<D> {
    /// Reads every byte and checks every claim: all checksums, the block table, the padding, every
    /// index in range, and sorted, distinct and canonical where the header says so.
    ///
    /// `progress` is told from time to time how many bytes are checked.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn verify(&self, progress: impl FnMut(u64)) -> Result<Report, StoreError> {
        match self.header().word_bits {
            u32::BITS => self.verify_words::<u32>(progress),
            _ => self.verify_words::<u64>(progress),
        }
    }

    fn verify_words<W: Word>(&self, mut progress: impl FnMut(u64)) -> Result<Report, StoreError> {
        let header = self.header();
        self.verify_outside_payload()?;
        let indices = self.indices::<W>()?;
        let same = Equivalence::<W>::of_material(&header.material, header.numbering)
            .expect("the header's word is that of its material");
        let mut range: Option<(W, W)> = None;
        let mut last = None;
        for number in 0..header.block_count {
            let entry = self.block(number);
            self.verify_entry(number, &entry)?;
            let before = number * u64::from(header.block_items);
            let block = &indices[before as usize..][..entry.items as usize];
            self.verify_block(number, &entry, block, last, &same)?;
            last = block.last().copied();
            for &x in block {
                let (smallest, largest) = range.unwrap_or((x, x));
                range = Some((smallest.min(x), largest.max(x)));
            }
            progress(entry.offset + u64::from(entry.bytes));
        }
        progress(header.file_bytes());
        Ok(Report {
            count: header.count,
            blocks: header.block_count,
            bytes: header.file_bytes(),
            range: range.map(|(smallest, largest)| (to_u64(smallest), to_u64(largest))),
        })
    }

    /// The padding and the table's checksum; the header was checked when the file was opened.
    fn verify_outside_payload(&self) -> Result<(), StoreError> {
        let header = self.header();
        let (start, end) = (
            HEADER_BYTES as u64 + header.payload_bytes,
            header.table_offset(),
        );
        if let Some(offset) = (start..end).find(|&at| self.bytes()[at as usize] != 0) {
            return Err(StoreError::Padding {
                path: self.name().to_owned(),
                offset,
                found: self.bytes()[offset as usize],
            });
        }
        let checksum = crc32fast::hash(self.table().as_flattened());
        if checksum != header.table_checksum {
            return Err(StoreError::Checksum {
                path: self.name().to_owned(),
                part: Part::Table,
                start: end,
                end: header.file_bytes(),
                found: checksum,
                expected: header.table_checksum,
            });
        }
        Ok(())
    }

    /// What an entry says of its block's place and size.
    fn verify_entry(&self, number: u64, entry: &Block) -> Result<(), StoreError> {
        let expected = Block::plain(self.header(), number);
        let fields = [
            ("offset", entry.offset, expected.offset),
            ("length", entry.bytes.into(), expected.bytes.into()),
            ("items", entry.items.into(), expected.items.into()),
            (
                "parameter",
                entry.parameter.into(),
                expected.parameter.into(),
            ),
        ];
        for (field, found, expected) in fields {
            if found != expected {
                let part = Part::Entry(number);
                return Err(StoreError::field(self.name(), part, field, found, expected));
            }
        }
        Ok(())
    }

    /// A block's checksum, and that its indices are what entry and header say.
    fn verify_block<W: Word>(
        &self,
        number: u64,
        entry: &Block,
        block: &[W],
        last: Option<W>,
        same: &Equivalence<W>,
    ) -> Result<(), StoreError> {
        let (header, path) = (self.header(), self.name());
        let checksum = crc32fast::hash(bytemuck::cast_slice(block));
        if checksum != entry.checksum {
            return Err(StoreError::Checksum {
                path: path.to_owned(),
                part: Part::Block(number),
                start: entry.offset,
                end: entry.offset + u64::from(entry.bytes),
                found: checksum,
                expected: entry.checksum,
            });
        }
        let first = to_u64(block[0]);
        if entry.first != first {
            let part = Part::Entry(number);
            return Err(StoreError::field(path, part, "first", entry.first, first));
        }
        let before = number * u64::from(header.block_items);
        check_range(path, same.layout(), before, block)?;
        check_order(path, &header.contents(), before, last, block)?;
        if header.canonical {
            check_canonical(path, same, before, block)?;
        }
        Ok(())
    }
}

/// Checks that every index is the smallest of its equivalents.
fn check_canonical<W: Word>(
    path: &std::path::Path,
    same: &Equivalence<W>,
    before: u64,
    indices: &[W],
) -> Result<(), StoreError> {
    match indices.iter().position(|&x| !same.is_canonical(x)) {
        None => Ok(()),
        Some(at) => Err(StoreError::NotCanonical {
            path: path.to_owned(),
            position: before + at as u64,
            index: to_u64(indices[at]),
            canonical: to_u64(same.canonical(indices[at])),
        }),
    }
}
