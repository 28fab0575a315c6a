//! Short-range pieces: the batch classifier, the census and the solver of mates beside plain loops over pieces.
//!
//! Names read operation/backend/threads. All counts are of pieces, so that the throughputs compare;
//! the reference runs on every 1009th piece, as one run over all takes half a minute.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tbindex::Leaper;
use tbindex::batch::Backend;
use tbindex::fairy::reference::Reference;
use tbindex::fairy::{Census, Classifier, Grid, MateSolver, MatingPower, VerdictWord};

/// A prime, so that every move is in half of the pieces.
const STEP: usize = 1009;

fn classify(c: &mut Criterion) {
    let pieces: Vec<Leaper> = Leaper::all().step_by(STEP).collect();
    let classifier = Classifier::new(Grid::CHESS);
    let oracle = Reference::new(8, 8);
    let mut verdicts = vec![VerdictWord::default(); pieces.len()];
    classifier.classify_into(&pieces, &mut verdicts);
    for (&piece, verdict) in pieces.iter().zip(&verdicts) {
        assert_eq!(verdict.facts(piece), oracle.classify(piece.bits()));
    }

    let mut group = c.benchmark_group("fairy/classify");
    group.throughput(Throughput::Elements(pieces.len() as u64));
    group.bench_function(BenchmarkId::new("batch", 1), |b| {
        b.iter(|| classifier.classify_into(black_box(&pieces), &mut verdicts));
    });
    group.sample_size(10);
    group.bench_function(BenchmarkId::new("reference", 1), |b| {
        b.iter(|| {
            for piece in black_box(&pieces) {
                black_box(oracle.classify(piece.bits()));
            }
        });
    });
    group.finish();
}

fn census(c: &mut Criterion) {
    let mut group = c.benchmark_group("fairy/census");
    group.sample_size(10);
    group.throughput(Throughput::Elements(Leaper::COUNT.into()));
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads can be started");
        group.bench_function(BenchmarkId::new("batch", threads), |b| {
            // With the preparation for the board: that is what a census takes.
            b.iter(|| pool.install(|| Census::new(&Classifier::new(Grid::CHESS), &|_| {})));
        });
    }
    group.throughput(Throughput::Elements(
        u64::from(Leaper::COUNT) / STEP as u64 + 1,
    ));
    group.bench_function(BenchmarkId::new("reference", 1), |b| {
        let oracle = Reference::new(8, 8);
        b.iter(|| oracle.census((0..Leaper::COUNT).step_by(STEP)));
    });
    group.finish();
}

/// King and piece against king. Every piece is solved; the census solves one of each class, an eighth of them.
fn mates(c: &mut Criterion) {
    let pieces: Vec<Leaper> = Leaper::all().step_by(100 * STEP).collect();
    let mut group = c.benchmark_group("fairy/mates");
    group.sample_size(10);
    group.throughput(Throughput::Elements(pieces.len() as u64));
    let plain = |piece: &Leaper| MateSolver::plain(&Grid::CHESS, *piece);
    let expected: Vec<MatingPower> = pieces.iter().map(plain).collect();
    for backend in Backend::available() {
        let solver = MateSolver::new(Grid::CHESS, backend);
        let mut powers = vec![MatingPower::default(); pieces.len()];
        solver.solve_into(&pieces, &mut powers);
        assert_eq!(powers, expected, "{backend}");
        group.bench_function(BenchmarkId::new(backend.name(), 1), |b| {
            b.iter(|| solver.solve_into(black_box(&pieces), &mut powers));
        });
    }
    group.bench_function(BenchmarkId::new("plain", 1), |b| {
        b.iter(|| black_box(&pieces).iter().map(plain).collect::<Vec<_>>());
    });
    group.finish();
}

criterion_group!(benches, classify, census, mates);
criterion_main!(benches);
