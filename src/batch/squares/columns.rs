//! Columns of squares, one byte each, become indices and the other way round. A vector takes one byte to
//! each word of the index, a piece at a time.

use crate::batch::backend::Backend;
use crate::batch::convert::{ToAlternate, ToNatural};
use crate::batch::out_of_range::OutOfRange;
use crate::dispatch;
use crate::index::kernels::Kernel;
use crate::index::{Layout, Numbering};
use crate::simd::{Isa, Lanes, Vectors};

/// Writes the index of each position, for [`Backend::encode_columns`].
pub(in crate::batch) fn encode_columns<W: Vectors>(
    backend: Backend,
    layout: &Layout<W>,
    columns: &[&[u8]],
    to: &mut [W],
) -> Result<(), OutOfRange> {
    let positions = to.len();
    let all = dispatch!(backend, isa => encode_all(isa, layout, columns, to));
    if all < 64 {
        return Ok(());
    }
    let bad = |position: usize| columns.iter().position(|column| column[position] > 63);
    let position = (0..positions).find(|&k| bad(k).is_some()).unwrap_or(0);
    let piece = bad(position).unwrap_or(0);
    Err(OutOfRange::Square {
        position,
        piece,
        found: columns[piece][position],
    })
}

/// Writes the squares of each index into columns, for [`Backend::decode_columns`].
pub(in crate::batch) fn decode_columns<W: Vectors>(
    backend: Backend,
    layout: &Layout<W>,
    from: &[W],
    columns: &mut [&mut [u8]],
) {
    dispatch!(backend, isa => decode_all(isa, layout, from, columns));
}

/// Encodes columns and returns the bits that any byte has.
#[inline(always)]
pub fn encode_all<W: Vectors, I: Isa>(
    isa: I,
    layout: &Layout<W>,
    columns: &[&[u8]],
    to: &mut [W],
) -> u8 {
    let layout = *layout;
    let count = I::Of::<W>::COUNT;
    let mut all = I::Of::<W>::splat(isa, W::ZERO);
    let mut at = 0;
    let mut vectors = to.chunks_exact_mut(count);
    for to in &mut vectors {
        encode_vector::<W, I::Of<W>>(isa, &layout, columns, at, &mut all).store(to);
        at += count;
    }
    let mut rest = W::ZERO;
    for to in vectors.into_remainder() {
        *to = encode_vector::<W, W>((), &layout, columns, at, &mut rest);
        at += 1;
    }
    let mut bytes = [0; 64];
    all.store_bytes(&mut bytes);
    bytes.into_iter().fold(rest.low_byte(), |a, b| a | b)
}

/// Returns the indices of the positions from `at` on, and adds the bits that any byte has to `all`.
#[inline(always)]
fn encode_vector<W: Vectors, V: Lanes<W>>(
    isa: V::Isa,
    layout: &Layout<W>,
    columns: &[&[u8]],
    at: usize,
    all: &mut V,
) -> V {
    let (low, high) = (V::splat(isa, 7.into()), V::splat(isa, 0o70.into()));
    let (next, up) = (V::shift(isa, 3), V::shift(isa, layout.half() - 3));
    let mut index = V::splat(isa, W::ZERO);
    for column in columns.iter().rev() {
        let Some(bytes) = column.get(at..).and_then(|rest| rest.get(..V::COUNT)) else {
            break;
        };
        let squares = V::load_bytes(isa, bytes);
        *all = *all | squares;
        index = index << next | squares & low | (squares & high) << up;
    }
    match layout.numbering() {
        Numbering::Natural => index,
        Numbering::Alternate => ToAlternate::new(layout).map(isa, index),
    }
}

/// Decodes into columns.
#[inline(always)]
pub fn decode_all<W: Vectors, I: Isa>(
    isa: I,
    layout: &Layout<W>,
    from: &[W],
    columns: &mut [&mut [u8]],
) {
    let layout = *layout;
    let count = I::Of::<W>::COUNT;
    let mut at = 0;
    let mut vectors = from.chunks_exact(count);
    for from in &mut vectors {
        let indices = I::Of::<W>::load(isa, from);
        decode_vector::<W, I::Of<W>>(isa, &layout, indices, columns, at);
        at += count;
    }
    for &index in vectors.remainder() {
        decode_vector::<W, W>((), &layout, index, columns, at);
        at += 1;
    }
}

/// Writes the squares of these indices from position `at` on.
#[inline(always)]
fn decode_vector<W: Vectors, V: Lanes<W>>(
    isa: V::Isa,
    layout: &Layout<W>,
    indices: V,
    columns: &mut [&mut [u8]],
    at: usize,
) {
    let mut lows = match layout.numbering() {
        Numbering::Natural => indices,
        Numbering::Alternate => ToNatural::new(layout).map(isa, indices),
    };
    let mut highs = lows >> V::shift(isa, layout.half() - 3);
    let (low, high) = (V::splat(isa, 7.into()), V::splat(isa, 0o70.into()));
    let next = V::shift(isa, 3);
    for column in columns.iter_mut() {
        let Some(bytes) = column
            .get_mut(at..)
            .and_then(|rest| rest.get_mut(..V::COUNT))
        else {
            break;
        };
        (lows & low | highs & high).store_bytes(bytes);
        (lows, highs) = (lows >> next, highs >> next);
    }
}
