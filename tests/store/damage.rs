//! Damaged files and files that lie: errors say what is wrong and where.

use std::error::Error;
use std::fs;
use std::ops::Range;

use tbindex::store::{Part, StoreError, StoreErrorKind, unwatched};
use tbindex::{Color, Numbering};

use super::files::ascending;
use crate::laws::files::{Aligned, opening_is_safe};
use crate::support::checksums::{forged, with_right_checksums};
use crate::support::contents::{bytes_of, contents, distinct, sorted, write, write_compact};
use crate::support::folder::Folder;
use crate::support::opened::{of_bytes, read};
use crate::support::reductions::of_material;
use crate::support::says::says;

/// Opens and verifies bytes.
fn check(bytes: &[u8]) -> Result<(), StoreError> {
    let file = of_bytes(Aligned::new(bytes))?;
    let verify = |threads| file.verify(threads, &mut unwatched);
    let [one, many] = [1, 2].map(|threads| verify(threads).map_err(|error| error.to_string()));
    assert_eq!(one, many);
    verify(1).map(drop)
}

/// The smallest file with all that a plain file can have: the 10 classes of two kings that share a square.
fn small_file() -> Vec<u8> {
    let contents = contents("KvK").with_side(Some(Color::White)).reduced();
    let same = of_material("KvK", Numbering::Natural);
    let layout = same.layout();
    let shared = |&x: &u32| same.canonical(x) == x && layout.square(x, 0) == layout.square(x, 1);
    let indices: Vec<u32> = (0..4096).filter(shared).collect();
    assert_eq!(indices.len(), 10);
    bytes_of(write, contents, &indices)
}

/// A compressed file with one block.
fn small_compact_file() -> Vec<u8> {
    let mut indices: Vec<u32> = ascending(70, 12, 3);
    indices.dedup();
    bytes_of(write_compact, distinct("KvK"), &indices)
}

/// Does something with each file that differs from this one in one bit.
fn for_each_flipped_bit(good: &[u8], at: Range<usize>, mut with: impl FnMut(usize, &[u8])) {
    for at in at {
        for bit in 0..8 {
            let mut bad = good.to_vec();
            bad[at] ^= 1 << bit;
            with(at, &bad);
        }
    }
}

#[test]
fn every_flipped_bit_is_found() {
    for good in [small_file(), small_compact_file()] {
        check(&good).unwrap();
        for_each_flipped_bit(&good, 0..good.len(), |at, bad| {
            let error = check(bad).expect_err("a flipped bit was not found");
            let text = error.to_string();
            assert!(text.starts_with("x.tbi: "), "byte {at}: {text}");
            // The error says where.
            assert_eq!(error.kind, StoreErrorKind::Damaged, "byte {at}: {text}");
            let (start, end) = error.bytes.expect(&text);
            assert!((start..end).contains(&(at as u64)), "byte {at}: {text}");
        });
    }
}

#[test]
fn every_flipped_bit_with_right_checksums_is_an_error_or_another_set() {
    for good in [small_file(), small_compact_file()] {
        assert_eq!(with_right_checksums(&good), good);
        for_each_flipped_bit(&good, 0..good.len(), |_, bad| {
            opening_is_safe(&with_right_checksums(bad));
        });
    }
}

#[test]
fn what_is_checked_on_the_way_is_never_wrong() {
    let good = small_compact_file();
    let open = |bytes: &[u8]| of_bytes(Aligned::new(bytes)).unwrap();
    let file = open(&good);
    let indices: Result<Vec<u32>, _> = file.reader().unwrap().iter().collect();
    let indices = indices.unwrap();
    let asked = (0..4096).step_by(5);
    let asked: Vec<(u64, Result<u64, u64>)> = asked.map(|x| (x, file.search(x).unwrap())).collect();
    let mut refused = 0;
    for_each_flipped_bit(&good, 256..good.len(), |at, bad| {
        let file = open(bad);
        let read: Result<Vec<u32>, _> = file.reader().unwrap().iter().collect();
        refused += usize::from(read.is_err());
        // The bytes between payload and table are of no account here.
        assert!(read.is_err() || read.unwrap() == indices, "byte {at}");
        for &(x, answer) in &asked {
            let found = file.check_searched(x).and_then(|()| file.search(x));
            assert!(found.is_err() || found.unwrap() == answer, "byte {at}");
        }
    });
    let table = 32 * file.header().block_count as usize;
    assert!(refused >= 8 * table, "{refused}");
}

#[test]
fn every_other_length_is_refused_when_opening() {
    for good in [small_file(), small_compact_file()] {
        let open = |bytes: &[u8]| of_bytes(bytes.to_vec()).map(drop);
        for length in 0..good.len() {
            let error = open(&good[..length]).expect_err("a shorter file was opened");
            assert_eq!(error.kind, StoreErrorKind::Damaged);
            let text = &*error.message;
            let is_told = match length {
                0..8 => text.starts_with("not an index file"),
                // A count that is beyond what can be in so short a file.
                _ if text.starts_with("the header says count") => length < 266,
                _ => text.starts_with(&format!("the file is {length} bytes long")),
            };
            assert!(is_told, "length {length}: {error}");
        }
        for more in [1, 8, 32, 4096] {
            let long = [&good[..], &vec![0; more]].concat();
            let error = open(&long).expect_err("a longer file was opened");
            let is_told = error.message.starts_with("the file is");
            assert!(is_told, "{error}");
        }
    }
}

/// Headers, tables and indices that are not as they should be, under right checksums: where, what, and what is said.
type Lies<'a> = &'a [(usize, &'a [u8], &'a str)];

#[test]
fn files_that_lie_are_refused() {
    let huge = u64::MAX.to_le_bytes();
    let headers: Lies<'_> = &[
        (8, &[2], "version 2: this program reads version 1"),
        (10, &[9], "payload kind 9"),
        (11, &[8], "word bytes 8: expected 4"),
        (12, &[2], "numbering 2"),
        (13, &[1], "group 1: expected 2"),
        (14, &[3], "side to move 3"),
        (15, &[8], "flags 8"),
        (15, &[4], "flags 4"),
        (16, &[0], "pieces 0"),
        (16, &[1], "pieces 1"),
        (16, &[3], "piece codes f 7 0"),
        (16, &[11], "pieces 11"),
        (16, &[255], "pieces 255"),
        (17, &[1], "byte 17 is 0x01"),
        (24, &[7, 15], "expected f 7 0"),
        (24, &[7, 7], "one king a side"),
        (24, &[8], "codes of pieces"),
        (24, &[2], "codes of pieces"),
        (24, &[9], "codes of pieces"),
        (39, &[1], "piece codes"),
        (40, &huge, "count 18446744073709551615"),
        (40, &[9], "payload length 40: expected 36"),
        (48, &[0; 8], "payload offset 0: expected 256"),
        (48, &huge, "payload offset 18446744073709551615"),
        (
            56,
            &huge,
            "payload length 18446744073709551615: expected 40",
        ),
        (64, &huge, "table offset 18446744073709551615: expected 320"),
        (72, &huge, "block count 18446744073709551615: expected 1"),
        (80, &[0; 4], "block items 0: expected 262144"),
        (88, &[1], "byte 88 is 0x01"),
        (251, &[1], "byte 251 is 0x01"),
    ];
    let blocks: Lies<'_> = &[
        (320, &[1], "block 0 says offset 257: expected 256"),
        (328, &[1], "block 0 says first 1: expected 0"),
        (336, &[41], "block 0 says length 41: expected 40"),
        (340, &[11], "block 0 says items 11: expected 10"),
        (348, &[1], "block 0 says parameter 1: expected 0"),
        (295, &[1], "position 9 is out of range"),
        (
            292,
            &[0xff, 0x0f],
            "index 0o7777 at position 9 is not canonical as the file says: expected 0o0",
        ),
        (
            260,
            &[0, 0],
            "comes after 0o0: expected sorted and distinct indices",
        ),
    ];
    let compact_file = small_compact_file();
    let table = compact_file.len() - 32;
    let compact: Lies<'_> = &[
        (15, &[0], "flags 0: expected sorted (2) in a compact file"),
        (40, &[0xff; 8], "count 18446744073709551615"),
        (40, &[1, 0, 0, 0, 0, 0, 0, 0], "says items"),
        (56, &[0xff; 8], "payload length 18446744073709551615"),
        (56, &[4], "payload length"),
        (72, &[2], "block count 2: expected 1"),
        (80, &[1], "block items"),
        (
            table,
            &[4, 1],
            "offset 260: expected a multiple of 8 from 256",
        ),
        (table, &[0xff; 8], "offset 18446744073709551615"),
        (table, &[8, 1], "length"),
        (table + 8, &[0xff; 8], "out of range"),
        (table + 16, &[0xff; 4], "length 4294967295"),
        (table + 16, &[8, 0, 0, 0], "8 bytes have no room"),
        (table + 20, &[0xff; 4], "items 4294967295"),
        (table + 28, &[13], "parameter 13: expected at most 12"),
        (table + 28, &[12], "room"),
        (table + 28, &[0], "bits are set"),
    ];
    let small = &small_file();
    for (good, lies) in [(small, headers), (small, blocks), (&compact_file, compact)] {
        for &(at, field, reason) in lies {
            let error = check(&forged(good, at, field)).expect_err(reason);
            says(error, &[reason]);
        }
    }
    // A fault of the header is reported before anything else is read.
    for &(at, field, reason) in headers {
        of_bytes(forged(small, at, field)).expect_err(reason);
    }
}

#[test]
fn numbers_beyond_every_file_are_refused() {
    for good in [small_file(), small_compact_file()] {
        for count in [1 << 61, 1 << 62, u64::MAX] {
            for payload in [0, count.wrapping_mul(4), u64::MAX - 7] {
                let bytes = forged(&good, 40, &count.to_le_bytes());
                let bytes = forged(&bytes, 56, &payload.to_le_bytes());
                check(&bytes).expect_err("a small file");
            }
        }
    }
}

#[test]
fn blocks_that_overlap_are_refused() {
    // Two blocks with the same bytes, so that either could stand for the other.
    let good = bytes_of::<u32>(write_compact, sorted("KvK"), &[5; 2 * 16_384]);
    check(&good).unwrap();
    let table = good.len() - 64;
    assert_eq!(good[table + 8..table + 32], good[table + 40..]);
    for (entry, from) in [(0, 32), (32, 0)] {
        let offset = &good[table + from..table + from + 8];
        let error = check(&forged(&good, table + entry, offset));
        says(error.expect_err("overlapping blocks"), &["says offset"]);
    }
}

#[test]
fn damage_is_located_whatever_the_number_of_threads() {
    let indices: Vec<u32> = (0..900_000).collect();
    let good = bytes_of(write, distinct("KQvKR"), &indices);
    for (damaged, block) in [
        (256 + 5, 0),
        (256 + (1 << 20) + 9, 1),
        (256 + (3 << 20) + 1000, 3),
    ] {
        for threads in [1, 2, 5] {
            let mut bad = good.clone();
            bad[damaged] ^= 16;
            // The bytes after it do not matter.
            bad[256 + 3_500_000] ^= 1;
            let file = of_bytes(Aligned::new(&bad)).unwrap();
            let error = file.verify(threads, &mut unwatched).unwrap_err();
            assert_eq!(error.part, Some(Part::Block(block)), "{error}");
            let (start, end) = error.bytes.unwrap();
            assert!((start..end).contains(&(damaged as u64)));
        }
    }
}

#[test]
fn a_file_that_shrinks_under_plain_reads_is_an_error() {
    let folder = Folder::new();
    let path = folder.path("x");
    write::<u32>(&path, contents("KQvKR"), &(0..500_000).collect::<Vec<_>>()).unwrap();
    let file = read(&path).unwrap();
    let other = fs::OpenOptions::new().write(true).open(&path).unwrap();
    other.set_len(1_500_000).unwrap();
    // Its block table is gone.
    let reader = file.reader().unwrap();
    let error = reader.read_into(0, &mut [0u32]).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Io);
    assert!(error.source().is_some());
    let error = file.verify(1, &mut unwatched).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Io);
}

#[test]
fn bytes_at_odd_addresses_are_refused_not_copied() {
    /// Bytes that begin so many bytes after an aligned address.
    struct Moved(Aligned, usize);
    impl AsRef<[u8]> for Moved {
        fn as_ref(&self) -> &[u8] {
            &self.0.as_ref()[self.1..]
        }
    }
    let small = small_file();
    for start in 0..=8 {
        let moved = Moved(Aligned::new(&[&vec![0; start], &small[..]].concat()), start);
        let file = of_bytes(moved).unwrap();
        let (is_aligned, reader) = (start % 4 == 0, file.reader().unwrap());
        assert_eq!(reader.indices().is_ok(), is_aligned);
        assert_eq!(reader.read_into(0, &mut [0u32; 10]).is_ok(), is_aligned);
    }
}
