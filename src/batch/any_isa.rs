//! The operations on slices, with the instructions that a caller brings.
//!
//! [`Backend`](super::Backend) brings those that the machine has. `tools/prove` brings a set whose words are
//! symbols, and so proves the kernels that are chosen here, for all indices.

use super::choose::{
    KernelVisitor, Visitor, with_canonical, with_canonical_kernel, with_conversion,
    with_orbit_rank, with_orbit_unrank, with_symmetry,
};
use super::kernels::{Alternate, IsCanonical, Kernel, KernelWithBytes, Natural, OrbitSize};
use super::lanes::{Isa, Vectors};
use super::loops::{bits_into, bytes_into, map_in_place, map_with_bytes};
use super::mapping::{Fit, Mapping, Whole};
use super::{BatchWord, columns, rows};
use crate::board::Symmetry;
use crate::index::{Equivalence, Layout, Numbering, Word};

/// Words with the operations of [`BatchWord`] on any instructions. Slices must fill whole vectors and begin
/// at a multiple of 64 bytes; those that are mapped in place must fill two lines of 64 bytes or a multiple.
pub trait AnyIsa: BatchWord {
    /// Does what [`flip_in_place`](super::flip_in_place) does.
    fn flip_on<I: Isa>(isa: I, layout: &Layout<Self>, symmetry: Symmetry, words: &mut [Self]);
    /// Does what [`convert_in_place`](super::convert_in_place) does, to the other numbering.
    fn convert_on<I: Isa>(isa: I, layout: &Layout<Self>, words: &mut [Self]);
    /// Does what [`canonical_in_place`](super::canonical_in_place) does.
    fn canonical_on<I: Isa>(isa: I, same: &Equivalence<Self>, words: &mut [Self]);
    /// Does what [`canonical_with_symmetry_in_place`](super::canonical_with_symmetry_in_place) does.
    fn canonical_with_symmetry_on<I: Isa>(
        isa: I,
        same: &Equivalence<Self>,
        words: &mut [Self],
        symmetries: &mut [u8],
    );
    /// Does what [`is_canonical_into`](super::is_canonical_into) does.
    fn is_canonical_on<I: Isa>(isa: I, same: &Equivalence<Self>, from: &[Self], bitmap: &mut [u64]);
    /// Does what [`orbit_size_into`](super::orbit_size_into) does under D4.
    fn orbit_size_on<I: Isa>(isa: I, layout: &Layout<Self>, from: &[Self], sizes: &mut [u8]);
    /// Ranks alternate indices under D4 as [`Orbit`](crate::Orbit) does.
    fn orbit_rank_on<I: Isa>(isa: I, alternate: &Layout<Self>, words: &mut [Self]);
    /// Undoes [`orbit_rank_on`](AnyIsa::orbit_rank_on).
    fn orbit_unrank_on<I: Isa>(isa: I, alternate: &Layout<Self>, words: &mut [Self]);
    /// Does what [`Backend::encode_rows`](super::Backend::encode_rows) does, and returns the bits that are set in
    /// any square.
    fn encode_rows_on<I: Isa>(isa: I, layout: &Layout<Self>, rows: &[u8], to: &mut [Self]) -> u8;
    /// Does what [`Backend::decode_rows`](super::Backend::decode_rows) does.
    fn decode_rows_on<I: Isa>(isa: I, layout: &Layout<Self>, from: &[Self], rows: &mut [u8]);
    /// Does what [`Backend::encode_columns`](super::Backend::encode_columns) does, and returns the bits that are
    /// set in any square.
    fn encode_columns_on<I: Isa>(
        isa: I,
        layout: &Layout<Self>,
        columns: &[&[u8]],
        to: &mut [Self],
    ) -> u8;
    /// Does what [`Backend::decode_columns`](super::Backend::decode_columns) does.
    fn decode_columns_on<I: Isa>(
        isa: I,
        layout: &Layout<Self>,
        from: &[Self],
        columns: &mut [&mut [u8]],
    );
}

macro_rules! any_isa {
    ($word:ident) => {
        impl AnyIsa for $word {
            fn flip_on<I: Isa>(
                isa: I,
                layout: &Layout<Self>,
                symmetry: Symmetry,
                words: &mut [Self],
            ) {
                with_symmetry(layout, symmetry, InPlaceOn { isa, words });
            }
            fn convert_on<I: Isa>(isa: I, layout: &Layout<Self>, words: &mut [Self]) {
                with_conversion(layout, InPlaceOn { isa, words });
            }
            fn canonical_on<I: Isa>(isa: I, same: &Equivalence<Self>, words: &mut [Self]) {
                with_canonical(same, InPlaceOn { isa, words });
            }
            fn canonical_with_symmetry_on<I: Isa>(
                isa: I,
                same: &Equivalence<Self>,
                words: &mut [Self],
                symmetries: &mut [u8],
            ) {
                let visitor = WithSymmetry {
                    isa,
                    words,
                    symmetries,
                };
                with_canonical_kernel(&same.layout(), Whole, same.group(), same.like(), visitor);
            }
            fn is_canonical_on<I: Isa>(
                isa: I,
                same: &Equivalence<Self>,
                from: &[Self],
                bitmap: &mut [u64],
            ) {
                let visitor = AreCanonical { isa, from, bitmap };
                with_canonical_kernel(&same.layout(), Whole, same.group(), same.like(), visitor);
            }
            fn orbit_size_on<I: Isa>(
                isa: I,
                layout: &Layout<Self>,
                from: &[Self],
                sizes: &mut [u8],
            ) {
                match layout.numbering() {
                    Numbering::Natural => {
                        let kernel = OrbitSize::<Self, Natural<Self>>::new(layout);
                        bytes_into(isa, &kernel, from, sizes);
                    }
                    Numbering::Alternate => {
                        let kernel = OrbitSize::<Self, Alternate<Self>>::new(layout);
                        bytes_into(isa, &kernel, from, sizes);
                    }
                }
            }
            fn orbit_rank_on<I: Isa>(isa: I, alternate: &Layout<Self>, words: &mut [Self]) {
                with_orbit_rank(alternate, InPlaceOn { isa, words });
            }
            fn orbit_unrank_on<I: Isa>(isa: I, alternate: &Layout<Self>, words: &mut [Self]) {
                with_orbit_unrank(alternate, InPlaceOn { isa, words });
            }
            fn encode_rows_on<I: Isa>(
                isa: I,
                layout: &Layout<Self>,
                rows: &[u8],
                to: &mut [Self],
            ) -> u8 {
                rows::encode_on(isa, layout, rows, to)
            }
            fn decode_rows_on<I: Isa>(
                isa: I,
                layout: &Layout<Self>,
                from: &[Self],
                rows: &mut [u8],
            ) {
                rows::decode_on(isa, layout, from, rows);
            }
            fn encode_columns_on<I: Isa>(
                isa: I,
                layout: &Layout<Self>,
                columns: &[&[u8]],
                to: &mut [Self],
            ) -> u8 {
                columns::encode_all(isa, layout, columns, to)
            }
            fn decode_columns_on<I: Isa>(
                isa: I,
                layout: &Layout<Self>,
                from: &[Self],
                columns: &mut [&mut [u8]],
            ) {
                columns::decode_all(isa, layout, from, columns);
            }
        }
    };
}

any_isa!(u32);
any_isa!(u64);

/// Replaces words by their images.
struct InPlaceOn<'a, I, W> {
    isa: I,
    words: &'a mut [W],
}

impl<I: Isa, W: Word> Visitor<W> for InPlaceOn<'_, I, W> {
    fn visit<M: Mapping<W>>(self, mapping: M) {
        map_in_place(self.isa, &mapping, self.words, false);
    }
}

impl<I: Isa, W: Word, F: Fit<W>> KernelVisitor<W, F> for InPlaceOn<'_, I, W> {
    fn visit_kernel<K>(self, fit: F, kernel: K)
    where
        K: Kernel<F::Word> + KernelWithBytes<F::Word>,
    {
        self.visit(fit.map(kernel));
    }
}

/// Replaces indices by canonical ones and writes their symmetries.
struct WithSymmetry<'a, I, W> {
    isa: I,
    words: &'a mut [W],
    symmetries: &'a mut [u8],
}

impl<I: Isa, W: Vectors> KernelVisitor<W, Whole> for WithSymmetry<'_, I, W> {
    fn visit_kernel<K: Kernel<W> + KernelWithBytes<W>>(self, _: Whole, kernel: K) {
        map_with_bytes(self.isa, &kernel, self.words, self.symmetries);
    }
}

/// Writes a bitmap of the indices that are canonical.
struct AreCanonical<'a, I, W> {
    isa: I,
    from: &'a [W],
    bitmap: &'a mut [u64],
}

impl<I: Isa, W: Vectors> KernelVisitor<W, Whole> for AreCanonical<'_, I, W> {
    fn visit_kernel<K: Kernel<W> + KernelWithBytes<W>>(self, _: Whole, kernel: K) {
        bits_into(self.isa, &IsCanonical(kernel), self.from, self.bitmap);
    }
}
