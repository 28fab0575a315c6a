//! The header of a packed file, and the heads of its sub-tables.

use std::path::Path;

use syzygy_tables::ColoredPiece;
use syzygy_tables::coding::{MOST_NUMBERS, Parts};
use syzygy_tables::numbering::Numbering;
use tbindex::Color;

use super::{HEADER_BYTES, MAGIC, PAGE_BYTES};
use crate::storage::header::{agrees, begin, bytes_at, header_of};
use crate::storage::table_file::{FileError, VALUE_BYTES, values};
use crate::table::value::{Metric, Value};

const VERSION: u16 = 1;

#[derive(Clone, Copy, Debug)]
pub(super) struct PackedHead {
    pub(super) metric: Metric,
    /// The side to move.
    pub(super) side: Color,
    pub(super) revision: u16,
    pub(super) sub_tables: u8,
    pub(super) heads_bytes: u32,
    pub(super) heads_checksum: u32,
    pub(super) tables_bytes: u64,
    pub(super) tables_checksum: u32,
    pub(super) pages_checksum: u32,
    pub(super) data_bytes: u64,
}

impl PackedHead {
    pub(super) fn pages(&self) -> u64 {
        self.data_bytes.div_ceil(PAGE_BYTES)
    }

    /// Where the tables, the checksums of pages and the data begin, and the file ends, if there can be such a file.
    pub(super) fn places(&self) -> Option<[u64; 4]> {
        let tables = HEADER_BYTES as u64 + u64::from(self.heads_bytes);
        let pages = tables.checked_add(self.tables_bytes)?;
        let data = pages.checked_add(4 * self.pages())?;
        Some([tables, pages, data, data.checked_add(self.data_bytes)?])
    }

    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        header_of(&[
            (0, &MAGIC),
            (8, &VERSION.to_le_bytes()),
            (10, &[self.metric as u8, self.side as u8]),
            (12, &self.revision.to_le_bytes()),
            (14, &[self.sub_tables]),
            (16, &self.heads_bytes.to_le_bytes()),
            (20, &self.heads_checksum.to_le_bytes()),
            (24, &self.tables_bytes.to_le_bytes()),
            (32, &self.tables_checksum.to_le_bytes()),
            (36, &self.pages_checksum.to_le_bytes()),
            (40, &self.data_bytes.to_le_bytes()),
        ])
    }

    /// Reads the header of a file, and checks that it agrees with the file's length.
    pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let file_bytes = bytes.len() as u64;
        let again = "pack the table again with this tbgen";
        let bytes: &[u8; HEADER_BYTES] = begin(path, bytes, file_bytes, (MAGIC, VERSION), again)?;
        let metric = Metric::ALL.get(usize::from(bytes[10])).copied();
        let Some(metric) = metric.filter(|metric| metric.packed_extension().is_some()) else {
            let expected = "1 to 3: by the distance to zeroing there are Syzygy files";
            return Err(FileError::field(path, "the metric", bytes[10], expected));
        };
        let Some(&side) = Color::ALL.get(usize::from(bytes[11])) else {
            return Err(FileError::field(path, "the side", bytes[11], "0 or 1"));
        };
        let head = PackedHead {
            metric,
            side,
            revision: u16::from_le_bytes(bytes_at(bytes, 12)),
            sub_tables: bytes[14],
            heads_bytes: u32::from_le_bytes(bytes_at(bytes, 16)),
            heads_checksum: u32::from_le_bytes(bytes_at(bytes, 20)),
            tables_bytes: u64::from_le_bytes(bytes_at(bytes, 24)),
            tables_checksum: u32::from_le_bytes(bytes_at(bytes, 32)),
            pages_checksum: u32::from_le_bytes(bytes_at(bytes, 36)),
            data_bytes: u64::from_le_bytes(bytes_at(bytes, 40)),
        };
        if !matches!(head.sub_tables, 1 | 4) {
            let what = "the number of sub-tables";
            return Err(FileError::field(path, what, head.sub_tables, "1 or 4"));
        }
        let length = head.places().map(|[.., end]| end);
        agrees(path, bytes, &head.encode(), file_bytes, length)?;
        Ok(head)
    }
}

/// The bytes of the head of a sub-table.
pub(super) fn encode_sub_table(numbering: &Numbering, list: &[Value], parts: &Parts) -> Vec<u8> {
    let pieces = numbering.pieces();
    let mut bytes = vec![pieces.len() as u8];
    bytes.extend(pieces.map(ColoredPiece::code));
    let (order, order2) = numbering.orders();
    bytes.extend([order, order2]);
    bytes.extend((list.len() as u16).to_le_bytes());
    bytes.extend(values::encode(list.iter()));
    bytes.extend((parts.head.len() as u16).to_le_bytes());
    bytes.extend(&parts.head);
    bytes
}

/// Reads the head of a sub-table, and takes it off the bytes: the order of its pieces, its values, the worst for the side to
/// move first, and how their numbers are coded.
pub(super) fn decode_sub_table<'h>(
    path: &Path,
    metric: Metric,
    number: usize,
    file: Option<u8>,
    bytes: &mut &'h [u8],
) -> Result<(Numbering, Vec<Value>, &'h [u8]), FileError> {
    let field = |what: &str, found: String, expected: &str| {
        let what = format!("{what} of sub-table {number}");
        FileError::field(path, what, found, expected)
    };
    let mut take = |count: usize| {
        let cut = || field("the head", "cut".to_owned(), "whole in the length of heads");
        bytes.split_off(..count).ok_or_else(cut)
    };
    let count = usize::from(take(1)?[0]);
    let codes = take(count)?;
    let pieces: Vec<ColoredPiece> = (codes.iter())
        .filter_map(|&code| ColoredPiece::from_code(code))
        .collect();
    let &[order, order2] = take(2)? else {
        unreachable!("two bytes")
    };
    let numbering = match pieces.len() == count {
        true => Numbering::try_new(&pieces, order, order2, file).map_err(|error| error.to_string()),
        false => Err("codes of pieces".to_owned()),
    };
    let numbering = numbering.map_err(|expected| {
        let found = format!("{codes:02x?} with places {order} and {order2}");
        field("the order of pieces", found, &expected)
    })?;
    if numbering.orders() != (order, order2) {
        let what = "the place of the other side's pawns";
        let expected = "15 if not both sides have pawns";
        return Err(field(what, order2.to_string(), expected));
    }
    let two = |bytes: &[u8]| usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    let count = two(take(2)?);
    if !(1..=MOST_NUMBERS).contains(&count) {
        let expected = format!("1 to {MOST_NUMBERS}");
        return Err(field("the number of values", count.to_string(), &expected));
    }
    let mut list: Vec<Value> = Vec::with_capacity(count);
    for bytes in take(count * VALUE_BYTES)?.as_chunks().0 {
        let value = values::value_of(metric, *bytes).filter(|value| {
            let last = list.last();
            last.is_none_or(|last| last.preference() < value.preference())
        });
        list.push(value.ok_or_else(|| {
            let what = format!("value {}", list.len());
            let expected = "one that is better than those before";
            field(&what, format!("{bytes:02x?}"), expected)
        })?);
    }
    let length = two(take(2)?);
    Ok((numbering, list, take(length)?))
}

/// Where blocks of so many bytes begin if those before end here.
pub(super) fn blocks_at(end: u64, block_bytes: usize) -> u64 {
    end.next_multiple_of(block_bytes.max(1) as u64)
}
