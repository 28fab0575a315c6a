//! The operations on [indices](crate::Layout) for whole slices, with SIMD.
//!
//! # Flip ten million indices
//!
//! ```
//! use tbindex::batch::Backend;
//! use tbindex::{Layout, Numbering, Symmetry};
//! let mut indices: Vec<u32> = (0..10_000_000).collect();
//! let layout = Layout::<u32>::new(4, Numbering::Natural);
//! Backend::detect().flip_in_place(&layout, Symmetry::FlipVertical, &mut indices);
//! // The ranks, which are the high digits, are mirrored.
//! assert_eq!(indices[0o0123_4567], 0o7654_4567);
//! ```
//!
//! Generators call these in their innermost passes over billions of indices. They are methods of a [`Backend`], a set
//! of instructions: [`Backend::detect`] returns the best that the machine has, so no build flags are needed.
//! [`parallel`] shares a batch among threads.
//!
//! Batches are slices of `u32` (up to five pieces) or `u64` (up to ten). The smaller word is twice
//! as fast. Slices may begin at any address; the fastest begin at a multiple of 64 bytes.
//!
//! | backend | needs | vectors |
//! |---|---|---|
//! | `portable` | nothing | 16 bytes, SSE2 on x86-64, NEON on AArch64, through `wide` |
//! | `avx2` | AVX2, BMI1, BMI2, LZCNT, POPCNT (Haswell, Zen) | 32 bytes |
//! | `avx512` | these, FMA, F16C and AVX-512 F, BW, DQ, VL, IFMA, VBMI, VBMI2, VNNI (Ice Lake, Zen 4) | 64 bytes |
//!
#![cfg_attr(
    not(feature = "rayon"),
    doc = "[`parallel`]: https://docs.rs/tbindex/latest/tbindex/batch/parallel"
)]

mod backend;
mod caches;
mod codes;
mod convert;
mod dense;
mod five;
mod legal;
mod operations;
mod out_of_range;
pub(crate) mod packing;
#[cfg(feature = "rayon")]
pub mod parallel;
#[cfg(feature = "store")]
mod piles;
pub(crate) mod run;
mod scans;
pub(crate) mod schemes;
mod slices;
pub(crate) mod squares;
mod valid;

use crate::simd::tokens;
pub use backend::Backend;
#[doc(hidden)]
pub use backend::Token;
#[doc(hidden)]
pub use caches::last_level_cache_bytes;
#[cfg(feature = "failpoints")]
#[doc(hidden)]
pub use caches::pretend_that_caches_are_tiny;
pub use dense::DenseBatch;
pub use operations::BatchWord;
pub use out_of_range::OutOfRange;
#[cfg(feature = "store")]
pub(crate) use piles::Piles;
#[doc(hidden)]
pub use tokens::Portable;
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
pub use tokens::{Avx2, Avx512};
