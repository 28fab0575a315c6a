//! Writes packed files.

use std::io;

use syzygy_tables::coding::Parts;
use syzygy_tables::numbering::Numbering;
use tbindex::store::PartialFile;

use super::PAGE_BYTES;
use super::head::{BEHIND, PackedHead, blocks_at, encode_sub_table};
use crate::storage::table_file::FileError;
use crate::table::value::Value;

/// A sub-table: its order, the values of its numbers, and its parts.
pub(crate) type SubTable<'a> = (&'a Numbering, &'a [Value], Parts);

/// Writes sub-tables to a file, and gives it its name.
pub(crate) fn write(
    begun: PartialFile,
    head: PackedHead,
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
    data.resize(data.len() + BEHIND, 0);
    let pages = data.chunks(PAGE_BYTES as usize);
    let pages: Vec<u8> = pages
        .flat_map(|page| crc32fast::hash(page).to_le_bytes())
        .collect();
    let head = PackedHead {
        sub_tables: sub_tables.len() as u8,
        heads_bytes: heads.len() as u32,
        heads_checksum: crc32fast::hash(&heads),
        tables_bytes: tables.len() as u64,
        tables_checksum: crc32fast::hash(&tables),
        pages_checksum: crc32fast::hash(&pages),
        data_bytes: data.len() as u64,
        ..head
    };
    let write = || -> io::Result<()> {
        use std::io::Write;
        let mut file = std::fs::File::options()
            .write(true)
            .open(begun.partial_path())?;
        for part in [&head.encode()[..], &heads, &tables, &pages, &data] {
            file.write_all(part)?;
        }
        Ok(())
    };
    write().map_err(|source| FileError::Io {
        path: begun.path().to_owned(),
        action: "write the file",
        source,
    })?;
    tbindex::fail_point!("tbgen::packed_before_rename");
    Ok(begun.finish()?)
}
