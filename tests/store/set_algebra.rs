//! Set algebra, changes and statistics of whole files.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use tbindex::batch::BatchWord;
use tbindex::store::{
    Contents, Header, IndexFile, Overwrite, Progress, Rewrite, SetOperation, StoreError,
    StoreErrorKind, Target, unwatched,
};
use tbindex::{Equivalence, Group, Layout, Numbering, Square, Symmetry, Word};

use super::opened::{Open, WAYS, map, read};
use crate::laws::sets::of_trees;
use crate::support::checksums::forged;
use crate::support::contents::{contents, distinct, sorted, write, write_compact};
use crate::support::names::names;
use crate::support::random::Random;

/// What an operation on files gives.
fn combined<W: Word>(operation: SetOperation, files: &[IndexFile], threads: usize) -> Vec<W> {
    let mut found = Vec::new();
    let mut last = 0;
    let watch = |progress: Progress| {
        assert!(progress.done >= last);
        last = progress.done;
        Ok::<(), StoreError>(())
    };
    let take = |some: &[W]| {
        found.extend_from_slice(some);
        Ok(())
    };
    let count = operation
        .combine_files(files, take, threads, watch)
        .unwrap();
    assert_eq!(count, found.len() as u64);
    let all = files.iter().map(|file| file.header().count);
    assert_eq!(last, all.sum::<u64>());
    found
}

/// Sets of very different sizes and shapes, with much and little in common.
fn families() -> Vec<Vec<Vec<u32>>> {
    let mut random = Random::new(11);
    let mut set = |count: usize, bits: u32, offset: u32| {
        let set: BTreeSet<u32> = random.numbers(count, bits).into_iter().collect();
        set.into_iter().map(|x| offset + x).collect::<Vec<u32>>()
    };
    let [large, other, small, few, none, run, far] = &[
        set(900_000, 22, 0),
        set(900_000, 23, 1 << 21),
        set(2000, 24, 0),
        set(20, 24, 0),
        Vec::new(),
        (1_000_000..1_800_000).collect(),
        set(500_000, 20, 15 << 20),
    ];
    let families: [&[&Vec<u32>]; 14] = [
        &[large],
        &[none],
        &[large, other],
        &[other, large],
        &[large, large],
        &[large, few],
        &[few, large],
        &[run, large],
        &[none, large],
        &[large, none],
        &[large, far],
        &[small, few, none, far],
        &[large, other, run, small, far],
        &[small, large, other, run, far],
    ];
    let mut families: Vec<Vec<Vec<u32>>> = (families.iter())
        .map(|family| family.iter().map(|&set| set.clone()).collect())
        .collect();
    // Blocks of many compressed files lie in several ranges, and are decoded into what is left of the last.
    let many = (0..40).map(|k| (0..60_000).map(|x| 90 * x + k * (x % 3)).collect());
    families.push(many.collect());
    families
}

fn operations_agree_with_trees<W: BatchWord>(
    material: &str,
    sets: &[Vec<W>],
    compact: impl Fn(usize) -> bool,
) {
    let folder = tempfile::tempdir().unwrap();
    for (k, set) in sets.iter().enumerate() {
        let write = if compact(k) { write_compact } else { write };
        let path = folder.path().join(k.to_string());
        write(&path, distinct(material), set).unwrap();
    }
    let slices: Vec<&[W]> = sets.iter().map(Vec::as_slice).collect();
    for operation in SetOperation::ALL {
        let expected = of_trees(operation, &slices);
        for open in WAYS {
            let path = |k: usize| folder.path().join(k.to_string());
            let files = (0..sets.len()).map(|k| open(&path(k)).unwrap());
            let files: Vec<IndexFile> = files.collect();
            for threads in [1, 3] {
                let found: Vec<W> = combined(operation, &files, threads);
                assert!(found == expected, "{operation}, {threads}");
            }
        }
    }
}

#[test]
fn operations_on_files_agree_with_those_on_trees() {
    for (k, sets) in families().into_iter().enumerate() {
        operations_agree_with_trees("KQRvKR", &sets, |n| sets.len() > 9 || (n + k) % 3 == 0);
    }
    let mut random = Random::new(1);
    let mut sets = [BTreeSet::new(), BTreeSet::new()];
    for _ in 0..300_000 {
        let x = random.bits(42) & !0xff_ffff | random.bits(4);
        sets[(x >> 2 & 1) as usize].insert(x);
        sets[1].insert(x ^ 1);
    }
    let sets = sets.map(|set| set.into_iter().collect::<Vec<u64>>());
    operations_agree_with_trees("KQRBvKRN", &sets, |_| false);
}

#[test]
fn results_claim_what_is_true_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let same = Equivalence::<u32>::try_new("KvK".parse().unwrap(), Numbering::Natural).unwrap();
    let canonical: Vec<u32> = (0..4096).filter(|&x| same.is_canonical(x)).collect();
    let any: Vec<u32> = (0..4096).step_by(3).collect();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    write(&a, contents("KvK").reduced(), &canonical).unwrap();
    write(&b, distinct("KvK"), &any).unwrap();
    let files =
        |paths: &[&PathBuf]| -> Vec<IndexFile> { paths.iter().map(|path| map(path)).collect() };
    for (operation, paths, is_canonical) in [
        (SetOperation::Union, [&a, &a], true),
        (SetOperation::Union, [&a, &b], false),
        (SetOperation::Intersection, [&b, &a], true),
        (SetOperation::Intersection, [&b, &b], false),
        (SetOperation::Difference, [&a, &b], true),
        (SetOperation::Difference, [&b, &a], false),
    ] {
        let files = files(&paths);
        let out = folder.path().join("out");
        let target = Target::plain(&out, Overwrite::Replace);
        let header: Header = operation
            .combine_files_into(&files, &target, 2, unwatched)
            .unwrap();
        assert!(header.contents.sorted && header.contents.distinct);
        assert_eq!(header.contents.canonical, is_canonical);
        read(&out).unwrap().verify(1, unwatched).unwrap();
    }
}

#[test]
fn files_that_do_not_go_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write::<u32>(&path("one"), distinct("KQvKR"), &[1, 5]).unwrap();
    let alternate = Contents {
        numbering: Numbering::Alternate,
        ..distinct("KQvKR")
    };
    write::<u32>(&path("numbering"), alternate, &[1]).unwrap();
    write::<u32>(&path("material"), distinct("KRvKQ"), &[1]).unwrap();
    let side = distinct("KQvKR").with_side(Some(tbindex::Color::White));
    write::<u32>(&path("side"), side, &[1]).unwrap();
    write::<u32>(&path("sorted"), sorted("KQvKR"), &[1, 1]).unwrap();
    for (name, reason) in [
        ("numbering", "numbering is alternate: expected natural"),
        ("material", "material is KRvKQ: expected KQvKR"),
        ("side", "side to move is white: expected not recorded"),
        ("sorted", "sorted and distinct"),
    ] {
        let files = ["one", name].map(|name| read(&path(name)).unwrap());
        for operation in SetOperation::ALL {
            let result = operation.combine_files(&files, |_: &[u32]| Ok(()), 1, unwatched);
            let text = result.unwrap_err().to_string();
            assert!(text.contains(name) && text.contains(reason), "{text}");
        }
    }
    let files = [read(&path("one")).unwrap()];
    let result = SetOperation::Union.combine_files(&files, |_: &[u64]| Ok(()), 1, unwatched);
    assert_eq!(result.unwrap_err().kind(), StoreErrorKind::WrongWord);
}

#[test]
fn damaged_files_are_found_before_they_are_used_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let set: Vec<u32> = (0..600_000).map(|x| 3 * x).collect();
    write(&path("good"), distinct("KQvKR"), &set).unwrap();
    let plain = fs::read(path("good")).unwrap();
    write_compact(&path("compact"), distinct("KQvKR"), &set).unwrap();
    let compact = fs::read(path("compact")).unwrap();
    let changed = |bytes: &[u8], at: usize, field: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[at..at + field.len()].copy_from_slice(field);
        bytes
    };
    let table = (256 + 4 * set.len()).next_multiple_of(64);
    for (name, bytes, reason) in [
        (
            "flipped",
            changed(&plain, 256 + 1_500_001, &[99]),
            "block 1 (bytes",
        ),
        ("packed", changed(&compact, 9000, &[99]), "block 1 (bytes"),
        (
            "table",
            changed(&plain, table + 40, &[1]),
            "the block table (bytes",
        ),
        // These say of themselves that they are whole.
        (
            "beyond",
            forged(&plain, 256 + 1_500_000, &[0, 0, 0, 1]),
            "index 0o100000000 at position 375000 is out of range",
        ),
        (
            "unsorted",
            forged(&plain, 256 + 1_500_000, &[9, 0, 0, 0]),
            "index 0o11 at position 375000 comes after",
        ),
        (
            // The first index of the second block.
            "between",
            forged(
                &changed(&plain, 256 + (1 << 20), &[9, 0, 0, 0]),
                table + 40,
                &[9, 0, 0, 0],
            ),
            "index 0o11 at position 262144 comes after",
        ),
    ] {
        fs::write(path(name), bytes).unwrap();
        for open in WAYS {
            for operation in SetOperation::ALL {
                for threads in [1, 3] {
                    let files = ["good", name].map(|name| open(&path(name)).unwrap());
                    let target = Target::plain(path("out"), Overwrite::Refuse);
                    let result = operation.combine_files_into(&files, &target, threads, unwatched);
                    let text = result.expect_err(name).to_string();
                    let named = format!("{name}: ");
                    assert!(text.contains(&named) && text.contains(reason), "{text}");
                    assert!(!path("out").exists());
                }
            }
        }
    }
}

/// Whatever block of a file is damaged, and wherever: all that was handed on before the error is of the
/// true result, and below that block.
#[test]
fn nothing_made_of_a_damaged_block_is_handed_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (a, b): (Vec<u32>, Vec<u32>) = (0..1_400_000).map(|x| (2 * x, 3 * x)).unzip();
    write(&path("a"), distinct("KQRvKR"), &a).unwrap();
    write(&path("b"), distinct("KQRvKR"), &b).unwrap();
    write(&path("few"), distinct("KQRvKR"), &[5u32, 2_000_001]).unwrap();
    let bytes = fs::read(path("b")).unwrap();
    let block_items = (1 << 20) / size_of::<u32>();
    for at in [0, 300_000, 2 * block_items - 1, 3 * block_items, 1_399_999] {
        let mut bytes = bytes.clone();
        bytes[256 + 4 * at] ^= 4;
        fs::write(path("bad"), bytes).unwrap();
        let block = at / block_items;
        let below = b[block * block_items];
        for names in [["a", "bad"], ["bad", "a"], ["bad", "few"]] {
            let files = |names: [&str; 2], open: Open| names.map(|name| open(&path(name)).unwrap());
            for operation in SetOperation::ALL {
                if names == ["bad", "few"] && operation == SetOperation::Intersection {
                    // It does not read every block.
                    continue;
                }
                let undamaged = names.map(|name| if name == "bad" { "b" } else { name });
                let expected: Vec<u32> = combined(operation, &files(undamaged, WAYS[0]), 1);
                for open in WAYS {
                    for threads in [1, 3] {
                        let mut taken = Vec::new();
                        let take = |some: &[u32]| {
                            taken.extend_from_slice(some);
                            Ok(())
                        };
                        let files = files(names, open);
                        let result = operation.combine_files(&files, take, threads, unwatched);
                        assert!(expected.starts_with(&taken));
                        let Err(error) = result else {
                            // Indices above all of the other file are in no intersection, and leave a
                            // difference from it as it is: they are not read.
                            let decides =
                                names[0] == "bad" && operation != SetOperation::Intersection;
                            assert!(!decides && operation != SetOperation::Union);
                            assert!(below > 2 * 1_399_999 && taken == expected);
                            continue;
                        };
                        let text = error.to_string();
                        let named = format!("bad: block {block} ");
                        assert!(text.contains(&named), "{text}");
                        assert!(taken.last().is_none_or(|&last| last < below));
                    }
                }
            }
        }
    }
}

/// What the watch is told to be done was handed on before.
#[test]
fn the_watch_is_told_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set");
    let set: Vec<u32> = (0..2_000_000).map(|x| 2 * x).collect();
    write(&path, distinct("KQRvKR"), &set).unwrap();
    let files = [&path, &path].map(|path| read(path).unwrap());
    for threads in [1, 3] {
        let (taken, mut told) = (AtomicU64::new(0), Vec::new());
        let watch = |progress: Progress| {
            let done = progress.done;
            assert_eq!(progress.total, Some(2 * set.len() as u64));
            // Every index is in both files. Meanwhile other threads may have handed on more.
            let taken = 2 * taken.load(Ordering::Relaxed);
            assert!(
                if threads == 1 {
                    done == taken
                } else {
                    done <= taken
                },
                "{done} of {taken}"
            );
            told.push(done);
            Ok::<(), StoreError>(())
        };
        let take = |some: &[u32]| {
            taken.fetch_add(some.len() as u64, Ordering::Relaxed);
            Ok(())
        };
        SetOperation::Union
            .combine_files(&files, take, threads, watch)
            .unwrap();
        // The watch hears of it when this thread has done a range itself.
        assert!(told.len() > 1 || threads > 1, "{told:?}");
        assert!(told.is_sorted(), "{told:?}");
        assert_eq!(told.last(), Some(&(2 * set.len() as u64)));
    }
}

#[test]
fn changes_are_those_of_every_index_and_lead_back() {
    let folder = tempfile::tempdir().unwrap();
    let indices: Vec<u32> = Random::new(3).numbers(700_000, 24);
    let layout = Layout::<u32>::new(4, Numbering::Natural);
    let (path, out) = (folder.path().join("in"), folder.path().join("out"));
    write(&path, contents("KQvKR"), &indices).unwrap();
    let rewrites = Symmetry::ALL
        .map(Rewrite::Transform)
        .into_iter()
        .chain(Numbering::ALL.map(Rewrite::Convert));
    for rewrite in rewrites {
        let file = read(&path).unwrap();
        let target = Target::plain(&out, Overwrite::Replace);
        rewrite
            .rewrite_file_into(&file, &target, 3, unwatched)
            .unwrap();
        let changed = map(&out);
        changed.verify(1, unwatched).unwrap();
        let expected: Vec<u32> = match rewrite {
            Rewrite::Transform(symmetry) => {
                indices.iter().map(|&x| layout.flip(symmetry, x)).collect()
            }
            Rewrite::Convert(to) => indices.iter().map(|&x| layout.convert(to, x)).collect(),
        };
        assert_eq!(changed.indices::<u32>().unwrap(), expected, "{rewrite:?}");
        // Back again, in place.
        let back = match rewrite {
            Rewrite::Transform(symmetry) => Rewrite::Transform(symmetry.inverse()),
            Rewrite::Convert(_) => Rewrite::Convert(Numbering::Natural),
        };
        back.rewrite_file_into(&changed, &target, 1, unwatched)
            .unwrap();
        assert_eq!(map(&out).indices::<u32>().unwrap(), indices);
        // The reader of the old file still has it.
        assert_eq!(changed.indices::<u32>().unwrap(), expected);
    }
    assert_eq!(names(folder.path()), ["in", "out"]);
}

#[test]
fn a_damaged_file_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in");
    write(
        &path,
        contents("KQvKR"),
        &(0..600_000u32).collect::<Vec<_>>(),
    )
    .unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[2_200_000] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let file = read(&path).unwrap();
    let rewrite = Rewrite::Convert(Numbering::Alternate);
    let target = Target::plain(&path, Overwrite::Replace);
    let error = rewrite
        .rewrite_file_into(&file, &target, 2, unwatched)
        .unwrap_err();
    assert!(error.to_string().contains("block 2"), "{error}");
    assert_eq!(names(folder.path()), ["in"]);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn statistics_count_every_index_once() {
    let folder = tempfile::tempdir().unwrap();
    for numbering in Numbering::ALL {
        let same = Equivalence::<u32>::try_new("KQvK".parse().unwrap(), numbering).unwrap();
        let indices: Vec<u32> = (0..1 << 18).collect();
        let path = folder.path().join(numbering.to_string());
        let told = Contents {
            numbering,
            ..distinct("KQvK")
        };
        let write = match numbering {
            Numbering::Natural => write_compact,
            Numbering::Alternate => write,
        };
        write(&path, told, &indices).unwrap();
        let file = read(&path).unwrap();
        let statistics = file.statistics(2, unwatched).unwrap();
        for square in Square::all() {
            assert_eq!(statistics.leading[square.index()], 4096);
        }
        // An orbit of four where all three pieces stand on one of the two diagonals.
        assert_eq!(same.group(), Group::D4);
        assert_eq!(statistics.orbits[4], 2 * 512);
        assert_eq!(statistics.orbits[8], (1 << 18) - 2 * 512);
        assert_eq!(statistics.orbits.iter().sum::<u64>(), 1 << 18);
    }
}
