//! The exact dense number of distinct pieces under D4. `index/dense/orbit.rs` has the reasons.
//!
//! Only an arrangement with all pieces on the diagonal can have a number past all words. There are few
//! of these, and a vector without any skips the computation of their numbers.

use super::digits::{Digits, Folding};
use super::{Kernel, Lanes, Layout, Word};

/// The constants that both directions need.
#[derive(Clone, Copy)]
struct Bits<W> {
    half: u32,
    ones: W,
    high: W,
    /// Bit 0 of the leading low digit: d, once the leading piece is folded.
    lead: W,
    /// The low digits of all pieces but the leading one.
    others: W,
    /// The number of slots that are words.
    words: W,
}

impl<W: Word> Bits<W> {
    fn new(layout: &Layout<W>) -> Self {
        let (half, masks) = (layout.half(), layout.masks());
        let lead = W::ONE << (half - 3);
        Bits {
            half,
            ones: masks.ones,
            high: masks.high,
            lead,
            others: lead - W::ONE,
            words: W::ONE << (2 * half - 3),
        }
    }

    /// The slot of an arrangement with all pieces on the diagonal and d = 1. After the words, the low digit of each piece
    /// becomes half of the board, d, and bit 0 of the high digit; of the leading piece only the last is left.
    #[inline(always)]
    fn diagonal_slot<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let ones = V::splat(isa, self.ones);
        let digits = (x >> V::shift(isa, self.half)).choose_bits(ones, x.twice());
        digits & V::splat(isa, self.ones | self.others) | V::splat(isa, self.words)
    }

    /// The inverse of [`diagonal_slot`](Bits::diagonal_slot).
    #[inline(always)]
    fn diagonal_arrangement<V: Lanes<W>>(&self, isa: V::Isa, slot: V) -> V {
        let ones = self.ones;
        let high = slot & V::splat(isa, ones) | V::splat(isa, ones << 1 | ones << 2);
        let low = slot >> V::shift(isa, 1) & V::splat(isa, (ones | ones << 1) & self.others);
        // A piece on the diagonal is in the upper half exactly if it is in the right half.
        let upper = (low & V::splat(isa, ones << 1)).twice();
        high << V::shift(isa, self.half) | low | upper | V::splat(isa, self.lead)
    }
}

/// From an index to its slot.
#[derive(Clone, Copy)]
pub(crate) struct RankOrbit<W, D> {
    digits: D,
    folding: Folding<W>,
    bits: Bits<W>,
}

impl<W: Word, D: Digits<W>> RankOrbit<W, D> {
    pub(crate) fn new(layout: &Layout<W>) -> Self {
        RankOrbit {
            digits: D::new(layout),
            folding: Folding::new(layout),
            bits: Bits::new(layout),
        }
    }
}

impl<W: Word, D: Digits<W>> Kernel<W> for RankOrbit<W, D> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let lead = V::splat(isa, self.bits.lead);
        let x = self.digits.fold(isa, x, &self.folding);
        let y = self.digits.exchange(isa, x);
        let canonical = D::smaller(x, y);
        // The greater one where d is set.
        let chosen = canonical.xor_where(x ^ y, canonical, lead);
        let word = chosen.choose_bits(V::splat(isa, self.bits.others), chosen >> V::shift(isa, 3));
        let all_on_diagonal = x.equal(y);
        if V::bits(all_on_diagonal) == 0 {
            return word;
        }
        let slot = word.xor_where(word ^ self.bits.diagonal_slot(isa, x), x, lead);
        slot.select(all_on_diagonal, word)
    }
}

/// From a slot to the canonical index.
#[derive(Clone, Copy)]
pub(crate) struct UnrankOrbit<W, D> {
    digits: D,
    bits: Bits<W>,
}

impl<W: Word, D: Digits<W>> UnrankOrbit<W, D> {
    pub(crate) fn new(layout: &Layout<W>) -> Self {
        UnrankOrbit {
            digits: D::new(layout),
            bits: Bits::new(layout),
        }
    }
}

impl<W: Word, D: Digits<W>> Kernel<W> for UnrankOrbit<W, D> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, slot: V) -> V {
        let bits = &self.bits;
        let low = slot & V::splat(isa, bits.others);
        let x = (slot << V::shift(isa, 3)).choose_bits(V::splat(isa, bits.high), low);
        // x has d = 0 so far. If the leading piece is off the diagonal, y has d = 1 and is greater.
        let y = self.digits.exchange(isa, x);
        let canonical = (y | V::splat(isa, bits.lead)).select(y.less(x), x);
        let after_words = V::splat(isa, bits.words - W::ONE).less(slot);
        if V::bits(after_words) == 0 {
            return canonical;
        }
        bits.diagonal_arrangement(isa, slot)
            .select(after_words, canonical)
    }
}
