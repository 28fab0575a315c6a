//! The choice of the kernel for a map of indices, and the kernels' loops.
//!
//! A method of [`Backend`] names a [`Map`]. [`map_on`] chooses the kernel for each set of instructions and makes it a
//! [`Body`](super::slices::Body), the one loop of a kernel, which knows whole vectors alone.

use super::backend::Backend;
use super::convert::{ConvertFive, ToAlternate, ToNatural};
use super::five::{AlternateFive, FoldFiveNatural};
use super::packing::{FullWords, Packing, Packs};
use super::slices::over_slices;
use crate::board::{Group, Symmetry};
use crate::dispatch;
use crate::index::kernels::{
    Alternate, ByteKernel, Digits, Distinct, Exchange, ExchangeAndMirror, Fold, Kernel, Mirror,
    Natural, Network, OrbitSize, RankOrbit, UnrankOrbit, with_canonical_kernel,
};
use crate::index::{Equivalence, Layout, Numbering, Word};
use crate::simd::{Isa, Lanes, Vectors, line_words};

/// A map from indices to indices, or to slots and back.
#[derive(Clone, Copy, Debug)]
pub enum Map<'a, W> {
    /// [`Layout::flip`].
    Flip(&'a Layout<W>, Symmetry),
    /// [`Layout::convert`].
    Convert(&'a Layout<W>, Numbering),
    /// [`Equivalence::canonical`].
    Canonical(&'a Equivalence<W>),
    /// The rank of [`Orbit`](crate::Orbit) under D4, of alternate indices.
    RankOrbit(&'a Layout<W>),
    /// Its inverse.
    UnrankOrbit(&'a Layout<W>),
}

impl<W: Word> Map<'_, W> {
    /// The layout of the indices.
    fn layout(&self) -> Layout<W> {
        match *self {
            Map::Canonical(same) => same.layout(),
            Map::Flip(layout, _)
            | Map::Convert(layout, _)
            | Map::RankOrbit(layout)
            | Map::UnrankOrbit(layout) => *layout,
        }
    }

    fn is_identity(&self) -> bool {
        match *self {
            Map::Flip(_, symmetry) => symmetry == Symmetry::Identity,
            Map::Convert(layout, numbering) => layout.numbering() == numbering,
            Map::Canonical(same) => same.group() == Group::Trivial && same.like().is_none(),
            _ => false,
        }
    }

    /// Whether the pieces leave the upper half of a word of 64 bits empty.
    pub fn has_few_pieces(&self) -> bool {
        self.layout().pieces() <= FIVE
    }
}

/// Writes the images of `from`, which is as long as `to`, or replaces the words in `to` by their images.
pub(super) fn map<W: Packs>(backend: Backend, map: &Map<'_, W>, from: Option<&[W]>, to: &mut [W]) {
    let past_caches = backend.exceeds_caches(to);
    dispatch!(@token backend, isa => if map.has_few_pieces() {
        map_on::<_, W, W::UpToFive>(isa, map, from, to, past_caches);
    } else {
        map_on::<_, W, FullWords>(isa, map, from, to, past_caches);
    });
}

/// The most pieces of a word of 32 bits. For so many there are kernels of their own.
const FIVE: usize = 5;

/// Writes the images of `from`, or replaces the words in `to` by their images. Kernels take the words as `P` says, but
/// kernels of one or two instructions take them whole. `past_caches` says that `to` exceeds the caches.
pub fn map_on<I: Isa, W: Vectors, P: Packing<W>>(
    isa: I,
    map: &Map<'_, W>,
    from: Option<&[W]>,
    to: &mut [W],
    past_caches: bool,
) {
    if map.is_identity() {
        if let Some(from) = from {
            to.copy_from_slice(from);
        }
        return;
    }
    let whole = &map.layout();
    let layout = &P::layout(whole);
    let five = P::Word::NARROW && layout.pieces() == FIVE;
    let natural = layout.numbering() == Numbering::Natural;
    macro_rules! run {
        ($packing:ident, $kernel:expr) => {
            run::<_, _, $packing, _>(isa, $kernel, from, to, past_caches)
        };
    }
    match *map {
        Map::Flip(_, symmetry) if !symmetry.exchanges_file_and_rank() => {
            run!(FullWords, Mirror::of(whole, symmetry));
        }
        Map::Flip(_, Symmetry::FlipDiagonal) if natural => {
            run!(FullWords, Exchange(Natural::new(whole)));
        }
        Map::Flip(_, symmetry) if natural => {
            let mirror = Mirror::of(whole, symmetry);
            let kernel = ExchangeAndMirror(Natural::new(whole), mirror);
            run!(FullWords, kernel);
        }
        Map::Flip(_, symmetry) => {
            let mirror = Mirror::of(layout, symmetry);
            if five {
                run!(P, ExchangeAndMirror(AlternateFive, mirror));
            } else {
                let kernel = ExchangeAndMirror(Alternate::new(layout), mirror);
                run!(P, kernel);
            }
        }
        Map::Convert(..) => match (natural, five) {
            (true, true) => run!(P, ConvertFive(ToAlternate::new(layout))),
            (true, false) => run!(P, ToAlternate::new(layout)),
            (false, true) => run!(P, ConvertFive(ToNatural::new(layout))),
            (false, false) => run!(P, ToNatural::new(layout)),
        },
        Map::Canonical(same) if five && same.group() == Group::D4 && same.like().is_none() => {
            if natural {
                run!(P, FoldFiveNatural);
            } else {
                let kernel = Fold::<_, AlternateFive, _, true>::new(layout, Distinct);
                run!(P, kernel);
            }
        }
        Map::Canonical(same) => {
            with_canonical_kernel!(layout, same, Network::new(same.network()), kernel => run!(P, kernel));
        }
        Map::RankOrbit(_) if five => {
            run!(P, RankOrbit::<_, AlternateFive>::new(layout));
        }
        Map::RankOrbit(_) => {
            run!(P, RankOrbit::<_, Alternate<_>>::new(layout));
        }
        Map::UnrankOrbit(_) if five => {
            run!(P, UnrankOrbit::<_, AlternateFive>::new(layout));
        }
        Map::UnrankOrbit(_) => {
            run!(P, UnrankOrbit::<_, Alternate<_>>::new(layout));
        }
    }
}

/// Replaces indices by their canonical forms and writes the symmetries' codes. Indices that fill no vector are left alone.
pub fn canonical_with_symmetry_on<I: Isa, W: Vectors>(
    isa: I,
    same: &Equivalence<W>,
    indices: &mut [W],
    symmetries: &mut [u8],
) {
    let layout = &same.layout();
    with_canonical_kernel!(layout, same, Network::new(same.network()), kernel => {
        run_with_bytes(isa, kernel, indices, symmetries);
    });
}

/// Writes the sizes of orbits under D4, but for indices that fill no vector. The indices stay.
pub fn orbit_size_on<I: Isa, W: Vectors>(
    isa: I,
    layout: &Layout<W>,
    indices: &mut [W],
    sizes: &mut [u8],
) {
    match layout.numbering() {
        Numbering::Natural => {
            run_with_bytes(isa, OrbitSize::<_, Natural<_>>::new(layout), indices, sizes);
        }
        Numbering::Alternate => {
            run_with_bytes(
                isa,
                OrbitSize::<_, Alternate<_>>::new(layout),
                indices,
                sizes,
            );
        }
    }
}

/// Runs a kernel over slices: the loop of [`map_on`].
fn run<I: Isa, W: Vectors, P: Packing<W>, K: Kernel<P::Word>>(
    isa: I,
    kernel: K,
    from: Option<&[W]>,
    to: &mut [W],
    past_caches: bool,
) {
    // The kernel is copied where each of its constants becomes a value of its own. To move it there as a whole would
    // take wide loads, which wait for the small stores that made it; and the loop must expect that its stores change data
    // behind a reference.
    let kernel = &kernel;
    over_slices(
        isa,
        turn::<I, W, P, K>(),
        from,
        to,
        past_caches,
        &|mut words| {
            isa.vectorize(
                #[inline(always)]
                move || {
                    let kernel = *kernel;
                    // Constants of this function, which the compiler would not know as variables of the closure.
                    let (turn, count) = (turn::<I, W, P, K>(), P::Vector::<I>::COUNT);
                    while let Some(mut words) = words.take(turn) {
                        for part in 0..turn / count {
                            let x = P::load(isa, &words.from()[part * count..]);
                            let image = kernel.map(isa, x);
                            P::store(isa, image, &mut words.to()[part * count..]);
                        }
                    }
                },
            );
        },
    );
}

/// The number of words that a turn of a kernel's loop takes.
const fn turn<I: Isa, W: Vectors, P: Packing<W>, K: Kernel<P::Word>>() -> usize {
    let lines = if K::IS_LONG { 1 } else { I::LINES_PER_TURN };
    let (words, vector) = (lines * line_words::<W>(), P::Vector::<I>::COUNT);
    if words < vector { vector } else { words }
}

/// Replaces every index by its image and writes a byte for each to a slice of the same length. Words that fill no vector
/// are left alone.
fn run_with_bytes<I: Isa, W: Vectors, K: ByteKernel<W>>(
    isa: I,
    kernel: K,
    words: &mut [W],
    bytes: &mut [u8],
) {
    isa.vectorize(
        #[inline(always)]
        move || {
            let count = I::Of::<W>::COUNT;
            let vectors = words.chunks_exact_mut(count);
            for (vector, bytes) in vectors.zip(bytes.chunks_exact_mut(count)) {
                let (image, byte) = kernel.map_with_byte(isa, I::Of::<W>::load(isa, vector));
                image.store(vector);
                byte.store_bytes(bytes);
            }
        },
    );
}

/// Writes a bitmap of the words of two slices that are equal.
pub(super) fn equal_on<I: Isa, W: Vectors>(isa: I, a: &[W], b: &[W], bitmap: &mut [u64]) {
    isa.vectorize(
        #[inline(always)]
        move || {
            let count = I::Of::<W>::COUNT;
            for ((bits, a), b) in bitmap.iter_mut().zip(a.chunks(64)).zip(b.chunks(64)) {
                *bits = 0;
                let (mut a, mut b) = (a.chunks_exact(count), b.chunks_exact(count));
                let mut at = 0;
                for (a, b) in (&mut a).zip(&mut b) {
                    let [a, b] = [a, b].map(|words| I::Of::<W>::load(isa, words));
                    *bits |= I::Of::<W>::bits(a.equal(b)) << at;
                    at += count;
                }
                for (a, b) in a.remainder().iter().zip(b.remainder()) {
                    *bits |= u64::from(a == b) << at;
                    at += 1;
                }
            }
        },
    );
}
