//! Table files. This comment is the specification: a reader can be written from it.
//!
//! All numbers are unsigned and little-endian, all checksums are CRC-32 as in zlib. Bytes without a
//! meaning are zero. A file has four parts:
//!
//! | part | begins at | length in bytes |
//! |---|---|---|
//! | header | 0 | 256 |
//! | values | 256 | 4 × (white values + black values), padded to a multiple of 64 |
//! | block table | `table offset` | 16 × `block count` |
//! | payload: the blocks without gaps | `payload offset` | `payload length`, up to the file's end |
//!
//! | at | bytes | header field | value |
//! |---|---|---|---|
//! | 0 | 8 | magic | `89 54 42 47 0d 0a 1a 0a`: as an index file's, with `TBG` |
//! | 8 | 2 | version | 1 |
//! | 10 | 1 | compression | 1: LZ4 block format |
//! | 11 | 1 | pieces | n, 3 to 5 |
//! | 12 | 4 | | zero |
//! | 16 | 8 | piece codes | white king, black king, then outer, inner and last piece as far as they are there; codes as in index files |
//! | 24 | 4 | block items | 64 with 3 pieces, else 4096 |
//! | 28 | 2 | white values | how many codes there are with white to move |
//! | 30 | 2 | black values | the same with black to move |
//! | 32 | 8 | slots | 462 · 64ⁿ⁻² for each side to move |
//! | 40 | 8 | block count | 2 · slots / block items |
//! | 48 | 8 | table offset | |
//! | 56 | 8 | payload offset | table offset + 16 × block count |
//! | 64 | 8 | payload length | |
//! | 72 | 4 | values checksum | of the values without their padding |
//! | 76 | 4 | table checksum | of the block table |
//! | 80 | 172 | | zero |
//! | 252 | 4 | header checksum | of the bytes 0 to 251 |
//!
//! A *value* is 4 bytes: 2 for the kind — 0 draw, 1 win, 2 loss for the side to move — and 2 for the
//! plies; above 100 plies a win is cursed and a loss blessed. The first value of each side is a draw.
//! The *slots* of a side are numbered by the slice of the two kings (the order of
//! `tbindex::KingPairs` under D4), then the squares of outer, inner and last piece, the last one's
//! changing fastest; each has a code of one byte, the number of its value. Illegal positions have
//! code 0.
//!
//! A *block* is `block items` codes: those of one slice and one square of the outer piece. White's
//! blocks come first. An entry of the block table is the block's offset from the start of the payload
//! (8 bytes), its length (4) and the checksum of its bytes as they lie in the file (4). A block whose
//! length is `block items` is not compressed.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tbindex::store::{Access, AnyStorage, Overwrite, PartialFile, Storage, StoreError};
use tbindex::{Bitboard, Color, Material, Piece, PieceType, Position};

use crate::kings::SLICES;
use crate::lanes::Row;
use crate::sets::Planes;
use crate::shape::Shape;
use crate::table::{Outcome, ProbeError, Side, Table, Value};

const MAGIC: [u8; 8] = *b"\x89TBG\r\n\x1a\n";
const VERSION: u16 = 1;
const LZ4: u8 = 1;
const HEADER_BYTES: usize = 256;
const VALUE_BYTES: usize = 4;
const ENTRY_BYTES: usize = 16;

/// What a table file's name ends in.
pub const EXTENSION: &str = "tbg";

/// Why a table file can't be read, written or believed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file can't be opened, mapped or published.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused something.
    #[error("{}: can't {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The file is of another kind.
    #[error("{}: not a table file: it begins with {found:02x?}, expected {MAGIC:02x?}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How it begins.
        found: Vec<u8>,
    },
    /// A checksum doesn't fit.
    #[error("{}: {part} is damaged: its checksum is {found:#010x}, expected {expected:#010x}", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Which part.
        part: String,
        /// The checksum of what is there.
        found: u32,
        /// The checksum that was stored.
        expected: u32,
    },
    /// Something in the file can't be.
    #[error("{}: {what} is {found}: expected {expected}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: String,
        /// What it says.
        found: String,
        /// What it would have to say.
        expected: String,
    },
    /// The position isn't in the table.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// What a header says, and what follows from the material.
#[derive(Clone, Debug)]
struct Header {
    shape: Shape,
    values: [usize; 2],
    payload_bytes: u64,
    values_checksum: u32,
    table_checksum: u32,
}

impl Header {
    fn block_items(&self) -> usize {
        if self.shape.pieces()[1].is_some() {
            4096
        } else {
            64
        }
    }

    fn blocks_per_side(&self) -> usize {
        SLICES * self.shape.slabs()
    }

    fn table_offset(&self) -> u64 {
        let values = self.values.iter().sum::<usize>() * VALUE_BYTES;
        (HEADER_BYTES + values).next_multiple_of(64) as u64
    }

    fn payload_offset(&self) -> u64 {
        self.table_offset() + (2 * self.blocks_per_side() * ENTRY_BYTES) as u64
    }

    fn pieces(&self) -> Vec<Piece> {
        let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
        let others = self.shape.pieces().into_iter().flatten();
        kings.into_iter().chain(others).collect()
    }

    fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0u8; HEADER_BYTES];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        let pieces = self.pieces();
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(10, &[LZ4, pieces.len() as u8]);
        for (k, piece) in pieces.iter().enumerate() {
            put(16 + k, &[piece.code()]);
        }
        put(24, &(self.block_items() as u32).to_le_bytes());
        put(28, &(self.values[0] as u16).to_le_bytes());
        put(30, &(self.values[1] as u16).to_le_bytes());
        put(32, &self.shape.slots().to_le_bytes());
        put(40, &(2 * self.blocks_per_side() as u64).to_le_bytes());
        put(48, &self.table_offset().to_le_bytes());
        put(56, &self.payload_offset().to_le_bytes());
        put(64, &self.payload_bytes.to_le_bytes());
        put(72, &self.values_checksum.to_le_bytes());
        put(76, &self.table_checksum.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..252]);
        bytes[252..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header and checks all that it says against itself and the file's length.
    fn decode(path: &Path, bytes: &[u8], file_bytes: u64) -> Result<Header, FileError> {
        let begins = &bytes[..bytes.len().min(MAGIC.len())];
        if begins != MAGIC {
            return Err(FileError::Foreign {
                path: path.to_owned(),
                found: begins.to_vec(),
            });
        }
        let field = |what: &str, found: String, expected: String| FileError::Field {
            path: path.to_owned(),
            what: what.to_owned(),
            found,
            expected,
        };
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            let expected = format!("at least {HEADER_BYTES} bytes");
            return Err(field("the file's length", file_bytes.to_string(), expected));
        };
        let u16_at = |at: usize| u16::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        let u32_at = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        let u64_at = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        if u16_at(8) != VERSION {
            let expected = VERSION.to_string();
            return Err(field(
                "the format's version",
                u16_at(8).to_string(),
                expected,
            ));
        }
        check(path, "the header", &bytes[..252], u32_at(252))?;
        let count = usize::from(bytes[11]);
        let pieces: Option<Vec<Piece>> = (bytes[16..24].iter().take(count))
            .map(|&code| Piece::from_code(code))
            .collect();
        let shape = pieces
            .filter(|pieces| pieces.len() == count)
            .and_then(|pieces| Material::from_pieces(pieces).ok())
            .filter(Material::is_normal)
            .and_then(|material| Shape::new(material).ok());
        let Some(shape) = shape else {
            let found = format!("{:02x?}", &bytes[16..24]);
            let expected = "the codes of 3 to 5 pieces, the stronger side white, no pawns";
            return Err(field("the list of pieces", found, expected.to_owned()));
        };
        let header = Header {
            shape,
            values: [usize::from(u16_at(28)), usize::from(u16_at(30))],
            payload_bytes: u64_at(64),
            values_checksum: u32_at(72),
            table_checksum: u32_at(76),
        };
        if let Some(values) = header.values.iter().find(|&&n| !(1..=256).contains(&n)) {
            return Err(field(
                "the number of values",
                values.to_string(),
                "1 to 256".to_owned(),
            ));
        }
        // Everything else follows from what is known by now.
        let expected = header.encode();
        if let Some(at) = (0..252).find(|&at| bytes[at] != expected[at]) {
            let what = format!("byte {at} of the header");
            return Err(field(
                &what,
                bytes[at].to_string(),
                expected[at].to_string(),
            ));
        }
        let length = header.payload_offset().checked_add(header.payload_bytes);
        if length != Some(file_bytes) {
            let expected = length.map_or_else(|| "a sensible number".to_owned(), |n| n.to_string());
            return Err(field("the file's length", file_bytes.to_string(), expected));
        }
        Ok(header)
    }
}

fn check(path: &Path, part: &str, bytes: &[u8], expected: u32) -> Result<(), FileError> {
    let found = crc32fast::hash(bytes);
    if found == expected {
        return Ok(());
    }
    Err(FileError::Checksum {
        path: path.to_owned(),
        part: part.to_owned(),
        found,
        expected,
    })
}

/// The codes of a slab, one byte each, from the planes of its slice.
fn codes_of_slab(planes: &Planes, slab: usize, words: usize, codes: &mut Vec<u8>) {
    codes.clear();
    for k in 0..words {
        let at = |plane: &Vec<Row>| plane[slab * 8 + k / 8].0[k % 8];
        let planes: [u64; 8] = std::array::from_fn(|bit| planes.0.get(bit).map_or(0, at));
        for group in 0..8 {
            // Eight squares at a time: bit by row, square by column; flipped, it is a code per byte.
            let bits = planes.iter().enumerate().fold(0, |bits, (bit, plane)| {
                bits | (plane >> (8 * group) & 0xff) << (8 * bit)
            });
            codes.extend_from_slice(&Bitboard(bits).flip_diagonal().0.to_le_bytes());
        }
    }
}

/// The other way round; only planes that are needed are made.
fn planes_of_slab(codes: &[u8], slab: usize, rows: usize, planes: &mut Planes) {
    for (k, codes) in codes.chunks_exact(64).enumerate() {
        let mut words = [0u64; 8];
        for (group, codes) in codes.chunks_exact(8).enumerate() {
            let bits = u64::from_le_bytes(*codes.first_chunk().expect("eight codes"));
            let bits = Bitboard(bits).flip_diagonal().0;
            for (bit, word) in words.iter_mut().enumerate() {
                *word |= (bits >> (8 * bit) & 0xff) << (8 * group);
            }
        }
        for (bit, word) in words.into_iter().enumerate() {
            if word != 0 {
                while planes.0.len() <= bit {
                    planes.0.push(vec![Row::ZERO; rows]);
                }
                planes.0[bit][slab * 8 + k / 8].0[k % 8] = word;
            }
        }
    }
}

impl Table {
    /// Where a material's table is in a folder.
    #[must_use]
    pub fn path(folder: &Path, material: &Material) -> PathBuf {
        folder.join(format!("{}.{EXTENSION}", material.normal()))
    }

    /// Writes the table to a file, which gets its name when it is complete. Compresses on the threads
    /// of the current rayon pool.
    ///
    /// # Errors
    /// If the file exists and is not to be replaced, or the system refuses.
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

fn reading(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Io {
        path,
        action: "read the file",
        source,
    }
}

fn read<'a>(
    path: &Path,
    data: &'a AnyStorage,
    offset: u64,
    length: usize,
    buffer: &'a mut Vec<u64>,
) -> Result<&'a [u8], FileError> {
    data.bytes(offset, length, buffer).map_err(reading(path))
}

fn decode_values(path: &Path, bytes: &[u8]) -> Result<Vec<Value>, FileError> {
    let values = bytes.chunks_exact(VALUE_BYTES).enumerate();
    values
        .map(|(number, value)| {
            let plies = u16::from_le_bytes([value[2], value[3]]);
            match (value[0], value[1], plies) {
                (0, 0, 0) => Ok(Value::DRAW),
                (1, 0, 1..) => Ok(Value::win(plies)),
                (2, 0, _) => Ok(Value::loss(plies)),
                _ => Err(FileError::Field {
                    path: path.to_owned(),
                    what: format!("value {number}"),
                    found: format!("{value:02x?}"),
                    expected: "a draw, a win or a loss".to_owned(),
                }),
            }
        })
        .collect()
}

/// A table file, mapped. A probe decodes one block.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    header: Header,
    values: [Vec<Value>; 2],
    data: AnyStorage,
}

impl TableFile {
    /// Opens and maps a table file, and checks everything but its blocks, which are checked when they
    /// are used.
    ///
    /// # Errors
    /// If the system refuses, or the file is damaged or no table file.
    pub fn open(path: &Path) -> Result<TableFile, FileError> {
        let data = AnyStorage::open(path, Access::Map)?;
        let mut buffer = Vec::new();
        let length = data.byte_count().map_err(reading(path))?;
        let begins = (HEADER_BYTES as u64).min(length) as usize;
        let bytes = read(path, &data, 0, begins, &mut buffer)?;
        let header = Header::decode(path, bytes, length)?;

        let count = header.values.iter().sum::<usize>() * VALUE_BYTES;
        let bytes = read(path, &data, HEADER_BYTES as u64, count, &mut buffer)?;
        check(path, "the list of values", bytes, header.values_checksum)?;
        let mut white = decode_values(path, bytes)?;
        let black = white.split_off(header.values[0]);

        let count = 2 * header.blocks_per_side() * ENTRY_BYTES;
        let bytes = read(path, &data, header.table_offset(), count, &mut buffer)?;
        check(path, "the block table", bytes, header.table_checksum)?;
        Ok(TableFile {
            path: path.to_owned(),
            header,
            values: [white, black],
            data,
        })
    }

    /// The table's material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.header.shape.material()
    }

    /// The codes of a block.
    fn block(&self, number: usize) -> Result<Vec<u8>, FileError> {
        let mut buffer = Vec::new();
        let at = self.header.table_offset() + (number * ENTRY_BYTES) as u64;
        let entry = read(&self.path, &self.data, at, ENTRY_BYTES, &mut buffer)?;
        let offset = u64::from_le_bytes(*entry.first_chunk().expect("sixteen bytes"));
        let u32_at = |at: usize| u32::from_le_bytes(*entry[at..].first_chunk().expect("inside"));
        let (length, checksum) = (u32_at(8), u32_at(12));
        let field = |what: String, found: String, expected: String| FileError::Field {
            path: self.path.clone(),
            what,
            found,
            expected,
        };
        let items = self.header.block_items();
        let inside = offset
            .checked_add(u64::from(length))
            .is_some_and(|end| end <= self.header.payload_bytes);
        if !inside || length as usize > items {
            let what = format!("the place of block {number}");
            let found = format!("{length} bytes at {offset}");
            return Err(field(
                what,
                found,
                format!("at most {items} bytes inside the payload"),
            ));
        }
        let mut buffer = Vec::new();
        let at = self.header.payload_offset() + offset;
        let bytes = read(&self.path, &self.data, at, length as usize, &mut buffer)?;
        check(&self.path, &format!("block {number}"), bytes, checksum)?;
        if bytes.len() == items {
            return Ok(bytes.to_vec());
        }
        let codes = lz4_flex::block::decompress(bytes, items).unwrap_or_default();
        if codes.len() == items {
            Ok(codes)
        } else {
            let what = format!("the length of block {number}, decompressed,");
            Err(field(what, codes.len().to_string(), items.to_string()))
        }
    }

    fn value_of(&self, side: Color, code: u8) -> Result<Value, FileError> {
        let values = &self.values[side as usize];
        (values.get(usize::from(code)).copied()).ok_or_else(|| FileError::Field {
            path: self.path.clone(),
            what: format!("a code with {side} to move"),
            found: code.to_string(),
            expected: format!("less than {}", values.len()),
        })
    }

    /// The value of a legal position of this material, or of the material with exchanged colours.
    ///
    /// # Errors
    /// If the position has other pieces, or the file is damaged.
    pub fn value(&self, position: &Position) -> Result<Value, FileError> {
        let slot = self.header.shape.slot(position)?;
        let slabs = self.header.shape.slabs();
        let number = (slot.side as usize * SLICES + slot.slice) * slabs + slot.row / 8;
        let codes = self.block(number)?;
        let at = (slot.row % 8 * 8 + slot.lane) * 64 + slot.bit;
        self.value_of(slot.side, codes[at])
    }

    /// Decodes and checks the whole table, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn load(&self) -> Result<Table, FileError> {
        let shape = &self.header.shape;
        let (slabs, rows) = (shape.slabs(), shape.rows());
        let load_slice = |side: Color, slice: usize| -> Result<Planes, FileError> {
            let mut planes = Planes::default();
            for slab in 0..slabs {
                let codes = self.block((side as usize * SLICES + slice) * slabs + slab)?;
                if let Some(&greatest) = codes.iter().max() {
                    self.value_of(side, greatest)?;
                }
                planes_of_slab(&codes, slab, rows, &mut planes);
            }
            Ok(planes)
        };
        let load_side = |side: Color| -> Result<Side, FileError> {
            let slices: Result<Vec<Planes>, FileError> = (0..SLICES)
                .into_par_iter()
                .map(|slice| load_slice(side, slice))
                .collect();
            Ok(Side {
                values: self.values[side as usize].clone(),
                slices: slices?,
            })
        };
        Ok(Table {
            shape: shape.clone(),
            sides: [load_side(Color::White)?, load_side(Color::Black)?],
        })
    }
}
