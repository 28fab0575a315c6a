//! What the headers of all table files have in common.

use std::path::Path;

use crate::storage::table_file::{FileError, check};

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
        FileError::field(path, "the file's length", file_bytes.to_string(), expected)
    })?;
    let found = u16::from_le_bytes([header[8], header[9]]);
    if found != version {
        let expected = format!("{version}; {again}");
        let what = "the format's version";
        return Err(FileError::field(path, what, found.to_string(), expected));
    }
    let (fields, sum) = header.split_last_chunk().expect("longer than a checksum");
    let sum = u32::from_le_bytes(*sum);
    check(path, "the header", crc32fast::hash(fields), sum)?;
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
    let field = |what: &str, found: String, expected: String| {
        Err(FileError::field(path, what, found, expected))
    };
    if let Some(at) = (0..BYTES).find(|&at| header[at] != expected[at]) {
        let what = format!("byte {at} of the header");
        return field(&what, header[at].to_string(), expected[at].to_string());
    }
    if length != Some(file_bytes) {
        let expected = length.map_or_else(|| "a sensible number".to_owned(), |n| n.to_string());
        return field("the file's length", file_bytes.to_string(), expected);
    }
    Ok(())
}
