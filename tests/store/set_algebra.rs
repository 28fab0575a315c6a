//! Set algebra, changes and statistics of whole files.

use std::collections::BTreeSet;
use std::fs;

use tbindex::store::{
    Contents, Header, IndexFile, Overwrite, Progress, Rewrite, SetOperation, StoreError,
    StoredWord, Target, unwatched,
};
use tbindex::{Group, Layout, Numbering, Square, Symmetry};

use crate::laws::sets::{of_trees, slices_of_all_words_agree_with_trees};
use crate::support::checksums::forged;
use crate::support::contents::{bytes_of, contents, distinct, sorted, write, write_compact};
use crate::support::folder::Folder;
use crate::support::opened::{Open, WAYS, map, read, words};
use crate::support::random::Random;
use crate::support::reductions::of_material;
use crate::support::says::says;

/// Does an operation on files, and returns what the new file has.
fn combined<W: StoredWord>(
    folder: &Folder,
    operation: SetOperation,
    files: &[IndexFile],
    threads: usize,
) -> Vec<W> {
    let all: u64 = files.iter().map(|file| file.header().count).sum();
    let mut last = 0;
    let mut watch = |progress: Progress| {
        assert!(last <= progress.done && progress.total == Some(all));
        last = progress.done;
        Ok::<(), StoreError>(())
    };
    let target = Target::plain(folder.path("out"), Overwrite::Replace);
    let combined = operation.combine_files_into(files, &target, 1 << 30, threads, &mut watch);
    combined.unwrap();
    assert_eq!(last, all);
    words(&map(&target.path)).to_vec()
}

/// Sets of very different sizes and shapes, with much and little in common.
fn families() -> Vec<Vec<Vec<u32>>> {
    let mut random = Random::new(11);
    let mut set = |count: usize, bits: u32, offset: u32| {
        let set: BTreeSet<u32> = random.numbers(count, bits).into_iter().collect();
        set.into_iter().map(|x| offset + x).collect::<Vec<u32>>()
    };
    let [large, other, small, few, none, run, far] = &[
        set(300_000, 21, 0),
        set(300_000, 22, 1 << 20),
        set(2000, 24, 0),
        set(20, 24, 0),
        Vec::new(),
        (1_000_000..1_300_000).collect(),
        set(200_000, 19, 15 << 20),
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
    let many = (0..40).map(|k| (0..20_000).map(|x| 90 * x + k * (x % 3)).collect());
    families.push(many.collect());
    families
}

fn operations_agree_with_trees<W: StoredWord>(
    material: &str,
    sets: &[Vec<W>],
    compact: impl Fn(usize) -> bool,
) {
    let folder = Folder::new();
    for (k, set) in sets.iter().enumerate() {
        let write = if compact(k) { write_compact } else { write };
        let path = folder.path(k.to_string());
        write(&path, distinct(material), set).unwrap();
    }
    let slices: Vec<&[W]> = sets.iter().map(Vec::as_slice).collect();
    for operation in SetOperation::ALL {
        let expected = of_trees(operation, &slices);
        for open in WAYS {
            let path = |k: usize| folder.path(k.to_string());
            let files = (0..sets.len()).map(|k| open(&path(k)).unwrap());
            let files: Vec<IndexFile> = files.collect();
            for threads in [1, 3] {
                let found: Vec<W> = combined(&folder, operation, &files, threads);
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
    for _ in 0..100_000 {
        let x = random.bits(42) & !0xff_ffff | random.bits(4);
        sets[(x >> 2 & 1) as usize].insert(x);
        sets[1].insert(x ^ 1);
    }
    let sets = sets.map(|set| set.into_iter().collect::<Vec<u64>>());
    operations_agree_with_trees("KQRBvKRN", &sets, |_| false);
}

/// Short sets of every length, side by side, interleaved and equal, in every word and at both ends of its range.
#[test]
fn short_sets_agree_with_trees() {
    let set = |first: u32, count: u32, step: u32| -> Vec<u32> {
        (0..count).map(|x| first + x * step).collect()
    };
    for (m, n) in (0..8).flat_map(|m| (0..60).map(move |n| (m, n))) {
        for (a, b) in [
            (set(0, m, 1), set(0, n, 1)),
            (set(0, m, 7), set(1, n, 2)),
            (set(u32::MAX - 2 * m, m, 2), set(u32::MAX - n, n, 1)),
        ] {
            slices_of_all_words_agree_with_trees(&a, &b);
        }
    }
}

#[test]
fn results_claim_what_is_true_of_them() {
    let folder = Folder::new();
    let same = of_material("KvK", Numbering::Natural);
    let canonical: Vec<u32> = (0..4096).filter(|&x| same.canonical(x) == x).collect();
    let any: Vec<u32> = (0..4096).step_by(3).collect();
    let (a, b) = (folder.path("a"), folder.path("b"));
    write(&a, contents("KvK").reduced(), &canonical).unwrap();
    write(&b, distinct("KvK"), &any).unwrap();
    for (operation, paths, is_canonical) in [
        (SetOperation::Union, [&a, &a], true),
        (SetOperation::Union, [&a, &b], false),
        (SetOperation::Intersection, [&b, &a], true),
        (SetOperation::Intersection, [&b, &b], false),
        (SetOperation::Difference, [&a, &b], true),
        (SetOperation::Difference, [&b, &a], false),
    ] {
        let files = paths.map(|path| map(path));
        let out = folder.path("out");
        let target = Target::plain(&out, Overwrite::Replace);
        let combined = operation.combine_files_into(&files, &target, 1 << 30, 2, &mut unwatched);
        let header: Header = combined.unwrap();
        assert!(header.contents.sorted && header.contents.distinct);
        assert_eq!(header.contents.canonical, is_canonical);
        read(&out).unwrap().verify(1, &mut unwatched).unwrap();
    }
}

#[test]
fn files_that_do_not_go_together_are_refused() {
    let folder = Folder::new();
    write::<u32>(&folder.path("one"), distinct("KQvKR"), &[1, 5]).unwrap();
    let alternate = Contents {
        numbering: Numbering::Alternate,
        ..distinct("KQvKR")
    };
    write::<u32>(&folder.path("numbering"), alternate, &[1]).unwrap();
    write::<u32>(&folder.path("material"), distinct("KRvKQ"), &[1]).unwrap();
    let side = distinct("KQvKR").with_side(Some(tbindex::Color::White));
    write::<u32>(&folder.path("side"), side, &[1]).unwrap();
    write::<u32>(&folder.path("sorted"), sorted("KQvKR"), &[1, 1]).unwrap();
    for (name, reason) in [
        ("numbering", "numbering is alternate: expected natural"),
        ("material", "material is KRvKQ: expected KQvKR"),
        ("side", "side to move is white: expected not recorded"),
        ("sorted", "sorted and distinct"),
    ] {
        let files = ["one", name].map(|name| read(&folder.path(name)).unwrap());
        for operation in SetOperation::ALL {
            let target = Target::plain(folder.path("out"), Overwrite::Refuse);
            let result = operation.combine_files_into(&files, &target, 1 << 30, 1, &mut unwatched);
            says(result.unwrap_err(), &[name, reason]);
            assert!(!target.path.exists());
        }
    }
}

/// Whatever block of a file is damaged, wherever, and whatever its checksum says: an error names it, and no file is left.
#[test]
fn nothing_is_made_of_a_damaged_block() {
    let folder = Folder::new();
    let (a, b): (Vec<u32>, Vec<u32>) = (0..1_400_000).map(|x| (2 * x, 3 * x)).unzip();
    write(&folder.path("a"), distinct("KQRvKR"), &a).unwrap();
    write(&folder.path("b"), distinct("KQRvKR"), &b).unwrap();
    write(&folder.path("few"), distinct("KQRvKR"), &[5u32, 2_000_001]).unwrap();
    write_compact(&folder.path("compact"), distinct("KQRvKR"), &b).unwrap();
    let plain = folder.read("b");
    let compact = folder.read("compact");
    let flipped = |bytes: &[u8], at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 4;
        bytes
    };
    let at = |index: usize| 256 + 4 * index;
    let (items, entries) = (
        (1 << 20) / size_of::<u32>(),
        at(b.len()).next_multiple_of(64),
    );
    // The bytes, the first index of the bad block, and the reason.
    let mut cases = vec![
        (flipped(&compact, 9000), 16_384, "block 1 (bytes".to_owned()),
        (
            flipped(&plain, entries + 40),
            0,
            "the block table (bytes".to_owned(),
        ),
    ];
    for index in [0, 300_000, 2 * items - 1, 3 * items, 1_399_999] {
        let block = index / items;
        let reason = format!("block {block} (bytes");
        cases.push((flipped(&plain, at(index)), block * items, reason));
    }
    // These say of themselves that they are whole.
    let low = 9u32.to_le_bytes();
    let mut between = forged(&plain, at(items), &low);
    between = forged(&between, entries + 40, &low);
    for (bytes, first, reason) in [
        (
            forged(&plain, at(375_000) + 3, &[0x40]),
            items,
            "position 375000 is out of range",
        ),
        (
            forged(&plain, at(375_000), &low),
            items,
            "index 0o11 at position 375000 comes after",
        ),
        // The first index of the second block.
        (between, items, "index 0o11 at position 262144 comes after"),
    ] {
        cases.push((bytes, first, reason.to_owned()));
    }
    let target = Target::plain(folder.path("out"), Overwrite::Refuse);
    for (bytes, first, reason) in cases {
        folder.write("bad", bytes);
        for names in [["a", "bad"], ["bad", "a"], ["bad", "few"]] {
            let files = |open: Open| names.map(|name| open(&folder.path(name)).unwrap());
            for operation in SetOperation::ALL {
                if names == ["bad", "few"] && operation == SetOperation::Intersection {
                    // It does not read every block.
                    continue;
                }
                let sets = names.map(|name| match name {
                    "a" => &a[..],
                    "bad" => &b[..],
                    _ => &[5, 2_000_001][..],
                });
                let expected = operation.of_slices(sets[0], sets[1]);
                for (open, threads) in WAYS.into_iter().zip([3, 1]) {
                    let written = operation.combine_files_into(
                        &files(open),
                        &target,
                        1 << 30,
                        threads,
                        &mut unwatched,
                    );
                    let Err(error) = written else {
                        // Indices above all of the other file are in no intersection, and leave a
                        // difference from it as it is: they are not read.
                        let decides = names[0] == "bad" && operation != SetOperation::Intersection;
                        assert!(!decides && operation != SetOperation::Union);
                        assert!(b[first] > 2 * 1_399_999);
                        assert_eq!(words::<u32>(&map(&target.path)), expected);
                        fs::remove_file(&target.path).unwrap();
                        continue;
                    };
                    says(&error, &["bad: ", &reason]);
                    assert!(!target.path.exists());
                }
            }
        }
    }
}

#[test]
fn changes_are_those_of_every_index_and_lead_back() {
    let folder = Folder::new();
    let indices: Vec<u32> = Random::new(3).numbers(700_000, 24);
    let layout = Layout::<u32>::new(4, Numbering::Natural);
    let (path, out) = (folder.path("in"), folder.path("out"));
    write(&path, contents("KQvKR"), &indices).unwrap();
    let rewrites = Symmetry::ALL
        .map(Rewrite::Transform)
        .into_iter()
        .chain(Numbering::ALL.map(Rewrite::Convert));
    for rewrite in rewrites {
        let file = read(&path).unwrap();
        let target = Target::plain(&out, Overwrite::Replace);
        let rewritten = rewrite.rewrite_file_into(&file, &target, 3, &mut unwatched);
        rewritten.unwrap();
        let changed = map(&out);
        changed.verify(1, &mut unwatched).unwrap();
        let expected: Vec<u32> = match rewrite {
            Rewrite::Transform(symmetry) => {
                indices.iter().map(|&x| layout.flip(symmetry, x)).collect()
            }
            Rewrite::Convert(to) => indices.iter().map(|&x| layout.convert(to, x)).collect(),
        };
        assert_eq!(words::<u32>(&changed), expected, "{rewrite:?}");
        // Back again, in place.
        let back = match rewrite {
            Rewrite::Transform(symmetry) => Rewrite::Transform(symmetry.inverse()),
            Rewrite::Convert(_) => Rewrite::Convert(Numbering::Natural),
        };
        back.rewrite_file_into(&changed, &target, 1, &mut unwatched)
            .unwrap();
        assert_eq!(words::<u32>(&map(&out)), indices);
        // The reader of the old file still has it.
        assert_eq!(words::<u32>(&changed), expected);
    }
    assert_eq!(folder.names(), ["in", "out"]);
}

#[test]
fn a_damaged_file_is_not_changed() {
    let folder = Folder::new();
    let path = folder.path("in");
    let indices: Vec<u32> = (0..600_000).collect();
    let mut bytes = bytes_of(write, contents("KQvKR"), &indices);
    bytes[2_200_000] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let file = read(&path).unwrap();
    let rewrite = Rewrite::Convert(Numbering::Alternate);
    let target = Target::plain(&path, Overwrite::Replace);
    let refused = rewrite.rewrite_file_into(&file, &target, 2, &mut unwatched);
    says(refused.unwrap_err(), &["block 2"]);
    assert_eq!(folder.names(), ["in"]);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn statistics_count_every_index_once() {
    let folder = Folder::new();
    for numbering in Numbering::ALL {
        let same = of_material::<u32>("KQvK", numbering);
        let indices: Vec<u32> = (0..1 << 18).collect();
        let path = folder.path(numbering.to_string());
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
        let statistics = file.statistics(2, &mut unwatched).unwrap();
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
