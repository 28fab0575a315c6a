//! Writes packed files.

use std::fs::File;
use std::io::Write;

use syzygy_tables::coding::{Decoder, Parts};
use syzygy_tables::numbering::Numbering;
use tbindex::Color;
use tbindex::store::PartialFile;

use super::PAGE_BYTES;
use super::head::{PackedHead, blocks_at, encode_sub_table};
use crate::storage::table_file::FileError;
use crate::table::revision::REVISION;
use crate::table::value::{Metric, Value};

/// A sub-table: its order, the values of its numbers, and its parts.
pub(crate) type SubTable<'a> = (&'a Numbering, &'a [Value], Parts);

/// Writes the sub-tables of a metric and a side to move to a file, and gives it its name.
pub(crate) fn write(
    begun: PartialFile,
    (metric, side): (Metric, Color),
    sub_tables: &[SubTable<'_>],
) -> Result<(), FileError> {
    let (mut heads, mut tables, mut data) = (Vec::new(), Vec::new(), Vec::new());
    for (numbering, values, parts) in sub_tables {
        heads.extend(encode_sub_table(numbering, values, parts));
        tables.extend(&parts.index);
        tables.extend(&parts.lengths);
        // A head of two bytes is of one value, which has no blocks; others begin with the flags and the size.
        let block_bytes = parts.head.get(2).map_or(1, |_| 1 << parts.head[1]);
        data.resize(blocks_at(data.len() as u64, block_bytes) as usize, 0);
        data.extend(&parts.data);
    }
    data.resize(data.len() + Decoder::BEHIND, 0);
    let pages = data.chunks(PAGE_BYTES as usize);
    let pages: Vec<u8> = pages
        .flat_map(|page| crc32fast::hash(page).to_le_bytes())
        .collect();
    let head = PackedHead {
        metric,
        side,
        revision: REVISION,
        sub_tables: sub_tables.len() as u8,
        heads_bytes: heads.len() as u32,
        heads_checksum: crc32fast::hash(&heads),
        tables_bytes: tables.len() as u64,
        tables_checksum: crc32fast::hash(&tables),
        pages_checksum: crc32fast::hash(&pages),
        data_bytes: data.len() as u64,
    };
    let io = FileError::io(begun.path(), "write the file");
    let file = File::options().write(true).open(begun.partial_path());
    let mut file = file.map_err(io)?;
    for part in [&head.encode()[..], &heads, &tables, &pages, &data] {
        file.write_all(part).map_err(io)?;
    }
    tbindex::fail_point!("tbgen::packed_before_rename");
    Ok(begun.finish()?)
}
