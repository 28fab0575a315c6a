//! Writes tables: codes are taken out of planes and compressed block by block.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tbindex::store::{Overwrite, PartialFile};
use tbindex::{Bitboard, Material};

use super::{EXTENSION, FileError, Header};
use crate::planes::Planes;
use crate::table::{Outcome, Table};

/// The codes of a slab, one byte each, from the planes of its slice.
fn codes_of_slab(planes: &Planes, slab: usize, words: usize, codes: &mut Vec<u8>) {
    codes.clear();
    for k in 0..words {
        let planes = planes.words(slab * 64 + k);
        for group in 0..8 {
            // Eight squares at a time make a matrix with a row for each bit and a column for each square.
            // Flipped, it has a code in each byte.
            let bits = planes.iter().enumerate().fold(0, |bits, (bit, plane)| {
                bits | (plane >> (8 * group) & 0xff) << (8 * bit)
            });
            codes.extend_from_slice(&Bitboard(bits).flip_diagonal().0.to_le_bytes());
        }
    }
}

impl Table {
    /// The path of a material's table in a folder.
    #[must_use]
    pub fn path(folder: &Path, material: &Material) -> PathBuf {
        folder.join(format!("{}.{EXTENSION}", material.normal()))
    }

    /// Writes the table to a file, which gets its name when it is complete. The threads of the current
    /// rayon pool compress it.
    ///
    /// # Errors
    /// If the file exists and is not to be replaced, or if the system refuses.
    pub fn write(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        let io = |source| FileError::Io {
            path: path.to_owned(),
            action: "write to the file",
            source,
        };
        let mut values = Vec::new();
        for value in self.sides.iter().flat_map(|side| &side.values) {
            let kind: u16 = match value.outcome {
                Outcome::Draw => 0,
                Outcome::Win | Outcome::CursedWin => 1,
                Outcome::Loss | Outcome::BlessedLoss => 2,
            };
            values.extend_from_slice(&kind.to_le_bytes());
            values.extend_from_slice(&value.plies.to_le_bytes());
        }
        let mut header = Header {
            shape: self.shape.clone(),
            values: [self.sides[0].values.len(), self.sides[1].values.len()],
            payload_bytes: 0,
            values_checksum: crc32fast::hash(&values),
            table_checksum: 0,
        };
        let words = header.block_items() / 64;
        let mut file = PartialFile::create(path, overwrite)?;
        file.seek(SeekFrom::Start(header.payload_offset()))
            .map_err(io)?;
        let mut table = Vec::new();
        // A few slices at a time, so that only their blocks are in memory.
        for side in &self.sides {
            for slices in side.slices.chunks(8) {
                let blocks: Vec<Vec<Vec<u8>>> = slices
                    .par_iter()
                    .map(|planes| {
                        let mut codes = Vec::new();
                        let mut block = |slab| {
                            codes_of_slab(planes, slab, words, &mut codes);
                            let packed = lz4_flex::block::compress(&codes);
                            if packed.len() < codes.len() {
                                packed
                            } else {
                                codes.clone()
                            }
                        };
                        (0..self.shape.slabs()).map(&mut block).collect()
                    })
                    .collect();
                for block in blocks.iter().flatten() {
                    table.extend_from_slice(&header.payload_bytes.to_le_bytes());
                    table.extend_from_slice(&(block.len() as u32).to_le_bytes());
                    table.extend_from_slice(&crc32fast::hash(block).to_le_bytes());
                    header.payload_bytes += block.len() as u64;
                }
                let together: Vec<u8> = blocks.into_iter().flatten().flatten().collect();
                file.write_all(&together).map_err(io)?;
            }
        }
        header.table_checksum = crc32fast::hash(&table);
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        file.write_all(&header.encode()).map_err(io)?;
        file.write_all(&values).map_err(io)?;
        file.seek(SeekFrom::Start(header.table_offset()))
            .map_err(io)?;
        file.write_all(&table).map_err(io)?;
        file.finish()?;
        Ok(())
    }
}
