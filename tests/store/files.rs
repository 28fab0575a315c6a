//! Index files, plain and compressed: what is written reads back, damage is found, and nothing half-written is published.

use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tbindex::batch::{Backend, BatchWord};
use tbindex::store::{
    Contents, FileWord, Header, IndexFile, IndexWriter, Overwrite, Part, StoreError,
    StoreErrorKind, Target, unwatched,
};
use tbindex::{Color, Enumeration, Equivalence, Group, Numbering, Stage, Word};

use super::opened::{WAYS, map, of_bytes, read};
use crate::laws::files::{Aligned, opening_is_safe};
use crate::support::checksums::{forged, with_right_checksums};
use crate::support::contents::{contents, create, distinct, sorted, write, write_compact};
use crate::support::names::names;
use crate::support::random::Random;

/// Opens and verifies bytes.
fn check(bytes: &[u8]) -> Result<(), StoreError> {
    let file = of_bytes(Aligned::new(bytes))?;
    let one = file.verify(1, unwatched).map_err(|error| error.to_string());
    let many = file.verify(2, unwatched).map_err(|error| error.to_string());
    assert_eq!(one, many);
    file.verify(1, unwatched).map(drop)
}

/// The bytes of a file.
fn bytes_of<W: BatchWord>(
    write: fn(&Path, Contents, &[W]) -> Result<Header, StoreError>,
    contents: Contents,
    indices: &[W],
) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    write(&path, contents, indices).unwrap();
    fs::read(path).unwrap()
}

/// The smallest file with all that a plain file can have: the 10 classes of two kings that share a square.
fn small_file() -> Vec<u8> {
    let contents = contents("KvK").with_side(Some(Color::White)).reduced();
    let same = Equivalence::<u32>::try_new(contents.material, Numbering::Natural).unwrap();
    let layout = same.layout();
    let shared = |&x: &u32| same.is_canonical(x) && layout.square(x, 0) == layout.square(x, 1);
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

/// Ascending indices of `bits` bits, some of them twice.
fn ascending<W: Word>(count: usize, bits: u32, seed: u64) -> Vec<W> {
    let mut indices: Vec<u64> = Random::new(seed).numbers(count, bits);
    for k in (1..count).step_by(7) {
        indices[k] = indices[k - 1];
    }
    indices.sort_unstable();
    indices.into_iter().map(|x| W::truncate(x.into())).collect()
}

/// All indices of a file, read in every way.
fn read_all<W: Word>(file: &IndexFile) -> Vec<W> {
    let count = file.header().count as usize;
    let mut all = vec![W::ZERO; count];
    file.read_into(0, &mut all).unwrap();
    // From within a block to within another one.
    let part = count / 3..count - count / 5;
    let mut again = vec![W::ZERO; part.len()];
    file.read_into(part.start as u64, &mut again).unwrap();
    assert!(again == all[part]);
    let iterated: Result<Vec<W>, StoreError> = file.iter().unwrap().collect();
    assert!(iterated.unwrap() == all);
    all
}

fn reads_back<W: BatchWord>(told: Contents, indices: &[W], compact: bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let write = if compact { write_compact } else { write };
    let header = write(&path, told, indices).unwrap();
    assert_eq!((header.compact, header.contents), (compact, told));
    assert_eq!(header.file_bytes(), fs::metadata(&path).unwrap().len());
    for open in WAYS {
        let file = open(&path).unwrap();
        assert_eq!(*file.header(), header);
        let range = file.verify(1, unwatched).unwrap();
        assert_eq!(range, file.verify(3, unwatched).unwrap());
        let ends = indices.iter().min().zip(indices.iter().max());
        assert_eq!(range, ends.map(|(a, b)| (a.to_u64(), b.to_u64())));
        assert_eq!(header.count, indices.len() as u64);
        assert!(read_all::<W>(&file) == indices);
    }
    match map(&path).indices::<W>() {
        Ok(mapped) => assert!(!compact && mapped == indices),
        Err(error) => assert!(compact && error.kind() == StoreErrorKind::Unsuitable),
    }
    assert!(
        read(&path).unwrap().indices::<W>().is_err(),
        "it is not mapped"
    );
}

#[test]
fn what_is_written_reads_back_in_every_way() {
    // Around the ends of blocks, of 16 384 compressed indices and of 262 144 or 131 072 plain ones.
    let compact = [0, 1, 2, 16_383, 16_384, 16_385, 100_000];
    let plain = [0, 1, 131_071, 131_072, 262_144, 262_145, 600_000];
    for (count, is_compact) in
        (compact.map(|n| (n, true)).into_iter()).chain(plain.map(|n| (n, false)))
    {
        for (material, bits) in [("KQvKR", 24), ("KQRvKR", 30)] {
            let indices: Vec<u32> = ascending(count, bits, 1);
            reads_back(sorted(material), &indices, is_compact);
        }
        for (material, bits) in [("KQRvKRN", 36), ("KQRBNvKQRBN", 60)] {
            let mut indices: Vec<u64> = ascending(count, bits, 1);
            reads_back(sorted(material), &indices, is_compact);
            if !is_compact {
                indices.reverse();
                reads_back(contents(material), &indices, false);
            }
        }
    }
}

#[test]
fn the_header_says_what_the_writer_was_told() {
    for material in ["KvK", "KQvKR", "KRRvKP", "KPPPvKPPP", "KBvKNNNN"] {
        for numbering in Numbering::ALL {
            for side in [None, Some(Color::White), Some(Color::Black)] {
                let told = Contents {
                    numbering,
                    side,
                    ..sorted(material)
                };
                let bytes = match told.word() {
                    FileWord::U32 => bytes_of::<u32>(write, told, &[7]),
                    FileWord::U64 => bytes_of::<u64>(write, told, &[7]),
                };
                let file = of_bytes(Aligned::new(&bytes)).unwrap();
                let header = file.header();
                assert_eq!((header.contents, header.count), (told, 1));
                assert_eq!(header.contents.material.group(), told.material.group());
            }
        }
    }
    assert_eq!(contents("KRRvKP").material.group(), Group::FileMirror);
}

#[test]
fn what_does_not_belong_into_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    let refused = |result: Result<Header, StoreError>, reason: &str| {
        let error = result.unwrap_err();
        assert_eq!(error.path(), Some(path.as_path()));
        let text = error.to_string();
        assert!(text.contains("x.tbi: ") && text.contains(reason), "{text}");
        assert_eq!(names(folder.path()), [""; 0]);
    };
    let kings = contents("KvK");
    refused(
        write::<u64>(&path, kings, &[]),
        "64-bit words were asked for: this file's material takes words of 32 bits",
    );
    refused(
        write::<u64>(&path, contents("KQQQQQvKRRRRR"), &[]),
        "at most 10 pieces",
    );
    let unsorted = Contents {
        sorted: false,
        ..distinct("KvK")
    };
    refused(
        write::<u32>(&path, unsorted, &[]),
        "must say that they are sorted",
    );
    refused(
        write::<u32>(&path, kings, &[0, 0o7777, 0o1_0000]),
        "index 0o10000 at position 2 is out of range: 2 pieces have indices below 0o10000",
    );
    refused(
        write::<u32>(&path, sorted("KvK"), &[3, 4, 4, 2]),
        "index 0o2 at position 3 comes after 0o4",
    );
    refused(
        write::<u32>(&path, distinct("KvK"), &[3, 4, 4, 2]),
        "index 0o4 at position 2 comes after 0o4: the file says its indices are sorted and distinct",
    );
    let error = write_compact::<u32>(&path, kings, &[]).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Unsuitable);
    refused(
        write_compact::<u32>(&path, sorted("KvK"), &[2, 1]),
        "index 0o1 at position 1 comes after 0o2",
    );
    let mut writer = IndexWriter::<u32>::create(
        &Target::plain(&path, Overwrite::Refuse),
        distinct("KvK"),
        Backend::detect(),
    )
    .unwrap();
    writer.write(&[1, 2, 3]).unwrap();
    let error = writer.write(&[3, 9]).unwrap_err().to_string();
    let reason = "index 0o3 at position 3 comes after 0o3";
    assert!(error.contains(reason), "{error}");
    // Nothing is finished after an error.
    writer.write(&[4]).unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Unfinished);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn an_unfinished_writer_leaves_nothing_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    let mut writer = create(&path, Overwrite::Refuse).unwrap();
    writer.write(&[1]).unwrap();
    assert_eq!(names(folder.path()), [".x.tbi.partial"]);
    drop(writer);
    assert_eq!(names(folder.path()), [""; 0]);

    write::<u32>(&path, contents("KvK"), &[5]).unwrap();
    let mut writer = create(&path, Overwrite::Replace).unwrap();
    writer.write(&[6]).unwrap();
    let before = map(&path);
    drop(writer);
    assert_eq!(names(folder.path()), ["x.tbi"]);

    write::<u32>(&path, contents("KvK"), &[7]).unwrap();
    let kept = before.indices::<u32>().unwrap();
    assert_eq!(kept, [5], "a reader keeps what it opened");
    assert_eq!(map(&path).indices::<u32>().unwrap(), [7]);
    assert_eq!(names(folder.path()), ["x.tbi"]);
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    let writer = create(&path, Overwrite::Refuse).unwrap();
    // One that appears while the writer is at work counts, too.
    fs::write(&path, "someone else's").unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Exists);
    let error = create(&path, Overwrite::Refuse).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Exists);
    assert_eq!(fs::read(&path).unwrap(), b"someone else's");
    assert_eq!(names(folder.path()), ["x.tbi"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_leaves_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    write::<u32>(&path, contents("KvK"), &[1]).unwrap();
    for mode in [0o600, 0o640, 0o444] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let header = write::<u32>(&path, contents("KvK"), &[]).unwrap();
        assert_eq!(header.count, 0);
        let found = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{found:o}: expected {mode:o}");
        assert_eq!(read(&path).unwrap().header().count, 0);
    }
}

#[test]
fn a_second_writer_is_refused_and_a_dead_one_is_not_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    // What a killed writer leaves: a partial file that nobody has locked.
    fs::write(folder.path().join(".x.tbi.partial"), [9u8; 5000]).unwrap();
    let mut first = create(&path, Overwrite::Refuse).unwrap();
    first.write(&[1]).unwrap();
    let second = create(&path, Overwrite::Replace).unwrap_err();
    assert_eq!(second.kind(), StoreErrorKind::Busy, "{second}");
    // The refused one left the other's alone.
    assert_eq!(names(folder.path()), [".x.tbi.partial"]);
    first.finish().unwrap();
    let report = read(&path).unwrap().verify(1, unwatched);
    assert_eq!(report.unwrap(), Some((1, 1)));
    assert_eq!(names(folder.path()), ["x.tbi"]);
}

#[test]
fn many_writers_on_one_target_publish_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("x.tbi");
    std::thread::scope(|scope| {
        for k in 0..8u32 {
            scope.spawn(move || {
                let mut turns = 0;
                while turns < 10 {
                    match create(path, Overwrite::Replace) {
                        Ok(mut writer) => {
                            turns += 1;
                            writer.write(&vec![k; 1 + k as usize]).unwrap();
                            if k % 2 == 0 {
                                writer.finish().unwrap();
                            }
                        }
                        Err(error) => match error.kind() {
                            StoreErrorKind::Busy => std::thread::yield_now(),
                            _ => panic!("{error}"),
                        },
                    }
                }
            });
        }
    });
    let file = map(path);
    file.verify(1, unwatched).unwrap();
    let indices = file.indices::<u32>().unwrap();
    assert_eq!(indices.len() as u32, indices[0] + 1);
    assert_eq!(names(folder.path()), ["x.tbi"]);
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
            assert_eq!(error.kind(), StoreErrorKind::Damaged, "byte {at}: {text}");
            let (start, end) = error.place().bytes.expect(&text);
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
    let indices: Vec<u32> = read_all(&file);
    let asked = (0..4096).step_by(5);
    let asked: Vec<(u64, Result<u64, u64>)> = asked.map(|x| (x, file.search(x).unwrap())).collect();
    let mut refused = 0;
    for_each_flipped_bit(&good, 256..good.len(), |at, bad| {
        let file = open(bad);
        let read: Result<Vec<u32>, _> = file.iter::<u32>().unwrap().collect();
        refused += usize::from(read.is_err());
        // What lies between payload and table is of no account here.
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
            assert_eq!(error.kind(), StoreErrorKind::Damaged);
            let text = error.message();
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
            let is_told = error.message().starts_with("the file is");
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
            "comes after 0o0: the file says its indices are sorted and distinct",
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
            let text = error.to_string();
            assert!(text.contains(reason), "{text}: expected {reason}");
        }
    }
    // What is wrong with a header is said before anything else is read.
    for &(at, field, reason) in headers {
        let lie = forged(small, at, field);
        of_bytes(lie).expect_err(reason);
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
        let error = error.expect_err("overlapping blocks").to_string();
        assert!(error.contains("says offset"), "{error}");
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
            // What comes later does not matter.
            bad[256 + 3_500_000] ^= 1;
            let file = of_bytes(Aligned::new(&bad)).unwrap();
            let error = file.verify(threads, unwatched).unwrap_err();
            let place = error.place();
            assert_eq!(place.part, Some(Part::Block(block)), "{error}");
            let (start, end) = place.bytes.unwrap();
            assert!((start..end).contains(&(damaged as u64)));
        }
    }
}

#[test]
fn searches_agree_with_a_look_through_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for (count, bits) in [
        (0, 24),
        (1, 24),
        (700, 11),
        (5000, 24),
        (300_000, 24),
        (300_000, 18),
    ] {
        let indices: Vec<u32> = ascending(count, bits, 77);
        let around = |&x: &u32| [x.saturating_sub(1), x, x + 1].map(u64::from);
        let mut questions: Vec<u64> = Random::new(5).numbers(300, bits);
        let some = indices.iter().step_by(1 + count / 300);
        questions.extend(some.flat_map(around));
        questions.extend([0, 1, (1 << 24) - 1, 1 << 40, u64::MAX]);
        // Where a block ends and the next begins.
        for edge in [16_384, 262_144] {
            let ends = indices.get(edge - 1..=edge).into_iter().flatten();
            questions.extend(ends.flat_map(around));
        }
        for write in [write, write_compact] {
            write(&path, sorted("KQvKR"), &indices).unwrap();
            for open in WAYS {
                let file = open(&path).unwrap();
                let asked = questions.iter().filter_map(|&x| u32::try_from(x).ok());
                let asked: Vec<u32> = asked.collect();
                for asked in [&asked[..], &asked[..7], &[]] {
                    let mut found = vec![Ok(7); asked.len()];
                    file.search_into(asked, &mut found).unwrap();
                    for (&x, found) in asked.iter().zip(found) {
                        assert_eq!(found, file.search(x.into()).unwrap(), "{x} of {count}");
                    }
                }
                for &x in &questions {
                    let rank = indices.partition_point(|&y| u64::from(y) < x);
                    let there = indices.get(rank).is_some_and(|&y| u64::from(y) == x);
                    let expected = there.then_some(rank as u64).ok_or(rank as u64);
                    assert_eq!(file.search(x).unwrap(), expected, "{x} of {count}");
                }
            }
        }
    }
    write::<u32>(&path, contents("KQvKR"), &[3, 1]).unwrap();
    let error = read(&path).unwrap().search(3).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("does not say that its indices are sorted"),
        "{text}"
    );
}

#[test]
fn one_reader_serves_many_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let indices: Vec<u32> = (0..400_000).map(|x| 3 * x).collect();
    write_compact(&path, sorted("KQvKR"), &indices).unwrap();
    for open in WAYS {
        let file = &open(&path).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                scope.spawn(move || {
                    for k in (thread..400_000).step_by(997) {
                        assert_eq!(file.search(3 * k).unwrap(), Ok(k));
                        assert_eq!(file.search(3 * k + 1).unwrap(), Err(k + 1));
                    }
                });
            }
        });
    }
}

#[test]
fn dense_sets_take_few_bits() {
    for (canonical, most) in [(true, 8.0), (false, 4.0)] {
        let material = "KQvKR".parse().unwrap();
        let mut all = Enumeration::<u32>::try_new(material, Numbering::Natural).unwrap();
        all = all.stage(Stage::Legal, Color::White);
        if canonical {
            all = all.canonical_only();
        }
        let mut indices = Vec::new();
        for chunk in 0..all.chunk_count() {
            all.chunk(chunk, &mut indices);
        }
        let told = Contents {
            canonical,
            ..distinct("KQvKR")
        };
        let bytes = bytes_of(write_compact, told, &indices);
        check(&bytes).unwrap();
        let bits = 8.0 * bytes.len() as f64 / indices.len() as f64;
        assert!(bits <= most, "{bits} bits an index");
    }
}

/// Compressed random sets take less than a bit more than the least that they need.
#[test]
fn random_sets_take_about_their_entropy() {
    let mut indices: Vec<u32> = Random::new(9).numbers(1_000_000, 30);
    indices.sort_unstable();
    indices.dedup();
    let bytes = bytes_of(write_compact, distinct("KQRvKR"), &indices);
    let entropy = (std::f64::consts::E * 2f64.powi(30) / indices.len() as f64).log2();
    let bits = 8.0 * bytes.len() as f64 / indices.len() as f64;
    assert!(bits < entropy + 1.0, "{bits} bits, entropy {entropy}");
}

#[test]
fn a_file_that_shrinks_under_plain_reads_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    write::<u32>(&path, contents("KQvKR"), &(0..500_000).collect::<Vec<_>>()).unwrap();
    let file = read(&path).unwrap();
    let other = fs::OpenOptions::new().write(true).open(&path).unwrap();
    other.set_len(1_500_000).unwrap();
    // Its block table is gone.
    let error = file.read_into(0, &mut [0u32]).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Io);
    assert!(error.source().is_some());
    let error = file.verify(1, unwatched).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Io);
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = read(&folder.path().join("none.tbi")).unwrap_err();
    let text = missing.to_string();
    assert!(text.contains("none.tbi: can't open the file"), "{text}");
    for text in ["", "8/8/2k5/1r6/8/8/8/2KQ4 b - -\n", "\u{89}TBI"] {
        let path: PathBuf = folder.path().join("x.tbi");
        fs::write(&path, text).unwrap();
        let error = read(&path).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Damaged);
        assert!(error.to_string().contains("not an index file"), "{error}");
    }
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
        let is_aligned = start % 4 == 0;
        assert_eq!(file.indices::<u32>().is_ok(), is_aligned);
        assert_eq!(file.read_into(0, &mut [0u32; 10]).is_ok(), is_aligned);
    }
}
