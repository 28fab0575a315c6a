//! The canonical form and the answers that follow from it. `index/canonical.rs` has the reasons.

use super::digits::{Digits, Folding, Mirror};
use super::{ByteKernel, Kernel, Lanes, Layout, Word};
use crate::board::Symmetry;

/// Evaluates an expression with the kernel of an equivalence's canonical form, for any number of pieces. The network is one of
/// the kernels that sort like pieces.
macro_rules! with_canonical_kernel {
    ($layout:expr, $same:expr, $network:expr, $kernel:ident => $expression:expr) => {{
        use $crate::board::Group::{D4, FileMirror, Trivial};
        use $crate::index::Numbering;
        use $crate::index::kernels::{Alternate, Fold, LeastImage, Natural, SortLike};
        macro_rules! with {
            ($value:expr) => {{
                let $kernel = $value;
                $expression
            }};
        }
        let (layout, like) = ($layout, $network);
        match ($same.group(), $same.leads_twins(), layout.numbering()) {
            (Trivial, ..) => with!(SortLike(like)),
            // Nothing is exchanged under the file mirror, so the numbering does not matter there.
            (FileMirror, true, _) => {
                with!(LeastImage::<_, Natural<_>, _, false>::new(layout, like))
            }
            (FileMirror, false, _) => with!(Fold::<_, Natural<_>, _, false>::new(layout, like)),
            (D4, true, Numbering::Natural) => {
                with!(LeastImage::<_, Natural<_>, _, true>::new(layout, like))
            }
            (D4, true, Numbering::Alternate) => {
                with!(LeastImage::<_, Alternate<_>, _, true>::new(layout, like))
            }
            (D4, false, Numbering::Natural) => {
                with!(Fold::<_, Natural<_>, _, true>::new(layout, like))
            }
            (D4, false, Numbering::Alternate) => {
                with!(Fold::<_, Alternate<_>, _, true>::new(layout, like))
            }
        }
    }};
}
pub(crate) use with_canonical_kernel;

/// The canonical form where no other piece is like the leading one. The leading piece then decides how the
/// board is folded.
#[derive(Clone, Copy)]
pub(crate) struct Fold<W, D, L, const D4: bool> {
    digits: D,
    like: L,
    folding: Folding<W>,
}

impl<W: Word, D: Digits<W>, L: Kernel<W>, const D4: bool> Fold<W, D, L, D4> {
    pub(crate) fn new(layout: &Layout<W>, like: L) -> Self {
        Fold {
            digits: D::new(layout),
            like,
            folding: Folding::new(layout),
        }
    }

    /// The image with the leading piece in the lower left quarter (or, under the file mirror alone, in the
    /// left half).
    #[inline(always)]
    fn fold<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        if D4 {
            self.digits.fold(isa, x, &self.folding)
        } else {
            self.folding.fold_files(isa, x)
        }
    }
}

impl<W: Word, D: Digits<W>, L: Kernel<W>, const D4: bool> Kernel<W> for Fold<W, D, L, D4> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let folded = self.fold(isa, x);
        let straight = self.like.map(isa, folded);
        if !D4 {
            return straight;
        }
        let exchanged = self.like.map(isa, self.digits.exchange(isa, folded));
        D::smaller(straight, exchanged)
    }
}

impl<W: Word, D: Digits<W>, L: Kernel<W>, const D4: bool> ByteKernel<W> for Fold<W, D, L, D4> {
    #[inline(always)]
    fn map_with_byte<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        let code = |symmetry: Symmetry| V::splat(isa, (symmetry as u8).into());
        let files = V::splat(isa, self.folding.files);
        let ranks = V::splat(isa, self.folding.ranks);
        let folded = self.fold(isa, x);
        let straight = self.like.map(isa, folded);
        let mirrors = code(Symmetry::Identity).xor_where(code(Symmetry::FlipHorizontal), x, files);
        if !D4 {
            return (straight, mirrors);
        }
        let mirrors = mirrors.xor_where(code(Symmetry::FlipVertical), x, ranks);
        // To mirror the files and then exchange is the same as to exchange and then mirror the ranks.
        let and_exchange = code(Symmetry::FlipDiagonal)
            .xor_where(code(Symmetry::FlipVertical), x, files)
            .xor_where(code(Symmetry::FlipHorizontal), x, ranks);
        let exchanged = self.like.map(isa, self.digits.exchange(isa, folded));
        let better = exchanged.less(straight);
        (
            exchanged.select(better, straight),
            and_exchange.select(better, mirrors),
        )
    }
}

/// The canonical form where other pieces are like the leading one: the smallest of all images.
#[derive(Clone, Copy)]
pub(crate) struct LeastImage<W, D, L, const D4: bool> {
    digits: D,
    like: L,
    mirrors: [W; 4],
}

impl<W: Word, D: Digits<W>, L: Kernel<W>, const D4: bool> LeastImage<W, D, L, D4> {
    pub(crate) fn new(layout: &Layout<W>, like: L) -> Self {
        LeastImage {
            digits: D::new(layout),
            like,
            mirrors: [0, 1, 2, 3].map(|code| Mirror::of(layout, Symmetry::from_code(code)).toggled),
        }
    }

    /// The image under the symmetry with this code, with like pieces sorted. `exchanged` is the diagonal
    /// flip of `x`.
    #[inline(always)]
    fn image<V: Lanes<W>>(&self, isa: V::Isa, x: V, exchanged: V, code: u8) -> V {
        let exchanges = Symmetry::from_code(code).exchanges_file_and_rank();
        let mirror = V::splat(isa, self.mirrors[usize::from(code & 3)]);
        self.like
            .map(isa, (if exchanges { exchanged } else { x }) ^ mirror)
    }

    const LAST: u8 = if D4 { 7 } else { 1 };

    #[inline(always)]
    fn exchanged<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        if D4 { self.digits.exchange(isa, x) } else { x }
    }
}

impl<W: Word, D: Digits<W>, L: Kernel<W>, const D4: bool> Kernel<W> for LeastImage<W, D, L, D4> {
    const IS_LONG: bool = true;

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

impl<W: Word, D: Digits<W>, L: Kernel<W>, const D4: bool> ByteKernel<W>
    for LeastImage<W, D, L, D4>
{
    #[inline(always)]
    fn map_with_byte<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
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

/// The size of an index's orbit under D4.
#[derive(Clone, Copy)]
pub(crate) struct OrbitSize<W, D> {
    digits: D,
    half_turn: Mirror<W>,
}

impl<W: Word, D: Digits<W>> OrbitSize<W, D> {
    /// The kernel for indices of this layout.
    pub(crate) fn new(layout: &Layout<W>) -> Self {
        OrbitSize {
            digits: D::new(layout),
            half_turn: Mirror::of(layout, Symmetry::Rotate180),
        }
    }
}

impl<W: Word, D: Digits<W>> ByteKernel<W> for OrbitSize<W, D> {
    #[inline(always)]
    fn map_with_byte<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        let diagonal = self.digits.exchange(isa, x);
        let anti_diagonal = self.half_turn.map(isa, diagonal);
        // Only the mirrors along the diagonals ever fix a position, and never both of them.
        let fixed = V::either(diagonal.equal(x), anti_diagonal.equal(x));
        (
            x,
            V::splat(isa, 4.into()).select(fixed, V::splat(isa, 8.into())),
        )
    }
}
