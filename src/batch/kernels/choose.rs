//! Which kernel does what is asked for.

use std::marker::PhantomData;

use super::canonical::{Fold, FoldFiveNatural, Images};
use super::convert::{ToAlternate, ToNatural};
use super::digits::{
    Alternate, AlternateFive, Digits, Exchange, ExchangeAndMirror, Mirror, Natural,
};
use super::like::{Distinct, Like, Network, SortLike};
use super::orbit::{RankOrbit, UnrankOrbit};
use super::{Kernel, KernelWithBytes, Vectors};
use crate::batch::five::{ConvertFive, FIVE};
use crate::board::{Group, Symmetry};
use crate::index::{Equivalence, Layout, LikePieces, Numbering, Word};

/// What is done with a kernel, whichever it is.
pub(in crate::batch) trait Visitor<W: Vectors>: Sized {
    /// Does it with a kernel on the words.
    fn visit<K: Kernel<W>>(self, kernel: K);
    /// Does it with a kernel on the lower halves of 64-bit words whose upper halves are empty.
    fn visit_halves<K: Kernel<u32>>(self, kernel: K);
}

/// The same layout in 32 bits, if the word is of 64 and the pieces leave its upper half empty.
fn halves<W: Vectors>(layout: &Layout<W>) -> Option<Layout<u32>> {
    let fits = W::BITS == 64 && layout.pieces() <= <u32 as Word>::MAX_PIECES;
    fits.then(|| Layout::new(layout.pieces(), layout.numbering()))
}

/// Calls the visitor with the kernel of a symmetry.
pub(in crate::batch) fn with_symmetry<W: Vectors, T: Visitor<W>>(
    layout: &Layout<W>,
    symmetry: Symmetry,
    visitor: T,
) {
    if !symmetry.exchanges_file_and_rank() {
        return visitor.visit(Mirror::of(layout, symmetry));
    }
    match (layout.numbering(), halves(layout)) {
        (Numbering::Natural, _) => {
            let (digits, mirror) = (Natural::new(layout), Mirror::of(layout, symmetry));
            if mirror.toggled == W::ZERO {
                visitor.visit(Exchange(digits));
            } else {
                visitor.visit(ExchangeAndMirror(digits, mirror));
            }
        }
        (Numbering::Alternate, None) if W::BITS == 32 && layout.pieces() == 5 => {
            visitor.visit(ExchangeAndMirror(
                AlternateFive,
                Mirror::of(layout, symmetry),
            ));
        }
        (Numbering::Alternate, Some(layout)) if layout.pieces() == 5 => {
            let mirror = Mirror::of(&layout, symmetry);
            visitor.visit_halves(ExchangeAndMirror(AlternateFive, mirror));
        }
        (Numbering::Alternate, None) => {
            let (digits, mirror) = (Alternate::new(layout), Mirror::of(layout, symmetry));
            visitor.visit(ExchangeAndMirror(digits, mirror));
        }
        (Numbering::Alternate, Some(layout)) => {
            let (digits, mirror) = (Alternate::new(&layout), Mirror::of(&layout, symmetry));
            visitor.visit_halves(ExchangeAndMirror(digits, mirror));
        }
    }
}

/// Calls the visitor with the kernel of a conversion, if there is something to convert; whether
/// there was.
pub(in crate::batch) fn with_conversion<W: Vectors, T: Visitor<W>>(
    layout: &Layout<W>,
    numbering: Numbering,
    visitor: T,
) -> bool {
    use Numbering::{Alternate, Natural};
    let five = layout.pieces() == FIVE;
    match (layout.numbering(), numbering, halves(layout)) {
        (Natural, Alternate, None) if five && W::BITS == 32 => {
            visitor.visit(ConvertFive::to_alternate(layout));
        }
        (Natural, Alternate, Some(halves)) if five => {
            visitor.visit_halves(ConvertFive::to_alternate(&halves));
        }
        (Alternate, Natural, None) if five && W::BITS == 32 => {
            visitor.visit(ConvertFive::to_natural(layout));
        }
        (Alternate, Natural, Some(halves)) if five => {
            visitor.visit_halves(ConvertFive::to_natural(&halves));
        }
        (Natural, Alternate, None) => visitor.visit(ToAlternate::new(layout)),
        (Natural, Alternate, Some(halves)) => visitor.visit_halves(ToAlternate::new(&halves)),
        (Alternate, Natural, None) => visitor.visit(ToNatural::new(layout)),
        (Alternate, Natural, Some(halves)) => visitor.visit_halves(ToNatural::new(&halves)),
        _ => return false,
    }
    true
}

/// Calls the visitor with the kernel of the canonical form.
pub(in crate::batch) fn with_canonical<W: Vectors, T: Visitor<W>>(
    same: &Equivalence<W>,
    visitor: T,
) {
    let (group, like) = (same.group(), same.like());
    if same.layout().pieces() == 5 && group == Group::D4 && like.is_none() {
        return match (same.layout().numbering(), W::BITS) {
            (Numbering::Natural, 32) => visitor.visit(FoldFiveNatural),
            (Numbering::Natural, _) => visitor.visit_halves(FoldFiveNatural),
            (Numbering::Alternate, 32) => {
                visitor.visit(Fold::<W, AlternateFive, _, true>::new(
                    &same.layout(),
                    Distinct,
                ));
            }
            (Numbering::Alternate, _) => {
                let layout = Layout::<u32>::alternate(5);
                visitor.visit_halves(Fold::<u32, AlternateFive, _, true>::new(&layout, Distinct));
            }
        };
    }
    match halves(&same.layout()) {
        None => with_canonical_kernel(&same.layout(), group, like, OnWords(visitor)),
        Some(layout) => with_canonical_kernel(&layout, group, like, OnHalves(visitor, PhantomData)),
    }
}

/// Calls the visitor with the kernel of [`Orbit`](crate::Orbit)'s rank under D4.
pub(in crate::batch) fn with_orbit_rank<W: Vectors, T: Visitor<W>>(layout: &Layout<W>, visitor: T) {
    match halves(layout) {
        None if W::BITS == 32 && layout.pieces() == 5 => {
            visitor.visit(RankOrbit::<W, AlternateFive>::new(layout));
        }
        None => visitor.visit(RankOrbit::<W, Alternate<W>>::new(layout)),
        Some(layout) if layout.pieces() == 5 => {
            visitor.visit_halves(RankOrbit::<u32, AlternateFive>::new(&layout));
        }
        Some(layout) => visitor.visit_halves(RankOrbit::<u32, Alternate<u32>>::new(&layout)),
    }
}

/// Calls the visitor with the kernel of [`Orbit`](crate::Orbit)'s inverse under D4.
pub(in crate::batch) fn with_orbit_unrank<W: Vectors, T: Visitor<W>>(
    layout: &Layout<W>,
    visitor: T,
) {
    match halves(layout) {
        None if W::BITS == 32 && layout.pieces() == 5 => {
            visitor.visit(UnrankOrbit::<W, AlternateFive>::new(layout));
        }
        None => visitor.visit(UnrankOrbit::<W, Alternate<W>>::new(layout)),
        Some(layout) if layout.pieces() == 5 => {
            visitor.visit_halves(UnrankOrbit::<u32, AlternateFive>::new(&layout));
        }
        Some(layout) => visitor.visit_halves(UnrankOrbit::<u32, Alternate<u32>>::new(&layout)),
    }
}

struct OnWords<T>(T);

impl<W: Vectors, T: Visitor<W>> CanonicalVisitor<W> for OnWords<T> {
    fn visit<K: Kernel<W> + KernelWithBytes<W>>(self, kernel: K) {
        self.0.visit(kernel);
    }
}

struct OnHalves<W, T>(T, PhantomData<W>);

impl<W: Vectors, T: Visitor<W>> CanonicalVisitor<u32> for OnHalves<W, T> {
    fn visit<K: Kernel<u32> + KernelWithBytes<u32>>(self, kernel: K) {
        self.0.visit_halves(kernel);
    }
}

/// What is done with the kernel of a canonical form, which also tells the symmetry.
pub(in crate::batch) trait CanonicalVisitor<W: Vectors> {
    /// Does it.
    fn visit<K: Kernel<W> + KernelWithBytes<W>>(self, kernel: K);
}

/// Calls the visitor with the kernel of the canonical form on the words.
pub(in crate::batch) fn with_canonical_kernel<W: Vectors, T: CanonicalVisitor<W>>(
    layout: &Layout<W>,
    group: Group,
    like: &LikePieces,
    visitor: T,
) {
    let twin = like.has_twin(layout.pieces() - 1);
    if like.is_none() {
        with_order(layout, group, twin, Distinct, visitor);
    } else {
        with_order(layout, group, twin, Network::new(layout, like), visitor);
    }
}

fn with_order<W: Vectors, L: Like<W>, T: CanonicalVisitor<W>>(
    layout: &Layout<W>,
    group: Group,
    twin: bool,
    like: L,
    visitor: T,
) {
    match layout.numbering() {
        Numbering::Natural => {
            with_digits::<W, Natural<W>, L, T>(layout, group, twin, like, visitor);
        }
        Numbering::Alternate => {
            with_digits::<W, Alternate<W>, L, T>(layout, group, twin, like, visitor);
        }
    }
}

fn with_digits<W: Vectors, D: Digits<W>, L: Like<W>, T: CanonicalVisitor<W>>(
    layout: &Layout<W>,
    group: Group,
    twin: bool,
    like: L,
    visitor: T,
) {
    match (group, twin) {
        (Group::Trivial, _) => visitor.visit(SortLike(like)),
        (Group::FileMirror, false) => visitor.visit(Fold::<W, D, L, false>::new(layout, like)),
        (Group::FileMirror, true) => visitor.visit(Images::<W, D, L, false>::new(layout, like)),
        (Group::D4, false) => visitor.visit(Fold::<W, D, L, true>::new(layout, like)),
        (Group::D4, true) => visitor.visit(Images::<W, D, L, true>::new(layout, like)),
    }
}
