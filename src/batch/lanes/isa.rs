//! What ties words, tokens and vectors together.

#[cfg(target_arch = "x86_64")]
use super::Merges;
use super::{Bytes, Lanes};
use crate::batch::tokens::Portable;
#[cfg(target_arch = "x86_64")]
use crate::batch::tokens::{Avx2, Avx512};
use crate::index::Word;

/// Words that there are vectors of: `u32` and `u64`. `u128` stays scalar.
pub(crate) trait Vectors: Word + Lanes<Self, Isa = (), Shift = u32, Mask = bool> {
    /// Whether five pieces fill the word, and ten do not fit it.
    const NARROW: bool;
    /// The vectors of the portable backend.
    type Portable: Lanes<Self, Isa = Portable>;
    /// The vectors of AVX2.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Lanes<Self, Isa = Avx2>;
    /// The vectors of AVX-512.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Lanes<Self, Isa = Avx512> + Merges<Self>;
}

/// A set of instructions, and the proof that the processor has it.
pub(crate) trait Isa: Copy {
    /// Its vectors of words `W`.
    type Of<W: Vectors>: Lanes<W, Isa = Self>;
    /// Its vectors of 64-bit words, which are also vectors of bytes.
    type Bytes: Bytes<Isa = Self>;
    /// Whether [`stream_line`](Lanes::stream_line) does what it is named for.
    const STREAMS: bool = false;
    /// Asks for the line that holds this address, wherever it points.
    #[inline(always)]
    fn prefetch<T>(self, _at: *const T) {}
    /// The same for what is not needed soon: brings it as near as the second cache.
    #[cfg_attr(
        not(feature = "store"),
        allow(dead_code, reason = "only index files are read so far ahead")
    )]
    #[inline(always)]
    fn prefetch_early<T>(self, _at: *const T) {}
    /// Orders all streaming stores of this thread before what it stores next.
    #[inline(always)]
    fn fence(self) {}
}
