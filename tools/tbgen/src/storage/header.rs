//! The common part of the headers of all table files.

use std::path::Path;

use crate::chess::piece_set::Endgame;
use crate::storage::table_file::{FileError, check};
use crate::table::revision::distrust;
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
    let found = u16::from_le_bytes(bytes_at(header, 8));
    if found != version {
        let expected = format!("{version}; {again}");
        let what = "the format's version";
        return Err(FileError::field(path, what, found, expected));
    }
    let (fields, sum) = header.split_last_chunk().expect("more than a checksum");
    let (found, expected) = (crc32fast::hash(fields), u32::from_le_bytes(*sum));
    check(path, "the header", found, expected)?;
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

/// A header of these fields, each at its place, and the checksum of all of them.
pub(super) fn header_of<const BYTES: usize>(fields: &[(usize, &[u8])]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for &(at, field) in fields {
        bytes[at..at + field.len()].copy_from_slice(field);
    }
    let checksum = crc32fast::hash(&bytes[..BYTES - 4]);
    bytes[BYTES - 4..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Checks that no revision that is known to be wrong made the table of a file.
pub(super) fn trust(
    path: &Path,
    endgame: Endgame,
    (metric, revision): (Metric, u16),
) -> Result<(), FileError> {
    let Some(why) = distrust(endgame, metric, revision) else {
        return Ok(());
    };
    let path = path.to_owned();
    Err(FileError::Distrusted { path, why })
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

/// So many bytes at a place, as of a number.
pub(super) fn bytes_at<const COUNT: usize>(bytes: &[u8], at: usize) -> [u8; COUNT] {
    *bytes[at..].first_chunk().expect("inside")
}
