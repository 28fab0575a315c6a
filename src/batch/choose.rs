//! The choice of the kernel for an operation, and of the words in which it works. It is made here alone,
//! between the waist ([`BatchWord`](super::BatchWord)) above and the loops below.

use super::backend::Backend;
use super::caches::last_level_cache_bytes;
use super::kernels::{
    Alternate, AlternateFive, ConvertFive, Digits, Distinct, Exchange, ExchangeAndMirror, Fold,
    FoldFiveNatural, Kernel, KernelWithBytes, LeastImage, Mirror, Natural, Network, RankOrbit,
    SortLike, ToAlternate, ToNatural, UnrankOrbit,
};
use super::lanes::Vectors;
use super::loops::{map_in_place, map_into};
use super::mapping::{Fit, Fits, Mapping, Whole};
use crate::board::{Group, Symmetry};
use crate::dispatch;
use crate::index::{Equivalence, Layout, LikePieces, Numbering, Word};

/// The most pieces of a narrow word. For so many there are kernels of their own.
const FIVE: usize = 5;

/// An operation on the map that is chosen, whichever it is.
pub(super) trait Visitor<W>: Sized {
    /// Does it.
    fn visit<M: Mapping<W>>(self, mapping: M);
}

/// The operation that replaces words by their images.
pub(super) struct InPlace<'a, W> {
    pub(super) backend: Backend,
    pub(super) words: &'a mut [W],
}

impl<W: Word> Visitor<W> for InPlace<'_, W> {
    fn visit<M: Mapping<W>>(self, mapping: M) {
        let InPlace { backend, words } = self;
        let far = exceeds_caches(words);
        dispatch!(backend, move isa => map_in_place(isa, &mapping, words, far));
    }
}

/// The operation that writes the images of words to a slice of the same length.
pub(super) struct Into<'a, W> {
    pub(super) backend: Backend,
    pub(super) from: &'a [W],
    pub(super) to: &'a mut [W],
    /// Whether to write past the caches.
    pub(super) stream: bool,
}

impl<'a, W> Into<'a, W> {
    /// The operation that writes `to`, past the caches if the slice is larger than they are.
    pub(super) fn new(backend: Backend, from: &'a [W], to: &'a mut [W]) -> Self {
        let stream = exceeds_caches(to);
        Into {
            backend,
            from,
            to,
            stream,
        }
    }
}

impl<W: Word> Visitor<W> for Into<'_, W> {
    fn visit<M: Mapping<W>>(self, mapping: M) {
        let Into {
            backend,
            from,
            to,
            stream,
        } = self;
        dispatch!(backend, move isa => map_into(isa, &mapping, from, to, stream));
    }
}

/// Whether a slice is larger than all caches, so that it is best written past them.
pub(super) fn exceeds_caches<W>(slice: &[W]) -> bool {
    size_of_val(slice) > last_level_cache_bytes()
}

/// An operation on the kernel of a canonical form, whichever it is. The kernel also tells the symmetry.
pub(super) trait KernelVisitor<W, F: Fit<W>>: Sized {
    /// Does it.
    fn visit_kernel<K>(self, fit: F, kernel: K)
    where
        K: Kernel<F::Word> + KernelWithBytes<F::Word>;
}

/// Lets a visitor of maps visit kernels, by the maps that they make.
macro_rules! visits_kernels {
    ($($visitor:ident),*) => {$(
        impl<W: Word, F: Fit<W>> KernelVisitor<W, F> for $visitor<'_, W> {
            fn visit_kernel<K>(self, fit: F, kernel: K)
            where
                K: Kernel<F::Word> + KernelWithBytes<F::Word>,
            {
                self.visit(fit.map(kernel));
            }
        }
    )*};
}

visits_kernels!(InPlace, Into);

/// Calls a function with the layout and the fit that suit kernels with many steps: those of halves where
/// few pieces leave half of a word empty, else those of whole words.
macro_rules! fitted {
    ($layout:expr, $function:ident($($argument:expr),*)) => {
        match W::few($layout) {
            Some((layout, fit)) => $function(&layout, fit, $($argument),*),
            None => $function($layout, Whole, $($argument),*),
        }
    };
}

/// Calls the visitor with the map of a symmetry.
pub(super) fn with_symmetry<W: Fits>(
    layout: &Layout<W>,
    symmetry: Symmetry,
    visitor: impl Visitor<W>,
) {
    let mirror = Mirror::of(layout, symmetry);
    if !symmetry.exchanges_file_and_rank() {
        visitor.visit(Whole.map(mirror));
    } else if layout.numbering() == Numbering::Alternate {
        fitted!(layout, with_alternate_exchange(symmetry, visitor));
    } else if mirror.is_identity() {
        visitor.visit(Whole.map(Exchange(Natural::new(layout))));
    } else {
        visitor.visit(Whole.map(ExchangeAndMirror(Natural::new(layout), mirror)));
    }
}

fn with_alternate_exchange<W, F: Fit<W>>(
    layout: &Layout<F::Word>,
    fit: F,
    symmetry: Symmetry,
    visitor: impl Visitor<W>,
) {
    let mirror = Mirror::of(layout, symmetry);
    if F::Word::NARROW && layout.pieces() == FIVE {
        visitor.visit(fit.map(ExchangeAndMirror(AlternateFive, mirror)));
    } else {
        visitor.visit(fit.map(ExchangeAndMirror(Alternate::new(layout), mirror)));
    }
}

/// Calls the visitor with the map to the other numbering.
pub(super) fn with_conversion<W: Fits>(layout: &Layout<W>, visitor: impl Visitor<W>) {
    fitted!(layout, with_fitted_conversion(visitor));
}

fn with_fitted_conversion<W, F: Fit<W>>(
    layout: &Layout<F::Word>,
    fit: F,
    visitor: impl Visitor<W>,
) {
    let to_alternate = layout.numbering() == Numbering::Natural;
    if F::Word::NARROW && layout.pieces() == FIVE {
        if to_alternate {
            visitor.visit(fit.map(ConvertFive::to_alternate(layout)));
        } else {
            visitor.visit(fit.map(ConvertFive::to_natural(layout)));
        }
    } else if to_alternate {
        visitor.visit(fit.map(ToAlternate::new(layout)));
    } else {
        visitor.visit(fit.map(ToNatural::new(layout)));
    }
}

/// Calls the visitor with the map of [`Orbit`](crate::Orbit)'s rank under D4.
pub(super) fn with_orbit_rank<W: Fits>(layout: &Layout<W>, visitor: impl Visitor<W>) {
    fitted!(layout, with_fitted_orbit_rank(visitor));
}

fn with_fitted_orbit_rank<W, F: Fit<W>>(
    layout: &Layout<F::Word>,
    fit: F,
    visitor: impl Visitor<W>,
) {
    if F::Word::NARROW && layout.pieces() == FIVE {
        visitor.visit(fit.map(RankOrbit::<_, AlternateFive>::new(layout)));
    } else {
        visitor.visit(fit.map(RankOrbit::<_, Alternate<_>>::new(layout)));
    }
}

/// Calls the visitor with the map of [`Orbit`](crate::Orbit)'s inverse under D4.
pub(super) fn with_orbit_unrank<W: Fits>(layout: &Layout<W>, visitor: impl Visitor<W>) {
    fitted!(layout, with_fitted_orbit_unrank(visitor));
}

fn with_fitted_orbit_unrank<W, F: Fit<W>>(
    layout: &Layout<F::Word>,
    fit: F,
    visitor: impl Visitor<W>,
) {
    if F::Word::NARROW && layout.pieces() == FIVE {
        visitor.visit(fit.map(UnrankOrbit::<_, AlternateFive>::new(layout)));
    } else {
        visitor.visit(fit.map(UnrankOrbit::<_, Alternate<_>>::new(layout)));
    }
}

/// Calls the visitor with the map to the canonical form.
pub(super) fn with_canonical<W: Fits, V>(same: &Equivalence<W>, visitor: V)
where
    V: Visitor<W> + KernelVisitor<W, Whole> + KernelVisitor<W, W::Few>,
{
    fitted!(&same.layout(), with_fitted_canonical(same, visitor));
}

fn with_fitted_canonical<W: Fits, F: Fit<W>>(
    layout: &Layout<F::Word>,
    fit: F,
    same: &Equivalence<W>,
    visitor: impl Visitor<W> + KernelVisitor<W, F>,
) {
    let (group, like) = (same.group(), same.like());
    if F::Word::NARROW && layout.pieces() == FIVE && group == Group::D4 && like.is_none() {
        match layout.numbering() {
            Numbering::Natural => visitor.visit(fit.map(FoldFiveNatural)),
            Numbering::Alternate => {
                let kernel = Fold::<_, AlternateFive, _, true>::new(layout, Distinct);
                visitor.visit(fit.map(kernel));
            }
        }
    } else {
        with_canonical_kernel(layout, fit, group, like, visitor);
    }
}

/// Calls the visitor with the kernel of the canonical form for any number of pieces.
pub(super) fn with_canonical_kernel<W, F: Fit<W>>(
    layout: &Layout<F::Word>,
    fit: F,
    group: Group,
    like: &LikePieces,
    visitor: impl KernelVisitor<W, F>,
) {
    match layout.numbering() {
        Numbering::Natural => with_digits::<W, F, Natural<_>, _>(layout, fit, group, like, visitor),
        Numbering::Alternate => {
            with_digits::<W, F, Alternate<_>, _>(layout, fit, group, like, visitor);
        }
    }
}

fn with_digits<W, F: Fit<W>, D: Digits<F::Word>, V: KernelVisitor<W, F>>(
    layout: &Layout<F::Word>,
    fit: F,
    group: Group,
    like: &LikePieces,
    visitor: V,
) {
    if like.is_none() {
        return match group {
            Group::Trivial => visitor.visit_kernel(fit, SortLike(Distinct)),
            Group::FileMirror => {
                visitor.visit_kernel(fit, Fold::<_, D, _, false>::new(layout, Distinct));
            }
            Group::D4 => visitor.visit_kernel(fit, Fold::<_, D, _, true>::new(layout, Distinct)),
        };
    }
    let network = Network::new(layout, like);
    let twin = like.has_twin(layout.pieces() - 1);
    match (group, twin) {
        (Group::Trivial, _) => visitor.visit_kernel(fit, SortLike(network)),
        (Group::FileMirror, false) => {
            visitor.visit_kernel(fit, Fold::<_, D, _, false>::new(layout, network));
        }
        (Group::FileMirror, true) => {
            visitor.visit_kernel(fit, LeastImage::<_, D, _, false>::new(layout, network));
        }
        (Group::D4, false) => {
            visitor.visit_kernel(fit, Fold::<_, D, _, true>::new(layout, network));
        }
        (Group::D4, true) => {
            visitor.visit_kernel(fit, LeastImage::<_, D, _, true>::new(layout, network));
        }
    }
}
