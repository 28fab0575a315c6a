//! Legality in batches beside loops over the scalar function: `is_legal/NUMBERING/MATERIAL/CODE`.

use criterion::{Criterion, Throughput};
use tbindex::batch::Backend;
use tbindex::{Color, Moves, Numbering};
use tbindex_bench::race::{contender, race};

use crate::numbers;

/// The number of indices: they and the bitmap fit the nearest cache.
const COUNT: usize = 1 << 12;

pub(crate) fn all(c: &mut Criterion) {
    for numbering in Numbering::ALL {
        for name in ["KRvK", "KQvKR", "KNvKN", "KPPvKP", "KQRBvK", "KRRvKQ"] {
            let material = name.parse().expect("a material");
            let moves = &Moves::<u32>::try_new(material, numbering).expect("at most five pieces");
            let bits = 6 * moves.layout().pieces() as u32;
            let indices: &Vec<u32> = &numbers(COUNT, bits);
            let scalar = |bitmap: &mut [u64]| {
                for (bits, indices) in bitmap.iter_mut().zip(indices.chunks(64)) {
                    *bits = (0..).zip(indices).fold(0, |bits, (k, &index)| {
                        bits | u64::from(moves.is_legal(index, Color::White)) << k
                    });
                }
            };
            let mut expected = vec![0; COUNT / 64];
            scalar(&mut expected);
            let mut own = expected.clone();
            let mut contenders = vec![contender("scalar", move || scalar(&mut own))];
            for backend in Backend::available() {
                let mut bitmap = vec![0; COUNT / 64];
                backend.is_legal_into(moves, Color::White, indices, &mut bitmap);
                assert_eq!(bitmap, expected, "{backend}");
                contenders.push(contender(backend.to_string(), move || {
                    backend.is_legal_into(moves, Color::White, indices, &mut bitmap);
                }));
            }
            let group = format!("is_legal/{numbering}/{name}");
            race(c, group, Throughput::Elements(COUNT as u64), contenders);
        }
    }
}
