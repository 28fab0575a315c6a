//! The choice of the kernel for a map of indices, and the loops that run kernels over slices.
//!
//! A method of [`Backend`] names a [`Map`]. [`map_on`] chooses the kernel for each set of instructions, and [`run`]
//! enters code that is compiled for them and loops over the slices.
//!
//! The loops walk the destination in cache lines. The words before its first whole line and after its last are done
//! one by one, so that no store ever straddles two lines. The source may begin at any address.

use super::backend::{Backend, same_length};
use super::kernels::{
    Alternate, AlternateFive, CanonicalKernel, ConvertFive, Digits, Distinct, Exchange,
    ExchangeAndMirror, Fold, FoldFiveNatural, Kernel, LeastImage, Mirror, Natural, Network,
    OrbitSize, RankOrbit, SortLike, ToAlternate, ToNatural, UnrankOrbit,
};
use crate::board::{Group, Symmetry};
use crate::dispatch;
use crate::index::{Equivalence, Layout, Numbering, Word};
use crate::simd::{Bytes, Isa, Lanes, Line, Streaming, Vectors, line_words};

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

/// Writes the images of `from`, or replaces the words in `to` by their images.
///
/// # Panics
/// If the slices differ in length.
pub(super) fn map<W: Packs>(backend: Backend, map: &Map<'_, W>, from: Option<&[W]>, to: &mut [W]) {
    if let Some(from) = from {
        same_length(from.len(), to.len());
    }
    let past_caches = backend.exceeds_caches(to);
    dispatch!(@token backend, isa => if map.has_few_pieces() {
        map_on::<_, W, W::Few>(isa, map, from, to, past_caches);
    } else {
        map_on::<_, W, Whole>(isa, map, from, to, past_caches);
    });
}

/// The most pieces of a word of 32 bits. For so many there are kernels of their own.
const FIVE: usize = 5;

/// Evaluates an expression with the kernel of the canonical form for any number of pieces.
macro_rules! with_canonical_kernel {
    ($layout:expr, $same:expr, $kernel:ident => $expression:expr) => {{
        use Group::{D4, FileMirror, Trivial};
        macro_rules! with {
            ($value:expr) => {{
                let $kernel = $value;
                $expression
            }};
        }
        let (layout, like) = ($layout, $same.like());
        let numbering = layout.numbering();
        if like.is_none() && $same.group() != Trivial {
            // Nothing is exchanged under the file mirror, so the numbering does not matter there.
            match ($same.group(), numbering) {
                (D4, Numbering::Natural) => {
                    with!(Fold::<_, Natural<_>, _, true>::new(layout, Distinct))
                }
                (D4, Numbering::Alternate) => {
                    with!(Fold::<_, Alternate<_>, _, true>::new(layout, Distinct))
                }
                _ => with!(Fold::<_, Natural<_>, _, false>::new(layout, Distinct)),
            }
        } else {
            let network = Network::new(layout, like);
            let leads_twins = like.has_twin(layout.pieces().saturating_sub(1));
            match ($same.group(), leads_twins, numbering) {
                (Trivial, _, _) => with!(SortLike(network)),
                (FileMirror, false, _) => {
                    with!(Fold::<_, Natural<_>, _, false>::new(layout, network))
                }
                (FileMirror, true, _) => {
                    with!(LeastImage::<_, Natural<_>, _, false>::new(layout, network))
                }
                (D4, false, Numbering::Natural) => {
                    with!(Fold::<_, Natural<_>, _, true>::new(layout, network))
                }
                (D4, false, Numbering::Alternate) => {
                    with!(Fold::<_, Alternate<_>, _, true>::new(layout, network))
                }
                (D4, true, Numbering::Natural) => {
                    with!(LeastImage::<_, Natural<_>, _, true>::new(layout, network))
                }
                (D4, true, Numbering::Alternate) => {
                    with!(LeastImage::<_, Alternate<_>, _, true>::new(layout, network))
                }
            }
        }
    }};
}

/// Writes the images of `from`, or replaces the words in `to` by their images. Kernels take the words as `P` says, but
/// kernels of one or two instructions take them whole. `past_caches` says that `to` exceeds the caches.
///
/// Slices are arguments, not parts of a structure: a structure would be built in small stores and copied by wide loads,
/// which wait until the stores are done.
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
            run!(Whole, Mirror::of(whole, symmetry));
        }
        Map::Flip(_, Symmetry::FlipDiagonal) if natural => {
            run!(Whole, Exchange(Natural::new(whole)));
        }
        Map::Flip(_, symmetry) if natural => {
            let mirror = Mirror::of(whole, symmetry);
            let kernel = ExchangeAndMirror(Natural::new(whole), mirror);
            run!(Whole, kernel);
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
            with_canonical_kernel!(layout, same, kernel => run!(P, kernel));
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

/// Replaces indices by their canonical forms and writes the symmetries' codes.
pub fn canonical_with_symmetry_on<I: Isa, W: Vectors>(
    isa: I,
    same: &Equivalence<W>,
    indices: &mut [W],
    symmetries: &mut [u8],
) {
    let layout = &same.layout();
    with_canonical_kernel!(layout, same, kernel => {
        run_with_symmetry(isa, kernel, indices, symmetries);
    });
}

/// Writes a bitmap of the indices that are canonical.
pub fn is_canonical_on<I: Isa, W: Vectors>(
    isa: I,
    same: &Equivalence<W>,
    from: &[W],
    bitmap: &mut [u64],
) {
    let layout = &same.layout();
    with_canonical_kernel!(layout, same, kernel => run_fixed(isa, kernel, from, bitmap));
}

/// Writes the sizes of orbits.
pub fn orbit_size_on<I: Isa, W: Vectors>(
    isa: I,
    same: &Equivalence<W>,
    from: &[W],
    sizes: &mut [u8],
) {
    let layout = &same.layout();
    match (same.group(), layout.numbering()) {
        (Group::D4, Numbering::Natural) => {
            run_bytes(isa, OrbitSize::<_, Natural<_>>::new(layout), from, sizes);
        }
        (Group::D4, Numbering::Alternate) => {
            run_bytes(isa, OrbitSize::<_, Alternate<_>>::new(layout), from, sizes);
        }
        (group, _) => sizes.fill(group.order() as u8),
    }
}

/// The words for which there are kernels.
pub trait Packs: Vectors {
    /// How kernels take words with at most five pieces.
    type Few: Packing<Self>;
}

impl Packs for u32 {
    type Few = Whole;
}

impl Packs for u64 {
    type Few = Halves;
}

/// A way in which kernels of one word take the words `W` of a slice.
pub trait Packing<W: Vectors> {
    /// The words that kernels work on.
    type Word: Vectors;
    /// The vectors of these words.
    type Vector<I: Isa>: Lanes<Self::Word, Isa = I>;
    /// The number of lines of the destination that one step does.
    const LINES: usize;
    /// The layout of the words that kernels see.
    fn layout(layout: &Layout<W>) -> Layout<Self::Word>;
    /// Vector number `part` of a step's source.
    fn load<I: Isa>(isa: I, from: &[W], part: usize) -> Self::Vector<I>;
    /// Puts vector number `part` into a step's lines, past the caches if `STREAM`.
    fn store<I: Isa, const STREAM: bool>(isa: I, x: Self::Vector<I>, to: &mut [Line], part: usize);
    /// A single word as kernels see it.
    fn narrow(word: W) -> Self::Word;
    /// Undoes [`narrow`](Packing::narrow).
    fn widen(word: Self::Word) -> W;
}

/// Words are taken as they are.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

impl<W: Vectors> Packing<W> for Whole {
    type Word = W;
    type Vector<I: Isa> = I::Of<W>;
    const LINES: usize = 1;

    fn layout(layout: &Layout<W>) -> Layout<W> {
        *layout
    }

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &[W], part: usize) -> I::Of<W> {
        I::Of::<W>::load(isa, &from[part * I::Of::<W>::COUNT..])
    }

    #[inline(always)]
    fn store<I: Isa, const STREAM: bool>(_: I, x: I::Of<W>, to: &mut [Line], part: usize) {
        if STREAM {
            x.stream_line(&mut to[0], part);
        } else {
            x.store_line(&mut to[0], part);
        }
    }

    #[inline(always)]
    fn narrow(word: W) -> W {
        word
    }

    #[inline(always)]
    fn widen(word: W) -> W {
        word
    }
}

/// The lower halves of words of 64 bits are taken. The upper ones are empty for up to five pieces, so two vectors are
/// folded into one.
#[derive(Clone, Copy, Debug)]
pub struct Halves;

impl Packing<u64> for Halves {
    type Word = u32;
    type Vector<I: Isa> = <I::Bytes as Bytes>::Halves;
    const LINES: usize = 2;

    fn layout(layout: &Layout<u64>) -> Layout<u32> {
        Layout::new(layout.pieces(), layout.numbering())
    }

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &[u64], part: usize) -> Self::Vector<I> {
        let from = &from[2 * part * I::Bytes::COUNT..];
        let x = I::Bytes::load(isa, from);
        x.fold_halves(I::Bytes::load(isa, &from[I::Bytes::COUNT..]))
    }

    #[inline(always)]
    fn store<I: Isa, const STREAM: bool>(isa: I, x: Self::Vector<I>, to: &mut [Line], part: usize) {
        let per_line = I::Bytes::PER_LINE;
        let (a, b) = (2 * part, 2 * part + 1);
        let (x, y) = I::Bytes::unfold_halves(isa, x);
        if STREAM {
            x.stream_line(&mut to[a / per_line], a % per_line);
            y.stream_line(&mut to[b / per_line], b % per_line);
        } else {
            x.store_line(&mut to[a / per_line], a % per_line);
            y.store_line(&mut to[b / per_line], b % per_line);
        }
    }

    #[inline(always)]
    fn narrow(word: u64) -> u32 {
        word as u32
    }

    #[inline(always)]
    fn widen(word: u32) -> u64 {
        word.into()
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
    // take wide loads, as above; and the loop must expect that its stores change data behind a reference.
    let kernel = &kernel;
    isa.vectorize(
        #[inline(always)]
        move || {
            let kernel = *kernel;
            let far = I::STREAMS && past_caches;
            let (head, lines, tail) = bytemuck::pod_align_to_mut::<W, Line>(to);
            let Some(from) = from else {
                let odd = walk(
                    (lines, P::LINES, turn::<W, P, K>(), far),
                    #[inline(always)]
                    |_, lines, is_far| {
                        for lines in lines.chunks_exact_mut(P::LINES) {
                            if is_far {
                                prefetch_block::<I, W>(isa, bytemuck::cast_slice(lines));
                            }
                            for part in 0..P::Vector::<I>::PER_LINE {
                                let x = P::load(isa, bytemuck::cast_slice(lines), part);
                                P::store::<I, false>(isa, kernel.map(isa, x), lines, part);
                            }
                        }
                    },
                );
                for words in [head, bytemuck::cast_slice_mut(odd), tail] {
                    for word in words {
                        *word = P::widen(kernel.map::<P::Word>((), P::narrow(*word)));
                    }
                }
                return;
            };
            let (from_head, from) = split(from, head.len());
            let (from, from_tail) = split(from, lines.len() * line_words::<W>());
            let streaming = far.then(|| Streaming(isa));
            let odd = walk(
                (lines, P::LINES, turn::<W, P, K>(), far),
                #[inline(always)]
                |first, lines, is_far| {
                    let first = first * line_words::<W>();
                    let words = first..first + lines.len() * line_words::<W>();
                    let Some(from) = from.get(words) else { return };
                    let steps = lines.chunks_exact_mut(P::LINES);
                    for (lines, from) in steps.zip(from.chunks_exact(P::LINES * line_words::<W>()))
                    {
                        if is_far {
                            prefetch_block(isa, from);
                        }
                        for part in 0..P::Vector::<I>::PER_LINE {
                            let image = kernel.map(isa, P::load(isa, from, part));
                            if is_far {
                                P::store::<I, true>(isa, image, lines, part);
                            } else {
                                P::store::<I, false>(isa, image, lines, part);
                            }
                        }
                    }
                },
            );
            drop(streaming);
            let odd: &mut [W] = bytemuck::cast_slice_mut(odd);
            let (_, from_odd) = split(from, from.len().saturating_sub(odd.len()));
            for (to, from) in [(head, from_head), (odd, from_odd), (tail, from_tail)] {
                for (to, &from) in to.iter_mut().zip(from) {
                    *to = P::widen(kernel.map::<P::Word>((), P::narrow(from)));
                }
            }
        },
    );
}

/// The number of lines in one turn of a loop, which are whole steps.
const fn turn<W: Vectors, P: Packing<W>, K: Kernel<P::Word>>() -> usize {
    K::LINES_PER_TURN.next_multiple_of(P::LINES)
}

/// The number of pages that a loop walks at a time beyond the caches. Memory serves several faster than one.
const PAGES: usize = 4;
/// The number of lines in a page.
const PAGE_LINES: usize = 64;
/// The number of lines in that many pages.
const BLOCK_LINES: usize = PAGES * PAGE_LINES;

/// Calls a function with runs of lines, the number of the first line, and whether the lines are far. Lines are far, in
/// blocks of pages, if the slice is: steps then take turns among the pages of a block. Other lines come in turns of
/// several steps. Returns the last lines, less than a step.
#[inline(always)]
fn walk(
    (lines, step, turn, far): (&mut [Line], usize, usize, bool),
    mut each: impl FnMut(usize, &mut [Line], bool),
) -> &mut [Line] {
    let whole_blocks = lines.len() / BLOCK_LINES * BLOCK_LINES;
    let (blocks, lines) = split_mut(lines, if far { whole_blocks } else { 0 });
    let mut first = 0;
    for block in blocks.chunks_exact_mut(BLOCK_LINES) {
        for line in 0..PAGE_LINES / step {
            for page in 0..PAGES {
                let line = page * PAGE_LINES + line * step;
                each(first + line, &mut block[line..][..step], true);
            }
        }
        first += BLOCK_LINES;
    }
    let whole_turns = lines.len() / turn * turn;
    let (turns, lines) = split_mut(lines, whole_turns);
    for lines in turns.chunks_exact_mut(turn) {
        each(first, lines, false);
        first += turn;
    }
    let whole_steps = lines.len() / step * step;
    let (steps, odd) = split_mut(lines, whole_steps);
    for lines in steps.chunks_exact_mut(step) {
        each(first, lines, false);
        first += step;
    }
    odd
}

/// Asks for the words that have the place of these in the next block. Past the end of the slice this asks for useless
/// lines, which does no harm.
#[inline(always)]
fn prefetch_block<I: Isa, W>(isa: I, words: &[W]) {
    let next = words.as_ptr().wrapping_add(BLOCK_LINES * line_words::<W>());
    for line in 0..words.len() / line_words::<W>() {
        isa.prefetch(next.wrapping_add(line * line_words::<W>()));
    }
}

/// The slice cut in two at this place, or at its end if it is shorter. `split_at` would panic there, and a
/// call in a loop's function costs time even when it is never made.
#[inline(always)]
fn split<T>(slice: &[T], at: usize) -> (&[T], &[T]) {
    slice.split_at(at.min(slice.len()))
}

/// The same as [`split`] for slices that may be written.
#[inline(always)]
fn split_mut<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    slice.split_at_mut(at.min(slice.len()))
}

/// Replaces every index by its image and writes the symmetry's code to a slice of the same length.
fn run_with_symmetry<I: Isa, W: Vectors, K: CanonicalKernel<W>>(
    isa: I,
    kernel: K,
    indices: &mut [W],
    symmetries: &mut [u8],
) {
    isa.vectorize(
        #[inline(always)]
        move || {
            let count = I::Of::<W>::COUNT;
            let mut vectors = indices.chunks_exact_mut(count);
            let mut codes = symmetries.chunks_exact_mut(count);
            for (vector, codes) in (&mut vectors).zip(&mut codes) {
                let x = I::Of::<W>::load(isa, vector);
                let (image, code) = kernel.map_with_symmetry(isa, x);
                image.store(vector);
                code.store_bytes(codes);
            }
            let rest = vectors.into_remainder().iter_mut();
            for (word, byte) in rest.zip(codes.into_remainder()) {
                let (image, code) = kernel.map_with_symmetry::<W>((), *word);
                *word = image;
                *byte = code.low_byte();
            }
        },
    );
}

/// Writes the low byte of every image to a slice of the same length.
fn run_bytes<I: Isa, W: Vectors, K: Kernel<W>>(isa: I, kernel: K, from: &[W], bytes: &mut [u8]) {
    isa.vectorize(
        #[inline(always)]
        move || {
            let count = I::Of::<W>::COUNT;
            let mut sources = from.chunks_exact(count);
            let mut bytes = bytes.chunks_exact_mut(count);
            for (source, bytes) in (&mut sources).zip(&mut bytes) {
                let x = I::Of::<W>::load(isa, source);
                kernel.map(isa, x).store_bytes(bytes);
            }
            let rest = sources.remainder().iter();
            for (&source, byte) in rest.zip(bytes.into_remainder()) {
                *byte = kernel.map::<W>((), source).low_byte();
            }
        },
    );
}

/// Writes one bit for every index of a slice, set if the index is its own image. A word has 64 of them, the first in
/// bit 0.
fn run_fixed<I: Isa, W: Vectors, K: Kernel<W>>(isa: I, kernel: K, from: &[W], bitmap: &mut [u64]) {
    isa.vectorize(
        #[inline(always)]
        move || {
            for (bits, source) in bitmap.iter_mut().zip(from.chunks(64)) {
                *bits = 0;
                let mut vectors = source.chunks_exact(I::Of::<W>::COUNT);
                let mut at = 0;
                for vector in &mut vectors {
                    let x = I::Of::<W>::load(isa, vector);
                    *bits |= I::Of::<W>::bits(kernel.map(isa, x).equal(x)) << at;
                    at += I::Of::<W>::COUNT;
                }
                for &word in vectors.remainder() {
                    *bits |= u64::from(kernel.map::<W>((), word) == word) << at;
                    at += 1;
                }
            }
        },
    );
}
