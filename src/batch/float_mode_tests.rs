//! Results do not depend on the thread's floating-point mode, nor change it.

use super::backend::Backend;
use super::float_mode::FloatMode;
use super::merge::{Difference, Union, combine_in_parts, join};
use crate::board::Group;
use crate::index::{Equivalence, Layout, Numbering};

/// Restores the mode, whatever a test does.
struct Restored(u32);

impl Drop for Restored {
    fn drop(&mut self) {
        FloatMode::set(self.0);
    }
}

#[test]
fn small_numbers_held_for_zero_change_nothing() {
    let indices: Vec<u64> = (0..4096u64)
        .map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 28)
        .collect();
    let narrow: Vec<u32> = indices.iter().map(|&x| (x >> 6) as u32).collect();
    for numbering in Numbering::ALL {
        let six = Equivalence::distinct(Layout::<u64>::new(6, numbering), Group::D4);
        let five = Equivalence::distinct(Layout::<u32>::new(5, numbering), Group::D4);
        let expected: Vec<u64> = indices.iter().map(|&x| six.canonical(x)).collect();
        let expected_narrow: Vec<u32> = narrow.iter().map(|&x| five.canonical(x)).collect();
        for backend in Backend::available() {
            let (mut found, mut found_narrow) = (indices.clone(), narrow.clone());
            let held_for_zero = FloatMode::OF_WORDS | 0x8040;
            {
                let _restored = Restored(FloatMode::OF_WORDS);
                FloatMode::set(held_for_zero);
                backend.canonical_in_place(&six, &mut found);
                backend.canonical_in_place(&five, &mut found_narrow);
                let mode = FloatMode::current();
                assert_eq!(mode, held_for_zero, "{backend} leaves it as it was");
            }
            assert!(found == expected, "{backend}, {numbering}");
            assert!(found_narrow == expected_narrow, "{backend}, {numbering}");
        }
    }
}

#[test]
fn small_numbers_held_for_zero_merge_as_any_others() {
    let a: Vec<u64> = (0..20_000).map(|k| 2 * k).collect();
    let b: Vec<u64> = (0..20_000).map(|k| 3 * k).collect();
    for backend in Backend::available() {
        let mut out = [vec![0; a.len() + b.len()], vec![0; a.len() + b.len()]];
        let counts = {
            let _restored = Restored(FloatMode::OF_WORDS);
            FloatMode::set(FloatMode::OF_WORDS | 0x8040);
            let [union, difference] = &mut out;
            let parts = combine_in_parts::<u64, Union>(backend, &a, &b, union);
            let count = join(union, parts);
            let parts = combine_in_parts::<u64, Difference>(backend, &a, &b, difference);
            [count, join(difference, parts)]
        };
        let either = (0..60_000).filter(|k| k % 3 == 0 || k % 2 == 0 && *k < 40_000);
        assert!(out[0][..counts[0]].iter().copied().eq(either), "{backend}");
        let first_alone = a.iter().copied().filter(|k| k % 3 != 0);
        assert!(
            out[1][..counts[1]].iter().copied().eq(first_alone),
            "{backend}"
        );
    }
}

#[test]
fn code_of_others_runs_in_the_mode_that_it_finds() {
    let _restored = Restored(FloatMode::OF_WORDS);
    let held_for_zero = FloatMode::OF_WORDS | 0x8040;
    FloatMode::set(held_for_zero);
    for backend in Backend::available() {
        let found = crate::dispatch!(backend, _ => FloatMode::current());
        assert_eq!(found, held_for_zero, "{backend}");
    }
}
