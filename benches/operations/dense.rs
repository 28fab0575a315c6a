//! Dense numbers, one at a time and in batches: `dense/OPERATION/SCHEME/CODE`. The yardsticks of the batches are one XOR for
//! each index and the canonical form, `dense/yardstick`.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use tbindex::batch::{Backend, DenseBatch};
use tbindex::{
    Compact, Diagonal, Equivalence, Group, Kings, Layout, LikePieces, Material, Numbering, Orbit,
    Rules, Symmetry, Triangle, Word,
};
use tbindex_bench::race::{Contender, contender, race};

use crate::numbers;

/// As many indices as stay in the first-level cache.
const COUNT: usize = 4096;
const WORK: Throughput = Throughput::Elements(COUNT as u64);

/// Numbers below `end`.
fn below(end: u32) -> Vec<u32> {
    let numbers: Vec<u64> = numbers(COUNT, 32);
    let below = |x| ((x * u64::from(end)) >> 32) as u32;
    numbers.into_iter().map(below).collect()
}

fn one_by_one<'a>(name: &str, input: &'a [u32], f: impl Fn(u32) -> u32 + 'a) -> Contender<'a> {
    contender(name, move || {
        let results = input.iter().map(|&x| f(black_box(x)));
        black_box(results.fold(0, |sum, y| sum ^ y));
    })
}

fn batch<'a>(name: &str, input: &'a [u32], f: impl Fn(&[u32], &mut [u32]) + 'a) -> Contender<'a> {
    let mut output = vec![0; input.len()];
    contender(name, move || f(black_box(input), black_box(&mut output)))
}

fn compare(c: &mut Criterion, name: &str, scheme: &impl DenseBatch<u32>) {
    let slots = below(scheme.size());
    // Images of the slots' positions under all symmetries: what a generator has to rank.
    let layout = scheme.layout();
    let image = |(&slot, code)| layout.flip(Symmetry::from_code(code), scheme.unrank(slot));
    let indices: Vec<u32> = slots.iter().zip((0..8).cycle()).map(image).collect();
    let mut ranks = vec![one_by_one("dense", &indices, |index| {
        scheme.rank(index).unwrap_or(u32::NO_SLOT)
    })];
    let mut unranks = vec![one_by_one("dense", &slots, |slot| scheme.unrank(slot))];
    for backend in Backend::available() {
        let name = &*backend.to_string();
        ranks.push(batch(name, &indices, move |from, to| {
            backend.rank_into(scheme, from, to);
        }));
        unranks.push(batch(name, &slots, move |from, to| {
            backend.unrank_into(scheme, from, to).expect("slots");
        }));
    }
    race(c, format!("dense/rank/{name}"), WORK, ranks);
    race(c, format!("dense/unrank/{name}"), WORK, unranks);
}

pub(crate) fn all(c: &mut Criterion) {
    let backend = Backend::detect();
    let indices = below(1 << 30);
    let natural = Layout::new(5, Numbering::Natural);
    let same = Equivalence::new(
        Layout::new(5, Numbering::Alternate),
        Group::D4,
        LikePieces::default(),
    );
    let xor = batch("xor", &indices, |from, to| {
        backend.flip_into(&natural, Symmetry::Rotate180, from, to);
    });
    let canonical = batch("canonical", &indices, |from, to| {
        backend.canonical_into(&same, from, to);
    });
    race(c, "dense/yardstick", WORK, [xor, canonical]);

    let orbit = Orbit::new(Layout::new(5, Numbering::Alternate), Group::D4);
    compare(c, "orbit5", &orbit);
    compare(c, "triangle5", &Triangle::new(natural, Group::D4));
    compare(c, "kings5", &Kings::new(natural, Group::D4));
    for name in ["KQRvKB", "KRRvKB", "KNNNvK"] {
        let material: Material = name.parse().expect("a material");
        for (kind, diagonal) in [("both", Diagonal::Both), ("exact", Diagonal::Exact)] {
            let (natural, rules) = (Numbering::Natural, Rules::KingsApart);
            let scheme = Compact::try_new(material, natural, rules, diagonal);
            compare(c, &format!("{kind}-{name}"), &scheme.expect("five pieces"));
        }
    }
}
