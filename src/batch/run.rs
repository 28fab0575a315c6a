//! The choice of the kernel for a map of indices, and the loops that run kernels over slices.
//!
//! A method of [`Backend`] names a [`Map`]. [`map_on`] chooses the kernel for each set of instructions and makes it a
//! [`Body`], the one loop of a kernel, which knows whole vectors alone. [`over_slices`] knows no kernel: it brings slices of
//! any length, at any address and of any size into the shape that a body takes.

use bytemuck::Zeroable;

use super::backend::Backend;
use super::kernels::{
    Alternate, AlternateFive, ByteKernel, ConvertFive, Digits, Distinct, Exchange,
    ExchangeAndMirror, Fold, FoldFiveNatural, Kernel, LeastImage, Mirror, Natural, Network,
    OrbitSize, RankOrbit, SortLike, ToAlternate, ToNatural, UnrankOrbit,
};
use crate::board::{Group, Symmetry};
use crate::dispatch;
use crate::index::{Equivalence, Layout, Numbering, Word};
use crate::simd::{Bytes, InOut, Isa, Lanes, Line, Streaming, Vectors, line_words};

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
        let network = Network::new(layout, like);
        let leads_twins = like.has_twin(layout.pieces().saturating_sub(1));
        match ($same.group(), leads_twins, layout.numbering()) {
            (Trivial, _, _) => with!(SortLike(network)),
            // Nothing is exchanged under the file mirror, so the numbering does not matter there.
            (FileMirror, false, _) => with!(Fold::<_, Natural<_>, _, false>::new(layout, network)),
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
    }};
}

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

/// Replaces indices by their canonical forms and writes the symmetries' codes. Indices that fill no vector are left alone.
pub fn canonical_with_symmetry_on<I: Isa, W: Vectors>(
    isa: I,
    same: &Equivalence<W>,
    indices: &mut [W],
    symmetries: &mut [u8],
) {
    let layout = &same.layout();
    with_canonical_kernel!(layout, same, kernel => {
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
    /// The vectors of these words. Each stands for as many words of the slice.
    type Vector<I: Isa>: Lanes<Self::Word, Isa = I>;
    /// The layout of the words that kernels see.
    fn layout(layout: &Layout<W>) -> Layout<Self::Word>;
    /// A vector of the first words of the slice.
    fn load<I: Isa>(isa: I, from: &[W]) -> Self::Vector<I>;
    /// Puts a vector into the first words of the slice.
    fn store<I: Isa>(isa: I, x: Self::Vector<I>, to: &mut [W]);
}

/// Words are taken as they are.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

impl<W: Vectors> Packing<W> for Whole {
    type Word = W;
    type Vector<I: Isa> = I::Of<W>;

    fn layout(layout: &Layout<W>) -> Layout<W> {
        *layout
    }

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &[W]) -> I::Of<W> {
        I::Of::<W>::load(isa, from)
    }

    #[inline(always)]
    fn store<I: Isa>(_: I, x: I::Of<W>, to: &mut [W]) {
        x.store(to);
    }
}

/// The lower halves of words of 64 bits are taken. The upper ones are empty for up to five pieces, so two vectors are
/// folded into one.
#[derive(Clone, Copy, Debug)]
pub struct Halves;

impl Packing<u64> for Halves {
    type Word = u32;
    type Vector<I: Isa> = <I::Bytes as Bytes>::Halves;

    fn layout(layout: &Layout<u64>) -> Layout<u32> {
        Layout::new(layout.pieces(), layout.numbering())
    }

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &[u64]) -> Self::Vector<I> {
        let x = I::Bytes::load(isa, from);
        x.fold_halves(I::Bytes::load(isa, &from[I::Bytes::COUNT..]))
    }

    #[inline(always)]
    fn store<I: Isa>(isa: I, x: Self::Vector<I>, to: &mut [u64]) {
        let (x, y) = I::Bytes::unfold_halves(isa, x);
        x.store(to);
        y.store(&mut to[I::Bytes::COUNT..]);
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

/// The most lines of a turn.
pub(super) const MOST_LINES: usize = 8;

/// Beyond the caches, tiles take lines from so many pages in turn, as the processor fetches ahead within each of them, and
/// writes pages that lie side by side at once.
const PAGES: usize = 8;
const PAGE_LINES: usize = 64;

/// The lines of a page in a tile, and by how many lines source lines are asked for before they are read.
const PAGE_LINES_OF_TILE: usize = 2;
const LINES_AHEAD: usize = 8;

/// The lines that are written past the caches together. Less of a larger slice is a buffer, or is read again at once.
const GROUP_LINES: usize = PAGES * PAGE_LINES;

/// The loop of a kernel: it takes words in whole turns.
pub(super) type Body<'a, W> = dyn Fn(InOut<'_, W>) + 'a;

/// Has a body write the images of `from`, or replace the words in `to`. It takes `turn` words at a time, a power of two,
/// one line to [`MOST_LINES`]. `past_caches` says that `to` exceeds the caches.
///
/// The body writes whole lines, so that no store straddles two, but for the first turn and the last, which overlap others.
/// In place, where no word may be taken twice, the words at both ends go together through a buffer.
///
/// Beyond the caches, stores go past them, and there the processor is fast only if whole lines are stored one after the
/// other. So the body works on tiles in the first cache, and lines are brought there and taken away by [`exchange`].
///
/// Slices are arguments, not parts of a structure: a structure would be built in small stores and copied by wide loads,
/// which wait until the stores are done.
pub(super) fn over_slices<I: Isa, W: Vectors>(
    isa: I,
    turn: usize,
    from: Option<&[W]>,
    to: &mut [W],
    past_caches: bool,
    body: &Body<'_, W>,
) {
    let line = line_words::<W>();
    debug_assert!(turn.is_power_of_two() && (line..=MOST_LINES * line).contains(&turn));
    let past_line = to.as_ptr().addr().wrapping_neg() % size_of::<Line>() / size_of::<W>();
    let head = past_line.min(to.len());
    // The remainder of a power of two takes no division.
    let tail = (to.len() - head) & (turn - 1);
    let whole = to.len() - head - tail;
    let ends = head + tail;
    match from {
        // The turns at both ends overlap others, which write the same.
        Some(from) if to.len() >= turn => {
            if head > 0 {
                body(InOut::new(&from[..turn], &mut to[..turn]));
            }
            if tail > 0 {
                let last = to.len() - turn;
                body(InOut::new(&from[last..], &mut to[last..]));
            }
        }
        _ if ends > 0 => {
            let mut buffer = [Line::zeroed(); 2 * MOST_LINES];
            let words: &mut [W] = bytemuck::cast_slice_mut(&mut buffer);
            let source = from.unwrap_or(to);
            words[..head].copy_from_slice(&source[..head]);
            words[head..ends].copy_from_slice(&source[head + whole..]);
            // Zeros, which are valid indices and slots, fill up the last turn.
            let filled = (ends + turn - 1) & !(turn - 1);
            body(InOut::in_place(&mut words[..filled]));
            to[..head].copy_from_slice(&words[..head]);
            to[head + whole..].copy_from_slice(&words[head..ends]);
        }
        _ => {}
    }
    let to = &mut to[head..head + whole];
    let from = from.map(|from| &from[head..head + whole]);
    let far = I::STREAMS && past_caches && size_of_val(to) >= GROUP_LINES * size_of::<Line>();
    match from {
        None => body(InOut::in_place(to)),
        Some(from) if far => tiles(isa, from, to, body),
        Some(from) => body(InOut::new(from, to)),
    }
}

/// Lines of a tile, page by page.
type Tile = [Line; PAGES * PAGE_LINES_OF_TILE];

/// The bytes of a line, at any address.
type LineBytes = [u8; size_of::<Line>()];

/// Writes the images of `from` past the caches, tile by tile, but for those behind the last whole group of pages.
fn tiles<I: Isa, W: Vectors>(isa: I, from: &[W], to: &mut [W], body: &Body<'_, W>) {
    let group = GROUP_LINES * line_words::<W>();
    let grouped = to.len() / group * group;
    let (to, rest) = to.split_at_mut(grouped);
    body(InOut::new(&from[grouped..], rest));
    let from: &[LineBytes] = bytemuck::cast_slice(&from[..grouped]);
    let to: &mut [Line] = bytemuck::cast_slice_mut(to);
    let _streaming = Streaming(isa);
    let (mut next, mut last) = (&mut Tile::zeroed(), &mut Tile::zeroed());
    let mut last_line = None;
    for group in (0..to.len()).step_by(GROUP_LINES) {
        for line in (0..PAGE_LINES).step_by(PAGE_LINES_OF_TILE) {
            // Past the end of a page the line that is asked for lies in the next group.
            let within = line + LINES_AHEAD < PAGE_LINES;
            let ahead = LINES_AHEAD + if within { 0 } else { GROUP_LINES - PAGE_LINES };
            let to = last_line.map(|line| &mut to[line..]);
            exchange(isa, Some((&from[group + line..], ahead)), next, last, to);
            body(InOut::in_place(bytemuck::cast_slice_mut(next)));
            std::mem::swap(&mut next, &mut last);
            last_line = Some(group + line);
        }
    }
    exchange(isa, None, next, last, last_line.map(|line| &mut to[line..]));
}

/// Fills a tile with the first lines of pages that are side by side in `from`, and asks for lines as far ahead as it says;
/// and copies another tile past the caches to the first lines of such pages in `to`.
fn exchange<I: Isa>(
    isa: I,
    from: Option<(&[LineBytes], usize)>,
    next: &mut Tile,
    last: &Tile,
    to: Option<&mut [Line]>,
) {
    const SPAN: usize = GROUP_LINES - PAGE_LINES + PAGE_LINES_OF_TILE;
    let of_all = "lines of all pages";
    let from = from.map(|(from, ahead)| (from.first_chunk::<SPAN>().expect(of_all), ahead));
    let mut to = to.map(|to| to.first_chunk_mut::<SPAN>().expect(of_all));
    isa.vectorize(
        #[inline(always)]
        move || {
            for (k, (next, last)) in next.iter_mut().zip(last).enumerate() {
                let line = k / PAGE_LINES_OF_TILE * PAGE_LINES + k % PAGE_LINES_OF_TILE;
                if let Some((from, ahead)) = from {
                    isa.prefetch(from.as_ptr().wrapping_add(line + ahead));
                    next.0 = from[line];
                }
                if let Some(to) = &mut to {
                    isa.stream_line(last, &mut to[line]);
                }
            }
        },
    );
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
