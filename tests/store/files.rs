//! Index files: what is written reads back, damage is found, and nothing half-written is published.

use std::fs;
use std::path::PathBuf;

use tbindex::store::{
    Contents, Header, IndexFile, IndexWriter, Overwrite, Part, StoreError, StoreErrorKind,
    unwatched,
};
use tbindex::{Color, Equivalence, Group, Numbering};

use crate::aligned::Aligned;
use crate::checksums::forged as forged_throughout;
use crate::contents::{contents, write};
use crate::names::names;
use crate::opened::map;

/// Opens and verifies bytes.
fn check(bytes: &[u8]) -> Result<(), StoreError> {
    let file = IndexFile::from_bytes("x.tbi", Aligned::new(bytes))?;
    file.verify(1, unwatched).map(drop)
}

/// The smallest file with all that a file can have: the 10 classes of two kings that share a square.
fn small_file() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    let contents = contents("KvK").with_side(Some(Color::White)).reduced();
    let same = Equivalence::<u32>::of_material(contents.material, Numbering::Natural).unwrap();
    let indices: Vec<u32> = (0..4096)
        .filter(|&x| same.is_canonical(x) && same.layout().code(x, 0) == same.layout().code(x, 1))
        .collect();
    assert_eq!(indices.len(), 10);
    write(&path, contents, &indices).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn what_is_written_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    // Around the ends of blocks, of 262 144 and 131 072 items.
    for count in [0usize, 1, 131_071, 131_072, 262_144, 262_145, 600_000] {
        let path = folder.path().join(format!("{count}.tbi"));
        let indices: Vec<u32> = (0..count as u32).map(|x| x * 27).collect();
        let claims = Contents {
            sorted: true,
            distinct: true,
            ..contents("KQvKR")
        };
        let mut writer = IndexWriter::<u32>::create(&path, claims, Overwrite::Refuse).unwrap();
        for part in indices.chunks(100_001) {
            writer.write(part).unwrap();
        }
        assert_eq!(writer.count(), count as u64);
        let header = writer.finish().unwrap();
        let file = map(&path);
        assert_eq!(*file.header(), header);
        assert_eq!(file.indices::<u32>().unwrap(), indices);
        let report = file.verify(1, unwatched).unwrap();
        assert_eq!(report.count, count as u64);
        assert_eq!(report.bytes, fs::metadata(&path).unwrap().len());
        let last = indices.last().map(|&x| (0, u64::from(x)));
        assert_eq!(report.range, last);

        let path = folder.path().join(format!("{count}-wide.tbi"));
        let wide: Vec<u64> = indices.iter().rev().map(|&x| u64::from(x) << 34).collect();
        write(&path, contents("KQRBNvKQRBN"), &wide).unwrap();
        let file = map(&path);
        assert_eq!(file.indices::<u64>().unwrap(), wide);
        file.verify(1, unwatched).unwrap();
    }
}

#[test]
fn the_header_says_what_the_writer_was_told() {
    let folder = tempfile::tempdir().unwrap();
    for (k, material) in ["KvK", "KQvKR", "KRRvKP", "KPPPvKPPP", "KBvKNNNN"]
        .into_iter()
        .enumerate()
    {
        for numbering in Numbering::ALL {
            for side in [None, Some(Color::White), Some(Color::Black)] {
                let path = folder.path().join(format!("{k}-{numbering}-{side:?}.tbi"));
                let told = Contents {
                    numbering,
                    side,
                    sorted: k % 2 == 0,
                    ..contents(material)
                };
                match told.word_bits() {
                    32 => write::<u32>(&path, told, &[7]).unwrap(),
                    _ => write::<u64>(&path, told, &[7]).unwrap(),
                };
                let header = *IndexFile::open(&path).unwrap().header();
                assert_eq!(header.contents(), told);
                assert_eq!(header.group, told.material.group());
                assert_eq!(header.count, 1);
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
    };
    let sorted = Contents {
        sorted: true,
        ..contents("KvK")
    };
    let distinct = Contents {
        distinct: true,
        ..sorted
    };
    refused(
        write::<u64>(&path, contents("KvK"), &[]),
        "64-bit words were asked for",
    );
    refused(
        write::<u128>(&path, contents("KQvKR"), &[]),
        "takes words of 32 bits",
    );
    refused(
        write::<u64>(&path, contents("KQQQQQvKRRRRR"), &[]),
        "at most 10 pieces",
    );
    refused(
        write::<u32>(
            &path,
            Contents {
                distinct: true,
                ..contents("KvK")
            },
            &[],
        ),
        "must say that they are sorted",
    );
    refused(
        write::<u32>(&path, contents("KvK"), &[0, 0o7777, 0o1_0000]),
        "index 0o10000 at position 2 is out of range: 2 pieces have indices below 0o10000",
    );
    refused(
        write::<u32>(&path, sorted, &[3, 4, 4, 2]),
        "index 0o2 at position 3 comes after 0o4",
    );
    refused(
        write::<u32>(&path, distinct, &[3, 4, 4, 2]),
        "index 0o4 at position 2 comes after 0o4: the file says its indices are sorted and distinct",
    );
    let mut writer = IndexWriter::<u32>::create(&path, distinct, Overwrite::Refuse).unwrap();
    writer.write(&[1, 2, 3]).unwrap();
    let error = writer.write(&[3, 9]).unwrap_err().to_string();
    assert!(
        error.contains("index 0o3 at position 3 comes after 0o3"),
        "{error}"
    );
    drop(writer);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn an_unfinished_writer_leaves_nothing_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    let mut writer = IndexWriter::<u32>::create(&path, contents("KvK"), Overwrite::Refuse).unwrap();
    writer.write(&[1]).unwrap();
    assert_eq!(names(folder.path()), [".x.tbi.partial"]);
    drop(writer);
    assert_eq!(names(folder.path()), [""; 0]);

    write::<u32>(&path, contents("KvK"), &[5]).unwrap();
    let mut writer =
        IndexWriter::<u32>::create(&path, contents("KvK"), Overwrite::Replace).unwrap();
    writer.write(&[6]).unwrap();
    let before = map(&path);
    drop(writer);
    assert_eq!(names(folder.path()), ["x.tbi"]);

    let mut writer =
        IndexWriter::<u32>::create(&path, contents("KvK"), Overwrite::Replace).unwrap();
    writer.write(&[7]).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        before.indices::<u32>().unwrap(),
        [5],
        "a reader keeps what it opened"
    );
    assert_eq!(map(&path).indices::<u32>().unwrap(), [7]);
    assert_eq!(names(folder.path()), ["x.tbi"]);
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    let writer = IndexWriter::<u32>::create(&path, contents("KvK"), Overwrite::Refuse).unwrap();
    // One that appears while the writer is at work counts, too.
    fs::write(&path, "someone else's").unwrap();
    assert!(matches!(
        writer.finish().unwrap_err().kind(),
        StoreErrorKind::Exists
    ));
    let error = write::<u32>(&path, contents("KvK"), &[]).unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Exists));
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
        let writer = IndexWriter::<u32>::create(&path, contents("KvK"), Overwrite::Replace);
        let header = writer.unwrap().finish().unwrap();
        assert_eq!(header.count, 0);
        let found = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{found:o}: expected {mode:o}");
        assert_eq!(IndexFile::open(&path).unwrap().header().count, 0);
    }
}

#[test]
fn a_second_writer_is_refused_and_a_dead_one_is_not_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    // What a killed writer leaves: a partial file that nobody has locked.
    fs::write(folder.path().join(".x.tbi.partial"), [9u8; 5000]).unwrap();
    let mut first = IndexWriter::<u32>::create(&path, contents("KvK"), Overwrite::Refuse).unwrap();
    first.write(&[1]).unwrap();
    let second =
        IndexWriter::<u32>::create(&path, contents("KvK"), Overwrite::Replace).unwrap_err();
    assert!(
        matches!(second.kind(), StoreErrorKind::Busy { .. }),
        "{second}"
    );
    assert_eq!(
        names(folder.path()),
        [".x.tbi.partial"],
        "the refused one left the other's alone"
    );
    first.finish().unwrap();
    assert_eq!(
        IndexFile::open(&path)
            .unwrap()
            .verify(1, unwatched)
            .unwrap()
            .count,
        1
    );
    assert_eq!(names(folder.path()), ["x.tbi"]);
}

#[test]
fn many_writers_on_one_target_publish_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    std::thread::scope(|scope| {
        for k in 0..8u32 {
            let path = &path;
            scope.spawn(move || {
                let mut turns = 0;
                while turns < 10 {
                    let created =
                        IndexWriter::<u32>::create(path, contents("KvK"), Overwrite::Replace);
                    match created {
                        Ok(mut writer) => {
                            turns += 1;
                            writer.write(&vec![k; 1 + k as usize]).unwrap();
                            if k % 2 == 0 {
                                writer.finish().unwrap();
                            }
                        }
                        Err(error) => match error.kind() {
                            StoreErrorKind::Busy { .. } => std::thread::yield_now(),
                            _ => panic!("{error}"),
                        },
                    }
                }
            });
        }
    });
    let file = map(&path);
    file.verify(1, unwatched).unwrap();
    let indices = file.indices::<u32>().unwrap();
    assert_eq!(indices.len() as u32, indices[0] + 1);
    assert_eq!(names(folder.path()), ["x.tbi"]);
}

#[test]
fn every_flipped_bit_is_found() {
    let good = small_file();
    check(&good).unwrap();
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            let error = check(&bad).expect_err("a flipped bit was not found");
            let text = error.to_string();
            assert!(text.starts_with("x.tbi: "), "byte {at}: {text}");
            // The error says where.
            let place = match *error.kind() {
                StoreErrorKind::NotAnIndexFile { .. } => 0..8,
                StoreErrorKind::Version { .. } => 8..10,
                StoreErrorKind::Checksum { start, end, .. } => start as usize..end as usize,
                StoreErrorKind::Padding { offset, .. } => offset as usize..offset as usize + 1,
                _ => panic!("byte {at}: {error}"),
            };
            assert!(place.contains(&at), "byte {at}: {text}");
        }
    }
}

#[test]
fn every_other_length_is_refused_when_opening() {
    let good = small_file();
    for length in 0..good.len() {
        let error =
            IndexFile::from_bytes("x.tbi", &good[..length]).expect_err("a shorter file was opened");
        let said = match *error.kind() {
            StoreErrorKind::NotAnIndexFile { .. } => length < 8,
            StoreErrorKind::Length { found, .. } => found == length as u64,
            // A count that is beyond what can be in so short a file.
            StoreErrorKind::Field {
                part: Part::Header,
                field: "count",
                ..
            } => length < 266,
            _ => false,
        };
        assert!(said, "length {length}: {error}");
    }
    for more in [1, 8, 32, 4096] {
        let mut long = good.clone();
        long.resize(good.len() + more, 0);
        let error = IndexFile::from_bytes("x.tbi", &long).expect_err("a longer file was opened");
        assert!(
            matches!(error.kind(), StoreErrorKind::Length { .. }),
            "{error}"
        );
    }
}

/// The small file with some of its header replaced and the header's checksum made right again.
fn forged(at: usize, field: &[u8]) -> Vec<u8> {
    let mut bytes = small_file();
    bytes[at..at + field.len()].copy_from_slice(field);
    let checksum = crc32fast::hash(&bytes[..252]);
    bytes[252..256].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn headers_that_lie_are_refused() {
    check(&forged(0, &[])).unwrap();
    let huge = u64::MAX.to_le_bytes();
    let lies: &[(usize, &[u8], &str)] = &[
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
        (40, &9u64.to_le_bytes(), "payload length 40: expected 36"),
        (48, &0u64.to_le_bytes(), "payload offset 0: expected 256"),
        (48, &huge, "payload offset 18446744073709551615"),
        (
            56,
            &huge,
            "payload length 18446744073709551615: expected 40",
        ),
        (64, &huge, "table offset 18446744073709551615: expected 320"),
        (72, &huge, "block count 18446744073709551615: expected 1"),
        (80, &0u32.to_le_bytes(), "block items 0: expected 262144"),
        (88, &[1], "byte 88 is 0x01"),
        (251, &[1], "byte 251 is 0x01"),
    ];
    for &(at, field, reason) in lies {
        let error = IndexFile::from_bytes("x.tbi", forged(at, field)).expect_err(reason);
        assert!(
            error.to_string().contains(reason),
            "{error}: expected {reason}"
        );
    }
}

#[test]
fn verify_sees_through_lies_with_right_checksums() {
    check(&forged_throughout(&small_file(), 0, &[])).unwrap();
    let lies: &[(usize, &[u8], &str)] = &[
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
    for &(at, field, reason) in lies {
        let bytes = forged_throughout(&small_file(), at, field);
        let error = check(&bytes).expect_err(reason);
        assert!(
            error.to_string().contains(reason),
            "{error}: expected {reason}"
        );
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = IndexFile::open(folder.path().join("none.tbi")).unwrap_err();
    assert!(
        missing
            .to_string()
            .contains("none.tbi: can't open the file"),
        "{missing}"
    );
    let directory = IndexFile::open(folder.path()).unwrap_err();
    assert!(
        matches!(directory.kind(), StoreErrorKind::NotAFile { .. }),
        "{directory}"
    );
    for text in ["", "8/8/2k5/1r6/8/8/8/2KQ4 b - -\n", "\u{89}TBI"] {
        let path: PathBuf = folder.path().join("x.tbi");
        fs::write(&path, text).unwrap();
        let error = IndexFile::open(&path).unwrap_err();
        assert!(
            matches!(error.kind(), StoreErrorKind::NotAnIndexFile { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("not an index file"), "{error}");
    }
}

#[test]
fn bytes_at_odd_addresses_are_refused_not_copied() {
    let small = small_file();
    let mut words = vec![0u64; small.len() / 8 + 2];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    for start in 0..=8 {
        let bytes = &mut bytes[start..][..small.len()];
        bytes.copy_from_slice(&small);
        let file = IndexFile::from_bytes("x.tbi", &*bytes).unwrap();
        match file.indices::<u32>() {
            Ok(indices) => assert!(start % 4 == 0 && indices.len() == 10),
            Err(error) => {
                assert!(
                    matches!(error.kind(), StoreErrorKind::Misaligned { expected: 4 }),
                    "{error}"
                );
                assert_ne!(start % 4, 0);
            }
        }
    }
}

#[test]
fn verification_ends_when_the_watch_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.tbi");
    write(&path, contents("KQvKR"), &vec![0u32; 1 << 20]).unwrap();
    let file = IndexFile::open(&path).unwrap();
    // With several threads, the others may have done all of it before this one asks a second time.
    for (threads, end_at) in [(1, 2), (3, 1)] {
        let mut seen = Vec::new();
        let ended = file.verify(threads, |progress| {
            assert_eq!(progress.total, Some(file.header().file_bytes()));
            seen.push(progress.done);
            match seen.len() == end_at {
                true => Err(StoreError::cancelled()),
                false => Ok(()),
            }
        });
        let error = ended.unwrap_err();
        assert!(matches!(error.kind(), StoreErrorKind::Cancelled));
        assert!(seen.len() == end_at && seen.is_sorted());
    }
    let report = file.verify(1, unwatched).unwrap();
    assert_eq!(report, file.verify(3, unwatched).unwrap());
}
