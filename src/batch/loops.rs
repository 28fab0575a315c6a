//! The loops over slices. Each takes a backend's token and is inlined into code that is compiled for that
//! backend.
//!
//! The loops walk the destination in cache lines. The words before its first whole line and after its last
//! are done one by one, so that no store ever straddles two lines. The source may begin at any address.
//! Loops take kernels by reference, as one with a sorting network is too big to be moved about.

use bytemuck::Pod;

use super::kernels::{Condition, KernelWithBytes};
use super::lanes::{Isa, Lanes, Line, Streaming, Vectors, line_words};
use super::mapping::Mapping;

/// Replaces every index by its image. `far` says that the slice is larger than the caches.
#[inline(always)]
pub(super) fn map_in_place<I: Isa, W: Pod, M: Mapping<W>>(
    isa: I,
    mapping: &M,
    indices: &mut [W],
    far: bool,
) {
    let (head, mut lines, tail) = bytemuck::pod_align_to_mut::<W, Line>(indices);
    if I::STREAMS && far {
        let (blocks, rest) = split_mut(lines, lines.len() / BLOCK_LINES * BLOCK_LINES);
        map_far_in_place(isa, mapping, blocks);
        lines = rest;
    }
    let turn = M::STEP * M::STEPS_PER_TURN;
    let (turns, lines) = split_mut(lines, lines.len() / turn * turn);
    for turn in turns.chunks_exact_mut(turn) {
        for lines in turn.chunks_exact_mut(M::STEP) {
            mapping.in_place(isa, lines);
        }
    }
    let (steps, odd) = split_mut(lines, lines.len() / M::STEP * M::STEP);
    for lines in steps.chunks_exact_mut(M::STEP) {
        mapping.in_place(isa, lines);
    }
    for ends in [head, bytemuck::cast_slice_mut(odd), tail] {
        for word in ends {
            *word = mapping.single(*word);
        }
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

/// Replaces the indices of whole blocks of pages, in the order of [`map_streaming`]. The stores do not go
/// past the caches, as the lines were just read.
#[inline(always)]
fn map_far_in_place<W, M: Mapping<W>, I: Isa>(isa: I, mapping: &M, lines: &mut [Line]) {
    for block in lines.chunks_exact_mut(BLOCK_LINES) {
        for step in 0..PAGE_LINES / M::STEP {
            for page in 0..PAGES {
                let first = page * PAGE_LINES + step * M::STEP;
                let lines = &mut block[first..][..M::STEP];
                let ahead = lines.as_ptr().wrapping_add(BLOCK_LINES);
                for line in 0..M::STEP {
                    isa.prefetch(ahead.wrapping_add(line));
                }
                mapping.in_place(isa, lines);
            }
        }
    }
}

/// The number of pages that a streaming loop walks at a time. Memory serves several faster than one.
const PAGES: usize = 4;
/// The number of lines in a page.
const PAGE_LINES: usize = 64;
/// The number of lines in that many pages.
const BLOCK_LINES: usize = PAGES * PAGE_LINES;

/// Writes the image of every index of one slice to another of the same length, past the caches if `stream`.
#[inline(always)]
pub(super) fn map_into<I: Isa, W: Pod, M: Mapping<W>>(
    isa: I,
    mapping: &M,
    from: &[W],
    to: &mut [W],
    stream: bool,
) {
    let (head, mut lines, tail) = bytemuck::pod_align_to_mut::<W, Line>(to);
    let (from_head, mut from) = split(from, head.len());
    if I::STREAMS && stream {
        let (to, lines_left) = split_mut(lines, lines.len() / BLOCK_LINES * BLOCK_LINES);
        let (source, from_left) = split(from, to.len() * line_words::<W>());
        map_streaming(isa, mapping, source, to);
        (lines, from) = (lines_left, from_left);
    }
    let turn = M::STEP * M::STEPS_PER_TURN;
    let step_words = M::STEP * line_words::<W>();
    let (turns, lines) = split_mut(lines, lines.len() / turn * turn);
    let (sources, from) = split(from, turns.len() * line_words::<W>());
    let sources = sources.chunks_exact(step_words * M::STEPS_PER_TURN);
    for (turn, source) in turns.chunks_exact_mut(turn).zip(sources) {
        let sources = source.chunks_exact(step_words);
        for (lines, source) in turn.chunks_exact_mut(M::STEP).zip(sources) {
            mapping.into::<I, false>(isa, source, lines);
        }
    }
    let (steps, odd) = split_mut(lines, lines.len() / M::STEP * M::STEP);
    let (sources, from) = split(from, steps.len() * line_words::<W>());
    let sources = sources.chunks_exact(step_words);
    for (lines, source) in steps.chunks_exact_mut(M::STEP).zip(sources) {
        mapping.into::<I, false>(isa, source, lines);
    }
    let (from_odd, from_tail) = split(from, odd.len() * line_words::<W>());
    let odd = bytemuck::cast_slice_mut(odd);
    for (to, from) in [(head, from_head), (odd, from_odd), (tail, from_tail)] {
        for (to, &from) in to.iter_mut().zip(from) {
            *to = mapping.single(from);
        }
    }
}

/// Writes the images for whole blocks of pages, past the caches.
#[inline(always)]
fn map_streaming<W, M: Mapping<W>, I: Isa>(isa: I, mapping: &M, from: &[W], to: &mut [Line]) {
    let _streaming = Streaming(isa);
    let step_words = M::STEP * line_words::<W>();
    let blocks = to.chunks_exact_mut(BLOCK_LINES);
    let sources = from.chunks_exact(BLOCK_LINES * line_words::<W>());
    for (block, source) in blocks.zip(sources) {
        for step in 0..PAGE_LINES / M::STEP {
            for page in 0..PAGES {
                let line = page * PAGE_LINES + step * M::STEP;
                let from = &source[line * line_words::<W>()..][..step_words];
                // These lines have the same place in the next block. Past the end of the slice this asks
                // for useless lines, which does no harm.
                let ahead = from.as_ptr().wrapping_add(BLOCK_LINES * line_words::<W>());
                for line in 0..M::STEP {
                    isa.prefetch(ahead.wrapping_add(line * line_words::<W>()));
                }
                mapping.into::<I, true>(isa, from, &mut block[line..][..M::STEP]);
            }
        }
    }
}

/// Replaces every index by its image and writes its byte to a slice of the same length.
#[inline(always)]
pub(super) fn map_with_bytes<I: Isa, W: Vectors, K: KernelWithBytes<W>>(
    isa: I,
    kernel: &K,
    indices: &mut [W],
    bytes: &mut [u8],
) {
    let count = I::Of::<W>::COUNT;
    let mut vectors = indices.chunks_exact_mut(count);
    let mut bytes = bytes.chunks_exact_mut(count);
    for (vector, bytes) in (&mut vectors).zip(&mut bytes) {
        let x = I::Of::<W>::load(isa, vector);
        let (image, byte) = kernel.map(isa, x);
        image.store(vector);
        byte.store_bytes(bytes);
    }
    let rest = vectors.into_remainder().iter_mut();
    for (word, byte) in rest.zip(bytes.into_remainder()) {
        let (image, of_it) = kernel.map::<W>((), *word);
        *word = image;
        *byte = of_it.low_byte();
    }
}

/// Writes the byte of every index of a slice to another of the same length.
#[inline(always)]
pub(super) fn bytes_into<I: Isa, W: Vectors, K: KernelWithBytes<W>>(
    isa: I,
    kernel: &K,
    from: &[W],
    bytes: &mut [u8],
) {
    let count = I::Of::<W>::COUNT;
    let mut sources = from.chunks_exact(count);
    let mut bytes = bytes.chunks_exact_mut(count);
    for (source, bytes) in (&mut sources).zip(&mut bytes) {
        let (_, byte) = kernel.map(isa, I::Of::<W>::load(isa, source));
        byte.store_bytes(bytes);
    }
    let rest = sources.remainder().iter();
    for (&source, byte) in rest.zip(bytes.into_remainder()) {
        *byte = kernel.map::<W>((), source).1.low_byte();
    }
}

/// Writes one bit for every index of a slice, set if the index meets a condition. A word has 64 of them,
/// the first in bit 0.
#[inline(always)]
pub(super) fn bits_into<I: Isa, W: Vectors, K: Condition<W>>(
    isa: I,
    condition: &K,
    from: &[W],
    bits: &mut [u64],
) {
    let count = I::Of::<W>::COUNT;
    for (bits, source) in bits.iter_mut().zip(from.chunks(64)) {
        *bits = 0;
        let mut vectors = source.chunks_exact(count);
        let mut at = 0;
        for vector in &mut vectors {
            let holds = condition.holds(isa, I::Of::<W>::load(isa, vector));
            *bits |= I::Of::<W>::bits(holds) << at;
            at += count;
        }
        for &word in vectors.remainder() {
            *bits |= u64::from(condition.holds::<W>((), word)) << at;
            at += 1;
        }
    }
}
