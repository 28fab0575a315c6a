//! What is compiled here, once for each word, and not again in every crate that calls it.
//!
//! A generic function is compiled where it is called with types, and a batch is some dozens of loops
//! for each set of instructions. A method of an implementation for one type is compiled where it is
//! written: so this is the waist through which all callers go.

use super::backend::Backend;
use super::{dense, operations, rows::SquareOutOfRange};
use crate::board::Symmetry;
use crate::index::{Compact, Equivalence, Kings, Layout, Numbering, Orbit, Triangle, Word};

/// A trait of these functions, and its implementations for the words of batches.
macro_rules! compiled {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $of:expr;)*) => {
        /// The batches of a word, each the generic function that it is made of.
        #[doc(hidden)]
        #[allow(missing_docs, reason = "each says by its name what it is")]
        pub trait Compiled: Word {
            $(fn $name($($argument: $type),*) $(-> $out)?;)*
        }

        impl Compiled for u32 {
            $(fn $name($($argument: $type),*) $(-> $out)? {
                $of($($argument),*)
            })*
        }

        impl Compiled for u64 {
            $(fn $name($($argument: $type),*) $(-> $out)? {
                $of($($argument),*)
            })*
        }
    };
}

compiled! {
    fn symmetry_in_place(layout: &Layout<Self>, symmetry: Symmetry, backend: Backend, indices: &mut [Self]) = operations::symmetry_in_place;
    fn symmetry_into(layout: &Layout<Self>, symmetry: Symmetry, backend: Backend, from: &[Self], to: &mut [Self], past_caches: bool) = operations::symmetry_into;
    fn conversion_in_place(layout: &Layout<Self>, to: Numbering, backend: Backend, indices: &mut [Self]) -> bool = operations::conversion_in_place;
    fn conversion_into(layout: &Layout<Self>, numbering: Numbering, backend: Backend, from: &[Self], to: &mut [Self], past_caches: bool) -> bool = operations::conversion_into;
    fn canonical_in_place(same: &Equivalence<Self>, backend: Backend, indices: &mut [Self]) = operations::canonical_in_place;
    fn canonical_into(same: &Equivalence<Self>, backend: Backend, from: &[Self], to: &mut [Self], past_caches: bool) = operations::canonical_into;
    fn symmetries_in_place(same: &Equivalence<Self>, backend: Backend, indices: &mut [Self], symmetries: &mut [u8]) = operations::symmetries_in_place;
    fn symmetries_into(same: &Equivalence<Self>, backend: Backend, from: &[Self], to: &mut [Self], symmetries: &mut [u8]) = operations::symmetries_into;
    fn is_canonical_into(same: &Equivalence<Self>, backend: Backend, from: &[Self], bitmap: &mut [u64]) = operations::is_canonical_into;
    fn orbit_size_into(same: &Equivalence<Self>, backend: Backend, from: &[Self], sizes: &mut [u8]) = operations::orbit_size_into;

    fn encode_rows(backend: Backend, layout: &Layout<Self>, rows: &[u8], to: &mut [Self]) -> Result<(), SquareOutOfRange> = Backend::encode_rows_here;
    fn encode_columns(backend: Backend, layout: &Layout<Self>, columns: &[&[u8]], to: &mut [Self]) -> Result<(), SquareOutOfRange> = Backend::encode_columns_here;
    fn decode_rows(backend: Backend, layout: &Layout<Self>, from: &[Self], rows: &mut [u8]) = Backend::decode_rows_here;
    fn decode_columns(backend: Backend, layout: &Layout<Self>, from: &[Self], columns: &mut [&mut [u8]]) = Backend::decode_columns_here;

    fn all_below(backend: Backend, words: &[Self], end: Self) -> bool = dense::all_below;
    fn orbit_rank(scheme: &Orbit<Self>, backend: Backend, indices: &[Self], slots: &mut [Self]) = dense::orbit_rank;
    fn orbit_unrank(scheme: &Orbit<Self>, backend: Backend, slots: &[Self], indices: &mut [Self]) = dense::orbit_unrank;
    fn triangle_rank(scheme: &Triangle<Self>, backend: Backend, indices: &[Self], slots: &mut [Self]) = dense::triangle_rank;
    fn triangle_unrank(scheme: &Triangle<Self>, backend: Backend, slots: &[Self], indices: &mut [Self]) = dense::triangle_unrank;
    fn kings_rank(scheme: &Kings<Self>, backend: Backend, indices: &[Self], slots: &mut [Self]) = dense::kings_rank;
    fn kings_unrank(scheme: &Kings<Self>, backend: Backend, slots: &[Self], indices: &mut [Self]) = dense::kings_unrank;
    fn compact_rank(scheme: &Compact<Self>, backend: Backend, indices: &[Self], slots: &mut [Self]) = dense::compact_rank;
    fn compact_unrank(scheme: &Compact<Self>, backend: Backend, slots: &[Self], indices: &mut [Self]) = dense::compact_unrank;
}
