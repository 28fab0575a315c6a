//! Writes tables: codes are taken out of planes and compressed block by block.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{LikeMen, Row, Slice};
use tbindex::store::{Overwrite, PartialFile};

use super::{FileError, Header, code_bytes};
use crate::chess::piece_set::Endgame;
use crate::distributed::transport::{Alone, Transport};
use crate::table::codes::{BITS, MOST_CODES};
use crate::table::planes::Planes;
use crate::table::revision::REVISION;
use crate::table::shape::Shape;
use crate::table::solved::{Part, Table};
use crate::table::transpose::bytes_of;
use crate::table::value::{Metric, Outcome, Value};

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
        // A part may have more codes than the table has values.
        let many = planes[8..] != [0; BITS - 8];
        let low = bytes_of(&planes[..8]);
        let more = if many {
            bytes_of(&planes[8..])
        } else {
            [0; 64]
        };
        for (square, (&code, more)) in low.iter().zip(more).enumerate() {
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

impl Table {
    /// The path of an endgame's table in a folder.
    #[must_use]
    pub fn path(folder: &Path, endgame: impl Into<Endgame>, metric: Metric) -> PathBuf {
        let endgame = endgame.into().normal();
        folder.join(format!("{endgame}.{}", metric.extension()))
    }

    /// Writes the table to a file, which gets its name when it is complete. The threads of the current
    /// rayon pool compress it.
    ///
    /// # Errors
    /// If the file exists and is not to be replaced, or if the system refuses.
    pub fn write(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        self.write_to(
            PartialFile::create(path, overwrite)?,
            &AtomicBool::new(false),
        )
    }

    /// Writes the table to a file that was begun, and finishes it.
    ///
    /// # Errors
    /// If the file is there by now and is not to be replaced, if the system refuses, or if `stop` is set. There is no file
    /// then.
    pub fn write_to(&self, file: PartialFile, stop: &AtomicBool) -> Result<(), FileError> {
        let path = file.path().to_owned();
        self.write_making(&path, Making::Whole(file), stop, &Alone)
    }

    /// Writes the table to a file together with other processes, all of which have the table and call this function.
    /// Each writes some of the slices. Process 0 has begun the file, and gives it its name; the others have no file.
    ///
    /// # Errors
    /// If the system refuses. Then the other processes wait, and the caller has to end them.
    pub fn write_shared(
        &self,
        path: &Path,
        begun: Option<PartialFile>,
        transport: &impl Transport,
    ) -> Result<(), FileError> {
        // All processes would have to stop at the same place.
        let never = AtomicBool::new(false);
        let file = Making::new(path, begun, transport)?;
        self.write_making(path, file, &never, transport)
    }

    fn write_making(
        &self,
        path: &Path,
        mut file: Making,
        stop: &AtomicBool,
        transport: &impl Transport,
    ) -> Result<(), FileError> {
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
            revision: REVISION,
        };
        let words = header.block_slots() / 64;
        let kept = (self.shape.any_domain()).representatives(0, LikeMen::Together);
        let payload = header.payload_offset();
        let mut table = Vec::new();
        let slices = self.shape.any_domain().slices();
        let at_once = slices_at_once(&self.shape);
        for side in Color::ALL {
            let numbers: Vec<usize> = (0..self.shape.parts() * slices).collect();
            for numbers in numbers.chunks(at_once * transport.processes()) {
                let mine = numbers.chunks(at_once).nth(transport.number());
                let numbers = mine.unwrap_or_default();
                let blocks: io::Result<Vec<Vec<Vec<u8>>>> = numbers
                    .par_iter()
                    .map(|number| {
                        if stop.load(Ordering::Relaxed) {
                            return Ok(Vec::new());
                        }
                        let part = &self.parts[number / slices];
                        blocks_of_slice(part, (side, number % slices), &all, words, &kept)
                    })
                    .collect();
                let blocks = blocks.map_err(io)?;
                let mut entries = Vec::new();
                for block in blocks.iter().flatten() {
                    entries.extend_from_slice(&(block.len() as u32).to_le_bytes());
                    entries.extend_from_slice(&crc32fast::hash(block).to_le_bytes());
                }
                for (number, entries) in transport.share(entries).iter().enumerate() {
                    if number == transport.number() {
                        let at = SeekFrom::Start(payload + header.payload_bytes);
                        file.seek(at).map_err(io)?;
                    }
                    for entry in entries.chunks_exact(8) {
                        table.extend_from_slice(&header.payload_bytes.to_le_bytes());
                        table.extend_from_slice(entry);
                        let length = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
                        header.payload_bytes += u64::from(length);
                    }
                }
                let mut out = BufWriter::with_capacity(1 << 20, &mut file);
                let mut blocks = blocks.into_iter().flatten();
                blocks
                    .try_for_each(|block| out.write_all(&block))
                    .and_then(|()| out.flush())
                    .map_err(io)?;
                drop(out);
                tbindex::fail_point!("tbgen::blocks_written");
                if stop.load(Ordering::Relaxed) {
                    return Err(FileError::Interrupted);
                }
            }
        }
        if let Making::Part(file) = &file {
            file.sync_all().map_err(io)?;
        }
        // Now all blocks are in the file.
        transport.sum([0; 6]);
        if let Making::Whole(mut file) = file {
            header.table_checksum = crc32fast::hash(&table);
            file.seek(SeekFrom::Start(0)).map_err(io)?;
            file.write_all(&header.encode()).map_err(io)?;
            file.write_all(&values).map_err(io)?;
            file.seek(SeekFrom::Start(header.table_offset()))
                .map_err(io)?;
            file.write_all(&table).map_err(io)?;
            tbindex::fail_point!("tbgen::table_before_rename");
            file.finish()?;
            tbindex::fail_point!("tbgen::table_renamed");
        }
        transport.sum([0; 6]);
        Ok(())
    }
}

/// The slices whose blocks are in memory at the same time. All threads make the blocks of each, but one opens it.
pub(crate) fn slices_at_once(shape: &Shape) -> usize {
    /// The slots of small slices, together.
    const SMALL: u64 = 1 << 22;
    let small = SMALL / shape.any_domain().slice_slots();
    let slices = shape.parts() * shape.any_domain().slices();
    rayon::current_num_threads()
        .min(4)
        .max(small as usize)
        .min(slices)
}

/// A file in the making.
enum Making {
    /// By the process that gives it its name.
    Whole(PartialFile),
    /// By another one.
    Part(File),
}

impl Making {
    fn new(
        path: &Path,
        begun: Option<PartialFile>,
        transport: &impl Transport,
    ) -> Result<Making, FileError> {
        let name = begun.as_ref().map(|file| file.partial_path().as_os_str());
        let name = name.map_or(Vec::new(), |name| name.as_encoded_bytes().to_vec());
        let name = transport.share(name).swap_remove(0);
        if let Some(file) = begun {
            return Ok(Making::Whole(file));
        }
        let file = File::options()
            .write(true)
            .open(String::from_utf8_lossy(&name).as_ref());
        file.map(Making::Part).map_err(|source| FileError::Io {
            path: path.to_owned(),
            action: "write to the file that process 0 has begun",
            source,
        })
    }
}

impl Write for Making {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Making::Whole(file) => file.write(bytes),
            Making::Part(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Making::Whole(file) => file.flush(),
            Making::Part(file) => file.flush(),
        }
    }
}

impl Seek for Making {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Making::Whole(file) => file.seek(to),
            Making::Part(file) => file.seek(to),
        }
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
    let two_bytes = code_bytes(values[side as usize].len()) == 2;
    let blocks = (0..part.domain.slabs()).into_par_iter();
    let blocks = blocks
        .map_init(
            Default::default,
            |(block, high): &mut (Vec<u8>, Vec<u8>), slab| {
                let first = slab * 64;
                let of = (kept, &illegal[..]);
                if two_bytes {
                    codes_of_block::<true>(&planes, first, words, of, &codes, block, high);
                    block.extend_from_slice(high);
                } else {
                    codes_of_block::<false>(&planes, first, words, of, &codes, block, high);
                }
                let packed = lz4_flex::block::compress(block);
                if packed.len() < block.len() {
                    packed
                } else {
                    block.clone()
                }
            },
        )
        .collect();
    Ok(blocks)
}
