//! Inputs of fuzz targets, tried without a fuzzer.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::random::Random;

/// The folder of the fuzz targets, of the same repository as this package.
pub fn fuzz() -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut folders = above.map(|folder| folder.join("fuzz"));
    let fuzz = folders.find(|folder| folder.is_dir());
    fuzz.expect("the repository has fuzz targets")
}

/// The paths in a folder, in order.
pub fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut all: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// An input that is being tried. If that fails, it is written to a file, from which the fuzz target reads it, too.
struct Tried<'b>(&'static str, &'b [u8]);

impl Drop for Tried<'_> {
    fn drop(&mut self) {
        let Tried(target, bytes) = *self;
        if std::thread::panicking() {
            let folder = fuzz().join("artifacts");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(target), bytes).unwrap();
            eprintln!("the input is in {}", folder.join(target).display());
        }
    }
}

/// Numbers at the ends of their ranges.
const ENDS: [u64; 9] = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, !0 >> 1, !0];

/// Changes some places: bits, bytes, numbers at the ends of their ranges, stretches that are missing, repeated, or from
/// another input.
fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let mut below = |end: usize| (random.bits(32) as usize) % end.max(1);
    for _ in 0..=below(4) {
        let at = below(bytes.len());
        let length = below((bytes.len() - at + 1).min(64));
        let (removed, put) = match below(8) {
            _ if bytes.is_empty() => (0, other.to_vec()),
            0 | 1 => (1, vec![bytes[at] ^ 1 << below(8)]),
            2 => (1, vec![below(256) as u8]),
            3 => {
                let number = ENDS[below(ENDS.len())].to_le_bytes();
                let size = [1, 2, 4, 8][below(4)].min(bytes.len() - at);
                (size, number[..size].to_vec())
            }
            4 => (length, Vec::new()),
            5 => (0, bytes[at..at + length].to_vec()),
            6 => (0, (0..length).map(|_| below(256) as u8).collect()),
            _ => {
                let from = below(other.len());
                let to = from + below(other.len() - from + 1);
                (length, other[from..to].to_vec())
            }
        };
        bytes.splice(at..at + removed, put);
    }
}

/// The law of a fuzz target holds for its stored inputs, and for changes of them, which are tried for
/// `TBINDEX_FUZZ_SECONDS`, one if that is not set.
pub fn holds<R>(target: &'static str, law: fn(&[u8]) -> R) {
    let seconds = std::env::var("TBINDEX_FUZZ_SECONDS").map_or(1.0, |text| text.parse().unwrap());
    let begin = Instant::now();
    let seeds: Vec<Vec<u8>> = (paths(&fuzz().join("seeds").join(target)).iter())
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    let mut count = 0;
    let mut try_one = |bytes: &[u8]| {
        let tried = Tried(target, bytes);
        law(tried.1);
        count += 1;
    };
    seeds.iter().for_each(|seed| try_one(seed));
    let mut random = Random::new(1);
    while begin.elapsed() < Duration::from_secs_f64(seconds) {
        let mut any = || &seeds[random.bits(32) as usize % seeds.len()];
        let (mut bytes, other) = (any().clone(), any());
        change(&mut bytes, other, &mut random);
        try_one(&bytes);
    }
    // Not `eprintln!`, whose text the test harness shows only of tests that fail.
    let spent = begin.elapsed().as_secs_f64();
    let stored = seeds.len();
    let _ = writeln!(
        std::io::stderr(),
        "{target}: {count} inputs, {stored} of them stored, in {spent:.1} s"
    );
}

/// Makes a test for each fuzz target, by the target's name and its law. [`holds`] must be in scope.
#[macro_export]
macro_rules! corpora {
    ($($target:ident: $law:path;)*) => {
        $(#[test]
        fn $target() {
            holds(stringify!($target), $law);
        })*
    };
}
