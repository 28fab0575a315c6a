//! The lanes that the solver has on each backend of `tbindex`.

use crate::lanes::{self, Lanes};

/// A token of `tbindex`, which proves that the processor has the instructions of its lanes.
pub(crate) trait HasLanes {
    /// The lanes.
    type Lanes: Lanes;
}

impl HasLanes for tbindex::batch::Portable {
    type Lanes = lanes::Portable;
}

#[cfg(target_arch = "x86_64")]
impl HasLanes for tbindex::batch::Avx2 {
    type Lanes = crate::avx2::Avx2;
}

#[cfg(target_arch = "x86_64")]
impl HasLanes for tbindex::batch::Avx512 {
    type Lanes = crate::avx512::Avx512;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Row;
    use tbindex::batch::Backend;
    use tbindex::dispatch;

    /// Every operation of [`Lanes`] on two rows.
    #[inline(always)]
    fn all<T: HasLanes>(_: T, a: &Row, b: &Row) -> (Vec<Row>, [bool; 3]) {
        let (a, b) = (T::Lanes::load(a), T::Lanes::load(b));
        let all = [
            a & b,
            a | b,
            a.without(b),
            a.or_and(b, T::Lanes::splat(0x00ff_0000_1234_5678)),
            a.shl::<1>(),
            a.shl::<36>(),
            a.shr::<7>(),
            a.shr::<32>(),
            a.lanes_up::<1>(),
            a.lanes_up::<2>(),
            a.lanes_up::<4>(),
            a.lanes_down::<1>(),
            a.lanes_down::<2>(),
            a.lanes_down::<4>(),
            a.reverse_lanes(),
            a.flip_vertical(),
            a.flip_horizontal(),
            a.flip_diagonal(),
            T::Lanes::zero(),
        ];
        let mut rows = vec![Row::ZERO; all.len()];
        for k in 0..all.len() {
            all[k].store(&mut rows[k]);
        }
        (
            rows,
            [a.is_zero(), (a & b).is_zero(), T::Lanes::zero().is_zero()],
        )
    }

    /// A word that depends on a number without a pattern.
    fn mixed(seed: u64) -> u64 {
        let x = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    #[test]
    fn every_backend_computes_what_the_portable_one_does() {
        for seed in 0..1000 {
            let mut a = Row(std::array::from_fn(|k| mixed(16 * seed + k as u64)));
            let mut b = Row(std::array::from_fn(|k| mixed(16 * seed + 8 + k as u64)));
            if seed < 8 {
                // There is one bit in all, so that the tests for zero see each lane.
                a = Row(std::array::from_fn(|k| u64::from(k as u64 == seed) << 63));
            } else if seed < 16 {
                b = Row(a.0.map(|word| !word));
            }
            let expected = all(tbindex::batch::Portable, &a, &b);
            for backend in Backend::available() {
                let found = dispatch!(backend, token => all(token, &a, &b));
                assert_eq!(found, expected, "{backend}, seed {seed}");
            }
        }
    }
}
