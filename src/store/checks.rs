//! The checks that indices are in range, in the order that is claimed, and canonical.

use std::path::Path;

use super::contents::Contents;
use super::error::{StoreError, StoreErrorKind};
use crate::batch::{Backend, BatchWord};
use crate::index::{Equivalence, Layout};

/// One look at indices that come after another: the bits that any of them has, and whether they ascend, strictly if they
/// are to be distinct.
pub(super) fn scan<W: BatchWord>(
    last: Option<W>,
    indices: &[W],
    distinct: bool,
    backend: Backend,
) -> (W, bool) {
    let (bits, ascend) = W::scan(backend, indices, distinct);
    let is_after = |last| {
        indices
            .first()
            .is_none_or(|&first| !out_of_order(last, first, distinct))
    };
    (bits, ascend && last.is_none_or(is_after))
}

/// Whether an index may not come before another.
fn out_of_order<W: BatchWord>(a: W, b: W, distinct: bool) -> bool {
    a > b || distinct && a == b
}

/// The error that one of some indices has bits above its digits; `before` indices come before these.
pub(super) fn out_of_range<W: BatchWord>(
    path: &Path,
    layout: Layout<W>,
    before: u64,
    indices: &[W],
) -> StoreError {
    let at = indices
        .iter()
        .position(|&x| !layout.is_valid(x))
        .expect("one of them has the bit");
    let (index, position) = (indices[at].to_u64(), before + at as u64);
    let kind = StoreErrorKind::OutOfRange { index };
    let message = format!(
        "index {index:#o} at position {position} is out of range: {} pieces have indices below {:#o}",
        layout.pieces(),
        1u64 << (6 * layout.pieces())
    );
    StoreError::new(kind, message)
        .at(path)
        .at_position(position)
}

/// Checks one by one that indices are in the order that the contents claim, `last` being the one before them.
pub(super) fn check_order<W: BatchWord>(
    path: &Path,
    contents: &Contents,
    before: u64,
    last: Option<W>,
    indices: &[W],
) -> Result<(), StoreError> {
    if !contents.sorted {
        return Ok(());
    }
    let placed = indices.iter().enumerate().skip(usize::from(last.is_none()));
    let mut pairs = last.iter().chain(indices).zip(placed);
    let wrong = pairs.find(|&(&a, (_, &b))| out_of_order(a, b, contents.distinct));
    let Some((previous, (at, index))) = wrong else {
        return Ok(());
    };
    let (index, position) = (index.to_u64(), before + at as u64);
    let kind = StoreErrorKind::OutOfOrder { index };
    let message = format!(
        "index {index:#o} at position {position} comes after {:#o}: expected {} indices",
        previous.to_u64(),
        contents.order_claim()
    );
    Err(StoreError::new(kind, message)
        .at(path)
        .at_position(position))
}

/// Checks that every index is the smallest of its equivalents.
pub(super) fn check_canonical<W: BatchWord>(
    path: &Path,
    same: &Equivalence<W>,
    before: u64,
    indices: &[W],
    backend: Backend,
) -> Result<(), StoreError> {
    // As many as the nearest cache holds together with their canonical forms.
    const AT_ONCE: usize = 1024;
    let mut canonical = [W::ZERO; AT_ONCE];
    for (number, some) in indices.chunks(AT_ONCE).enumerate() {
        let canonical = &mut canonical[..some.len()];
        backend.canonical_into(same, some, canonical);
        // One test for all of them, so that the compiler can take many at once.
        if W::differing_bits(backend, some, canonical) == W::ZERO {
            continue;
        }
        let mut pairs = some.iter().zip(&*canonical);
        let at = pairs.position(|(x, y)| x != y).expect("one of them is");
        let position = before + (number * AT_ONCE + at) as u64;
        return Err(not_canonical(
            path,
            position,
            some[at].to_u64(),
            canonical[at].to_u64(),
        ));
    }
    Ok(())
}

/// The error that an index is not the smallest of its equivalents.
pub(super) fn not_canonical(path: &Path, position: u64, index: u64, canonical: u64) -> StoreError {
    let message = format!(
        "index {index:#o} at position {position} is not canonical as the file says: expected {canonical:#o}"
    );
    StoreError::new(StoreErrorKind::NotCanonical { index, canonical }, message)
        .at(path)
        .at_position(position)
}
