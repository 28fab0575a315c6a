//! Flips and canonical forms of large slices on one thread or several, as parts of memcpy's throughput on as many:
//! `cargo run --release -p tbindex-bench --example offsets -- MEBIBYTES THREADS`. Each line has an offset of the target
//! against the source within a page.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

use tbindex::batch::{Backend, parallel};
use tbindex::{Equivalence, Numbering, Symmetry};
use tbindex_bench::OFFSETS;
use tbindex_bench::random::Random;

/// The least seconds of six runs.
fn seconds(from: &[u32], to: &mut [u32], mut run: impl FnMut(&[u32], &mut [u32])) -> f64 {
    let times = (0..6).map(|_| {
        let begin = Instant::now();
        run(black_box(from), black_box(to));
        begin.elapsed().as_secs_f64()
    });
    times.fold(f64::MAX, f64::min)
}

/// Runs an operation on the threads of the pool.
fn on_all(from: &[u32], to: &mut [u32], run: impl Fn(Backend, &[u32], &mut [u32]) + Sync) {
    let backend = Backend::detect();
    if rayon::current_num_threads() == 1 {
        return run(backend, from, to);
    }
    let Ok(()) = parallel::try_for_each((from, to), backend, |backend, _, (from, to)| {
        run(backend, from, to);
        Ok::<_, Infallible>(())
    });
}

fn main() {
    let numbers = std::env::args()
        .skip(1)
        .map(|text| text.parse().expect("a number"));
    let numbers: Vec<usize> = numbers.collect();
    let [mebibytes, threads] = numbers[..] else {
        panic!("expected MEBIBYTES THREADS");
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().expect("threads");
    let count = mebibytes << 18;
    for numbering in Numbering::ALL {
        let material = "KQvKR".parse().expect("a material");
        let same = Equivalence::<u32>::try_new(material, numbering).expect("four pieces");
        let layout = same.layout();
        let source: Vec<u32> = Random::new(1).numbers(count, 24);
        let mut room = vec![1; count + 2048];
        let word = |slice: &[u32]| slice.as_ptr().addr() / 4;
        let first = (1024 + word(&source) % 1024 - word(&room) % 1024) % 1024;
        for offset in OFFSETS {
            let to = &mut room[first + offset / 4..][..count];
            let copy = seconds(&source, to, |from, to| {
                let size = count.div_ceil(threads);
                rayon::scope(|scope| {
                    for (from, to) in from.chunks(size).zip(to.chunks_mut(size)) {
                        scope.spawn(|_| to.copy_from_slice(from));
                    }
                });
            });
            print!("{numbering} {offset:>4} B:");
            for symmetry in [Symmetry::FlipVertical, Symmetry::FlipDiagonal] {
                let flipped = seconds(&source, to, |from, to| {
                    on_all(from, to, |backend, from, to| {
                        backend.flip_into(&layout, symmetry, from, to);
                    });
                });
                let right = |(&x, &y): (&u32, &u32)| layout.flip(symmetry, x) == y;
                assert!(source.iter().zip(&*to).step_by(997).all(right));
                print!(" {symmetry} {:.2}", copy / flipped);
            }
            let canonical = seconds(&source, to, |from, to| {
                on_all(from, to, |backend, from, to| {
                    backend.canonical_into(&same, from, to);
                });
            });
            let right = |(&x, &y): (&u32, &u32)| same.canonical(x) == y;
            assert!(source.iter().zip(&*to).step_by(997).all(right));
            println!(" canonical {:.2}", copy / canonical);
        }
    }
}
