//! Index files, plain and compressed: what is written reads back and is found, and nothing half-written is published.

use std::fs;
use std::io::{Seek, SeekFrom, Write};

use tbindex::batch::Backend;
use tbindex::store::{
    Contents, IndexFile, IndexWriter, Overwrite, PartialFile, StoreError, StoreErrorKind,
    StoredWord, Target, unwatched,
};
use tbindex::{Color, Numbering, Stage};

use crate::laws::files::Aligned;
use crate::support::contents::{
    bytes_of, contents, create, distinct, sorted, write, write_compact,
};
use crate::support::counts::enumerated;
use crate::support::folder::Folder;
use crate::support::opened::{WAYS, map, of_bytes, read, words};
use crate::support::random::Random;
use crate::support::says::says;

/// Ascending indices of `bits` bits, some of them twice.
pub(crate) fn ascending<W: StoredWord + TryFrom<u64>>(
    count: usize,
    bits: u32,
    seed: u64,
) -> Vec<W> {
    let mut indices = Random::new(seed).numbers(count, bits);
    for k in (1..count).step_by(7) {
        indices[k] = indices[k - 1];
    }
    indices.sort_unstable();
    indices
}

/// All indices of a file, read in every way.
fn read_all<W: StoredWord>(file: &IndexFile) -> Vec<W> {
    let (count, reader) = (file.header().count as usize, file.reader().unwrap());
    let mut all = vec![W::ZERO; count];
    reader.read_into(0, &mut all).unwrap();
    // From within a block to within another one.
    let part = count / 3..count - count / 5;
    let mut again = vec![W::ZERO; part.len()];
    reader.read_into(part.start as u64, &mut again).unwrap();
    assert!(again == all[part]);
    let iterated: Result<Vec<W>, StoreError> = reader.iter().collect();
    assert!(iterated.unwrap() == all);
    all
}

fn reads_back<W: StoredWord>(told: Contents, indices: &[W], compact: bool) {
    let folder = Folder::new();
    let path = folder.path("x");
    let write = if compact { write_compact } else { write };
    let header = write(&path, told, indices).unwrap();
    assert_eq!((header.compact, header.contents), (compact, told));
    assert_eq!(header.file_bytes(), fs::metadata(&path).unwrap().len());
    for open in WAYS {
        let file = open(&path).unwrap();
        assert_eq!(*file.header(), header);
        let range = file.verify(1, &mut unwatched).unwrap();
        assert_eq!(range, file.verify(3, &mut unwatched).unwrap());
        let ends = indices.iter().min().zip(indices.iter().max());
        assert_eq!(range, ends.map(|(a, b)| (a.to_u64(), b.to_u64())));
        assert_eq!(header.count, indices.len() as u64);
        assert!(read_all::<W>(&file) == indices);
    }
    match map(&path).reader::<W>().unwrap().indices() {
        Ok(mapped) => assert!(!compact && mapped == indices),
        Err(error) => assert!(compact && error.kind == StoreErrorKind::Unsuitable),
    }
    let unmapped = read(&path).unwrap();
    assert!(unmapped.reader::<W>().unwrap().indices().is_err());
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

/// The least and the greatest numbers, few different ones, and gaps of every size.
#[test]
fn extreme_compressed_blocks_read_back() {
    let greatest = (1 << 60) - 1;
    let cubes = (0..300).map(|x: u64| (x * x * x) << 30);
    for indices in [
        vec![0],
        vec![greatest],
        vec![0, greatest],
        vec![5; 300],
        (0..300).collect(),
        (0..300).map(|x| x * 64).collect(),
        cubes.collect(),
    ] {
        let told = sorted("KQRBNvKQRBN");
        reads_back(told, &indices, true);
        let bytes = bytes_of(write_compact, told, &indices);
        let file = of_bytes(Aligned::new(&bytes)).unwrap();
        for &index in &indices {
            for x in [index.saturating_sub(1), index, index + 1, index << 1] {
                let rank = indices.partition_point(|&y| y < x) as u64;
                let there = indices.contains(&x);
                let expected = there.then_some(rank).ok_or(rank);
                assert_eq!(file.search(x).unwrap(), expected, "{x}");
            }
        }
    }
}

#[test]
fn what_does_not_belong_into_a_file_is_refused() {
    let folder = Folder::new();
    let path = &folder.path("x.tbi");
    let kings = contents("KvK");
    let unsorted = Contents {
        sorted: false,
        ..distinct("KvK")
    };
    for (result, reason) in [
        (
            write::<u64>(path, kings, &[]),
            "64-bit words were asked for: this file's material takes words of 32 bits",
        ),
        (
            write::<u64>(path, contents("KQQQQQvKRRRRR"), &[]),
            "at most 10 pieces",
        ),
        (
            write::<u32>(path, unsorted, &[]),
            "must say that they are sorted",
        ),
        (
            write::<u32>(path, kings, &[0, 0o7777, 0o1_0000]),
            "index 0o10000 at position 2 is out of range: 2 pieces have indices below 0o10000",
        ),
        (
            write::<u32>(path, sorted("KvK"), &[3, 4, 4, 2]),
            "index 0o2 at position 3 comes after 0o4",
        ),
        (
            write::<u32>(path, distinct("KvK"), &[3, 4, 4, 2]),
            "index 0o4 at position 2 comes after 0o4: expected sorted and distinct indices",
        ),
        (write_compact::<u32>(path, kings, &[]), "sorted"),
        (
            write_compact::<u32>(path, sorted("KvK"), &[2, 1]),
            "index 0o1 at position 1 comes after 0o2",
        ),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.path.as_deref(), Some(path.as_path()));
        says(error, &["x.tbi: ", reason]);
        assert_eq!(folder.names(), [""; 0]);
    }
    let target = Target::plain(path, Overwrite::Refuse);
    let mut writer =
        IndexWriter::<u32>::create(&target, distinct("KvK"), Backend::detect()).unwrap();
    writer.write(&[1, 2, 3]).unwrap();
    let error = writer.write(&[3, 9]).unwrap_err();
    says(error, &["index 0o3 at position 3 comes after 0o3"]);
    // Nothing is finished after an error.
    writer.write(&[4]).unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Unfinished);
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn an_unfinished_writer_leaves_nothing_and_changes_nothing() {
    let folder = Folder::new();
    let path = folder.path("x.tbi");
    let mut writer = create(&path, Overwrite::Refuse).unwrap();
    writer.write(&[1]).unwrap();
    assert_eq!(folder.names(), [".x.tbi.partial"]);
    drop(writer);
    assert_eq!(folder.names(), [""; 0]);

    write::<u32>(&path, contents("KvK"), &[5]).unwrap();
    let mut writer = create(&path, Overwrite::Replace).unwrap();
    writer.write(&[6]).unwrap();
    let before = map(&path);
    drop(writer);
    assert_eq!(folder.names(), ["x.tbi"]);

    write::<u32>(&path, contents("KvK"), &[7]).unwrap();
    let kept = words::<u32>(&before);
    assert_eq!(kept, [5], "a reader keeps what it opened");
    assert_eq!(words::<u32>(&map(&path)), [7]);
    assert_eq!(folder.names(), ["x.tbi"]);
}

/// Where no file can be as large, a write fails; one that comes after it does not mend the file.
#[test]
fn a_file_is_not_finished_after_a_write_that_failed() {
    let folder = Folder::new();
    let mut file = PartialFile::create(folder.path("x"), Overwrite::Refuse).unwrap();
    file.write_all(b"before").unwrap();
    // The greatest place that the system lets a file reach.
    let reach = (0..63).rev().fold(0, |place: u64, bit| {
        let further = place | 1 << bit;
        let reached = file.seek(SeekFrom::Start(further)).is_ok();
        if reached { further } else { place }
    });
    file.seek(SeekFrom::Start(reach)).unwrap();
    file.write_all(b"missing").unwrap_err();
    file.seek(SeekFrom::Start(6)).unwrap();
    file.write_all(b"after").unwrap();
    let error = file.finish().unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Unfinished);
    assert!(folder.names().is_empty());
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let folder = Folder::new();
    let path = folder.path("x.tbi");
    let writer = create(&path, Overwrite::Refuse).unwrap();
    // One that appears while the writer is at work counts, too.
    fs::write(&path, "someone else's").unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Exists);
    let error = create(&path, Overwrite::Refuse).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Exists);
    assert_eq!(fs::read(&path).unwrap(), b"someone else's");
    assert_eq!(folder.names(), ["x.tbi"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_leaves_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.path("x.tbi");
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
    let folder = Folder::new();
    let path = folder.path("x.tbi");
    // A killed writer leaves a partial file that nobody has locked.
    fs::write(folder.path(".x.tbi.partial"), [9u8; 5000]).unwrap();
    let mut first = create(&path, Overwrite::Refuse).unwrap();
    first.write(&[1]).unwrap();
    let second = create(&path, Overwrite::Replace).unwrap_err();
    assert_eq!(second.kind, StoreErrorKind::Busy, "{second}");
    // The refused one left the other's alone.
    assert_eq!(folder.names(), [".x.tbi.partial"]);
    first.finish().unwrap();
    let report = read(&path).unwrap().verify(1, &mut unwatched);
    assert_eq!(report.unwrap(), Some((1, 1)));
    assert_eq!(folder.names(), ["x.tbi"]);
}

#[test]
fn many_writers_on_one_target_publish_one_whole_file() {
    let folder = Folder::new();
    let path = &folder.path("x.tbi");
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
                        Err(error) => {
                            assert_eq!(error.kind, StoreErrorKind::Busy, "{error}");
                            std::thread::yield_now();
                        }
                    }
                }
            });
        }
    });
    let file = map(path);
    file.verify(1, &mut unwatched).unwrap();
    let indices = words::<u32>(&file);
    assert_eq!(indices.len() as u32, indices[0] + 1);
    assert_eq!(folder.names(), ["x.tbi"]);
}

#[test]
fn searches_agree_with_a_look_through_everything() {
    let folder = Folder::new();
    let path = folder.path("x");
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
    says(error, &["does not say that its indices are sorted"]);
}

#[test]
fn one_reader_serves_many_threads() {
    let folder = Folder::new();
    let path = folder.path("x");
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

/// Compressed dense sets take few bits an index, and random ones less than one more than the least that they need.
#[test]
fn compressed_sets_take_few_bits() {
    let takes = |told: Contents, indices: &[u32], most: f64| {
        let bytes = bytes_of(write_compact, told, indices);
        let file = of_bytes(Aligned::new(&bytes)).unwrap();
        file.verify(1, &mut unwatched).unwrap();
        let bits = 8.0 * bytes.len() as f64 / indices.len() as f64;
        assert!(bits <= most, "{bits} bits an index: at most {most}");
    };
    for (canonical, most) in [(true, 8.0), (false, 4.0)] {
        let legal = (Stage::Legal, Color::White);
        let (_, indices) = enumerated("KQvKR", Numbering::Natural, legal, canonical);
        let told = Contents {
            canonical,
            ..distinct("KQvKR")
        };
        takes(told, &indices, most);
    }
    let mut indices: Vec<u32> = Random::new(9).numbers(1_000_000, 30);
    indices.sort_unstable();
    indices.dedup();
    let entropy = (std::f64::consts::E * 2f64.powi(30) / indices.len() as f64).log2();
    takes(distinct("KQRvKR"), &indices, entropy + 1.0);
}
