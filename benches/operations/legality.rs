//! Legality and moves in batches beside loops over the scalar functions: `is_legal/NUMBERING/MATERIAL/CODE`,
//! `legal_moves/MATERIAL/CODE` and `unmoves/MATERIAL/CODE`.

use criterion::{Criterion, Throughput};
use tbindex::batch::{Backend, PackedMove};
use tbindex::{Color, Moves, Numbering};
use tbindex_bench::race::{contender, race};

use crate::numbers;

/// The number of indices: they and the bitmap fit the nearest cache.
const COUNT: usize = 1 << 12;

pub(crate) fn all(c: &mut Criterion) {
    moves(c);
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
                contenders.push(contender(backend.name(), move || {
                    backend.is_legal_into(moves, Color::White, indices, &mut bitmap);
                }));
            }
            let group = format!("is_legal/{numbering}/{name}");
            race(c, group, Throughput::Elements(COUNT as u64), contenders);
        }
    }
}

/// Moves, and moves taken back, of as many legal positions.
fn moves(c: &mut Criterion) {
    let side = Color::White;
    for name in ["KRvKN", "KRRvK", "KQRvKB", "KPPvKR"] {
        let material = name.parse().expect("a material");
        let moves =
            &Moves::<u32>::try_new(material, Numbering::Natural).expect("at most five pieces");
        let bits = 6 * moves.layout().pieces() as u32;
        let legal = numbers(16 * COUNT, bits).into_iter();
        let legal = legal.filter(|&index| moves.is_legal(index, side));
        let indices: &Vec<u32> = &legal.take(COUNT).collect();
        let room = 27 * moves.layout().pieces() * COUNT;
        let work = || Throughput::Elements(indices.len() as u64);

        let scalar = |out: &mut [u32]| {
            let all = indices.iter().flat_map(|&index| moves.moves(index, side));
            all.zip(out).map(|(m, out)| *out = m.after.index).count()
        };
        let back = |out: &mut [u32]| {
            let all = indices.iter().flat_map(|&index| moves.unmoves(index, side));
            all.zip(out).map(|(before, out)| *out = before).count()
        };
        let (mut after, mut before) = (vec![0; room], vec![0; room]);
        let counts = [scalar(&mut after), back(&mut before)];
        let (mut own, mut own_back) = (after.clone(), before.clone());
        let mut all = vec![contender("scalar", move || _ = scalar(&mut own))];
        let mut all_back = vec![contender("scalar", move || _ = back(&mut own_back))];
        for backend in Backend::available() {
            let mut offsets = vec![0; indices.len() + 1];
            let (mut packed, mut to) = (vec![PackedMove::default(); room], vec![0; room]);
            backend.moves_into(moves, side, indices, &mut offsets, &mut packed, &mut to);
            let found = &to[..offsets[indices.len()]];
            assert_eq!(found, &after[..counts[0]], "{backend}");
            let mut offsets_back = offsets.clone();
            let mut to_back = to.clone();
            backend.unmoves_into(moves, side, indices, &mut offsets_back, &mut to_back);
            let found = &to_back[..offsets_back[indices.len()]];
            assert_eq!(found, &before[..counts[1]], "{backend}");
            all.push(contender(backend.name(), move || {
                backend.moves_into(moves, side, indices, &mut offsets, &mut packed, &mut to);
            }));
            all_back.push(contender(backend.name(), move || {
                backend.unmoves_into(moves, side, indices, &mut offsets_back, &mut to_back);
            }));
        }
        race(c, format!("legal_moves/{name}"), work(), all);
        race(c, format!("unmoves/{name}"), work(), all_back);
    }
}
