//! What streams over files beside a copy in memory: set algebra, reading, verifying; and compression.

use std::hint::black_box;
use std::path::Path;

use tbindex::batch::BatchWord;
use tbindex::store::{
    BlockBuffer, Contents, IndexFile, IndexWriter, Overwrite, Reduction, SetOperation, Storage,
    unwatched,
};
use tbindex::{Color, Enumeration, Equivalence, Numbering, Stage};

use super::yardstick::{Random, copy_of, map, measure, report, same_pieces, write};

pub(crate) fn set_operations<W: BatchWord>(material: &str, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let pieces = same_pieces(material);
    let mut random = Random(3);
    let sets: [Vec<W>; 2] = [random.set(count, pieces), random.set(count, pieces)];
    let few: Vec<W> = random.set(count / 1000, pieces);
    let path = |name: &str| folder.path().join(name);
    write(&path("a"), material, &sets[0], false, true);
    write(&path("b"), material, &sets[1], false, true);
    write(&path("few"), material, &few, false, true);
    println!("\nset algebra of two sets of {count} random indices of {material}, mapped");
    for names in [["a", "b"], ["a", "few"]] {
        let files = names.map(|name| map(&path(name)));
        let copy = copy_of::<W, _>(&files);
        let bytes: u64 = files.iter().map(|file| file.header().payload_bytes).sum();
        let rate = Some((bytes as f64 / 1e9, "GB/s"));
        report(
            &format!("memcpy of {} and {}", names[0], names[1]),
            copy,
            rate,
            None,
        );
        let [a, b] = [0, 1].map(|k| files[k].indices::<W>().unwrap());
        for operation in SetOperation::ALL {
            let expected = operation.of_slices(a, b);
            for threads in [1, 2] {
                let mut count = 0;
                let took = measure(5, || {
                    count = 0;
                    let take = |some: &[W]| {
                        count += black_box(some).len();
                        Ok(())
                    };
                    operation
                        .combine_files(&files, take, threads, unwatched)
                        .unwrap();
                });
                assert_eq!(count, expected.len());
                let name = format!("{operation}, {threads} threads");
                report(&name, took, rate, Some((copy, "memcpy")));
            }
        }
        let take = |some: &[W]| {
            black_box(some);
            Ok(())
        };
        SetOperation::Union
            .combine_files(&files, take, 1, unwatched)
            .unwrap();
    }
}

pub(crate) fn read_blocks<W: BatchWord, D: Storage>(file: &IndexFile<D>) -> u64 {
    let mut buffer = BlockBuffer::<W>::new();
    let mut count = 0;
    for number in 0..file.header().block_count {
        count += black_box(file.read_block(number, &mut buffer).unwrap()).len() as u64;
    }
    count
}

pub(crate) fn verification<W: BatchWord>(material: &str, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let same =
        Equivalence::<W>::of_material(material.parse().unwrap(), Numbering::Natural).unwrap();
    let indices = Random(5).indices::<W>(count, same.layout().pieces());
    let mut reduced: Vec<W> = Vec::new();
    let slices = [(Numbering::Natural, indices.as_slice())];
    let take = |some: &[W]| {
        reduced.extend_from_slice(some);
        Ok(())
    };
    let reduction = Reduction::default();
    reduction.reduce(same, slices, take, unwatched).unwrap();
    let contents = Contents::new(material.parse().unwrap(), Numbering::Natural).reduced();
    for (name, compact) in [("plain", false), ("compact", true)] {
        let create = match compact {
            true => IndexWriter::create_compact,
            false => IndexWriter::create,
        };
        let mut writer = create(&path(name), contents, Overwrite::Replace).unwrap();
        writer.write(&reduced).unwrap();
        writer.finish().unwrap();
    }
    println!(
        "\nverify and read {} indices of {material}, mapped",
        reduced.len()
    );
    let plain = map(&path("plain"));
    let copy = copy_of::<W, _>(&[plain]);
    let bytes = (reduced.len() * size_of::<W>()) as f64 / 1e9;
    report(
        "memcpy of the plain file",
        copy,
        Some((bytes, "GB/s")),
        None,
    );
    for name in ["plain", "compact"] {
        let file = map(&path(name));
        let bits = 8.0 * file.header().file_bytes() as f64 / reduced.len() as f64;
        println!("{name}: {bits:.2} bits an index");
        let rate = Some((bytes, "GB/s of words"));
        let than = Some((copy, "memcpy"));
        let took = measure(5, || {
            assert_eq!(read_blocks::<W, _>(&file), reduced.len() as u64);
        });
        report(&format!("read the blocks, {name}"), took, rate, than);
        for threads in [1, 2] {
            let took = measure(5, || {
                file.verify(threads, unwatched).unwrap();
            });
            report(
                &format!("verify {name}, {threads} threads"),
                took,
                rate,
                than,
            );
        }
        let took = measure(3, || {
            for k in 0..100_000 {
                let at = k * 7919 % reduced.len();
                let index: u128 = reduced[at].into();
                assert_eq!(file.position(index as u64).unwrap(), Some(at as u64));
            }
        });
        report(&format!("find, {name}"), took, Some((0.1, "M/s")), None);
    }
}

pub(crate) fn compression() {
    println!("\ncompressed sets");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let set: Vec<u32> = Random(9).set(1_000_000, 5);
    write(&path, "KQRvKR", &set, true, true);
    let bits = |path: &Path| {
        let header = *IndexFile::open(path).unwrap().header();
        8.0 * header.file_bytes() as f64 / header.count as f64
    };
    let entropy = (std::f64::consts::E * 2f64.powi(30) / set.len() as f64).log2();
    println!(
        "a million random indices of 5 pieces: {:.2} bits each, entropy {entropy:.2}",
        bits(&path)
    );
    for canonical in [false, true] {
        let material = "KQvKR".parse().unwrap();
        let mut all = Enumeration::<u32>::try_new(material, Numbering::Natural)
            .unwrap()
            .stage(Stage::Legal, Color::White);
        if canonical {
            all = all.canonical_only();
        }
        let mut set = Vec::new();
        for chunk in 0..all.chunk_count() {
            all.chunk(chunk, &mut set);
        }
        write(&path, "KQvKR", &set, true, true);
        let which = if canonical { "canonical" } else { "all" };
        println!(
            "legal KQvKR, {which}: {} indices, {:.2} bits each",
            set.len(),
            bits(&path)
        );
    }
}
