//! Writes tables: codes are taken out of planes and compressed block by block.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{LikeMen, Row, Slice};
use tbindex::store::{Overwrite, PartialFile};
use tbindex::{Bitboard, Color, Material};

use super::{FileError, Header, code_bytes};
use crate::planes::{MOST_CODES, Planes};
use crate::table::{Part, Table};
use crate::value::{Metric, Outcome, Value};

/// The codes of the slots of a block that are kept, from the planes of its slice: the low byte of each and, in `high`,
/// the high byte, if there are any. `codes` has the file's code for each one of the part. An illegal position has the
/// code of the one before it, which compresses best.
fn codes_of_block<const WIDE: bool>(
    planes: &Planes,
    first_word: usize,
    words: usize,
    (kept, illegal): (&[Row], &[Row]),
    codes: &[u16],
    out: &mut Vec<u8>,
    high: &mut Vec<u8>,
) {
    out.clear();
    high.clear();
    let mut last: u16 = 0;
    for word in first_word..first_word + words {
        let (row, lane) = (word / 8, word % 8);
        let kept = kept[row].0[lane];
        let illegal = illegal[row].0[lane];
        if kept & !illegal == 0 {
            let count = kept.count_ones() as usize;
            out.resize(out.len() + count, last as u8);
            if WIDE {
                high.resize(high.len() + count, (last >> 8) as u8);
            }
            continue;
        }
        let planes = planes.words(word);
        for group in 0..8 {
            // Eight squares at a time make a matrix with a row for each bit and a column for each square.
            // Flipped, it has a code in each byte.
            let bytes = |planes: &[u64]| {
                let bits = planes.iter().enumerate().fold(0, |bits, (bit, plane)| {
                    bits | (plane >> (8 * group) & 0xff) << (8 * bit)
                });
                Bitboard(bits).flip_diagonal().0.to_le_bytes()
            };
            let here = bytes(&planes[..8]);
            let more = if WIDE { bytes(&planes[8..]) } else { [0; 8] };
            for (k, (&code, more)) in here.iter().zip(more).enumerate() {
                let square = 8 * group + k;
                if kept >> square & 1 != 0 {
                    if illegal >> square & 1 == 0 {
                        last = codes[usize::from(code) | usize::from(more) << 8];
                    }
                    out.push(last as u8);
                    if WIDE {
                        high.push((last >> 8) as u8);
                    }
                }
            }
        }
    }
}

impl Table {
    /// The path of a material's table in a folder.
    #[must_use]
    pub fn path(folder: &Path, material: &Material, metric: Metric) -> PathBuf {
        folder.join(format!("{}.{}", material.normal(), metric.extension()))
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
        let all = Color::ALL.map(|side| self.values(side));
        if let Some(side) = Color::ALL
            .into_iter()
            .find(|&side| all[side as usize].len() > MOST_CODES)
        {
            return Err(FileError::Values {
                path: path.to_owned(),
                side,
                values: all[side as usize].len(),
            });
        }
        let mut values = Vec::new();
        for value in all.iter().flatten() {
            let kind: u16 = match value.outcome {
                Outcome::Draw => 0,
                Outcome::Win | Outcome::CursedWin => 1,
                Outcome::Loss | Outcome::BlessedLoss => 2,
            };
            values.extend_from_slice(&kind.to_le_bytes());
            values.extend_from_slice(&value.plies.to_le_bytes());
        }
        let mut header = Header {
            shape: self.shape.in_letters(self.shape.endgame().own()),
            metric: self.metric,
            values: [all[0].len(), all[1].len()],
            payload_bytes: 0,
            values_checksum: crc32fast::hash(&values),
            table_checksum: 0,
        };
        let words = header.block_slots() / 64;
        let kept = (self.shape.any_domain()).representatives(0, LikeMen::Together);
        let mut file = PartialFile::create(path, overwrite)?;
        file.seek(SeekFrom::Start(header.payload_offset()))
            .map_err(io)?;
        let mut table = Vec::new();
        // A few slices at a time, so that only their blocks are in memory.
        let slices = self.shape.any_domain().slices();
        let at_once = if self.shape.any_domain().rows() > 512 {
            4
        } else {
            64
        };
        for side in Color::ALL {
            let numbers: Vec<usize> = (0..self.shape.parts() * slices).collect();
            for numbers in numbers.chunks(at_once) {
                let blocks: io::Result<Vec<Vec<Vec<u8>>>> = numbers
                    .par_iter()
                    .map(|number| {
                        let part = &self.parts[number / slices];
                        blocks_of_slice(part, (side, number % slices), &all, words, &kept)
                    })
                    .collect();
                let blocks = blocks.map_err(io)?;
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

/// The blocks of a slice with a side to move. `values` has the file's values of each side.
fn blocks_of_slice(
    part: &Part,
    (side, number): (Color, usize),
    values: &[Vec<Value>; 2],
    words: usize,
    kept: &[Row],
) -> io::Result<Vec<Vec<u8>>> {
    let this = &part.sides[side as usize];
    let planes = this.slices[number].open()?;
    let mut illegal = vec![Row::EMPTY; part.domain.rows()];
    Slice::new(&part.domain, number).illegal_into(side, &mut illegal, Backend::detect());
    let codes: Vec<u16> = (this.values.iter())
        .map(|value| {
            let code = values[side as usize]
                .iter()
                .position(|there| there == value);
            code.expect("all values are there") as u16
        })
        .collect();
    let (mut block, mut high) = (Vec::new(), Vec::new());
    let two_bytes = code_bytes(values[side as usize].len()) == 2;
    let blocks = (0..part.domain.slabs())
        .map(|slab| {
            let first = slab * 64;
            let of = (kept, &illegal[..]);
            if two_bytes {
                codes_of_block::<true>(&planes, first, words, of, &codes, &mut block, &mut high);
                block.extend_from_slice(&high);
            } else {
                codes_of_block::<false>(&planes, first, words, of, &codes, &mut block, &mut high);
            }
            let packed = lz4_flex::block::compress(&block);
            if packed.len() < block.len() {
                packed
            } else {
                block.clone()
            }
        })
        .collect();
    Ok(blocks)
}
