//! Laws of every run of bytes that is opened as an index file.

use tbindex::store::{IndexFile, IndexReader, StoredWord, unwatched};
use tbindex::{LikePieces, Numbering, reference};

use crate::support::checksums;
use crate::support::opened::of_bytes;

/// An index file, and the same with right checksums: an error, or a file whose every word can be read, searched and
/// verified.
pub fn laws_of_bytes(bytes: &[u8]) {
    opening_is_safe(bytes);
    opening_is_safe(&with_right_checksums(bytes));
}

/// Opening never panics; what opens can be read and searched, and what verifies is as its header claims.
pub fn opening_is_safe(bytes: &[u8]) {
    match &of_bytes(Aligned::new(bytes)) {
        Ok(file @ IndexFile::U32(reader)) => reading_is_safe(file, reader),
        Ok(file @ IndexFile::U64(reader)) => reading_is_safe(file, reader),
        Err(_) => {}
    }
}

fn reading_is_safe<W: StoredWord>(file: &IndexFile, reader: &IndexReader<W>) {
    let header = *file.header();
    let verified = file.verify(1, &mut unwatched);
    let again = file.verify(2, &mut unwatched);
    assert_eq!(
        verified.as_ref().map_err(ToString::to_string),
        again.as_ref().map_err(ToString::to_string)
    );
    let mut all: Vec<u64> = Vec::new();
    let items = u64::from(header.block_items);
    for first in (0..header.count).step_by(header.block_items as usize) {
        let mut block = vec![W::ZERO; items.min(header.count - first) as usize];
        match reader.read_into(first, &mut block) {
            Ok(()) => all.extend(block.into_iter().map(W::to_u64)),
            Err(error) => assert!(verified.is_err(), "{error}"),
        }
    }
    for index in [0, 1, 1 << 20, u64::MAX] {
        let found = file.search(index);
        assert!(header.contents.sorted || found.is_err());
        if verified.is_ok() && header.contents.sorted {
            let found = found.expect("a verified file can be searched");
            let expected = all.partition_point(|&x| x < index) as u64;
            assert_eq!(found.unwrap_or_else(|rank| rank), expected);
        }
    }
    if verified.is_err() {
        return;
    }
    assert_eq!(all.len() as u64, header.count);
    assert!(!header.contents.sorted || all.is_sorted());
    assert!(!header.contents.distinct || all.is_sorted_by(|a, b| a < b));
    // By the plain tables of `reference`, which share nothing with what checked the file.
    let (pieces, like) = (
        header.contents.material.piece_count(),
        LikePieces::from(header.contents.material),
    );
    for &index in &all {
        // The codes of the natural numbering are all numbers of squares.
        let squares = reference::decode(pieces, Numbering::Natural, index);
        let back: u64 = reference::encode(Numbering::Natural, &squares);
        assert_eq!(back, index, "out of range");
        if header.contents.canonical {
            let (numbering, group) = (header.contents.numbering, header.contents.material.group());
            let canonical =
                reference::canonical_with_symmetry(pieces, numbering, group, like.sets(), index).0;
            assert_eq!(canonical, index);
        }
    }
    if header.compact {
        assert!(reader.indices().is_err());
    } else {
        assert_eq!(reader.indices().unwrap().len(), all.len());
    }
}

/// Bytes at an address that words can be read from.
#[derive(Debug)]
pub struct Aligned(Vec<u64>, usize);

impl Aligned {
    /// A copy of the bytes.
    pub fn new(bytes: &[u8]) -> Aligned {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Aligned(words, bytes.len())
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

/// The bytes with the mark of an index file and every checksum made right that can be found, so that a
/// fuzzer gets past them.
pub fn with_right_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(start) = bytes.get_mut(..10) {
        start.copy_from_slice(b"\x89TBI\r\n\x1a\n\x01\x00");
    }
    checksums::with_right_checksums(&bytes)
}
