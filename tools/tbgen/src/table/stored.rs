//! Rows without their empty words, in memory or in a file.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use lz4_flex::block::{compress_prepend_size, decompress_size_prepended};
use serde::{Deserialize, Serialize};
use tbindex::bitbase::Row;

use crate::table::temp_file::TempFile;

/// The number of rows that are kept together: those of a slice of three men.
pub(crate) const CHUNK: usize = 512;

/// Rows without their empty words: for each row a byte with a bit for each of its words that is not empty, and behind all
/// these bytes the words.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Stored {
    /// Compressed by LZ4, which is slow, but memory is dearer than files.
    Memory(#[serde(with = "serde_bytes")] Vec<u8>),
    #[serde(skip)]
    Spooled(Arc<TempFile>, Range<u64>),
}

/// Bytes that were compressed by LZ4, with their length before them.
pub(crate) fn decompress(compressed: &[u8]) -> Option<Vec<u8>> {
    let length = u32::from_le_bytes(*compressed.first_chunk()?);
    // LZ4 makes nothing shorter by more than this, and what is damaged may claim 4 GiB.
    let may_be = length as usize / 256 <= compressed.len();
    may_be.then(|| decompress_size_prepended(compressed).ok())?
}

impl Stored {
    /// Stores so many rows, which are in chunks, and keeps them in a file if there is one. An empty chunk has `CHUNK` empty
    /// rows. `bytes` is working memory.
    pub(crate) fn of<'a>(
        rows: usize,
        chunks: impl IntoIterator<Item = &'a [Row]>,
        temp_file: Option<&Arc<TempFile>>,
        bytes: &mut Vec<u8>,
    ) -> io::Result<Stored> {
        bytes.clear();
        bytes.reserve(rows * (1 + size_of::<Row>()));
        bytes.resize(rows, 0);
        let mut begin = 0;
        for chunk in chunks {
            for (at, row) in (begin..).zip(chunk) {
                let (mut words, mut count, mut mask) = ([0; 8], 0, 0);
                for (k, &word) in row.0.iter().enumerate() {
                    words[count & 7] = word;
                    count += usize::from(word != 0);
                    mask |= u8::from(word != 0) << k;
                }
                bytes[at] = mask;
                bytes.extend_from_slice(bytemuck::cast_slice(&words[..count]));
            }
            begin += if chunk.is_empty() { CHUNK } else { chunk.len() };
        }
        Ok(match temp_file {
            Some(temp_file) => Stored::Spooled(Arc::clone(temp_file), temp_file.append(bytes)?),
            None => Stored::Memory(compress_prepend_size(bytes)),
        })
    }

    /// Reads bytes from a place on.
    fn reader(&self) -> io::Result<impl Fn(&mut [u8], usize) -> io::Result<()>> {
        let in_memory = match self {
            Stored::Memory(all) => decompress(all).ok_or(io::ErrorKind::InvalidData)?,
            Stored::Spooled(..) => Vec::new(),
        };
        Ok(move |bytes: &mut [u8], at: usize| match self {
            Stored::Memory(_) => {
                let there = in_memory.get(at..at + bytes.len());
                bytes.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
            Stored::Spooled(temp_file, range) => temp_file.read_at(bytes, range.start + at as u64),
        })
    }

    /// A word of the stored rows, of which there are so many.
    pub(crate) fn word(&self, rows: usize, word_number: usize) -> io::Result<u64> {
        let read = self.reader()?;
        let mut masks = vec![0; word_number / 8 + 1];
        read(&mut masks, 0)?;
        let (last, bit) = (masks.len() - 1, 1 << (word_number % 8));
        if masks[last] & bit == 0 {
            return Ok(0);
        }
        masks[last] &= bit - 1;
        let before: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
        let mut word = [0; 8];
        read(&mut word, rows + 8 * before as usize)?;
        Ok(u64::from_ne_bytes(word))
    }

    /// Makes the rows of chunks of `CHUNK` the stored ones, of which there are so many.
    pub(crate) fn read_into<'a>(
        &self,
        rows: usize,
        chunks: impl IntoIterator<Item = &'a mut [Row]>,
    ) -> io::Result<()> {
        let read = self.reader()?;
        let mut masks = vec![0; rows];
        read(&mut masks, 0)?;
        let mut at = masks.len();
        let mut words = [0; 8 * CHUNK + 8];
        for (rows, masks) in chunks.into_iter().zip(masks.chunks(CHUNK)) {
            let count: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
            let bytes = bytemuck::cast_slice_mut(&mut words[..count as usize]);
            read(bytes, at)?;
            at += bytes.len();
            let mut next = 0;
            for (row, mask) in rows.iter_mut().zip(masks) {
                let from: &[u64; 8] = words[next..].first_chunk().expect("room for a row");
                let mut taken = 0;
                for (k, word) in row.0.iter_mut().enumerate() {
                    let there = usize::from(mask >> k & 1);
                    *word = from[taken & 7] & (there as u64).wrapping_neg();
                    taken += there;
                }
                next += taken;
            }
        }
        Ok(())
    }
}
