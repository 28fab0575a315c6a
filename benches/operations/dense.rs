//! Dense numbers, one at a time and in batches, beside a generator's tables: `dense/OPERATION/SCHEME/CODE`. The yardsticks
//! of the batches are one XOR for each index and the canonical form, `dense/yardstick`.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use tbindex::batch::Backend;
use tbindex::reference::dense::{Tables, like_counts};
use tbindex::{
    Compact, DenseBatch, Diagonal, Equivalence, Group, Kings, Layout, LikePieces, Material,
    Numbering, Orbit, Rules, Symmetry, Triangle, Word,
};

use crate::{Contender, contender, numbers, race};

/// As many indices as stay in the first-level cache.
const COUNT: usize = 4096;
const WORK: Throughput = Throughput::Elements(COUNT as u64);

/// Numbers below `end`.
fn below(end: u32) -> Vec<u32> {
    let numbers = numbers(COUNT, 32);
    numbers
        .map(|x| ((x * u64::from(end)) >> 32) as u32)
        .collect()
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

/// What a generator's tables say of an index, and of a slot.
type Rivals<'a> = (&'a dyn Fn(u32) -> Option<u64>, &'a dyn Fn(u64) -> u32);

fn compare(
    c: &mut Criterion,
    name: &str,
    scheme: &impl DenseBatch<u32>,
    rivals: Option<Rivals<'_>>,
) {
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
        let name = backend.name();
        ranks.push(batch(name, &indices, move |from, to| {
            backend.rank_into(scheme, from, to);
        }));
        unranks.push(batch(name, &slots, move |from, to| {
            backend.unrank_into(scheme, from, to).expect("slots");
        }));
    }
    if let Some((rank, unrank)) = rivals {
        for (&index, &slot) in indices.iter().zip(&slots) {
            assert_eq!(scheme.rank(index).map(u64::from), rank(index), "{index:#o}");
            assert_eq!(scheme.unrank(slot), unrank(slot.into()), "slot {slot}");
        }
        ranks.push(one_by_one("tables", &indices, move |index| {
            rank(index).map_or(u32::NO_SLOT, |slot| slot as u32)
        }));
        unranks.push(one_by_one("tables", &slots, move |slot| {
            unrank(slot.into())
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

    let tables = Tables::default();
    let orbit = Orbit::new(Layout::new(5, Numbering::Alternate), Group::D4);
    compare(c, "orbit5", &orbit, None);
    compare(c, "triangle5", &Triangle::new(natural, Group::D4), None);
    let rank = |index: u32| tables.rank_kings(5, index);
    let unrank = |slot| tables.unrank_kings(5, slot);
    let kings = Kings::new(natural, Group::D4);
    compare(c, "kings5", &kings, Some((&rank, &unrank)));
    for name in ["KQRvKB", "KRRvKB", "KNNNvK"] {
        let material: Material = name.parse().expect("a material");
        let compact = |rules| {
            let scheme = Compact::try_new(material, Numbering::Natural, rules);
            scheme.expect("five pieces")
        };
        let like = like_counts(material);
        let rank = |index: u32| tables.rank_compact(&like, index);
        let unrank = |slot| tables.unrank_compact(&like, slot);
        let both = compact(Rules {
            diagonal: Diagonal::Both,
            ..Rules::KINGS_APART
        });
        compare(c, &format!("both-{name}"), &both, Some((&rank, &unrank)));
        let exact = compact(Rules::KINGS_APART);
        compare(c, &format!("exact-{name}"), &exact, None);
    }
}
