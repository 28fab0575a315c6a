//! Legality in batches beside a loop over the scalar function: `is_legal/NUMBERING/MATERIAL/CONTENDER`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tbindex::batch::Backend;
use tbindex::{Color, Moves, Numbering};

/// The number of indices: they and the bitmap fit the nearest cache.
const COUNT: usize = 1 << 12;

fn legality(c: &mut Criterion) {
    for numbering in Numbering::ALL {
        for name in ["KRvK", "KQvKR", "KNvKN", "KPPvKP", "KQRBvK", "KRRvKQ"] {
            let material = name.parse().expect("a material");
            let moves = Moves::<u32>::try_new(material, numbering).expect("at most five pieces");
            let bits = 6 * moves.layout().pieces();
            // Mixed well enough that no branch can be foreseen (Knuth's multiplicative hashing).
            let mixed = (1..=COUNT as u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let indices: Vec<u32> = mixed.map(|x| (x >> (64 - bits)) as u32).collect();
            let mut group = c.benchmark_group(format!("is_legal/{numbering}/{name}"));
            group.throughput(Throughput::Elements(COUNT as u64));
            let scalar = |bitmap: &mut [u64]| {
                for (bits, indices) in bitmap.iter_mut().zip(indices.chunks(64)) {
                    *bits = (0..).zip(indices).fold(0, |bits, (k, &index)| {
                        bits | u64::from(moves.is_legal(index, Color::White)) << k
                    });
                }
            };
            let mut expected = vec![0; COUNT / 64];
            group.bench_function("scalar", |b| b.iter(|| scalar(&mut expected)));
            scalar(&mut expected);
            for backend in Backend::available() {
                let mut bitmap = vec![0; COUNT / 64];
                backend.is_legal_into(&moves, Color::White, &indices, &mut bitmap);
                assert_eq!(bitmap, expected, "{backend}");
                group.bench_function(backend.name(), |b| {
                    b.iter(|| backend.is_legal_into(&moves, Color::White, &indices, &mut bitmap));
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, legality);
criterion_main!(benches);
