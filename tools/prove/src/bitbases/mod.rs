//! Theorems about bitbases: moves of whole sets are those of [pieces] one by one, position by position.
//!
//! An operation on sets is run once, on lanes whose bits are [sets of inputs](feeds). The run shows that every bit
//! of the result is the union of some bits of the input, and of which, for all sets at once. These are compared
//! with the loops over one position at a time that are the oracle of the library's tests, too.
//!
//! Claims about a result are about positions in which no two pieces share a square. Callers mask the others.
//! Twins, the two slots of a position whose kings are both on the diagonal, count as one where kings move.

mod board;
mod confined;
mod feeds;
mod moves;
#[path = "../../../../tests/laws/bitbase/board.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the tests of the library use more of it"
)]
mod pieces;
#[path = "../../../bench/src/random.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "placements are random in tests alone"
)]
mod random;
mod sets;

use random::Random;

use crate::Theorem;

/// All of them.
pub(crate) fn theorems() -> Vec<Theorem> {
    let mut all = moves::theorems();
    all.extend(confined::theorems());
    all
}

/// The method of most of these theorems.
const SYMBOLS: &str = "symbolic run, one set of inputs for each bit";

/// Every so many of a number of slices, from one that depends on `offset`.
fn every(step: usize, slices: usize, offset: usize) -> impl Iterator<Item = usize> {
    (offset % step.min(slices)..slices).step_by(step)
}
