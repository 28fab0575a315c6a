//! Index files beside their yardsticks, each pair in one run: reductions beside the straightforward
//! pipeline, everything that streams beside a copy in memory.
//!
//! `cargo bench --bench store`, or a part of it: `cargo bench --bench store -- reduce`. The work takes
//! seconds, so each is done a few times and the best time counts; `TBINDEX_BENCH_SCALE=10` makes the
//! sets ten times larger. The processor time is that of all threads. Every result is checked first.

use std::fs;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use tbindex::batch::{Backend, Vectors};
use tbindex::measure::rivals::Tables;
use tbindex::store::{
    BlockBuffer, Contents, IndexFile, IndexWriter, Method, Overwrite, Reduction, SetOperation,
    Storage,
};
use tbindex::{Color, Enumeration, Equivalence, Numbering, Stage};

/// What a piece of work took, in seconds: the best of several times.
#[derive(Clone, Copy)]
struct Took {
    wall: f64,
    processor: f64,
}

fn measure(times: u32, mut work: impl FnMut()) -> Took {
    let mut best = Took {
        wall: f64::INFINITY,
        processor: f64::INFINITY,
    };
    for _ in 0..times {
        let (start, before) = (Instant::now(), processor_seconds());
        work();
        best.wall = best.wall.min(start.elapsed().as_secs_f64());
        best.processor = best.processor.min(processor_seconds() - before);
    }
    best
}

/// The processor time of this process so far, where the system says it (in hundredths of a second).
fn processor_seconds() -> f64 {
    let fields = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = fields
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|f| f.parse::<f64>().ok())
            .unwrap_or(f64::NAN)
    };
    (ticks(11) + ticks(12)) / 100.0
}

fn report(name: &str, took: Took, per: Option<(f64, &str)>, than: Option<(Took, &str)>) {
    let mut line = format!(
        "{name:<44} {:>8.3} s {:>8.2} s cpu",
        took.wall, took.processor
    );
    if let Some((amount, unit)) = per {
        line += &format!("  {:>8.2} {unit}", amount / took.wall);
    }
    if let Some((other, what)) = than {
        line += &format!(
            "  {:>5.2} x {what} (cpu {:.2})",
            other.wall / took.wall,
            other.processor / took.processor
        );
    }
    println!("{line}");
}

struct Random(u64);

impl Random {
    fn bits(&mut self, bits: u32) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> (64 - bits)
    }

    fn indices<W: Vectors>(&mut self, count: usize, pieces: usize) -> Vec<W> {
        let bits = 6 * pieces as u32;
        (0..count)
            .map(|_| W::truncate(self.bits(bits).into()))
            .collect()
    }

    fn set<W: Vectors>(&mut self, count: usize, pieces: usize) -> Vec<W> {
        let mut set = self.indices(count, pieces);
        set.sort_unstable();
        set.dedup();
        set
    }
}

fn go_on<T>(_: T) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn reductions<W: Vectors>(material: &str, count: usize, methods: &[Method]) {
    let same =
        Equivalence::<W>::of_material(&material.parse().unwrap(), Numbering::Natural).unwrap();
    let indices: Vec<W> = Random(88_172_645_463_325_252).indices(count, same.layout().pieces());
    println!(
        "\nreduce {count} random indices of {material} ({} bits)",
        W::BITS
    );

    let tables = Tables::new(&same.layout());
    let mut expected = Vec::new();
    let portable = Backend::from_name("portable").unwrap();
    let straightforward = measure(2, || {
        let mut all = vec![W::ZERO; indices.len()];
        tables.canonical(portable, &indices, &mut all);
        all.sort_unstable();
        all.dedup();
        expected = all;
    });
    report(
        "straightforward: look-up, sort, dedup",
        straightforward,
        None,
        None,
    );
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
                let slices = [(Numbering::Natural, indices.as_slice())];
                let take = |some: &[W]| {
                    reduced.extend_from_slice(some);
                    Ok(())
                };
                reduction.reduce(same.clone(), slices, go_on, take).unwrap();
            });
            assert!(reduced == expected);
            let rate = Some((count as f64 / 1e6, "M/s"));
            let than = Some((straightforward, "straightforward"));
            report(&format!("{method}, {threads} threads"), took, rate, than);
        }
    }
}

fn write<W: Vectors>(path: &Path, material: &str, set: &[W], compact: bool, claims: bool) {
    let contents = Contents::new(material.parse().unwrap(), Numbering::Natural);
    let contents = Contents {
        sorted: claims,
        distinct: claims,
        ..contents
    };
    let create = match compact {
        true => IndexWriter::create_compact,
        false => IndexWriter::create,
    };
    let mut writer = create(path, contents, Overwrite::Replace).unwrap();
    writer.write(set).unwrap();
    writer.finish().unwrap();
}

/// The time that copying the payloads of files to memory takes.
fn copy_of<W: Vectors, D: AsRef<[u8]>>(files: &[IndexFile<D>]) -> Took {
    let slices: Vec<&[W]> = files.iter().map(|file| file.indices().unwrap()).collect();
    let mut to = vec![W::ONE; slices.iter().map(|slice| slice.len()).sum()];
    measure(7, || {
        let mut rest = to.as_mut_slice();
        for slice in &slices {
            let (here, after) = rest.split_at_mut(slice.len());
            here.copy_from_slice(slice);
            rest = after;
        }
        black_box(&mut to);
    })
}

fn set_operations<W: Vectors>(material: &str, count: usize) {
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
        let files = names.map(|name| IndexFile::open(&path(name)).unwrap());
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
                    operation.of_files(&files, threads, go_on, take).unwrap();
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
        let watch = go_on::<u64>;
        SetOperation::Union
            .of_files(&files, 1, watch, take)
            .unwrap();
    }
}

fn same_pieces(material: &str) -> usize {
    material.parse::<tbindex::Material>().unwrap().piece_count()
}

fn read_blocks<W: Vectors, D: Storage>(file: &IndexFile<D>) -> u64 {
    let mut buffer = BlockBuffer::<W>::new();
    let mut count = 0;
    for number in 0..file.header().block_count {
        count += black_box(file.read_block(number, &mut buffer).unwrap()).len() as u64;
    }
    count
}

fn verification<W: Vectors>(material: &str, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let same =
        Equivalence::<W>::of_material(&material.parse().unwrap(), Numbering::Natural).unwrap();
    let indices = Random(5).indices::<W>(count, same.layout().pieces());
    let mut reduced: Vec<W> = Vec::new();
    let slices = [(Numbering::Natural, indices.as_slice())];
    let take = |some: &[W]| {
        reduced.extend_from_slice(some);
        Ok(())
    };
    let reduction = Reduction::default();
    reduction.reduce(same, slices, go_on, take).unwrap();
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
    let plain = IndexFile::open(&path("plain")).unwrap();
    let copy = copy_of::<W, _>(&[plain]);
    let bytes = (reduced.len() * size_of::<W>()) as f64 / 1e9;
    report(
        "memcpy of the plain file",
        copy,
        Some((bytes, "GB/s")),
        None,
    );
    for name in ["plain", "compact"] {
        let file = IndexFile::open(&path(name)).unwrap();
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
                file.verify_parallel(threads, |_| {}).unwrap();
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

fn compression() {
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
        let mut all = Enumeration::<u32>::try_new(&material, Numbering::Natural)
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

fn main() {
    let scale: f64 =
        std::env::var("TBINDEX_BENCH_SCALE").map_or(1.0, |scale| scale.parse().expect("a number"));
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str()));
    let millions = |count: f64| (count * scale * 1e6) as usize;
    println!("backend {}", Backend::detect());
    if wants("reduce5") {
        reductions::<u32>("KQRvKR", millions(20.0), &[Method::Bitmap, Method::Sort]);
    }
    if wants("reduce7") {
        reductions::<u64>("KQRBvKRN", millions(10.0), &[Method::Sort]);
    }
    if wants("sets5") {
        set_operations::<u32>("KQRvKR", millions(20.0));
    }
    if wants("sets7") {
        set_operations::<u64>("KQRBvKRN", millions(10.0));
    }
    if wants("verify5") {
        verification::<u32>("KQRvKR", millions(20.0));
    }
    if wants("verify7") {
        verification::<u64>("KQRBvKRN", millions(10.0));
    }
    if wants("compress") {
        compression();
    }
}
