//! Compares and measures batches: `batch FOLDER [POSITIONS [MATERIAL]] [--syzygy FOLDER] [--cold]`.
//!
//! Random legal positions of all chess tables in a folder, or of one, in both colours and with the right to capture en passant,
//! are probed as a batch on one thread, and the first million of them one after the other, which must give the same. With
//! `--syzygy`, all outcomes and distances are compared with those of Syzygy files, which may be rounded. Rates are by processor
//! time. With `--cold`, the time to read the tables' files once, dropped from the system's cache before (by GNU `dd`), is set
//! beside that of a batch on files dropped likewise, and of the same batch again.

#[path = "../tests/support/positions.rs"]
mod positions;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use syzygy_tables::batch::BatchProber as SyzygyProber;
use tbgen::{BatchProber, Failure, GamePosition, Metric, Tables, Value};
use tbindex::Material;

const LOOPED: usize = 1_000_000;
const MEMORY: usize = 512 << 20;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The processor time of this process in seconds.
fn seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux tells it");
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// A result, and the millions a second of which it is one.
fn rate<T>(count: usize, work: impl FnOnce() -> T) -> (f64, T) {
    let begin = seconds();
    let result = work();
    let rate = count as f64 / 1e6 / (seconds() - begin).max(0.01);
    (rate, result)
}

/// Compares a batch with single probes.
fn compare(
    name: &str,
    positions: &[GamePosition],
    count: usize,
    batch: impl FnOnce() -> Vec<Result<(Value, bool), Failure>>,
    single: impl Fn(&GamePosition) -> Option<(Value, bool)>,
) {
    let (fast, answers) = rate(count, batch);
    let (slow, expected) = rate(positions.len(), || {
        positions.iter().map(single).collect::<Vec<_>>()
    });
    let mut same = 0;
    for ((position, answer), expected) in positions.iter().zip(answers).zip(expected) {
        assert_eq!(answer.ok(), expected, "{}", position.fen());
        same += usize::from(expected.is_some());
    }
    println!(
        "{name}: {fast:.2} million a second, the loop {slow:.2}, {:.1} times; {same} answers are the same",
        fast / slow
    );
}

/// The paths of the tables that a folder has of materials, by some metric.
fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|end| end.to_str());
        if matches!(extension, Some("tbg" | "tbm" | "tbmp")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Drops files from the system's cache.
fn drop_from_cache(files: &[PathBuf]) -> Outcome<()> {
    for file in files {
        let of = format!("of={}", file.display());
        let dd = Command::new("dd")
            .args([
                &of,
                "oflag=nocache",
                "conv=notrunc,fdatasync",
                "count=0",
                "status=none",
            ])
            .status()?;
        assert!(dd.success(), "dd failed");
    }
    Ok(())
}

/// The time that it takes to read cold files once, that of a batch on cold files, and of the same again.
fn cold(files: &[PathBuf], batch: impl Fn()) -> Outcome<[Duration; 3]> {
    drop_from_cache(files)?;
    let begin = Instant::now();
    let mut buffer = vec![0; 1 << 20];
    for file in files {
        let mut file = File::open(file)?;
        while file.read(&mut buffer)? > 0 {}
    }
    let once = begin.elapsed();
    drop_from_cache(files)?;
    let begin = Instant::now();
    batch();
    let on_cold = begin.elapsed();
    let begin = Instant::now();
    batch();
    Ok([once, on_cold, begin.elapsed()])
}

fn main() -> Outcome<()> {
    let (mut plain, mut syzygy, mut is_cold) = (Vec::new(), None, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--syzygy" => syzygy = args.next(),
            "--cold" => is_cold = true,
            _ => plain.push(arg),
        }
    }
    let folder = PathBuf::from(plain.first().ok_or("a folder is needed")?);
    let count: usize = plain.get(1).map_or(Ok(LOOPED), |count| count.parse())?;
    let files = files(&folder)?;
    let names = files.iter().filter_map(|path| path.file_stem()?.to_str());
    let mut materials: Vec<Material> = match plain.get(2) {
        Some(name) => vec![name.parse()?],
        None => names.filter_map(|name| name.parse().ok()).collect(),
    };
    materials.dedup();

    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 31) % below
    };
    let (mut positions, mut boards) = (Vec::new(), Vec::with_capacity(count));
    let mut passing = 0;
    while boards.len() < count {
        let material = materials[random(materials.len() as u64) as usize];
        let position = positions::random_position(material, &mut random);
        boards.push(position.packed().ok_or("few pieces")?);
        if positions.len() < LOOPED {
            passing += usize::from(!position.fen().contains(" - - "));
            positions.push(position);
        }
    }
    println!(
        "{count} positions of {} materials, {passing} of the first {} with captures en passant",
        materials.len(),
        positions.len()
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let tables = Tables::open(&[&folder])?;
    let prober = BatchProber::new(&tables, MEMORY);
    let has = |metric: Metric| {
        let extensions = [Some(metric.extension()), metric.packed_extension()];
        files.iter().any(|path| {
            let end = path.extension().and_then(|end| end.to_str());
            end.is_some() && extensions.contains(&end)
        })
    };
    for metric in [Metric::Dtz, Metric::Dtm] {
        if has(metric) {
            let batch = || pool.install(|| prober.values(metric, &boards));
            let single = |position: &GamePosition| tables.value(metric, position).ok();
            compare(metric.name(), &positions, count, batch, single);
        }
    }
    if let Some(folder) = syzygy {
        let tables = syzygy_tables::Tables::open(folder)?;
        let published = SyzygyProber::new(&tables, MEMORY);
        let all = boards.chunks(1 << 20).flat_map(|boards| {
            let own = prober.values(Metric::Dtz, boards).into_iter();
            own.zip(published.probe(boards)).zip(boards.to_vec())
        });
        let mut same = 0;
        for ((own, other), board) in all {
            if let (Ok(own), Ok(other)) = (own, other) {
                let (own, _) = own;
                let more = i32::from(own.signed(Metric::Dtz)).abs() - other.dtz.plies.abs();
                let is_same = more == 0 || more == 1 && !other.dtz.exact;
                let found = (own.outcome, own == Value::loss(0), is_same);
                assert_eq!(found, (other.wdl, other.checkmate, true), "{board:?}");
                same += 1;
            }
        }
        println!("{same} of {count} answers are those of Syzygy files");
    }
    if is_cold {
        let of = |path: &&PathBuf| {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            stem.and_then(|name| name.parse().ok())
                .is_some_and(|own: Material| materials.contains(&own))
        };
        let metric = if has(Metric::Dtz) {
            Metric::Dtz
        } else {
            Metric::Dtm
        };
        let files: Vec<PathBuf> = files.iter().filter(of).cloned().collect();
        for _ in 0..3 {
            let [once, on_cold, again] = cold(&files, || {
                let prober = BatchProber::new(&tables, MEMORY);
                drop(prober.values(metric, &boards));
            })?;
            println!(
                "{} cold files: {once:.2?} to read them once, {on_cold:.2?} for the batch, and {again:.2?} for the same again",
                files.len()
            );
        }
    }
    Ok(())
}
