//! A door for `tools/prove`, which runs the kernels on words and vectors of its own, of symbols. It is no part of
//! the public interface: anything in it may change in any version.

pub use crate::batch::any_isa::AnyIsa;
#[cfg(target_arch = "x86_64")]
pub use crate::batch::lanes::Merges;
pub use crate::batch::lanes::{Bytes, Isa, LINE_BYTES, Lanes, Line, Vectors};
pub use crate::index::word::sealed::Sealed as SealedWord;

/// The lanes of bitbases, and operations with any of them.
pub mod bitbases {
    pub use crate::bitbase::any_lanes::{confine_slab, man_moves, moves};
    pub use crate::bitbase::lanes::{HasLanes, Lanes};
}
