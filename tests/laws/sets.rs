//! Laws of the operations on any sets.

use std::collections::BTreeSet;

use tbindex::batch::BatchWord;
use tbindex::store::SetOperation;

/// All laws of two sets that any bytes describe, of one of which some are few, and of slices that are no sets.
pub fn laws_of_bytes(bytes: &[u8]) {
    let [a, b] = sets_of(bytes);
    let few = &a[..a.len() / 50];
    slices_of_all_words_agree_with_trees(&a, &b);
    slices_of_all_words_agree_with_trees(few, &b);
    let any: Vec<u32> = bytes.iter().map(|&byte| byte.into()).collect();
    let wide: Vec<u64> = any.iter().map(|&x| u64::from(x) << 30).collect();
    let other: Vec<u64> = a.iter().map(|&x| u64::from(x) << 9).collect();
    for (few, many) in [(&any[..], &a[..]), (&a, &any), (few, &any)] {
        any_slices_are_safe(few, many);
    }
    any_slices_are_safe(&wide, &other);
}

/// Two sets out of any bytes: each byte is a step from one index to the next and says whose it is.
pub fn sets_of(bytes: &[u8]) -> [Vec<u32>; 2] {
    let mut sets = [Vec::new(), Vec::new()];
    let mut x = 0u32;
    for &byte in bytes {
        // Mostly small steps; some as large as a block of compressed indices may span.
        let step = u32::from(byte >> 2);
        x += if step == 63 { 70_000 } else { step + 1 };
        if x >= 1 << 24 {
            break;
        }
        for (k, set) in sets.iter_mut().enumerate() {
            if byte >> k & 1 != 0 {
                set.push(x);
            }
        }
    }
    sets
}

/// The result of an operation on trees: of the first set and each of the others in turn.
pub fn of_trees<W: BatchWord>(operation: SetOperation, sets: &[&[W]]) -> Vec<W> {
    let trees = sets
        .iter()
        .map(|&set| BTreeSet::from_iter(set.iter().copied()));
    let combined = trees.reduce(|a, b| match operation {
        SetOperation::Union => &a | &b,
        SetOperation::Intersection => &a & &b,
        SetOperation::Difference => &a - &b,
    });
    combined.into_iter().flatten().collect()
}

/// Every operation on slices gives what it gives on trees, either way round.
fn slices_agree_with_trees<W: BatchWord>(a: &[W], b: &[W]) {
    for operation in SetOperation::ALL {
        for (a, b) in [(a, b), (b, a)] {
            let expected = of_trees(operation, &[a, b]);
            assert_eq!(operation.of_slices(a, b), expected, "{operation}");
        }
    }
}

/// Checks this in all words, wherever the bits are: the order stays.
pub fn slices_of_all_words_agree_with_trees(a: &[u32], b: &[u32]) {
    fn wide<W: BatchWord>(set: &[u32], shift: u32) -> Vec<W> {
        set.iter()
            .map(|&x| W::truncate(u128::from(x) << shift))
            .collect()
    }
    slices_agree_with_trees(a, b);
    for shift in [0, 29, 32] {
        slices_agree_with_trees::<u64>(&wide(a, shift), &wide(b, shift));
    }
}

/// Slices that are no sets do no harm.
pub fn any_slices_are_safe<W: BatchWord>(a: &[W], b: &[W]) {
    for operation in SetOperation::ALL {
        assert!(operation.of_slices(a, b).len() <= a.len() + b.len());
    }
}
