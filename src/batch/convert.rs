//! Conversions between the two numberings.

use super::codes::{self, recode_five};
use crate::index::kernels::Kernel;
use crate::index::planes::{alternate_to_natural, natural_to_alternate};
use crate::index::{Layout, Masks};
use crate::simd::{Lanes, Vectors};

/// From the other numbering to the alternate one or, if not `TO_ALTERNATE`, to the natural one.
#[derive(Clone, Copy)]
pub(super) struct Convert<W, const TO_ALTERNATE: bool>(Layout<W>);

/// From the natural to the alternate numbering.
pub(super) type ToAlternate<W> = Convert<W, true>;
/// From the alternate to the natural numbering.
pub(super) type ToNatural<W> = Convert<W, false>;

impl<W: Vectors, const TO_ALTERNATE: bool> Convert<W, TO_ALTERNATE> {
    /// For indices of this many pieces.
    pub(super) fn new(layout: &Layout<W>) -> Self {
        Convert(*layout)
    }
}

// Where one instruction chooses bits, both conversions work on planes as the formulas of `index/planes.rs` do. They leave
// each plane in the place where it is needed next, which saves shifts, and they double a vector where that
// replaces a shift to the left. On other backends it costs more to choose bits than this saves, and the formulas of
// `index/planes.rs` are as good as any.

impl<W: Vectors> Kernel<W> for ToAlternate<W> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        if !V::CHOOSES_BITS {
            return natural_to_alternate(isa, x, self.0.masks().ones, self.0.half());
        }
        let Masks { ones, low, high } = self.0.masks();
        let (one, half) = (V::shift(isa, 1), V::shift(isa, self.0.half()));
        let all_ones = ones | ones << self.0.half();
        let bit = |k: u32| V::splat(isa, all_ones << k);
        // Bit 2 of every digit folds bits 1 and 0. These are a and b, and f2 and r2 stand above them.
        let next = x >> one;
        let folds = next.choose_bits(bit(1), x >> V::shift(isa, 2));
        let a = x ^ folds & V::splat(isa, all_ones | all_ones << 1);
        let b = a >> half;
        let e = a ^ b;
        // All that follows is decided in bit 1 of the low digits. `a0` and the others have been brought
        // there from bit 0.
        let (a0, b0, e0) = (a.twice(), b.twice(), e.twice());
        let not_h1 = e ^ e0;
        let h2 = a0.choose_bits(e, a).choose_bits_not(not_h1, e);
        let h0 = (a ^ a0).choose_bits_not(e0, a0).choose_bits(e, a);
        let l0 = b.choose_bits(e, b0);

        let upper = h2.twice().choose_bits_not(bit(2), not_h1) << half;
        let upper = (h0 << V::shift(isa, self.0.half() - 1)).choose_bits(bit(0), upper);
        let lower = (l0 >> one).choose_bits(bit(0), next.choose_bits(bit(1), b));
        lower.choose_bits(V::splat(isa, low), upper) & V::splat(isa, low | high)
    }
}

impl<W: Vectors> Kernel<W> for ToNatural<W> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        if !V::CHOOSES_BITS {
            return alternate_to_natural(isa, x, self.0.masks().ones, self.0.half());
        }
        let Masks { ones, low, high } = self.0.masks();
        let (one, two, half) = (
            V::shift(isa, 1),
            V::shift(isa, 2),
            V::shift(isa, self.0.half()),
        );
        let all_ones = ones | ones << self.0.half();
        let low = V::splat(isa, low);
        // All is decided in bit 2 of the low digits. The bits below it have been brought there.
        let h2 = x >> half;
        let h1 = h2.twice();
        let h0 = h1.twice();
        let (r2, f2) = (x, x.twice());
        let l0 = f2.twice();
        let on_diagonal = h2 & h1;

        let (s1, s0) = (h2 & h0, (h2 ^ h1) & (h2 ^ h0));
        let (g1, g0) = (h0 | h1 | h2, h2 | !h0);
        let (s1, g1) = (
            h0.choose_bits(on_diagonal, s1),
            h0.choose_bits(on_diagonal, g1),
        );
        let (a1, b1) = (s1.choose_bits(l0, g1), g1.choose_bits(l0, s1));
        let a0 = (s0 | on_diagonal).choose_bits(l0, g0 & !on_diagonal);
        let b0 = (g0 | on_diagonal).choose_bits(l0, s0 & !on_diagonal);

        // Files below and ranks above are unfolded together.
        let top = f2.choose_bits(low, r2 << half);
        let middle = a1.choose_bits(low, b1 << half) ^ top;
        let bottom = a0.choose_bits(low, b0 << half) ^ top;
        let lower = (middle >> one).choose_bits(V::splat(isa, all_ones << 1), bottom >> two);
        top.choose_bits(V::splat(isa, all_ones << 2), lower) & (low | V::splat(isa, high))
    }
}

/// Either conversion of five pieces in words of 32 bits. Vectors that translate bytes do it by tables,
/// others by the formula for any number of pieces.
///
/// On AVX-512 (Emerald Rapids, in the first cache) the tables convert 1.8 to 2.2 times as many indices
/// of 32 bits a second as the formulas above, and 1.6 to 1.8 times as many of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct ConvertFive<W, const TO_ALTERNATE: bool>(pub(super) Convert<W, TO_ALTERNATE>);

impl<W: Vectors, const TO_ALTERNATE: bool> Kernel<W> for ConvertFive<W, TO_ALTERNATE>
where
    Convert<W, TO_ALTERNATE>: Kernel<W>,
{
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        match TO_ALTERNATE {
            _ if !V::TRANSLATES => self.0.map(isa, x),
            true => recode_five(isa, &codes::TO_ALTERNATE, x),
            false => recode_five(isa, &codes::TO_NATURAL, x),
        }
    }
}
