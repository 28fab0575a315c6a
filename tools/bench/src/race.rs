//! Pieces of code that do the same amount of work, under criterion.

use std::time::Duration;

use criterion::{Criterion, Throughput};

/// A piece of code with its name.
pub type Contender<'a> = (String, Box<dyn FnMut() + 'a>);

/// A contender of this name.
pub fn contender<'a>(name: impl Into<String>, code: impl FnMut() + 'a) -> Contender<'a> {
    (name.into(), Box::new(code))
}

/// Times pieces of code that do the same amount of work.
pub fn race<'a>(
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

/// Criterion with as few samples as work of microseconds needs.
#[must_use]
pub fn quick() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(200))
}
