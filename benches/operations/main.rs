//! Operations in memory beside what does the same by other means, under criterion: `cargo bench --bench operations`, or a
//! part of it, such as `cargo bench --bench operations -- dense/rank`. The parts are `index`, `dense`, `is_legal`,
//! `moves`, `fairy` and `order`. All results are compared before anything is timed. `tbindex bench` times
//! the other operations on batches.

mod bitbase;
mod dense;
mod fairy;
mod index;
mod legality;
mod order;
#[path = "../../tests/support/random.rs"]
pub mod random;

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// A piece of code with its name.
type Contender<'a> = (String, Box<dyn FnMut() + 'a>);

fn contender<'a>(name: impl Into<String>, code: impl FnMut() + 'a) -> Contender<'a> {
    (name.into(), Box::new(code))
}

/// Times pieces of code that do the same amount of work.
fn race<'a>(
    c: &mut Criterion,
    name: impl Into<String>,
    work: Throughput,
    contenders: impl IntoIterator<Item = Contender<'a>>,
) {
    let mut group = c.benchmark_group(name);
    group.throughput(work);
    for (name, mut code) in contenders {
        group.bench_function(name, |b| b.iter(&mut code));
    }
    group.finish();
}

/// Numbers that look random, of so many bits.
fn numbers<T: TryFrom<u64>>(count: usize, bits: u32) -> Vec<T> {
    random::Random::new(1).numbers(count, bits)
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(200));
    targets = index::all, dense::all, legality::all, bitbase::all, fairy::all, order::all
}
criterion_main!(benches);
