use super::super::row::Row;
use super::*;
use crate::batch::Backend;
use crate::dispatch;

/// Every operation of [`Lanes`] on two rows.
#[inline(always)]
fn all<T: HasLanes>(isa: T, a: &Row, b: &Row) -> (Vec<Row>, [bool; 3]) {
    let (a, b) = (T::Lanes::load(isa, a), T::Lanes::load(isa, b));
    let all = [
        a & b,
        a | b,
        a.without(b),
        a.or_and(b, T::Lanes::splat(isa, 0x00ff_0000_1234_5678)),
        a.shl::<1>(),
        a.shl::<36>(),
        a.shr::<7>(),
        a.shr::<32>(),
        a.shift(17),
        a.shift(0),
        a.shift(-10),
        a.lanes_up::<1>(),
        a.lanes_up::<2>(),
        a.lanes_up::<4>(),
        a.lanes_down::<1>(),
        a.lanes_down::<2>(),
        a.lanes_down::<4>(),
        a.reverse_lanes(),
        a.flip_vertical(),
        a.flip_horizontal(isa),
        a.flip_diagonal(isa),
        T::Lanes::zero(isa),
    ];
    let mut rows = vec![Row::EMPTY; all.len()];
    for k in 0..all.len() {
        all[k].store(&mut rows[k]);
    }
    (
        rows,
        [
            a.is_zero(),
            (a & b).is_zero(),
            T::Lanes::zero(isa).is_zero(),
        ],
    )
}

/// A word that depends on a number without a pattern.
fn mixed(seed: u64) -> u64 {
    let x = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[test]
fn every_backend_computes_what_the_portable_one_does() {
    for seed in 0..if cfg!(miri) { 20 } else { 1000 } {
        let mut a = Row(std::array::from_fn(|k| mixed(16 * seed + k as u64)));
        let mut b = Row(std::array::from_fn(|k| mixed(16 * seed + 8 + k as u64)));
        if seed < 8 {
            // There is one bit in all, so that the tests for zero see each lane.
            a = Row(std::array::from_fn(|k| u64::from(k as u64 == seed) << 63));
        } else if seed < 16 {
            b = Row(a.0.map(|word| !word));
        }
        let expected = all(crate::batch::Portable, &a, &b);
        for backend in Backend::available() {
            let found = dispatch!(backend, token => all(token, &a, &b));
            assert_eq!(found, expected, "{backend}, seed {seed}");
        }
    }
}

#[test]
fn flips_move_squares() {
    for square in 0..64usize {
        let (file, rank) = (square % 8, square / 8);
        let x = portable::Portable([1 << square; 8]);
        assert_eq!(x.flip_vertical().0[3], 1 << (file + 8 * (7 - rank)));
        assert_eq!(
            x.flip_horizontal(batch::Portable).0[3],
            1 << (7 - file + 8 * rank)
        );
        assert_eq!(
            x.flip_diagonal(batch::Portable).0[3],
            1 << (rank + 8 * file)
        );
    }
}
