//! The scalar index beside the per-piece look-up: `index/OPERATION/IMPLEMENTATION/NUMBERING/nPIECES`.
//!
//! `cargo bench --bench index`. Every pair is checked against each other before it is timed.

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use tbindex::{Equivalence, Group, Layout, LikePieces, Numbering, Symmetry, Word, reference};

/// As many indices as stay in the first-level cache.
const COUNT: usize = 1024;

fn indices<W: Word>(pieces: usize) -> Vec<W> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u128;
    (0..COUNT)
        .map(|_| {
            // A 128-bit linear congruential generator; its high bits are random enough.
            state = state
                .wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645)
                .wrapping_add(0x5851_f42d_4c95_7f2d);
            W::truncate(state >> 64 & ((1 << (6 * pieces)) - 1))
        })
        .collect()
}

/// One index at a time: the lowest bit of each answer goes into the next question, so that the calls
/// can neither overlap nor be made into vectors. The loop itself costs about two cycles a call.
fn chain<W: Word>(indices: &[W], f: impl Fn(W) -> W) -> W {
    indices
        .iter()
        .fold(W::ZERO, |last, &index| f(index ^ (last & W::ONE)))
}

fn compare<W: Word>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    indices: &[W],
    ours: impl Fn(W) -> W,
    theirs: impl Fn(W) -> W,
) {
    for &index in indices {
        assert_eq!(ours(index), theirs(index), "{name} of {index:#o}");
    }
    group.bench_function(format!("loopless/{name}"), |b| {
        b.iter(|| chain(indices, &ours));
    });
    group.bench_function(format!("reference/{name}"), |b| {
        b.iter(|| chain(indices, &theirs));
    });
}

fn all<W: Word>(c: &mut Criterion, pieces: usize) {
    let indices = indices::<W>(pieces);
    for numbering in Numbering::ALL {
        let name = format!("{numbering}/n{pieces}");
        let layout = Layout::<W>::new(pieces, numbering);
        for symmetry in [
            Symmetry::FlipVertical,
            Symmetry::FlipDiagonal,
            Symmetry::Rotate90,
        ] {
            let mut group = c.benchmark_group(format!("index/{symmetry}"));
            group.throughput(Throughput::Elements(COUNT as u64));
            compare(
                &mut group,
                &name,
                &indices,
                |x| layout.flip(symmetry, x),
                |x| reference::flip(pieces, numbering, symmetry, x),
            );
        }
        let mut group = c.benchmark_group("index/canonical");
        group.throughput(Throughput::Elements(COUNT as u64));
        let same = Equivalence::distinct(layout, Group::D4);
        compare(
            &mut group,
            &name,
            &indices,
            |x| same.canonical(x),
            |x| reference::canonical_by_folding(pieces, numbering, x),
        );
        group.finish();
        let mut group = c.benchmark_group("index/canonical_like_pair");
        group.throughput(Throughput::Elements(COUNT as u64));
        let like = LikePieces::try_new(&[0b11], pieces).expect("a sound pair");
        let same = Equivalence::try_new(layout, Group::D4, like).expect("a sound pair");
        compare(
            &mut group,
            &name,
            &indices,
            |x| same.canonical(x),
            |x| reference::canonical_like_by_folding(pieces, numbering, &[0b11], x),
        );
    }
}

fn benches(c: &mut Criterion) {
    all::<u32>(c, 3);
    all::<u32>(c, 5);
    all::<u64>(c, 10);
}

criterion_group!(index, benches);
criterion_main!(index);
