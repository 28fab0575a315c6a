//! What must hold for every run of bytes that is opened as an index file.

#![allow(
    unreachable_pub,
    reason = "tests and fuzz targets include this file as a module"
)]

use tbindex::store::IndexFile;

/// Opening never panics; what opens can be read, and what verifies is as its header claims.
pub fn opening_is_safe(bytes: &[u8]) {
    let Ok(file) = IndexFile::from_bytes("bytes", bytes) else {
        return;
    };
    let header = file.header();
    let words = match header.word_bits {
        32 => file.indices::<u32>().map(|words| words.len()),
        _ => file.indices::<u64>().map(|words| words.len()),
    };
    if file.verify(|_| ()).is_ok() {
        assert_eq!(words.expect("a verified file can be read") as u64, header.count);
    }
}
