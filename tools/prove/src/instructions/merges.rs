//! The methods of `Merges`, which vectors of AVX-512 alone have.

use tbindex::proofs::{Merges, Vectors};

use super::words::{Checks, Of, mixed, one_bit_each, up_to_two_bits, words};

/// All methods.
pub(super) fn check<W: Vectors, V: Merges<W>>(isa: V::Isa, checks: &mut Checks) {
    let word = |value: u64| W::truncate(value.into());
    let (count, bits) = (V::COUNT, W::BITS);
    let moves = V::moves(isa);
    let ones = u64::MAX >> (64 - bits);
    let mut of = Of::<W, V>::new(isa, checks);
    let rotated = |a: u64| (a & ones) >> 1 | a << (bits - 1);
    of.one("rotate", &up_to_two_bits(bits), V::rotate, rotated);
    let [one, zero] = [W::ONE, W::ZERO].map(|word| V::splat(isa, word));
    let differ = |a: V, b: V| one.select(a.differ(b), zero);
    let pairs = one_bit_each(bits);
    of.two("differ", &pairs, differ, |a, b| u64::from(a != b));
    for seed in 0..20 {
        let [a, b] = [0, 1].map(|n| -> [W; 16] {
            std::array::from_fn(|k| word(mixed(seed * 100 + n * 50 + k as u64)))
        });
        let (first, second) = (V::load(isa, &a), V::load(isa, &b));
        let mut expected = a[..count].to_vec();
        expected.reverse();
        checks.expect("reverse", words(first.reverse(moves)), expected);
        let mut expected = vec![b[count - 1]];
        expected.extend(&a[..count - 1]);
        checks.expect("previous", words(first.previous(second)), expected);
    }
    bitonic::<W, V>(isa, checks);
    let a: [W; 16] = std::array::from_fn(|k| word(mixed(k as u64)));
    for mask in 0..1u64 << count {
        let chosen: [W; 16] = std::array::from_fn(|k| W::from((mask >> k & 1) as u8));
        let condition = V::load(isa, &chosen).equal(V::splat(isa, W::ONE));
        let chosen = (0..count).filter(|k| mask >> k & 1 == 1);
        let expected: Vec<W> = chosen.map(|k| a[k]).collect();
        let mut found = words(V::load(isa, &a).compress(condition));
        // The words that follow are not specified.
        found.truncate(expected.len());
        checks.expect(format_args!("compress {mask:x}"), found, expected);
    }
    checks.operations += 3;
}

/// A network of exchanges sorts all words if it sorts all zeros and ones. Words that rise and then fall are, by any
/// threshold, zeros, ones and zeros; those that fall and then rise are ones, zeros and ones.
fn bitonic<W: Vectors, V: Merges<W>>(isa: V::Isa, checks: &mut Checks) {
    let moves = V::moves(isa);
    for (inside, outside) in [(0u128, 1u128), (1, 0)] {
        for first in 0..=V::COUNT {
            for last in first..=V::COUNT {
                for scale in [1, 1 << (W::BITS - 1)] {
                    let of = |at| match (first..last).contains(&at) {
                        true => inside,
                        false => outside,
                    };
                    let sequence: [W; 16] = std::array::from_fn(|at| W::truncate(of(at) * scale));
                    let mut expected = sequence[..V::COUNT].to_vec();
                    expected.sort_unstable();
                    let found = words(V::load(isa, &sequence).sort_bitonic(moves));
                    checks.expect(format_args!("sort_bitonic {first} {last}"), found, expected);
                }
            }
        }
    }
    for seed in 0..2000 {
        let mut sequence: [W; 16] = std::array::from_fn(|k| {
            W::truncate((mixed(seed * 16 + k as u64) >> (64 - W::BITS)).into())
        });
        let turn = (seed % V::COUNT as u64) as usize;
        sequence[..turn].sort_unstable();
        sequence[turn..V::COUNT].sort_unstable_by(|a, b| b.cmp(a));
        let mut expected = sequence[..V::COUNT].to_vec();
        expected.sort_unstable();
        let found = words(V::load(isa, &sequence).sort_bitonic(moves));
        checks.expect(format_args!("sort_bitonic {seed}"), found, expected);
    }
    checks.operations += 1;
}
