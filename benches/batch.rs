//! Batches beside their rivals: `SIZE/PLACE/WORD/NUMBERING/OPERATION/nPIECES/CONTENDER`.
//!
//! `cargo bench --bench batch`, or a part of it: `cargo bench --bench batch -- l1/into/u64`. Every
//! contender's results are checked against the look-up loop before it is timed. `tbindex bench`
//! measures the same in less time, the rivals in turn, and prints the ratios.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tbindex::Numbering;
use tbindex::batch::{Backend, BatchWord};

#[path = "../src/cli/bench/harness/mod.rs"]
mod harness;

use harness::{Arena, Contender, Operation, Plan, SizeClass, beyond_caches, contenders};

const PIECES: usize = 5;

fn bench<W: BatchWord>(c: &mut Criterion, plan: &Plan, size: SizeClass) {
    let working_set = size.working_set(plan.memory_bytes);
    let mut arena = Arena::<W>::new(PIECES, working_set);
    for in_place in [false, true] {
        let place = if in_place { "in_place" } else { "into" };
        for contender in contenders(plan, size, in_place) {
            let (numbering, operation, name) = match contender {
                Contender::Copy => ("any", "copy", "memcpy".to_owned()),
                Contender::Xor { backend, .. } => ("any", "xor", backend.to_string()),
                Contender::Batch {
                    backend,
                    operation,
                    numbering,
                    ..
                } => (numbering.name(), operation.name(), backend.to_string()),
                Contender::Table {
                    backend,
                    operation,
                    numbering,
                } => (
                    numbering.name(),
                    operation.name(),
                    format!("table_{backend}"),
                ),
                Contender::Plain {
                    backend,
                    operation,
                    numbering,
                } => (
                    numbering.name(),
                    operation.name(),
                    format!("plain_{backend}"),
                ),
                Contender::Bits { backend, operation } => {
                    ("natural", operation.name(), format!("bits_{backend}"))
                }
            };
            let in_place = matches!(
                contender,
                Contender::Batch { in_place: true, .. } | Contender::Xor { in_place: true, .. }
            );
            let count = arena.count(in_place);
            arena.check(contender, count.min(1 << 16));
            let group = format!(
                "{}/{place}/u{}/{numbering}/{operation}/n{PIECES}",
                size.name(),
                W::BITS
            );
            let mut group = c.benchmark_group(group);
            group.throughput(Throughput::Bytes((count * size_of::<W>()) as u64));
            group.bench_function(name, |b| b.iter(|| arena.run(contender, count)));
            group.finish();
        }
    }
}

fn batches(c: &mut Criterion) {
    let mut plan = Plan {
        backends: Backend::available().collect(),
        numberings: Numbering::ALL.to_vec(),
        pieces: PIECES,
        operations: Operation::ALL.to_vec(),
        memory_bytes: beyond_caches(),
    };
    for size in SizeClass::ALL {
        if size == SizeClass::Memory {
            // Beyond the caches the backends hardly differ, nor do the words.
            plan.backends = vec![Backend::detect()];
        } else {
            bench::<u32>(c, &plan, size);
        }
        bench::<u64>(c, &plan, size);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(200));
    targets = batches
}
criterion_main!(benches);
