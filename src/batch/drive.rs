//! The loops over slices. Each is a [`Work`], so it is compiled once for each set of instructions.
//!
//! The destination is walked in cache lines: the words before its first whole line and after its
//! last are done one by one, so that no store ever straddles two lines. The source may lie
//! anywhere.

use super::kernels::{Condition, Kernel, KernelWithBytes};
use super::lanes::{Isa, Lanes, Line, Vectors, Work, line_words};

/// Replaces every index by its image.
pub(super) struct MapInPlace<'a, W, K> {
    /// What is done to each.
    pub(super) kernel: K,
    /// The indices.
    pub(super) indices: &'a mut [W],
}

impl<W: Vectors, K: Kernel<W>> Work for MapInPlace<'_, W, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let kernel = self.kernel;
        let (head, lines, tail) = bytemuck::pod_align_to_mut::<W, Line>(self.indices);
        let mut turns = lines.chunks_exact_mut(K::LINES_PER_TURN);
        for turn in &mut turns {
            for line in turn {
                map_line_in_place(isa, kernel, line);
            }
        }
        for line in turns.into_remainder() {
            map_line_in_place(isa, kernel, line);
        }
        for word in head.iter_mut().chain(tail) {
            *word = kernel.map::<W>((), *word);
        }
    }
}

#[inline(always)]
fn map_line_in_place<W: Vectors, K: Kernel<W>, I: Isa>(isa: I, kernel: K, line: &mut Line) {
    for part in 0..I::Of::<W>::PER_LINE {
        let x = I::Of::<W>::load_line(isa, line, part);
        kernel.map(isa, x).store_line(line, part);
    }
}

/// Writes the image of every index of one slice to another of the same length.
pub(super) struct MapInto<'a, W, K> {
    /// What is done to each.
    pub(super) kernel: K,
    /// The indices.
    pub(super) from: &'a [W],
    /// Where the images go.
    pub(super) to: &'a mut [W],
    /// Whether to write past the caches.
    pub(super) stream: bool,
}

/// How many pages a streaming loop walks at a time, as memory serves several faster than one.
const PAGES: usize = 4;
/// The lines of a page.
const PAGE_LINES: usize = 64;
/// The lines of that many pages.
const BLOCK_LINES: usize = PAGES * PAGE_LINES;

impl<W: Vectors, K: Kernel<W>> Work for MapInto<'_, W, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let kernel = self.kernel;
        let (head, mut lines, tail) = bytemuck::pod_align_to_mut::<W, Line>(self.to);
        let (from_head, from) = self.from.split_at(head.len());
        let (mut from, from_tail) = from.split_at(lines.len() * line_words::<W>());
        if I::STREAMS && self.stream {
            let streamed = lines.len() / BLOCK_LINES * BLOCK_LINES;
            let (to, lines_left) = lines.split_at_mut(streamed);
            let (source, from_left) = from.split_at(streamed * line_words::<W>());
            map_streaming(isa, kernel, source, to);
            (lines, from) = (lines_left, from_left);
        }
        let turn = K::LINES_PER_TURN;
        let mut turns = lines.chunks_exact_mut(turn);
        let mut sources = from.chunks_exact(turn * line_words::<W>());
        for (turn, source) in (&mut turns).zip(&mut sources) {
            for (line, source) in turn.iter_mut().zip(source.chunks_exact(line_words::<W>())) {
                map_line(isa, kernel, source, line);
            }
        }
        let sources = sources.remainder().chunks_exact(line_words::<W>());
        for (line, source) in turns.into_remainder().iter_mut().zip(sources) {
            map_line(isa, kernel, source, line);
        }
        let ends = head.iter_mut().chain(tail);
        for (to, &from) in ends.zip(from_head.iter().chain(from_tail)) {
            *to = kernel.map::<W>((), from);
        }
    }
}

#[inline(always)]
fn map_line<W: Vectors, K: Kernel<W>, I: Isa>(isa: I, kernel: K, from: &[W], to: &mut Line) {
    let count = I::Of::<W>::COUNT;
    for part in 0..I::Of::<W>::PER_LINE {
        let x = I::Of::<W>::load(isa, &from[part * count..]);
        kernel.map(isa, x).store_line(to, part);
    }
}

/// Whole blocks of pages, written past the caches.
#[inline(always)]
fn map_streaming<W: Vectors, K: Kernel<W>, I: Isa>(isa: I, kernel: K, from: &[W], to: &mut [Line]) {
    let count = I::Of::<W>::COUNT;
    let blocks = to.chunks_exact_mut(BLOCK_LINES);
    let sources = from.chunks_exact(BLOCK_LINES * line_words::<W>());
    for (block, source) in blocks.zip(sources) {
        for line in 0..PAGE_LINES {
            for page in 0..PAGES {
                let at = page * PAGE_LINES + line;
                let from = &source[at * line_words::<W>()..][..line_words::<W>()];
                // The line that the next block has here. Past the end this asks for nothing useful
                // and does no harm.
                isa.prefetch(from.as_ptr().wrapping_add(BLOCK_LINES * line_words::<W>()));
                for part in 0..I::Of::<W>::PER_LINE {
                    let x = I::Of::<W>::load(isa, &from[part * count..]);
                    kernel.map(isa, x).stream_line(&mut block[at], part);
                }
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
