//! The time that tables take, by what a small one takes on the machine where they are solved.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use tbindex::batch::Backend;

use super::Plan;
use crate::chess::pawns::Pawns;
use crate::solve::levels::solve_shape;
use crate::solve::options::Options;
use crate::subtables::library::{Library, SolveError};
use crate::table::shape::{Shape, ShapeError};
use crate::table::value::Metric;

/// The seconds that a thread takes to solve a slot of both sides, to solve a part besides, and to write a slot of both
/// sides. Measured, as the next ones were, on a machine whose pace is 1.
const SOLVE_SLOT: f64 = 1.0e-8;
const SOLVE_PART: f64 = 1e-4;
const WRITE_SLOT: f64 = 1.2e-8;

/// The seconds that a thread takes for a slot of what a promotion leads to, where that is too large to be at hand.
const PROMOTE_SLOT: f64 = 1.2e-9;

/// The seconds that a thread takes to write Syzygy files of a table, and a slot of both sides to these.
const EXPORT: f64 = 0.1;
const EXPORT_SLOT: f64 = 1.2e-7;

/// How much longer it takes to solve a table by the distance to mate. Measured: 2.0 for KRPvKR, 2.9 for KRRvKRB.
const MATE: f64 = 2.5;

/// The table that each thread solves to find the pace, in some five megabytes.
const SMALL: &str = "KRvKN";

/// The bytes that are written to find a disk's speed, the bytes of a piece of these, and the time after which no more are written.
const WRITTEN: usize = 64 << 20;
const PIECE: usize = 8 << 20;
const LONG_ENOUGH: Duration = Duration::from_millis(100);

/// The speed of a machine, as it was measured there.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// The threads that work at the same time.
    threads: f64,
    /// How many times as long work takes as on the machine of the constants.
    pace: f64,
    /// The bytes of sets in files that are read or written in a second.
    pub disk: f64,
}

impl Speed {
    /// Measures how fast the threads of the current rayon pool solve, and how fast a folder's disk takes what is written, if there is
    /// one. It takes some tenths of a second.
    ///
    /// # Errors
    /// If the system refuses, or `stop` is set.
    pub fn measure(
        backend: Backend,
        disk: Option<&Path>,
        stop: &AtomicBool,
    ) -> Result<Speed, SolveError> {
        // More threads than processors are no faster.
        let processors = available_parallelism().map_or(1, usize::from);
        let threads = rayon::current_num_threads().min(processors);
        let (shape, smaller) = small()?;
        let options = Options::new(Metric::Dtz, backend, stop);
        let mut library = Library::default();
        for shape in &smaller {
            library.insert(solve_shape(shape, &library, options)?);
        }
        let begin = Instant::now();
        let solvers = (0..threads).into_par_iter();
        solvers.try_for_each(|_| solve_shape(&shape, &library, options).map(drop))?;
        let pace = begin.elapsed().as_secs_f64() / work(&shape, Metric::Dtz);
        Ok(Speed {
            threads: threads as f64,
            pace,
            disk: match disk {
                Some(folder) => disk_speed(folder).map_err(|error| {
                    let what = format!("can't measure the disk of {}: {error}", folder.display());
                    io::Error::new(error.kind(), what)
                })?,
                None => f64::INFINITY,
            },
        })
    }

    /// The seconds of work that is shared by threads.
    fn shared(&self, work: f64, threads: f64) -> f64 {
        self.pace * work / threads.min(self.threads)
    }

    /// The seconds that it takes to solve and to write tables one after the other, roughly.
    #[must_use]
    pub fn seconds<'a>(&self, tables: impl IntoIterator<Item = (&'a Shape, Plan)>) -> [f64; 2] {
        let (mut solve, mut write) = (0.0, 0.0);
        for (shape, plan) in tables {
            let working = match shape.any_domain().slices() {
                1 => plan.parts as f64,
                _ => f64::INFINITY,
            };
            solve += self.shared(work(shape, plan.metric), working)
                + plan.all_traffic(shape) as f64 / self.disk;
            write += self.shared(shape.slots() as f64 * WRITE_SLOT, f64::INFINITY);
        }
        [solve, write]
    }

    /// The seconds that it takes to write Syzygy files of solved tables, roughly.
    #[must_use]
    pub fn export_seconds<'a>(&self, shapes: impl IntoIterator<Item = &'a Shape>) -> f64 {
        let each = shapes.into_iter();
        let each = each.map(|shape| EXPORT + shape.slots() as f64 * EXPORT_SLOT);
        self.shared(each.sum(), f64::INFINITY)
    }
}

/// The small table, and those that it needs.
fn small() -> Result<(Shape, Vec<Shape>), ShapeError> {
    let small = SMALL.parse().expect("a material");
    let mut shapes = Shape::needed_by(small)?;
    let own = shapes.pop().expect("the last is its own");
    Ok((own, shapes))
}

/// The bytes that a folder's disk takes in a second, by a file that is gone again.
fn disk_speed(folder: &Path) -> io::Result<f64> {
    let mut file = tempfile::tempfile_in(folder)?;
    // Some disks compress.
    let byte = |number: u32| (number.wrapping_mul(0x9e37_79b9) >> 24) as u8;
    let piece: Vec<u8> = (0..PIECE as u32).map(byte).collect();
    let (begin, mut written) = (Instant::now(), 0);
    while written < WRITTEN && begin.elapsed() < LONG_ENOUGH {
        file.write_all(&piece)?;
        file.sync_data()?;
        written += PIECE;
    }
    Ok(written as f64 / begin.elapsed().as_secs_f64())
}

/// The seconds that a thread takes to solve a table, at a pace of 1.
fn work(shape: &Shape, metric: Metric) -> f64 {
    let (slots, parts) = (shape.slots() as f64, shape.parts() as f64);
    let longer = match metric {
        Metric::Dtz => 1.0,
        _ => MATE,
    };
    longer * (slots * SOLVE_SLOT + parts * SOLVE_PART + promoted_slots(shape) * PROMOTE_SLOT)
}

/// The slots of all that promotions lead to, each time, if it is too large to be at hand.
fn promoted_slots(shape: &Shape) -> f64 {
    /// The bytes of a set that is.
    const LARGE: u64 = 2 << 20;
    let part = shape.slots() / shape.parts() as u64;
    let after = match shape.pawns(0).occupied().len() {
        0 => return 0.0,
        // A table without pawns, whose kings have slices.
        1 => part / 64 * 462,
        _ => part * 64,
    };
    if after / 8 <= LARGE {
        return 0.0;
    }
    let pawns = (0..shape.parts()).map(|number| shape.pawns(number));
    let left = |pawns: &Pawns| pawns.without_promoting().occupied().len();
    let promoting = pawns.map(|pawns| u64::from(pawns.occupied().len() - left(&pawns)));
    4.0 * promoting.sum::<u64>() as f64 * after as f64
}
