//! The common part of the headers of all table files.

use std::path::Path;

use crate::chess::piece_set::Endgame;
use crate::storage::table_file::{FileError, check};
use crate::table::value::Metric;

/// The header of a file of so many bytes, which begins with these: a magic number, a version, other fields, and a checksum of
/// all of them. A message about another version says what to do.
pub(super) fn begin<'a, const BYTES: usize>(
    path: &Path,
    bytes: &'a [u8],
    file_bytes: u64,
    (magic, version): ([u8; 8], u16),
    again: &str,
) -> Result<&'a [u8; BYTES], FileError> {
    let begins = &bytes[..bytes.len().min(magic.len())];
    if begins != magic {
        return Err(FileError::Foreign {
            path: path.to_owned(),
            found: begins.to_vec(),
            expected: magic,
        });
    }
    let header = bytes.first_chunk::<BYTES>().ok_or_else(|| {
        let expected = format!("at least {BYTES} bytes");
        FileError::field(path, "the file's length", file_bytes, expected)
    })?;
    let found = u16_at(header, 8);
    if found != version {
        let expected = format!("{version}; {again}");
        let what = "the format's version";
        return Err(FileError::field(path, what, found, expected));
    }
    let (fields, sum) = header.split_at(BYTES - 4);
    check(path, "the header", crc32fast::hash(fields), u32_at(sum, 0))?;
    Ok(header)
}

/// Checks that a header is the one that follows from its fields, and the file's length, too.
pub(super) fn agrees<const BYTES: usize>(
    path: &Path,
    header: &[u8; BYTES],
    expected: &[u8; BYTES],
    file_bytes: u64,
    length: Option<u64>,
) -> Result<(), FileError> {
    if let Some(at) = (0..BYTES).find(|&at| header[at] != expected[at]) {
        let what = format!("byte {at} of the header");
        return Err(FileError::field(path, what, header[at], expected[at]));
    }
    if length != Some(file_bytes) {
        let expected = length.map_or_else(|| "a sensible number".to_owned(), |n| n.to_string());
        let what = "the file's length";
        return Err(FileError::field(path, what, file_bytes, expected));
    }
    Ok(())
}

/// Checks that a file of an endgame and a metric is the one that is wanted.
pub(super) fn is_of(
    path: &Path,
    (own, by): (Endgame, Metric),
    (endgame, metric): (Endgame, Metric),
) -> Result<(), FileError> {
    let found = match (own == endgame.normal().own(), by == metric) {
        (true, true) => return Ok(()),
        (true, false) => format!("a table by {}", by.name()),
        (false, _) => format!("the table of {own}"),
    };
    let path = path.to_owned();
    Err(FileError::Other { path, found })
}

/// The number of two bytes at a place.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(*bytes[at..].first_chunk().expect("inside"))
}

/// The number of four bytes at a place.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*bytes[at..].first_chunk().expect("inside"))
}

/// The number of eight bytes at a place.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("inside"))
}
