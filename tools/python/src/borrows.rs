//! The claims of the calls at work on the memory that they read and write.
//!
//! While a call works without the interpreter's lock, another thread may hand the same array, or a
//! view of it, to another call. Each call therefore claims the addresses that it reads or writes. A claim
//! is refused if it is for memory that another call writes, or if it is to write memory that another call
//! reads. The claims of one call are also checked against each other, so slices made of claimed memory
//! never alias.
//!
//! The borrow checker of the `numpy` crate does not serve here. It knows arrays by their base object, so it
//! misses two buffers over the same bytes. And it looks at the array again when the borrow ends, when
//! another thread may have given the array another shape.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// All present claims, seldom more than two.
static CLAIMS: Mutex<Vec<(Range<usize>, bool)>> = Mutex::new(Vec::new());

/// The right to read memory at some addresses, or to read and write it. It ends when the claim is dropped.
pub(crate) struct Claim(Range<usize>, bool);

impl Claim {
    /// The right to these addresses, or `None` if that conflicts with another claim.
    pub(crate) fn new(addresses: Range<usize>, write: bool) -> Option<Claim> {
        let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
        let conflicts = |(other, written): &(Range<usize>, bool)| {
            overlap(other, &addresses) && (*written || write)
        };
        if claims.iter().any(conflicts) {
            return None;
        }
        claims.push((addresses.clone(), write));
        Some(Claim(addresses, write))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
        // Among several equal claims it does not matter which one is removed.
        let is_own = |(addresses, write): &(_, _)| *addresses == self.0 && *write == self.1;
        if let Some(place) = claims.iter().rposition(is_own) {
            claims.swap_remove(place);
        }
    }
}

/// Whether two ranges have an address in common.
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}
