//! What the benches share: measuring, random indices, and the copy in memory that is the yardstick.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use tbindex::Material;
use tbindex::batch::BatchWord;
use tbindex::store::IndexFile;

use crate::random::Random;

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
    let fields = fields.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks = fields.skip(11).take(2).map(str::parse::<f64>);
    ticks.sum::<Result<f64, _>>().unwrap_or(f64::NAN) / 100.0
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

/// Random indices of a material.
pub(crate) fn indices<W: BatchWord>(random: &mut Random, count: usize, material: &str) -> Vec<W> {
    let material: Material = material.parse().unwrap();
    let bits = 6 * material.piece_count() as u32;
    let index = |_| W::truncate(random.bits(bits).into());
    (0..count).map(index).collect()
}

/// The time that copying the payloads of files to memory takes.
pub(crate) fn copy_of<W: BatchWord>(files: &[IndexFile]) -> Took {
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
