//! What the benches share: measuring, random indices, files, and the copy in memory that is the yardstick.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use tbindex::Numbering;
use tbindex::batch::BatchWord;
use tbindex::store::{Contents, IndexFile, IndexWriter, Overwrite};

/// What a piece of work took, in seconds: the best of several times.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    pub(crate) wall: f64,
    pub(crate) processor: f64,
}

pub(crate) fn measure(times: u32, mut work: impl FnMut()) -> Took {
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
pub(crate) fn processor_seconds() -> f64 {
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

pub(crate) fn report(name: &str, took: Took, per: Option<(f64, &str)>, than: Option<(Took, &str)>) {
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

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self, bits: u32) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> (64 - bits)
    }

    pub(crate) fn indices<W: BatchWord>(&mut self, count: usize, pieces: usize) -> Vec<W> {
        let bits = 6 * pieces as u32;
        (0..count)
            .map(|_| W::truncate(self.bits(bits).into()))
            .collect()
    }

    pub(crate) fn set<W: BatchWord>(&mut self, count: usize, pieces: usize) -> Vec<W> {
        let mut set = self.indices(count, pieces);
        set.sort_unstable();
        set.dedup();
        set
    }
}

pub(crate) fn write<W: BatchWord>(
    path: &Path,
    material: &str,
    set: &[W],
    compact: bool,
    claims: bool,
) {
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

/// Maps a file.
#[expect(unsafe_code, reason = "mapping a file is unsafe, as it may change")]
pub(crate) fn map(path: &Path) -> IndexFile<impl AsRef<[u8]> + Sync + use<>> {
    // SAFETY: the file does not change.
    unsafe { IndexFile::map(path) }.unwrap()
}

/// The time that copying the payloads of files to memory takes.
pub(crate) fn copy_of<W: BatchWord, D: AsRef<[u8]>>(files: &[IndexFile<D>]) -> Took {
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

pub(crate) fn same_pieces(material: &str) -> usize {
    material.parse::<tbindex::Material>().unwrap().piece_count()
}
