//! Eight boards at a time: what operations on bitbases need of a vector register.
//!
//! They are written once, generic over [`Lanes`], and the token of each backend chooses its own. A [`Row`] is
//! eight neighbouring words in memory.

#![expect(
    unnameable_types,
    reason = "the values of an associated type of a trait that tools/prove uses"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
mod register;
#[cfg(test)]
mod tests;

use crate::batch;

pub use register::Lanes;

/// A token of a backend, which proves that the processor has the instructions of its lanes.
pub trait HasLanes: Copy {
    /// The lanes.
    type Lanes: Lanes<Isa = Self>;
}

impl HasLanes for batch::Portable {
    type Lanes = portable::Portable;
}

#[cfg(target_arch = "x86_64")]
impl HasLanes for batch::Avx2 {
    type Lanes = avx2::Avx2;
}

#[cfg(target_arch = "x86_64")]
impl HasLanes for batch::Avx512 {
    type Lanes = avx512::Avx512;
}
