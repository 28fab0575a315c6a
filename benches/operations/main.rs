//! Operations in memory beside what does the same by other means, under criterion: `cargo bench --bench operations`, or a
//! part of it, such as `cargo bench --bench operations -- dense/rank`. The parts are `index`, `dense`, `is_legal`,
//! `moves` and `fairy`. All results are compared before anything is timed. `tbindex bench` times
//! the other operations on batches.

mod bitbase;
mod dense;
mod fairy;
mod index;
mod legality;

use criterion::{criterion_group, criterion_main};
use tbindex_bench::race::quick;
use tbindex_bench::random::Random;

/// Numbers that look random, of so many bits.
fn numbers<T: TryFrom<u64>>(count: usize, bits: u32) -> Vec<T> {
    Random::new(1).numbers(count, bits)
}

criterion_group! {
    name = benches;
    config = quick();
    targets = index::all, dense::all, legality::all, bitbase::all, fairy::all
}
criterion_main!(benches);
