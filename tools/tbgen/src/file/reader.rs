//! Reads tables: one position of a mapped file, or all of it.

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tbindex::store::{Access, AnyStorage, Storage};
use tbindex::{Bitboard, Color, Material, Position};

use super::{ENTRY_BYTES, FileError, HEADER_BYTES, Header, VALUE_BYTES, check};
use crate::planes::Planes;
use crate::table::{Side, Table, Value};

/// Puts the codes of a slab, one byte each, into the planes of its slice. Only planes that are needed are
/// made.
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
                planes.put(bit, slab * 64 + k, rows, word);
            }
        }
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

/// A mapped table file. A probe decodes one block.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    header: Header,
    values: [Vec<Value>; 2],
    data: AnyStorage,
}

impl TableFile {
    /// Opens and maps a table file, and checks all of it but its blocks, which are checked when they are
    /// used.
    ///
    /// # Errors
    /// If the system refuses, or if the file is damaged or is no table file.
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
        let slice = slot.side as usize * self.header.shape.slices() + slot.at.slice;
        let codes = self.block(slice * slabs + (slot.at.offset >> 12) as usize)?;
        self.value_of(slot.side, codes[(slot.at.offset & 0xfff) as usize])
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
                let codes = self.block((side as usize * shape.slices() + slice) * slabs + slab)?;
                if let Some(&greatest) = codes.iter().max() {
                    self.value_of(side, greatest)?;
                }
                planes_of_slab(&codes, slab, rows, &mut planes);
            }
            Ok(planes)
        };
        let load_side = |side: Color| -> Result<Side, FileError> {
            let slices: Result<Vec<Planes>, FileError> = (0..shape.slices())
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
