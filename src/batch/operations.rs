//! The operations on slices, as methods of a [`Backend`].

use super::backend::{Backend, last_level_cache_bytes};
use super::drive::{
    BitsInto, BytesInto, Halves, MapInPlace, MapInto, MapWithBytesInPlace, MapWithBytesInto, Words,
};
use super::kernels::{
    Alternate, CanonicalVisitor, IsCanonical, Kernel, KernelWithBytes, Natural, OrbitSize, Visitor,
    with_canonical, with_canonical_kernel, with_conversion, with_symmetry,
};
use super::lanes::Vectors;
use crate::board::{Group, Symmetry};
use crate::index::{Equivalence, Layout, Numbering};

/// # Symmetries, numberings, canonical forms
///
/// Every method does to each index of a slice what the method of [`Layout`] or [`Equivalence`] of
/// the same name does to one. Indices must be valid; of an invalid one the answer is unspecified,
/// and the others are not affected. Slices may begin anywhere and have any length. Nothing is
/// allocated.
///
/// # Panics
/// If two slices that belong together differ in length.
impl Backend {
    /// Replaces every index by its image under a symmetry ([`Layout::flip`]).
    pub fn flip_in_place<W: Vectors>(
        self,
        layout: &Layout<W>,
        symmetry: Symmetry,
        indices: &mut [W],
    ) {
        if symmetry != Symmetry::Identity {
            W::symmetry_in_place(layout, symmetry, self, indices);
        }
    }

    /// Writes the image of every index under a symmetry ([`Layout::flip`]).
    pub fn flip_into<W: Vectors>(
        self,
        layout: &Layout<W>,
        symmetry: Symmetry,
        from: &[W],
        to: &mut [W],
    ) {
        let past_caches = exceeds_caches(to);
        self.flip_into_as(layout, symmetry, from, to, past_caches);
    }

    pub(super) fn flip_into_as<W: Vectors>(
        self,
        layout: &Layout<W>,
        symmetry: Symmetry,
        from: &[W],
        to: &mut [W],
        past_caches: bool,
    ) {
        same_length(from.len(), to.len());
        if symmetry == Symmetry::Identity {
            to.copy_from_slice(from);
        } else {
            W::symmetry_into(layout, symmetry, self, from, to, past_caches);
        }
    }

    /// Changes every index from the layout's numbering to another ([`Layout::convert`]).
    pub fn convert_in_place<W: Vectors>(
        self,
        layout: &Layout<W>,
        numbering: Numbering,
        indices: &mut [W],
    ) {
        W::conversion_in_place(layout, numbering, self, indices);
    }

    /// Writes every index as it is under another numbering ([`Layout::convert`]).
    pub fn convert_into<W: Vectors>(
        self,
        layout: &Layout<W>,
        numbering: Numbering,
        from: &[W],
        to: &mut [W],
    ) {
        let past_caches = exceeds_caches(to);
        self.convert_into_as(layout, numbering, from, to, past_caches);
    }

    pub(super) fn convert_into_as<W: Vectors>(
        self,
        layout: &Layout<W>,
        numbering: Numbering,
        from: &[W],
        to: &mut [W],
        past_caches: bool,
    ) {
        same_length(from.len(), to.len());
        if !W::conversion_into(layout, numbering, self, from, &mut *to, past_caches) {
            to.copy_from_slice(from);
        }
    }

    /// Replaces every index by its canonical form ([`Equivalence::canonical`]).
    pub fn canonical_in_place<W: Vectors>(self, same: &Equivalence<W>, indices: &mut [W]) {
        if same.group() != Group::Trivial || !same.like().is_none() {
            W::canonical_in_place(same, self, indices);
        }
    }

    /// Writes the canonical form of every index ([`Equivalence::canonical`]).
    pub fn canonical_into<W: Vectors>(self, same: &Equivalence<W>, from: &[W], to: &mut [W]) {
        let past_caches = exceeds_caches(to);
        self.canonical_into_as(same, from, to, past_caches);
    }

    pub(super) fn canonical_into_as<W: Vectors>(
        self,
        same: &Equivalence<W>,
        from: &[W],
        to: &mut [W],
        past_caches: bool,
    ) {
        same_length(from.len(), to.len());
        if same.group() == Group::Trivial && same.like().is_none() {
            to.copy_from_slice(from);
        } else {
            W::canonical_into(same, self, from, to, past_caches);
        }
    }

    /// Replaces every index by its canonical form and writes the [code](Symmetry::code) of the
    /// symmetry that leads there ([`Equivalence::canonical_with_symmetry`]).
    pub fn canonical_with_symmetry_in_place<W: Vectors>(
        self,
        same: &Equivalence<W>,
        indices: &mut [W],
        symmetries: &mut [u8],
    ) {
        same_length(indices.len(), symmetries.len());
        W::symmetries_in_place(same, self, indices, symmetries);
    }

    /// Writes the canonical form of every index and the [code](Symmetry::code) of the symmetry that
    /// leads there ([`Equivalence::canonical_with_symmetry`]).
    pub fn canonical_with_symmetry_into<W: Vectors>(
        self,
        same: &Equivalence<W>,
        from: &[W],
        to: &mut [W],
        symmetries: &mut [u8],
    ) {
        same_length(from.len(), to.len());
        same_length(from.len(), symmetries.len());
        W::symmetries_into(same, self, from, to, symmetries);
    }

    /// Writes how many different indices the group makes of each index
    /// ([`Equivalence::orbit_size`]).
    pub fn orbit_size_into<W: Vectors>(self, same: &Equivalence<W>, from: &[W], sizes: &mut [u8]) {
        same_length(from.len(), sizes.len());
        W::orbit_size_into(same, self, from, sizes);
    }

    /// Writes whether each index is canonical ([`Equivalence::is_canonical`]), as a bitmap: bit
    /// `k % 64` of word `k / 64` is that of index `k`. Bits past the last index are zero.
    ///
    /// # Panics
    /// If the bitmap is not as long as ⌈number of indices / 64⌉.
    pub fn is_canonical_into<W: Vectors>(
        self,
        same: &Equivalence<W>,
        from: &[W],
        bitmap: &mut [u64],
    ) {
        same_length(from.len().div_ceil(64), bitmap.len());
        W::is_canonical_into(same, self, from, bitmap);
    }
}

/// What [`Backend::flip_in_place`] does.
///
/// Its arguments, like those of the functions below, are words: a structure would be built by the
/// caller in small stores and copied here by wide loads, which wait until the stores are done.
pub(super) fn symmetry_in_place<W: Vectors>(
    layout: &Layout<W>,
    symmetry: Symmetry,
    backend: Backend,
    indices: &mut [W],
) {
    with_symmetry(layout, symmetry, InPlace(backend, indices));
}

/// What [`Backend::flip_into`] does.
pub(super) fn symmetry_into<W: Vectors>(
    layout: &Layout<W>,
    symmetry: Symmetry,
    backend: Backend,
    from: &[W],
    to: &mut [W],
    past_caches: bool,
) {
    with_symmetry(layout, symmetry, Into(backend, from, to, past_caches));
}

/// What [`Backend::convert_in_place`] does.
pub(super) fn conversion_in_place<W: Vectors>(
    layout: &Layout<W>,
    numbering: Numbering,
    backend: Backend,
    indices: &mut [W],
) -> bool {
    with_conversion(layout, numbering, InPlace(backend, indices))
}

/// What [`Backend::convert_into`] does, unless there is nothing to convert; whether there is.
pub(super) fn conversion_into<W: Vectors>(
    layout: &Layout<W>,
    numbering: Numbering,
    backend: Backend,
    from: &[W],
    to: &mut [W],
    past_caches: bool,
) -> bool {
    with_conversion(layout, numbering, Into(backend, from, to, past_caches))
}

/// What [`Backend::canonical_in_place`] does.
pub(super) fn canonical_in_place<W: Vectors>(
    same: &Equivalence<W>,
    backend: Backend,
    indices: &mut [W],
) {
    with_canonical(same, InPlace(backend, indices));
}

/// What [`Backend::canonical_into`] does.
pub(super) fn canonical_into<W: Vectors>(
    same: &Equivalence<W>,
    backend: Backend,
    from: &[W],
    to: &mut [W],
    past_caches: bool,
) {
    with_canonical(same, Into(backend, from, to, past_caches));
}

/// What [`Backend::canonical_with_symmetry_in_place`] does.
pub(super) fn symmetries_in_place<W: Vectors>(
    same: &Equivalence<W>,
    backend: Backend,
    indices: &mut [W],
    symmetries: &mut [u8],
) {
    with_symmetries(same, WithSymmetryInPlace(backend, indices, symmetries));
}

/// What [`Backend::canonical_with_symmetry_into`] does.
pub(super) fn symmetries_into<W: Vectors>(
    same: &Equivalence<W>,
    backend: Backend,
    from: &[W],
    to: &mut [W],
    symmetries: &mut [u8],
) {
    with_symmetries(same, WithSymmetryInto(backend, from, to, symmetries));
}

/// What [`Backend::is_canonical_into`] does.
pub(super) fn is_canonical_into<W: Vectors>(
    same: &Equivalence<W>,
    backend: Backend,
    from: &[W],
    bitmap: &mut [u64],
) {
    with_symmetries(same, IsCanonicalInto(backend, from, bitmap));
}

/// What [`Backend::orbit_size_into`] does.
pub(super) fn orbit_size_into<W: Vectors>(
    same: &Equivalence<W>,
    backend: Backend,
    from: &[W],
    bytes: &mut [u8],
) {
    let layout = same.layout();
    match (same.group(), layout.numbering()) {
        (Group::D4, Numbering::Natural) => {
            let kernel = OrbitSize::<W, Natural<W>>::new(&layout);
            backend.run(BytesInto {
                kernel,
                from,
                bytes,
            });
        }
        (Group::D4, Numbering::Alternate) => {
            let kernel = OrbitSize::<W, Alternate<W>>::new(&layout);
            backend.run(BytesInto {
                kernel,
                from,
                bytes,
            });
        }
        (group, _) => bytes.fill(group.order() as u8),
    }
}

/// Whether a slice is larger than all caches, so that it is best written past them.
pub(super) fn exceeds_caches<W>(slice: &[W]) -> bool {
    size_of_val(slice) > last_level_cache_bytes()
}

#[track_caller]
pub(super) fn same_length(expected: usize, found: usize) {
    assert_eq!(found, expected, "the slices must have matching lengths");
}

/// Indices that are replaced.
struct InPlace<'a, W>(Backend, &'a mut [W]);

impl<W: Vectors> Visitor<W> for InPlace<'_, W> {
    fn visit<K: Kernel<W>>(self, kernel: K) {
        let InPlace(backend, indices) = self;
        let scheme = Words(kernel);
        let far = exceeds_caches(indices);
        backend.run(MapInPlace {
            scheme,
            indices,
            far,
        });
    }

    fn visit_halves<K: Kernel<u32>>(self, kernel: K) {
        let InPlace(backend, indices) = self;
        let indices: &mut [u64] = bytemuck::cast_slice_mut(indices);
        let scheme = Halves(kernel);
        let far = exceeds_caches(indices);
        backend.run(MapInPlace {
            scheme,
            indices,
            far,
        });
    }
}

/// Writes the images of one slice to another, past the caches if so asked.
pub(super) struct Into<'a, W>(Backend, &'a [W], &'a mut [W], bool);

impl<'a, W: Vectors> Into<'a, W> {
    /// Past the caches if the slice is larger than they are.
    #[track_caller]
    pub(super) fn new(backend: Backend, from: &'a [W], to: &'a mut [W]) -> Self {
        same_length(from.len(), to.len());
        let past_caches = exceeds_caches(to);
        Into(backend, from, to, past_caches)
    }
}

impl<W: Vectors> Visitor<W> for Into<'_, W> {
    fn visit<K: Kernel<W>>(self, kernel: K) {
        let Into(backend, from, to, stream) = self;
        let scheme = Words(kernel);
        backend.run(MapInto {
            scheme,
            from,
            to,
            stream,
        });
    }

    fn visit_halves<K: Kernel<u32>>(self, kernel: K) {
        let Into(backend, from, to, stream) = self;
        let from: &[u64] = bytemuck::cast_slice(from);
        let to: &mut [u64] = bytemuck::cast_slice_mut(to);
        let scheme = Halves(kernel);
        backend.run(MapInto {
            scheme,
            from,
            to,
            stream,
        });
    }
}

/// Calls the visitor with the kernel of the canonical form, which also tells the symmetry.
fn with_symmetries<W: Vectors, T: CanonicalVisitor<W>>(same: &Equivalence<W>, visitor: T) {
    with_canonical_kernel(&same.layout(), same.group(), same.like(), visitor);
}

/// Indices that are replaced, and where the symmetries go.
struct WithSymmetryInPlace<'a, W>(Backend, &'a mut [W], &'a mut [u8]);

impl<W: Vectors> CanonicalVisitor<W> for WithSymmetryInPlace<'_, W> {
    fn visit<K: Kernel<W> + KernelWithBytes<W>>(self, kernel: K) {
        let WithSymmetryInPlace(backend, indices, bytes) = self;
        backend.run(MapWithBytesInPlace {
            kernel,
            indices,
            bytes,
        });
    }
}

/// Indices, where their images go, and where the symmetries.
struct WithSymmetryInto<'a, W>(Backend, &'a [W], &'a mut [W], &'a mut [u8]);

impl<W: Vectors> CanonicalVisitor<W> for WithSymmetryInto<'_, W> {
    fn visit<K: Kernel<W> + KernelWithBytes<W>>(self, kernel: K) {
        let WithSymmetryInto(backend, from, to, bytes) = self;
        backend.run(MapWithBytesInto {
            kernel,
            from,
            to,
            bytes,
        });
    }
}

/// Indices and a bitmap.
struct IsCanonicalInto<'a, W>(Backend, &'a [W], &'a mut [u64]);

impl<W: Vectors> CanonicalVisitor<W> for IsCanonicalInto<'_, W> {
    fn visit<K: Kernel<W> + KernelWithBytes<W>>(self, kernel: K) {
        let IsCanonicalInto(backend, from, bits) = self;
        let kernel = IsCanonical(kernel);
        backend.run(BitsInto { kernel, from, bits });
    }
}
