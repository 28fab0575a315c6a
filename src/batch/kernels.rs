//! What is done to each index, written once over [`Lanes`].
//!
//! Each formula stands in [`index`](crate::index) for one word, with its reasons; here it stands
//! again for a vector, line by line the same where that is fast. The constants of a kernel are
//! words. `splat` and `shift` make vectors of them inside `map`, and the compiler moves that out of
//! the loop.

use std::marker::PhantomData;

use super::lanes::{Lanes, Vectors};
use crate::board::{Group, Symmetry};
use crate::index::{Equivalence, Layout, LikePieces, Masks, Numbering, Word};

/// A map from indices to indices.
pub(super) trait Kernel<W: Vectors>: Copy {
    /// How many lines of the destination are done in one turn of the loop.
    const LINES_PER_TURN: usize = 4;
    /// The images of the indices in `x`.
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
}

/// A map from indices to indices and a byte each.
pub(super) trait KernelWithBytes<W: Vectors>: Copy {
    /// The images of the indices in `x`, and the bytes, as words.
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V);
}

/// A condition on indices.
pub(super) trait Condition<W: Vectors>: Copy {
    /// Which of the indices in `x` meet it.
    fn holds<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V::Mask;
}

/// What differs between the numberings.
pub(super) trait Digits<W: Vectors>: Copy {
    /// The digits of a layout with this numbering.
    fn new(layout: &Layout<W>) -> Self;
    /// Exchanges file and rank of every piece.
    fn exchange<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
    /// The bit that decides about mirroring the files, and that for the ranks; see
    /// [`canonical`](crate::Equivalence::canonical).
    fn leading_bits(&self) -> (W, W);
}

/// The natural numbering's digits.
#[derive(Clone, Copy)]
pub(super) struct Natural<W> {
    half: u32,
    masks: Masks<W>,
}

impl<W: Vectors> Digits<W> for Natural<W> {
    fn new(layout: &Layout<W>) -> Self {
        Natural {
            half: layout.half(),
            masks: layout.masks(),
        }
    }

    #[inline(always)]
    fn exchange<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        x.exchange_halves(isa, self.half, self.masks.high)
    }

    fn leading_bits(&self) -> (W, W) {
        (W::ONE << (self.half - 1), W::ONE << (2 * self.half - 1))
    }
}

/// The alternate numbering's digits.
#[derive(Clone, Copy)]
pub(super) struct Alternate<W> {
    half: u32,
    masks: Masks<W>,
}

impl<W: Vectors> Digits<W> for Alternate<W> {
    fn new(layout: &Layout<W>) -> Self {
        Alternate {
            half: layout.half(),
            masks: layout.masks(),
        }
    }

    #[inline(always)]
    fn exchange<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let ones = self.masks.ones;
        let next = x >> V::shift(isa, 1);
        // High digits 6 and 7, seen in bit 0 of the low digits.
        let long_diagonal = (x & next) >> V::shift(isa, self.half + 1);
        // Bits 1 and 2 are exchanged by toggling both where they differ.
        let differ = (x ^ next) & V::splat(isa, ones << 1);
        x ^ differ ^ differ.twice() ^ (V::splat(isa, ones) & !long_diagonal)
    }

    fn leading_bits(&self) -> (W, W) {
        (W::ONE << (self.half - 2), W::ONE << (self.half - 1))
    }
}

/// The alternate numbering's digits of exactly five pieces: the low half fills the lower 16 bits of
/// 32 but one, which is the lowest of the high half and never wanted.
#[derive(Clone, Copy)]
pub(super) struct AlternateFive;

impl AlternateFive {
    /// Bit 0 of the low digits.
    const ONES: u32 = 0o11111;
}

impl<W: Vectors> Digits<W> for AlternateFive {
    fn new(_: &Layout<W>) -> Self {
        AlternateFive
    }

    #[inline(always)]
    fn exchange<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let splat = |word: u32| V::splat(isa, W::truncate(word.into()));
        let next = x >> V::shift(isa, 1);
        // In bit 1 of the low digits, whether bits 1 and 2 differ; in bit 1 of the high digits,
        // which are the upper 16 bits' lowest, whether they are not 6 or 7.
        let toggles =
            x.differ_or_not_both(next, splat(0xffff)) & splat(Self::ONES << 1 | Self::ONES << 16);
        // The first thrice, to toggle bits 1 and 2, and the second once, to toggle bit 0.
        x ^ toggles.sum_of_products_of_16(splat(1 << 16 | 3))
    }

    fn leading_bits(&self) -> (W, W) {
        (W::ONE << 13, W::ONE << 14)
    }
}

/// Mirrors: one XOR, whatever the numbering.
#[derive(Clone, Copy)]
pub(super) struct Mirror<W> {
    toggled: W,
}

impl<W: Vectors> Mirror<W> {
    /// The mirroring part of a symmetry.
    pub(super) fn of(layout: &Layout<W>, symmetry: Symmetry) -> Self {
        let mut toggled = W::ZERO;
        if symmetry.mirrors_files() {
            toggled ^= layout.file_mirror();
        }
        if symmetry.mirrors_ranks() {
            toggled ^= layout.rank_mirror();
        }
        Mirror { toggled }
    }
}

impl<W: Vectors> Kernel<W> for Mirror<W> {
    const LINES_PER_TURN: usize = 8;

    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        x ^ V::splat(isa, self.toggled)
    }
}

/// The diagonal flip.
#[derive(Clone, Copy)]
pub(super) struct Exchange<D>(pub(super) D);

impl<W: Vectors, D: Digits<W>> Kernel<W> for Exchange<D> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        self.0.exchange(isa, x)
    }
}

/// The diagonal flip and then mirrors.
#[derive(Clone, Copy)]
pub(super) struct ExchangeAndMirror<W, D>(pub(super) D, pub(super) Mirror<W>);

impl<W: Vectors, D: Digits<W>> Kernel<W> for ExchangeAndMirror<W, D> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        self.1.map(isa, self.0.exchange(isa, x))
    }
}

/// From the natural to the alternate numbering.
#[derive(Clone, Copy)]
pub(super) struct ToAlternate<W> {
    half: u32,
    masks: Masks<W>,
}

/// From the alternate to the natural numbering.
#[derive(Clone, Copy)]
pub(super) struct ToNatural<W> {
    half: u32,
    masks: Masks<W>,
}

impl<W: Vectors> ToAlternate<W> {
    /// For indices of this many pieces.
    pub(super) fn new(layout: &Layout<W>) -> Self {
        ToAlternate {
            half: layout.half(),
            masks: layout.masks(),
        }
    }
}

impl<W: Vectors> ToNatural<W> {
    /// For indices of this many pieces.
    pub(super) fn new(layout: &Layout<W>) -> Self {
        ToNatural {
            half: layout.half(),
            masks: layout.masks(),
        }
    }
}

// Where bits are merged by one instruction, the two conversions work on planes as the scalar ones
// do, but leave each where a shift less brings it where it is wanted, and double a vector where that
// saves a shift to the left. Elsewhere merging costs more than that saves, and the scalar formula is
// as good as any.

impl<W: Vectors> ToAlternate<W> {
    /// The scalar formula.
    #[inline(always)]
    fn map_planes<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let ones = V::splat(isa, self.masks.ones);
        let half = self.half;
        let f2 = x >> V::shift(isa, 2) & ones;
        let r2 = x >> V::shift(isa, half + 2) & ones;
        let (a0, a1) = (x & ones ^ f2, x >> V::shift(isa, 1) & ones ^ f2);
        let b0 = x >> V::shift(isa, half) & ones ^ r2;
        let b1 = x >> V::shift(isa, half + 1) & ones ^ r2;
        let (e0, e1) = (a0 ^ b0, a1 ^ b1);
        let on_diagonal = ones ^ (e0 | e1);

        let h2 = on_diagonal | e1 & !e0 & a0 | e0 & !e1 & a1;
        let h1 = ones ^ e0 ^ e1;
        let h0 = a1 & !(e1 & !e0) ^ e1 & (a0 ^ ones & !e0);
        let l0 = e1 & b1 | b0 & !e1;

        let (one, two) = (V::shift(isa, 1), V::shift(isa, 2));
        (h2 << two | h1 << one | h0) << V::shift(isa, half) | r2 << two | f2 << one | l0
    }
}

impl<W: Vectors> Kernel<W> for ToAlternate<W> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        if !V::MERGES {
            return self.map_planes(isa, x);
        }
        let Masks { ones, low, high } = self.masks;
        let (one, half) = (V::shift(isa, 1), V::shift(isa, self.half));
        let all_ones = ones | ones << self.half;
        let bit = |k: u32| V::splat(isa, all_ones << k);
        // Bit 2 of every digit folds bits 1 and 0: a and b with f2 and r2 above them.
        let next = x >> one;
        let folds = next.merge(bit(1), x >> V::shift(isa, 2));
        let a = x ^ folds & V::splat(isa, all_ones | all_ones << 1);
        let b = a >> half;
        let e = a ^ b;
        // All that follows is decided in bit 1 of the low digits, where `a0` and its like have been
        // brought from bit 0.
        let (a0, b0, e0) = (a.twice(), b.twice(), e.twice());
        let not_h1 = e ^ e0;
        let h2 = a0.merge(e, a).merge_not(not_h1, e);
        let h0 = (a ^ a0).merge_not(e0, a0).merge(e, a);
        let l0 = b.merge(e, b0);

        let upper = h2.twice().merge_not(bit(2), not_h1) << half;
        let upper = (h0 << V::shift(isa, self.half - 1)).merge(bit(0), upper);
        let lower = (l0 >> one).merge(bit(0), next.merge(bit(1), b));
        lower.merge(V::splat(isa, low), upper) & V::splat(isa, low | high)
    }
}

impl<W: Vectors> ToNatural<W> {
    /// The scalar formula.
    #[inline(always)]
    fn map_planes<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let ones = V::splat(isa, self.masks.ones);
        let half = self.half;
        let (one, two) = (V::shift(isa, 1), V::shift(isa, 2));
        let (l0, f2, r2) = (x & ones, x >> one & ones, x >> two & ones);
        let h0 = x >> V::shift(isa, half) & ones;
        let h1 = x >> V::shift(isa, half + 1) & ones;
        let h2 = x >> V::shift(isa, half + 2) & ones;
        let on_diagonal = h2 & h1;

        let (s1, s0) = (h2 & h0, (h2 ^ h1) & (h2 ^ h0));
        let (g1, g0) = (h0 | h1 | h2, h2 | ones ^ h0);
        let differ1 = (s1 ^ g1) & l0;
        let differ0 = (s0 ^ g0) & l0;
        let a1 = h0.merge(on_diagonal, g1 ^ differ1);
        let b1 = h0.merge(on_diagonal, s1 ^ differ1);
        let a0 = l0.merge(on_diagonal, g0 ^ differ0);
        let b0 = l0.merge(on_diagonal, s0 ^ differ0);

        let file = f2 << two | (a1 ^ f2) << one | (a0 ^ f2);
        let rank = r2 << two | (b1 ^ r2) << one | (b0 ^ r2);
        rank << V::shift(isa, half) | file
    }
}

impl<W: Vectors> Kernel<W> for ToNatural<W> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        if !V::MERGES {
            return self.map_planes(isa, x);
        }
        let Masks { ones, low, high } = self.masks;
        let (one, two, half) = (V::shift(isa, 1), V::shift(isa, 2), V::shift(isa, self.half));
        let all_ones = ones | ones << self.half;
        let low = V::splat(isa, low);
        // All is decided in bit 2 of the low digits, where the bits below have been brought.
        let h2 = x >> half;
        let h1 = h2.twice();
        let h0 = h1.twice();
        let (r2, f2) = (x, x.twice());
        let l0 = f2.twice();
        let on_diagonal = h2 & h1;

        let (s1, s0) = (h2 & h0, (h2 ^ h1) & (h2 ^ h0));
        let (g1, g0) = (h0 | h1 | h2, h2 | !h0);
        let (s1, g1) = (h0.merge(on_diagonal, s1), h0.merge(on_diagonal, g1));
        let (a1, b1) = (s1.merge(l0, g1), g1.merge(l0, s1));
        let a0 = (s0 | on_diagonal).merge(l0, g0 & !on_diagonal);
        let b0 = (g0 | on_diagonal).merge(l0, s0 & !on_diagonal);

        // Files below and ranks above are unfolded together.
        let top = f2.merge(low, r2 << half);
        let middle = a1.merge(low, b1 << half) ^ top;
        let bottom = a0.merge(low, b0 << half) ^ top;
        let lower = (middle >> one).merge(V::splat(isa, all_ones << 1), bottom >> two);
        top.merge(V::splat(isa, all_ones << 2), lower) & (low | V::splat(isa, high))
    }
}

/// The order of like pieces.
pub(super) trait Like<W: Vectors>: Copy {
    /// The indices with the like pieces of each in their smallest order.
    fn sort<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
}

/// No two pieces are alike.
#[derive(Clone, Copy)]
pub(super) struct Distinct;

impl<W: Vectors> Like<W> for Distinct {
    #[inline(always)]
    fn sort<V: Lanes<W>>(&self, _: V::Isa, x: V) -> V {
        x
    }
}

/// The most comparators a network has: those for ten like pieces.
const MAX_COMPARATORS: usize = 32;

/// A sorting network on packed digits.
#[derive(Clone, Copy)]
pub(super) struct Network<W> {
    len: usize,
    /// For each comparator how far the greater piece number's digits are above the lesser's, and
    /// the lesser's two digits as a mask.
    comparators: [(u32, W); MAX_COMPARATORS],
}

impl<W: Vectors> Network<W> {
    fn new(layout: &Layout<W>, like: &LikePieces) -> Self {
        let network = like.network();
        let mut comparators = [(0, W::ZERO); MAX_COMPARATORS];
        for (to, &(a, b)) in comparators.iter_mut().zip(network) {
            *to = (3 * u32::from(a - b), layout.place(63, u32::from(b)));
        }
        assert!(network.len() <= MAX_COMPARATORS, "at most ten like pieces");
        Network {
            len: network.len(),
            comparators,
        }
    }
}

impl<W: Vectors> Like<W> for Network<W> {
    #[inline(always)]
    fn sort<V: Lanes<W>>(&self, isa: V::Isa, mut x: V) -> V {
        for &(distance, digits) in self.comparators.iter().take(self.len) {
            let (distance, digits) = (V::shift(isa, distance), V::splat(isa, digits));
            // Both pieces' digits in the lesser one's places: they compare as codes do.
            let (a, b) = (x >> distance & digits, x & digits);
            // a ^ b where a is the greater, nothing where it is not.
            let exchange = a ^ a.min(b);
            x = x ^ exchange ^ exchange << distance;
        }
        x
    }
}

/// Only the like pieces are sorted: the canonical form under the trivial group.
#[derive(Clone, Copy)]
pub(super) struct SortLike<L>(pub(super) L);

impl<W: Vectors, L: Like<W>> Kernel<W> for SortLike<L> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        self.0.sort(isa, x)
    }
}

impl<W: Vectors, L: Like<W>> KernelWithBytes<W> for SortLike<L> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        (self.0.sort(isa, x), V::splat(isa, W::ZERO))
    }
}

/// The canonical form where the leading piece has no twin: it folds the board.
#[derive(Clone, Copy)]
pub(super) struct Fold<W, D, L, const D4: bool> {
    digits: D,
    like: L,
    files: W,
    ranks: W,
    file_mirror: W,
    rank_mirror: W,
}

impl<W: Vectors, D: Digits<W>, L: Like<W>, const D4: bool> Fold<W, D, L, D4> {
    fn new(layout: &Layout<W>, like: L) -> Self {
        let digits = D::new(layout);
        let (files, ranks) = digits.leading_bits();
        Fold {
            digits,
            like,
            files,
            ranks,
            file_mirror: layout.file_mirror(),
            rank_mirror: layout.rank_mirror(),
        }
    }

    /// The index with the leading piece in the lower left quarter (the left half).
    #[inline(always)]
    fn fold<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let file_mirror = V::splat(isa, self.file_mirror);
        let folded = x.xor_where(file_mirror, x, V::splat(isa, self.files));
        if !D4 {
            return folded;
        }
        let rank_mirror = V::splat(isa, self.rank_mirror);
        folded.xor_where(rank_mirror, x, V::splat(isa, self.ranks))
    }
}

impl<W: Vectors, D: Digits<W>, L: Like<W>, const D4: bool> Kernel<W> for Fold<W, D, L, D4> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let folded = self.fold(isa, x);
        let straight = self.like.sort(isa, folded);
        if !D4 {
            return straight;
        }
        straight.min(self.like.sort(isa, self.digits.exchange(isa, folded)))
    }
}

impl<W: Vectors, D: Digits<W>, L: Like<W>, const D4: bool> KernelWithBytes<W>
    for Fold<W, D, L, D4>
{
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        let code = |symmetry: Symmetry| V::splat(isa, symmetry.code().into());
        let (files, ranks) = (V::splat(isa, self.files), V::splat(isa, self.ranks));
        let folded = self.fold(isa, x);
        let straight = self.like.sort(isa, folded);
        let mirrors = code(Symmetry::Identity).xor_where(code(Symmetry::FlipHorizontal), x, files);
        if !D4 {
            return (straight, mirrors);
        }
        let mirrors = mirrors.xor_where(code(Symmetry::FlipVertical), x, ranks);
        // Mirroring the files and then exchanging is exchanging and then mirroring the ranks.
        let and_exchange = code(Symmetry::FlipDiagonal)
            .xor_where(code(Symmetry::FlipVertical), x, files)
            .xor_where(code(Symmetry::FlipHorizontal), x, ranks);
        let exchanged = self.like.sort(isa, self.digits.exchange(isa, folded));
        let better = exchanged.less(straight);
        (
            exchanged.select(better, straight),
            and_exchange.select(better, mirrors),
        )
    }
}

/// The canonical form of five distinct pieces under D4, natural numbering. Doubled, the halves are
/// the two times 16 bits, and folding a half is taking the smaller of it and its complement.
#[derive(Clone, Copy)]
pub(super) struct FoldFiveNatural;

impl<W: Vectors> Kernel<W> for FoldFiveNatural {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let halves = x.twice();
        let mirrored = halves ^ V::splat(isa, W::truncate(0x7fff_fffe));
        let folded = halves.min_of_16(mirrored);
        folded.least_exchange(isa) >> V::shift(isa, 1)
    }
}

/// The canonical form of five distinct pieces under D4, alternate numbering.
#[derive(Clone, Copy)]
pub(super) struct FoldFiveAlternate;

impl<W: Vectors> Kernel<W> for FoldFiveAlternate {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let splat = |word: u32| V::splat(isa, W::truncate(word.into()));
        // What is set of bits 1 and 2 of the leading piece's low digit is toggled in all of them: in
        // the leading one by itself, in the others by a product that repeats it every three bits.
        let leading = x & splat(0o60000);
        let others = leading.high_product_of_16(splat(0o1111 << 4));
        let folded = x ^ leading ^ others;
        folded.min(Digits::<W>::exchange(&AlternateFive, isa, folded))
    }
}

/// The canonical form where the leading piece has a twin: the smallest of all images.
#[derive(Clone, Copy)]
pub(super) struct Images<W, D, L, const D4: bool> {
    digits: D,
    like: L,
    mirrors: [W; 4],
}

impl<W: Vectors, D: Digits<W>, L: Like<W>, const D4: bool> Images<W, D, L, D4> {
    fn new(layout: &Layout<W>, like: L) -> Self {
        Images {
            digits: D::new(layout),
            like,
            mirrors: [0, 1, 2, 3].map(|code| Mirror::of(layout, Symmetry::from_code(code)).toggled),
        }
    }

    /// The image under the symmetry with this code, like pieces sorted; `exchanged` is the diagonal
    /// flip of `x`.
    #[inline(always)]
    fn image<V: Lanes<W>>(&self, isa: V::Isa, x: V, exchanged: V, code: u8) -> V {
        let exchanges = Symmetry::from_code(code).exchanges_file_and_rank();
        let mirror = V::splat(isa, self.mirrors[usize::from(code & 3)]);
        self.like
            .sort(isa, (if exchanges { exchanged } else { x }) ^ mirror)
    }

    const LAST: u8 = if D4 { 7 } else { 1 };

    #[inline(always)]
    fn exchanged<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        if D4 { self.digits.exchange(isa, x) } else { x }
    }
}

impl<W: Vectors, D: Digits<W>, L: Like<W>, const D4: bool> Kernel<W> for Images<W, D, L, D4> {
    const LINES_PER_TURN: usize = 1;

    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let exchanged = self.exchanged(isa, x);
        let mut least = self.image(isa, x, exchanged, 0);
        for code in 1..=Self::LAST {
            least = least.min(self.image(isa, x, exchanged, code));
        }
        least
    }
}

impl<W: Vectors, D: Digits<W>, L: Like<W>, const D4: bool> KernelWithBytes<W>
    for Images<W, D, L, D4>
{
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        let exchanged = self.exchanged(isa, x);
        let mut least = self.image(isa, x, exchanged, 0);
        let mut by = V::splat(isa, W::ZERO);
        for code in 1..=Self::LAST {
            let image = self.image(isa, x, exchanged, code);
            let better = image.less(least);
            least = image.select(better, least);
            by = V::splat(isa, code.into()).select(better, by);
        }
        (least, by)
    }
}

/// Whether the canonical form is the index itself.
#[derive(Clone, Copy)]
pub(super) struct IsCanonical<K>(pub(super) K);

impl<W: Vectors, K: Kernel<W>> Condition<W> for IsCanonical<K> {
    #[inline(always)]
    fn holds<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V::Mask {
        self.0.map(isa, x).equal(x)
    }
}

/// The size of an index's orbit under D4.
#[derive(Clone, Copy)]
pub(super) struct OrbitSize<W, D> {
    digits: D,
    half_turn: Mirror<W>,
}

impl<W: Vectors, D: Digits<W>> OrbitSize<W, D> {
    /// For indices of this layout.
    pub(super) fn new(layout: &Layout<W>) -> Self {
        OrbitSize {
            digits: D::new(layout),
            half_turn: Mirror::of(layout, Symmetry::Rotate180),
        }
    }
}

impl<W: Vectors, D: Digits<W>> KernelWithBytes<W> for OrbitSize<W, D> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        let diagonal = self.digits.exchange(isa, x);
        let anti_diagonal = self.half_turn.map(isa, diagonal);
        // Only the mirrors along the diagonals ever fix a position, and never both of them.
        let fixed = V::either(diagonal.equal(x), anti_diagonal.equal(x));
        let size = V::splat(isa, 4.into()).select(fixed, V::splat(isa, 8.into()));
        (x, size)
    }
}

/// What is done with a kernel, whichever it is.
pub(super) trait Visitor<W: Vectors>: Sized {
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
pub(super) fn with_symmetry<W: Vectors, T: Visitor<W>>(
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
pub(super) fn with_conversion<W: Vectors, T: Visitor<W>>(
    layout: &Layout<W>,
    numbering: Numbering,
    visitor: T,
) -> bool {
    use Numbering::{Alternate, Natural};
    match (layout.numbering(), numbering, halves(layout)) {
        (Natural, Alternate, None) => visitor.visit(ToAlternate::new(layout)),
        (Natural, Alternate, Some(halves)) => visitor.visit_halves(ToAlternate::new(&halves)),
        (Alternate, Natural, None) => visitor.visit(ToNatural::new(layout)),
        (Alternate, Natural, Some(halves)) => visitor.visit_halves(ToNatural::new(&halves)),
        _ => return false,
    }
    true
}

/// Calls the visitor with the kernel of the canonical form.
pub(super) fn with_canonical<W: Vectors, T: Visitor<W>>(same: &Equivalence<W>, visitor: T) {
    let (group, like) = (same.group(), same.like());
    if same.layout().pieces() == 5 && group == Group::D4 && like.is_none() {
        return match (same.layout().numbering(), W::BITS) {
            (Numbering::Natural, 32) => visitor.visit(FoldFiveNatural),
            (Numbering::Natural, _) => visitor.visit_halves(FoldFiveNatural),
            (Numbering::Alternate, 32) => visitor.visit(FoldFiveAlternate),
            (Numbering::Alternate, _) => visitor.visit_halves(FoldFiveAlternate),
        };
    }
    match halves(&same.layout()) {
        None => with_canonical_kernel(&same.layout(), group, like, OnWords(visitor)),
        Some(layout) => with_canonical_kernel(&layout, group, like, OnHalves(visitor, PhantomData)),
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
pub(super) trait CanonicalVisitor<W: Vectors> {
    /// Does it.
    fn visit<K: Kernel<W> + KernelWithBytes<W>>(self, kernel: K);
}

/// Calls the visitor with the kernel of the canonical form on the words.
pub(super) fn with_canonical_kernel<W: Vectors, T: CanonicalVisitor<W>>(
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
