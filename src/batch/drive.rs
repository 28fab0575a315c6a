//! The loops over slices. Each is a [`Work`], so it is compiled once for each set of instructions.
//!
//! The destination is walked in cache lines: the words before its first whole line and after its
//! last are done one by one, so that no store ever straddles two lines. The source may lie
//! anywhere.

use bytemuck::Pod;

use super::bytes::Bytes;
use super::kernels::{Condition, Kernel, KernelWithBytes};
use super::lanes::{Isa, Lanes, Line, Vectors, Work, line_words};

/// A kernel together with how it meets the words of a slice, `M` each.
pub(super) trait Scheme<M>: Copy {
    /// How many lines of the destination are done in one step.
    const STEP: usize;
    /// How many steps are done in one turn of the loop.
    const STEPS_PER_TURN: usize;
    /// Replaces the indices of a step's lines by their images.
    fn in_place<I: Isa>(&self, isa: I, lines: &mut [Line]);
    /// Writes the images of a step's source, past the caches if so asked.
    fn into<I: Isa, const STREAM: bool>(&self, isa: I, from: &[M], to: &mut [Line]);
    /// The image of a single word.
    fn single(&self, word: M) -> M;
}

/// The kernel works on words as they are.
#[derive(Clone, Copy)]
pub(super) struct Words<K>(pub(super) K);

impl<W: Vectors, K: Kernel<W>> Scheme<W> for Words<K> {
    const STEP: usize = 1;
    const STEPS_PER_TURN: usize = K::LINES_PER_TURN;

    #[inline(always)]
    fn in_place<I: Isa>(&self, isa: I, lines: &mut [Line]) {
        for part in 0..I::Of::<W>::PER_LINE {
            let x = I::Of::<W>::load_line(isa, &lines[0], part);
            self.0.map(isa, x).store_line(&mut lines[0], part);
        }
    }

    #[inline(always)]
    fn into<I: Isa, const STREAM: bool>(&self, isa: I, from: &[W], to: &mut [Line]) {
        let count = I::Of::<W>::COUNT;
        for part in 0..I::Of::<W>::PER_LINE {
            let x = I::Of::<W>::load(isa, &from[part * count..]);
            let image = self.0.map(isa, x);
            if STREAM {
                image.stream_line(&mut to[0], part);
            } else {
                image.store_line(&mut to[0], part);
            }
        }
    }

    #[inline(always)]
    fn single(&self, word: W) -> W {
        self.0.map::<W>((), word)
    }
}

/// Words of 64 bits whose upper halves are empty, as up to five pieces leave them: two vectors are
/// folded into one, and the kernel works on halves.
#[derive(Clone, Copy)]
pub(super) struct Halves<K>(pub(super) K);

impl<K: Kernel<u32>> Scheme<u64> for Halves<K> {
    const STEP: usize = 2;
    const STEPS_PER_TURN: usize = K::LINES_PER_TURN.div_ceil(2);

    #[inline(always)]
    fn in_place<I: Isa>(&self, isa: I, lines: &mut [Line]) {
        let per_line = I::Bytes::PER_LINE;
        for pair in 0..per_line {
            let (a, b) = (2 * pair, 2 * pair + 1);
            let x = I::Bytes::load_line(isa, &lines[a / per_line], a % per_line);
            let y = I::Bytes::load_line(isa, &lines[b / per_line], b % per_line);
            let images = self.0.map(isa, x.fold_halves(y));
            let (x, y) = I::Bytes::unfold_halves(isa, images);
            x.store_line(&mut lines[a / per_line], a % per_line);
            y.store_line(&mut lines[b / per_line], b % per_line);
        }
    }

    #[inline(always)]
    fn into<I: Isa, const STREAM: bool>(&self, isa: I, from: &[u64], to: &mut [Line]) {
        let (per_line, count) = (I::Bytes::PER_LINE, I::Bytes::COUNT);
        for pair in 0..per_line {
            let (a, b) = (2 * pair, 2 * pair + 1);
            let x = I::Bytes::load(isa, &from[a * count..]);
            let y = I::Bytes::load(isa, &from[b * count..]);
            let images = self.0.map(isa, x.fold_halves(y));
            let (x, y) = I::Bytes::unfold_halves(isa, images);
            if STREAM {
                x.stream_line(&mut to[a / per_line], a % per_line);
                y.stream_line(&mut to[b / per_line], b % per_line);
            } else {
                x.store_line(&mut to[a / per_line], a % per_line);
                y.store_line(&mut to[b / per_line], b % per_line);
            }
        }
    }

    #[inline(always)]
    fn single(&self, word: u64) -> u64 {
        self.0.map::<u32>((), word as u32).into()
    }
}

/// Replaces every index by its image.
pub(super) struct MapInPlace<'a, M, S> {
    /// What is done to each.
    pub(super) scheme: S,
    /// The indices.
    pub(super) indices: &'a mut [M],
    /// Whether they come from beyond the caches.
    pub(super) far: bool,
}

impl<M: Pod, S: Scheme<M>> Work for MapInPlace<'_, M, S> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        // By reference: a kernel with a sorting network is too big to be moved about in a loop.
        let scheme = &self.scheme;
        let (head, mut lines, tail) = bytemuck::pod_align_to_mut::<M, Line>(self.indices);
        if I::STREAMS && self.far {
            let (blocks, rest) = split_mut(lines, lines.len() / BLOCK_LINES * BLOCK_LINES);
            map_far_in_place(isa, scheme, blocks);
            lines = rest;
        }
        let turn = S::STEP * S::STEPS_PER_TURN;
        let (turns, lines) = split_mut(lines, lines.len() / turn * turn);
        for turn in turns.chunks_exact_mut(turn) {
            for lines in turn.chunks_exact_mut(S::STEP) {
                scheme.in_place(isa, lines);
            }
        }
        let (steps, odd) = split_mut(lines, lines.len() / S::STEP * S::STEP);
        for lines in steps.chunks_exact_mut(S::STEP) {
            scheme.in_place(isa, lines);
        }
        for ends in [head, bytemuck::cast_slice_mut(odd), tail] {
            for word in ends {
                *word = scheme.single(*word);
            }
        }
    }
}

/// The slice cut in two; at its end, if it is shorter. `split_at` would panic there, and a call in
/// a loop's function costs even when it is never made.
#[inline(always)]
fn split<T>(slice: &[T], at: usize) -> (&[T], &[T]) {
    slice.split_at(at.min(slice.len()))
}

/// As [`split`].
#[inline(always)]
fn split_mut<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    slice.split_at_mut(at.min(slice.len()))
}

/// Writes the image of every index of one slice to another of the same length.
pub(super) struct MapInto<'a, M, S> {
    /// What is done to each.
    pub(super) scheme: S,
    /// The indices.
    pub(super) from: &'a [M],
    /// Where the images go.
    pub(super) to: &'a mut [M],
    /// Whether to write past the caches.
    pub(super) stream: bool,
}

/// Whole blocks of pages, as in [`map_streaming`] but for the stores: what was just read is in the
/// cache.
#[inline(always)]
fn map_far_in_place<M, S: Scheme<M>, I: Isa>(isa: I, scheme: &S, lines: &mut [Line]) {
    for block in lines.chunks_exact_mut(BLOCK_LINES) {
        for step in 0..PAGE_LINES / S::STEP {
            for page in 0..PAGES {
                let first = page * PAGE_LINES + step * S::STEP;
                let lines = &mut block[first..][..S::STEP];
                let ahead = lines.as_ptr().wrapping_add(BLOCK_LINES);
                for line in 0..S::STEP {
                    isa.prefetch(ahead.wrapping_add(line));
                }
                scheme.in_place(isa, lines);
            }
        }
    }
}

/// How many pages a streaming loop walks at a time, as memory serves several faster than one.
const PAGES: usize = 4;
/// The lines of a page.
const PAGE_LINES: usize = 64;
/// The lines of that many pages.
const BLOCK_LINES: usize = PAGES * PAGE_LINES;

impl<M: Pod, S: Scheme<M>> Work for MapInto<'_, M, S> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        // By reference: a kernel with a sorting network is too big to be moved about in a loop.
        let scheme = &self.scheme;
        let (head, mut lines, tail) = bytemuck::pod_align_to_mut::<M, Line>(self.to);
        let (from_head, mut from) = split(self.from, head.len());
        if I::STREAMS && self.stream {
            let (to, lines_left) = split_mut(lines, lines.len() / BLOCK_LINES * BLOCK_LINES);
            let (source, from_left) = split(from, to.len() * line_words::<M>());
            map_streaming(isa, scheme, source, to);
            (lines, from) = (lines_left, from_left);
        }
        let turn = S::STEP * S::STEPS_PER_TURN;
        let step_words = S::STEP * line_words::<M>();
        let (turns, lines) = split_mut(lines, lines.len() / turn * turn);
        let (sources, from) = split(from, turns.len() * line_words::<M>());
        let sources = sources.chunks_exact(step_words * S::STEPS_PER_TURN);
        for (turn, source) in turns.chunks_exact_mut(turn).zip(sources) {
            let sources = source.chunks_exact(step_words);
            for (lines, source) in turn.chunks_exact_mut(S::STEP).zip(sources) {
                scheme.into::<I, false>(isa, source, lines);
            }
        }
        let (steps, odd) = split_mut(lines, lines.len() / S::STEP * S::STEP);
        let (sources, from) = split(from, steps.len() * line_words::<M>());
        let sources = sources.chunks_exact(step_words);
        for (lines, source) in steps.chunks_exact_mut(S::STEP).zip(sources) {
            scheme.into::<I, false>(isa, source, lines);
        }
        let (from_odd, from_tail) = split(from, odd.len() * line_words::<M>());
        let odd = bytemuck::cast_slice_mut(odd);
        for (to, from) in [(head, from_head), (odd, from_odd), (tail, from_tail)] {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = scheme.single(from);
            }
        }
    }
}

/// Whole blocks of pages, written past the caches.
#[inline(always)]
fn map_streaming<M, S: Scheme<M>, I: Isa>(isa: I, scheme: &S, from: &[M], to: &mut [Line]) {
    let step_words = S::STEP * line_words::<M>();
    let blocks = to.chunks_exact_mut(BLOCK_LINES);
    let sources = from.chunks_exact(BLOCK_LINES * line_words::<M>());
    for (block, source) in blocks.zip(sources) {
        for step in 0..PAGE_LINES / S::STEP {
            for page in 0..PAGES {
                let line = page * PAGE_LINES + step * S::STEP;
                let from = &source[line * line_words::<M>()..][..step_words];
                // The lines that the next block has here. Past the end this asks for nothing
                // useful and does no harm.
                let ahead = from.as_ptr().wrapping_add(BLOCK_LINES * line_words::<M>());
                for line in 0..S::STEP {
                    isa.prefetch(ahead.wrapping_add(line * line_words::<M>()));
                }
                scheme.into::<I, true>(isa, from, &mut block[line..][..S::STEP]);
            }
        }
    }
    isa.fence();
}

/// Replaces every index by its image and writes its byte.
pub(super) struct MapWithBytesInPlace<'a, W, K> {
    /// What is done to each.
    pub(super) kernel: K,
    /// The indices.
    pub(super) indices: &'a mut [W],
    /// Where the bytes go, as many as indices.
    pub(super) bytes: &'a mut [u8],
}

impl<W: Vectors, K: KernelWithBytes<W>> Work for MapWithBytesInPlace<'_, W, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let count = I::Of::<W>::COUNT;
        let mut vectors = self.indices.chunks_exact_mut(count);
        let mut bytes = self.bytes.chunks_exact_mut(count);
        for (vector, bytes) in (&mut vectors).zip(&mut bytes) {
            let x = I::Of::<W>::load(isa, vector);
            let (image, byte) = self.kernel.map(isa, x);
            image.store(vector);
            byte.store_bytes(bytes);
        }
        let rest = vectors.into_remainder().iter_mut();
        for (word, byte) in rest.zip(bytes.into_remainder()) {
            let (image, of_it) = self.kernel.map::<W>((), *word);
            *word = image;
            *byte = of_it.low_byte();
        }
    }
}

/// Writes the image and the byte of every index of a slice to two others of the same length.
pub(super) struct MapWithBytesInto<'a, W, K> {
    /// What is done to each.
    pub(super) kernel: K,
    /// The indices.
    pub(super) from: &'a [W],
    /// Where the images go.
    pub(super) to: &'a mut [W],
    /// Where the bytes go.
    pub(super) bytes: &'a mut [u8],
}

impl<W: Vectors, K: KernelWithBytes<W>> Work for MapWithBytesInto<'_, W, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let count = I::Of::<W>::COUNT;
        let mut sources = self.from.chunks_exact(count);
        let mut vectors = self.to.chunks_exact_mut(count);
        let mut bytes = self.bytes.chunks_exact_mut(count);
        for ((source, vector), bytes) in (&mut sources).zip(&mut vectors).zip(&mut bytes) {
            let (image, byte) = self.kernel.map(isa, I::Of::<W>::load(isa, source));
            image.store(vector);
            byte.store_bytes(bytes);
        }
        let rest = sources.remainder().iter().zip(vectors.into_remainder());
        for ((&source, word), byte) in rest.zip(bytes.into_remainder()) {
            let (image, of_it) = self.kernel.map::<W>((), source);
            *word = image;
            *byte = of_it.low_byte();
        }
    }
}

/// Writes the byte of every index of a slice to another of the same length.
pub(super) struct BytesInto<'a, W, K> {
    /// What the byte of each is; the images are left out.
    pub(super) kernel: K,
    /// The indices.
    pub(super) from: &'a [W],
    /// Where the bytes go.
    pub(super) bytes: &'a mut [u8],
}

impl<W: Vectors, K: KernelWithBytes<W>> Work for BytesInto<'_, W, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let count = I::Of::<W>::COUNT;
        let mut sources = self.from.chunks_exact(count);
        let mut bytes = self.bytes.chunks_exact_mut(count);
        for (source, bytes) in (&mut sources).zip(&mut bytes) {
            let (_, byte) = self.kernel.map(isa, I::Of::<W>::load(isa, source));
            byte.store_bytes(bytes);
        }
        let rest = sources.remainder().iter();
        for (&source, byte) in rest.zip(bytes.into_remainder()) {
            *byte = self.kernel.map::<W>((), source).1.low_byte();
        }
    }
}

/// Writes for every index of a slice whether it meets a condition, 64 to a word, the first in bit 0.
pub(super) struct BitsInto<'a, W, K> {
    /// The condition.
    pub(super) kernel: K,
    /// The indices.
    pub(super) from: &'a [W],
    /// Where the bits go, as many words as hold them.
    pub(super) bits: &'a mut [u64],
}

impl<W: Vectors, K: Condition<W>> Work for BitsInto<'_, W, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let count = I::Of::<W>::COUNT;
        for (bits, source) in self.bits.iter_mut().zip(self.from.chunks(64)) {
            *bits = 0;
            let mut vectors = source.chunks_exact(count);
            let mut at = 0;
            for vector in &mut vectors {
                let holds = self.kernel.holds(isa, I::Of::<W>::load(isa, vector));
                *bits |= I::Of::<W>::bits(holds) << at;
                at += count;
            }
            for &word in vectors.remainder() {
                *bits |= u64::from(self.kernel.holds::<W>((), word)) << at;
                at += 1;
            }
        }
    }
}
