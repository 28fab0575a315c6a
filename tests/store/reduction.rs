//! Reduction: the same set by every method, memory and number of threads.

use std::path::{Path, PathBuf};

use tbindex::store::{
    Contents, Header, Method, Overwrite, Reduction, StoreError, StoreErrorKind, StoredWord,
    Summary, Target, unwatched,
};
use tbindex::{Equivalence, Layout, Numbering};

use crate::laws::files::Aligned;
use crate::support::checksums::forged;
use crate::support::contents::{contents, distinct, write, write_compact};
use crate::support::folder::{Folder, names};
use crate::support::opened::{map, of_bytes, read, words};
use crate::support::random::Random;
use crate::support::reductions::{of_material, reduce_into, straightforward};
use crate::support::says::says;

const MIB: u64 = 1 << 20;

fn reduction(temp: &Path, memory: u64, threads: usize, method: Method) -> Reduction {
    Reduction {
        memory,
        threads,
        method,
        temp: Some(temp.to_owned()),
        ..Reduction::default()
    }
}

fn random_indices<W: TryFrom<u64>>(count: usize, pieces: u32, seed: u64) -> Vec<W> {
    Random::new(seed).numbers(count, 6 * pieces)
}

fn every_way_gives_the_same<W: StoredWord>(
    material: &str,
    indices: &[W],
    methods: &[(Method, u64)],
) {
    let temp = tempfile::tempdir().unwrap();
    for numbering in Numbering::ALL {
        let same = of_material::<W>(material, numbering);
        let expected = straightforward(&same, indices);
        for &(method, memory) in methods {
            for threads in [1, 2, 3] {
                let reduction = reduction(temp.path(), memory, threads, method);
                let reducer = reduction.reducer(same.clone(), None).unwrap();
                let mut reduced = Vec::new();
                let summary = reduce_into(reducer, numbering, indices, 100_003, &mut reduced);
                assert_eq!(summary.read, indices.len() as u64);
                assert_eq!(summary.count, expected.len() as u64);
                assert!(method == Method::Auto || summary.method == method);
                assert_eq!(
                    reduced, expected,
                    "{material} {numbering} {method} {memory} {threads}"
                );
            }
        }
        assert_eq!(names(temp.path()), [""; 0]);
    }
}

#[test]
fn every_method_memory_and_thread_count_gives_the_same_set() {
    let (least, more) = (Reduction::LEAST_MEMORY, 200 * MIB);
    let both = [
        (Method::Auto, more),
        (Method::Bitmap, more),
        (Method::Sort, more),
        (Method::Sort, least),
    ];
    for (seed, material, pieces, count) in [
        (1, "KvK", 2, 20_000),
        (2, "KRRvK", 4, 400_000),
        (3, "KQRvKR", 5, 700_000),
        (4, "KPPvKP", 5, 300_000),
        (0, "KvK", 2, 0),
    ] {
        every_way_gives_the_same::<u32>(material, &random_indices(count, pieces, seed), &both);
    }
    let sorting = [(Method::Auto, more), (Method::Sort, least)];
    for (seed, material, pieces, count) in [
        (5, "KQRvKRN", 6, 300_000),
        (6, "KQRBvKRN", 7, 700_000),
        (7, "KQQPPvKPPPP", 10, 200_000),
    ] {
        every_way_gives_the_same::<u64>(material, &random_indices(count, pieces, seed), &sorting);
    }
}

/// Keys that are far from evenly spread, so that piles are sorted range by range, in memory and out of the file.
#[test]
fn sets_with_few_different_indices_are_sorted() {
    let sorting = [(Method::Sort, Reduction::LEAST_MEMORY)];
    let masked = |count, mask| -> Vec<u64> {
        let indices = random_indices::<u64>(count, 7, 8).into_iter();
        indices.map(|x| x & mask).collect()
    };
    every_way_gives_the_same("KQRBvKRN", &masked(3_000_000, 0xf_ffff), &sorting);
    every_way_gives_the_same("KQRBvKRN", &masked(400_000, 0o7_0007_0007), &sorting);
    every_way_gives_the_same("KQRBNvKPPPP", &masked(400_000, 0o7_0007_0007), &sorting);
    every_way_gives_the_same("KQRBNvKPPPP", &[0o1234_5671u64; 300_000], &sorting);
    let narrow = masked(400_000, 0xffff).into_iter().map(|x| x as u32);
    every_way_gives_the_same("KQRvKR", &narrow.collect::<Vec<u32>>(), &sorting);
}

#[test]
fn what_the_memory_does_not_hold_goes_to_a_file_many_times() {
    let temp = tempfile::tempdir().unwrap();
    let same = of_material::<u64>("KQRBvKRN", Numbering::Natural);
    let indices = random_indices(4_000_000, 7, 8);
    let expected = straightforward(&same, &indices);
    // A reducer that is told to expect little sorts little at once, so that there are many runs.
    let reduction = reduction(temp.path(), Reduction::LEAST_MEMORY, 2, Method::Sort);
    let reducer = reduction.reducer(same, Some(20_000)).unwrap();
    let mut reduced = Vec::new();
    let summary = reduce_into(reducer, Numbering::Natural, &indices, 12_345, &mut reduced);
    // Memory is had in whole blocks, so that a run may have a few more than were expected.
    assert!((150..=200).contains(&summary.runs), "{}", summary.runs);
    // Each key has 32 bits left that its pile does not tell. Each of these small runs has the bounds of its piles, too.
    let words = 4 * indices.len() as u64;
    assert!((words..words / 4 * 5).contains(&summary.temp_bytes));
    assert_eq!(reduced, expected);
    assert_eq!(names(temp.path()), [""; 0]);
}

/// A set with this many indices, given in both numberings and in every state.
fn inputs(folder: &Path) -> (Vec<PathBuf>, Vec<u32>) {
    let raw = random_indices::<u32>(600_000, 4, 9);
    let layout = Layout::<u32>::new(4, Numbering::Natural);
    let alternate: Vec<u32> = raw[..300_000]
        .iter()
        .map(|&x| layout.convert(Numbering::Alternate, x))
        .collect();
    let same = of_material("KQvKR", Numbering::Alternate);
    let reduced = straightforward(&same, &alternate);
    let paths = ["raw", "alternate", "reduced", "compact", "empty"].map(|name| folder.join(name));
    write(&paths[0], contents("KQvKR"), &raw[200_000..]).unwrap();
    let other = Contents {
        numbering: Numbering::Alternate,
        ..contents("KQvKR")
    };
    write(&paths[1], other, &alternate).unwrap();
    write(&paths[2], other.reduced(), &reduced).unwrap();
    write_compact(&paths[3], other.reduced(), &reduced).unwrap();
    write::<u32>(&paths[4], contents("KQvKR"), &[]).unwrap();
    (paths.to_vec(), raw)
}

fn reduce_files(
    reduction: &Reduction,
    paths: &[PathBuf],
    numbering: Numbering,
    output: &Path,
) -> Result<(Header, Summary), StoreError> {
    let files: Result<Vec<_>, _> = paths.iter().map(|path| read(path)).collect();
    let target = Target::plain(output, Overwrite::Replace);
    reduction.reduce_files_into(&files?, numbering, &target, &mut unwatched)
}

#[test]
fn files_of_both_numberings_and_kinds_reduce_to_one() {
    let folder = Folder::new();
    let (paths, raw) = inputs(&folder.path(""));
    for numbering in Numbering::ALL {
        let same = of_material("KQvKR", numbering);
        let layout = Layout::<u32>::new(4, Numbering::Natural);
        let converted: Vec<u32> = raw.iter().map(|&x| layout.convert(numbering, x)).collect();
        let expected = straightforward(&same, &converted);
        for method in [Method::Bitmap, Method::Sort] {
            let output = folder.path("out");
            let reduction = reduction(&folder.path(""), 100 * MIB, 2, method);
            let (header, summary) = reduce_files(&reduction, &paths, numbering, &output).unwrap();
            assert_eq!(header.count, expected.len() as u64);
            assert_eq!(summary.count, header.count);
            let file = map(&output);
            file.verify(1, &mut unwatched).unwrap();
            assert_eq!(words::<u32>(&file), expected);
        }
    }
}

/// The threads fill their piles by whole blocks, and the last of the memory by a part of one.
#[test]
fn files_that_the_memory_does_not_hold_reduce_to_one() {
    let folder = Folder::new();
    let mut raw = random_indices::<u32>(5_000_000, 5, 10);
    write(&folder.path("raw"), contents("KQRvKR"), &raw).unwrap();
    let more: Vec<u32> = (0..1_000_000).map(|x| 1000 * x).collect();
    write_compact(&folder.path("compact"), distinct("KQRvKR"), &more).unwrap();
    raw.extend(more);
    let expected = straightforward(&of_material("KQRvKR", Numbering::Natural), &raw);
    for threads in [1, 3] {
        let memory = Reduction::LEAST_MEMORY;
        let reduction = reduction(&folder.path(""), memory, threads, Method::Sort);
        let (paths, output) = (["raw", "compact"], folder.path("out"));
        let paths = paths.map(|name| folder.path(name));
        let (_, summary) = reduce_files(&reduction, &paths, Numbering::Natural, &output).unwrap();
        assert!(
            summary.runs > 1 && summary.read == raw.len() as u64,
            "{summary:?}"
        );
        assert_eq!(words::<u32>(&map(&output)), expected);
    }
}

#[test]
fn files_that_do_not_go_together_or_are_damaged_are_refused() {
    let folder = Folder::new();
    let file = |name: &str, told: Contents, indices: &[u32]| {
        write(&folder.path(name), told, indices).unwrap();
    };
    file("good", contents("KQvKR"), &[]);
    let reduction = reduction(&folder.path(""), 100 * MIB, 1, Method::Auto);
    let refused = |input: &str, reason: &str| {
        let inputs = [folder.path("good"), folder.path(input)];
        let output = folder.path("out");
        let refused = reduce_files(&reduction, &inputs, Numbering::Natural, &output);
        says(refused.unwrap_err(), &[input, reason]);
        assert!(!folder.path("out").exists());
    };
    file("other", contents("KRvKQ"), &[1]);
    refused("other", "material is KRvKQ: expected KQvKR");
    let side = Some(tbindex::Color::Black);
    file("black", contents("KQvKR").with_side(side), &[1]);
    refused("black", "side to move is black: expected not recorded");

    let many = random_indices(600_000, 4, 1);
    file("damaged", contents("KQvKR"), &many);
    let mut bytes = folder.read("damaged");
    bytes[256 + 2_000_000] ^= 4;
    folder.write("damaged", &bytes);
    refused("damaged", "block 1 (bytes 1048832 to 2097408) is damaged");

    // An index out of range under a right checksum, which the table knows as well.
    file("beyond", contents("KQvKR"), &[1]);
    let bytes = folder.read("beyond");
    let bytes = forged(&bytes, 256 + 3, &[1]);
    let bytes = forged(&bytes, bytes.len() - 32 + 11, &[1]);
    folder.write("beyond", &bytes);
    assert!(of_bytes(Aligned::new(&bytes)).is_ok());
    refused("beyond", "index 0o100000001 at position 0 is out of range");
}

#[test]
fn an_index_out_of_range_is_named_wherever_it_is() {
    let temp = tempfile::tempdir().unwrap();
    let same = of_material("KQvKR", Numbering::Natural);
    let good: Vec<u32> = random_indices(1_000_000, 4, 1);
    let last = good.len() - 1;
    for (places, bad) in [
        (vec![0], 1 << 24),
        (vec![70_000, 70_001], 1 << 31),
        (vec![last, 400_000], u32::MAX),
        (vec![last], 1 << 25),
    ] {
        let mut indices = good.clone();
        places.iter().for_each(|&place| indices[place] |= bad);
        let at = *places.iter().min().unwrap();
        let index = indices[at];
        let expected = format!("the indices: index {index:#o} at position {at} is out of range");
        for (method, threads) in [Method::Sort, Method::Bitmap]
            .map(|m| [(m, 1), (m, 3)])
            .concat()
        {
            for (numbering, slice) in Numbering::ALL.into_iter().zip([10_000, indices.len()]) {
                let reduction = reduction(temp.path(), 100 * MIB, threads, method);
                let mut reducer = reduction.reducer(same.clone(), None).unwrap();
                let mut slices = indices.chunks(slice);
                let refused = slices.find_map(|some| reducer.push(numbering, some).err());
                let text = refused.expect("an error").to_string();
                assert!(text.starts_with(&expected), "{text}: expected {expected}");
            }
        }
    }
}

#[test]
fn too_little_memory_and_space_are_said_before_anything_is_read() {
    let temp = tempfile::tempdir().unwrap();
    let same = of_material::<u64>("KQRBvKRN", Numbering::Natural);
    let begin = |memory, method, expected| {
        let reducer = reduction(temp.path(), memory, 1, method).reducer(same.clone(), expected);
        reducer.map(drop)
    };
    let error = begin(MIB, Method::Auto, None).unwrap_err();
    let is_told = matches!(
        error.kind,
        StoreErrorKind::TooLittleMemory { found: MIB, .. }
    );
    assert!(is_told, "{error}");
    // Seven pieces: 2⁴⁰ keys, 128 GiB of bits.
    let error = begin(1 << 30, Method::Bitmap, None).unwrap_err();
    match error.kind {
        StoreErrorKind::TooLittleMemory { needed, .. } => assert!(needed > 1 << 37),
        _ => panic!("{error}"),
    }
    let error = begin(1 << 30, Method::Auto, Some(1 << 50)).unwrap_err();
    match error.kind {
        StoreErrorKind::TooLittleSpace { needed, found, .. } => {
            assert!(needed >= 1 << 52 && found < needed);
        }
        _ => panic!("{error}"),
    }
    assert_eq!(names(temp.path()), [""; 0]);
}

#[test]
fn no_limit_is_too_high() {
    for material in ["KvK", "KQvKR", "KQRBvKRN"] {
        let material = material.parse().unwrap();
        let same = Equivalence::<u64>::try_new(material, Numbering::Natural).unwrap();
        for method in [Method::Auto, Method::Bitmap, Method::Sort] {
            for memory in [1 << 40, 1 << 62, u64::MAX] {
                for expected in [None, Some(0), Some(u64::MAX)] {
                    let reduction = Reduction {
                        memory,
                        threads: usize::MAX,
                        method,
                        ..Reduction::default()
                    };
                    let plan = reduction.plan(&same, expected).unwrap();
                    assert!(plan.memory <= memory, "{plan:?}");
                    // A thread takes a mebibyte at least.
                    assert!(plan.threads as u64 <= memory >> 20, "{plan:?}");
                }
            }
        }
    }
}

#[test]
fn the_method_is_chosen_by_what_fits_and_what_is_worth_it() {
    let temp = tempfile::tempdir().unwrap();
    let plan = |material: &str, memory: u64, expected: u64| {
        let same = of_material::<u64>(material, Numbering::Natural);
        let reduction = reduction(temp.path(), memory, 2, Method::Auto);
        reduction.plan(&same, Some(expected)).unwrap()
    };
    // Six pieces: 2 GiB of bits.
    let plan_of_six = |memory, expected| plan("KQRvKRN", memory, expected).method;
    assert_eq!(plan_of_six(8 << 30, 1 << 30), Method::Bitmap);
    assert_eq!(plan_of_six(8 << 30, 1 << 20), Method::Sort);
    assert_eq!(plan_of_six(1 << 30, 1 << 30), Method::Sort);
    let five = of_material::<u32>("KQRvKR", Numbering::Natural);
    let plans = [30, 64, 128].map(|mib| {
        let reduction = reduction(temp.path(), mib * MIB, 2, Method::Auto);
        reduction.plan(&five, None).unwrap()
    });
    assert_eq!(
        plans.map(|plan| plan.method),
        [Method::Sort, Method::Bitmap, Method::Bitmap]
    );
    assert_eq!((plans[1].threads, plans[2].threads), (1, 2));
    // A thousand threads would have some dozens of indices each.
    let many = reduction(temp.path(), Reduction::LEAST_MEMORY, 1024, Method::Sort);
    assert_eq!(many.plan(&five, None).unwrap().threads, 3);
    for (plan, mib) in plans.iter().zip([30, 64, 128]) {
        assert!(plan.memory <= mib * MIB);
    }
    let large = plan("KQRBvKRN", 256 * MIB, 1 << 28);
    assert_eq!(
        (large.method, large.temp_bytes >> 20),
        (Method::Sort, 1 << 10)
    );
}
