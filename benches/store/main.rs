//! Index files beside their yardsticks, each pair in one run: reductions beside the straightforward
//! pipeline, everything that streams beside a copy in memory.
//!
//! `cargo bench --bench store` does all of it with sets of some ten million, or the parts that are named:
//! `reduce5`, `reduce7`, `sets5`, `sets7`, `verify5` and `verify7`. `TBINDEX_BENCH_SCALE=10` makes the sets ten times
//! larger: 200 million indices of 5 pieces, 100 million of 7; that takes 4 GiB of memory and some minutes.
//!
//! The work takes seconds, so each is done a few times and the best time counts. The processor time is
//! that of all threads. Every result in memory is checked first.

#[path = "../../tests/support/contents.rs"]
pub mod contents;
#[path = "../../tests/support/folder.rs"]
#[allow(clippy::missing_panics_doc, reason = "a bench fails by a panic")]
pub mod folder;
#[path = "../../tests/support/opened.rs"]
pub mod opened;
#[path = "../../tests/support/reductions.rs"]
pub mod reductions;

use std::hint::black_box;
use std::path::Path;

use tbindex::Numbering;
use tbindex::batch::Backend;
use tbindex::store::{
    IndexFile, Method, Overwrite, Reduction, SetOperation, StoredWord, Target, unwatched,
};

use tbindex_bench::random::Random;
use tbindex_bench::rivals::Tables;
use tbindex_bench::yardstick::{copy_of, indices, measure, report};

use contents::{distinct, write, write_compact};
use folder::Folder;
use opened::{map, words};
use reductions::{of_material, reduce_into};

fn main() {
    let scale: f64 =
        std::env::var("TBINDEX_BENCH_SCALE").map_or(1.0, |scale| scale.parse().expect("a number"));
    let names = std::env::args().skip(1);
    let wanted: Vec<String> = names.filter(|name| !name.starts_with('-')).collect();
    // All files are on the disk of the current folder.
    tempfile::env::override_temp_dir(Path::new(".")).expect("nobody else says where they are");
    let [five, seven] = [20.0, 10.0].map(|millions| (millions * scale * 1e6) as usize);
    println!("backend {}, scale {scale}", Backend::detect());
    let parts: [(&str, &dyn Fn()); 6] = [
        ("reduce5", &|| {
            reduction::<u32>("KQRvKR", five, &[Method::Bitmap, Method::Sort]);
        }),
        ("reduce7", &|| {
            reduction::<u64>("KQRBvKRN", seven, &[Method::Sort]);
        }),
        ("sets5", &|| set_operations::<u32>("KQRvKR", five)),
        ("sets7", &|| set_operations::<u64>("KQRBvKRN", seven)),
        ("verify5", &|| verification::<u32>("KQRvKR", five)),
        ("verify7", &|| verification::<u64>("KQRBvKRN", seven)),
    ];
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|wanted| name.contains(&wanted[..])) {
            part();
        }
    }
}

/// Reductions in memory beside the straightforward pipeline.
fn reduction<W: StoredWord>(material: &str, count: usize, methods: &[Method]) {
    let same = of_material::<W>(material, Numbering::Natural);
    let indices: Vec<W> = indices(&mut Random::new(1), count, material);
    let bits = W::BITS;
    println!("\nreduce {count} random indices of {material} ({bits} bits)");
    let tables = Tables::new(&same.layout());
    let portable = "portable".parse::<Backend>().unwrap();
    let mut expected = Vec::new();
    let straightforward = measure(2, || {
        let mut all = vec![W::ZERO; indices.len()];
        tables.canonical(portable, &indices, &mut all);
        all.sort_unstable();
        all.dedup();
        expected = all;
    });
    let name = "straightforward: look-up, sort, dedup";
    report(name, straightforward, None, None);
    for &method in methods {
        for threads in [1, 2] {
            let reduction = Reduction {
                memory: 8 << 30,
                threads,
                method,
                ..Reduction::default()
            };
            let mut reduced: Vec<W> = Vec::new();
            let took = measure(3, || {
                reduced.clear();
                reduced.reserve_exact(expected.len());
                let reducer = reduction.reducer(same.clone(), None).unwrap();
                reduce_into(reducer, Numbering::Natural, &indices, count, &mut reduced);
            });
            assert!(reduced == expected);
            let rate = Some((count as f64 / 1e6, "M/s"));
            let than = Some((straightforward, "straightforward"));
            report(&format!("{method}, {threads} threads"), took, rate, than);
        }
    }
}

/// Set algebra of mapped files into a file, beside a copy in memory.
fn set_operations<W: StoredWord>(material: &str, count: usize) {
    let folder = Folder::new();
    let mut random = Random::new(3);
    for (name, count) in [("a", count), ("b", count), ("few", count / 1000)] {
        let mut set: Vec<W> = indices(&mut random, count, material);
        set.sort_unstable();
        set.dedup();
        write(&folder.path(name), distinct(material), &set).unwrap();
    }
    println!("\nset algebra of two sets of {count} random indices of {material}, mapped");
    for names in [["a", "b"], ["a", "few"]] {
        let files = names.map(|name| map(&folder.path(name)));
        let [a, b] = [0, 1].map(|k| words::<W>(&files[k]));
        let copy = copy_of(&[a, b]);
        let bytes: u64 = files.iter().map(|file| file.header().payload_bytes).sum();
        let rate = Some((bytes as f64 / 1e9, "GB/s"));
        report(&format!("memcpy of {names:?}"), copy, rate, None);
        for operation in SetOperation::ALL {
            let expected = operation.of_slices(a, b).len();
            for threads in [1, 2] {
                let target = Target::plain(folder.path("out"), Overwrite::Replace);
                let took = measure(5, || {
                    let combined = operation.combine_files_into(
                        &files,
                        &target,
                        1 << 30,
                        threads,
                        &mut unwatched,
                    );
                    assert_eq!(combined.unwrap().count, expected as u64);
                });
                let name = format!("{operation}, {threads} threads");
                report(&name, took, rate, Some((copy, "memcpy")));
            }
        }
    }
}

/// Reading and verifying mapped files beside a copy in memory.
fn verification<W: StoredWord>(material: &str, count: usize) {
    let folder = Folder::new();
    let random: Vec<W> = indices(&mut Random::new(5), count, material);
    let same = of_material(material, Numbering::Natural);
    let reducer = Reduction::default().reducer(same, None).unwrap();
    let mut reduced: Vec<W> = Vec::new();
    reduce_into(reducer, Numbering::Natural, &random, count, &mut reduced);
    let count = reduced.len();
    println!("\nverify and read {count} indices of {material}, mapped");
    write(&folder.path("plain"), distinct(material), &reduced).unwrap();
    write_compact(&folder.path("compact"), distinct(material), &reduced).unwrap();
    let copy = copy_of::<W>(&[words(&map(&folder.path("plain")))]);
    let bytes = size_of_val(&reduced[..]) as f64 / 1e9;
    let rate = Some((bytes, "GB/s"));
    report("memcpy of the plain file", copy, rate, None);
    for name in ["plain", "compact"] {
        let file = map(&folder.path(name));
        let bits = 8.0 * file.header().file_bytes() as f64 / count as f64;
        println!("{name}: {bits:.2} bits an index");
        let rate = Some((bytes, "GB/s of words"));
        let than = Some((copy, "memcpy"));
        let (reader, mut read) = (file.reader().unwrap(), vec![W::ZERO; count]);
        let took = measure(5, || reader.read_into(0, black_box(&mut read)).unwrap());
        assert!(read == reduced);
        report(&format!("read the indices, {name}"), took, rate, than);
        for threads in [1, 2] {
            let took = measure(5, || {
                file.verify(threads, &mut unwatched).unwrap();
            });
            let name = format!("verify {name}, {threads} threads");
            report(&name, took, rate, than);
        }
        look_ups(name, &file, &reduced);
    }
}

/// A million look-ups of indices in random and in ascending order, half of them in the file, beside searches of the
/// slice.
fn look_ups<W: StoredWord>(name: &str, file: &IndexFile, reduced: &[W]) {
    let mut random = Random::new(8);
    let mut asked: Vec<W> = (0..1_000_000u32)
        .map(|k| {
            let index = reduced[random.below(reduced.len() as u128) as usize];
            if k % 2 == 0 { index } else { index ^ W::ONE }
        })
        .collect();
    for order in ["random", "ascending"] {
        let rate = Some((1.0, "M/s"));
        let mut expected = vec![0; asked.len()];
        let slice = measure(3, || {
            for (rank, &index) in expected.iter_mut().zip(&asked) {
                *rank = reduced.partition_point(|&x| x < index) as u64;
            }
        });
        report(&format!("partition_point, {order}"), slice, rate, None);
        let than = Some((slice, "partition_point"));
        let mut found = vec![Ok(0); asked.len()];
        let took = measure(3, || {
            for (found, index) in found.iter_mut().zip(&asked) {
                *found = file.search(index.to_u64()).unwrap();
            }
        });
        let ranks = found.iter().map(|found| found.unwrap_or_else(|rank| rank));
        assert!(ranks.eq(expected));
        report(&format!("search, {name}, {order}"), took, rate, than);
        asked.sort_unstable();
    }
}
