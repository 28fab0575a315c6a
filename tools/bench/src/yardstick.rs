//! Work that takes seconds: its time, random indices for it, and the copy in memory that is the yardstick.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use tbindex::Material;
use tbindex::batch::BatchWord;

use crate::random::Random;

/// The seconds that a piece of work took: the best of several times.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// On the clock.
    pub wall: f64,
    /// Of processors, all threads together.
    pub processor: f64,
}

/// Does the work so many times.
pub fn measure(times: u32, mut work: impl FnMut()) -> Took {
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
    let fields = fields.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks = fields.skip(11).take(2).map(str::parse::<f64>);
    ticks.sum::<Result<f64, _>>().unwrap_or(f64::NAN) / 100.0
}

/// Prints a line: the time, the amount of work for each second, and how many times as fast as something else it is.
pub fn report(name: &str, took: Took, per: Option<(f64, &str)>, than: Option<(Took, &str)>) {
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
///
/// # Panics
/// If the text is no material.
#[must_use]
pub fn indices<W: BatchWord>(random: &mut Random, count: usize, material: &str) -> Vec<W> {
    let material: Material = material.parse().unwrap();
    let bits = 6 * material.piece_count() as u32;
    let index = |_| W::truncate(random.bits(bits).into());
    (0..count).map(index).collect()
}

/// The time that copying slices, which may be mapped files, to memory takes.
#[must_use]
pub fn copy_of<W: BatchWord>(slices: &[&[W]]) -> Took {
    let mut to = vec![W::ONE; slices.iter().map(|slice| slice.len()).sum()];
    measure(7, || {
        let mut rest = to.as_mut_slice();
        for slice in slices {
            let (here, after) = rest.split_at_mut(slice.len());
            here.copy_from_slice(slice);
            rest = after;
        }
        black_box(&mut to);
    })
}
