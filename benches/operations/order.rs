//! Whole tables from one order to another, `order/FROM/TO`, beside memcpy and the loop over rank and unrank. `tbindex bench
//! --reindex` measures all pairs.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use tbindex::batch::Backend;
use tbindex::order::{Order, Reindexing, Scheme};
use tbindex::{Compact, Dense, Kings, Material, Numbering, Rules, Triangle};
use tbindex_bench::race::{contender, race};

/// Four pieces: a table takes 1 to 3 MB.
const MATERIAL: &str = "KQvKR";

fn compare(
    c: &mut Criterion,
    name: &str,
    from: (Scheme, &impl Dense<u64>),
    to: (Scheme, &impl Dense<u64>),
) {
    let material: Material = MATERIAL.parse().expect("a material");
    let order = |scheme| Order::of_scheme(material, scheme).expect("few pieces");
    let orders = (order(from.0), order(to.0));
    let (from, to) = (from.1, to.1);
    let way = Reindexing::try_new(&orders.0, &orders.1).expect("the same men");
    // The sum of all men's rings, which is the same for all images of a position.
    let entry = |slot| {
        let squares = from.layout().decode(from.unrank(slot));
        let rings = squares.map(|square| {
            let [file, rank] = [square.file() as u8, square.rank() as u8].map(|x| x.min(7 - x));
            file + rank
        });
        rings.zip(1u8..).map(|(ring, weight)| ring * weight).sum()
    };
    let source: Vec<u8> = (0..from.size()).map(entry).collect();
    let by_loop = |target: &mut [u8]| {
        for (slot, entry) in (0..).zip(target) {
            *entry = from
                .rank(to.unrank(slot))
                .map_or(0, |slot| source[slot as usize]);
        }
    };
    let slots = to.size() as usize;
    let mut expected = vec![0; slots];
    by_loop(&mut expected);
    let (mut copy, mut looped) = (vec![0; source.len()], vec![0; slots]);
    let mut contenders = vec![
        contender("memcpy", || {
            black_box(&mut copy).copy_from_slice(black_box(&source));
        }),
        contender("loop", || by_loop(black_box(&mut looped))),
    ];
    for backend in Backend::available() {
        let mut target = vec![0; slots];
        way.range_into(&source, 0, 0, &mut target, backend);
        assert!(target == expected, "{name}");
        let (way, source) = (&way, &source);
        contenders.push(contender(backend.name(), move || {
            way.range_into(source, 0, 0, black_box(&mut target), backend);
        }));
    }
    race(
        c,
        format!("order/{name}"),
        Throughput::Bytes(slots as u64),
        contenders,
    );
}

/// Moves tables.
pub(crate) fn all(c: &mut Criterion) {
    let material: Material = MATERIAL.parse().expect("a material");
    let natural = Numbering::Natural;
    let kings = Kings::<u64>::try_new(material, natural).expect("few pieces");
    let triangle = Triangle::<u64>::try_new(material, natural).expect("few pieces");
    let rules = Rules::KINGS_APART;
    let compact = Compact::<u64>::try_new(material, natural, rules).expect("few pieces");
    let [of_kings, of_triangle] = [Scheme::Kings, Scheme::Triangle];
    compare(
        c,
        "kings/triangle",
        (of_kings, &kings),
        (of_triangle, &triangle),
    );
    compare(
        c,
        "kings/compact",
        (of_kings, &kings),
        (Scheme::Compact(rules), &compact),
    );
    compare(
        c,
        "compact/kings",
        (Scheme::Compact(rules), &compact),
        (of_kings, &kings),
    );
}
