//! The checks of indices: that they are in range, in the order that is claimed, and canonical.

use std::path::Path;

use super::contents::Contents;
use super::error::{StoreError, StoreErrorKind};
use crate::batch::{Backend, BatchWord};
use crate::dispatch;
use crate::index::{Equivalence, Layout, Word};

/// The bits that are set in any of the words, and whether they ascend, without repeats if `distinct`.
pub(super) fn scan<W: Word>(words: &[W], distinct: bool) -> (W, bool) {
    match distinct {
        true => dispatch!(Backend::detect(), _ => scan_all(words, |x, y| x >= y)),
        false => dispatch!(Backend::detect(), _ => scan_all(words, |x, y| x > y)),
    }
}

#[inline(always)]
fn scan_all<W: Word>(words: &[W], is_wrong: impl Fn(W, W) -> bool) -> (W, bool) {
    let Some((&last, before)) = words.split_last() else {
        return (W::ZERO, true);
    };
    // No early end and no branch, so that the compiler can take many at once.
    let (mut bits, mut wrong) = (last, false);
    for (&x, &y) in before.iter().zip(&words[1..]) {
        bits |= x;
        wrong |= is_wrong(x, y);
    }
    (bits, !wrong)
}

/// Whether no index has bits above its digits.
pub(super) fn are_in_range<W: Word>(layout: Layout<W>, indices: &[W]) -> bool {
    // One test for the whole slice, so that it runs at the speed of memory.
    layout.is_valid(scan(indices, false).0)
}

/// Checks that no index has bits above its digits; `before` indices come before these.
pub(super) fn check_range<W: Word>(
    path: &Path,
    layout: Layout<W>,
    before: u64,
    indices: &[W],
) -> Result<(), StoreError> {
    if are_in_range(layout, indices) {
        return Ok(());
    }
    let at = indices
        .iter()
        .position(|&x| !layout.is_valid(x))
        .expect("one of them has the bit");
    Err(StoreErrorKind::OutOfRange {
        position: before + at as u64,
        index: indices[at].to_u64(),
        pieces: layout.pieces(),
        end: 1 << (6 * layout.pieces()),
    }
    .at(path))
}

/// Checks that indices are in the order that the contents claim, `last` being the one before them.
pub(super) fn check_order<W: Word>(
    path: &Path,
    contents: &Contents,
    before: u64,
    last: Option<W>,
    indices: &[W],
) -> Result<(), StoreError> {
    let Some((&first, tail)) = indices.split_first() else {
        return Ok(());
    };
    if !contents.sorted {
        return Ok(());
    }
    let out_of_order = |a: W, b: W| a > b || contents.distinct && a == b;
    let pairs = || indices.iter().zip(tail);
    let wrong = !scan(indices, contents.distinct).1;
    let (at, previous) = match last {
        Some(last) if out_of_order(last, first) => (0, last),
        _ if wrong => {
            let at = pairs()
                .position(|(&a, &b)| out_of_order(a, b))
                .expect("one of them is");
            (at + 1, indices[at])
        }
        _ => return Ok(()),
    };
    Err(StoreErrorKind::Order {
        position: before + at as u64,
        index: indices[at].to_u64(),
        previous: previous.to_u64(),
        claim: contents.order_claim(),
    }
    .at(path))
}

/// Checks that every index is the smallest of its equivalents.
pub(super) fn check_canonical<W: BatchWord>(
    path: &Path,
    same: &Equivalence<W>,
    before: u64,
    indices: &[W],
) -> Result<(), StoreError> {
    // As many as the nearest cache holds together with their canonical forms.
    const AT_ONCE: usize = 1024;
    let mut canonical = [W::ZERO; AT_ONCE];
    for (number, some) in indices.chunks(AT_ONCE).enumerate() {
        let canonical = &mut canonical[..some.len()];
        Backend::detect().canonical_into(same, some, canonical);
        // One test for all of them, so that the compiler can take many at once.
        if dispatch!(Backend::detect(), _ => differing_bits(some, canonical)) == W::ZERO {
            continue;
        }
        let mut pairs = some.iter().zip(&*canonical);
        let at = pairs.position(|(x, y)| x != y).expect("one of them is");
        return Err(StoreErrorKind::NotCanonical {
            position: before + (number * AT_ONCE + at) as u64,
            index: some[at].to_u64(),
            canonical: canonical[at].to_u64(),
        }
        .at(path));
    }
    Ok(())
}

/// The bits in which any word of one slice differs from the word at the same place of the other.
#[inline(always)]
fn differing_bits<W: BatchWord>(words: &[W], others: &[W]) -> W {
    let pairs = words.iter().zip(others);
    pairs.fold(W::ZERO, |all, (&x, &y)| all | (x ^ y))
}
