//! The operations of [`index`](crate::index) on whole slices, with SIMD.
//!
//! Generators call these in their innermost passes over billions of indices. The best instructions
//! that the machine has are found at run time ([`Backend::detect`]); no build flags are needed.
//! The functions of this module use them. The methods of [`Backend`] with the same names use the backend on
//! which they are called, and [`parallel`] uses all processors.
//!
//! Batches are slices of `u32` (up to five pieces) or `u64` (up to ten). The smaller word is twice
//! as fast. Slices may begin at any address; those that begin at a multiple of 64 bytes are the fastest.
//!
//! | backend | needs | vectors |
//! |---|---|---|
//! | `portable` | nothing | 16 bytes, SSE2 on x86-64, NEON on AArch64, through `wide` |
//! | `avx2` | AVX2, BMI1, BMI2, LZCNT, POPCNT (Haswell, Zen) | 32 bytes |
//! | `avx512` | these, FMA, F16C and AVX-512 F, BW, DQ, VL, IFMA, VBMI, VNNI (Ice Lake, Zen 4) | 64 bytes |
//!
//! ```
//! use tbindex::{Equivalence, Group, Layout, Symmetry, batch};
//! let layout = Layout::<u32>::natural(2);
//! let mut indices = [0o4562, 0o0077, 0o7700];
//! batch::flip_in_place(&layout, Symmetry::FlipVertical, &mut indices);
//! assert_eq!(indices, [0o3262, 0o7777, 0o0000]);
//!
//! let same = Equivalence::distinct(layout, Group::D4);
//! batch::canonical_in_place(&same, &mut indices);
//! assert_eq!(indices, [0o3262, 0o7777, 0o0000].map(|x| same.canonical(x)));
//! ```

mod backend;
mod caches;
mod codes;
#[cfg(feature = "store")]
mod column_sort;
pub(crate) mod columns;
mod dense;
mod kernels;
mod legal;
mod long_rows;
mod look_up;
#[cfg(feature = "store")]
pub(crate) mod merge;
mod operations;
#[cfg(feature = "rayon")]
pub mod parallel;
#[cfg(feature = "store")]
mod piles;
pub(crate) mod rows;
pub(crate) mod run;
#[cfg(feature = "store")]
mod scan;
pub(crate) mod schemes;
mod short_rows;
mod squares;
mod valid;

pub use backend::{Backend, BackendError, Token};
pub use caches::last_level_cache_bytes;
#[cfg(feature = "failpoints")]
#[doc(hidden)]
pub use caches::pretend_that_caches_are_tiny;
#[cfg(feature = "store")]
pub(crate) use column_sort::Columns;
pub use dense::{DenseBatch, SlotOutOfRange};
#[cfg(feature = "store")]
pub(crate) use lanes::Line;
#[cfg(feature = "store")]
pub(crate) use piles::Piles;
pub use run::BatchWord;
pub use squares::SquareOutOfRange;
pub use tokens::Portable;
#[cfg(target_arch = "x86_64")]
pub use tokens::{Avx2, Avx512};
pub use valid::IndexOutOfRange;

use crate::board::{Color, Symmetry};
use crate::index::{Equivalence, Layout, Moves, Numbering};
use crate::simd::{self as lanes, tokens};

/// Checks that all words are indices of a layout; see [`Backend::check_indices`].
///
/// # Errors
/// If one of them is not: the error has the first such word.
pub fn check_indices<W: BatchWord>(layout: &Layout<W>, words: &[W]) -> Result<(), IndexOutOfRange> {
    Backend::detect().check_indices(layout, words)
}

/// Replaces every index by its image under a symmetry; see [`Backend::flip_in_place`].
pub fn flip_in_place<W: BatchWord>(layout: &Layout<W>, symmetry: Symmetry, indices: &mut [W]) {
    Backend::detect().flip_in_place(layout, symmetry, indices);
}

/// Writes the image of every index under a symmetry; see [`Backend::flip_into`].
///
/// # Panics
/// If the slices differ in length.
pub fn flip_into<W: BatchWord>(layout: &Layout<W>, symmetry: Symmetry, from: &[W], to: &mut [W]) {
    Backend::detect().flip_into(layout, symmetry, from, to);
}

/// Changes every index to another numbering; see [`Backend::convert_in_place`].
pub fn convert_in_place<W: BatchWord>(layout: &Layout<W>, numbering: Numbering, indices: &mut [W]) {
    Backend::detect().convert_in_place(layout, numbering, indices);
}

/// Writes every index as it is under another numbering; see [`Backend::convert_into`].
///
/// # Panics
/// If the slices differ in length.
pub fn convert_into<W: BatchWord>(
    layout: &Layout<W>,
    numbering: Numbering,
    from: &[W],
    to: &mut [W],
) {
    Backend::detect().convert_into(layout, numbering, from, to);
}

/// Replaces every index by its canonical form; see [`Backend::canonical_in_place`].
pub fn canonical_in_place<W: BatchWord>(same: &Equivalence<W>, indices: &mut [W]) {
    Backend::detect().canonical_in_place(same, indices);
}

/// Writes the canonical form of every index; see [`Backend::canonical_into`].
///
/// # Panics
/// If the slices differ in length.
pub fn canonical_into<W: BatchWord>(same: &Equivalence<W>, from: &[W], to: &mut [W]) {
    Backend::detect().canonical_into(same, from, to);
}

/// Replaces every index by its canonical form and writes the symmetries' codes; see
/// [`Backend::canonical_with_symmetry_in_place`].
///
/// # Panics
/// If the slices differ in length.
pub fn canonical_with_symmetry_in_place<W: BatchWord>(
    same: &Equivalence<W>,
    indices: &mut [W],
    symmetries: &mut [u8],
) {
    Backend::detect().canonical_with_symmetry_in_place(same, indices, symmetries);
}

/// Writes the canonical form of every index and the symmetries' codes; see
/// [`Backend::canonical_with_symmetry_into`].
///
/// # Panics
/// If the slices differ in length.
pub fn canonical_with_symmetry_into<W: BatchWord>(
    same: &Equivalence<W>,
    from: &[W],
    to: &mut [W],
    symmetries: &mut [u8],
) {
    Backend::detect().canonical_with_symmetry_into(same, from, to, symmetries);
}

/// Writes the size of every index's orbit; see [`Backend::orbit_size_into`].
///
/// # Panics
/// If the slices differ in length.
pub fn orbit_size_into<W: BatchWord>(same: &Equivalence<W>, from: &[W], sizes: &mut [u8]) {
    Backend::detect().orbit_size_into(same, from, sizes);
}

/// Writes whether each index is canonical, as a bitmap; see [`Backend::is_canonical_into`].
///
/// # Panics
/// If the bitmap is not as long as ⌈number of indices / 64⌉.
pub fn is_canonical_into<W: BatchWord>(same: &Equivalence<W>, from: &[W], bitmap: &mut [u64]) {
    Backend::detect().is_canonical_into(same, from, bitmap);
}

/// Writes whether each position is legal with `side` to move, as a bitmap; see
/// [`Backend::is_legal_into`].
///
/// ```
/// use tbindex::{Color, Moves, Numbering, batch};
/// let moves = Moves::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
/// let all: Vec<u32> = (0..1 << 18).collect();
/// let mut legal = vec![0; all.len() / 64];
/// batch::is_legal_into(&moves, Color::White, &all, &mut legal);
/// let count: u32 = legal.iter().map(|bits| bits.count_ones()).sum();
/// assert_eq!(count, 175_168);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If the bitmap is not as long as ⌈number of indices / 64⌉.
pub fn is_legal_into<W: BatchWord>(moves: &Moves<W>, side: Color, from: &[W], bitmap: &mut [u64]) {
    Backend::detect().is_legal_into(moves, side, from, bitmap);
}

/// Writes whether the king of `side` is attacked in each position, as a bitmap; see
/// [`Backend::is_check_into`].
///
/// # Panics
/// If the bitmap is not as long as ⌈number of indices / 64⌉.
pub fn is_check_into<W: BatchWord>(moves: &Moves<W>, side: Color, from: &[W], bitmap: &mut [u64]) {
    Backend::detect().is_check_into(moves, side, from, bitmap);
}

/// Writes the index of each row of squares; see [`Backend::encode_rows`].
///
/// # Errors
/// If a byte is above 63.
///
/// # Panics
/// If there are not exactly as many bytes as all the positions have pieces.
pub fn encode_rows<W: BatchWord>(
    layout: &Layout<W>,
    rows: &[u8],
    to: &mut [W],
) -> Result<(), SquareOutOfRange> {
    Backend::detect().encode_rows(layout, rows, to)
}

/// Writes the index of each position whose squares are in columns; see
/// [`Backend::encode_columns`].
///
/// # Errors
/// If a byte is above 63.
///
/// # Panics
/// If there is not one column for each piece, as long as `to`.
pub fn encode_columns<W: BatchWord>(
    layout: &Layout<W>,
    columns: &[&[u8]],
    to: &mut [W],
) -> Result<(), SquareOutOfRange> {
    Backend::detect().encode_columns(layout, columns, to)
}

/// Writes the squares of each index as a row; see [`Backend::decode_rows`].
///
/// # Panics
/// If there are not exactly as many bytes as all the positions have pieces.
pub fn decode_rows<W: BatchWord>(layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
    Backend::detect().decode_rows(layout, from, rows);
}

/// Writes the squares of each index into columns; see [`Backend::decode_columns`].
///
/// # Panics
/// If there is not one column for each piece, as long as `from`.
pub fn decode_columns<W: BatchWord>(layout: &Layout<W>, from: &[W], columns: &mut [&mut [u8]]) {
    Backend::detect().decode_columns(layout, from, columns);
}

/// Writes the slot of every index; see [`Backend::rank_into`].
///
/// # Panics
/// If the slices differ in length.
pub fn rank_into<W: BatchWord>(
    scheme: &(impl DenseBatch<W> + ?Sized),
    indices: &[W],
    slots: &mut [W],
) {
    Backend::detect().rank_into(scheme, indices, slots);
}

/// Replaces every index by its slot; see [`Backend::rank_in_place`].
pub fn rank_in_place<W: BatchWord>(scheme: &(impl DenseBatch<W> + ?Sized), words: &mut [W]) {
    Backend::detect().rank_in_place(scheme, words);
}

/// Writes the position of every slot; see [`Backend::unrank_into`].
///
/// # Panics
/// If the slices differ in length, or a slot is not below [`size`](crate::Dense::size).
pub fn unrank_into<W: BatchWord>(
    scheme: &(impl DenseBatch<W> + ?Sized),
    slots: &[W],
    indices: &mut [W],
) {
    Backend::detect().unrank_into(scheme, slots, indices);
}

/// Replaces every slot by its position; see [`Backend::unrank_in_place`].
///
/// # Panics
/// If a slot is not below [`size`](crate::Dense::size).
pub fn unrank_in_place<W: BatchWord>(scheme: &(impl DenseBatch<W> + ?Sized), words: &mut [W]) {
    Backend::detect().unrank_in_place(scheme, words);
}

/// Writes the position of every slot, if they are all slots; see [`Backend::try_unrank_into`].
///
/// # Errors
/// If a number is not below [`size`](crate::Dense::size); nothing is then written.
///
/// # Panics
/// If the slices differ in length.
pub fn try_unrank_into<W: BatchWord>(
    scheme: &(impl DenseBatch<W> + ?Sized),
    slots: &[W],
    indices: &mut [W],
) -> Result<(), SlotOutOfRange> {
    Backend::detect().try_unrank_into(scheme, slots, indices)
}

/// Replaces every slot by its position, if they are all slots; see [`Backend::try_unrank_in_place`].
///
/// # Errors
/// If a number is not below [`size`](crate::Dense::size); nothing is then written.
pub fn try_unrank_in_place<W: BatchWord>(
    scheme: &(impl DenseBatch<W> + ?Sized),
    words: &mut [W],
) -> Result<(), SlotOutOfRange> {
    Backend::detect().try_unrank_in_place(scheme, words)
}
