//! Compressed index files, searching, and the ways to read a file.

use std::fs;
use std::path::Path;

use tbindex::store::{
    Access, BlockBuffer, Contents, Header, IndexFile, IndexWriter, Overwrite, Part, Storage,
    StoreError, StoreErrorKind, unwatched,
};
use tbindex::{Color, Enumeration, Numbering, Stage, StageCounts, Word};

use crate::aligned::Aligned;
use crate::checksums::with_right_checksums;
use crate::contents::{contents, write};
use crate::names::names;
use crate::opened::open_by;
use crate::random::Random;

fn write_compact<W: Word>(
    path: &Path,
    contents: Contents,
    indices: &[W],
) -> Result<Header, StoreError> {
    let mut writer = IndexWriter::create_compact(path, contents, Overwrite::Refuse)?;
    for part in indices.chunks(10_001) {
        writer.write(part)?;
    }
    writer.finish()
}

fn sorted(contents: Contents) -> Contents {
    Contents {
        sorted: true,
        ..contents
    }
}

/// All indices of a file, block by block.
fn read_all<W: Word, D: Storage>(file: &IndexFile<D>) -> Vec<W> {
    let mut buffer = BlockBuffer::new();
    let mut all = Vec::new();
    for number in 0..file.header().block_count {
        all.extend_from_slice(file.read_checked_block::<W>(number, &mut buffer).unwrap());
        let again = file.read_block::<W>(number, &mut buffer).unwrap();
        assert!(all.ends_with(again));
    }
    let iterated: Result<Vec<W>, StoreError> = file.iter().unwrap().collect();
    assert!(iterated.unwrap() == all);
    let mut indices = file.iter::<W>().unwrap();
    let first = indices.next().map(Result::unwrap);
    assert_eq!(first, all.first().copied());
    let mut sliced = Vec::from_iter(first);
    loop {
        let (least, most) = indices.size_hint();
        let left = all.len() - sliced.len();
        assert!(least <= left && most == Some(left));
        match indices.next_slice().unwrap() {
            [] => break,
            some => sliced.extend_from_slice(some),
        }
    }
    assert!(sliced == all);
    all
}

/// Ascending indices of `bits` bits, some of them twice.
fn ascending(count: usize, bits: u32, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mut indices: Vec<u64> = (0..count).map(|_| random.bits(bits)).collect();
    for k in (1..count).step_by(7) {
        indices[k] = indices[k - 1];
    }
    indices.sort_unstable();
    indices
}

#[test]
fn compact_files_read_back_in_every_way() {
    let folder = tempfile::tempdir().unwrap();
    // A block holds 16 384.
    for count in [0, 1, 2, 16_383, 16_384, 16_385, 100_000] {
        for (material, bits) in [
            ("KQvKR", 24),
            ("KQRvKR", 30),
            ("KQRvKRN", 36),
            ("KQRBNvKQRBN", 60),
        ] {
            let path = folder.path().join(format!("{count}-{material}.tbi"));
            let indices = ascending(count, bits, 1 + count as u64);
            let narrow: Vec<u32> = indices.iter().map(|&x| x as u32).collect();
            let header = if bits <= 30 {
                write_compact(&path, sorted(contents(material)), &narrow).unwrap()
            } else {
                write_compact(&path, sorted(contents(material)), &indices).unwrap()
            };
            assert!(header.compact);
            assert_eq!(header.file_bytes(), fs::metadata(&path).unwrap().len());
            let bytes = fs::read(&path).unwrap();
            for file in [
                open_by(&path, Access::Map).unwrap(),
                open_by(&path, Access::Read).unwrap(),
            ] {
                assert_eq!(*file.header(), header);
                let report = file.verify(1, unwatched).unwrap();
                assert_eq!(report, file.verify(3, unwatched).unwrap());
                let ends = indices.first().copied().zip(indices.last().copied());
                assert_eq!((report.count, report.range), (count as u64, ends));
                if bits <= 30 {
                    assert_eq!(read_all::<u32, _>(&file), narrow);
                } else {
                    assert_eq!(read_all::<u64, _>(&file), indices);
                }
            }
            let file = IndexFile::from_bytes("x", Aligned::new(&bytes)).unwrap();
            assert!(matches!(
                file.indices::<u32>().unwrap_err().kind(),
                StoreErrorKind::Compact | StoreErrorKind::WrongWord { .. }
            ));
        }
    }
}

#[test]
fn searches_agree_with_a_look_through_everything() {
    let folder = tempfile::tempdir().unwrap();
    for (k, (count, bits)) in [
        (0, 24),
        (1, 24),
        (700, 11),
        (5000, 24),
        (300_000, 24),
        (300_000, 18),
    ]
    .into_iter()
    .enumerate()
    {
        let indices = ascending(count, bits, 77);
        let narrow: Vec<u32> = indices.iter().map(|&x| x as u32).collect();
        let (plain, compact) = (
            folder.path().join(format!("{k}")),
            folder.path().join(format!("{k}c")),
        );
        write(&plain, sorted(contents("KQvKR")), &narrow).unwrap();
        write_compact(&compact, sorted(contents("KQvKR")), &narrow).unwrap();
        let mut random = Random::new(5);
        let mut questions: Vec<u64> = (0..300).map(|_| random.bits(bits)).collect();
        questions.extend(
            indices
                .iter()
                .step_by(1 + count / 300)
                .flat_map(|&x| [x.saturating_sub(1), x, x + 1]),
        );
        questions.extend([0, 1, (1 << 24) - 1, 1 << 40, u64::MAX]);
        // Where a block ends and the next begins.
        for edge in [16_384, 262_144] {
            if let Some(ends) = indices.get(edge - 1..=edge) {
                questions.extend(ends.iter().flat_map(|&x| [x - 1, x, x + 1]));
            }
        }
        for path in [&plain, &compact] {
            for access in [Access::Map, Access::Read] {
                let file = open_by(path, access).unwrap();
                for &x in &questions {
                    let rank = indices.partition_point(|&y| y < x) as u64;
                    let there = indices.binary_search(&x).is_ok();
                    assert_eq!(file.rank(x).unwrap(), rank, "{x} of {count}");
                    assert_eq!(file.contains(x).unwrap(), there, "{x} of {count}");
                    assert_eq!(file.position(x).unwrap(), there.then_some(rank));
                }
            }
        }
    }
    let unsorted = folder.path().join("unsorted");
    write::<u32>(&unsorted, contents("KQvKR"), &[3, 1]).unwrap();
    let error = IndexFile::open(&unsorted)
        .unwrap()
        .contains(3)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("does not say that its indices are sorted"),
        "{error}"
    );
}

#[test]
fn dense_sets_take_few_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for (canonical, most) in [(true, 8.0), (false, 4.0)] {
        let material = "KQvKR".parse().unwrap();
        let mut all = Enumeration::<u32>::try_new(material, Numbering::Natural).unwrap();
        all = all.stage(Stage::Legal, Color::White);
        if canonical {
            all = all.canonical_only();
        }
        let (mut counts, mut indices) = (StageCounts::default(), Vec::new());
        for chunk in 0..all.chunk_count() {
            counts += all.chunk(chunk, &mut indices);
        }
        assert_eq!(counts.get(Stage::Legal), indices.len() as u128);
        let header = write_compact(
            &path,
            Contents {
                distinct: true,
                canonical,
                ..sorted(contents("KQvKR"))
            },
            &indices,
        )
        .unwrap();
        IndexFile::open(&path)
            .unwrap()
            .verify(1, unwatched)
            .unwrap();
        let bits = 8.0 * header.file_bytes() as f64 / header.count as f64;
        assert!(bits <= most, "{bits} bits an index");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn only_sorted_indices_are_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let error = write_compact::<u32>(&path, contents("KvK"), &[]).unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::CompactUnsorted));
    let error = write_compact::<u32>(&path, sorted(contents("KvK")), &[2, 1]).unwrap_err();
    assert!(matches!(
        error.kind(),
        StoreErrorKind::Order { position: 1, .. }
    ));
    assert_eq!(names(folder.path()), [""; 0]);
}

fn small_compact_file() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let mut indices = ascending(70, 12, 3);
    indices.dedup();
    let narrow: Vec<u32> = indices.iter().map(|&x| x as u32).collect();
    write_compact(
        &path,
        Contents {
            distinct: true,
            ..sorted(contents("KvK"))
        },
        &narrow,
    )
    .unwrap();
    fs::read(path).unwrap()
}

fn check(bytes: &[u8]) -> Result<(), StoreError> {
    let file = IndexFile::from_bytes("x.tbi", Aligned::new(bytes))?;
    let one = file.verify(1, unwatched).map_err(|error| error.to_string());
    let many = file.verify(2, unwatched).map_err(|error| error.to_string());
    assert_eq!(one, many);
    file.verify(1, unwatched).map(drop)
}

#[test]
fn every_flipped_bit_of_a_compact_file_is_found() {
    let good = small_compact_file();
    check(&good).unwrap();
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            assert!(check(&bad).is_err(), "bit {bit} of byte {at}");
        }
    }
    for length in 0..good.len() {
        assert!(
            IndexFile::from_bytes("x.tbi", &good[..length]).is_err(),
            "length {length}"
        );
    }
}

#[test]
fn what_is_checked_on_the_way_is_never_wrong() {
    let good = small_compact_file();
    let open = |bytes: &[u8]| IndexFile::from_bytes("x", Aligned::new(bytes));
    let file = open(&good).unwrap();
    let indices: Vec<u32> = read_all(&file);
    let asked: Vec<u64> = (0..4096).step_by(5).collect();
    let ranks: Vec<u64> = asked.iter().map(|&x| file.rank(x).unwrap()).collect();
    let mut refused = 0;
    for at in 256..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            let file = open(&bad).unwrap();
            let read: Result<Vec<u32>, _> = file.iter::<u32>().unwrap().collect();
            refused += usize::from(read.is_err());
            // What lies between payload and table is of no account here.
            assert!(
                read.is_err() || read.unwrap() == indices,
                "bit {bit} of byte {at}"
            );
            for (&x, &rank) in asked.iter().zip(&ranks) {
                let found = file.check_searched(x).and_then(|()| file.rank(x));
                assert!(
                    found.is_err() || found.unwrap() == rank,
                    "bit {bit} of byte {at}"
                );
            }
        }
    }
    let table = 32 * file.header().block_count as usize;
    assert!(refused >= 8 * table, "{refused}");
}

#[test]
fn every_flipped_bit_with_right_checksums_is_an_error_or_another_set() {
    let good = small_compact_file();
    assert_eq!(with_right_checksums(&good), good);
    for at in (0..252).chain(256..good.len()) {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            let bad = with_right_checksums(&bad);
            // What passes is a set that the file may hold: it is in order, and reads back.
            if check(&bad).is_ok() {
                let file = IndexFile::from_bytes("x", Aligned::new(&bad)).unwrap();
                let indices = read_all::<u32, _>(&file);
                assert_eq!(indices.len() as u64, file.header().count);
                assert!(!file.header().sorted || indices.is_sorted());
                assert!(indices.iter().all(|&x| x < 4096));
            }
        }
    }
}

#[test]
fn compact_blocks_that_lie_are_refused() {
    let good = small_compact_file();
    let table = good.len() - 32;
    let lies: &[(usize, &[u8], &str)] = &[
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
    for &(at, field, reason) in lies {
        let mut bytes = good.clone();
        bytes[at..at + field.len()].copy_from_slice(field);
        let error = check(&with_right_checksums(&bytes))
            .expect_err(reason)
            .to_string();
        assert!(error.contains(reason), "{error}: expected {reason}");
    }
}

#[test]
fn blocks_that_overlap_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    // Two blocks with the same bytes, so that either could stand for the other.
    write_compact::<u32>(&path, sorted(contents("KvK")), &[5; 2 * 16_384]).unwrap();
    let good = fs::read(&path).unwrap();
    check(&good).unwrap();
    let table = good.len() - 64;
    assert_eq!(good[table + 8..table + 32], good[table + 40..]);
    for (entry, from) in [(0, 32), (32, 0)] {
        let mut bytes = good.clone();
        bytes.copy_within(table + from..table + from + 8, table + entry);
        let error = check(&with_right_checksums(&bytes))
            .expect_err("overlapping blocks")
            .to_string();
        assert!(error.contains("says offset"), "{error}");
    }
}

#[test]
fn damage_is_located_whatever_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let indices: Vec<u32> = (0..900_000).collect();
    write(
        &path,
        Contents {
            distinct: true,
            ..sorted(contents("KQvKR"))
        },
        &indices,
    )
    .unwrap();
    let good = fs::read(&path).unwrap();
    for (damaged, block) in [
        (256 + 5, 0),
        (256 + (1 << 20) + 9, 1),
        (256 + (3 << 20) + 1000, 3),
    ] {
        for threads in [1, 2, 5] {
            let mut bad = good.clone();
            bad[damaged] ^= 16;
            // What comes later does not matter.
            bad[256 + 3_500_000] ^= 1;
            let file = IndexFile::from_bytes("x", Aligned::new(&bad)).unwrap();
            let error = file.verify(threads, unwatched).unwrap_err();
            match *error.kind() {
                StoreErrorKind::Checksum {
                    part: Part::Block(found),
                    start,
                    end,
                    ..
                } => {
                    assert_eq!(found, block);
                    assert!((start..end).contains(&(damaged as u64)));
                }
                _ => panic!("{error}"),
            }
        }
    }
}

#[test]
fn a_file_that_shrinks_under_plain_reads_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    write::<u32>(&path, contents("KQvKR"), &(0..500_000).collect::<Vec<_>>()).unwrap();
    let file = open_by(&path, Access::Read).unwrap();
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(1_500_000)
        .unwrap();
    let mut buffer = BlockBuffer::<u32>::new();
    // Its block table is gone.
    assert!(matches!(
        file.read_block(0, &mut buffer).unwrap_err().kind(),
        StoreErrorKind::Io { .. }
    ));
    assert!(matches!(
        file.verify(1, unwatched).unwrap_err().kind(),
        StoreErrorKind::Io { .. }
    ));
}

#[test]
fn one_reader_serves_many_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let indices: Vec<u32> = (0..400_000).map(|x| 3 * x).collect();
    write_compact(&path, sorted(contents("KQvKR")), &indices).unwrap();
    for access in [Access::Map, Access::Read] {
        let file = &open_by(&path, access).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                scope.spawn(move || {
                    for k in (thread..400_000).step_by(997) {
                        assert_eq!(file.position(3 * k).unwrap(), Some(k));
                        assert!(!file.contains(3 * k + 1).unwrap());
                    }
                });
            }
        });
    }
}
