//! Legality in batches against the scalar functions, which the tests of `index` hold against an independent generator.

use tbindex::batch::{Backend, BatchWord};
use tbindex::{Material, Moves, Numbering};

use crate::laws::batch::{legality_equals_scalar, materials};
use crate::support::random::Random;
use crate::support::thorough::one_in;

fn agrees<W: BatchWord>(name: &str, indices: impl IntoIterator<Item = u64>) {
    let material: Material = name.parse().unwrap();
    let indices = indices.into_iter().map(|x| W::truncate(x.into()));
    let indices: Vec<W> = indices.collect();
    for numbering in Numbering::ALL {
        let moves = Moves::<W>::try_new(material, numbering).unwrap();
        for backend in Backend::available() {
            legality_equals_scalar(backend, &moves, &indices);
        }
    }
}

fn spread(bits: usize, count: usize) -> Vec<u64> {
    Random::new(bits as u64).numbers(count, bits as u32)
}

#[test]
fn legality_equals_scalar_for_all_positions_of_three_pieces() {
    for name in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"] {
        agrees::<u32>(name, 0..1 << 18);
    }
    agrees::<u64>("KPvK", 0..1 << 18);
}

#[test]
fn legality_equals_scalar_for_every_kind_of_blocker_and_attacker() {
    for name in ["KQvKQ", "KRvKB", "KNvKP", "KPvKP", "KBPvKR", "KRRvKQ"] {
        agrees::<u32>(name, spread(6 * (name.len() - 1), 30_001));
    }
    for pieces in 2..=10 {
        for material in materials(pieces) {
            agrees::<u64>(
                &material.to_string(),
                spread(6 * pieces, 20_003 / one_in(4)),
            );
        }
    }
}

#[test]
fn indices_with_bits_above_their_digits_are_not_legal() {
    agrees::<u32>("KRvK", spread(19, 10_000));
    agrees::<u32>("KRBvKN", spread(32, 10_000));
    agrees::<u64>("KRBvKN", spread(64, 10_000));
    agrees::<u64>("KRBvKN", spread(31, 10_000));
}

#[test]
fn slices_of_every_length_have_their_bits() {
    let moves = Moves::<u32>::try_new("KRvK".parse().unwrap(), Numbering::Natural).unwrap();
    let indices: Vec<u32> = Random::new(1).numbers(1100, 18);
    for backend in Backend::available() {
        for length in (0..200).chain(500..520).chain(1020..1100) {
            legality_equals_scalar(backend, &moves, &indices[..length]);
        }
    }
}
