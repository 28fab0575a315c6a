//! Theorems about bitbases: moves of whole sets are the moves of a naive generator, position by position.
//!
//! An operation on sets is run once, on lanes whose bits are [sets of inputs](feeds). The run shows that every bit
//! of the result is the union of some bits of the input, and of which, for all sets at once. These are compared
//! with the moves that are read from [pictures](pictures).
//!
//! Claims about a result are about positions in which no two pieces share a square. Callers mask the others.
//! Twins, the two slots of a position whose kings are both on the diagonal, count as one where kings move.

mod board;
mod confined;
mod feeds;
mod hardware;
mod legal;
mod men;
mod mutants;
mod pictures;
mod sets;
mod sides;

use crate::Theorem;

/// All of them.
pub(crate) fn theorems() -> Vec<Theorem> {
    let mut all = men::theorems();
    all.extend(sides::theorems());
    all.extend(confined::theorems());
    all.extend(legal::theorems());
    all.extend(hardware::theorems());
    all.push(mutants::theorem());
    all
}

/// The method of most of these theorems.
const SYMBOLS: &str = "symbolic run, one set of inputs for each bit";

/// Every so many of a number of slices, from one that depends on `offset`.
fn every(step: usize, slices: usize, offset: usize) -> impl Iterator<Item = usize> {
    (offset % step.min(slices)..slices).step_by(step)
}
