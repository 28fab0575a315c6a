//! Dense numbers, one at a time and in batches, beside a generator's tables:
//! `dense/OPERATION/IMPLEMENTATION/MATERIAL`. The yardsticks of the batches are one XOR for each index
//! and the canonical form, `dense/yardstick/…`.
//!
//! `cargo bench --bench dense`. Every pair is checked against each other before it is timed.

use std::hint::black_box;

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use tbindex::batch::{self, Backend};
use tbindex::reference::dense::{LikeCounts, Tables};
use tbindex::{
    Compact, DenseBatch, Diagonal, Equivalence, Group, Kings, Layout, Material, Numbering, Orbit,
    Rules, Symmetry, Triangle, Word,
};

/// As many indices as stay in the first-level cache.
const COUNT: usize = 4096;

/// Numbers below `end`.
fn numbers(end: u32) -> Vec<u32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..COUNT)
        .map(|_| {
            // A linear congruential generator; its high bits are random enough.
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            (((state >> 32) * u64::from(end)) >> 32) as u32
        })
        .collect()
}

fn time(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    input: &[u32],
    f: impl Fn(u32) -> u32,
) {
    group.bench_function(name, |b| {
        b.iter(|| {
            input
                .iter()
                .map(|&x| f(black_box(x)))
                .fold(0, |sum, y| sum ^ y)
        });
    });
}

fn time_batch(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    input: &[u32],
    f: impl Fn(&[u32], &mut [u32]),
) {
    let mut output = vec![0; input.len()];
    group.bench_function(name, |b| {
        b.iter(|| f(black_box(input), black_box(&mut output)));
    });
}

fn yardsticks(c: &mut Criterion) {
    let mut group = c.benchmark_group("dense/yardstick");
    group.throughput(Throughput::Elements(COUNT as u64));
    let indices = numbers(1 << 30);
    let natural = Layout::natural(5);
    let same = Equivalence::distinct(Layout::alternate(5), Group::D4);
    time_batch(&mut group, "xor/n5", &indices, |from, to| {
        batch::flip_into(&natural, Symmetry::FlipVertical, from, to);
    });
    time_batch(&mut group, "canonical/n5", &indices, |from, to| {
        batch::canonical_into(&same, from, to);
    });
}

fn compare(
    c: &mut Criterion,
    name: &str,
    scheme: &impl DenseBatch<u32>,
    rank: Option<&dyn Fn(u32) -> Option<u64>>,
    unrank: Option<&dyn Fn(u64) -> u32>,
) {
    let slots = numbers(scheme.size());
    // Images of the slots' positions under all symmetries: what a generator has to rank.
    let layout = scheme.layout();
    let indices: Vec<u32> = slots
        .iter()
        .zip((0..8).cycle())
        .map(|(&slot, code)| {
            let symmetry = Symmetry::from_code(code);
            layout.flip(symmetry, scheme.unrank(slot))
        })
        .collect();
    let mut group = c.benchmark_group("dense/rank");
    group.throughput(Throughput::Elements(COUNT as u64));
    let ours = |index| scheme.rank(index).unwrap_or(u32::NO_SLOT);
    time(&mut group, &format!("dense/{name}"), &indices, ours);
    for backend in Backend::available() {
        time_batch(
            &mut group,
            &format!("{backend}/{name}"),
            &indices,
            |from, to| {
                backend.rank_into(scheme, from, to);
            },
        );
    }
    if let Some(rank) = rank {
        for &index in &indices {
            assert_eq!(scheme.rank(index).map(u64::from), rank(index), "{index:#o}");
        }
        let theirs = |index| rank(index).map_or(u32::NO_SLOT, |slot| slot as u32);
        time(&mut group, &format!("tables/{name}"), &indices, theirs);
    }
    group.finish();
    let mut group = c.benchmark_group("dense/unrank");
    group.throughput(Throughput::Elements(COUNT as u64));
    time(&mut group, &format!("dense/{name}"), &slots, |s| {
        scheme.unrank(s)
    });
    for backend in Backend::available() {
        time_batch(
            &mut group,
            &format!("{backend}/{name}"),
            &slots,
            |from, to| {
                backend.unrank_into(scheme, from, to);
            },
        );
    }
    if let Some(unrank) = unrank {
        for &slot in &slots {
            assert_eq!(scheme.unrank(slot), unrank(slot.into()), "slot {slot}");
        }
        let theirs = |slot: u32| unrank(slot.into());
        time(&mut group, &format!("tables/{name}"), &slots, theirs);
    }
}

fn benches(c: &mut Criterion) {
    yardsticks(c);
    let tables = Tables::new();
    compare(
        c,
        "orbit5",
        &Orbit::new(Layout::alternate(5), Group::D4),
        None,
        None,
    );
    compare(
        c,
        "triangle5",
        &Triangle::new(Layout::natural(5), Group::D4),
        None,
        None,
    );
    compare(
        c,
        "kings5",
        &Kings::new(Layout::natural(5), Group::D4),
        Some(&|index: u32| tables.rank_kings(5, index)),
        Some(&|slot| tables.unrank_kings(5, slot)),
    );
    for name in ["KQRvKB", "KRRvKB", "KNNNvK"] {
        let material: Material = name.parse().expect("a material");
        let like = LikeCounts::of_material(material);
        let both = Rules::KINGS_APART.with_diagonal(Diagonal::Both);
        let scheme = Compact::of_material(material, Numbering::Natural, both).expect("five pieces");
        compare(
            c,
            &format!("both-{name}"),
            &scheme,
            Some(&|index: u32| tables.rank_compact(&like, index)),
            Some(&|slot| tables.unrank_compact(&like, slot)),
        );
        let exact = Compact::of_material(material, Numbering::Natural, Rules::KINGS_APART)
            .expect("five pieces");
        compare(c, &format!("exact-{name}"), &exact, None, None);
    }
}

criterion_group!(dense, benches);
criterion_main!(dense);
