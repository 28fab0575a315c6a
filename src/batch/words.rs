//! The waist of the batch layer: all operations on slices of a word, compiled here once for each word.
//!
//! A generic function is compiled where it is called with types, and a batch is some dozens of loops
//! for each set of instructions. A method of an implementation for one type is compiled where it is
//! written, so callers in other crates compile none of them.
//!
//! Arguments are words, not structures of them: a structure would be built by the caller in small
//! stores and copied here by wide loads, which wait until the stores are done.

use super::backend::Backend;
use super::choose::{
    InPlace, Into, KernelVisitor, with_canonical, with_canonical_kernel, with_conversion,
    with_symmetry,
};
use super::columns;
use super::kernels::{Alternate, IsCanonical, Kernel, KernelWithBytes, Natural, OrbitSize};
use super::lanes::Vectors;
use super::loops::{bits_into, bytes_into, map_with_bytes};
use super::mapping::Whole;
use super::rows;
use super::schemes;
use super::squares::SquareOutOfRange;
use crate::board::{Group, Symmetry};
use crate::dispatch;
use crate::index::{Compact, Equivalence, Kings, Layout, Numbering, Orbit, Triangle, Word};

mod sealed {
    /// Keeps [`BatchWord`](super::BatchWord) to the words that it is implemented for here.
    #[expect(unnameable_types, reason = "that it can't be named is what seals")]
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

/// Words that batches are made of: `u32` for up to five pieces and `u64` for up to ten. The trait is
/// sealed; `u128` stays scalar.
///
/// Call the methods of [`Backend`], which check lengths and then call the methods of the same names here.
#[allow(
    missing_docs,
    reason = "hidden: the public functions of the same names are documented"
)]
pub trait BatchWord: Word + sealed::Sealed {
    #[doc(hidden)]
    fn flip_in_place(
        backend: Backend,
        layout: &Layout<Self>,
        symmetry: Symmetry,
        indices: &mut [Self],
    );
    #[doc(hidden)]
    fn flip_into(
        backend: Backend,
        layout: &Layout<Self>,
        symmetry: Symmetry,
        from: &[Self],
        to: &mut [Self],
        stream: bool,
    );
    #[doc(hidden)]
    fn convert_in_place(backend: Backend, layout: &Layout<Self>, indices: &mut [Self]);
    #[doc(hidden)]
    fn convert_into(
        backend: Backend,
        layout: &Layout<Self>,
        from: &[Self],
        to: &mut [Self],
        stream: bool,
    );
    #[doc(hidden)]
    fn canonical_in_place(backend: Backend, same: &Equivalence<Self>, indices: &mut [Self]);
    #[doc(hidden)]
    fn canonical_into(
        backend: Backend,
        same: &Equivalence<Self>,
        from: &[Self],
        to: &mut [Self],
        stream: bool,
    );
    #[doc(hidden)]
    fn canonical_with_symmetry_in_place(
        backend: Backend,
        same: &Equivalence<Self>,
        indices: &mut [Self],
        symmetries: &mut [u8],
    );
    #[doc(hidden)]
    fn is_canonical_into(
        backend: Backend,
        same: &Equivalence<Self>,
        from: &[Self],
        bitmap: &mut [u64],
    );
    #[doc(hidden)]
    fn orbit_size_into(backend: Backend, same: &Equivalence<Self>, from: &[Self], sizes: &mut [u8]);
    #[doc(hidden)]
    fn encode_rows(
        backend: Backend,
        layout: &Layout<Self>,
        rows: &[u8],
        to: &mut [Self],
    ) -> Result<(), SquareOutOfRange>;
    #[doc(hidden)]
    fn encode_columns(
        backend: Backend,
        layout: &Layout<Self>,
        columns: &[&[u8]],
        to: &mut [Self],
    ) -> Result<(), SquareOutOfRange>;
    #[doc(hidden)]
    fn decode_rows(backend: Backend, layout: &Layout<Self>, from: &[Self], rows: &mut [u8]);
    #[doc(hidden)]
    fn decode_columns(
        backend: Backend,
        layout: &Layout<Self>,
        from: &[Self],
        columns: &mut [&mut [u8]],
    );
    #[doc(hidden)]
    fn any_bits(backend: Backend, words: &[Self]) -> Self;
    #[doc(hidden)]
    fn all_below(backend: Backend, words: &[Self], end: Self) -> bool;
    #[doc(hidden)]
    fn orbit_rank_into(
        backend: Backend,
        scheme: &Orbit<Self>,
        indices: &[Self],
        slots: &mut [Self],
    );
    #[doc(hidden)]
    fn orbit_unrank_into(
        backend: Backend,
        scheme: &Orbit<Self>,
        slots: &[Self],
        indices: &mut [Self],
    );
    #[doc(hidden)]
    fn triangle_rank_into(
        backend: Backend,
        scheme: &Triangle<Self>,
        indices: &[Self],
        slots: &mut [Self],
    );
    #[doc(hidden)]
    fn triangle_unrank_into(
        backend: Backend,
        scheme: &Triangle<Self>,
        slots: &[Self],
        indices: &mut [Self],
    );
    #[doc(hidden)]
    fn kings_rank_into(
        backend: Backend,
        scheme: &Kings<Self>,
        indices: &[Self],
        slots: &mut [Self],
    );
    #[doc(hidden)]
    fn kings_unrank_into(
        backend: Backend,
        scheme: &Kings<Self>,
        slots: &[Self],
        indices: &mut [Self],
    );
    #[doc(hidden)]
    fn compact_rank_into(
        backend: Backend,
        scheme: &Compact<Self>,
        indices: &[Self],
        slots: &mut [Self],
    );
    #[doc(hidden)]
    fn compact_unrank_into(
        backend: Backend,
        scheme: &Compact<Self>,
        slots: &[Self],
        indices: &mut [Self],
    );
}

/// Implements the waist for a word.
macro_rules! batch_word {
    ($word:ident) => {
        impl BatchWord for $word {
            fn flip_in_place(backend: Backend, layout: &Layout<Self>, symmetry: Symmetry, indices: &mut [Self]) {
                with_symmetry(layout, symmetry, InPlace { backend, words: indices });
            }

            fn flip_into(backend: Backend, layout: &Layout<Self>, symmetry: Symmetry, from: &[Self], to: &mut [Self], stream: bool) {
                with_symmetry(layout, symmetry, Into { backend, from, to, stream });
            }

            fn convert_in_place(backend: Backend, layout: &Layout<Self>, indices: &mut [Self]) {
                with_conversion(layout, InPlace { backend, words: indices });
            }

            fn convert_into(backend: Backend, layout: &Layout<Self>, from: &[Self], to: &mut [Self], stream: bool) {
                with_conversion(layout, Into { backend, from, to, stream });
            }

            fn canonical_in_place(backend: Backend, same: &Equivalence<Self>, indices: &mut [Self]) {
                with_canonical(same, InPlace { backend, words: indices });
            }

            fn canonical_into(backend: Backend, same: &Equivalence<Self>, from: &[Self], to: &mut [Self], stream: bool) {
                with_canonical(same, Into { backend, from, to, stream });
            }

            fn canonical_with_symmetry_in_place(backend: Backend, same: &Equivalence<Self>, indices: &mut [Self], symmetries: &mut [u8]) {
                let visitor = WithSymmetry { backend, indices, symmetries };
                with_canonical_kernel(&same.layout(), Whole, same.group(), same.like(), visitor);
            }

            fn is_canonical_into(backend: Backend, same: &Equivalence<Self>, from: &[Self], bitmap: &mut [u64]) {
                let visitor = AreCanonical { backend, from, bitmap };
                with_canonical_kernel(&same.layout(), Whole, same.group(), same.like(), visitor);
            }

            fn orbit_size_into(backend: Backend, same: &Equivalence<Self>, from: &[Self], sizes: &mut [u8]) {
                let layout = &same.layout();
                match (same.group(), layout.numbering()) {
                    (Group::D4, Numbering::Natural) => {
                        let kernel = OrbitSize::<Self, Natural<Self>>::new(layout);
                        dispatch!(backend, move isa => bytes_into(isa, &kernel, from, sizes));
                    }
                    (Group::D4, Numbering::Alternate) => {
                        let kernel = OrbitSize::<Self, Alternate<Self>>::new(layout);
                        dispatch!(backend, move isa => bytes_into(isa, &kernel, from, sizes));
                    }
                    (group, _) => sizes.fill(group.order() as u8),
                }
            }

            fn encode_rows(backend: Backend, layout: &Layout<Self>, rows: &[u8], to: &mut [Self]) -> Result<(), SquareOutOfRange> {
                rows::encode_rows(backend, layout, rows, to)
            }

            fn encode_columns(backend: Backend, layout: &Layout<Self>, columns: &[&[u8]], to: &mut [Self]) -> Result<(), SquareOutOfRange> {
                columns::encode_columns(backend, layout, columns, to)
            }

            fn decode_rows(backend: Backend, layout: &Layout<Self>, from: &[Self], rows: &mut [u8]) {
                rows::decode_rows(backend, layout, from, rows);
            }

            fn decode_columns(backend: Backend, layout: &Layout<Self>, from: &[Self], columns: &mut [&mut [u8]]) {
                columns::decode_columns(backend, layout, from, columns);
            }

            fn any_bits(backend: Backend, words: &[Self]) -> Self {
                schemes::any_bits(backend, words)
            }

            fn all_below(backend: Backend, words: &[Self], end: Self) -> bool {
                schemes::all_below(backend, words, end)
            }

            fn orbit_rank_into(backend: Backend, scheme: &Orbit<Self>, indices: &[Self], slots: &mut [Self]) {
                schemes::orbit_rank(backend, scheme, indices, slots);
            }

            fn orbit_unrank_into(backend: Backend, scheme: &Orbit<Self>, slots: &[Self], indices: &mut [Self]) {
                schemes::orbit_unrank(backend, scheme, slots, indices);
            }

            fn triangle_rank_into(backend: Backend, scheme: &Triangle<Self>, indices: &[Self], slots: &mut [Self]) {
                schemes::triangle_rank(backend, scheme, indices, slots);
            }

            fn triangle_unrank_into(backend: Backend, scheme: &Triangle<Self>, slots: &[Self], indices: &mut [Self]) {
                schemes::triangle_unrank(backend, scheme, slots, indices);
            }

            fn kings_rank_into(backend: Backend, scheme: &Kings<Self>, indices: &[Self], slots: &mut [Self]) {
                schemes::kings_rank(backend, scheme, indices, slots);
            }

            fn kings_unrank_into(backend: Backend, scheme: &Kings<Self>, slots: &[Self], indices: &mut [Self]) {
                schemes::kings_unrank(backend, scheme, slots, indices);
            }

            fn compact_rank_into(backend: Backend, scheme: &Compact<Self>, indices: &[Self], slots: &mut [Self]) {
                schemes::compact_rank(backend, scheme, indices, slots);
            }

            fn compact_unrank_into(backend: Backend, scheme: &Compact<Self>, slots: &[Self], indices: &mut [Self]) {
                schemes::compact_unrank(backend, scheme, slots, indices);
            }
        }
    };
}

batch_word!(u32);
batch_word!(u64);

/// The operation that replaces indices by canonical ones and writes their symmetries.
struct WithSymmetry<'a, W> {
    backend: Backend,
    indices: &'a mut [W],
    symmetries: &'a mut [u8],
}

impl<W: Vectors> KernelVisitor<W, Whole> for WithSymmetry<'_, W> {
    fn visit_kernel<K: Kernel<W> + KernelWithBytes<W>>(self, _: Whole, kernel: K) {
        let WithSymmetry {
            backend,
            indices,
            symmetries,
        } = self;
        dispatch!(backend, move isa => map_with_bytes(isa, &kernel, indices, symmetries));
    }
}

/// The operation that writes a bitmap of the indices that are canonical.
struct AreCanonical<'a, W> {
    backend: Backend,
    from: &'a [W],
    bitmap: &'a mut [u64],
}

impl<W: Vectors> KernelVisitor<W, Whole> for AreCanonical<'_, W> {
    fn visit_kernel<K: Kernel<W> + KernelWithBytes<W>>(self, _: Whole, kernel: K) {
        let AreCanonical {
            backend,
            from,
            bitmap,
        } = self;
        let condition = IsCanonical(kernel);
        dispatch!(backend, move isa => bits_into(isa, &condition, from, bitmap));
    }
}
