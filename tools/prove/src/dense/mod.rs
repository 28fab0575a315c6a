//! Theorems about dense numbers: rank and unrank are inverse, and sizes are exact.
//!
//! Up to five pieces every slot and every index is tried. Beyond, [`beyond`] says which parts a number is made of,
//! and why the ends of each part suffice.

mod beyond;
mod exhaustive;
#[path = "../../../../tests/laws/dense.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the tests of the library use more of it"
)]
mod laws;

use crate::Theorem;

/// All of them.
pub(crate) fn theorems() -> Vec<Theorem> {
    let mut all = exhaustive::theorems();
    all.extend(beyond::theorems());
    all
}
